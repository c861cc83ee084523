// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cfenv>

namespace pcl_attention {

/// Sets this thread's floating-point modes to IEEE defaults while it lives and restores the host's, which
/// may flush denormals or round otherwise.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&host_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&host_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t host_;
};

}  // namespace pcl_attention
