// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <sstream>

#include "report/html.h"

namespace pcl_attention::html {
namespace {

std::string table(const std::vector<std::string>& head, const std::string& rows) {
  std::string text = "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& cell : head) text += "<th>" + cell + "</th>";
  return text + "</tr></thead><tbody>" + rows + "</tbody></table></div>\n";
}

std::string row(const std::string& first, const std::vector<std::string>& cells) {
  std::string text = "<tr><td>" + first + "</td>";
  for (const std::string& cell : cells) text += "<td>" + cell + "</td>";
  return text + "</tr>";
}

/// Returns a name that narrow columns may break behind its colon.
std::string breakable(std::string name) {
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos) name.insert(colon + 1, "<wbr>");
  return name;
}

/// Largest relative L2 of every change, a column per report.
std::string side_by_side(const ReportDocument& document) {
  std::vector<std::string> head{"largest relative L2"};
  for (std::size_t i = 0; i < document.reports.size(); ++i)
    head.push_back("<span class=\"" + colour_of(i) + "\"><span class=\"key\"></span>" +
                   breakable(name_of(document.reports[i])) + "</span>");
  std::string rows;
  for (std::size_t c = 0; c < document.reports[0].changes.size(); ++c) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < document.reports.size(); ++i)
      cells.push_back(
          number(pointer_of(document, i) + "/changes/" + std::to_string(c) + "/error/max_relative_l2",
                 document.reports[i].changes[c].error.max_relative_l2));
    rows += row(escape(document.reports[0].changes[c].name), cells);
  }
  return table(head, rows);
}

bool has_kept_sets(const ReportDocument& document) {
  return std::any_of(document.reports.begin(), document.reports.end(), [](const SensitivityReport& report) {
    return report.equivariance.output == OutputKind::kept_set;
  });
}

std::string change_row(const ChangeError& change, const std::string& at) {
  const PermutationError& error = change.error;
  return row(
      escape(change.name),
      {number(at + "/error/count", error.count), number(at + "/error/max_relative_l2", error.max_relative_l2),
       number(at + "/error/mean_relative_l2", error.mean_relative_l2),
       number(at + "/error/p95_relative_l2", error.p95_relative_l2),
       number(at + "/error/max_emlp", error.max_emlp), number(at + "/error/mean_emlp", error.mean_emlp),
       number(at + "/error/p95_emlp", error.p95_emlp), number(at + "/error/max_abs", error.max_abs),
       number(at + "/error/worst_point", error.worst_point),
       share(at + "/max_label_flips", change.max_label_flips), escape(error.worst_permutation)});
}

std::string order_row(const SensitivityReport& report, const std::string& pointer) {
  const OrderDiagnostics& order = report.equivariance.order;
  std::string bits;
  for (std::size_t axis = 0; axis < 3; ++axis)
    bits += (axis == 0 ? "" : " ") + number(pointer + "/order/bits_per_axis/" + std::to_string(axis),
                                            static_cast<std::size_t>(order.bits_per_axis[axis]));
  return row(name_of(report), {number(pointer + "/order/ties", order.ties),
                               number(pointer + "/order/longest_tie_run", order.longest_tie_run), bits,
                               number(pointer + "/order/cell", order.cell)});
}

std::string rank_row(const SensitivityReport& report, const std::string& pointer, std::size_t i) {
  const RankStability& ranks = report.ranks[i];
  const std::string at = pointer + "/ranks/" + std::to_string(i);
  return row(name_of(report),
             {number(at + "/sigma", ranks.sigma), number(at + "/median", ranks.median),
              number(at + "/p99", ranks.p99), number(at + "/max", ranks.max),
              share(at + "/kendall_tau", ranks.kendall_tau), number(at + "/pairs", ranks.pairs)});
}

}  // namespace

