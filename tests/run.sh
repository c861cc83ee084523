#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/run.sh: installs what is missing, builds preset release and runs every test.
# CI=true makes warnings errors. The last lines are ctest's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. samples/install_packages.sh

install_packages "${pcl_attention_packages[@]}"
use_ccache
cmake --preset release -DPCL_ATTENTION_WARNINGS_AS_ERRORS=$(warnings_as_errors)
cmake --build --preset release
ctest --preset release --parallel 2 --output-on-failure
