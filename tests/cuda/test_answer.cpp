// SPDX-License-Identifier: BSD-3-Clause
// A layer's answer against the reference's, for summaries of random slots.
#include <numeric>
#include <stdexcept>

#include "cuda/layer_args.h"
#include "reference/layer.h"

namespace pcl_attention::test {
namespace {

using reference::Index;
using reference::Matrix;

struct AnswerCase {
  std::size_t n = 39, slots = 40;
  bool masked = false, causal = false, asked = false;
  float size = 1.0F;  // of keys
};

Matrix matrix(const Numbers& numbers, std::size_t columns) {
  Matrix result(static_cast<Index>(numbers.size() / columns), static_cast<Index>(columns));
  for (std::size_t i = 0; i < numbers.size(); ++i) result.data()[i] = number(numbers[i]);
  return result;
}

/// Rows that are asked for, and a summary, in both forms.
struct Asked {
  Asked(const ModelConfig& config, const AnswerCase& of)
      : model(model_with_norms(config, 5)),
        args(*model, 0),
        x(random_numbers(of.n * config.width_in(0), 1)),
        places(random_numbers(of.n * 3, 2)),
        keys(random_numbers(of.slots * config.heads * config.head_width, 3, of.size)),
        values(random_numbers(of.slots * config.heads * config.value_width(), 4)),
        bias(of.slots, 0.0F),
        anchors(random_numbers(of.slots * 3, 5)) {
    fill_rows(config, of);
    fill_slots(config, of);
  }

  void fill_rows(const ModelConfig& config, const AnswerCase& of) {
    rows.x = x.data();
    rows.places = places.data();
    rows.count = of.n;
    if (of.asked) {
      for (std::uint32_t i = 0; i < of.n; i += 2) asked.push_back(static_cast<std::uint32_t>(of.n) - 1 - i);
      rows.asked = asked.data();
      rows.count = asked.size();
    }
    rows.width_in = static_cast<std::uint32_t>(config.width_in(0));
    rows.width_out = static_cast<std::uint32_t>(config.width_out(0));
    rows.heads = static_cast<std::uint32_t>(config.heads);
    rows.head_width = static_cast<std::uint32_t>(config.head_width);
    rows.value_width = static_cast<std::uint32_t>(config.value_width());
    rows.maps = args.maps;
    rows.guarded = &guarded;
    const Matrix all = matrix(x, config.width_in(0)), all_places = matrix(places, 3);
    reference.x.resize(static_cast<Index>(rows.count), all.cols());
    reference.positions.resize(static_cast<Index>(rows.count), 3);
    for (std::size_t i = 0; i < rows.count; ++i) {
      const auto row = static_cast<Index>(of.asked ? asked[i] : i);
      reference.places.push_back(row);
      reference.x.row(static_cast<Index>(i)) = all.row(row);
      reference.positions.row(static_cast<Index>(i)) = all_places.row(row);
    }
  }

  void fill_slots(const ModelConfig& config, const AnswerCase& of) {
    rows.summary.keys = keys.data();
    rows.summary.values = values.data();
    rows.summary.key_stride = config.heads * config.head_width;
    rows.summary.slots = of.slots;
    rows.summary.score_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(config.head_width)));
    rows.summary.causal = of.causal;
    summary.keys_transposed = matrix(keys, config.heads * config.head_width).transpose();
    summary.values = matrix(values, config.heads * config.value_width());
    if (of.masked) {
      summary.masked.assign(of.slots, false);
      for (std::size_t j = 0; j < of.slots; j += 3) {
        summary.masked[j] = true;
        bias[j] = -std::numeric_limits<float>::infinity();
      }
      rows.summary.slot_bias = bias.data();
    }
    if (of.causal) {
      summary.places.resize(of.slots);
      std::iota(summary.places.begin(), summary.places.end(), Index{0});
    }
    if (config.mechanism != Mechanism::anchored) return;
    for (const double sigma : anchor_sigmas(config, args.weights))
      factor.push_back(static_cast<float>(-0.5 / (sigma * sigma)));
    rows.summary.anchors = anchors.data();
    rows.summary.distance_factor = factor.data();
    summary.anchors = matrix(anchors, 3);
  }

  Matrix expected() const {
    reference::ProjectionCache cache;
    return reference::Layer(*model, 0, cache).answer(reference, summary).y;
  }

  /// Returns the rows, NaN where the kernel writes none.
  Numbers run() {
    Numbers y(rows.count * rows.width_out, kUnset);
    rows.y = y.data();
    gpu::answer_rows(rows, nullptr);
    return y;
  }

