#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/consumer/run.sh BUILD_DIR [core] [pcl] [types]
# Installs a finished build to a temporary prefix, builds and runs projects that use it from there, as Release
# or with the compiler flags in $CONSUMER_FLAGS alone.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- core pcl

build_type=Release
[ -z "${CONSUMER_FLAGS:-}" ] || build_type=None
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
cmake --install "$build" --prefix "$temporary/prefix" > "$temporary/install.log"

for consumer in "$@"; do
  cp -r "$here/$consumer" "$temporary/$consumer"
  cmake -S "$temporary/$consumer" -B "$temporary/build-$consumer" -G Ninja -DCMAKE_BUILD_TYPE=$build_type \
        -DCMAKE_PREFIX_PATH="$temporary/prefix" -DCMAKE_CXX_FLAGS="${CONSUMER_FLAGS:-}"
  cmake --build "$temporary/build-$consumer"
  "$temporary/build-$consumer/consumer"
done

if [ -x "$temporary/prefix/bin/pcl_attention" ]; then
  "$temporary/prefix/bin/pcl_attention" --help > /dev/null
fi
echo "consumer: $* passed${CONSUMER_FLAGS:+ with $CONSUMER_FLAGS}"
