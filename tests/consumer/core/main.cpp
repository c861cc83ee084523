// SPDX-License-Identifier: BSD-3-Clause
// Every public header, one model, one cloud of two points.
#include <pcl_attention/cloud.h>
#include <pcl_attention/config.h>
#include <pcl_attention/encoder.h>
#include <pcl_attention/equivariance.h>
#include <pcl_attention/error.h>
#include <pcl_attention/model.h>
#include <pcl_attention/ordering.h>
#include <pcl_attention/tokens.h>
#include <pcl_attention/version.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  using namespace pcl_attention;
  const float points[2][3] = {{0.0F, 0.0F, 0.0F}, {1.0F, 2.0F, 3.0F}};
  CloudView cloud;
  cloud.data = reinterpret_cast<const std::byte*>(points);
  cloud.size = sizeof(points);
  cloud.width = 2;
  cloud.point_step = sizeof(points[0]);
  cloud.fields = {
      {"x", FieldType::float32, 0, 1}, {"y", FieldType::float32, 4, 1}, {"z", FieldType::float32, 8, 1}};

  Encoder encoder(make_preset("position"));
  std::vector<float> rows(2 * encoder.model().config().output_width());
  EncodeInput input;
  input.surface = cloud;
  const EncodeResult result = encoder.encode(input, rows.data());
  std::printf("pcl_attention %s: %zu rows of %zu numbers, engine %s\n", PCL_ATTENTION_VERSION,
              result.num_rows, result.width, encoder.engine().c_str());
  for (const float value : rows)
    if (!std::isfinite(value)) return 1;
  return result.num_rows == 2 ? 0 : 1;
}
