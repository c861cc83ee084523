// SPDX-License-Identifier: BSD-3-Clause
#include "files/bytes.h"
#include "files/ply_header.h"
#include "files/text_numbers.h"

namespace pcl_attention {
namespace {

/// Takes numbers from the words of a row, a row from each line.
class TextRows {
 public:
  explicit TextRows(TextLines& lines) : lines_(lines) {}

  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }

  bool skip_rows(const PlyElement&) { return false; }

  void begin_row(const PlyElement& element, std::size_t row) {
    if (!lines_.next())
      lines_.fail("element " + element.name + ": expected " + std::to_string(element.count) +
                  " rows, the file ends after " + std::to_string(row));
    name_ = "element " + element.name + ": ";
    rest_ = lines_.line();
  }

  void skip(const PlyProperty& property, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) word(property, property.type);
  }

  std::int64_t integer(const PlyProperty& property, FieldType type) {
    return *to_integer(word(property, type));
  }

  void end_row() {
    if (const std::string_view left = next_word(rest_); !left.empty())
      lines_.fail(name_ + "the row has more values than properties, beginning with " + printable(left));
  }

 private:
  std::string_view word(const PlyProperty& property, FieldType type) {
    const std::string_view word = next_word(rest_);
    if (word.empty()) lines_.fail(name_ + "the row ends before property " + property.name);
    if (!is_number(word, type))
      lines_.fail(name_ + "property " + property.name + ": expected " + name_of(type) + ", found " +
                  printable(word));
    return word;
  }

  TextLines& lines_;
  std::string name_;
  std::string_view rest_;
};

/// Takes numbers from the bytes behind the header.
class BinaryRows {
 public:
  BinaryRows(const TextLines& lines, bool big_endian)
      : lines_(lines), rest_(lines.rest()), big_endian_(big_endian) {}

  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }

  // Passes over all rows at once if they have one size.
  bool skip_rows(const PlyElement& element) {
    std::size_t size = 0;
    for (const PlyProperty& property : element.properties) {
      if (property.is_list) return false;
      size += size_of(property.type);
    }
    if (element.name == "camera") return false;
    if (size != 0 && rest_.size() / size < element.count)
      lines_.fail("element " + element.name + ": expected " + std::to_string(element.count) + " rows of " +
                  std::to_string(size) + " bytes, found " + std::to_string(rest_.size()) + " bytes");
    rest_.remove_prefix(size * element.count);
    return true;
  }

  void begin_row(const PlyElement& element, std::size_t row) {
    element_ = &element;
    row_ = row;
  }

  void skip(const PlyProperty& property, std::size_t count) { take(property, property.type, count); }

  std::int64_t integer(const PlyProperty& property, FieldType type) {
    const char* bytes = take(property, type, 1);
    switch (type) {
      case FieldType::int8:
        return load<std::int8_t>(bytes);
      case FieldType::uint8:
        return load<std::uint8_t>(bytes);
      case FieldType::int16:
        return load<std::int16_t>(bytes, big_endian_);
      case FieldType::uint16:
        return load<std::uint16_t>(bytes, big_endian_);
      case FieldType::int32:
        return load<std::int32_t>(bytes, big_endian_);
      default:
        return load<std::uint32_t>(bytes, big_endian_);
    }
  }

  void end_row() {}

 private:
  const char* take(const PlyProperty& property, FieldType type, std::size_t count) {
    if (rest_.size() / size_of(type) < count)
      lines_.fail("element " + element_->name + ", row " + std::to_string(row_) +
                  ": the file ends inside property " + property.name);
    const char* bytes = rest_.data();
    rest_.remove_prefix(size_of(type) * count);
    return bytes;
  }

  const TextLines& lines_;
  std::string_view rest_;
  bool big_endian_;
  const PlyElement* element_ = nullptr;
  std::size_t row_ = 0;
};

/// Passes over the rows of all elements.
template <class Rows>
class BodyCheck {
 public:
  explicit BodyCheck(Rows rows) : rows_(rows) {}

  PlyViewport run(const PlyHeader& header) {
    for (const PlyElement& element : header.elements) {
      if (rows_.skip_rows(element)) continue;
      lengths_.assign(element.properties.size(), 0);
      for (std::size_t row = 0; row < element.count; ++row) {
        rows_.begin_row(element, row);
        for (std::size_t i = 0; i < element.properties.size(); ++i) check(element, row, i);
        rows_.end_row();
      }
    }
    return viewport_;
  }

 private:
  void check(const PlyElement& element, std::size_t row, std::size_t i) {
    const PlyProperty& property = element.properties[i];
    if (property.is_list)
      check_list(element, row, i);
    else if (element.name == "camera" && property.type == FieldType::int32 && property.name == "viewportx")
      viewport_.width = rows_.integer(property, property.type);
    else if (element.name == "camera" && property.type == FieldType::int32 && property.name == "viewporty")
      viewport_.height = rows_.integer(property, property.type);
    else
      rows_.skip(property, 1);
  }

  void check_list(const PlyElement& element, std::size_t row, std::size_t i) {
    const PlyProperty& property = element.properties[i];
    const std::int64_t length = rows_.integer(property, property.length_type);
    if (row == 0) lengths_[i] = length;
    if (length < 0 || (element.name == "vertex" && length != lengths_[i]))
      rows_.fail("element " + element.name + ", row " + std::to_string(row) + ": property " + property.name +
                 ": expected a list of " +
                 (length < 0 ? "0 or more" : std::to_string(lengths_[i]) + " (as in row 0)") +
                 " numbers, found " + std::to_string(length));
    rows_.skip(property, static_cast<std::size_t>(length));
  }

  Rows rows_;
  std::vector<std::int64_t> lengths_;
  PlyViewport viewport_;
};

}  // namespace

PlyViewport check_ply_body(const PlyHeader& header, TextLines& lines) {
  if (header.encoding == CloudEncoding::ascii) return BodyCheck<TextRows>(TextRows(lines)).run(header);
  return BodyCheck<BinaryRows>(BinaryRows(lines, header.encoding == CloudEncoding::binary_big_endian))
      .run(header);
}

}  // namespace pcl_attention
