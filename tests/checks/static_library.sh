#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A static core installs, and a project outside the tree links it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. samples/install_packages.sh

use_ccache
cmake --preset release -B build/static -DBUILD_SHARED_LIBS=OFF -DPCL_ATTENTION_PCL=OFF -DPCL_ATTENTION_TESTS=OFF \
      -DPCL_ATTENTION_SAMPLES=OFF -DPCL_ATTENTION_WARNINGS_AS_ERRORS=$(warnings_as_errors)
cmake --build build/static
bash tests/consumer/run.sh build/static core
