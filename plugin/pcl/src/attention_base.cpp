// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/attention_base.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "pcl_attention/heads.h"
#include "pcl_attention/outliers.h"
#include "pcl_attention/ranking.h"
#include "pcl_attention/received.h"

namespace pcl_attention {
namespace {

bool is_finite(const std::array<double, 3>& point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

}  // namespace

AttentionBase::AttentionBase() = default;
AttentionBase::~AttentionBase() = default;

void AttentionBase::apply(const ModelPtr& model, const EncoderOptions& options) {
  const ModelPtr in_force = model != nullptr ? model : defaultModel();
  auto encoder = in_force != nullptr ? std::make_unique<Encoder>(in_force, options) : nullptr;
  model_ = model;
  options_ = options;
  encoder_ = std::move(encoder);
  heads_.reset();
}

void AttentionBase::setModel(ModelPtr model) {
  if (model == nullptr) throw std::invalid_argument("setModel: the model is null");
  checkModel(*model);
  apply(model, options_);
}

void AttentionBase::setModel(const std::string& file_or_preset, std::uint64_t seed) {
  setModel(open_model(file_or_preset, seed));
}

void AttentionBase::setDevice(Device device, std::size_t index) {
  EncoderOptions options = options_;
  options.device = device;
  options.device_index = index;
  apply(model_, options);
}

void AttentionBase::setNumberOfThreads(unsigned num_threads) {
  EncoderOptions options = options_;
  options.num_threads = num_threads;
  apply(model_, options);
}

void AttentionBase::setOrdering(Curve order) {
  EncoderOptions options = options_;
  options.order = order;
  apply(model_, options);
}

void AttentionBase::setGrid(const FixedGrid& grid) {
  if (!(std::isfinite(grid.cell) && grid.cell > 0.0 && is_finite(grid.origin)))
    throw std::invalid_argument("setGrid: the cell must be > 0, cell and origin finite");
  EncoderOptions options = options_;
  options.grid = grid;
  apply(model_, options);
}

void AttentionBase::setLengthPolicy(LengthPolicy policy) {
  EncoderOptions options = options_;
  options.length = policy;
  apply(model_, options);
}

void AttentionBase::setFieldName(const std::string& model_field, const std::string& cloud_field) {
  EncoderOptions options = options_;
  options.field_names[model_field] = cloud_field;
  apply(model_, options);
}

void AttentionBase::setZeroReturnsInvalid(bool invalid) {
  EncoderOptions options = options_;
  options.zero_is_invalid = invalid;
  apply(model_, options);
}

void AttentionBase::setSensorOrigin(const std::array<double, 3>& origin) {
  if (!is_finite(origin)) throw std::invalid_argument("setSensorOrigin: the origin is not finite");
  const ModelPtr before = getModel();
  sensor_origin_ = origin;
  if (getModel() == before) return;
  encoder_.reset();  // begin() makes that of the other default
  heads_.reset();
}

void AttentionBase::begin() {
  forget();
  if (encoder_ == nullptr) apply(model_, options_);
  if (encoder_ == nullptr) throw std::invalid_argument("no model: call setModel() first");
}

const std::vector<float>& AttentionBase::encode(const EncodeInput& input) {
  const std::size_t num_rows = input.queries != nullptr        ? input.queries->num_points()
                               : input.query_points != nullptr ? input.num_query_points
                                                               : input.surface.num_points();
  rows_.resize(num_rows * encoder_->model().config().output_width());
  EncodeInput with_sensor = input;
  with_sensor.sensor_origin = sensor_origin_;
  result_ = encoder_->encode(with_sensor, rows_.data());
  return rows_;
}

const std::vector<float>& AttentionBase::encodeAll(const CloudView& cloud, const std::int32_t* indices,
                                                   std::size_t num_indices) {
  EncodeInput input;
  input.surface = cloud;
  if (indices != nullptr) {
    key_mask_.assign(cloud.num_points(), 0);
    for (std::size_t i = 0; i < num_indices; ++i) {
      if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= key_mask_.size())
        throw std::invalid_argument("indices[" + std::to_string(i) + "] is " + std::to_string(indices[i]) +
                                    ", the cloud has " + std::to_string(key_mask_.size()) + " points");
      key_mask_[static_cast<std::size_t>(indices[i])] = 1;
    }
    input.key_mask = key_mask_.data();
  }
  return encode(input);
}

std::vector<std::uint8_t> AttentionBase::sample(const CloudView& cloud, const Selection& selection) {
  const std::vector<double> attention = received(cloud);
  std::vector<std::uint8_t> states = select_points(attention, ranked(cloud), selection);
  for (std::size_t i = 0; i < states.size(); ++i)
    states[i] = std::isnan(attention[i]) ? kInvalid : states[i] != 0 ? kChosen : kLeftOut;
  return states;
}

std::vector<std::uint8_t> AttentionBase::inliers(const CloudView& cloud, double threshold,
                                                 std::vector<float>& probabilities) {
  EncodeInput input;
  input.surface = cloud;
  input.sensor_origin = sensor_origin_;
  probabilities.resize(cloud.num_points());
  result_ = outlier_probabilities(*encoder_, input, probabilities.data());
  std::vector<std::uint8_t> states = find_outliers(probabilities, threshold);
  for (std::size_t i = 0; i < states.size(); ++i)
    states[i] = std::isnan(probabilities[i]) ? kInvalid : states[i] != 0 ? kLeftOut : kChosen;
  return states;
}

std::vector<double> AttentionBase::received(const CloudView& cloud) {
  if (heads_ == nullptr) heads_ = std::make_unique<AttentionHeads>(getModel(), options_);
  EncodeInput input;
  input.surface = cloud;
  input.sensor_origin = sensor_origin_;
  return attention_received(*heads_, input);
}

std::vector<float> AttentionBase::pool(const EncodeInput& input, const CloudView& cloud, Pooling pooling) {
  std::vector<double> weights;
  if (pooling == Pooling::attention) {
    if (input.queries != nullptr)
      throw std::invalid_argument(
          "attention pooling takes no search surface: its weights are those of the input");
    weights = received(cloud);
  }
  const std::vector<float>& rows = encode(input);
  const std::vector<std::uint32_t> points = ranked(cloud);
  PoolInput pooled;
  pooled.rows = rows.data();
  pooled.width = result_.width;
  pooled.row_of_rank = points.data();
  pooled.num_ranked = points.size();
  pooled.weights = weights.data();
  std::vector<float> row(result_.width);
  pool_rows(pooled, pooling, row.data(), options_.num_threads);
  return row;
}

// Canonical whatever the encoder's order is.
std::vector<std::uint32_t> AttentionBase::ranked(const CloudView& cloud) const {
  RankingOptions options;
  options.field_names = options_.field_names;
  options.zero_is_invalid = options_.zero_is_invalid;
  options.num_threads = options_.num_threads;
  return ranked_points(cloud, options);
}

}  // namespace pcl_attention
