// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pcl_attention {

/// Throws FileError "path:line: what".
[[noreturn]] void fail_at(const std::string& path, std::size_t line, const std::string& what);

/// Returns the text in quotes for a message, cut to 40 characters, with ? for what cannot be printed.
std::string printable(std::string_view text);

/// Returns the next word of `rest` and removes it from there; empty at the end. Words are separated by
/// spaces, tabs and carriage returns.
std::string_view next_word(std::string_view& rest);

/// Returns all words of `line`.
std::vector<std::string_view> split_words(std::string_view line);

/// Walks the lines of a text in memory, numbered from 1. Lines end in \n or at the text's end.
class TextLines {
 public:
  TextLines(std::string path, std::string_view text) : path_(std::move(path)), text_(text) {}

  /// Goes to the next line; false at the end, where the last line stays the current one.
  bool next();

  std::string_view line() const { return line_; }  ///< without its \n
  std::size_t number() const { return number_; }
  const std::string& path() const { return path_; }

  /// Returns the text behind the current line.
  std::string_view rest() const { return text_.substr(position_); }

  /// Throws FileError naming the current line.
  [[noreturn]] void fail(const std::string& what) const { fail_at(path_, number_, what); }

 private:
  std::string path_;
  std::string_view text_, line_;
  std::size_t position_ = 0, number_ = 0;
};

}  // namespace pcl_attention
