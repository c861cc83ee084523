#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# samples/quickstart.sh [CLOUD]
# Installs what is missing, builds the command, removes the outliers of a cloud and shows, for some models,
# how far the features of what is left depend on the order of its points. Without CLOUD it makes an indoor
# scene. Results lie in build/quickstart of this checkout.
set -euo pipefail
cloud=${1:+$(realpath -e -- "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. samples/install_packages.sh

install_packages "${pcl_attention_packages[@]}"
use_ccache
cmake --preset release
cmake --build --preset release --target pcl_attention_command
command=build/release/bin/pcl_attention
out=build/quickstart
mkdir -p "$out"

if [ -z "$cloud" ]; then
  cloud=$out/scene.pcd
  "$command" scene "$cloud" --stray 0.02
fi

echo "--- clean"
"$command" clean "$cloud" "$out/cleaned.pcd" --removed "$out/removed.pcd" --json "$out/clean.json"
cloud=$out/cleaned.pcd

# member FILE NAME: the first member of that name in a JSON file with one member a line.
member() { sed -n "/^ *\"$2\": /{s/^[^:]*: \"\{0,1\}\([^\"]*[^\",]\)\"\{0,1\},\{0,1\}$/\1/p;q}" "$1"; }

# show NAME OPTION...: features and report of a model.
names=()
show() {
  local name=$1
  shift
  names+=("$name")
  echo "--- $name"
  "$command" features "$cloud" "$out/$name.pcd" --json "$out/$name.features.json" "$@"
  "$command" equivariance "$cloud" --json "$out/$name.equivariance.json" "$@"
}

show linformer-as-they-come --model preset:linformer --ordering none
show linformer --model preset:linformer
show linformer-segment --model preset:linformer-segment
show position --model preset:position
if [ "$(member "$out/position.features.json" points)" -le 8192 ]; then
  show full --model preset:full
fi

echo
echo "results in $PWD/$out: cleaned.pcd is the cloud without the $(member "$out/clean.json" removed) points of" \
     "removed.pcd, NAME.pcd holds its features, NAME.equivariance.json the report"
for name in "${names[@]}"; do
  report=$out/$name.equivariance.json
  echo "  $name: level $(member "$report" level), $(member "$report" level_text);" \
       "largest relative L2 $(member "$report" max_relative_l2)"
done
