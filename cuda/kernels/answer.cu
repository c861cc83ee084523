// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/answer.cuh"
