#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The licence stands in the first two lines of every source file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

missing=0
while read -r file; do
  if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause'; then
    echo "no SPDX line: $file"
    missing=1
  fi
done < <(git ls-files -- '*.h' '*.hpp' '*.h.in' '*.cpp' '*.cu' '*.cuh' '*.cmake' '*.cmake.in' '*CMakeLists.txt' \
                         '*.sh' '*.py' .ci/run)
exit $missing
