// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "lidar_point.h"

int main() {
  const bool first = features(), second = filters();
  std::printf("own point type: features %s, filters %s\n", first ? "good" : "bad", second ? "good" : "bad");
  return first && second ? 0 : 1;
}