std::string change_tables(const ReportDocument& document) {
  std::string text;
  for (std::size_t i = 0; i < document.reports.size(); ++i) {
    std::string rows;
    const std::vector<ChangeError>& changes = document.reports[i].changes;
    for (std::size_t c = 0; c < changes.size(); ++c)
      rows += change_row(changes[c], pointer_of(document, i) + "/changes/" + std::to_string(c));
    if (rows.empty()) continue;
    const std::string all = table({"change", "trials", "rel. L2 max", "mean", "p95", "EMLP max", "mean",
                                   "p95", "max |a−b|", "at point", "labels flip", "worst change"},
                                  rows);
    const bool one = document.reports.size() == 1;
    text += one ? all
                : "<details><summary class=\"" + colour_of(i) +
                      "\"><span class=\"key\"></span>All numbers of " + name_of(document.reports[i]) +
                      "</summary>" + all + "</details>";
  }
  if (text.empty()) return "";
  return "<h2>All changes</h2><p class=\"soft\">Relative L2 is ‖a−b‖ / ‖b‖, the EMLP form rms(a−b) / (rms(a) "
         "+ rms(b)); a is the changed cloud’s row of a point, b that of the cloud itself. Lengths are in the "
         "cloud’s unit. Labels flip: share of rows whose "
         "largest channel is another one." +
         std::string(has_kept_sets(document) ? " Of kept sets every error is 1 − |A ∩ B| / |A ∪ B|." : "") +
         "</p>" + (document.reports.size() == 1 ? "" : side_by_side(document)) + text;
}

std::string layer_table(const ReportDocument& document) {
  std::string rows;
  for (std::size_t i = 0; i < document.reports.size(); ++i) {
    const SensitivityReport& report = document.reports[i];
    const std::string pointer = pointer_of(document, i);
    for (std::size_t l = 0; l < report.layers.size(); ++l) {
      const std::string at = pointer + "/layers/" + std::to_string(l);
      rows += row(name_of(report) + ", layer " + number(at + "/layer", report.layers[l].layer),
                  {number(at + "/max_relative_l2", report.layers[l].max_relative_l2),
                   number(at + "/rounding_floor", report.layers[l].rounding_floor)});
    }
    if (!std::isnan(report.rounding_floor))
      rows += row(
          name_of(report) + ", end to end",
          {number(pointer + "/permutation/max_relative_l2", report.equivariance.permutation.max_relative_l2),
           number(pointer + "/rounding_floor", report.rounding_floor)});
  }
  if (rows.empty()) return "";
  return "<h2>Layer by layer</h2><p class=\"soft\">Largest relative L2 behind each layer, over the reversed "
         "cloud "
         "and a random permutation (end to end: over all permutations), and the rounding floor: relative L2 "
         "between this engine and the double-precision reference on the unchanged cloud.</p>" +
         table({"layer", "permutations", "rounding floor"}, rows);
}

std::string order_tables(const ReportDocument& document) {
  std::string orders, ranks;
  for (std::size_t i = 0; i < document.reports.size(); ++i) {
    const SensitivityReport& report = document.reports[i];
    if (report.equivariance.ordering.empty() || report.equivariance.ordering == "none") continue;
    orders += order_row(report, pointer_of(document, i));
    for (std::size_t r = 0; r < report.ranks.size(); ++r)
      ranks += rank_row(report, pointer_of(document, i), r);
  }
  if (orders.empty()) return "";
  std::string text =
      "<h2>The canonical order</h2><p class=\"soft\">Ties are points that share a cell with an "
      "earlier one; they are told apart by their exact coordinates and attributes.</p>" +
      table({"model", "ties", "longest run", "bits x y z", "cell"}, orders);
  if (ranks.empty()) return text;
  return text +
         "<p class=\"soft\">How far ranks move under jitter, in ranks; Kendall’s τ over random pairs of "
         "points, 1 = "
         "no pair changes its sequence.</p>" +
         table({"model", "σ", "median", "p99", "largest", "Kendall τ", "pairs"}, ranks);
}

}  // namespace pcl_attention::html
