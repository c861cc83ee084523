// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "attention/networks.h"
#include "cuda/kernel_test.h"
#include "kernels/embedding.h"
#include "reference/embedding.h"

namespace pcl_attention::test {
namespace {

/// Tokens in the sequence that `row` gives, three numbers of padding behind each position.
struct Tokens {
  explicit Tokens(std::size_t n, float size)
      : values(random_numbers(n * 4, 1)), positions(random_numbers(n * 6, 2, size)) {
    for (std::size_t i = 0; i < n; ++i) row.push_back(static_cast<std::uint32_t>(n - 1 - i));
    rows.n = n;
    rows.values = values.data();
    rows.positions = positions.data();
    rows.position_stride = 6;
    rows.row = row.data();
  }
  Numbers values, positions;
  std::vector<std::uint32_t> row;
  TokenRows rows;
};

Numbers transposed(const Tensor& tensor) {
  const std::size_t out = tensor.shape[0], in = tensor.shape[1];
  Numbers result(out * in);
  for (std::size_t i = 0; i < result.size(); ++i) result[i % in * out + i / in] = tensor.values[i];
  return result;
}

void expect_embedding(std::size_t n, ModelConfig config, float size = 1.0F) {
  const ModelPtr model = make_random_model(config, 3);
  const Tokens tokens(n, size);
  Frame frame;
  frame.placement = {{0.25, -3.0, 1.5}, 0.75};
  frame.position_channels = {0, 1, 2};
  const std::size_t num_ranked = n - n / 4, padded = 5, width = config.channels;
  const reference::TokenEmbedding embedding(*model);
  const reference::Matrix expected = embedding.rows(tokens.rows, frame, num_ranked, 0, n);
  const reference::Matrix places = embedding.positions(tokens.rows, frame.placement, 0, n);

  gpu::EmbedRows args;
  args.values = tokens.rows.values;
  args.positions = tokens.rows.positions;
  args.position_stride = 6;
  args.row = tokens.row.data();
  args.n = n;
  args.num_ranked = num_ranked;
  args.padded = padded;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    args.position_channels[axis] = static_cast<std::int32_t>(axis);
  }
  const std::array<double, 3>& centre = frame.placement.centre;
  const double placement[4] = {centre[0], centre[1], centre[2], frame.placement.inverse_scale};
  args.placement = placement;
  args.input_channels = 4;
  args.channels = static_cast<std::uint32_t>(width);
  Numbers weight;
  if (config.embedding == Embedding::linear) {
    weight = transposed(model->tensor("embedding.weight"));
    args.embedding = {weight.data(), model->tensor("embedding.bias").values.data(), 4, args.channels};
  }
  std::vector<double> turns;
  args.axis_pairs = gpu::num_axis_pairs(args.channels);
  const bool axes = config.position_encoding == PositionEncoding::xyz;
  for (std::uint32_t i = 0; i < (axes ? args.axis_pairs : args.channels / 2); ++i)
    turns.push_back(axes ? gpu::axis_turns(i, args.channels, config.position_cell)
                         : gpu::rank_turns(i, args.channels));
  if (axes) args.axis_turns = turns.data();
  if (config.position_encoding == PositionEncoding::rank) args.rank_turns = turns.data();
  Numbers x((n + padded) * width, kUnset), placed(3 * n, kUnset);
  args.x = x.data();
  args.places = placed.data();
  gpu::embed_rows(args, nullptr);
  EXPECT_LE(relative_l2(x.data(), expected.data(), n * width), kTolerance) << n << " x " << width;
  EXPECT_LE(relative_l2(placed.data(), places.data(), 3 * n), 1e-7);
  for (std::size_t i = n * width; i < x.size(); ++i) EXPECT_EQ(x[i], 0.0F);
}

TEST(EmbedRows, AgreesWithTheReference) {
  on_every_schedule([] {
    for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 200U})
      for (const std::size_t channels : {1U, 12U, 13U, 64U})
        for (const PositionEncoding encoding :
             {PositionEncoding::none, PositionEncoding::rank, PositionEncoding::xyz}) {
          if (encoding == PositionEncoding::rank && channels % 2 != 0) continue;
          ModelConfig config = small_config();
          config.position_encoding = encoding;
          config.channels = channels;
          expect_embedding(n, config);
        }
  });
}

TEST(EmbedRows, IdentityKeepsTheInputs) {
  ModelConfig config = small_config();
  config.embedding = Embedding::identity;
  config.channels = 4;
  for (const std::size_t n : {1U, 77U}) expect_embedding(n, config);
}

TEST(EmbedRows, AnglesOfManyTurnsAreExact) {
  ModelConfig config = small_config();
  config.position_cell = 0.001;
  expect_embedding(50, config, 4000.0F);
}

}  // namespace
}  // namespace pcl_attention::test
