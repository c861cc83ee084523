// SPDX-License-Identifier: BSD-3-Clause
#include "stage_times.h"

#include <cstdio>
#include <utility>
#include <vector>

namespace pcl_attention::command {
namespace {

std::vector<std::pair<const char*, double>> all_of(const StageTimes& times) {
  const StageSeconds& stages = times.stages;
  return {{"read", times.read},      {"gather", stages.gather},
          {"order", stages.order},   {"neighbourhood", stages.neighbourhood},
          {"encode", stages.encode}, {"scatter", stages.scatter},
          {"write", times.write}};
}

}  // namespace

void StageTimes::add(const StageSeconds& seconds) {
  stages.gather += seconds.gather;
  stages.order += seconds.order;
  stages.neighbourhood += seconds.neighbourhood;
  stages.encode += seconds.encode;
  stages.scatter += seconds.scatter;
}

nlohmann::json StageTimes::to_json() const {
  nlohmann::json json;
  for (const auto& [name, seconds] : all_of(*this)) json[name] = seconds;
  return json;
}

std::string StageTimes::to_text() const {
  std::string text = "seconds";
  for (const auto& [name, seconds] : all_of(*this)) {
    char item[64];
    std::snprintf(item, sizeof(item), " %s %.3f", name, seconds);
    text += item;
  }
  return text;
}

}  // namespace pcl_attention::command
