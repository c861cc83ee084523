// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "pcl_attention/report_document.h"

namespace pcl_attention {
namespace {

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value == 0.0 ? "%.0f" : "%.2e", value);
  return text;
}

std::string name_of(const SensitivityReport& report) {
  if (report.equivariance.model.empty()) return "operator";
  const std::string& ordering = report.equivariance.ordering;
  return report.equivariance.model + (ordering == "none" || ordering == "hilbert" ? "@" + ordering : "");
}

void write_changes(const SensitivityReport& report, std::ostream& out) {
  if (report.changes.empty()) return;
  out << padded("change", 26) << padded("trials", 8) << padded("rel L2 max", 12) << padded("mean", 10)
      << padded("p95", 10) << padded("max |a-b|", 11) << padded("point", 9) << "labels\n";
  for (const ChangeError& change : report.changes) {
    const PermutationError& error = change.error;
    out << padded(change.name, 26) << padded(std::to_string(error.count), 8)
        << padded(short_number(error.max_relative_l2), 12) << padded(short_number(error.mean_relative_l2), 10)
        << padded(short_number(error.p95_relative_l2), 10) << padded(short_number(error.max_abs), 11)
        << padded(std::to_string(error.worst_point), 9) << short_number(100.0 * change.max_label_flips)
        << " %\n";
  }
}

void write_report(const SensitivityReport& report, std::ostream& out) {
  out << to_table(report.equivariance);
  if (!report.sample.empty())
    out << "sampled          " << report.equivariance.points << " of " << report.cloud_points
        << " points, seed " << report.equivariance.seed << '\n';
  if (!std::isnan(report.rounding_floor))
    out << "rounding floor   " << short_number(report.rounding_floor) << " relative L2 to the reference\n";
  if (report.masked_slots != 0)
    out << "masked slots     " << report.masked_slots << " anchors that no point reaches\n";
  if (report.guarded_rows != 0)
    out << "guarded rows     " << report.guarded_rows << " answers that are 0: their denominator vanishes\n";
  if (report.spacing_sample != 0)
    out << "median spacing   " << short_number(report.median_spacing) << " over " << report.spacing_sample
        << " points\n";
  write_changes(report, out);
  for (const LayerError& layer : report.layers)
    out << "layer " << layer.layer << "          permutations " << short_number(layer.max_relative_l2)
        << ", rounding floor " << short_number(layer.rounding_floor) << '\n';
  for (const RankStability& ranks : report.ranks)
    out << "ranks, jitter " << short_number(ranks.sigma) << "  median " << ranks.median << ", p99 "
        << ranks.p99 << ", max " << ranks.max << ", Kendall tau " << ranks.kendall_tau << " over "
        << ranks.pairs << " pairs\n";
}

void write_side_by_side(const std::vector<SensitivityReport>& reports, std::ostream& out) {
  std::size_t width = 10;
  for (const SensitivityReport& report : reports) width = std::max(width, name_of(report).size() + 2);
  out << padded("largest relative L2", 26);
  for (const SensitivityReport& report : reports) out << padded(name_of(report), width);
  out << '\n' << padded("level", 26);
  for (const SensitivityReport& report : reports)
    out << padded(std::to_string(static_cast<int>(report.equivariance.level)), width);
  for (std::size_t i = 0; i < reports[0].changes.size(); ++i) {
    out << '\n' << padded(reports[0].changes[i].name, 26);
    for (const SensitivityReport& report : reports)
      out << padded(i < report.changes.size() ? short_number(report.changes[i].error.max_relative_l2) : "-",
                    width);
  }
  out << "\n";
}

}  // namespace

std::string to_table(const ReportDocument& document) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  for (const SensitivityReport& report : document.reports) {
    if (document.reports.size() > 1) out << "--- " << name_of(report) << '\n';
    write_report(report, out);
  }
  if (document.reports.size() > 1) {
    out << "---\n";
    write_side_by_side(document.reports, out);
  }
  return out.str();
}

}  // namespace pcl_attention
