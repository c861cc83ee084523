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

/// How many fields match, and the first of them.
struct Matches {
  std::size_t count = 0, first = 0;
};

Matches matches(const CloudView& cloud, const std::string& name, Match match) {
  Matches found;
  for (std::size_t i = 0; i < cloud.fields.size(); ++i) {
    if (cloud.fields[i].name == "_" || !match(cloud.fields[i].name, name)) continue;
    if (found.count++ == 0) found.first = i;
  }
  return found;
}

std::string list_of_fields(const CloudView& cloud) {
  std::string list;
  for (const Field& field : cloud.fields)
    if (field.name != "_") list += (list.empty() ? "" : ", ") + field.name;
  return list.empty() ? "none" : list;
}

/// Returns the name that packed colour may have instead; null for other fields.
const std::string* other_name(const std::string& name) {
  static const std::string rgb = "rgb", rgba = "rgba";
  return name == rgb ? &rgba : name == rgba ? &rgb : nullptr;
}

}  // namespace

std::size_t find_field(const CloudView& cloud, const std::string& name,
                       const std::map<std::string, std::string>& field_names) {
  const auto mapped = field_names.find(name);
  const bool is_mapped = mapped != field_names.end();
  const std::string& wanted = is_mapped ? mapped->second : name;
  const std::string* const other = is_mapped ? nullptr : other_name(name);
  for (const Match match : {same, same_letters}) {
    for (const std::string* candidate : {&wanted, other}) {
      if (candidate == nullptr) continue;
      const Matches found = matches(cloud, *candidate, match);
      if (found.count == 1) return found.first;
      if (found.count > 1)
        throw CloudError("field '" + *candidate + "' is ambiguous, the cloud has: " + list_of_fields(cloud));
    }
  }
  throw CloudError("no field '" + wanted + "'" + (wanted == name ? "" : " (the model's '" + name + "')") +
                   " in the cloud, it has: " + list_of_fields(cloud));
}

}  // namespace pcl_attention
