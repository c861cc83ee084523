// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/config.h"

#include <cmath>
#include <string>

#include "neighbourhood/fields.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

// Upper bounds keep products of sizes far from overflow.
constexpr std::size_t kLargest = std::size_t{1} << 24;
constexpr std::size_t kLargestPackedWidth = 1024;  // of a head whose features are pairs of channels

void require(bool good, const std::string& message) {
  if (!good) throw ModelError("model configuration: " + message);
}

void require_range(const char* member, std::size_t value, std::size_t least) {
  require(value >= least && value <= kLargest, std::string(member) + " is " + std::to_string(value) +
                                                   ", expected " + std::to_string(least) + " to " +
                                                   std::to_string(kLargest));
}

void require_positive(const char* member, double value) {
  require(std::isfinite(value) && value > 0.0,
          std::string(member) + " is " + std::to_string(value) + ", expected a positive number");
}

void require_share(const char* member, double value) {
  require(value >= 0.0 && value <= 1.0,
          std::string(member) + " is " + std::to_string(value) + ", expected 0 to 1");
}

void check_input(const ModelConfig& config) {
  const InputSpec& input = config.input;
  require(!input.fields.empty(), "input.fields is empty");
  for (const InputField& field : input.fields) {
    require(!field.name.empty() && field.name != "_", "input.fields has a field without a name");
    require_range("input.fields.channels", field.channels, 1);
    const bool packed = field.name == "rgb" || field.name == "rgba";
    require(!packed || field.channels == 3, "packed colour \"" + field.name + "\" has 3 channels");
    require(std::isfinite(field.scale), "input.fields.scale is not finite");
  }
  require_positive("input.metres", input.metres);
  require(neighbourhood_channels(input).empty() || config.order != Curve::none,
          "neighbourhood fields need a canonical order, found order none");
}

void check_projection(const ModelConfig& config) {
  const ProjectionConfig& projection = config.projection;
  require_range("projection.k", projection.k, 1);
  require_range("projection.length", projection.length, 1);
  require(projection.k_reduce_by_layer <= kLargest, "projection.k_reduce_by_layer is too large");
  require_positive("projection.sigma", projection.sigma);
  if (projection.kind == Projection::smooth)
    require(projection.cosines >= 1 && projection.cosines <= projection.length,
            "projection.cosines is " + std::to_string(projection.cosines) + ", expected 1 to length " +
                std::to_string(projection.length));
  for (std::size_t count : projection.anchor_grid) require_range("projection.anchor_grid", count, 1);
  require(projection.mlp_width <= kLargest, "projection.mlp_width is too large");
  const std::size_t strides = projection.strides.size();
  require(strides == 1 || (strides == config.depth && projection.sharing != Sharing::layerwise),
          "projection.strides has " + std::to_string(strides) + " numbers, expected 1, or one for each of " +
              std::to_string(config.depth) + " layers that do not share a projection");
  for (std::size_t stride : projection.strides) require_range("projection.strides", stride, 1);
}

void check_anchors(const ModelConfig& config) {
  const std::size_t count = config.anchor_sigmas.size();
  require(count <= 1 || count == config.heads, "anchor_sigmas has " + std::to_string(count) +
                                                   " numbers, expected none, 1 or one for each of " +
                                                   std::to_string(config.heads) + " heads");
  for (double sigma : config.anchor_sigmas) require_positive("anchor_sigmas", sigma);
  require(config.order != Curve::none, "anchored takes its anchors from a canonical order, found order none");
}

void check_kernel(const ModelConfig& config) {
  require_range("kernel.features", config.kernel.features, 1);
  require(config.kernel.value_width <= kLargest, "kernel.value_width is too large");
  const Similarity similarity = config.kernel.similarity;
  require(!config.kernel.constant || similarity == Similarity::quadratic || similarity == Similarity::rebased,
          "kernel.constant is an option of quadratic and rebased");
  require(config.head_width <= kLargestPackedWidth, "head_width is " + std::to_string(config.head_width) +
                                                        ", a kernel takes 1 to " +
                                                        std::to_string(kLargestPackedWidth));
}

