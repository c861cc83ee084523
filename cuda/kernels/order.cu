// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/curve_keys.cuh"
#include "kernels/moments.cuh"
#include "kernels/ties.cuh"
