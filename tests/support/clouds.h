// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"

namespace pcl_attention::test {

/// A cloud of float32 fields that owns its points.
struct FloatCloud {
  std::vector<std::string> names;
  std::vector<float> values;  ///< [points × names]

  std::size_t size() const { return names.empty() ? 0 : values.size() / names.size(); }
  float* row(std::size_t i) { return values.data() + i * names.size(); }
  const float* row(std::size_t i) const { return values.data() + i * names.size(); }

  CloudView view() const {
    CloudView cloud;
    cloud.data = reinterpret_cast<const std::byte*>(values.data());
    cloud.size = values.size() * sizeof(float);
    cloud.width = size();
    cloud.point_step = names.size() * sizeof(float);
    for (std::size_t i = 0; i < names.size(); ++i)
      cloud.fields.push_back({names[i], FieldType::float32, i * sizeof(float), 1});
    return cloud;
  }
};

/// Returns n points uniform in [−1, 1] per field, the same for the same seed.
inline FloatCloud random_cloud(std::size_t n, std::uint32_t seed,
                               std::vector<std::string> names = {"x", "y", "z"}) {
  FloatCloud cloud{std::move(names), {}};
  std::mt19937 generator(seed);
  cloud.values.resize(n * cloud.names.size());
  for (float& value : cloud.values)
    value = static_cast<float>(generator() >> 8) * (2.0F / 16777216.0F) - 1.0F;
  return cloud;
}

/// Returns the cloud with row i = old row source[i].
inline FloatCloud permuted(const FloatCloud& cloud, const std::vector<std::uint32_t>& source) {
  FloatCloud result{cloud.names, std::vector<float>(cloud.values.size())};
  for (std::size_t i = 0; i < source.size(); ++i)
    std::memcpy(result.row(i), cloud.row(source[i]), cloud.names.size() * sizeof(float));
  return result;
}

/// Returns a random permutation of 0 … n−1, the same for the same seed.
inline std::vector<std::uint32_t> random_permutation(std::size_t n, std::uint32_t seed) {
  std::vector<std::uint32_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::uint32_t>(i);
  std::mt19937 generator(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(rows[i - 1], rows[generator() % i]);
  return rows;
}

}  // namespace pcl_attention::test
