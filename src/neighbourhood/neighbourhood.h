// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "attention/surface.h"
#include "neighbourhood/fields.h"
#include "neighbourhood/local_shape.h"

namespace pcl_attention {

/// Computes the neighbourhood fields that a model names. Keeps its memory between frames, but for the tree.
class Neighbourhood {
 public:
  explicit Neighbourhood(const InputSpec& input);

  /// Returns true if the model names such a field. Without one there is nothing to call.
  bool is_needed() const { return !channels_.empty(); }

  /// Writes the fields of all tokens of an ordered surface; ranked ones are each other's neighbours.
  void describe(const std::array<double, 3>& sensor_origin, Surface& surface);

  /// Writes the fields of other tokens with the same origin, as the surface last described sees them.
  void describe_queries(Surface& queries) const;

  /// Returns about how many bytes n points take.
  std::size_t size(std::size_t num_points) const;

 private:
  static constexpr std::size_t kRatios = 3;  ///< of M_4, M_8, M_16

  /// What is known of a place.
  struct Known {
    LocalShape shape;
    std::size_t num_neighbours = 0;
    std::array<std::uint32_t, std::size_t{4} << (kRatios - 1)> neighbour{};  ///< places of the nearest
  };

  Known look(const std::array<double, 3>& position) const;
  void look_at_places();
  void find_floor();
  double log_length(double length) const;
  std::array<double, 3> seen(const std::array<double, 3>& position) const;
  NeighbourhoodRow row(const Known& known, const std::array<double, 3>& position) const;
  void write_places(Surface& surface) const;
  void write_others(std::size_t first_rank, Surface& surface) const;
  void write(const NeighbourhoodRow& row, float* values) const;

  std::vector<NeighbourhoodChannel> channels_;
  Places places_;
  NearestPoints nearest_{places_};
  std::array<double, 3> from_sensor_{};  ///< origin of the positions, seen from the sensor
  double floor_ = 0.0;                   ///< e
  std::vector<Known> known_;
  std::vector<std::array<double, kRatios>> log_means_;  ///< of each place
  std::vector<double> eighths_;                         ///< of each point
};

}  // namespace pcl_attention
