// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/export.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention {

/// What a permutation does to the rows 0 … n−1.
enum class PermutationKind { reversed, adjacent_swap, ends_exchanged, block_rotation, random };

/// One permutation of a report.
struct Permutation {
  PermutationKind kind = PermutationKind::random;
  std::uint64_t seed = 0;  ///< of `random`; where the others cut or swap
};

/// Returns the rows in their new sequence: new row i is old row result[i].
/// Same result on every platform. Time and memory O(n).
PCL_ATTENTION_EXPORT std::vector<std::uint32_t> make_permutation(const Permutation& permutation,
                                                                 std::size_t num_rows);

/// Returns a word for the kind, with the seed where it matters: "reversed", "random 7".
PCL_ATTENTION_EXPORT std::string to_string(const Permutation& permutation);

/// Level of equivariance reached on the permutations tried.
enum class EquivarianceLevel {
  none = 1,      ///< not equivariant
  rounding = 2,  ///< equivariant up to rounding: largest relative L2 ≤ 1e-6 (float), 1e-12 (double)
  bitwise = 3,   ///< every bit equal, in the operator's own precision
};

/// What an operator gives, and so what f(P X) is held against.
enum class OutputKind {
  rows,           ///< a row per point: P f(X)
  kept_set,       ///< which points it keeps: the same points
  unordered_set,  ///< any number of rows in any sequence: the nearest row of f(X), and the other way round
  global_row,     ///< one row for the cloud: f(X)
};

/// Distances between f(P X) and P f(X) over all permutations tried. Rows that are NaN on both sides
/// agree; a NaN on one side alone counts in `nan_mismatches` and makes every error infinite.
/// Of kept sets A, B every relative error is 1 − J, J = |A ∩ B| / |A ∪ B|, 1 if both are empty.
/// Of unordered sets ‖a−b‖² is the sum over the rows of either set of the squared distance to the nearest
/// row of the other (‖a‖, ‖b‖ count twice); rows with NaN are compared by their number.
struct PermutationError {
  std::size_t count = 0;                                                        ///< permutations
  double max_relative_l2 = 0.0, mean_relative_l2 = 0.0, p95_relative_l2 = 0.0;  ///< ‖a−b‖ / ‖b‖
  double max_emlp = 0.0, mean_emlp = 0.0, p95_emlp = 0.0;  ///< rms(a−b) / (rms(a) + rms(b))
  double max_abs = 0.0;         ///< largest |a − b|; of unordered sets largest distance to the nearest row
  std::size_t worst_point = 0;  ///< point of max_abs; of rows only
  std::string worst_permutation;  ///< permutation of max_abs
  std::size_t nan_mismatches = 0;
  double min_jaccard = 1.0, mean_jaccard = 1.0;  ///< of kept sets
  bool bitwise_equal = true;
};

struct EquivarianceOptions {
  std::size_t num_permutations = 8;  ///< first the four fixed kinds, then random ones, ≥ 1
  std::uint64_t seed = 1;
  bool is_double = false;  ///< precision of the operator, for the rounding level
  std::function<void(double done)> progress;
};

struct EquivarianceReport {
  OutputKind output = OutputKind::rows;
  /// valid: rows of f(X) without NaN; of kept sets the points kept
  std::size_t points = 0, valid_points = 0;
  std::string model, model_hash, engine, ordering;  ///< what was run; empty for a callable
  std::uint64_t seed = 0;
  EquivarianceLevel level = EquivarianceLevel::none;
  PermutationError permutation;
  OrderDiagnostics order;
  /// [points] largest ‖row of f(PX) − row of P f(X)‖ over the permutations, relative to the root mean
  /// square norm of the rows of f(X); NaN for invalid points. Of kept sets the share of permutations that
  /// decide otherwise on the point. Empty for unordered sets and global rows.
  std::vector<double> point_error;
};

/// An operator that gives one row per point: fills `rows` (row-major) and returns the width.
using RowOperator = std::function<std::size_t(const CloudView& cloud, std::vector<double>& rows)>;

/// Returns how far `apply` is from f(P X) = P f(X) on this cloud. The cloud's points are copied into
/// their new sequence for every permutation; `apply` sees an ordinary cloud.
/// @throws CloudError if cloud.check() fails, std::invalid_argument for no permutations or rows of
///         another number; whatever `apply` throws.
/// Time: num_permutations + 1 calls of `apply`. Memory: three sets of rows and one copy of the cloud.
/// Source: relative form of Finzi et al., "A practical method for constructing equivariant
/// multilayer perceptrons", arXiv 2104.09459.
PCL_ATTENTION_EXPORT EquivarianceReport evaluate_equivariance(const CloudView& cloud,
                                                              const RowOperator& apply,
                                                              const EquivarianceOptions& options = {});

/// The same for an encoder: engine, order and precision are filled in, options.is_double is ignored.
PCL_ATTENTION_EXPORT EquivarianceReport evaluate_equivariance(const CloudView& cloud, Encoder& encoder,
                                                              const EquivarianceOptions& options = {});

/// An operator that keeps some of the points 0 … n−1, in any sequence.
using KeepOperator = std::function<std::vector<std::int32_t>(const CloudView& cloud)>;

/// Returns how far the set of points that `apply` keeps depends on their order. Level 2 is never given: a set
/// is the same or not.
/// @throws as evaluate_equivariance(), and std::invalid_argument for a kept point out of range or kept twice.
PCL_ATTENTION_EXPORT EquivarianceReport evaluate_kept_set(const CloudView& cloud, const KeepOperator& apply,
                                                          const EquivarianceOptions& options = {});

/// Returns how far the set of rows that `apply` gives, in any number and sequence, depends on the order of
/// the points. O(rows²) per permutation.
/// @throws as evaluate_equivariance().
PCL_ATTENTION_EXPORT EquivarianceReport evaluate_unordered_set(const CloudView& cloud,
                                                               const RowOperator& apply,
                                                               const EquivarianceOptions& options = {});

/// Returns how far the one row that `apply` gives depends on the order of the points.
/// @throws as evaluate_equivariance(), and std::invalid_argument unless it is one row.
PCL_ATTENTION_EXPORT EquivarianceReport evaluate_global_row(const CloudView& cloud, const RowOperator& apply,
                                                            const EquivarianceOptions& options = {});

/// Returns the report as JSON without NaN or infinity (both become null).
PCL_ATTENTION_EXPORT std::string to_json(const EquivarianceReport& report);

/// Returns the report as a table for a terminal, the level in one sentence first.
PCL_ATTENTION_EXPORT std::string to_table(const EquivarianceReport& report);

}  // namespace pcl_attention
