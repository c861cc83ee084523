// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"

namespace pcl_attention {
namespace {

using Match = bool (*)(const std::string& a, const std::string& b);

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(const std::string& a, const std::string& b) { return a == b; }

bool same_letters(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::size_t> matches(const CloudView& cloud, const std::string& name, Match match) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < cloud.fields.size(); ++i)
    if (cloud.fields[i].name != "_" && match(cloud.fields[i].name, name)) found.push_back(i);
  return found;
}

std::string list_of_fields(const CloudView& cloud) {
  std::string list;
  for (const Field& field : cloud.fields)
    if (field.name != "_") list += (list.empty() ? "" : ", ") + field.name;
  return list.empty() ? "none" : list;
}

/// Returns the names under which a field may stand in the cloud, the better ones first.
std::vector<std::string> names_to_try(const std::string& name,
                                      const std::map<std::string, std::string>& field_names) {
  const auto mapped = field_names.find(name);
  if (mapped != field_names.end()) return {mapped->second};
  if (name == "rgb") return {"rgb", "rgba"};
  if (name == "rgba") return {"rgba", "rgb"};
  return {name};
}

}  // namespace

std::size_t find_field(const CloudView& cloud, const std::string& name,
                       const std::map<std::string, std::string>& field_names) {
  const std::vector<std::string> names = names_to_try(name, field_names);
  for (const Match match : {same, same_letters}) {
    for (const std::string& candidate : names) {
      const std::vector<std::size_t> found = matches(cloud, candidate, match);
      if (found.size() == 1) return found.front();
      if (found.size() > 1)
        throw CloudError("field '" + candidate + "' is ambiguous, the cloud has: " + list_of_fields(cloud));
    }
  }
  const std::string wanted = names.front() == name ? "" : " (the model's '" + name + "')";
  throw CloudError("no field '" + names.front() + "'" + wanted +
                   " in the cloud, it has: " + list_of_fields(cloud));
}

}  // namespace pcl_attention
