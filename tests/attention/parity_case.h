// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "files/safetensors.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/import.h"
#include "support/data.h"

namespace pcl_attention::test {

/// One run of linformer-pytorch: its weights as our model, its input and output.
struct ParityCase {
  explicit ParityCase(const std::string& name, LinformerPytorchOptions options = {})
      : path(fixture("parity/" + name + ".safetensors")), file(read_safetensors(path)) {
    options.prefix = "model.";
    model = import_linformer_pytorch(path, options);
    const StoredTensor& stored = file.tensors.at("input");
    batch = stored.shape[0];
    points = stored.shape[1];
    channels = stored.shape[2];
  }

  /// Returns the numbers of a tensor of the case.
  std::vector<double> numbers(const std::string& name) const {
    return to_doubles(file.tensors.at(name), name);
  }

  /// Returns the encoder's rows for every batch item of `input_name`.
  std::vector<double> encode(Encoder& encoder, const std::string& input_name = "input") const {
    const std::vector<float> input = to_floats(file.tensors.at(input_name), input_name);
    const std::size_t width = encoder.model().config().output_width();
    std::vector<double> rows(batch * points * width);
    for (std::size_t b = 0; b < batch; ++b) {
      EncodeInput one;
      one.surface.data = reinterpret_cast<const std::byte*>(input.data() + b * points * channels);
      one.surface.size = points * channels * sizeof(float);
      one.surface.width = points;
      one.surface.point_step = channels * sizeof(float);
      add_fields(one.surface);
      encoder.encode(one, rows.data() + b * points * width);
    }
    return rows;
  }

  std::string path;
  SafetensorsFile file;
  ModelPtr model;
  std::size_t batch = 0, points = 0, channels = 0;

 private:
  void add_fields(CloudView& cloud) const {
    std::size_t offset = 0;
    for (const InputField& field : model->config().input.fields) {
      cloud.fields.push_back({field.name, FieldType::float32, offset, field.channels});
      offset += field.channels * sizeof(float);
    }
  }
};

}  // namespace pcl_attention::test
