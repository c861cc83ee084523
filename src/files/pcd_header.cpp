// SPDX-License-Identifier: BSD-3-Clause
#include "files/pcd_header.h"

#include <algorithm>
#include <map>
#include <optional>

#include "files/text_numbers.h"

namespace pcl_attention {
namespace {

using Words = std::vector<std::string_view>;

struct Entry {
  std::size_t line = 0;
  Words values;
};

// Entries of one rank may come in any order; PCL sizes its buffers by what stands before POINTS.
const std::map<std::string, int> ranks{{"VERSION", 0}, {"FIELDS", 1}, {"SIZE", 2},   {"TYPE", 3},
                                       {"COUNT", 4},   {"WIDTH", 5},  {"HEIGHT", 5}, {"VIEWPOINT", 5},
                                       {"POINTS", 5},  {"DATA", 6}};

/// The entries of a header up to DATA, each at most once.
class Entries {
 public:
  explicit Entries(TextLines& lines) : path_(lines.path()) {
    while (lines.next())
      if (add(lines)) return;
    lines.fail("the file ends before a DATA line");
  }

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    const auto found = entries_.find(name);
    fail_at(path_, (found != entries_.end() ? found : entries_.find("DATA"))->second.line,
            name + ": " + what);
  }

  bool has(const std::string& name) const { return entries_.count(name) != 0; }

  const Words& values(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) fail(name, "the line is missing");
    return found->second.values;
  }

  std::string_view single(const std::string& name) const {
    if (values(name).size() != 1)
      fail(name, "expected one value, found " + std::to_string(values(name).size()));
    return values(name)[0];
  }

  std::size_t count(const std::string& name) const {
    const std::string_view word = single(name);
    const auto value = to_count(word);
    if (!value) fail(name, "expected an integer from 0 to 2147483647, found " + printable(word));
    return *value;
  }

  // Returns the list with one word per field, or as many copies of `missing`.
  Words list(const std::string& name, std::size_t num_fields, std::string_view missing) const {
    if (!has(name)) return Words(num_fields, missing);
    if (values(name).size() != num_fields)
      fail(name, "expected " + std::to_string(num_fields) + " values as in FIELDS, found " +
                     std::to_string(values(name).size()));
    return values(name);
  }

 private:
  // Returns true at DATA.
  bool add(const TextLines& lines) {
    Words words = split_words(lines.line());
    if (words.empty() && !lines.line().empty()) lines.fail("a blank line in the header holds spaces or \\r");
    if (words.empty() || words[0][0] == '#') return false;
    const std::string name(words[0] == "COLUMNS" ? "FIELDS" : words[0]);
    const auto rank = ranks.find(name);
    if (rank == ranks.end())
      lines.fail("expected a PCD header line such as FIELDS or DATA, found " + printable(words[0]));
    if (rank->second < rank_) lines.fail(name + " comes too late in the header");
    words.erase(words.begin());
    if (!entries_.emplace(name, Entry{lines.number(), std::move(words)}).second)
      lines.fail(name + " stands twice in the header");
    rank_ = rank->second;
    return name == "DATA";
  }

  std::string path_;
  std::map<std::string, Entry> entries_;
  int rank_ = 0;
};

std::optional<FieldType> field_type(std::string_view type, std::string_view size) {
  static const std::map<std::string, FieldType> types{
      {"I1", FieldType::int8},    {"I2", FieldType::int16},   {"I4", FieldType::int32},
      {"I8", FieldType::int64},   {"U1", FieldType::uint8},   {"U2", FieldType::uint16},
      {"U4", FieldType::uint32},  {"U8", FieldType::uint64},  {"F4", FieldType::float32},
      {"F8", FieldType::float64}, {"B1", FieldType::boolean}, {"i1", FieldType::int8},
      {"i2", FieldType::int16},   {"i4", FieldType::int32},   {"i8", FieldType::int64},
      {"u1", FieldType::uint8},   {"u2", FieldType::uint16},  {"u4", FieldType::uint32},
      {"u8", FieldType::uint64},  {"f4", FieldType::float32}, {"f8", FieldType::float64},
      {"b1", FieldType::boolean}};
  const auto found = types.find(std::string(type) + std::string(size));
  if (found == types.end()) return std::nullopt;
  return found->second;
}

std::vector<Field> parse_fields(const Entries& entries) {
  const Words& names = entries.values("FIELDS");
  if (names.empty()) entries.fail("FIELDS", "no field is named");
  if (entries.has("SIZE") != entries.has("TYPE"))
    entries.fail(entries.has("SIZE") ? "TYPE" : "SIZE", "the line is missing");
  const Words sizes = entries.list("SIZE", names.size(), "4");
  const Words types = entries.list("TYPE", names.size(), "F");
  const Words counts = entries.list("COUNT", names.size(), "1");
  std::vector<Field> fields;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name(names[i]);
    const auto type = field_type(types[i], sizes[i]);
    if (!type)
      entries.fail("TYPE",
                   "field " + name + ": no type " + printable(types[i]) + " of size " + printable(sizes[i]));
    const auto count = to_count(counts[i]);
    if (!count || *count == 0)
      entries.fail("COUNT", "field " + name + ": expected a positive integer, found " + printable(counts[i]));
    fields.push_back({name, *type, offset, *count});
    offset += size_of(*type) * *count;
    if (offset > max_count) entries.fail("COUNT", "a point takes more than 2147483647 bytes");
  }
  return fields;
}

void parse_size(const Entries& entries, CloudHeader& header) {
  const std::size_t points = entries.count("POINTS");
  const bool both_missing = !entries.has("WIDTH") && !entries.has("HEIGHT");
  header.width = both_missing ? points : entries.count("WIDTH");
  header.height = entries.has("HEIGHT") ? entries.count("HEIGHT") : 1;
  if (header.width * header.height != points || (points == 0 && header.width != 0))
    entries.fail("POINTS", std::to_string(points) + " points, but WIDTH is " + std::to_string(header.width) +
                               " and HEIGHT " + std::to_string(header.height));
}

void check_viewpoint(const Entries& entries) {
  if (!entries.has("VIEWPOINT")) return;
  const Words& values = entries.values("VIEWPOINT");
  if (values.size() != 7)
    entries.fail("VIEWPOINT",
                 "expected 7 numbers, tx ty tz qw qx qy qz, found " + std::to_string(values.size()));
  for (const std::string_view value : values)
    if (!is_number(value, FieldType::float32))
      entries.fail("VIEWPOINT", "expected numbers, found " + printable(value));
}

CloudEncoding parse_encoding(const Entries& entries) {
  const std::string_view word = entries.single("DATA");
  if (word == "ascii") return CloudEncoding::ascii;
  if (word == "binary") return CloudEncoding::binary;
  if (word == "binary_compressed") return CloudEncoding::binary_compressed;
  entries.fail("DATA", "expected ascii, binary or binary_compressed, found " + printable(word));
}

}  // namespace

CloudHeader parse_pcd_header(TextLines& lines) {
  const Entries entries(lines);
  CloudHeader header;
  header.format = CloudFormat::pcd;
  header.fields = parse_fields(entries);
  parse_size(entries, header);
  check_viewpoint(entries);
  header.encoding = parse_encoding(entries);
  return header;
}

}  // namespace pcl_attention
