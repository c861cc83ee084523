// SPDX-License-Identifier: BSD-3-Clause
#include "files/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string_view>

#include "files/bytes.h"
#include "files/text_lines.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_axes = 32;  // NumPy before 2.0 reads no more

/// Reads literals such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class LiteralReader {
 public:
  LiteralReader(std::string path, std::string_view text) : path_(std::move(path)), rest_(text) {}

  NpyHeader dictionary() {
    NpyHeader header;
    std::set<std::string> keys;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      if (!keys.insert(key).second) fail("a key once, it is the second " + printable(key));
      expect(':');
      value(key, header);
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (!rest_.empty()) fail("its end");
    if (keys.size() != 3) fail("the keys descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw FileError(path_ + ": .npy header: expected " + expected +
                    (rest_.empty() ? ", found its end" : ", found " + printable(rest_)));
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool accept(std::string_view token) {
    skip_space();
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool accept(char token) { return accept(std::string_view(&token, 1)); }

  void expect(char token) {
    if (!accept(token)) fail(std::string("'") + token + "'");
  }

  std::string quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos || rest_.substr(0, end).find('\\') != rest_.npos) fail("a plain string");
    const std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return word;
  }

  void value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      header.type = quoted();
    } else if (key == "fortran_order") {
      header.fortran_order = accept("True");
      if (!header.fortran_order && !accept("False")) fail("True or False");
    } else if (key == "shape") {
      header.shape = tuple();
    } else {
      fail("the keys descr, fortran_order and shape, it is " + printable(key));
    }
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect('(');
    while (!accept(')')) {
      numbers.push_back(number());
      if (accept(',')) continue;
      if (numbers.size() == 1) fail("','");
      expect(')');
      break;
    }
    return numbers;
  }

  std::size_t number() {
    skip_space();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail("an unsigned integer");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string path_;
  std::string_view rest_;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& path, const std::string& bytes) {
  if (std::string_view(bytes).substr(0, magic.size()) != magic)
    throw FileError(path + ": not a .npy file: it does not begin with \\x93NUMPY");
  const std::size_t begin = bytes.size() > 6 && bytes[6] == 1 ? 10 : 12;
  if (bytes.size() < begin) throw FileError(path + ": the file ends inside the .npy header");
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
    throw FileError(path + ": expected .npy format 1.0, 2.0 or 3.0, found " + std::to_string(bytes[6]) + "." +
                    std::to_string(bytes[7]));
  const std::size_t length = begin == 10 ? load<std::uint16_t>(&bytes[8]) : load<std::uint32_t>(&bytes[8]);
  if (length > bytes.size() - begin) throw FileError(path + ": the file ends inside the .npy header");
  NpyHeader header = LiteralReader(path, std::string_view(bytes).substr(begin, length)).dictionary();
  header.data_begin = begin + length;
  return header;
}

std::string make_npy_header(const std::string& type, const std::vector<std::size_t>& shape) {
  if (shape.size() > max_axes)
    throw std::invalid_argument(".npy: expected at most 32 axes, found " + std::to_string(shape.size()));
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis != 0 ? ", " : "") + std::to_string(shape[axis]);
  text += shape.size() == 1 ? ",), }" : "), }";
  const std::size_t before = magic.size() + 4;  // version and length
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  char length[2];
  store_little_endian(static_cast<std::uint16_t>(text.size()), length);
  return std::string(magic) + '\x01' + '\0' + std::string(length, 2) + text;
}

}  // namespace pcl_attention
