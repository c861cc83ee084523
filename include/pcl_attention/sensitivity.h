// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/encoder.h"
#include "pcl_attention/equivariance.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

/// What is done to a cloud. Coordinates move in its fields x, y, z, which must be float32 or float64; normals
/// turn with them.
enum class ChangeGroup {
  permutation,  ///< other sequence
  jitter,       ///< size = σ per axis, in the cloud's unit; see RandomSequence::normal()
  translation,  ///< size = length, in the cloud's unit; random direction
  rotation,     ///< size = degrees about a random axis through the centroid
  reflection,   ///< size = axis 0, 1, 2; at the plane through the centroid
  subset,       ///< size = share of the points that stay, in their sequence
  duplicates,   ///< size = share of the points that come twice, the copies at the end
};

/// Returns "permutation", "jitter", … @throws std::invalid_argument for none of the seven.
PCL_ATTENTION_EXPORT std::string to_string(ChangeGroup group);

/// One changed cloud: how far its rows are from those of the cloud itself. A row is compared with the row of
/// the point it comes from. Errors as in PermutationError.
struct Trial {
  std::string change;  ///< "reversed", "jitter 0.001, seed 3"
  double relative_l2 = 0.0, emlp = 0.0, max_abs = 0.0;
  std::size_t worst_point = 0;
  /// Share of the compared rows whose largest channel is another one: labels that flip.
  double label_flips = 0.0;
  std::size_t nan_mismatches = 0;
  bool bitwise_equal = true;
};

/// All trials of one group and size, or of one kind of permutation.
struct ChangeError {
  ChangeGroup group = ChangeGroup::permutation;
  std::string name;  ///< "reversed", "random", "jitter 0.001"
  double size = 0.0;
  PermutationError error;  ///< worst_permutation names the change
  double max_label_flips = 0.0, mean_label_flips = 0.0;
  std::vector<Trial> trials;
};

/// σ of a jitter.
struct JitterSize {
  double value = 0.0;
  bool of_spacing = false;  ///< times the median spacing of the points, else in the cloud's unit
};

/// Rows behind layer `layer` (1 = the first), of the same network cut off there.
struct LayerError {
  std::size_t layer = 0;
  double max_relative_l2 = 0.0;  ///< over the reversed cloud and one random permutation
  double rounding_floor = std::numeric_limits<double>::quiet_NaN();  ///< see SensitivityReport
};

/// How far ranks of the canonical order move under jitter. Kendall's τ = (concordant − discordant pairs) /
/// pairs, over `pairs` random pairs of points.
struct RankStability {
  double sigma = 0.0;  ///< in the cloud's unit
  std::size_t median = 0, p99 = 0, max = 0;
  double kendall_tau = 1.0;
  std::size_t pairs = 0;
};

struct SensitivityOptions {
  std::vector<ChangeGroup> groups{ChangeGroup::permutation, ChangeGroup::jitter,     ChangeGroup::translation,
                                  ChangeGroup::rotation,    ChangeGroup::reflection, ChangeGroup::subset,
                                  ChangeGroup::duplicates};
  std::size_t num_permutations = 16;  ///< as in EquivarianceOptions
  std::size_t repeats = 2;            ///< seeds per size of the other groups, ≥ 1
  std::vector<JitterSize> jitter{{1e-3, true}, {1e-2, true}, {1e-1, true}, {1.0, true}};
  std::vector<double> translations{1.0, 100.0}, rotations{1.0, 90.0}, subsets{0.9, 0.5}, duplicates{0.1, 1.0};
  bool floor = true;           ///< run the reference engine beside another
  bool layers = true;          ///< measure each layer; encoders only
  std::size_t max_points = 0;  ///< measure on a random sample of so many points; 0 = all
  std::uint64_t seed = 1;
  bool is_double = false;                          ///< precision of a callable
  bool zero_is_invalid = false;                    ///< of a callable: points at (0, 0, 0) are not moved
  std::map<std::string, std::string> field_names;  ///< of a callable: where x, y, z are
  std::function<void(double done)> progress;       ///< done in [0, 1], by number of calls
};

struct SensitivityReport {
  /// Permutations: level, errors, order of the unchanged cloud, error per point of the cloud measured.
  EquivarianceReport equivariance;
  bool random_weights = false;
  std::size_t cloud_points = 0;       ///< points before sampling
  std::vector<std::uint32_t> sample;  ///< which points were measured; empty = all
  std::string cloud_hash;             ///< 16 hex digits, FNV-1a over the bytes of the points measured
  double median_spacing = 0.0;        ///< distance to the nearest point elsewhere, median
  std::size_t spacing_sample = 0;     ///< points it was taken over
  std::vector<ChangeError> changes;   ///< kinds of permutation, then the other groups by size
  /// Relative L2 between this engine and the reference on the unchanged cloud; NaN if not measured.
  double rounding_floor = std::numeric_limits<double>::quiet_NaN();
  std::vector<LayerError> layers;
  std::vector<RankStability> ranks;  ///< per σ; empty without an order
  std::vector<double> jitter_error;  ///< [points] as point_error, of the largest σ
  /// Of an encoder on the unchanged cloud; see EncodeResult.
  std::size_t masked_slots = 0, guarded_rows = 0;
  std::vector<float> positions;  ///< [points × 3] relative to their minimum; for pictures
};

/// Returns how far `apply` depends on each change. Time: one call per trial and one for the cloud itself.
/// Random choices depend on options.seed alone. Memory: three sets of rows and one copy of the cloud.
/// @throws as evaluate_equivariance(); CloudError if coordinates have to move and are not floats;
///         std::invalid_argument for a size out of its range.
PCL_ATTENTION_EXPORT SensitivityReport measure_sensitivity(const CloudView& cloud, const RowOperator& apply,
                                                           const SensitivityOptions& options = {});

/// The same for the set of points that `apply` keeps. A point is kept in the changed cloud if one of its
/// copies is; points that the change left out are not compared. Errors are 1 − J, see PermutationError;
/// errors per point are shares of the trials.
/// @throws as measure_sensitivity(), and std::invalid_argument for a kept point out of range or kept twice.
PCL_ATTENTION_EXPORT SensitivityReport measure_kept_set(const CloudView& cloud, const KeepOperator& apply,
                                                        const SensitivityOptions& options = {});

/// The same for the set of rows that `apply` gives, in any number and sequence: the rows of the changed cloud
/// are held against those of the cloud itself, which is not moved. O(rows²) per trial.
PCL_ATTENTION_EXPORT SensitivityReport measure_unordered_set(const CloudView& cloud, const RowOperator& apply,
                                                             const SensitivityOptions& options = {});

/// The same for the one row that `apply` gives.
/// @throws as measure_sensitivity(), and std::invalid_argument unless it is one row.
PCL_ATTENTION_EXPORT SensitivityReport measure_global_row(const CloudView& cloud, const RowOperator& apply,
                                                          const SensitivityOptions& options = {});

/// The same as measure_sensitivity() for an encoder: precision, fields and what was run are filled in;
/// layers, floor and ranks too. Whatever moves the points, the sensor stays at EncoderOptions::sensor_origin.
PCL_ATTENTION_EXPORT SensitivityReport measure_sensitivity(const CloudView& cloud, Encoder& encoder,
                                                           const SensitivityOptions& options = {});

}  // namespace pcl_attention
