// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "attention/frame_builder.h"
#include "exec/parallel.h"
#include "neighbourhood/fields.h"
#include "pcl_attention/model.h"
#include "support/clouds.h"

namespace pcl_attention::test {

/// A network over x, y, z and every neighbourhood field.
inline ModelConfig neighbourhood_config() {
  ModelConfig config;
  config.name = "neighbourhood";
  config.input.fields = {{"x"}, {"y"}, {"z"}};
  for (const std::string& name : neighbourhood_fields()) config.input.fields.push_back({name});
  config.mechanism = Mechanism::anchored;
  config.slots = 9;
  config.channels = 12;
  config.heads = 3;
  config.head_width = 4;
  config.depth = 2;
  config.feed_forward = 10;
  return config;
}

/// Neighbourhood rows as a frame has them.
struct Described {
  std::vector<float> rows;                  ///< [answered points × fields]; NaN for invalid points
  std::vector<std::uint32_t> ranked_point;  ///< rank → point of the surface, those that count as neighbours

  const float* row(std::size_t i) const { return rows.data() + i * kNeighbourhoodFields; }
};

/// Returns the rows that a frame holds for the surface's points, or for input.queries.
inline Described describe(const FloatCloud& cloud, const std::function<void(EncodeInput&)>& change = {},
                          unsigned num_threads = 0, const ModelConfig& config = neighbourhood_config()) {
  EncodeInput input;
  input.surface = cloud.view();
  if (change) change(input);
  const ModelPtr model = make_random_model(config);
  const auto engine = make_reference_engine(model);
  FrameBuilder builder(model->config(), {}, *engine);
  StageSeconds seconds;
  return with_threads(num_threads, [&] {
    const Frame frame = builder.build(input, seconds);
    const TokenRows& answered = frame.queries != nullptr ? *frame.queries : frame.surface;
    const std::size_t first = config.input.num_channels() - kNeighbourhoodFields;
    Described described;
    described.rows.assign(builder.num_rows() * kNeighbourhoodFields, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < answered.n; ++i)
      std::copy_n(answered.values + answered.row_of(i) * config.input.num_channels() + first,
                  kNeighbourhoodFields,
                  described.rows.begin() +
                      static_cast<std::ptrdiff_t>(frame.row_of_answer(i) * kNeighbourhoodFields));
    for (std::size_t rank = 0; rank < frame.num_ranked; ++rank)
      described.ranked_point.push_back(builder.surface().tokens.point[frame.surface.row_of(rank)]);
    return described;
  });
}

}  // namespace pcl_attention::test
