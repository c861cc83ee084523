// SPDX-License-Identifier: BSD-3-Clause
// `kernel`: sums of features and what rows take from them, against the reference's.
#include <cmath>

#include "cuda/layer_args.h"
#include "cuda/sums.h"
#include "reference/layer.h"

namespace pcl_attention::test {
namespace {

using reference::Index;
using reference::RowVector;

struct Similar {
  Similarity similarity = Similarity::elu;
  bool constant = false;
  double square = 0.0, linear = 0.0, one = 0.0;  // factors of s
};

Similar similar(Similarity similarity, std::size_t width, bool constant = false) {
  const double d = static_cast<double>(width);
  if (similarity == Similarity::elu) return {similarity};
  if (similarity == Similarity::taylor) return {similarity, false, 0.5 / d, 1.0 / std::sqrt(d), 1.0};
  return {similarity, constant, 1.0 / d, 0.0, constant ? 1.0 : 0.0};
}

/// A layer of kernel attention and the keys and values of points.
struct Featured {
  Featured(const Similar& of, std::size_t n, std::size_t width, float size)
      : surface(n, 0, n % 2 == 1), keys(random_numbers(n * 3 * width, 21, size)), sums(surface, 1, 6, 3) {
    config = with_kernel(of.similarity);
    config.kernel.constant = of.constant;
    config.kernel.value_width = 6;
    config.head_width = width;
    if (of.similarity != Similarity::elu) {
      terms.resize(gpu::num_feature_terms(static_cast<std::uint32_t>(width), of.linear, of.one));
      gpu::fill_feature_terms(static_cast<std::uint32_t>(width), of.square, of.linear, of.one, terms.data());
      map.terms = terms.data();
    }
    map.width = static_cast<std::uint32_t>(width);
    map.count = static_cast<std::uint32_t>(terms.empty() ? width : terms.size());
    square = of.one == 0.0 ? of.square : 0.0;
    sums = TestSums(surface, map.count, 6, 3);
    sums.args.partial = sums.partial.data();
    sums.args.x = sums.x.data();
    model = model_with_norms(config, 9);
  }

  /// Returns the reference's S, z and Σ ‖k‖².
  reference::Summary reference_summary() const {
    const reference::Kernel kernel(config, layer_weights(*model, 0));
    const auto width = static_cast<Index>(config.head_width);
    reference::Summary summary;
    summary.values.setZero(static_cast<Index>(map.count), 18);
    summary.mass.setZero(static_cast<Index>(map.count), 3);
    summary.key_squares = RowVector::Zero(3);
    RowVector phi(static_cast<Index>(map.count));
    for (std::size_t i = 0; i < surface.view.n; ++i)
      for (Index h = 0; surface.takes_part(i) && h < 3; ++h) {
        RowVector key(width);
        for (Index c = 0; c < width; ++c)
          key(c) = number(keys[i * 3 * map.width + static_cast<std::size_t>(h * width + c)]);
        kernel.features(key, 0.0, phi);
        for (Index c = 0; c < 6; ++c)
          summary.values.col(h * 6 + c) +=
              phi.transpose() * number(sums.x[i * 18 + static_cast<std::size_t>(h * 6 + c)]);
        summary.mass.col(h) += phi.transpose();
        summary.key_squares(h) += key.squaredNorm();
      }
    return summary;
  }

