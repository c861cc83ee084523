// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pcl_attention/encoder.h"
#include "pcl_attention/export.h"
#include "pcl_attention/model.h"
#include "pcl_attention/pcl/call_status.h"
#include "pcl_attention/pooling.h"
#include "pcl_attention/selection.h"

namespace pcl_attention {

class AttentionHeads;

/// What all attention classes share: the model, how it is run, and what became of the last call.
///
/// Setters throw std::invalid_argument (or what loading throws) and then leave the object as it was.
/// Calls through a PCL base never throw: they print the reason with PCL_ERROR, give an empty output and
/// keep the reason in getLastError(). One thread at a time per object; a model may be shared.
class PCL_ATTENTION_EXPORT AttentionBase : public CallStatus {
 public:
  /// Sets the network.
  /// @throws std::invalid_argument if it is null, ModelError if the class needs another kind.
  void setModel(ModelPtr model);
  /// Loads a .safetensors file, or makes `preset:NAME` with the weights of `seed`.
  /// @throws FileError, ModelError, std::invalid_argument as open_model() does.
  void setModel(const std::string& file_or_preset, std::uint64_t seed = 0);
  /// Returns the network in force: the one set, or of a class that ships one that; else null.
  ModelPtr getModel() const { return model_ != nullptr ? model_ : defaultModel(); }

  /// Sets where to compute, default Device::automatic; `index` counts CUDA devices.
  /// @throws DeviceError if a model is set and Device::cuda cannot run there, ModelError if the model is too
  /// wide.
  void setDevice(Device device, std::size_t index = 0);
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

  /// Sets where the sensor stood, in the coordinates of the clouds, for models that read angle of view or
  /// range; default (0, 0, 0). The clouds' own sensor_origin_ is not read: it is zero where nobody set it.
  /// @throws std::invalid_argument unless all numbers are finite.
  void setSensorOrigin(const std::array<double, 3>& origin);
  /// Returns what was set, or nothing.
  const std::optional<std::array<double, 3>>& getSensorOrigin() const { return sensor_origin_; }

  /// Returns what the last good call did; all zero after a failed one, and after sampling.
  const EncodeResult& getResult() const { return result_; }

 protected:
  AttentionBase();
  virtual ~AttentionBase();

  /// Returns the model that runs while none is set; null: none does.
  virtual ModelPtr defaultModel() const { return nullptr; }
  /// Returns nothing if the class can use the model. @throws ModelError with the reason.
  virtual void checkModel(const Model&) const {}

  /// Forgets the last call.
  virtual void forget() { result_ = {}; }
  /// Forgets the last call. @throws std::invalid_argument if there is no model.
  void begin();
  /// Encodes and keeps the result. @return rows, good until the next call.
  /// @throws what Encoder::encode() throws.
  const std::vector<float>& encode(const EncodeInput& input);
  /// Encodes all points of a cloud; only those at `indices` are summarised, null: all. A repeated index
  /// counts once.
  /// @throws as encode(), std::invalid_argument naming an index out of range.
  const std::vector<float>& encodeAll(const CloudView& cloud, const std::int32_t* indices,
                                      std::size_t num_indices);
  enum PointState : std::uint8_t { kInvalid, kLeftOut, kChosen };
  /// Returns what becomes of each point if those with most attention are chosen, as PointState.
  /// @throws what attention_received() and select_points() throw.
  std::vector<std::uint8_t> sample(const CloudView& cloud, const Selection& selection);
  /// Returns what becomes of each point if outliers are left out, as PointState, and fills `probabilities`.
  /// @throws what outlier_probabilities() and find_outliers() throw.
  std::vector<std::uint8_t> inliers(const CloudView& cloud, double threshold,
                                    std::vector<float>& probabilities);
  /// Returns one row: the rows of encode() pooled over `cloud`, the points it answers.
  /// @throws as encode() and pool_rows(), std::invalid_argument for Pooling::attention with a foreign
  /// surface.
  std::vector<float> pool(const EncodeInput& input, const CloudView& cloud, Pooling pooling);

 private:
  void apply(const ModelPtr& model, const EncoderOptions& options);
  std::vector<double> received(const CloudView& cloud);
  std::vector<std::uint32_t> ranked(const CloudView& cloud) const;

  ModelPtr model_;  // null: the default
  EncoderOptions options_;
  std::optional<std::array<double, 3>> sensor_origin_;
  std::unique_ptr<Encoder> encoder_;       // null without a model
  std::unique_ptr<AttentionHeads> heads_;  // made when first asked for
  EncodeResult result_;
  std::vector<float> rows_;
  std::vector<std::uint8_t> key_mask_;
};

}  // namespace pcl_attention
