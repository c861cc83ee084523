// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/curve_keys.cuh"
#include "kernels/order_box.cuh"
#include "kernels/spread.cuh"
#include "kernels/ties.cuh"
