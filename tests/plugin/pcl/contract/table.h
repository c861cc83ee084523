// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace pcl_attention::test {

/// What the suite found: row × class. Printed at the end and held against the readme.
class Table {
 public:
  static Table& instance() {
    static Table table;
    return table;
  }

  void set(const std::string& row, const std::string& column, const std::string& cell) {
    if (cells_.find(row) == cells_.end()) rows_.push_back(row);
    cells_[row][column] = cell;
  }

  /// Returns the table in Markdown.
  std::string text(const std::vector<std::string>& columns) const {
    std::string text = "| |", rule = "| --- |";
    for (const std::string& column : columns) {
      text += " " + column + " |";
      rule += " --- |";
    }
    text += "\n" + rule + "\n";
    for (const std::string& row : rows_) {
      text += "| " + row + " |";
      for (const std::string& column : columns) {
        const auto cell = cells_.at(row).find(column);
        text += " " + (cell == cells_.at(row).end() ? "–" : cell->second) + " |";
      }
      text += "\n";
    }
    return text;
  }

 private:
  std::vector<std::string> rows_;
  std::map<std::string, std::map<std::string, std::string>> cells_;
};

/// Notes the outcome of the test it lives in.
class Row {
 public:
  Row(std::string row, std::string column) : row_(std::move(row)), column_(std::move(column)) {}
  ~Row() { Table::instance().set(row_, column_, ::testing::Test::HasFailure() ? "**failed**" : cell_); }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  /// The row does not apply to the class.
  void skip() { cell_ = "–"; }
  /// What the class does instead.
  void note(const std::string& text) { cell_ = text; }

 private:
  std::string row_, column_, cell_ = "✓";
};

}  // namespace pcl_attention::test
