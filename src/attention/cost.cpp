// SPDX-License-Identifier: BSD-3-Clause
#include "attention/cost.h"

#include <algorithm>
#include <string>
#include <vector>

#include "pcl_attention/model.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

double real(std::size_t value) { return static_cast<double>(value); }

/// Distinct n → k products of a layer: E and F, per head or shared.
double num_products(const ModelConfig& config) {
  if (!stores_projection(config)) return 1.0;
  if (config.projection.sharing == Sharing::none) return 2.0 * real(config.heads);
  return config.projection.sharing == Sharing::headwise ? 2.0 : 1.0;
}

/// Flops of one point's part in the summary and of its answer, without query, key, value and output maps.
double slot_flops(const ModelConfig& config, double rows) {
  const double keys = real(config.heads * config.head_width),
               values = real(config.heads * config.value_width());
  if (config.mechanism != Mechanism::kernel) {
    const double distances = config.mechanism == Mechanism::anchored ? 12.0 * rows * real(config.heads) : 0.0;
    return 6.0 * rows * keys + 4.0 * rows * values + distances;
  }
  const bool scores = config.kernel.similarity == Similarity::favor;
  return 4.0 * rows * values + (scores ? 4.0 * rows * keys : 2.0 * rows * real(config.heads));
}

double attention_flops(const ModelConfig& config, std::size_t layer, std::size_t num_points) {
  const double n = real(num_points);
  const double width = real(config.width_in(layer)), inner = real(config.heads * config.head_width);
  const double values = real(config.heads * config.value_width());
  const double middle = real(config.output_intermediate);
  const double output = middle == 0.0 ? values * width : values * middle + middle * width;
  const double query_and_output = 2.0 * n * (width * inner + output);
  if (config.mechanism == Mechanism::full)
    return query_and_output + 4.0 * n * width * inner + 4.0 * n * n * inner;
  const double k = real(config.projected_rows(layer, num_points));
  if (config.mechanism != Mechanism::linformer)
    return query_and_output + 2.0 * n * width * (inner + values) + n * slot_flops(config, k);
  if (config.projection.kind == Projection::convolution)
    return query_and_output + 4.0 * n * inner * (width + real(config.head_width)) + 4.0 * n * k * inner;
  const bool sparse = config.projection.kind == Projection::segment_mean;
  const double summary =
      2.0 * n * width * (sparse ? 1.0 : k * num_products(config)) + 4.0 * k * width * inner;
  return query_and_output + summary + 4.0 * n * k * inner;
}

/// Numbers of the tensors that a layer uses, shared ones included.
double layer_parameters(const ModelConfig& config, std::size_t layer) {
  std::vector<std::string> shared;
  if (stores_projection(config) && config.projection.sharing == Sharing::layerwise)
    shared = new_projections(config, 0);
  const std::string own = "layers." + std::to_string(layer) + ".";
  double sum = 0.0;
  for (const TensorSpec& spec : tensor_specs(config)) {
    bool used = spec.name.rfind(own, 0) == 0;
    for (const std::string& name : shared) used = used || spec.name.rfind(name + ".", 0) == 0;
    double count = used ? 1.0 : 0.0;
    for (std::size_t size : spec.shape) count *= real(size);
    sum += count;
  }
  return sum;
}

}  // namespace

double layer_flops(const ModelConfig& config, std::size_t layer, std::size_t num_points) {
  const double n = real(num_points), in = real(config.width_in(layer)), out = real(config.width_out(layer));
  const double resample = config.feed_forward != 0 && in != out ? in * out : 0.0;
  return attention_flops(config, layer, num_points) +
         2.0 * n * (real(config.feed_forward) * (in + out) + resample);
}

double layer_bytes(const ModelConfig& config, std::size_t layer, std::size_t num_points) {
  const double n = real(num_points), in = real(config.width_in(layer)), out = real(config.width_out(layer));
  const double inner = real(config.heads * config.head_width);
  const double slots = real(config.projected_rows(layer, num_points));
  return sizeof(float) * (layer_parameters(config, layer) + n * std::max(in, out) + 2.0 * slots * inner);
}

double model_flops(const ModelConfig& config, std::size_t num_points) {
  const double n = real(num_points), width = real(config.channels);
  double sum = 2.0 * n * width * real(config.head_output);
  if (config.embedding == Embedding::linear) sum += 2.0 * n * width * real(config.input.num_channels());
  for (std::size_t layer = 0; layer < config.depth; ++layer) sum += layer_flops(config, layer, num_points);
  return sum;
}

}  // namespace pcl_attention
