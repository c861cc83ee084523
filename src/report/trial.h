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
Trial make_trial(const std::string& change, const Rows& a, const Rows& b,
                 const std::vector<std::uint32_t>& source, std::vector<double>& point_error);

/// Returns largest, mean and 95th percentile over the trials. @throws std::invalid_argument without trials.
PermutationError summarise(const std::vector<Trial>& trials);

/// Fills in what follows from error.trials.
void finish(ChangeError& error);

/// Returns the level of equivariance. @param is_double  precision of the operator
EquivarianceLevel level_of(const PermutationError& error, bool is_double);

/// Divides by the root mean square norm of the rows without NaN; points with NaN become NaN.
/// @return number of rows without NaN
std::size_t scale_by_norm(const Rows& rows, std::vector<double>& point_error);

}  // namespace pcl_attention
