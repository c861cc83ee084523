#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The CUDA kernels, run on the CPU, under the thread sanitizer, which must also report a race that is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. samples/install_packages.sh

use_ccache
cmake --preset tsan -DPCL_ATTENTION_PCL=OFF -DPCL_ATTENTION_SAMPLES=OFF -DPCL_ATTENTION_CUDA=OFF
cmake --build --preset tsan --target test_cuda_kernels cuda_race
ctest --preset tsan --tests-regex '^cuda_kernels\.|^cuda_emulation\.race'
