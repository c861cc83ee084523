// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pcl/memory.h>
#include <pcl/point_representation.h>
#include <pcl/register_point_struct.h>
#include <pcl/type_traits.h>

#include <boost/mpl/vector.hpp>
#include <cstddef>
#include <cstdint>
#include <ostream>

namespace pcl_attention {

/// A descriptor of N numbers, an output row of a model of width N. Registered with PCL for every N as
/// one field `attention` of N floats, so that files, k-d trees and correspondence search see them all.
template <int N>
struct AttentionSignature {
  static_assert(N > 0, "a signature holds at least one number");
  float descriptor[N] = {};

  static constexpr int descriptorSize() { return N; }

  friend std::ostream& operator<<(std::ostream& out, const AttentionSignature& p) {
    for (int i = 0; i < N; ++i) out << (i == 0 ? "(" : ", ") << p.descriptor[i];
    return out << ")";
  }
};

}  // namespace pcl_attention

namespace pcl {
namespace fields {
struct attention;
}

// What POINT_CLOUD_REGISTER_POINT_STRUCT writes for one type, here for all N at once.
namespace traits {

template <int N, int dummy>
struct name<pcl_attention::AttentionSignature<N>, fields::attention, dummy> {
  static constexpr char value[] = "attention";
};

template <int N>
struct offset<pcl_attention::AttentionSignature<N>, fields::attention> {
  static constexpr std::size_t value = 0;
};

template <int N>
struct datatype<pcl_attention::AttentionSignature<N>, fields::attention> {
  using type = float[N];
  using decomposed = decomposeArray<type>;
  static constexpr std::uint8_t value = asEnum<float>::value;
  static constexpr std::uint32_t size = N;
};

template <int N>
struct fieldList<pcl_attention::AttentionSignature<N>> {
  using type = boost::mpl::vector<fields::attention>;
};

}  // namespace traits

/// All N numbers count as dimensions.
template <int N>
class DefaultPointRepresentation<pcl_attention::AttentionSignature<N>>
    : public PointRepresentation<pcl_attention::AttentionSignature<N>> {
 public:
  DefaultPointRepresentation() {
    this->nr_dimensions_ = N;
    this->trivial_ = true;
  }

  void copyToFloatArray(const pcl_attention::AttentionSignature<N>& p, float* out) const override {
    for (int i = 0; i < N; ++i) out[i] = p.descriptor[i];
  }
};

}  // namespace pcl
