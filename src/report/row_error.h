// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pcl_attention {

/// Rows of one call, row-major, and how many numbers each has.
/// @tparam T  double, or float for what an engine gives in float
template <class T>
struct RowsOf {
  std::vector<T> values;
  std::size_t width = 0;

  std::size_t size() const { return width == 0 ? 0 : values.size() / width; }
  const T* row(std::size_t i) const { return values.data() + i * width; }
};
using Rows = RowsOf<double>;

/// How far rows are from what they should be.
struct RowError {
  double relative_l2 = 0.0;  ///< ‖a−b‖ / ‖b‖
  double emlp = 0.0;         ///< rms(a−b) / (rms(a) + rms(b))
  double max_abs = 0.0;
  std::size_t worst_row = 0;  ///< row of b
  std::size_t nan_mismatches = 0;
  std::size_t compared = 0;     ///< rows without NaN on either side
  std::size_t label_flips = 0;  ///< those of them whose largest number is another one
  bool bitwise_equal = true;
};

/// Returns the distance of a's row i from b's row source[i], over all i. Numbers that are NaN on both
/// sides agree; a NaN on one side alone makes both relative errors infinite.
/// @param source       rows of b; without repeats if point_error is not empty
/// @param point_error  [rows of b] raised to ‖row difference‖ where that is larger; or empty
/// Same errors for float rows and for their numbers in double.
template <class T = double>
RowError compare_rows(const RowsOf<T>& a, const RowsOf<T>& b, const std::vector<std::uint32_t>& source,
                      std::vector<double>& point_error);
extern template RowError compare_rows(const RowsOf<double>&, const RowsOf<double>&,
                                      const std::vector<std::uint32_t>&, std::vector<double>&);
extern template RowError compare_rows(const RowsOf<float>&, const RowsOf<float>&,
                                      const std::vector<std::uint32_t>&, std::vector<double>&);

/// Returns |A ∩ B| / |A ∪ B| of two sets of points, 1 if both are empty. Point i of `a` is point source[i].
/// @param a, b         [points] nonzero = in the set
/// @param point_error  [points] raised by 1 where the sets disagree; or empty
double compare_kept(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                    const std::vector<std::uint32_t>& source, std::vector<double>& point_error);

/// Returns the distance of two sets of rows: ‖a−b‖² is the sum over the rows of either set of the squared
/// distance to the nearest row of the other, ‖a‖² and ‖b‖² are summed twice. Rows with NaN count as
/// mismatches where the sets have another number of them. Bits are equal if the sets are.
RowError compare_sets(const Rows& a, const Rows& b);

}  // namespace pcl_attention
