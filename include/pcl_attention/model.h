// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pcl_attention/config.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

/// Row-major float32 numbers with a shape.
struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

using TensorMap = std::map<std::string, Tensor>;

/// Name and shape a configuration demands.
struct TensorSpec {
  std::string name;
  std::vector<std::size_t> shape;
};

/// Returns every tensor that a model of this configuration consists of, in a fixed order. Linear
/// maps are [out × in] as in PyTorch; a stored projection is [k × N],
/// a convolution [D × D × stride].
PCL_ATTENTION_EXPORT std::vector<TensorSpec> tensor_specs(const ModelConfig& config);

/// A network: configuration and trained numbers. Immutable, so it may be shared between threads.
class PCL_ATTENTION_EXPORT Model {
 public:
  /// @throws ModelError if the configuration is wrong, or a tensor is missing, unused, of another
  ///         shape or not finite; the message names it.
  Model(ModelConfig config, TensorMap tensors, std::map<std::string, std::string> metadata = {});

  const ModelConfig& config() const { return config_; }
  const TensorMap& tensors() const { return tensors_; }

  /// Returns the tensor called `name`. @throws ModelError if there is none.
  const Tensor& tensor(const std::string& name) const;

  /// Returns what else the model's file says: its metadata without the configuration. Not part of the hash.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// Returns 16 hex digits, FNV-1a over configuration, tensor names, shapes and numbers. The same
  /// content gives the same hash on every platform.
  const std::string& hash() const { return hash_; }

  /// Returns the number of trained numbers.
  std::size_t num_parameters() const;

 private:
  ModelConfig config_;
  TensorMap tensors_;
  std::map<std::string, std::string> metadata_;
  std::string hash_;
};

using ModelPtr = std::shared_ptr<const Model>;

/// Returns the model in a .safetensors file: F32 tensors (F16 and BF16 are converted), configuration
/// as JSON under the metadata key `pcl_attention`.
/// @throws FileError if the file is damaged in any way, ModelError if it holds no valid model.
PCL_ATTENTION_EXPORT ModelPtr load_model(const std::string& path);

/// Writes a model so that load_model() gives the same bits and metadata. The file appears whole or not at
/// all.
/// @throws FileError if it cannot be written.
PCL_ATTENTION_EXPORT void save_model(const Model& model, const std::string& path);

/// Returns an untrained model with seeded random weights, initialised as linformer-pytorch does:
/// linear maps uniform ±1/√fan_in, E Xavier normal with bias ±1/√N, norms 1 and 0.
/// The same seed means the same bits on every platform.
/// @param name one of preset_names()
/// @throws std::invalid_argument if there is no such preset; the message lists them.
PCL_ATTENTION_EXPORT ModelPtr make_preset(const std::string& name, std::uint64_t seed = 0);

/// Returns a model of any configuration with seeded random weights, as make_preset() does.
/// @throws ModelError if the configuration is wrong.
PCL_ATTENTION_EXPORT ModelPtr make_random_model(ModelConfig config, std::uint64_t seed = 0);

/// Returns the names of the presets.
PCL_ATTENTION_EXPORT std::vector<std::string> preset_names();

/// Returns `preset:NAME` as make_preset(NAME, seed), `shipped:outlier` and `shipped:outlier-sensor` as
/// shipped_outlier_model() does, anything else as load_model(text).
PCL_ATTENTION_EXPORT ModelPtr open_model(const std::string& text, std::uint64_t seed = 0);

/// Returns the configuration as JSON text with its format version.
PCL_ATTENTION_EXPORT std::string config_to_json(const ModelConfig& config);

/// Returns the configuration of a JSON text. Members left out have their defaults.
/// @throws ModelError naming an unknown member, a wrong value or an unsupported format version.
PCL_ATTENTION_EXPORT ModelConfig config_from_json(const std::string& text);

}  // namespace pcl_attention
