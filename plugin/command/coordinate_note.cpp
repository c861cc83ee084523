// SPDX-License-Identifier: BSD-3-Clause
#include "coordinate_note.h"

#include <algorithm>
#include <cstdio>

#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention::command {
namespace {

double longest_side(const Tokens& tokens) {
  double longest = 0.0;
  for (std::size_t axis = 0; axis < 3 && tokens.size() != 0; ++axis) {
    float low = tokens.positions[axis], high = low;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      low = std::min(low, tokens.positions[3 * i + axis]);
      high = std::max(high, tokens.positions[3 * i + axis]);
    }
    longest = std::max(longest, static_cast<double>(high) - static_cast<double>(low));
  }
  return longest;
}

bool has_position(const CloudView& cloud, const std::map<std::string, std::string>& names) {
  try {
    for (const char* axis : {"x", "y", "z"}) find_field(cloud, axis, names);
    return true;
  } catch (const CloudError&) {
    return false;
  }
}

}  // namespace

std::string coordinate_note(const CloudView& cloud, const std::map<std::string, std::string>& field_names) {
  if (!has_position(cloud, field_names)) return "";
  GatherOptions options;
  options.field_names = field_names;
  options.positions = true;
  InputSpec position;
  position.fields = {{"x", 1, 1.0}, {"y", 1, 1.0}, {"z", 1, 1.0}};
  position.normalization = Normalization::centred;
  const Tokens tokens = gather(cloud, position, options);
  const double side = longest_side(tokens), step = tokens.coordinate_step;
  if (!(side > 0.0) || !(step > 1e-4 * side)) return "";
  char text[160];
  std::snprintf(text, sizeof(text),
                "coarse coordinates: neighbouring numbers are up to %g apart, %.0f steps along "
                "the cloud's longest side of %g",
                step, side / step, side);
  return text;
}

}  // namespace pcl_attention::command
