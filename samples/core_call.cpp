// SPDX-License-Identifier: BSD-3-Clause
// The core without PCL: points in one's own memory → one row of numbers per point.
#include <pcl_attention/encoder.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "spiral.h"

int main() try {
  using namespace pcl_attention;
  const auto points = make_spiral(1000);

  CloudView cloud;  // what lies where; nothing is copied
  cloud.data = reinterpret_cast<const std::byte*>(points.data());
  cloud.size = points.size() * sizeof(points[0]);
  cloud.width = points.size();
  cloud.point_step = sizeof(points[0]);
  cloud.fields = {
      {"x", FieldType::float32, 0, 1}, {"y", FieldType::float32, 4, 1}, {"z", FieldType::float32, 8, 1}};

  Encoder encoder(open_model("preset:position"));
  std::vector<float> rows(cloud.num_points() * encoder.model().config().output_width());
  EncodeInput input;
  input.surface = cloud;
  const EncodeResult result = encoder.encode(input, rows.data());

  std::printf("%zu rows of %zu numbers, engine %s, %.3f s\n", result.num_rows, result.width,
              encoder.engine().c_str(), result.seconds.encode);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "core_call: %s\n", error.what());
  return 2;
}
