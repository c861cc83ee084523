// SPDX-License-Identifier: BSD-3-Clause
#include "report/change.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace pcl_attention {
namespace {

void check_size(const Change& change) {
  const double size = change.size;
  bool good = std::isfinite(size) && size >= 0.0;
  if (change.group == ChangeGroup::reflection) good = size == 0.0 || size == 1.0 || size == 2.0;
  if (change.group == ChangeGroup::subset) good = size > 0.0 && size <= 1.0;
  if (change.group == ChangeGroup::duplicates) good = size >= 0.0 && size <= 1.0;
  if (!good)
    throw std::invalid_argument("measure_sensitivity: " + to_string(change.group) + " of size " +
                                std::to_string(size) + " is out of range");
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::string to_string(ChangeGroup group) {
  switch (group) {
    case ChangeGroup::permutation:
      return "permutation";
    case ChangeGroup::jitter:
      return "jitter";
    case ChangeGroup::translation:
      return "translation";
    case ChangeGroup::rotation:
      return "rotation";
    case ChangeGroup::reflection:
      return "reflection";
    case ChangeGroup::subset:
      return "subset";
    case ChangeGroup::duplicates:
      return "duplicates";
  }
  throw std::invalid_argument("unknown group of changes");
}

ChangedCloud apply_change(const CloudView& cloud, const Change& change, const MovingPoints& moving) {
  const std::size_t n = cloud.num_points();
  if (change.group == ChangeGroup::permutation)
    return {cloud, make_permutation({change.kind, change.seed}, n)};
  check_size(change);
  if (change.group == ChangeGroup::subset) return {cloud, choose_subset(n, change)};
  if (change.group == ChangeGroup::duplicates) return {cloud, choose_duplicates(n, change)};
  ChangedCloud changed(cloud, every_point(n));
  if (change.group == ChangeGroup::jitter)
    jitter(changed, change, moving);
  else
    move_rigidly(changed, change, moving);
  return changed;
}

std::string name_of(const Change& change) {
  switch (change.group) {
    case ChangeGroup::permutation: {
      const std::string text = to_string(Permutation{change.kind, change.seed});
      const std::string seed = " " + std::to_string(change.seed);
      const bool seeded = text.size() > seed.size() && text.substr(text.size() - seed.size()) == seed;
      return seeded ? text.substr(0, text.size() - seed.size()) : text;
    }
    case ChangeGroup::reflection:
      return std::string("reflection of ") + "xyz"[static_cast<int>(change.size)];
    case ChangeGroup::rotation:
      return "rotation by " + short_number(change.size) + " degrees";
    case ChangeGroup::subset:
      return "subset of " + short_number(100.0 * change.size) + " %";
    case ChangeGroup::duplicates:
      return "duplicates of " + short_number(100.0 * change.size) + " %";
    default:
      return to_string(change.group) + " " + short_number(change.size);
  }
}

std::string to_string(const Change& change) {
  if (change.group == ChangeGroup::permutation) return to_string(Permutation{change.kind, change.seed});
  if (change.group == ChangeGroup::reflection) return name_of(change);
  return name_of(change) + ", seed " + std::to_string(change.seed);
}

}  // namespace pcl_attention
