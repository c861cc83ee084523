// SPDX-License-Identifier: BSD-3-Clause
#include "files/text_lines.h"

#include <algorithm>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

constexpr std::string_view separators = " \t\r";

}  // namespace

void fail_at(const std::string& path, std::size_t line, const std::string& what) {
  throw FileError(path + ":" + std::to_string(line) + ": " + what);
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result(text.substr(0, longest));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return "'" + result + (text.size() > longest ? "…'" : "'");
}

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(separators), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(separators));
  rest.remove_prefix(word.size());
  return word;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) words.push_back(word);
  return words;
}

bool TextLines::next() {
  if (position_ == text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  line_ = text_.substr(position_, end - position_);
  position_ = std::min(end + 1, text_.size());
  ++number_;
  return true;
}

}  // namespace pcl_attention
