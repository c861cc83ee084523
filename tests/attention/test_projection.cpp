// SPDX-License-Identifier: BSD-3-Clause
// One attention layer against a direct computation of K' = E K + b, V' = F V + b in the test.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "attention/networks.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using Numbers = std::vector<double>;

/// n × C rows times a [out × C] tensor, transposed.
Numbers times(const Numbers& x, std::size_t n, const Tensor& weight, const Tensor* bias) {
  const std::size_t out = weight.shape[0], in = weight.shape[1];
  Numbers y(n * out, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t c = 0; c < in; ++c)
        y[i * out + o] += x[i * in + c] * static_cast<double>(weight.values[o * in + c]);
      if (bias != nullptr) y[i * out + o] += static_cast<double>(bias->values[o]);
    }
  return y;
}

/// A config whose layer is attention alone on rows as they come; identity embedding of 4 channels.
ModelConfig bare_config(Projection kind) {
  ModelConfig config = with_projection(kind);
  config.input.normalization = Normalization::none;
  config.embedding = Embedding::identity;
  config.position_encoding = PositionEncoding::none;
  config.order = Curve::none;
  config.channels = 4;
  config.depth = 1;
  config.feed_forward = 0;
  return config;
}

/// The layer with the given E [slots × n]; slots whose row is all zero are left out of the softmax.
Numbers direct_layer(const Model& model, const FloatCloud& cloud, const Numbers& e, std::size_t slots,
                     bool drop_empty, const Tensor* projection_bias) {
  const ModelConfig& config = model.config();
  const std::size_t n = cloud.size(), width = config.channels, inner = config.heads * config.head_width;
  const Numbers x(cloud.values.begin(), cloud.values.end());
  const auto tensor = [&](const char* name) -> const Tensor& {
    return model.tensor(std::string("layers.0.attention.") + name);
  };
  const Numbers q = times(x, n, tensor("query.weight"), nullptr),
                k = times(x, n, tensor("key.weight"), nullptr),
                v = times(x, n, tensor("value.weight"), nullptr);
  Numbers heads(n * inner, 0.0);
  for (std::size_t h = 0; h < config.heads; ++h) {
    const auto slot = [&](const Numbers& rows, std::size_t j, std::size_t d) {
      double sum = projection_bias != nullptr ? static_cast<double>(projection_bias->values[j]) : 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += e[j * n + i] * rows[i * inner + h * config.head_width + d];
      return sum;
    };
    for (std::size_t i = 0; i < n; ++i) {
      Numbers p(slots, 0.0);
      double total = 0.0;
      for (std::size_t j = 0; j < slots; ++j) {
        double score = 0.0, mass = 0.0;
        for (std::size_t d = 0; d < config.head_width; ++d)
          score += q[i * inner + h * config.head_width + d] * slot(k, j, d);
        for (std::size_t point = 0; point < n; ++point) mass += std::abs(e[j * n + point]);
        if (drop_empty && mass == 0.0) continue;
        p[j] = std::exp(score / std::sqrt(static_cast<double>(config.head_width)));
        total += p[j];
      }
      for (std::size_t d = 0; d < config.head_width; ++d)
        for (std::size_t j = 0; j < slots; ++j)
          if (p[j] != 0.0) heads[i * inner + h * config.head_width + d] += p[j] / total * slot(v, j, d);
    }
  }
  Numbers y = times(heads, n, tensor("output.weight"), &tensor("output.bias"));
  for (std::size_t i = 0; i < n; ++i) {
    double mean = 0.0, variance = 0.0;
    for (std::size_t c = 0; c < width; ++c)
      mean += (y[i * width + c] += x[i * width + c]) / static_cast<double>(width);
    for (std::size_t c = 0; c < width; ++c)
      variance += std::pow(y[i * width + c] - mean, 2) / static_cast<double>(width);
    for (std::size_t c = 0; c < width; ++c)
      y[i * width + c] = (y[i * width + c] - mean) / std::sqrt(variance + 1e-5);
  }
  return y;
}

void expect_layer(const ModelConfig& config, std::size_t n, const Numbers& e, std::size_t slots,
                  bool drop_empty) {
  const ModelPtr model = make_random_model(config, 5);
  const FloatCloud cloud = random_cloud(n, 31, small_fields());
  Encoder encoder = make_encoder(model, Device::reference);
  const auto bias = model->tensors().find("projection.bias");
  const Numbers expected = direct_layer(*model, cloud, e, slots, drop_empty,
                                        bias == model->tensors().end() ? nullptr : &bias->second);
  EXPECT_LE(relative_l2(encode(encoder, cloud), expected), 1e-12);
}

double stored(const Model& model, std::size_t j, std::size_t rank) {
  const Tensor& weight = model.tensor("projection.weight");
  return static_cast<double>(weight.values[j * weight.shape[1] + rank]);
}

