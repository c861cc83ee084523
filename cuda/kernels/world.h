// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kernels are compiled twice: by nvcc for a GPU, and by any C++ compiler for tests that run their threads
// on a CPU. The two never share a symbol.
#ifdef PCL_ATTENTION_CUDA_EMULATION
#define PCL_ATTENTION_GPU_WORLD emulated
#else
#define PCL_ATTENTION_GPU_WORLD device
#endif

struct CUstream_st;

namespace pcl_attention::gpu {
inline namespace PCL_ATTENTION_GPU_WORLD {

using Stream = CUstream_st*;  ///< cudaStream_t

}  // namespace PCL_ATTENTION_GPU_WORLD
}  // namespace pcl_attention::gpu
