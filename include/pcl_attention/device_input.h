// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "pcl_attention/cloud.h"

struct CUstream_st;

namespace pcl_attention {

/// A CUDA stream: cudaStream_t. Null is the default stream.
using CudaStream = CUstream_st*;

/// A cloud in the memory of a CUDA device, for Encoder::encode_on_device(). All pointers but `surface.fields`
/// are the device's, of cudaMalloc() or whatever its kernels can read.
struct DeviceInput {
  CloudView surface;  ///< in the device's byte order; a selection `rows` is not taken
  /// [surface.num_points()] nonzero = keep, see EncodeInput::key_mask. Null: all.
  const std::uint8_t* key_mask = nullptr;
  CudaStream stream = nullptr;  ///< what fills the cloud stands before the call on it
};

}  // namespace pcl_attention
