// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pcl_attention/encoder.h"

namespace pcl_attention::command {

/// Wall-clock seconds of a verb.
struct StageTimes {
  double read = 0.0, write = 0.0;  ///< of files
  StageSeconds stages;             ///< added up over all clouds

  void add(const StageSeconds& seconds);
  nlohmann::json to_json() const;
  /// Returns "seconds read 0.012 gather …" in the sequence of the stages.
  std::string to_text() const;
};

}  // namespace pcl_attention::command