  ModelPtr model;
  LayerArgs args;
  Numbers x, places, keys, values, bias, anchors, factor;
  std::vector<std::uint32_t> asked;
  unsigned long long guarded = 0;
  gpu::AnswerRows rows;
  reference::AskedRows reference;
  reference::Summary summary;
};

void expect_answer(const ModelConfig& config, const AnswerCase& of = {}) {
  Asked asked(config, of);
  const Matrix expected = asked.expected();
  const Numbers y = asked.run();
  EXPECT_LE(relative_l2(y.data(), expected.data(), y.size()), kTolerance) << of.n << " rows, " << of.slots;
  EXPECT_EQ(y.size(), static_cast<std::size_t>(expected.size()));
}

ModelConfig with_norm(NormPlacement norm, std::size_t feed_forward = 10) {
  ModelConfig config = small_config();
  config.norm = norm;
  config.feed_forward = norm == NormPlacement::none ? 0 : feed_forward;
  return config;
}

TEST(AnswerRows, AnyNumberOfRowsAndSlots) {
  on_every_schedule([] {
    for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 100U}) expect_answer(small_config(), {n, 9});
    for (const std::size_t slots : {0U, 1U, 31U, 32U, 33U, 300U}) expect_answer(small_config(), {3, slots});
  });
}

TEST(AnswerRows, EveryFormOfLayer) {
  on_every_schedule([] {
    for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre, NormPlacement::none}) {
      expect_answer(with_norm(norm));
      expect_answer(with_norm(norm, 0));
      ModelConfig config = with_norm(norm, 37);
      config.activation = Activation::relu;
      config.output_intermediate = 21;
      expect_answer(config);
      if (norm == NormPlacement::none) continue;
      config.inner_channels = 17;
      expect_answer(config);
    }
  });
}

TEST(AnswerRows, AnyWidth) {
  on_every_schedule([] {
    for (const std::size_t width : {1U, 32U, 33U, 64U, 100U}) {  // the last reads keys where they are
      ModelConfig config = small_config();
      config.head_width = width;
      config.channels = width + 2;
      expect_answer(config, {20});
    }
  });
}

TEST(AnswerRows, WideLayersTakeFewerRowsAtATime) {
  ModelConfig config = small_config();
  config.channels = 500;
  config.heads = 4;
  config.head_width = 125;
  config.feed_forward = 1500;
  expect_answer(config, {9, 5});
  config.channels = 6000;
  config.heads = 1;
  config.head_width = 2;
  Asked asked(config, {2, 5});
  EXPECT_THROW(asked.run(), std::invalid_argument);
}

TEST(AnswerRows, MasksAnchorsAndRanks) {
  on_every_schedule([] {
    AnswerCase of;
    of.masked = true;
    expect_answer(small_config(), of);
    expect_answer(with_slots(Mechanism::anchored), of);
    of.causal = true;
    expect_answer(small_config(), of);
    of.asked = true;
    expect_answer(small_config(), of);
    expect_answer(with_slots(Mechanism::anchored), of);
  });
}

TEST(AnswerRows, LargeScoresDoNotOverflow) {
  AnswerCase of;
  of.size = 300.0F;
  Asked asked(small_config(), of);
  const Matrix expected = asked.expected();
  const Numbers y = asked.run();
  EXPECT_LE(relative_l2(y.data(), expected.data(), y.size()), 1e-3);
}

TEST(AnswerRows, ARowThatSeesNothingIsCounted) {
  AnswerCase of;
  of.n = 5;
  of.slots = 0;
  Asked asked(small_config(), of);
  asked.run();
  EXPECT_EQ(asked.guarded, 5U * 3U);
}

TEST(AnswerRows, ARowHasTheSameBitsWhereverItStands) {
  AnswerCase all, some;
  some.asked = true;
  Asked asked(small_config(), all), chosen(small_config(), some);
  const Numbers rows = asked.run(), picked = chosen.run();
  const std::size_t width = small_config().channels;
  for (std::size_t i = 0; i < picked.size(); ++i)
    EXPECT_EQ(picked[i], rows[chosen.asked[i / width] * width + i % width]) << i;
}

TEST(AnswerRows, RowsMayBeReplaced) {
  on_every_schedule([] {
    Asked asked(small_config(), {});
    const Numbers y = asked.run();
    asked.rows.y = asked.x.data();
    gpu::answer_rows(asked.rows, nullptr);
    EXPECT_TRUE(same_bits(asked.x, y));
  });
}

}  // namespace
}  // namespace pcl_attention::test
