#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# samples/equivariance_report.sh [CLOUD [OPTION...]]
# Builds the command and reports how far three models depend on the order of a cloud's points, and on small
# changes of them. Without CLOUD it makes an indoor scene. Results lie in build/equivariance of this checkout:
# NAME.html to read, NAME.json, NAME.pcd with the errors per point. OPTIONs go to the verb `equivariance`.
set -euo pipefail
cloud=${1:+$(realpath -e -- "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. samples/install_packages.sh

install_packages "${pcl_attention_packages[@]}"
use_ccache
cmake --preset release
cmake --build --preset release --target pcl_attention_command
command=$PWD/build/release/bin/pcl_attention
mkdir -p build/equivariance
cd build/equivariance

if [ -z "$cloud" ]; then
  cloud=scene.pcd
  "$command" scene "$cloud" --points 1500
fi
name=$(basename "${cloud%.*}")_report
"$command" equivariance "$cloud" --compare preset:linformer@none,preset:linformer,preset:position \
           --html "$name.html" --json "$name.json" --cloud "$name.pcd" "${@:2}"
echo "read $PWD/$name.html"