/// Returns mean − √3 and + √3 standard deviations along each axis.
std::pair<std::array<double, 3>, std::array<double, 3>> box_of(const FloatCloud& cloud) {
  std::array<double, 3> low, high;
  const double n = static_cast<double>(cloud.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const auto x = static_cast<double>(cloud.row(i)[axis]);
      sum += x;
      squares += x * x;
    }
    const double half = std::sqrt(3.0 * (squares / n - sum / n * (sum / n)));
    low[axis] = sum / n - half;
    high[axis] = sum / n + half;
  }
  return {low, high};
}

/// Divides each slot's numbers by their sum over the points.
void divide_columns(Numbers& e, std::size_t slots, std::size_t n) {
  for (std::size_t j = 0; j < slots; ++j) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += e[j * n + i];
    for (std::size_t i = 0; i < n; ++i) e[j * n + i] /= sum;
  }
}

TEST(Projection, SegmentMeansAreMeansOfEqualRuns) {
  for (std::size_t n : {1U, 5U, 7U, 23U}) {
    const ModelConfig config = bare_config(Projection::segment_mean);
    const std::size_t used = std::min<std::size_t>(config.projection.k, n);
    Numbers e(config.projection.k * n, 0.0);
    for (std::size_t j = 0; j < used; ++j)
      for (std::size_t i = j * n / used; i < (j + 1) * n / used; ++i)
        e[j * n + i] = 1.0 / static_cast<double>((j + 1) * n / used - j * n / used);
    expect_layer(config, n, e, config.projection.k, true);
  }
}

TEST(Projection, SliceUsesTheFirstRows) {
  ModelConfig config = bare_config(Projection::learned);
  config.projection.length_policy = LengthPolicy::slice;
  const ModelPtr model = make_random_model(config, 5);
  const std::size_t n = 20, k = config.projection.k;
  Numbers e(k * n);
  for (std::size_t j = 0; j < k; ++j)
    for (std::size_t i = 0; i < n; ++i) e[j * n + i] = stored(*model, j, i);
  expect_layer(config, n, e, k, false);
}

TEST(Projection, ResampleInterpolatesBetweenRows) {
  const ModelConfig config = bare_config(Projection::learned);
  const ModelPtr model = make_random_model(config, 5);
  const std::size_t k = config.projection.k, length = config.projection.length;
  for (std::size_t n : {1U, 20U, 150U}) {
    Numbers e(k * n);
    const double ratio = static_cast<double>(length) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double at = std::min(std::max((static_cast<double>(i) + 0.5) * ratio - 0.5, 0.0),
                                 static_cast<double>(length - 1));
      const auto low = static_cast<std::size_t>(std::floor(at));
      const std::size_t high = std::min(low + 1, length - 1);
      const double weight = at - std::floor(at);
      for (std::size_t j = 0; j < k; ++j)
        e[j * n + i] = ratio * ((1 - weight) * stored(*model, j, low) + weight * stored(*model, j, high));
    }
    expect_layer(config, n, e, k, false);
  }
}

TEST(Projection, SmoothSumsCosinesAlongTheRanks) {
  const ModelConfig config = bare_config(Projection::smooth);
  const ModelPtr model = make_random_model(config, 5);
  const std::size_t k = config.projection.k, length = config.projection.length;
  for (std::size_t n : {1U, 20U, 64U, 150U}) {
    Numbers e(k * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double t = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
      for (std::size_t j = 0; j < k; ++j)
        for (std::size_t m = 0; m < config.projection.cosines; ++m)
          e[j * n + i] += static_cast<double>(length) / static_cast<double>(n) * stored(*model, j, m) *
                          std::cos(std::acos(-1.0) * static_cast<double>(m) * t);
    }
    expect_layer(config, n, e, k, false);
  }
}

/// Attention alone on a surface in space and the same points moved by 1e-3, a few far ones by 1e-2: ranks
/// change in both.
double jitter_gain(ModelConfig config, std::uint32_t seed, std::size_t num_far = 0) {
  config.input.fields = {{"x"}, {"y"}, {"z"}};
  config.channels = 3;
  config.norm = NormPlacement::none;
  config.order = Curve::morton;
  config.projection.k = 32;
  config.projection.length = 1024;
  config.projection.anchor_grid = {4, 4, 2};
  FloatCloud cloud = random_cloud(2000, seed);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.row(i)[2] = 0.3F * std::sin(3.0F * cloud.row(i)[0]) * cloud.row(i)[1];
  for (std::size_t i = 0; i < num_far; ++i) cloud.row(i)[i % 3] *= 3.0F;
  FloatCloud moved = cloud;
  const FloatCloud noise = random_cloud(2000, seed + 1);
  for (std::size_t i = 0; i < moved.values.size(); ++i)
    moved.values[i] += (i < 3 * num_far ? 1e-2F : 1e-3F) * noise.values[i];
  Encoder encoder = make_encoder(make_random_model(config, seed), Device::cpu);
  return relative_l2(encode(encoder, moved), encode(encoder, cloud));
}

double jitter_gain(Projection kind, std::uint32_t seed, std::size_t num_far = 0) {
  return jitter_gain(bare_config(kind), seed, num_far);
}

