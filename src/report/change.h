// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pcl_attention/sensitivity.h"
#include "report/changed_cloud.h"

namespace pcl_attention {

/// One change of a cloud.
struct Change {
  ChangeGroup group = ChangeGroup::jitter;
  double size = 0.0;  ///< see ChangeGroup; not used by permutations
  std::uint64_t seed = 0;
  PermutationKind kind = PermutationKind::random;  ///< of permutations
};

/// Which points move, and where their coordinates are.
struct MovingPoints {
  std::map<std::string, std::string> field_names;
  bool zero_is_invalid = false;  ///< points at (0, 0, 0) stay there
};

/// Returns the changed copy of a cloud. @throws CloudError if coordinates have to move and are not floats,
/// std::invalid_argument for a size out of its range.
ChangedCloud apply_change(const CloudView& cloud, const Change& change, const MovingPoints& moving);

/// Returns what the change is, without its seed: "random", "jitter 0.001".
std::string name_of(const Change& change);

/// Returns the same with the seed, if it has one.
std::string to_string(const Change& change);

// Each changes a copy of the cloud's points in place; a file per group.
void jitter(ChangedCloud& cloud, const Change& change, const MovingPoints& moving);
void move_rigidly(ChangedCloud& cloud, const Change& change, const MovingPoints& moving);

// Each returns the points of the new cloud.
std::vector<std::uint32_t> choose_subset(std::size_t num_points, const Change& change);
std::vector<std::uint32_t> choose_duplicates(std::size_t num_points, const Change& change);

}  // namespace pcl_attention
