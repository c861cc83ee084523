// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

/// One named input of a model. `rgb` and `rgba` are packed colour: three channels r, g, b in [0, 1],
/// read as bits whatever the declared type. Fields named "neighbourhood.…" are computed, not read: see
/// neighbourhood.h. Every other field gives `channels` numbers × `scale`.
struct InputField {
  std::string name;
  std::size_t channels = 1;  ///< elements of the field; 3 for packed colour
  double scale = 1.0;        ///< factor on the number read; not applied to x, y, z and colour
};

/// How coordinates enter a model. c is the centroid of the surface's valid points.
enum class Normalization {
  none,         ///< p
  centred,      ///< p − c
  unit_sphere,  ///< (p − c) / max‖p − c‖
  metric,       ///< p / s, s in metres
};

/// What a model reads from a cloud: fields in order, and how x, y, z are normalised.
struct PCL_ATTENTION_EXPORT InputSpec {
  std::vector<InputField> fields;
  Normalization normalization = Normalization::none;
  double metres = 1.0;  ///< s of Normalization::metric, > 0

  /// Returns the sum of all fields' channels: the width d of a token.
  std::size_t num_channels() const;
};

struct GatherOptions {
  /// Model field name → cloud field name, for clouds that name a field otherwise.
  std::map<std::string, std::string> field_names;
  bool zero_is_invalid = false;  ///< points at exactly (0, 0, 0) are "no return"; reads x, y, z
  bool positions = false;        ///< read x, y, z even if no channel of the model names them
  /// Subtracted from coordinates in double; default: see gather().
  std::optional<std::array<double, 3>> origin;
  unsigned num_threads = 0;  ///< 0 = all
};

/// The valid points of a cloud as rows of numbers.
struct Tokens {
  std::size_t num_points = 0;                        ///< points of the cloud, valid or not
  std::size_t num_channels = 0;                      ///< d
  std::vector<std::uint32_t> point;                  ///< [n] which point of the cloud a token is, ascending
  std::vector<float> values;                         ///< [n × d] row-major; x, y, z relative to `origin`
  std::vector<float> positions;                      ///< [n × 3] relative to `origin`, or empty
  std::array<int, 3> position_channels{-1, -1, -1};  ///< channels of x, y, z; −1: not a channel
  std::array<double, 3> origin{};
  /// Largest distance between neighbouring numbers of the coordinates' type, as stored in the cloud
  /// and as kept here: what the file can tell apart at best. 0 without positions.
  double coordinate_step = 0.0;

  std::size_t size() const { return point.size(); }
};

/// Returns the valid points of `cloud` as tokens.
///
/// A point is invalid if any number read from it is not finite (packed colour excepted), or, with
/// `zero_is_invalid`, if x = y = z = 0. `is_dense` flags are never consulted. −0 is stored as +0.
/// Not finite is also what float32 cannot hold: |number · scale| > 3.4e38, coordinates beyond 1.7e38
/// (so that their differences are finite, too). 64-bit integers are read as the nearest double.
/// Coordinates are stored as float(double(x) − origin). The origin defaults to the per-axis minimum
/// of the valid points for `centred` and `unit_sphere`, and to 0 for `none` and `metric`.
/// A field is found by its mapped name if it has one, else by its own; exactly, else in another letter
/// case if that is unique. `rgb` and `rgba` stand for each other. Fields named `_` are never read.
/// Neighbourhood fields are 0: they need an order, so that Encoder computes them.
/// @throws CloudError if a field is missing or ambiguous (the message lists those found), has another
///         number of elements than the model's channels, or if cloud.check() fails.
///         std::invalid_argument if options.origin is not finite or too large, or if `input` gives
///         x, y, z other than 1 channel or packed colour other than 3.
/// Same bits for any number of threads. Memory: the result. Time O(n · d).
PCL_ATTENTION_EXPORT Tokens gather(const CloudView& cloud, const InputSpec& input,
                                   const GatherOptions& options = {});

/// Returns the index in `cloud.fields` of the field that gather() reads for `name`.
/// @throws CloudError as gather() does when there is none.
PCL_ATTENTION_EXPORT std::size_t find_field(const CloudView& cloud, const std::string& name,
                                            const std::map<std::string, std::string>& field_names);

}  // namespace pcl_attention