TEST(Projection, SmoothJumpsLessThanLearnedAndMoreThanPosition) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const double smooth = jitter_gain(Projection::smooth, seed);
    EXPECT_LT(smooth, 0.5 * jitter_gain(Projection::learned, seed)) << seed;
    EXPECT_GT(smooth, jitter_gain(Projection::position, seed)) << seed;
  }
}

TEST(Projection, PositionJumpsTenTimesLessThanLearned) {
  for (const std::uint32_t seed : {1U, 2U, 3U})
    EXPECT_LT(jitter_gain(Projection::position, seed, 10), 0.1 * jitter_gain(Projection::learned, seed, 10))
        << seed;
}

/// But for `rebased`, whose LayerNorm turns the smallest q and k into directions.
TEST(Projection, PresetsThatLookAtNoRankJumpTenTimesLessThanLearned) {
  for (const std::string& name : preset_names()) {
    ModelConfig config = bare_config(Projection::learned);
    const ModelConfig preset = make_preset(name)->config();
    if (preset.mechanism != Mechanism::kernel && preset.mechanism != Mechanism::inducing) continue;
    config.mechanism = preset.mechanism;
    config.kernel = preset.kernel;
    const double share = preset.kernel.similarity == Similarity::rebased ? 0.4 : 0.1;
    for (const std::uint32_t seed : {1U, 2U, 3U})
      EXPECT_LT(jitter_gain(config, seed), share * jitter_gain(Projection::learned, seed)) << name << seed;
  }
}

TEST(Projection, PositionWeighsAnchorsOfAGrid) {
  ModelConfig config = bare_config(Projection::position);
  const std::size_t n = 60, k = 12;
  const FloatCloud cloud = random_cloud(n, 31, small_fields());
  const auto [low, high] = box_of(cloud);
  double edge[3];
  for (std::size_t axis = 0; axis < 3; ++axis)
    edge[axis] = (high[axis] - low[axis]) / static_cast<double>(config.projection.anchor_grid[axis]);
  Numbers e(k * n);
  for (std::size_t i = 0; i < n; ++i) {
    double total = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t cell[3] = {j / 6, j / 2 % 3, j % 2};
      double squared = 0.0;  // in units of sigma
      for (std::size_t axis = 0; axis < 3; ++axis)
        squared += std::pow((static_cast<double>(cloud.row(i)[axis]) - low[axis]) / edge[axis] -
                                static_cast<double>(cell[axis]) - 0.5,
                            2) /
                   (0.5 * 0.5);
      total += e[j * n + i] = std::exp(-squared / 2);
    }
    for (std::size_t j = 0; j < k; ++j) e[j * n + i] /= total;
  }
  divide_columns(e, k, n);
  expect_layer(config, n, e, k, false);
}

TEST(Projection, PositionWithLearnedAnchorsAndAMap) {
  for (const bool learned : {false, true}) {
    ModelConfig config = bare_config(Projection::position);
    config.projection.learned_anchors = learned;
    config.projection.sigma = 0.4;
    config.projection.mlp_width = 5;
    config.projection.anchor_grid = {7, 1, 1};
    const ModelPtr model = make_random_model(config, 5);
    const std::size_t n = 60, k = 7;
    const FloatCloud cloud = random_cloud(n, 31, small_fields());
    Numbers p;
    for (std::size_t i = 0; i < n; ++i) p.insert(p.end(), cloud.row(i), cloud.row(i) + 3);
    const auto tensor = [&](const char* name) { return model->tensor(std::string("projection.") + name); };
    const Tensor bias_in = tensor("mlp.0.bias"), bias_out = tensor("mlp.1.bias");
    Numbers inner = times(p, n, tensor("mlp.0.weight"), &bias_in);
    for (double& x : inner) x *= 0.5 * (1.0 + std::erf(x / std::sqrt(2.0)));
    Numbers scores = times(inner, n, tensor("mlp.1.weight"), &bias_out), e(k * n);
    const auto [low, high] = box_of(cloud);
    for (std::size_t i = 0; i < n; ++i) {
      double total = 0.0;
      for (std::size_t j = 0; j < k; ++j) {
        double squared = 0.0;  // in units of sigma
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double edge = (high[axis] - low[axis]) / (axis == 0 ? 7.0 : 1.0);
          const double cell = axis == 0 ? static_cast<double>(j) : 0.0;
          const double anchor = learned ? static_cast<double>(tensor("anchors").values[3 * j + axis])
                                        : low[axis] + (cell + 0.5) * edge;
          squared += std::pow((p[3 * i + axis] - anchor) / (0.4 * (learned ? 1.0 : edge)), 2);
        }
        total += e[j * n + i] = std::exp(scores[i * k + j] - squared / 2);
      }
      for (std::size_t j = 0; j < k; ++j) e[j * n + i] /= total;
    }
    divide_columns(e, k, n);
    expect_layer(config, n, e, k, false);
  }
}

}  // namespace
}  // namespace pcl_attention::test
