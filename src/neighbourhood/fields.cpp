// SPDX-License-Identifier: BSD-3-Clause
#include "neighbourhood/fields.h"

#include <algorithm>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

const std::string kPrefix = "neighbourhood.";

std::size_t index_of(const std::string& name) {
  const std::vector<std::string>& names = neighbourhood_fields();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  throw ModelError("model configuration: no field \"" + name + "\", there are: " + list);
}

}  // namespace

const std::vector<std::string>& neighbourhood_fields() {
  static const std::vector<std::string> names{
      kPrefix + "log_distance_1",       kPrefix + "log_mean_distance_4",
      kPrefix + "log_mean_distance_8",  kPrefix + "log_mean_distance_16",
      kPrefix + "log_mean_distance_32", kPrefix + "log_density_ratio_4",
      kPrefix + "log_density_ratio_8",  kPrefix + "log_density_ratio_16",
      kPrefix + "extent_ratio_2",       kPrefix + "extent_ratio_3",
      kPrefix + "log_spread",           kPrefix + "abs_normal_z",
      kPrefix + "abs_normal_view",      kPrefix + "log_range"};
  return names;
}

bool is_neighbourhood_field(const std::string& name) { return name.rfind(kPrefix, 0) == 0; }

bool needs_sensor_origin(const InputSpec& input) {
  return std::any_of(input.fields.begin(), input.fields.end(), [](const InputField& field) {
    return field.name == kPrefix + "abs_normal_view" || field.name == kPrefix + "log_range";
  });
}

std::vector<NeighbourhoodChannel> neighbourhood_channels(const InputSpec& input) {
  std::vector<NeighbourhoodChannel> channels;
  std::size_t channel = 0;
  for (const InputField& field : input.fields) {
    if (is_neighbourhood_field(field.name)) {
      channels.push_back({index_of(field.name), channel, field.scale});
      if (field.channels != 1)
        throw ModelError("model configuration: field \"" + field.name + "\" has 1 channel, not " +
                         std::to_string(field.channels));
    }
    channel += field.channels;
  }
  return channels;
}

}  // namespace pcl_attention
