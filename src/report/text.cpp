// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pcl_attention/equivariance.h"
#include "report/trial.h"

namespace pcl_attention {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string sentence(EquivarianceLevel level) {
  switch (level) {
    case EquivarianceLevel::bitwise:
      return "bitwise equivariant on the permutations tried";
    case EquivarianceLevel::rounding:
      return "equivariant up to rounding on the permutations tried";
    case EquivarianceLevel::none:
      break;
  }
  return "not equivariant: the result depends on the order of the points";
}

Json to_json_object(const PermutationError& error) {
  return {{"count", error.count},
          {"max_relative_l2", number(error.max_relative_l2)},
          {"mean_relative_l2", number(error.mean_relative_l2)},
          {"p95_relative_l2", number(error.p95_relative_l2)},
          {"max_emlp", number(error.max_emlp)},
          {"mean_emlp", number(error.mean_emlp)},
          {"p95_emlp", number(error.p95_emlp)},
          {"max_abs", number(error.max_abs)},
          {"worst_point", error.worst_point},
          {"worst_permutation", error.worst_permutation},
          {"nan_mismatches", error.nan_mismatches},
          {"min_jaccard", number(error.min_jaccard)},
          {"mean_jaccard", number(error.mean_jaccard)},
          {"bitwise_equal", error.bitwise_equal}};
}

Json to_json_object(const OrderDiagnostics& order) {
  return {{"ties", order.ties},
          {"longest_tie_run", order.longest_tie_run},
          {"bits_per_axis", order.bits_per_axis},
          {"cell", number(order.cell)}};
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3e", value);
  return text;
}

std::string kept_set_lines(const EquivarianceReport& report) {
  std::ostringstream out;
  out << "points           " << report.points << ", kept " << report.valid_points << '\n'
      << "permutations     " << report.permutation.count << ", seed " << report.seed << '\n'
      << "Jaccard index    least " << report.permutation.min_jaccard << ", mean "
      << report.permutation.mean_jaccard << '\n';
  return out.str();
}

}  // namespace

std::string to_string(OutputKind kind) {
  switch (kind) {
    case OutputKind::kept_set:
      return "kept set";
    case OutputKind::unordered_set:
      return "unordered set";
    case OutputKind::global_row:
      return "global row";
    case OutputKind::rows:
      break;
  }
  return "rows";
}

std::string to_json(const EquivarianceReport& report) {
  const Json json{{"output", to_string(report.output)},
                  {"points", report.points},
                  {"valid_points", report.valid_points},
                  {"model", report.model},
                  {"model_hash", report.model_hash},
                  {"engine", report.engine},
                  {"ordering", report.ordering},
                  {"seed", report.seed},
                  {"level", static_cast<int>(report.level)},
                  {"level_text", sentence(report.level)},
                  {"permutation", to_json_object(report.permutation)},
                  {"order", to_json_object(report.order)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_table(const EquivarianceReport& report) {
  const PermutationError& error = report.permutation;
  std::ostringstream out;
  out << "level " << static_cast<int>(report.level) << ": " << sentence(report.level) << '\n';
  if (report.output != OutputKind::rows) out << "output           " << to_string(report.output) << '\n';
  if (report.output == OutputKind::kept_set) return out.str() + kept_set_lines(report);
  out << "points           " << report.points << ", valid " << report.valid_points << '\n';
  if (!report.model.empty())
    out << "model            " << report.model << " (" << report.model_hash << "), engine " << report.engine
        << ", ordering " << report.ordering << '\n';
  out << "permutations     " << error.count << ", seed " << report.seed << '\n'
      << "                 max        mean       p95\n"
      << "relative L2      " << scientific(error.max_relative_l2) << "  "
      << scientific(error.mean_relative_l2) << "  " << scientific(error.p95_relative_l2) << '\n'
      << "EMLP form        " << scientific(error.max_emlp) << "  " << scientific(error.mean_emlp) << "  "
      << scientific(error.p95_emlp) << '\n'
      << "largest |a - b|  " << scientific(error.max_abs) << " at point " << error.worst_point << " ("
      << error.worst_permutation << ")\n";
  if (error.nan_mismatches != 0) out << "NaN mismatches   " << error.nan_mismatches << '\n';
  if (!report.ordering.empty() && report.ordering != "none")
    out << "order            " << report.order.ties << " ties before tie-breaking, longest run "
        << report.order.longest_tie_run << ", bits per axis " << report.order.bits_per_axis[0] << ' '
        << report.order.bits_per_axis[1] << ' ' << report.order.bits_per_axis[2] << '\n';
  return out.str();
}

}  // namespace pcl_attention
