// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
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

/// Writes the file whole or not at all (temporary file in the same folder, then rename).
/// @throws FileError naming path and reason.
void write_safetensors(const SafetensorsFile& file, const std::string& path);

/// Returns the numbers as float32 (F32, F16, BF16) or as double (these and F64).
/// @throws FileError naming `name` and the type if it is another.
std::vector<float> to_floats(const StoredTensor& tensor, const std::string& name);
std::vector<double> to_doubles(const StoredTensor& tensor, const std::string& name);

/// Returns a F32 tensor of these numbers.
StoredTensor make_f32_tensor(std::vector<std::size_t> shape, const std::vector<float>& values);

}  // namespace pcl_attention
