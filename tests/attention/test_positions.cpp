// SPDX-License-Identifier: BSD-3-Clause
// The xyz sinusoids against the 3D encoding of the positional-encodings package.
#include <gtest/gtest.h>

#include <string>

#include "files/safetensors.h"
#include "pcl_attention/encoder.h"
#include "support/clouds.h"
#include "support/compare.h"
#include "support/data.h"

namespace pcl_attention::test {
namespace {

/// A network that returns its embedded rows, which are the encoding alone: all its numbers are zero.
ModelPtr encoding_of(std::size_t channels, double cell) {
  ModelConfig config;
  config.input.fields = {{"x"}, {"y"}, {"z"}};
  config.order = Curve::none;
  config.position_encoding = PositionEncoding::xyz;
  config.position_cell = cell;
  config.channels = channels;
  config.depth = 1;
  config.mechanism = Mechanism::full;
  config.norm = NormPlacement::pre;
  config.feed_forward = 0;
  TensorMap tensors = make_random_model(config)->tensors();
  for (auto& [name, tensor] : tensors) tensor.values.assign(tensor.values.size(), 0.0F);
  return std::make_shared<Model>(config, std::move(tensors));
}

/// The points of a 3 × 4 × 5 grid, x slowest, and `cell` apart.
FloatCloud grid(double cell) {
  FloatCloud cloud{{"x", "y", "z"}, {}};
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 5; ++z)
        for (int index : {x, y, z}) cloud.values.push_back(static_cast<float>(index * cell));
  return cloud;
}

void expect_encoding(Device device, double tolerance) {
  const SafetensorsFile file = read_safetensors(fixture("parity/positions_3d.safetensors"));
  for (std::size_t channels : {6U, 8U, 15U, 64U})
    for (double cell : {1.0, 0.25}) {
      EncoderOptions options;
      options.device = device;
      Encoder encoder(encoding_of(channels, cell), options);
      const FloatCloud cloud = grid(cell);
      EncodeInput input;
      input.surface = cloud.view();
      std::vector<double> rows(cloud.size() * channels);
      encoder.encode(input, rows.data());
      const std::string name = "channels_" + std::to_string(channels);
      EXPECT_LE(relative_l2(rows, to_doubles(file.tensors.at(name), name)), tolerance) << name << ' ' << cell;
    }
}

TEST(Positions, ReferenceAgreesWithPositionalEncodingsOnAGrid) { expect_encoding(Device::reference, 1e-12); }
TEST(Positions, CpuAgreesWithPositionalEncodingsOnAGrid) { expect_encoding(Device::cpu, 2e-6); }

}  // namespace
}  // namespace pcl_attention::test
