// SPDX-License-Identifier: BSD-3-Clause
#include "files/ply_header.h"

#include <map>

#include "files/text_numbers.h"

namespace pcl_attention {
namespace {

using Words = std::vector<std::string_view>;

FieldType parse_type(std::string_view word, const TextLines& lines) {
  static const std::map<std::string, FieldType> types{
      {"char", FieldType::int8},      {"int8", FieldType::int8},       {"uchar", FieldType::uint8},
      {"uint8", FieldType::uint8},    {"short", FieldType::int16},     {"int16", FieldType::int16},
      {"ushort", FieldType::uint16},  {"uint16", FieldType::uint16},   {"int", FieldType::int32},
      {"int32", FieldType::int32},    {"uint", FieldType::uint32},     {"uint32", FieldType::uint32},
      {"float", FieldType::float32},  {"float32", FieldType::float32}, {"double", FieldType::float64},
      {"float64", FieldType::float64}};
  const auto found = types.find(std::string(word));
  if (found == types.end()) lines.fail("property: unknown type " + printable(word));
  return found->second;
}

void check_words(const Words& words, std::size_t expected, const char* form, const TextLines& lines) {
  if (words.size() != expected)
    lines.fail(std::string("expected '") + form + "', found " + printable(lines.line()));
}

void parse_format(const Words& words, const TextLines& lines, bool& known, PlyHeader& header) {
  check_words(words, 3, "format <encoding> 1.0", lines);
  if (known) lines.fail("format stands twice in the header");
  known = true;
  if (words[2] != "1.0") lines.fail("format: expected version 1.0, found " + printable(words[2]));
  if (words[1] == "ascii")
    header.encoding = CloudEncoding::ascii;
  else if (words[1] == "binary_little_endian")
    header.encoding = CloudEncoding::binary;
  else if (words[1] == "binary_big_endian")
    header.encoding = CloudEncoding::binary_big_endian;
  else
    lines.fail("format: expected ascii, binary_little_endian or binary_big_endian, found " +
               printable(words[1]));
}

void parse_element(const Words& words, const TextLines& lines, PlyHeader& header) {
  check_words(words, 3, "element <name> <count>", lines);
  const std::string name(words[1]);
  const auto count = to_count(words[2]);
  if (!count)
    lines.fail("element " + name + ": expected an integer from 0 to 2147483647, found " +
               printable(words[2]));
  if (header.find(name) != nullptr) lines.fail("element " + name + " stands twice in the header");
  header.elements.push_back({name, *count, {}});
}

void parse_property(const Words& words, const TextLines& lines, PlyHeader& header) {
  if (header.elements.empty()) lines.fail("property before any element");
  PlyProperty property;
  property.is_list = words.size() > 1 && words[1] == "list";
  if (property.is_list) {
    check_words(words, 5, "property list <length type> <type> <name>", lines);
    property.length_type = parse_type(words[2], lines);
    if (property.length_type == FieldType::float32 || property.length_type == FieldType::float64)
      lines.fail("property: expected an integer type for a list's length, found " + printable(words[2]));
  } else {
    check_words(words, 3, "property <type> <name>", lines);
  }
  property.type = parse_type(words[words.size() - 2], lines);
  property.name = std::string(words.back());
  std::vector<PlyProperty>& properties = header.elements.back().properties;
  for (const PlyProperty& other : properties)
    if (other.name == property.name)
      lines.fail("property " + other.name + " stands twice in element " + header.elements.back().name);
  properties.push_back(property);
}

void parse_obj_info(const Words& words, const TextLines& lines, PlyHeader& header) {
  if (words.size() < 3 || (words[1] != "num_cols" && words[1] != "num_rows")) return;
  const auto count = to_count(words[2]);
  if (!count) lines.fail("obj_info: expected an integer from 0 to 2147483647, found " + printable(words[2]));
  (words[1] == "num_cols" ? header.num_cols : header.num_rows) = static_cast<std::int64_t>(*count);
}

// PCL packs uchar colours when it meets blue, into the place that red took.
void check_colours(const PlyElement& vertex, const TextLines& lines) {
  int seen = 0;
  for (const PlyProperty& property : vertex.properties) {
    if (property.type != FieldType::uint8 || property.is_list) continue;
    const bool diffuse = property.name.rfind("diffuse_", 0) == 0;
    const std::string name = diffuse ? property.name.substr(8) : property.name;
    if (name == "red" || name == "green") ++seen;
    if (name == "blue" && seen < 2)
      lines.fail("element vertex: uchar colours are read in the order red, green, blue");
  }
}

void check_vertex(const PlyHeader& header, const TextLines& lines) {
  const PlyElement* vertex = header.find("vertex");
  if (vertex == nullptr) lines.fail("the header has no element vertex");
  if (vertex->properties.empty()) lines.fail("element vertex has no property");
  check_colours(*vertex, lines);
}

}  // namespace

const PlyElement* PlyHeader::find(const std::string& name) const {
  for (const PlyElement& element : elements)
    if (element.name == name) return &element;
  return nullptr;
}

PlyHeader parse_ply_header(TextLines& lines) {
  PlyHeader header;
  bool has_format = false;
  if (!lines.next() || split_words(lines.line()) != Words{"ply"}) lines.fail("expected 'ply'");
  while (lines.next()) {
    const Words words = split_words(lines.line());
    if (words.empty() || words[0] == "comment") continue;
    if (words[0] == "end_header") {
      if (!has_format) lines.fail("the header has no format line");
      check_vertex(header, lines);
      header.end_line = lines.number();
      return header;
    }
    if (words[0] == "format")
      parse_format(words, lines, has_format, header);
    else if (words[0] == "element")
      parse_element(words, lines, header);
    else if (words[0] == "property")
      parse_property(words, lines, header);
    else if (words[0] == "obj_info")
      parse_obj_info(words, lines, header);
    else
      lines.fail("expected a PLY header line such as element or property, found " + printable(words[0]));
  }
  lines.fail("the file ends before end_header");
}

}  // namespace pcl_attention
