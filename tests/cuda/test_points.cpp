// SPDX-License-Identifier: BSD-3-Clause
// Tokens of a cloud in device memory, bit for bit as src/tokens gathers them.
#include "kernels/points.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda/kernel_test.h"
#include "exec/cuda_description.h"
#include "tokens/gather.h"

namespace pcl_attention::test {
namespace {

/// Points of 59 bytes with a number of every type at any address, in rows with a gap.
struct MixedCloud {
  static constexpr std::size_t kStep = 59, kGap = 5;

  explicit MixedCloud(std::size_t n) : bytes(2 * (n * kStep + kGap)) {
    std::mt19937 generator(static_cast<std::uint32_t>(n));
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(generator());
    view.data = reinterpret_cast<const std::byte*>(bytes.data());
    view.size = bytes.size();
    view.width = n;
    view.height = 2;
    view.point_step = kStep;
    view.row_step = n * kStep + kGap;
    add("normal", FieldType::float32, 0, 2);
    add("z", FieldType::float64, 8);
    add("x", FieldType::float32, 16);
    add("y", FieldType::float32, 20);
    std::size_t offset = 24;
    for (const FieldType type :
         {FieldType::int8, FieldType::uint8, FieldType::int16, FieldType::uint16, FieldType::int32,
          FieldType::uint32, FieldType::int64, FieldType::uint64, FieldType::boolean}) {
      add("f" + std::to_string(static_cast<int>(type)), type, offset);
      offset += size_of(type);
    }
    add("rgb", FieldType::float32, offset);
    for (std::size_t i = 0; i < 2 * n; ++i) set_place(i, static_cast<std::uint32_t>(generator()));
    for (const Field& field : view.fields)
      input.fields.push_back(
          {field.name, field.name == "rgb" ? 3 : field.count, field.name == "normal" ? 1.0 : 0.5});
  }

  void add(const std::string& name, FieldType type, std::size_t offset, std::size_t count = 1) {
    view.fields.push_back({name, type, offset, count});
  }

  unsigned char* point(std::size_t i) {
    return bytes.data() + i / view.width * view.row_step + i % view.width * kStep;
  }

  /// Coordinates and normals of use, but for some that are not finite, too large, or all zero.
  void set_place(std::size_t i, std::uint32_t chance) {
    float normal[2] = {0.5F, -0.0F};
    double z = static_cast<double>(i % 7) - 3.0;
    float xy[2] = {static_cast<float>(i % 97) - 40.0F, static_cast<float>(i % 13) * 0.3F};
    if (chance % 11 == 2) xy[chance % 2] = std::numeric_limits<float>::quiet_NaN();
    if (chance % 11 == 3) z = 2e38;
    if (chance % 11 == 4) normal[1] = std::numeric_limits<float>::infinity();
    if (chance % 11 == 5) xy[0] = xy[1] = 0.0F, z = -0.0;
    std::memcpy(point(i), normal, sizeof normal);
    std::memcpy(point(i) + 8, &z, sizeof z);
    std::memcpy(point(i) + 16, xy, sizeof xy);
  }

  std::vector<unsigned char> bytes;
  CloudView view;
  InputSpec input;
};

struct GpuTokens {
  GpuTokens(const MixedCloud& cloud, const GatherOptions& gathering, const std::uint8_t* mask) {
    DeviceInput input;
    input.surface = cloud.view;
    input.key_mask = mask;
    token_columns(cloud.view, cloud.input, gathering, columns);
    const std::optional<FixedGrid> grid;
    const DeviceCloud device{input, columns, gathering, Curve::none, grid};
    const cuda::PointsDescription points = describe_points(device, nullptr);
    const std::size_t n = points.n;
    gpu::InspectPoints inspect;
    inspect.points = {points.data,
                      points.width,
                      points.point_step,
                      points.row_step,
                      n,
                      points.columns.data(),
                      static_cast<std::uint32_t>(points.columns.size())};
    inspect.mask = mask;
    inspect.zero_is_invalid = gathering.zero_is_invalid;
    std::vector<std::uint64_t> keys(n, 7);
    std::vector<std::uint32_t> rows(n, 7);
    std::vector<gpu::PointExtent> partial(2 * gpu::kExtentBlocks);
    inspect.keys = keys.data();
    inspect.rows = rows.data();
    inspect.partial = partial.data();
    inspect.extent = extent;
    gpu::inspect_points(inspect, nullptr);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(rows[i], i);
      EXPECT_LE(keys[i], 1U);
      if (keys[i] == 0) point.push_back(rows[i]);
    }
    gpu::ReadTokens read;
    read.points = inspect.points;
    if (gathering.origin) std::copy(gathering.origin->begin(), gathering.origin->end(), read.origin);
    read.point = point.data();
    read.count = point.size();
    read.num_channels = static_cast<std::uint32_t>(cloud.input.num_channels());
    values.assign(read.count * read.num_channels, kUnset);
    if (gathering.positions) positions.assign(read.count * 3, kUnset);
    if (mask != nullptr) keep.assign(read.count, 9);
    read.values = values.data();
    read.positions = gathering.positions ? positions.data() : nullptr;
    read.mask = mask;
    read.keep = mask != nullptr ? keep.data() : nullptr;
    gpu::read_tokens(read, nullptr);
  }

