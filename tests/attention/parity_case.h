// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/safetensors.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/import.h"
#include "support/data.h"

namespace pcl_attention::test {

/// One run of another Linformer: its weights as our model, its input and output.
struct ParityCase {
  explicit ParityCase(const std::string& name, LinformerPytorchOptions options = {}) : ParityCase(name, 0) {
    options.prefix = "model.";
    model = import_linformer_pytorch(path, options);
  }

  ParityCase(const std::string& name, LucidrainsLinformerOptions options) : ParityCase(name, 0) {
    options.prefix = "model.";
    model = import_lucidrains_linformer(path, options);
  }

  /// Returns the numbers of a tensor of the case.
  std::vector<double> numbers(const std::string& name) const {
    return to_doubles(file.tensors.at(name), name);
  }

  /// Returns the encoder's rows for every batch item of `input_name`: queries over `surface`, if the case has
  /// one. An `input_mask` masks the surface and, as in linformer-pytorch, the queries of a decoder.
  std::vector<double> encode(Encoder& encoder, const std::string& input_name = "input") const {
    const std::vector<float> input = to_floats(file.tensors.at(input_name), input_name);
    const std::vector<float> surface =
        has_surface() ? to_floats(file.tensors.at("surface"), "surface") : std::vector<float>();
    const std::vector<std::uint8_t> mask = this->mask();
    const std::size_t width = encoder.model().config().output_width();
    std::vector<double> rows(batch * points * width);
    for (std::size_t b = 0; b < batch; ++b) {
      const CloudView queries = view(input, b);
      EncodeInput one;
      one.surface = has_surface() ? view(surface, b) : queries;
      if (has_surface()) one.queries = &queries;
      if (!mask.empty()) one.key_mask = mask.data() + b * points;
      if (!mask.empty() && model->config().decoder) one.query_mask = one.key_mask;
      encoder.encode(one, rows.data() + b * points * width);
    }
    return rows;
  }

  std::string path;
  SafetensorsFile file;
  ModelPtr model;
  std::size_t batch = 0, points = 0, channels = 0;

 private:
  ParityCase(const std::string& name, int)
      : path(fixture("parity/" + name + ".safetensors")), file(read_safetensors(path)) {
    const StoredTensor& stored = file.tensors.at("input");
    batch = stored.shape[0];
    points = stored.shape[1];
    channels = stored.shape[2];
  }

  bool has_surface() const { return file.tensors.count("surface") != 0; }

  std::vector<std::uint8_t> mask() const {
    std::vector<std::uint8_t> result;
    const auto found = file.tensors.find("input_mask");
    if (found == file.tensors.end()) return result;
    for (std::byte byte : found->second.bytes) result.push_back(std::to_integer<std::uint8_t>(byte));
    return result;
  }

  CloudView view(const std::vector<float>& numbers, std::size_t item) const {
    CloudView cloud;
    cloud.data = reinterpret_cast<const std::byte*>(numbers.data() + item * points * channels);
    cloud.size = points * channels * sizeof(float);
    cloud.width = points;
    cloud.point_step = channels * sizeof(float);
    std::size_t offset = 0;
    for (const InputField& field : model->config().input.fields) {
      cloud.fields.push_back({field.name, FieldType::float32, offset, field.channels});
      offset += field.channels * sizeof(float);
    }
    return cloud;
  }
};

}  // namespace pcl_attention::test
