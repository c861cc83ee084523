// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "pcl_attention/export.h"

namespace pcl_attention {

// Wrong arguments and options are std::invalid_argument. What depends on data has its own class
// below; each message names the file, field or tensor, what was expected and what came.

/// A file cannot be read or written, or does not hold what its format demands.
class PCL_ATTENTION_EXPORT FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A cloud does not fit: a field is missing, sizes disagree, the grid cannot hold it.
class PCL_ATTENTION_EXPORT CloudError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A model's configuration or tensors are wrong, or do not fit the cloud's number of points.
class PCL_ATTENTION_EXPORT ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device is not there, cannot run this build, fails, or has too little memory.
class PCL_ATTENTION_EXPORT DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's cancel flag was set; the output buffer holds nothing of use.
class PCL_ATTENTION_EXPORT Cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pcl_attention
