// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/inspect_points.cuh"
#include "kernels/read_tokens.cuh"
