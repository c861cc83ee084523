// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/points.h"

#include <algorithm>
#include <string>

#include "pcl_attention/error.h"

namespace pcl_attention::cuda {
namespace {

InspectionMemory lay_out_inspection(std::size_t n, std::size_t num_columns, std::size_t scratch_bytes,
                                    Parts& parts) {
  InspectionMemory memory;
  memory.columns = parts.take<gpu::PointColumn>(num_columns);
  memory.partial = parts.take<gpu::PointExtent>(2 * gpu::kExtentBlocks);
  memory.extent = parts.take<gpu::PointExtent>(2);
  memory.sort = lay_out_sort(n, scratch_bytes, parts);
  return memory;
}

/// What goes up, and what comes back.
struct InspectionStaging {
  InspectionStaging(std::size_t num_columns, Parts& parts)
      : columns(parts.take<gpu::PointColumn>(num_columns)), extent(parts.take<gpu::PointExtent>(2)) {}

  gpu::PointColumn* columns;
  gpu::PointExtent* extent;
};

PointsFound found(const gpu::PointExtent* extent) {
  PointsFound result;
  for (auto* const one : {&result.valid, &result.kept}) {
    const gpu::PointExtent& from = extent[one == &result.kept ? 1 : 0];
    one->count = static_cast<std::size_t>(from.count);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      one->low[axis] = from.lowest[axis];
      one->high[axis] = -from.lowest[3 + axis];
    }
  }
  return result;
}

}  // namespace

PointsFound DevicePoints::inspect(const PointsDescription& points, StreamHandle stream) {
  points_ = points;
  num_valid_ = 0;
  const std::size_t n = points.n, num_columns = points.columns.size();
  if (n == 0) return {};
  check_memory();
  const std::size_t scratch = sort_scratch_bytes(n);
  Parts count;
  lay_out_inspection(n, num_columns, scratch, count);
  Parts device(memory_.require(count.used(), "a cloud of " + std::to_string(n) + " points"));
  inspection_ = lay_out_inspection(n, num_columns, scratch, device);
  const auto staging = lay_out_pinned<InspectionStaging>(num_columns, pinned_);
  std::copy(points.columns.begin(), points.columns.end(), staging.columns);
  runtime::copy_to_device(inspection_.columns, staging.columns, num_columns * sizeof(gpu::PointColumn),
                          stream);

  gpu::InspectPoints inspect;
  inspect.points = view();
  inspect.mask = points.mask;
  inspect.zero_is_invalid = points.zero_is_invalid;
  inspect.keys = inspection_.sort.keys;
  inspect.rows = inspection_.sort.rows;
  inspect.partial = inspection_.partial;
  inspect.extent = inspection_.extent;
  gpu::inspect_points(inspect, stream);
  sort_rows(inspection_.sort, n, {0, 1}, stream);
  runtime::copy_to_host(staging.extent, inspection_.extent, 2 * sizeof(gpu::PointExtent), stream);
  runtime::synchronise(stream);
  const PointsFound result = found(staging.extent);
  num_valid_ = result.valid.count;
  return result;
}

/// @throws DeviceError if the caller's memory is not the device's.
void DevicePoints::check_memory() const {
  const auto check = [&](const void* memory, const char* what) {
    if (!runtime::is_reachable(memory))
      throw DeviceError(std::string("cuda: ") + what + " do not lie in memory of device " +
                        std::to_string(device_));
  };
  check(points_.data, "the points");
  if (points_.mask != nullptr) check(points_.mask, "the flags of the key mask");
  check(points_.rows, "the rows");
}

void DevicePoints::read(const std::array<double, 3>& origin, std::size_t num_channels,
                        const TokenStaging& tokens, StreamHandle stream) const {
  gpu::ReadTokens read;
  read.points = view();
  std::copy(origin.begin(), origin.end(), read.origin);
  read.point = inspection_.sort.sorted_rows;
  read.count = num_valid_;
  read.num_channels = static_cast<std::uint32_t>(num_channels);
  read.values = tokens.values;
  read.positions = tokens.positions;
  read.mask = points_.mask;
  read.keep = tokens.keep;
  gpu::read_tokens(read, stream);
}

void DevicePoints::scatter(const float* from, const std::uint32_t* row, std::size_t width,
                           StreamHandle stream) const {
  constexpr int kNan = 0xFF;  // every byte of one
  if (num_valid_ < points_.n) runtime::fill(points_.rows, kNan, points_.n * width * sizeof(float), stream);
  if (from != nullptr)
    gpu::scatter_rows({from, row, inspection_.sort.sorted_rows, points_.rows, num_valid_,
                       static_cast<std::uint32_t>(width)},
                      stream);
}

gpu::PointsView DevicePoints::view() const {
  gpu::PointsView view;
  view.data = points_.data;
  view.width = points_.width;
  view.point_step = points_.point_step;
  view.row_step = points_.row_step;
  view.n = points_.n;
  view.columns = inspection_.columns;
  view.num_columns = static_cast<std::uint32_t>(points_.columns.size());
  return view;
}

}  // namespace pcl_attention::cuda
