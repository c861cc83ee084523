// SPDX-License-Identifier: BSD-3-Clause
#include "files/safetensors.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files/bytes.h"
#include "files/half.h"
#include "files/shape.h"
#include "files/whole_file.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

using nlohmann::json;

struct Type {
  const char* word;
  std::size_t size;
};

// In the order of TensorType.
constexpr Type types[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
                          {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
                          {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8}};

std::string make_header(const SafetensorsFile& file) {
  json entries = json::object();
  if (!file.metadata.empty()) entries["__metadata__"] = file.metadata;
  std::size_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    const auto size = checked_product(tensor.shape, size_of(tensor.type));
    if (!size || *size != tensor.bytes.size() || name == "__metadata__")
      throw std::invalid_argument("write_safetensors: tensor \"" + name + "\": its shape, type and " +
                                  std::to_string(tensor.bytes.size()) + " bytes or its name do not fit");
    entries[name] = {{"dtype", to_string(tensor.type)},
                     {"shape", tensor.shape},
                     {"data_offsets", {offset, offset + *size}}};
    offset += *size;
  }
  std::string text;
  try {
    text = entries.dump();
  } catch (const json::exception& error) {
    throw std::invalid_argument("write_safetensors: a name or metadata is not UTF-8: " +
                                std::string(error.what()));
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

template <class T>
std::vector<T> to_numbers(const StoredTensor& tensor, const std::string& name) {
  const std::size_t size = size_of(tensor.type);
  std::vector<T> values(tensor.bytes.size() / size);
  const auto fill = [&](auto number) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(number(tensor.bytes.data() + i * size));
  };
  switch (tensor.type) {
    case TensorType::f32:
      fill([](const std::byte* bytes) { return load<float>(bytes); });
      return values;
    case TensorType::f16:
      fill([](const std::byte* bytes) { return from_half(load<std::uint16_t>(bytes)); });
      return values;
    case TensorType::bf16:
      fill([](const std::byte* bytes) { return from_bfloat16(load<std::uint16_t>(bytes)); });
      return values;
    case TensorType::f64:
      if (sizeof(T) < sizeof(double)) break;
      fill([](const std::byte* bytes) { return load<double>(bytes); });
      return values;
    default:
      break;
  }
  throw FileError("tensor \"" + name + "\": expected F32, F16" +
                  (sizeof(T) < sizeof(double) ? " or BF16" : ", BF16 or F64") + ", found " +
                  to_string(tensor.type));
}

}  // namespace

const char* to_string(TensorType type) { return types[static_cast<std::size_t>(type)].word; }

std::size_t size_of(TensorType type) { return types[static_cast<std::size_t>(type)].size; }

std::optional<TensorType> tensor_type(std::string_view word) {
  for (std::size_t i = 0; i < std::size(types); ++i)
    if (word == types[i].word) return static_cast<TensorType>(i);
  return std::nullopt;
}

std::size_t StoredTensor::num_elements() const {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

void write_safetensors(const SafetensorsFile& file, const std::string& path) {
  const std::string header = make_header(file);
  char length[sizeof(std::uint64_t)];
  store_little_endian(static_cast<std::uint64_t>(header.size()), length);
  write_whole_stream(path, [&](std::ostream& stream) {
    stream.write(length, sizeof(length));
    stream << header;
    for (const auto& item : file.tensors)
      stream.write(reinterpret_cast<const char*>(item.second.bytes.data()),
                   static_cast<std::streamsize>(item.second.bytes.size()));
  });
}

std::vector<float> to_floats(const StoredTensor& tensor, const std::string& name) {
  return to_numbers<float>(tensor, name);
}

std::vector<double> to_doubles(const StoredTensor& tensor, const std::string& name) {
  return to_numbers<double>(tensor, name);
}

StoredTensor make_f32_tensor(std::vector<std::size_t> shape, const std::vector<float>& values) {
  StoredTensor tensor{TensorType::f32, std::move(shape),
                      std::vector<std::byte>(values.size() * sizeof(float))};
  if (tensor.num_elements() != values.size())
    throw std::invalid_argument("make_f32_tensor: the shape has " + std::to_string(tensor.num_elements()) +
                                " elements, given were " + std::to_string(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    store_little_endian(values[i], tensor.bytes.data() + i * sizeof(float));
  return tensor;
}

}  // namespace pcl_attention
