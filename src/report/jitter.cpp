// SPDX-License-Identifier: BSD-3-Clause
#include "report/change.h"
#include "weights/random.h"

namespace pcl_attention {
namespace {

constexpr std::uint64_t kStream = 101;  ///< of the seed

}  // namespace

void jitter(ChangedCloud& cloud, const Change& change, const MovingPoints& moving) {
  const Triple position(cloud.view(), {"x", "y", "z"}, moving.field_names);
  RandomSequence random(change.seed, kStream);
  for (std::size_t i = 0; i < cloud.source().size(); ++i) {
    const Point3 step{random.normal(), random.normal(), random.normal()};
    Point3 point = position.read(cloud.point(i));
    if (moving.zero_is_invalid && point == Point3{}) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) point[axis] += change.size * step[axis];
    position.write(cloud.point(i), point);
  }
}

}  // namespace pcl_attention
