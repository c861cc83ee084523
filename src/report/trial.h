// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pcl_attention/sensitivity.h"
#include "report/row_error.h"

namespace pcl_attention {

/// Returns the trial of one change: a's row i held against b's row source[i].
/// @param point_error  as in compare_rows()
template <class T = double>
Trial make_trial(const std::string& change, const RowsOf<T>& a, const RowsOf<T>& b,
                 const std::vector<std::uint32_t>& source, std::vector<double>& point_error);

/// The same for one row per point that is 1 if the point is kept, else 0. A point is kept in the changed
/// cloud if one of its copies is; points that the change left out are not compared.
/// @param point_error  [rows of b] raised by 1 where a point is kept on one side only; or empty
Trial make_kept_trial(const std::string& change, const Rows& a, const Rows& b,
                      const std::vector<std::uint32_t>& source, std::vector<double>& point_error);

/// The same for sets of rows, see compare_sets().
Trial make_set_trial(const std::string& change, const Rows& a, const Rows& b);

/// Returns [num_points] 1 = kept. @throws std::invalid_argument for a point out of range or kept twice.
std::vector<std::uint8_t> kept_by(const KeepOperator& apply, const CloudView& cloud);

/// Returns largest, mean and 95th percentile over the trials. @throws std::invalid_argument without trials.
PermutationError summarise(const std::vector<Trial>& trials);

/// Fills in what follows from error.trials.
void finish(ChangeError& error);

/// Returns the level of equivariance. @param is_double  precision of the operator
EquivarianceLevel level_of(const PermutationError& error, bool is_double);

/// Returns "rows", "kept set", "unordered set" or "global row".
std::string to_string(OutputKind kind);

/// Divides by the root mean square norm of the rows without NaN; points with NaN become NaN.
/// @return number of rows without NaN
template <class T>
std::size_t scale_by_norm(const RowsOf<T>& rows, std::vector<double>& point_error);

}  // namespace pcl_attention
