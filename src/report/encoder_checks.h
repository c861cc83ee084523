// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "pcl_attention/encoder.h"
#include "pcl_attention/sensitivity.h"
#include "report/change.h"
#include "report/row_error.h"

namespace pcl_attention {

/// Returns one row per point in double, of either engine.
Rows encode_rows(Encoder& encoder, const CloudView& cloud);

/// The same into memory of the caller, of a float engine also in float; returns what was done.
template <class T>
EncodeResult encode_rows(Encoder& encoder, const CloudView& cloud, std::vector<T>& rows) {
  rows.resize(cloud.num_points() * encoder.model().config().output_width());
  EncodeInput input;
  input.surface = cloud;
  return encoder.encode(input, rows.data());
}

/// Returns the relative L2 between `rows` and those of the reference engine with the same options; NaN if
/// `encoder` is the reference.
double rounding_floor(const Encoder& encoder, const CloudView& cloud, const Rows& rows);

/// Returns the error behind each layer; empty for networks that cannot be cut (decoders).
/// @param floor  fill in LayerError::rounding_floor
std::vector<LayerError> layer_errors(const Encoder& encoder, const CloudView& cloud, std::uint64_t seed,
                                     bool floor, const std::function<void()>& next);

/// Returns how many calls of `next` layer_errors() will make.
std::size_t num_layer_calls(const Encoder& encoder, bool floor);

/// The rank of each point in the encoder's order.
class Ranks {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;  ///< of invalid points

  Ranks(const Encoder& encoder, const CloudView& cloud);

  const OrderDiagnostics& diagnostics() const { return diagnostics_; }

  /// Returns how far the ranks are from those of the unchanged cloud, over points valid in both.
  /// @param seed  of the random pairs of Kendall's τ
  RankStability compare(const Ranks& changed, double sigma, std::uint64_t seed) const;

 private:
  std::vector<std::uint32_t> rank_of_point_;
  OrderDiagnostics diagnostics_;
};

}  // namespace pcl_attention