void check_mechanism(const ModelConfig& config) {
  if (config.mechanism == Mechanism::linformer) check_projection(config);
  if (config.mechanism == Mechanism::anchored) check_anchors(config);
  if (config.mechanism == Mechanism::kernel) check_kernel(config);
  require_range("slots", config.slots, 1);
  const bool original = config.mechanism == Mechanism::full || config.mechanism == Mechanism::linformer;
  require(original || config.masked_points == MaskedPoints::left_out,
          "masked_points zeroed needs full or linformer");
  const bool by_rank =
      config.mechanism == Mechanism::full ||
      (config.mechanism == Mechanism::linformer && config.projection.kind != Projection::position);
  require(config.causal == CausalMask::none || by_rank, "causal needs slots that go by rank");
}

std::size_t num_features(const ModelConfig& config) {
  const std::size_t width = config.head_width, pairs = width * (width + 1) / 2;
  switch (config.kernel.similarity) {
    case Similarity::elu:
      return width;
    case Similarity::favor:
      return config.kernel.features;
    case Similarity::taylor:
      return 1 + width + pairs;
    case Similarity::quadratic:
    case Similarity::rebased:
      break;
  }
  return pairs + (config.kernel.constant ? 1 : 0);
}

}  // namespace

std::size_t ModelConfig::value_width() const {
  return mechanism == Mechanism::kernel && kernel.value_width != 0 ? kernel.value_width : head_width;
}

std::size_t ModelConfig::width_in(std::size_t layer) const {
  return layer == 0 || inner_channels == 0 ? channels : inner_channels;
}

std::size_t ModelConfig::width_out(std::size_t layer) const {
  return layer + 1 == depth || inner_channels == 0 ? channels : inner_channels;
}

std::size_t ModelConfig::projected_rows(std::size_t layer) const {
  if (mechanism == Mechanism::full) return 0;
  if (mechanism == Mechanism::kernel) return num_features(*this);
  if (mechanism != Mechanism::linformer) return slots;
  if (projection.kind == Projection::position && projection.learned_anchors) return projection.k;
  if (projection.kind == Projection::position)
    return projection.anchor_grid[0] * projection.anchor_grid[1] * projection.anchor_grid[2];
  if (projection.kind == Projection::convolution) return 0;
  if (projection.sharing == Sharing::layerwise) return projection.k;
  const std::size_t less = (decoder ? layer / 2 : layer) * projection.k_reduce_by_layer;
  return less < projection.k ? projection.k - less : 1;
}

std::size_t ModelConfig::projected_rows(std::size_t layer, std::size_t num_points) const {
  if (mechanism == Mechanism::full) return num_points;
  const bool convolves = mechanism == Mechanism::linformer && projection.kind == Projection::convolution;
  return convolves ? num_points / stride(layer) : projected_rows(layer);
}

bool ModelConfig::is_causal(std::size_t layer) const {
  return causal != CausalMask::none && (!decoder || layer % 2 == 1);
}

std::size_t ModelConfig::stride(std::size_t layer) const {
  return projection.strides.size() == 1 ? projection.strides[0] : projection.strides[layer];
}

void ModelConfig::check() const {
  check_input(*this);
  require_range("channels", channels, 1);
  require(inner_channels <= kLargest, "inner_channels is too large");
  require_range("heads", heads, 1);
  require_range("head_width", head_width, 1);
  require_range("depth", depth, 1);
  require(output_intermediate <= kLargest, "output_intermediate is too large");
  require(feed_forward <= kLargest, "feed_forward is too large");
  require(head_output <= kLargest, "head_output is too large");
  require(embedding == Embedding::linear || input.num_channels() == channels,
          "embedding identity needs " + std::to_string(channels) + " input channels, found " +
              std::to_string(input.num_channels()));
  require(norm != NormPlacement::none || feed_forward == 0, "norm none needs feed_forward 0");
  require_share("dropout", dropout);
  require_share("feed_forward_dropout", feed_forward_dropout);
  require(inner_channels == 0 || feed_forward != 0, "inner_channels needs a feed_forward");
  require(position_encoding != PositionEncoding::rank || channels % 2 == 0,
          "rank position encoding needs even channels");
  require_positive("position_cell", position_cell);
  check_mechanism(*this);
  if (decoder) {
    require(depth % 2 == 0, "a decoder has an even depth, found " + std::to_string(depth));
    require(inner_channels == 0, "a decoder has no inner_channels");
    require(norm == NormPlacement::post, "a decoder has post-norm");
  }
}

}  // namespace pcl_attention
