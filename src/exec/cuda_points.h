// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "attention/engine.h"
#include "cuda/engine.h"

namespace pcl_attention {

/// Runs a network on a cloud that lies on the engine's device, see Encoder::encode_on_device().
EncodeResult encode_points(cuda::Engine& engine, const ModelConfig& config, const DeviceCloud& cloud,
                           float* out, const EncodeControls& controls);

}  // namespace pcl_attention
