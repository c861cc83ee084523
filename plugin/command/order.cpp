// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/ordering.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cloud_fields.h"
#include "cloud_file.h"
#include "pcl_attention/pcl/cloud_view.h"
#include "pcl_attention/tokens.h"
#include "shared_options.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct OrderOptions {
  SharedOptions shared;
  std::string in, out, curve = "morton";
  double cell = 0.0;  // 0: the cloud's box
  std::vector<double> origin{0.0, 0.0, 0.0};
};

// The bytes of every named field, one number each: points that tie on all of them are identical.
std::vector<float> field_bytes(const CloudView& cloud, const std::vector<std::uint32_t>& points,
                               std::size_t& num_channels) {
  std::vector<std::size_t> offsets;
  for (const Field& field : cloud.fields)
    if (field.name != "_")
      for (std::size_t i = 0; i < field.count * size_of(field.type); ++i) offsets.push_back(field.offset + i);
  num_channels = offsets.size();
  std::vector<float> values;
  values.reserve(points.size() * num_channels);
  for (const std::uint32_t point : points)
    for (const std::size_t offset : offsets)
      values.push_back(static_cast<float>(std::to_integer<unsigned>(cloud.point(point)[offset])));
  return values;
}

std::optional<FixedGrid> grid_of(const OrderOptions& options) {
  if (options.cell == 0.0) return {};
  return FixedGrid{{options.origin[0], options.origin[1], options.origin[2]}, options.cell};
}

Tokens positions_of(const CloudView& cloud, const OrderOptions& options) {
  InputSpec input;
  input.fields = {{"x", 1, 1.0}, {"y", 1, 1.0}, {"z", 1, 1.0}};
  input.normalization = Normalization::centred;  // origin: the minimum per axis
  GatherOptions gathering;
  gathering.field_names = field_names(options.shared);
  gathering.zero_is_invalid = options.shared.zero_returns == "invalid";
  gathering.positions = true;
  gathering.num_threads = options.shared.threads;
  if (const auto grid = grid_of(options)) gathering.origin = grid->origin;
  return gather(cloud, input, gathering);
}

Order order_of(const CloudView& cloud, const Tokens& tokens, const OrderOptions& options) {
  OrderInput input;
  const std::vector<float> values = field_bytes(cloud, tokens.point, input.num_channels);
  input.num_rows = tokens.size();
  input.positions = tokens.positions.data();
  input.values = values.data();
  input.origin = tokens.origin;
  return canonical_order(input, options.curve == "hilbert" ? Curve::hilbert : Curve::morton, grid_of(options),
                         options.shared.threads);
}

// Points of the cloud in canonical order.
std::vector<std::uint32_t> points_in_order(const Tokens& tokens, const Order& order) {
  std::vector<std::uint32_t> points;
  points.reserve(order.row_of_rank.size());
  for (const std::uint32_t row : order.row_of_rank) points.push_back(tokens.point[row]);
  return points;
}

void report(const Tokens& tokens, const OrderDiagnostics& d, const OrderOptions& options) {
  const std::size_t left_out = tokens.num_points - tokens.size();
  const nlohmann::json json{{"points", tokens.num_points},
                            {"valid_points", tokens.size()},
                            {"left_out", left_out},
                            {"curve", options.curve},
                            {"ties", d.ties},
                            {"longest_tie_run", d.longest_tie_run},
                            {"bits_per_axis", d.bits_per_axis},
                            {"cell", d.cell}};
  write_json(options.shared, json.dump(2));
  std::printf(
      "order: %zu points, %zu valid, %zu without finite x y z left out, %s, cell %g, bits per axis "
      "%d %d %d, ties %zu, longest run %zu\n",
      tokens.num_points, tokens.size(), left_out, options.curve.c_str(), d.cell, d.bits_per_axis[0],
      d.bits_per_axis[1], d.bits_per_axis[2], d.ties, d.longest_tie_run);
}

int run(const OrderOptions& options) {
  check_cloud_output(options.out);
  check_writable({options.out, options.shared.json});
  CloudFile file = read_cloud(options.in);
  const CloudView cloud = view_of(file.cloud);
  const Tokens tokens = positions_of(cloud, options);
  const Order order = order_of(cloud, tokens, options);
  file.cloud = select_points(file.cloud, points_in_order(tokens, order));
  write_cloud(file, options.out);
  report(tokens, order.diagnostics, options);
  return 0;
}

}  // namespace

void add_order(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb =
      app.add_subcommand("order", "the cloud in canonical order, whatever order it came in");
  const auto options = std::make_shared<OrderOptions>();
  verb->add_option("IN", options->in, "cloud (.pcd .ply .bin)")->required();
  verb->add_option("OUT", options->out, "the valid points with all their fields (.pcd .ply)")->required();
  verb->add_option("--curve", options->curve, "curve through the cells")
      ->check(CLI::IsMember({"morton", "hilbert"}))
      ->capture_default_str();
  CLI::Option* const cell =
      verb->add_option("--cell", options->cell, "edge of fixed cells; default: the cloud's box in 2^21 cells")
          ->type_name("METRES")
          ->check(CLI::PositiveNumber);
  verb->add_option("--origin", options->origin, "corner of the fixed cells")
      ->type_name("X,Y,Z")
      ->delimiter(',')
      ->expected(3)
      ->needs(cell)
      ->capture_default_str();
  add_cloud_options(*verb, options->shared);
  verb->footer(
      "Example: two shuffles of a cloud become the same file\n"
      "  pcl_attention scene room.pcd\n"
      "  pcl_attention order room.pcd room_ordered.pcd --cell 0.01");
  verbs.push_back({verb, [options] { return run(*options); }});
}

}  // namespace pcl_attention::command