  TestSurface surface;
  ModelConfig config;
  ModelPtr model;
  std::vector<gpu::FeatureTerm> terms;
  gpu::FeatureMap map;
  double square = 0.0;
  Numbers keys;
  TestSums sums;
};

void expect_layer(const Similar& of, std::size_t n, std::size_t width, float size = 1.0F,
                  double tolerance = 2e-5) {
  Featured featured(of, n, width, size);
  gpu::FeatureWeights weights{featured.keys.data(), 3 * width, featured.map};
  gpu::sum_features(featured.sums.args, weights, nullptr);
  const std::vector<double> merged = featured.sums.merged();
  Numbers values(featured.map.count * 18, kUnset), mass(featured.map.count * 3, kUnset), least(3, kUnset);
  gpu::FinishFeatures finish;
  finish.sums = merged.data();
  finish.map = featured.map;
  finish.heads = 3;
  finish.value_width = 6;
  finish.square = featured.square;
  finish.values = values.data();
  finish.mass = mass.data();
  finish.least = least.data();
  gpu::finish_features(finish, nullptr);

  for (std::size_t head = 0; n > 1 && head < 3; ++head) {  // divided by a power of two
    float most = 0.0F;
    for (std::size_t f = 0; f < featured.map.count; ++f)
      most = std::max(most, std::abs(mass[head * featured.map.count + f]));
    EXPECT_TRUE(most >= 1.0F && most <= 2.0F) << most;
  }

  LayerArgs args(*featured.model, 0);
  const std::size_t count = 17, channels = featured.config.channels;
  const Numbers x = random_numbers(count * channels, 22, size);
  Numbers y(count * channels, kUnset);
  unsigned long long guarded = 0;
  gpu::AnswerRows rows;
  rows.x = x.data();
  rows.count = count;
  rows.width_in = rows.width_out = static_cast<std::uint32_t>(channels);
  rows.heads = 3;
  rows.head_width = static_cast<std::uint32_t>(width);
  rows.value_width = 6;
  rows.maps = args.maps;
  rows.summary.values = values.data();
  rows.summary.slots = featured.map.count;
  rows.summary.features = featured.map;
  rows.summary.mass = mass.data();
  rows.summary.least = least.data();
  rows.y = y.data();
  rows.guarded = &guarded;
  gpu::answer_rows(rows, nullptr);

  reference::AskedRows asked;
  asked.x = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
                x.data(), static_cast<Index>(count), static_cast<Index>(channels))
                .cast<double>();
  reference::ProjectionCache cache;
  const reference::AnsweredRows expected =
      reference::Layer(*featured.model, 0, cache).answer(asked, featured.reference_summary());
  EXPECT_LE(relative_l2(y.data(), expected.y.data(), y.size()), tolerance)
      << static_cast<int>(of.similarity) << ", " << n << " points, head width " << width;
  EXPECT_EQ(guarded, expected.guarded);
}

TEST(Features, LayersAgreeWithTheReference) {
  on_every_schedule([] {
    for (const Similarity similarity :
         {Similarity::elu, Similarity::quadratic, Similarity::rebased, Similarity::taylor})
      for (const std::size_t n : {0U, 1U, 33U, 300U})
        expect_layer(similar(similarity, 5), n, 5, 1.0F,
                     similarity == Similarity::quadratic ? kNearZero : 2e-5);
    expect_layer(similar(Similarity::rebased, 16, true), 100, 16);
  });
}

TEST(Features, AnyHeadWidth) {
  for (const std::size_t width : {1U, 8U, 31U, 33U}) {
    expect_layer(similar(Similarity::elu, width), 50, width);
    expect_layer(similar(Similarity::taylor, width), 50, width);
  }
}

TEST(Features, LargeAndSmallNumbersStayInRange) {
  for (const float size : {1e-4F, 1e4F})
    for (const Similarity similarity : {Similarity::elu, Similarity::quadratic, Similarity::taylor})
      expect_layer(similar(similarity, 5), 60, 5, size, 1e-4);
}

TEST(Features, TermsAreThoseOfTheSimilarity) {
  for (const std::uint32_t width : {1U, 7U}) {
    std::vector<gpu::FeatureTerm> terms(gpu::num_feature_terms(width, 0.4, 1.0));
    gpu::fill_feature_terms(width, 0.3, 0.4, 1.0, terms.data());
    Numbers q = random_numbers(width, 1), k = random_numbers(width, 2);
    q.push_back(1.0F);
    k.push_back(1.0F);
    double product = 0.0, sum = 0.0;
    for (std::uint32_t c = 0; c < width; ++c) product += number(q[c]) * number(k[c]);
    for (const gpu::FeatureTerm& term : terms)
      sum += std::pow(number(term.weight), 2) * number(q[term.a]) * number(q[term.b]) * number(k[term.a]) *
             number(k[term.b]);
    EXPECT_NEAR(sum, 1.0 + 0.4 * product + 0.3 * product * product, 1e-6);
  }
}

/// `favor` is softmax over ω with the bias log z: Σ_f e^(ω_f·q/D^¼) S_f / Σ_f e^(ω_f·q/D^¼) z_f.
TEST(Features, FavorIsAttentionToItsFeatures) {
  ModelConfig config = with_kernel(Similarity::favor);
  const std::size_t features = config.kernel.features, width = config.head_width, inner = 3 * width,
                    count = 50;
  const ModelPtr model = model_with_norms(config, 3);
  LayerArgs args(*model, 0);
  reference::Summary summary;
  summary.values.resize(static_cast<Index>(features), static_cast<Index>(inner));
  summary.mass.resize(static_cast<Index>(features), 3);
  summary.key_squares = RowVector::Ones(3);
  const Numbers s = random_numbers(features * inner, 1), z = random_numbers(features * 3, 2),
                x = random_numbers(count * config.channels, 3);
  Numbers values(s.size()), bias(z.size());
  for (std::size_t f = 0; f < features; ++f)
    for (std::size_t c = 0; c < inner; ++c) {
      const double mass = 1.5 + number(z[f * 3 + c / width]);
      summary.mass(static_cast<Index>(f), static_cast<Index>(c / width)) = mass;
      summary.values(static_cast<Index>(f), static_cast<Index>(c)) = number(s[f * inner + c]);
      values[f * inner + c] = static_cast<float>(number(s[f * inner + c]) / mass);
      bias[c / width * features + f] = static_cast<float>(std::log(mass));
    }
  Numbers y(x.size(), kUnset);
  gpu::AnswerRows rows;
  rows.x = x.data();
  rows.count = count;
  rows.width_in = rows.width_out = static_cast<std::uint32_t>(config.channels);
  rows.heads = 3;
  rows.head_width = rows.value_width = static_cast<std::uint32_t>(width);
  rows.maps = args.maps;
  rows.summary.keys = args.weights.features->values.data();
  rows.summary.key_stride = width;
  rows.summary.own_keys = false;
  rows.summary.values = values.data();
  rows.summary.slots = features;
  rows.summary.score_scale = static_cast<float>(std::pow(static_cast<double>(width), -0.25));
  rows.summary.slot_bias = bias.data();
  rows.summary.slot_bias_step = features;
  rows.y = y.data();
  reference::AskedRows asked;
  asked.x = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
                x.data(), static_cast<Index>(count), static_cast<Index>(config.channels))
                .cast<double>();
  reference::ProjectionCache cache;
  const reference::AnsweredRows expected = reference::Layer(*model, 0, cache).answer(asked, summary);
  on_every_schedule([&] {
    gpu::answer_rows(rows, nullptr);
    EXPECT_LE(relative_l2(y.data(), expected.y.data(), y.size()), kTolerance);
  });
}

}  // namespace
}  // namespace pcl_attention::test
