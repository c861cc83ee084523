// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "pcl_attention/encoder.h"
#include "pcl_attention/export.h"
#include "pcl_attention/model.h"

namespace pcl_attention {

/// What all attention classes share: the model, how it is run, and what became of the last call.
///
/// Setters throw std::invalid_argument (or what loading throws) and then leave the object as it was.
/// Calls through a PCL base never throw: they print the reason with PCL_ERROR, give an empty output and
/// keep the reason in getLastError(). One thread at a time per object; a model may be shared.
class PCL_ATTENTION_EXPORT AttentionBase {
 public:
  /// Sets the network. @throws std::invalid_argument if it is null.
  void setModel(ModelPtr model);
  /// Loads a .safetensors file, or makes `preset:NAME` with the weights of `seed`.
  /// @throws FileError, ModelError, std::invalid_argument as open_model() does.
  void setModel(const std::string& file_or_preset, std::uint64_t seed = 0);
  const ModelPtr& getModel() const { return model_; }

  /// Sets where to compute, default Device::automatic.
  /// @throws std::invalid_argument if a model is set and the device is not in this build.
  void setDevice(Device device);
  Device getDevice() const { return options_.device; }

  /// Sets the largest number of threads; 0, the default, takes all the process may use.
  void setNumberOfThreads(unsigned num_threads);
  unsigned getNumberOfThreads() const { return options_.num_threads; }

  /// Sets the order of the points, default the model's.
  void setOrdering(Curve order);
  std::optional<Curve> getOrdering() const { return options_.order; }

  /// Sets fixed cells of the order, for streams; default the box of each cloud.
  /// @throws std::invalid_argument unless grid.cell is positive and all its numbers are finite.
  void setGrid(const FixedGrid& grid);
  std::optional<FixedGrid> getGrid() const { return options_.grid; }

  /// Sets what a stored projection does with another number of points, default the model's choice.
  void setLengthPolicy(LengthPolicy policy);
  std::optional<LengthPolicy> getLengthPolicy() const { return options_.length; }

  /// Reads the model's field `model_field` from the cloud's field `cloud_field`.
  void setFieldName(const std::string& model_field, const std::string& cloud_field);
  const std::map<std::string, std::string>& getFieldNames() const { return options_.field_names; }

  /// Sets whether points at (0, 0, 0) count as "no return", default false.
  void setZeroReturnsInvalid(bool invalid);
  bool getZeroReturnsInvalid() const { return options_.zero_is_invalid; }

  /// Returns why the last call failed, or "" after a good one.
  const std::string& getLastError() const { return last_error_; }

  /// Returns what the last good call did; all zero after a failed one.
  const EncodeResult& getResult() const { return result_; }

 protected:
  AttentionBase() = default;
  ~AttentionBase() = default;
  AttentionBase(AttentionBase&&) = default;
  AttentionBase& operator=(AttentionBase&&) = default;

  /// Forgets the last call. @throws std::invalid_argument if no model is set.
  void begin();
  /// Encodes into rows and keeps the result. @throws what Encoder::encode() throws.
  void encode(const EncodeInput& input, float* rows);
  /// Prints `reason` as an error of the class and keeps it.
  void fail(const std::string& class_name, const std::string& reason);

 private:
  void apply(const ModelPtr& model, const EncoderOptions& options);

  ModelPtr model_;
  EncoderOptions options_;
  std::unique_ptr<Encoder> encoder_;  // null without a model
  EncodeResult result_;
  std::string last_error_;
};

}  // namespace pcl_attention
