// SPDX-License-Identifier: BSD-3-Clause
#include "neighbourhood/neighbourhood.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"

namespace pcl_attention {
namespace {

constexpr std::size_t kBlock = 256;  ///< places that one thread treats at a time
constexpr double kFloorShare = 1e-4, kLeastFloor = 1e-9, kLeastRange = 1e-6;

/// Returns the median; the mean of the middle two for an even count, 0 for none. Reorders the numbers.
double median(std::vector<double>& numbers) {
  if (numbers.empty()) return 0.0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return *middle;
  return (*std::max_element(numbers.begin(), middle) + *middle) / 2.0;
}

template <class Number>
void make_room(std::size_t size, std::vector<Number>& numbers) {
  numbers.reserve(size);
  numbers.resize(size);
}

std::array<double, 3> position_of(const TokenRows& tokens, std::size_t rank) {
  const float* p = tokens.position(rank);
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

}  // namespace

Neighbourhood::Neighbourhood(const InputSpec& input) : channels_(neighbourhood_channels(input)) {}

void Neighbourhood::describe(const std::array<double, 3>& sensor_origin, Surface& surface) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    from_sensor_[axis] = surface.tokens.origin[axis] - sensor_origin[axis];
  places_.take(surface.rows(), surface.num_ranked);
  nearest_.build();
  look_at_places();
  find_floor();
  write_places(surface);
  write_others(surface.num_ranked, surface);
}

void Neighbourhood::describe_queries(Surface& queries) const { write_others(0, queries); }

Neighbourhood::Known Neighbourhood::look(const std::array<double, 3>& position) const {
  const Neighbours neighbours = nearest_.find(position);
  Known known;
  known.shape = local_shape(places_, neighbours, seen(position));
  known.num_neighbours = std::min(neighbours.size, known.neighbour.size());
  std::copy_n(neighbours.place.begin(), known.num_neighbours, known.neighbour.begin());
  return known;
}

void Neighbourhood::look_at_places() {
  make_room(places_.size(), known_);
  make_room(places_.num_points(), eighths_);
  for_each_block(places_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      known_[place] = look(places_.position(place));
      std::fill_n(eighths_.begin() + places_.first_rank(place), places_.num_copies(place),
                  known_[place].shape.eighth);
    }
  });
}

void Neighbourhood::find_floor() {
  floor_ = kFloorShare * median(eighths_) + kLeastFloor;
  make_room(places_.size(), log_means_);
  for_each_block(places_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place)
      for (std::size_t m = 0; m < kRatios; ++m)
        log_means_[place][m] = log_length(known_[place].shape.mean[m]);
  });
}

double Neighbourhood::log_length(double length) const { return std::log(length + floor_); }

std::array<double, 3> Neighbourhood::seen(const std::array<double, 3>& position) const {
  return {position[0] + from_sensor_[0], position[1] + from_sensor_[1], position[2] + from_sensor_[2]};
}

NeighbourhoodRow Neighbourhood::row(const Known& known, const std::array<double, 3>& position) const {
  const LocalShape& shape = known.shape;
  NeighbourhoodRow row;
  double* out = row.data();
  *out++ = log_length(shape.nearest);
  for (const double mean : shape.mean) *out++ = log_length(mean);
  for (std::size_t m = 0; m < kRatios; ++m) {
    const std::size_t n = std::min(known.num_neighbours, std::size_t{4} << m);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += log_means_[known.neighbour[i]][m];
    *out++ = n == 0 ? 0.0 : log_length(shape.mean[m]) - sum / static_cast<double>(n);
  }
  *out++ = shape.extent_2;
  *out++ = shape.extent_3;
  *out++ = 0.5 * std::log(shape.spread + floor_ * floor_);
  *out++ = shape.normal_z;
  *out++ = shape.normal_view;
  const std::array<double, 3> view = seen(position);
  *out = std::log(std::sqrt(view[0] * view[0] + view[1] * view[1] + view[2] * view[2]) + kLeastRange);
  return row;
}

void Neighbourhood::write_places(Surface& surface) const {
  const TokenRows tokens = surface.rows();
  const std::size_t width = surface.tokens.num_channels;
  for_each_block(places_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      const NeighbourhoodRow numbers = row(known_[place], places_.position(place));
      for (std::size_t rank = places_.first_rank(place); rank < places_.first_rank(place + 1); ++rank)
        write(numbers, surface.tokens.values.data() + tokens.row_of(rank) * width);
    }
  });
}

void Neighbourhood::write_others(std::size_t first_rank, Surface& surface) const {
  const TokenRows tokens = surface.rows();
  const std::size_t width = surface.tokens.num_channels;
  for_each_block(tokens.n - first_rank, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rank = first_rank + begin; rank < first_rank + end; ++rank) {
      const std::array<double, 3> position = position_of(tokens, rank);
      write(row(look(position), position), surface.tokens.values.data() + tokens.row_of(rank) * width);
    }
  });
}

void Neighbourhood::write(const NeighbourhoodRow& row, float* values) const {
  for (const NeighbourhoodChannel& channel : channels_)
    values[channel.channel] = static_cast<float>(row[channel.field] * channel.scale);
}

std::size_t Neighbourhood::size(std::size_t n) const {
  if (!is_needed()) return 0;
  return Places::size_of(n) + NearestPoints::size_of(n) +
         n * (sizeof(Known) + sizeof(log_means_[0]) + sizeof(double));
}

}  // namespace pcl_attention
