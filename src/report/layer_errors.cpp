// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <optional>

#include "pcl_attention/error.h"
#include "report/encoder_checks.h"
#include "report/trial.h"

namespace pcl_attention {
namespace {

/// Returns the network of the first `depth` layers without output head; null if there is none: a decoder, or
/// a width between layers that only the deeper network has.
ModelPtr cut_off(const Model& model, std::size_t depth) {
  ModelConfig config = model.config();
  if (config.decoder) return nullptr;
  config.depth = depth;
  config.head_output = config.output_intermediate = 0;
  if (config.projection.strides.size() > 1) config.projection.strides.resize(depth);
  try {
    TensorMap tensors;
    for (const TensorSpec& spec : tensor_specs(config)) tensors[spec.name] = model.tensor(spec.name);
    return std::make_shared<const Model>(config, std::move(tensors));
  } catch (const ModelError&) {
    return nullptr;
  }
}

LayerError measure(const ModelPtr& model, const Encoder& whole, const CloudView& cloud, std::uint64_t seed,
                   bool floor, const std::function<void()>& next) {
  Encoder encoder(model, whole.options());
  const Rows expected = encode_rows(encoder, cloud);
  next();
  LayerError result;
  result.layer = model->config().depth;
  std::vector<double> unused;
  for (const PermutationKind kind : {PermutationKind::reversed, PermutationKind::random}) {
    const Change change{ChangeGroup::permutation, 0.0, seed, kind};
    const ChangedCloud changed = apply_change(cloud, change, {});
    const Rows rows = encode_rows(encoder, changed.view());
    const Trial trial = make_trial(to_string(change), rows, expected, changed.source(), unused);
    result.max_relative_l2 = std::max(result.max_relative_l2, trial.relative_l2);
    next();
  }
  if (floor && !encoder.is_double()) {
    result.rounding_floor = rounding_floor(encoder, cloud, expected);
    next();
  }
  return result;
}

}  // namespace

Rows encode_rows(Encoder& encoder, const CloudView& cloud) {
  Rows rows;
  rows.width = encoder.model().config().output_width();
  encode_rows(encoder, cloud, rows.values);
  return rows;
}

double rounding_floor(const Encoder& encoder, const CloudView& cloud, const Rows& rows) {
  if (encoder.is_double()) return std::numeric_limits<double>::quiet_NaN();
  EncoderOptions options = encoder.options();
  options.device = Device::reference;
  Encoder reference(std::make_shared<const Model>(encoder.model()), options);
  std::vector<double> unused;
  return compare_rows(rows, encode_rows(reference, cloud), every_point(cloud.num_points()), unused)
      .relative_l2;
}

std::size_t num_layer_calls(const Encoder& encoder, bool floor) {
  if (encoder.model().config().decoder) return 0;
  return encoder.model().config().depth * (floor && !encoder.is_double() ? 4 : 3);
}

std::vector<LayerError> layer_errors(const Encoder& encoder, const CloudView& cloud, std::uint64_t seed,
                                     bool floor, const std::function<void()>& next) {
  std::vector<LayerError> errors;
  for (std::size_t depth = 1; depth <= encoder.model().config().depth; ++depth)
    if (const ModelPtr model = cut_off(encoder.model(), depth))
      errors.push_back(measure(model, encoder, cloud, seed, floor, next));
  return errors;
}

}  // namespace pcl_attention
