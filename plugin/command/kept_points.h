// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cloud_file.h"

namespace pcl_attention::command {

/// What verbs share that keep some of the points.
struct KeptOptions {
  std::string in, out, removed;
  bool negative = false, keep_organised = false;
};

/// Adds IN, OUT, --negative, --keep-organised and --removed.
/// @param others  what --negative keeps, as "the outliers"
void add_kept_options(CLI::App& app, KeptOptions& options, const std::string& others);

/// Returns nothing if OUT and --removed can be written. @throws FileError, std::invalid_argument
void check_kept_outputs(const KeptOptions& options);

/// What becomes of the points, each list in the sequence of the cloud.
struct KeptPoints {
  std::vector<std::uint32_t> kept, removed;
  std::size_t valid = 0;

  std::size_t size() const { return kept.size() + removed.size(); }
};

/// Returns the chosen points as kept, with `negative` the others; those whose value is NaN are removed.
template <class Number>
KeptPoints split_points(const std::vector<Number>& values, const std::vector<std::uint8_t>& chosen,
                        bool negative) {
  KeptPoints points;
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    const bool valid = !std::isnan(values[i]);
    points.valid += valid ? 1 : 0;
    (valid && (chosen[i] != 0) != negative ? points.kept : points.removed).push_back(i);
  }
  return points;
}

/// Writes what was removed, if asked for, and what was kept: as one row, or rows and columns as they were
/// with NaN at removed points.
void write_kept(const CloudFile& file, const KeptPoints& points, const KeptOptions& options);

}  // namespace pcl_attention::command
