// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "files/bytes.h"
#include "files/file_bytes.h"
#include "files/safetensors.h"
#include "files/shape.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

using nlohmann::json;

constexpr std::size_t length_bytes = 8, max_header_bytes = 100'000'000;
constexpr const char* metadata_key = "__metadata__";

struct Slot {
  std::string name;
  TensorType type = TensorType::f32;
  std::vector<std::size_t> shape;
  std::size_t begin = 0, end = 0;
};

/// Reads the parts of one file; each fault names the file.
class Reader {
 public:
  Reader(std::string bytes, const std::string& path) : path_(path), bytes_(std::move(bytes)) {}

  SafetensorsFile read() const {
    const std::string_view header = header_text();
    const std::size_t data = length_bytes + header.size();
    SafetensorsFile file;
    std::vector<Slot> slots;
    const json entries = parse(header);
    for (const auto& [name, entry] : entries.items()) {
      if (name == metadata_key)
        file.metadata = metadata(entry);
      else
        slots.push_back(slot(name, entry, bytes_.size() - data));
    }
    check_layout(slots, bytes_.size() - data);
    for (const Slot& s : slots) {
      const std::byte* bytes = reinterpret_cast<const std::byte*>(bytes_.data()) + data;
      file.tensors[s.name] = {s.type, s.shape, {bytes + s.begin, bytes + s.end}};
    }
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FileError(path_ + ": " + what); }

  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    fail("tensor \"" + tensor + "\": " + what);
  }

  std::string_view header_text() const {
    if (bytes_.size() < length_bytes)
      fail("expected 8 bytes of header length, the file has " + std::to_string(bytes_.size()));
    const auto size = load<std::uint64_t>(bytes_.data());
    if (size > max_header_bytes)
      fail("header length " + std::to_string(size) + ", at most " + std::to_string(max_header_bytes) +
           " are allowed");
    if (size > bytes_.size() - length_bytes)
      fail("header length " + std::to_string(size) + ", the file has " +
           std::to_string(bytes_.size() - length_bytes) + " bytes behind it");
    const std::string_view text(bytes_.data() + length_bytes, size);
    if (text.empty() || text.front() != '{') fail("the header is not a JSON object");
    if (text.find('\0') != text.npos) fail("the header holds a zero byte");
    return text;
  }

  json parse(std::string_view text) const {
    std::vector<std::set<std::string>> keys;
    const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
      if (depth > 3) fail("the header is nested deeper than a list of an entry");
      if (event == json::parse_event_t::object_start) keys.emplace_back();
      if (event == json::parse_event_t::object_end) keys.pop_back();
      if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
        fail("the key " + parsed.dump() + " stands twice in the header");
      return true;
    };
    try {
      return json::parse(text.begin(), text.end(), check);
    } catch (const json::exception& error) {
      fail("the header is not valid JSON: " + std::string(error.what()));
    }
  }

  std::map<std::string, std::string> metadata(const json& entry) const {
    if (!entry.is_object()) fail("__metadata__ is not an object");
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) fail("__metadata__: the value of \"" + key + "\" is not a string");
      result[key] = value.get<std::string>();
    }
    return result;
  }

  Slot slot(const std::string& name, const json& entry, std::size_t data_size) const {
    if (!entry.is_object()) fail(name, "the entry is not an object");
    for (const auto& item : entry.items())
      if (item.key() != "dtype" && item.key() != "shape" && item.key() != "data_offsets")
        fail(name, "unknown member \"" + item.key() + "\"");
    Slot s;
    s.name = name;
    s.type = type(name, member(name, entry, "dtype"));
    s.shape = sizes(name, entry, "shape");
    const std::vector<std::size_t> offsets = sizes(name, entry, "data_offsets");
    if (offsets.size() != 2)
      fail(name, "data_offsets has " + std::to_string(offsets.size()) + " numbers, not 2");
    s.begin = offsets[0];
    s.end = offsets[1];
    check_size(s, data_size);
    return s;
  }

  const json& member(const std::string& name, const json& entry, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end()) fail(name, std::string("the member \"") + key + "\" is missing");
    return *found;
  }

  TensorType type(const std::string& name, const json& word) const {
    const auto found = word.is_string() ? tensor_type(word.get_ref<const std::string&>()) : std::nullopt;
    if (!found) fail(name, "unknown dtype " + word.dump());
    return *found;
  }

  std::vector<std::size_t> sizes(const std::string& name, const json& entry, const char* key) const {
    const json& list = member(name, entry, key);
    if (!list.is_array()) fail(name, std::string(key) + " is not a list");
    std::vector<std::size_t> result;
    for (const json& number : list) {
      if (!number.is_number_unsigned())
        fail(name, std::string(key) + ": expected unsigned integers, found " + number.dump());
      result.push_back(number.get<std::size_t>());
    }
    return result;
  }

  void check_size(const Slot& s, std::size_t data_size) const {
    if (s.begin > s.end || s.end > data_size)
      fail(s.name, "data_offsets [" + std::to_string(s.begin) + ", " + std::to_string(s.end) +
                       "] do not lie in the " + std::to_string(data_size) + " bytes of data");
    const auto size = checked_product(s.shape, size_of(s.type));
    if (!size) fail(s.name, "the product of the shape overflows");
    if (*size != s.end - s.begin)
      fail(s.name, "shape and dtype need " + std::to_string(*size) + " bytes, data_offsets give " +
                       std::to_string(s.end - s.begin));
  }

  // The tensors fill the data without overlap or gap.
  void check_layout(std::vector<Slot> slots, std::size_t data_size) const {
    std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    std::size_t filled = 0;
    for (const Slot& s : slots) {
      if (s.begin < filled) fail(s.name, "its bytes overlap those of another tensor");
      if (s.begin > filled) fail(s.name, std::to_string(s.begin - filled) + " unused bytes lie before it");
      filled = s.end;
    }
    if (filled != data_size) fail(std::to_string(data_size - filled) + " bytes follow the last tensor");
  }

  std::string path_, bytes_;
};

}  // namespace

SafetensorsFile read_safetensors(const std::string& path) {
  return parse_safetensors(read_file_bytes(path), path);
}

SafetensorsFile parse_safetensors(std::string bytes, const std::string& name) {
  return Reader(std::move(bytes), name).read();
}

}  // namespace pcl_attention