  std::vector<TokenColumn> columns;
  gpu::PointExtent extent[2];
  std::vector<std::uint32_t> point;
  Numbers values, positions;
  std::vector<std::uint8_t> keep;
};

void expect_extent(const gpu::PointExtent& extent, const Tokens& tokens, const std::uint8_t* mask) {
  float lowest[6];
  std::fill_n(lowest, 6, std::numeric_limits<float>::infinity());
  double count = 0.0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (mask != nullptr && mask[tokens.point[t]] == 0) continue;
    ++count;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lowest[axis] = std::min(lowest[axis], tokens.positions[3 * t + axis]);
      lowest[3 + axis] = std::min(lowest[3 + axis], -tokens.positions[3 * t + axis]);
    }
  }
  EXPECT_EQ(extent.count, count);
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(static_cast<float>(extent.lowest[i] - (i < 3 ? 2.5 : -2.5)), lowest[i]) << i;
}

TEST(Points, TokensAreThoseOfTheCpu) {
  on_every_schedule([] {
    for (const std::size_t n : {1U, 33U, 700U})
      for (const bool masked : {false, true}) {
        const MixedCloud cloud(n);
        const std::vector<std::uint8_t> mask = random_mask(2 * n, 3);
        GatherOptions gathering;
        gathering.zero_is_invalid = masked;
        gathering.positions = true;
        gathering.origin = {2.5, 2.5, 2.5};
        const Tokens expected = gather(cloud.view, cloud.input, gathering);
        const GpuTokens tokens(cloud, gathering, masked ? mask.data() : nullptr);
        ASSERT_EQ(tokens.point, expected.point);
        EXPECT_EQ(std::memcmp(tokens.values.data(), expected.values.data(), expected.values.size() * 4), 0);
        EXPECT_EQ(std::memcmp(tokens.positions.data(), expected.positions.data(), expected.size() * 12), 0);
        expect_extent(tokens.extent[0], expected, nullptr);
        expect_extent(tokens.extent[1], expected, masked ? mask.data() : nullptr);
        for (std::size_t t = 0; t < tokens.keep.size(); ++t)
          EXPECT_EQ(tokens.keep[t], mask[expected.point[t]]);
      }
  });
}

TEST(Points, RowsGoToTheirPoints) {
  on_every_schedule([] {
    for (const std::size_t n : {0U, 1U, 33U, 500U}) {
      const Numbers from = random_numbers(n * 3, 2);
      std::vector<std::uint32_t> row(n), point(n);
      for (std::size_t i = 0; i < n; ++i) {
        row[i] = static_cast<std::uint32_t>(n - 1 - i);
        point[i] = static_cast<std::uint32_t>(2 * i + 1);
      }
      Numbers to(2 * n * 3, 7.0F), expected = to;
      gpu::scatter_rows({from.data(), row.data(), point.data(), to.data(), n, 3}, nullptr);
      for (std::size_t i = 0; i < 3 * n; ++i) expected[3 * point[row[i / 3]] + i % 3] = from[i];
      EXPECT_EQ(to, expected);
      gpu::scatter_rows({from.data(), nullptr, point.data(), to.data(), n, 3}, nullptr);
      for (std::size_t i = 0; i < 3 * n; ++i) EXPECT_EQ(to[3 * point[i / 3] + i % 3], from[i]);
    }
  });
}

}  // namespace
}  // namespace pcl_attention::test
