// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/embedding.cuh"
#include "kernels/masks.cuh"
#include "kernels/matrix_product.cuh"
#include "kernels/norm_rows.cuh"
