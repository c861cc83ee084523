// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pcl_attention::bench {

/// One line of a table: column → number or text, in this sequence.
using Row = nlohmann::ordered_json;

/// What every benchmark takes: [--quick] [--json FILE] [WORD...].
struct Arguments {
  bool quick = false;  ///< small sizes and few rounds: does it run, not how fast
  std::string json;
  std::vector<std::string> words;

  /// @throws std::invalid_argument for an unknown option.
  Arguments(int argc, char** argv);
};

/// Prints tables and writes them as JSON with the machine they come from.
class Report {
 public:
  explicit Report(std::string name);

  /// Prints rows of equal columns under a title and keeps them.
  void table(const std::string& title, const std::vector<Row>& rows);

  /// Writes {benchmark, machine, tables} if a path is given. @throws std::runtime_error
  void write(const std::string& path) const;

 private:
  Row content_;
};

/// Throws std::runtime_error with `what` unless `right`: nothing is timed that is wrong.
void require(bool right, const std::string& what);

}  // namespace pcl_attention::bench
