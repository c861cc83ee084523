#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/gpu_check.sh [FOLDER]: builds the core and its CUDA engine without PCL and tries them on this machine's
# GPU, in under 8 minutes and without a network: tests, compute-sanitizer on the small ones, the benchmark. Logs go
# to FOLDER (default build/gpu_check/logs); the last lines are a table. Exit code 0 only if no step failed.
# Needs nvcc, CMake, Eigen, oneTBB, Highway, nanoflann, nlohmann-json and GoogleTest as the README lists them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/gpu_check
logs=${1:-$build/logs}
mkdir -p "$logs"
. samples/install_packages.sh
use_ccache
export PATH=$PATH:/usr/local/cuda/bin
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -n 1)
table=() failed=0 budget=470

skip() { table+=("$(printf '%-12s %-12s         %s' "$1" skipped "$2")"); }

# step NAME SECONDS COMMAND...: runs a command for at most SECONDS, or what is left of the budget; its last line goes
# into the table.
step() {
  local name=$1 limit=$2 start=$SECONDS result=passed left=$((budget - SECONDS))
  shift 2
  if [ "$left" -lt "$limit" ]; then limit=$left; fi
  if [ "$limit" -le 0 ]; then
    skip "$name" "no time left"
    failed=1
    return 1
  fi
  echo "=== $name"
  timeout "$limit" "$@" > "$logs/$name.log" 2>&1
  local code=$?
  if [ $code -ne 0 ]; then
    result="FAILED ($code)"
    failed=1
    tail -n 25 "$logs/$name.log"
  fi
  table+=("$(printf '%-12s %-12s %4d s  %s' "$name" "$result" $((SECONDS - start)) "$(tail -n 1 "$logs/$name.log")")")
  return $code
}

finish() {
  printf '\n%s\n' "gpu_check: $(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1 | head -n 1)"
  printf '%s\n' "${table[@]}"
  exit $failed
}

if [ -z "$capability" ]; then
  echo "gpu_check: nvidia-smi names no GPU: for a machine that has one"
  exit 2
fi
generator=()
if command -v ninja > /dev/null; then generator=(-G Ninja); fi
step configure 60 cmake -S . -B $build "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DPCL_ATTENTION_CUDA=ON \
  "-DCMAKE_CUDA_ARCHITECTURES=${capability/./}" -DPCL_ATTENTION_PCL=OFF -DPCL_ATTENTION_SAMPLES=OFF || finish
step build 200 cmake --build $build --parallel "$(nproc)" --target test_cuda test_attention bench_cuda || finish

# test_step NAME SECONDS COMMAND...: a step that also fails where every test was skipped for want of a device.
test_step() {
  step "$@" || return
  if ! grep -q '\[       OK \]' "$logs/$1.log"; then
    table+=("             FAILED: no test ran, $(grep -m 1 'no CUDA device' "$logs/$1.log")")
    failed=1
  fi
}
test_step engine 90 $build/bin/test_cuda
test_step laws 90 $build/bin/test_attention '--gtest_filter=*_cuda'

if command -v compute-sanitizer > /dev/null; then
  for tool in memcheck racecheck synccheck; do
    step $tool 60 compute-sanitizer --tool $tool --error-exitcode 9 $build/bin/test_cuda \
      '--gtest_filter=Mechanisms/CudaDecoder.AgreesWithTheReference/*'
  done
else
  skip sanitizer "no compute-sanitizer"
fi

if step benchmark 90 $build/bin/bench_cuda --quick --json "$logs/benchmark.json"; then cat "$logs/benchmark.log"; fi
if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2> /dev/null; then
  if step torch 60 python3 tests/bench/cuda/torch_layers.py --quick; then cat "$logs/torch.log"; fi
else
  skip torch "no PyTorch with a CUDA device"
fi
finish
