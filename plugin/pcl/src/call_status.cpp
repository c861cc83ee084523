// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/call_status.h"

#include <pcl/console/print.h>

namespace pcl_attention {

void CallStatus::fail(const std::string& function, const std::string& reason) {
  last_error_ = reason;
  PCL_ERROR("[pcl_attention::%s] %s\n", function.c_str(), reason.c_str());
}

}  // namespace pcl_attention
