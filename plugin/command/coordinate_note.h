// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "pcl_attention/cloud.h"

namespace pcl_attention::command {

/// Returns a sentence if neighbouring numbers of the coordinates' type lie more than 1e-4 of the
/// cloud's longest side apart: the step and how many of them the cloud spans. Else "".
std::string coordinate_note(const CloudView& cloud, const std::map<std::string, std::string>& field_names);

}  // namespace pcl_attention::command
