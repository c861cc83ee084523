// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "files/bytes.h"
#include "files/pcd_header.h"
#include "files/text_numbers.h"

namespace pcl_attention {
namespace {

std::size_t point_bytes(const CloudHeader& header) {
  const Field& last = header.fields.back();
  return last.offset + size_of(last.type) * last.count;
}

bool is_padding(const Field& field) { return field.name == "_"; }

// Padding is counted, never read.
void check_row(const std::vector<Field>& fields, const TextLines& lines) {
  std::string_view rest = lines.line();
  for (const Field& field : fields) {
    for (std::size_t i = 0; i < field.count; ++i) {
      const std::string_view word = next_word(rest);
      if (word.empty()) lines.fail("the row ends before field " + field.name);
      if (!is_padding(field) && !is_number(word, field.type))
        lines.fail("field " + field.name + ": expected " + name_of(field.type) + ", found " +
                   printable(word));
    }
  }
  if (const std::string_view word = next_word(rest); !word.empty())
    lines.fail("the row has more values than the header, beginning with " + printable(word));
}

// PCL skips empty lines, and takes a line of spaces (or \r) for a point at the origin.
void check_ascii(const CloudHeader& header, TextLines& lines) {
  const std::size_t points = header.width * header.height;
  for (std::size_t row = 0; row < points;) {
    if (!lines.next())
      lines.fail("expected " + std::to_string(points) + " points, the file ends after " +
                 std::to_string(row));
    if (lines.line().empty()) continue;
    std::string_view rest = lines.line();
    if (next_word(rest).empty()) lines.fail("a blank line between the points holds spaces or \\r");
    check_row(header.fields, lines);
    ++row;
  }
}

void check_binary(const CloudHeader& header, const TextLines& lines) {
  const std::size_t expected = header.width * header.height * point_bytes(header);
  if (lines.rest().size() < expected)
    lines.fail("expected " + std::to_string(expected) + " bytes behind this line, found " +
               std::to_string(lines.rest().size()));
}

// The body is two sizes of 4 bytes, compressed and not, and the compressed bytes.
void check_compressed(const CloudHeader& header, const TextLines& lines) {
  const std::size_t expected = header.width * header.height * point_bytes(header);
  const std::string_view body = lines.rest();
  constexpr std::size_t words = 8;
  if (expected == 0) return;
  for (const Field& field : header.fields)
    if (is_padding(field))
      lines.fail("binary_compressed with fields named _ is read differently by every reader");
  if (body.size() < words)
    lines.fail("expected 8 bytes of sizes behind this line, found " + std::to_string(body.size()));
  const std::size_t compressed = load<std::uint32_t>(body.data());
  const std::size_t plain = load<std::uint32_t>(body.data() + 4);
  if (compressed > body.size() - words)
    lines.fail("expected " + std::to_string(compressed) + " compressed bytes, found " +
               std::to_string(body.size() - words));
  if (plain != expected)
    lines.fail("the points take " + std::to_string(expected) + " bytes, the body says " +
               std::to_string(plain));
}

}  // namespace

void check_pcd_body(const CloudHeader& header, TextLines& lines) {
  if (header.encoding == CloudEncoding::ascii)
    check_ascii(header, lines);
  else if (header.encoding == CloudEncoding::binary)
    check_binary(header, lines);
  else
    check_compressed(header, lines);
}

}  // namespace pcl_attention
