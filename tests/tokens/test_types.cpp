// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "pcl_attention/tokens.h"
#include "support/compare.h"
#include "tokens/raw_cloud.h"

namespace pcl_attention::test {
namespace {

/// Reads one element byte by byte.
double read_number(const std::byte* at, FieldType type, bool big_endian) {
  const std::size_t size = size_of(type);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i)
    bits |= static_cast<std::uint64_t>(at[big_endian ? size - 1 - i : i]) << 8 * i;
  const auto bits32 = static_cast<std::uint32_t>(bits);
  float as_float;
  double as_double;
  std::memcpy(&as_float, &bits32, sizeof as_float);
  std::memcpy(&as_double, &bits, sizeof as_double);
  switch (type) {
    case FieldType::int8:
      return static_cast<double>(static_cast<std::int8_t>(bits));
    case FieldType::int16:
      return static_cast<double>(static_cast<std::int16_t>(bits));
    case FieldType::int32:
      return static_cast<double>(static_cast<std::int32_t>(bits));
    case FieldType::int64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case FieldType::float32:
      return static_cast<double>(as_float);
    case FieldType::float64:
      return as_double;
    case FieldType::boolean:
      return bits != 0 ? 1.0 : 0.0;
    default:
      return static_cast<double>(bits);
  }
}

using Case = std::tuple<int, std::size_t, bool, std::size_t>;

class EveryType : public ::testing::TestWithParam<Case> {};

/// Random bytes: half of the doubles do not fit in float32, some floats are NaN.
TEST_P(EveryType, AgreesWithAReaderOfBytes) {
  const auto [type_number, offset, big_endian, count] = GetParam();
  const auto type = static_cast<FieldType>(type_number);
  const std::size_t n = 2500, point_step = offset + count * size_of(type) + 3;
  RawCloud cloud(n, point_step, {{"f", type, offset, count}}, big_endian);
  std::mt19937 generator(static_cast<std::uint32_t>(type_number));
  for (std::byte& byte : cloud.bytes) byte = static_cast<std::byte>(generator() % 5 == 0 ? 0 : generator());

  std::vector<std::uint32_t> points;
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> row;
    for (std::size_t c = 0; c < count; ++c) {
      const double number =
          read_number(cloud.view.point(i) + offset + c * size_of(type), type, big_endian) * 0.5;
      if (std::abs(number) <= std::numeric_limits<float>::max())
        row.push_back(static_cast<float>(number) + 0.0F);
    }
    if (row.size() != count) continue;
    points.push_back(static_cast<std::uint32_t>(i));
    values.insert(values.end(), row.begin(), row.end());
  }

  const Tokens tokens = gather(cloud.view, {{{"f", count, 0.5}}, Normalization::none, 1.0});
  EXPECT_EQ(tokens.num_points, n);
  EXPECT_EQ(tokens.num_channels, count);
  EXPECT_GT(tokens.size(), n / 20);
  EXPECT_EQ(tokens.point, points);
  EXPECT_TRUE(same_bits(tokens.values, values));
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType,
                         ::testing::Combine(::testing::Range(1, 12), ::testing::Values(0, 1, 4, 7),
                                            ::testing::Bool(), ::testing::Values(1, 3)));

TEST(Types, LargeIntegersAreTheNearestDouble) {
  RawCloud cloud(2, 16, {{"a", FieldType::uint64, 0, 1}, {"b", FieldType::int64, 8, 1}});
  const std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  const std::int64_t small = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < 2; ++i) {
    cloud.write(i, 0, large);
    cloud.write(i, 8, small + static_cast<std::int64_t>(i));
  }
  const Tokens tokens = gather(cloud.view, {{{"a"}, {"b", 1, 1e-3}}, Normalization::none, 1.0});
  EXPECT_EQ(tokens.values[0], 18446744073709551616.0F);
  EXPECT_EQ(tokens.values[1], static_cast<float>(-9223372036854775808.0 * 1e-3));
}

}  // namespace
}  // namespace pcl_attention::test
