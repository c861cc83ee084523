// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/attention_base.h"

#include <pcl/console/print.h>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace pcl_attention {

void AttentionBase::apply(const ModelPtr& model, const EncoderOptions& options) {
  auto encoder = model != nullptr ? std::make_unique<Encoder>(model, options) : nullptr;
  model_ = model;
  options_ = options;
  encoder_ = std::move(encoder);
}

void AttentionBase::setModel(ModelPtr model) {
  if (model == nullptr) throw std::invalid_argument("setModel: the model is null");
  apply(model, options_);
}

void AttentionBase::setModel(const std::string& file_or_preset, std::uint64_t seed) {
  setModel(open_model(file_or_preset, seed));
}

void AttentionBase::setDevice(Device device) {
  EncoderOptions options = options_;
  options.device = device;
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
  bool finite = std::isfinite(grid.cell) && grid.cell > 0.0;
  for (const double x : grid.origin) finite = finite && std::isfinite(x);
  if (!finite) throw std::invalid_argument("setGrid: the cell must be > 0, cell and origin finite");
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

void AttentionBase::begin() {
  result_ = {};
  last_error_.clear();
  if (encoder_ == nullptr) throw std::invalid_argument("no model: call setModel() first");
}

void AttentionBase::encode(const EncodeInput& input, float* rows) { result_ = encoder_->encode(input, rows); }

void AttentionBase::fail(const std::string& class_name, const std::string& reason) {
  result_ = {};
  last_error_ = reason;
  PCL_ERROR("[pcl_attention::%s::compute] %s\n", class_name.c_str(), reason.c_str());
}

}  // namespace pcl_attention
