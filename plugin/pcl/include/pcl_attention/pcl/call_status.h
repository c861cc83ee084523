// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

#include "pcl_attention/export.h"

namespace pcl_attention {

/// What became of the last call through a PCL base, which must not throw.
class PCL_ATTENTION_EXPORT CallStatus {
 public:
  /// Returns why the last call failed, or "" after a good one. A filter without an input is stopped by PCL
  /// itself and changes nothing here.
  const std::string& getLastError() const { return last_error_; }

 protected:
  CallStatus() = default;
  ~CallStatus() = default;

  /// Returns true if body() runs to its end. An exception is printed with PCL_ERROR and kept.
  /// @param function  what failed, as "AttentionFilter::filter"
  template <class Body>
  bool guard(const std::string& function, const Body& body) {
    last_error_.clear();
    try {
      body();
      return true;
    } catch (const std::exception& error) {
      fail(function, error.what());
      return false;
    }
  }

 private:
  void fail(const std::string& function, const std::string& reason);

  std::string last_error_;
};

}  // namespace pcl_attention
