#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/checks/sanitizer.sh asan|tsan: the tests of the core under a sanitizer; under tsan also PCL objects in
# two threads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. samples/install_packages.sh

use_ccache
cmake --preset "$1" -DPCL_ATTENTION_PCL=OFF -DPCL_ATTENTION_SAMPLES=OFF -DPCL_ATTENTION_CUDA=OFF
cmake --build --preset "$1"
ctest --preset "$1" --parallel 2

if [ "$1" = tsan ]; then
  cmake --preset tsan -DPCL_ATTENTION_PCL=ON -DPCL_ATTENTION_SAMPLES=OFF
  cmake --build --preset tsan --target test_pcl_threads
  ctest --preset tsan --tests-regex '^pcl\.threads$'
fi
