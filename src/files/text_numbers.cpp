// SPDX-License-Identifier: BSD-3-Clause
#include "files/text_numbers.h"

#include <charconv>
#include <type_traits>

namespace pcl_attention {
namespace {

std::string_view without_plus(std::string_view word) {
  const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  return plus ? word.substr(1) : word;
}

template <class T>
bool parse(std::string_view word, T& value) {
  word = without_plus(word);
  const char* last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  const bool out_of_range = std::is_floating_point_v<T> && error == std::errc::result_out_of_range;
  return end == last && !word.empty() && (error == std::errc() || out_of_range);
}

template <class T>
bool is(std::string_view word) {
  T value{};
  return parse(word, value);
}

}  // namespace

bool is_number(std::string_view word, FieldType type) {
  switch (type) {
    case FieldType::int8:
      return is<std::int8_t>(word);
    case FieldType::uint8:
      return is<std::uint8_t>(word);
    case FieldType::int16:
      return is<std::int16_t>(word);
    case FieldType::uint16:
      return is<std::uint16_t>(word);
    case FieldType::int32:
      return is<std::int32_t>(word);
    case FieldType::uint32:
      return is<std::uint32_t>(word);
    case FieldType::int64:
      return is<std::int64_t>(word);
    case FieldType::uint64:
      return is<std::uint64_t>(word);
    case FieldType::boolean:
      return word == "0" || word == "1";
    case FieldType::float32:
    case FieldType::float64:
      return is<double>(word);
  }
  return false;
}

std::optional<std::int64_t> to_integer(std::string_view word) {
  std::int64_t value = 0;
  if (!parse(word, value)) return std::nullopt;
  return value;
}

std::optional<std::size_t> to_count(std::string_view word) {
  const auto value = to_integer(word);
  if (!value || *value < 0 || static_cast<std::size_t>(*value) > max_count) return std::nullopt;
  return static_cast<std::size_t>(*value);
}

const char* name_of(FieldType type) {
  static const char* const names[] = {"int8",    "uint8",   "int16",   "uint16", "int32", "uint32",
                                      "float32", "float64", "boolean", "int64",  "uint64"};
  return names[static_cast<std::size_t>(type) - 1];
}

}  // namespace pcl_attention
