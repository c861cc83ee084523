// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pcl_attention {

/// Element types of the safetensors format.
enum class TensorType {
  boolean,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  f64,
  i64,
  u64
};

/// Returns the format's word: "F32", "BF16", …
const char* to_string(TensorType type);

/// Returns the bytes of one element.
std::size_t size_of(TensorType type);

/// Returns the type with that word, or nothing.
std::optional<TensorType> tensor_type(std::string_view word);

/// One stored tensor: little-endian bytes, row-major.
struct StoredTensor {
  TensorType type = TensorType::f32;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;

  std::size_t num_elements() const;
};

struct SafetensorsFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, StoredTensor> tensors;
};

/// Returns the file's content.
/// @throws FileError naming file, tensor and fault: length, header size, JSON, duplicate key, unknown
///         type, numbers that are not unsigned integers, shape × size ≠ bytes, overlap, gap, trailing
///         bytes. Sizes are bounded by the file's length before anything is allocated.
SafetensorsFile read_safetensors(const std::string& path);

/// Returns the same of a file's bytes; messages call it `name`.
SafetensorsFile parse_safetensors(std::string bytes, const std::string& name);

/// Writes the file whole or not at all (temporary file in the same folder, then rename).
/// Tensors are stored by name, the header is padded with spaces to 8 bytes.
/// @throws FileError naming path and reason; std::invalid_argument if a tensor's shape and bytes
///         disagree, a tensor is called __metadata__ or a text is not UTF-8.
void write_safetensors(const SafetensorsFile& file, const std::string& path);

/// Returns the numbers as float32 (F32, F16, BF16) or as double (these and F64).
/// @throws FileError naming `name` and the type if it is another.
std::vector<float> to_floats(const StoredTensor& tensor, const std::string& name);
std::vector<double> to_doubles(const StoredTensor& tensor, const std::string& name);

/// Returns a F32 tensor of these numbers.
/// @throws std::invalid_argument if the shape has another number of elements.
StoredTensor make_f32_tensor(std::vector<std::size_t> shape, const std::vector<float>& values);

}  // namespace pcl_attention
