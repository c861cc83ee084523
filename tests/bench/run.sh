#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/bench/run.sh [--quick] [NAME...]: builds and runs the benchmarks, all of them or those named: frame,
# ordering, growth, report_time, limit, mechanisms, torch. Prints tables and writes build/bench/results/NAME.json.
#
# frame and mechanisms take clouds under $PCL_ATTENTION_DATA, by default ../shared/data; frame is left out
# without them, mechanisms takes random points.
# torch needs $PCL_ATTENTION_PYTHON, a Python that has torch, safetensors and linformer-pytorch.
# Measure on a machine that does nothing else: each table starts with the load it met.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. samples/install_packages.sh

quick=()
if [ "${1:-}" = --quick ]; then
  quick=(--quick)
  shift
fi
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(ordering growth report_time limit mechanisms frame torch)
data=${PCL_ATTENTION_DATA:-../shared/data}
build=build/bench
results=$build/results

install_packages "${pcl_attention_packages[@]}" libopenblas-dev
use_ccache
mkdir -p $results
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DPCL_ATTENTION_SAMPLES=OFF > $build.log 2>&1 ||
  { cat $build.log && exit 1; }

# bench NAME JSON [WORD...]: builds and runs one program.
bench() {
  local name=$1 json=$2
  shift 2
  cmake --build $build --target bench_$name > $build.log 2>&1 || { cat $build.log && exit 1; }
  $build/bin/bench_$name "${quick[@]}" --json $results/$json.json "$@"
  echo
}

scans() {
  ls "$data"/outdoor/ouster_os1_128_seq_*.pcd "$data"/outdoor/vls128_street.pcd 2> /dev/null
}

for name in "${names[@]}"; do
  case $name in
    ordering | growth | report_time) bench $name $name ;;
    limit)
      bench limit limit
      ! grep -q avx512f /proc/cpuinfo || bench limit limit_avx2 AVX2
      ;;
    mechanisms)
      bench mechanisms mechanisms \
            $(ls "$data"/outdoor/ouster_os1_128_seq_0.pcd "$data"/rgbd/table_scene_mug_stereo.pcd 2> /dev/null)
      ;;
    frame)
      if files=$(scans); then bench frame frame $files; else echo "frame: left out, no scans under $data"; fi
      ;;
    torch)
      if [ -z "${PCL_ATTENTION_PYTHON:-}" ]; then
        echo "torch: left out, PCL_ATTENTION_PYTHON is not set"
        continue
      fi
      cmake --build $build --target bench_encode_server > $build.log 2>&1 || { cat $build.log && exit 1; }
      "$PCL_ATTENTION_PYTHON" tests/bench/compare_torch.py $build/bin "${quick[@]}" --json $results/torch.json
      ;;
    *) echo "no benchmark $name" && exit 1 ;;
  esac
done
