// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cuda/description.h"
#include "cuda/engine.h"
#include "cuda/memory.h"
#include "cuda/sort.h"
#include "kernels/points.h"

namespace pcl_attention::cuda {

/// Memory of inspecting a cloud: parts of one piece on the device.
struct InspectionMemory {
  gpu::PointColumn* columns = nullptr;
  gpu::PointExtent *partial = nullptr, *extent = nullptr;
  SortMemory sort;  ///< of validity; its sorted rows are the valid points, then the others
};

/// A cloud that somebody keeps in device memory: its valid points become tokens there, rows go to its points.
/// Keeps its memory between clouds. All put kernels on the stream; inspect() alone waits.
class DevicePoints {
 public:
  explicit DevicePoints(int device) : device_(device), memory_(device) {}

  /// Looks at every point. @throws DeviceError
  PointsFound inspect(const PointsDescription& points, StreamHandle stream);

  /// Writes values, positions and keep of the valid points, in their sequence.
  void read(const std::array<double, 3>& origin, std::size_t num_channels, const TokenStaging& tokens,
            StreamHandle stream) const;

  /// Writes the rows of tokens to their points, rank i at token row[i] or i; NaN to the other points.
  /// @param from  [valid points × width]; null: NaN everywhere
  void scatter(const float* from, const std::uint32_t* row, std::size_t width, StreamHandle stream) const;

 private:
  void check_memory() const;
  gpu::PointsView view() const;

  int device_;
  DeviceMemory memory_;
  PinnedMemory pinned_;
  PointsDescription points_;
  InspectionMemory inspection_;
  std::size_t num_valid_ = 0;
};

}  // namespace pcl_attention::cuda
