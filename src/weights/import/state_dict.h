// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "files/safetensors.h"
#include "pcl_attention/model.h"

namespace pcl_attention {

/// Foreign tensors by name. Remembers which were taken, so that none is left over unnoticed.
class StateDict {
 public:
  /// Reads names that start with `prefix`, without it. Aliases in the metadata (name → stored name) become
  /// tensors of their own. @throws FileError for a tensor that holds no floating-point numbers, ModelError
  /// for a number that is not finite or too large for float32.
  StateDict(const SafetensorsFile& file, const std::string& prefix);

  /// Returns the name as it stands in the file.
  std::string full_name(const std::string& name) const { return prefix_ + name; }

  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  bool has_any(const std::string& prefix) const;

  /// Returns the tensor. @throws ModelError if it is missing.
  const Tensor& at(const std::string& name) const;

  /// Returns the tensor and marks it as taken. @throws ModelError if it is missing or has another number
  /// of dimensions.
  const Tensor& take_any_shape(const std::string& name, std::size_t num_dimensions);

  /// Returns the tensor and marks it as taken. @throws ModelError if it is missing or of another shape.
  const Tensor& take(const std::string& name, const std::vector<std::size_t>& shape);

  /// Marks every tensor of this prefix as taken.
  void skip(const std::string& prefix);

  /// Returns how many of prefix + "0" + suffix, prefix + "1" + suffix … there are in a row.
  std::size_t count(const std::string& prefix, const std::string& suffix) const;

  /// @throws ModelError naming the first tensor that was not taken.
  void finish() const;

 private:
  std::string prefix_;
  std::map<std::string, Tensor> tensors_;
  std::set<std::string> taken_;
};

/// Returns read(file) for the tensors of a file. @throws FileError and ModelError that name the file.
ModelPtr import_state(const std::string& path, const std::function<ModelPtr(SafetensorsFile&)>& read);

/// Describes one attention layer alone that takes rows as they come, as a layer of PyTorch does.
/// @param fields  cloud fields of the channels; empty: one field `features` of all channels
void set_layer_alone(const std::string& name, const std::vector<std::string>& fields, std::size_t channels,
                     ModelConfig& config);

/// Returns "[2, 3]".
std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace pcl_attention
