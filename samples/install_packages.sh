# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that build: what a fresh Debian or Ubuntu needs, and how to install it.

pcl_attention_packages=(build-essential cmake ninja-build libpcl-dev libeigen3-dev libtbb-dev libhwy-dev
                        libnanoflann-dev nlohmann-json3-dev libpng-dev libcli11-dev libgtest-dev python3 python3-numpy
                        python3-jsonschema)

# install_packages PACKAGE...: installs those that are missing; fails if one cannot be had.
install_packages() {
  local missing=() package root=()
  for package in "$@"; do
    dpkg -s "$package" 2> /dev/null | grep -q '^Status: install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  echo "installing: ${missing[*]}"
  "${root[@]}" apt-get update -qq &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# use_ccache: lets CMake compile through ccache where it is installed.
use_ccache() {
  if command -v ccache > /dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
}

# warnings_as_errors: ON in continuous integration, where CI is true.
warnings_as_errors() {
  if [ "${CI:-false}" = true ]; then echo ON; else echo OFF; fi
}
