// SPDX-License-Identifier: BSD-3-Clause
#include "point_source.h"

#include <algorithm>

#include "files/cloud_header.h"
#include "files/npy.h"
#include "pcl_attention/error.h"
#include "pcl_attention/neighbourhood.h"
#include "pcl_attention/pcl/cloud_view.h"

namespace pcl_attention::command {
namespace {

bool is_colour(const InputField& field) { return field.name == "rgb" || field.name == "rgba"; }

// The fields that are read, without those that are computed.
InputSpec read_fields(InputSpec input) {
  const auto is_computed = [](const InputField& field) { return is_neighbourhood_field(field.name); };
  input.fields.erase(std::remove_if(input.fields.begin(), input.fields.end(), is_computed),
                     input.fields.end());
  return input;
}

std::string to_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (const std::size_t n : shape) text += (text.size() == 1 ? "" : ", ") + std::to_string(n);
  return text + "]";
}

// A cloud whose fields are the columns of one batch item.
template <class T>
CloudView view_rows(const T* rows, std::size_t n, std::size_t d, FieldType type, const InputSpec& input) {
  CloudView view;
  view.data = reinterpret_cast<const std::byte*>(rows);
  view.size = n * d * sizeof(T);
  view.width = n;
  view.point_step = d * sizeof(T);
  std::size_t column = 0;
  for (const InputField& field : input.fields) {
    view.fields.push_back({field.name, type, column * sizeof(T), field.channels});
    column += field.channels;
  }
  return view;
}

PointSource read_rows(const std::string& path, const InputSpec& input) {
  NpyArray array = read_npy(path);
  const std::size_t rank = array.shape.size(), d = input.num_channels();
  if ((rank != 2 && rank != 3) || array.shape.back() != d)
    throw FileError(path + ": expected rows [n, " + std::to_string(d) + "] or [b, n, " + std::to_string(d) +
                    "] of the model's input channels, came " + to_text(array.shape));
  PointSource source;
  source.batched = rank == 3;
  const std::size_t items = source.batched ? array.shape[0] : 1, n = array.shape[rank - 2];
  const bool single = array.type.substr(1) == "f4" || array.type.substr(1) == "f2";
  if (single) {
    source.floats.assign(array.values.begin(), array.values.end());
  } else {
    source.doubles = std::move(array.values);
  }
  for (std::size_t b = 0; b < items; ++b)
    source.clouds.push_back(
        single ? view_rows(source.floats.data() + b * n * d, n, d, FieldType::float32, input)
               : view_rows(source.doubles.data() + b * n * d, n, d, FieldType::float64, input));
  return source;
}

}  // namespace

bool is_rows_file(const std::string& path) { return cloud_format(path) == CloudFormat::npy; }

PointSource read_points(const std::string& path, const InputSpec& input) {
  if (is_rows_file(path)) return read_rows(path, read_fields(input));
  PointSource source;
  source.file = read_cloud(path);
  source.clouds.push_back(view_of(source.file->cloud));
  return source;
}

ModelPtr model_of_rows(const ModelPtr& model) {
  ModelConfig config = model->config();
  std::vector<InputField> fields;
  bool changed = false;
  for (const InputField& field : config.input.fields) {
    if (!is_colour(field)) {
      fields.push_back(field);
      continue;
    }
    changed = true;
    for (const char* channel : {"_r", "_g", "_b"}) fields.push_back({field.name + channel, 1, 1.0});
  }
  if (!changed) return model;
  config.input.fields = fields;
  return std::make_shared<const Model>(config, model->tensors());
}

}  // namespace pcl_attention::command
