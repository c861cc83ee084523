// SPDX-License-Identifier: BSD-3-Clause
#include "tokens/column.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "pcl_attention/error.h"
#include "pcl_attention/neighbourhood.h"

namespace pcl_attention {
namespace {

constexpr bool host_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
constexpr double largest_float = std::numeric_limits<float>::max();
const char* const axis_names[] = {"x", "y", "z"};

/// A stored bool: any byte but 0 is true.
struct StoredBool {
  std::uint8_t byte;
  explicit operator double() const { return byte != 0 ? 1.0 : 0.0; }
};

template <class Stored, bool swap>
void read_elements(const std::byte* const* at, std::size_t n, std::size_t offset, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::array<std::byte, sizeof(Stored)> bytes;
    std::memcpy(bytes.data(), at[i] + offset, sizeof(Stored));
    if (swap) std::reverse(bytes.begin(), bytes.end());
    Stored number;
    std::memcpy(&number, bytes.data(), sizeof(Stored));
    out[i] = static_cast<double>(number);
  }
}

template <bool swap>
ReadElements reader_of(FieldType type) {
  switch (type) {
    case FieldType::int8:
      return read_elements<std::int8_t, swap>;
    case FieldType::uint8:
      return read_elements<std::uint8_t, swap>;
    case FieldType::int16:
      return read_elements<std::int16_t, swap>;
    case FieldType::uint16:
      return read_elements<std::uint16_t, swap>;
    case FieldType::int32:
      return read_elements<std::int32_t, swap>;
    case FieldType::uint32:
      return read_elements<std::uint32_t, swap>;
    case FieldType::float32:
      return read_elements<float, swap>;
    case FieldType::float64:
      return read_elements<double, swap>;
    case FieldType::boolean:
      return read_elements<StoredBool, swap>;
    case FieldType::int64:
      return read_elements<std::int64_t, swap>;
    case FieldType::uint64:
      return read_elements<std::uint64_t, swap>;
  }
  throw CloudError("unknown element type " + std::to_string(static_cast<int>(type)));
}

int axis_of(const std::string& name) {
  for (int axis = 0; axis < 3; ++axis)
    if (name == axis_names[axis]) return axis;
  return -1;
}

bool is_packed_colour(const std::string& name) { return name == "rgb" || name == "rgba"; }

void check_channels(const InputField& input, std::size_t expected) {
  if (input.channels != expected)
    throw std::invalid_argument("input field '" + input.name + "' has " + std::to_string(expected) +
                                " channels, not " + std::to_string(input.channels));
}

/// Appends r, g, b of 0xAARRGGBB: three bytes of a 32-bit element.
void add_colour(const CloudView& cloud, const Field& field, const InputField& input, int channel,
                std::vector<TokenColumn>& columns) {
  check_channels(input, 3);
  if (field.count != 1 || size_of(field.type) != 4)
    throw CloudError("cloud field '" + field.name + "' is no packed colour: " + std::to_string(field.count) +
                     " x " + std::to_string(size_of(field.type)) + " bytes, expected 1 x 4");
  for (int i = 0; i < 3; ++i) {
    TokenColumn column;
    column.type = FieldType::uint8;
    column.offset = field.offset + static_cast<std::size_t>(cloud.big_endian ? 1 + i : 2 - i);
    column.read = element_reader(column.type, false);
    column.scale = 1.0 / 255.0;
    column.limit = largest_float;
    column.channel = channel + i;
    columns.push_back(column);
  }
}

/// Appends the elements of a field. Coordinates stay below half of float's range, so that the
/// difference of two of them is a float, too.
void add_numbers(const CloudView& cloud, const Field& field, const InputField& input, int channel,
                 std::vector<TokenColumn>& columns) {
  const int axis = axis_of(input.name);
  if (axis >= 0) check_channels(input, 1);
  if (field.count != input.channels)
    throw CloudError("cloud field '" + field.name + "' has " + std::to_string(field.count) +
                     " elements per point, expected " + std::to_string(input.channels));
  const bool run = input.channels > 1 && field.type == FieldType::float32 && input.scale == 1.0 &&
                   cloud.big_endian == host_is_big_endian;
  for (std::size_t i = 0; i < (run ? 1 : input.channels); ++i) {
    TokenColumn column;
    column.type = field.type;
    column.run = run ? input.channels : 0;
    column.offset = field.offset + i * size_of(field.type);
    column.read = element_reader(field.type, cloud.big_endian);
    column.scale = axis >= 0 ? 1.0 : input.scale;
    column.limit = axis >= 0 ? largest_float / 2 : largest_float;
    column.channel = channel < 0 ? -1 : channel + static_cast<int>(i);
    column.axis = axis;
    columns.push_back(column);
  }
}

}  // namespace

bool run_is_finite(const std::byte* at, std::size_t run) {
  constexpr std::uint32_t exponent = 0x7F800000, one = 0x00800000;
  std::uint32_t carry = 0;  // the highest bit is set where an exponent is all ones
  for (std::size_t i = 0; i < run; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, at + i * sizeof bits, sizeof bits);
    carry |= (bits & exponent) + one;
  }
  return carry >> 31 == 0;
}

void copy_run(const std::byte* at, std::size_t run, float* out) {
  for (std::size_t i = 0; i < run; ++i) {
    float number;
    std::memcpy(&number, at + i * sizeof number, sizeof number);
    out[i] = number + 0.0F;
  }
}

ReadElements element_reader(FieldType type, bool big_endian) {
  return big_endian == host_is_big_endian ? reader_of<false>(type) : reader_of<true>(type);
}

void token_columns(const CloudView& cloud, const InputSpec& input, const GatherOptions& options,
                   std::vector<TokenColumn>& columns) {
  columns.clear();
  int channel = 0;
  for (const InputField& wanted : input.fields) {
    if (is_neighbourhood_field(wanted.name)) {
      channel += static_cast<int>(wanted.channels);
      continue;
    }
    const Field& field = cloud.fields[find_field(cloud, wanted.name, options.field_names)];
    const auto add = is_packed_colour(wanted.name) ? add_colour : add_numbers;
    add(cloud, field, wanted, channel, columns);
    channel += static_cast<int>(wanted.channels);
  }
  if (!options.positions && !options.zero_is_invalid) return;

  for (int axis = 0; axis < 3; ++axis) {
    const InputField wanted{axis_names[axis]};
    const auto reads_axis = [axis](const TokenColumn& column) { return column.axis == axis; };
    if (std::any_of(columns.begin(), columns.end(), reads_axis)) continue;
    const Field& field = cloud.fields[find_field(cloud, wanted.name, options.field_names)];
    add_numbers(cloud, field, wanted, -1, columns);
  }
}

}  // namespace pcl_attention
