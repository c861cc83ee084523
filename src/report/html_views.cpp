// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "report/html.h"
#include "report/svg.h"

namespace pcl_attention::html {
namespace {

constexpr std::size_t kColumns = 120;

/// Returns 0 for no error, 1 below 1e-6, one more per decade, 7 from 0.1 on.
int colour_class(double error) {
  if (error == 0.0) return 0;
  return std::clamp(static_cast<int>(std::floor(std::log10(error))) + 8, 1, 7);
}

/// Range of an axis without the outermost half percent at either end.
struct Range {
  float low = 0.0F, high = 0.0F;
};

Range range_of(const std::vector<float>& xyz, std::size_t axis) {
  std::vector<float> values;
  for (std::size_t i = axis; i < xyz.size(); i += 3)
    if (!std::isnan(xyz[i])) values.push_back(xyz[i]);
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 200;
  return {values[cut], values[values.size() - 1 - cut]};
}

/// Largest error class per cell, −1 for cells without points.
struct View {
  std::size_t rows = 1;
  std::vector<int> cells;
  std::size_t outside = 0;
};

View project(const SensitivityReport& report, const std::vector<double>& errors, std::size_t up) {
  const Range across = range_of(report.positions, 0), upright = range_of(report.positions, up);
  const float width = std::max(across.high - across.low, 1e-6F);
  const float height = std::max(upright.high - upright.low, 0.0F);
  const float cell = std::max(width / kColumns, height / kColumns);
  View view;
  view.rows = std::clamp<std::size_t>(static_cast<std::size_t>(height / cell) + 1, 4, kColumns);
  view.cells.assign(view.rows * kColumns, -1);
  const float offset = (static_cast<float>(kColumns) - width / cell) / 2.0F;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const float x = report.positions[3 * i], y = report.positions[3 * i + up];
    if (std::isnan(errors[i]) || std::isnan(x)) continue;
    const float column = offset + (x - across.low) / cell, row = (y - upright.low) / cell;
    if (column < 0.0F || row < 0.0F || column > kColumns || row > static_cast<float>(view.rows)) {
      ++view.outside;
      continue;
    }
    const std::size_t c = std::min(static_cast<std::size_t>(column), kColumns - 1);
    const std::size_t r = std::min(static_cast<std::size_t>(row), view.rows - 1);
    int& at = view.cells[(view.rows - 1 - r) * kColumns + c];
    at = std::max(at, colour_class(errors[i]));
  }
  return view;
}

/// Returns one rectangle per run of equal cells in a row.
std::string draw(const View& view, const std::string& label) {
  Svg svg(static_cast<double>(view.rows), label, kColumns);
  std::array<std::string, 8> paths;
  for (std::size_t i = 0; i < view.cells.size();) {
    const std::size_t begin = i++;
    while (i % kColumns != 0 && view.cells[i] == view.cells[begin]) ++i;
    if (view.cells[begin] < 0) continue;
    const std::string width = std::to_string(i - begin);
    paths[static_cast<std::size_t>(view.cells[begin])] += "M" + std::to_string(begin % kColumns) + " " +
                                                          std::to_string(begin / kColumns) + "h" + width +
                                                          "v1h-" + width + "z";
  }
  for (std::size_t c = 0; c < paths.size(); ++c)
    if (!paths[c].empty()) svg.path(paths[c], "e" + std::to_string(c));
  return svg.str();
}

std::string card(const SensitivityReport& report, const std::vector<double>& errors,
                 const std::string& what) {
  if (errors.empty() || report.positions.empty()) return "";
  const View top = project(report, errors, 1), side = project(report, errors, 2);
  std::string text =
      "<div class=\"card\"><h3>" + name_of(report) + ": " + what + "</h3><p class=\"soft\">From above</p>" +
      draw(top, "cloud from above, coloured by error") + "<p class=\"soft\">From the side</p>" +
      draw(side, "cloud from the side, coloured by error");
  return text + "<p class=\"soft\">Left out at the rim: " + std::to_string(top.outside) + " and " +
         std::to_string(side.outside) + " points.</p></div>";
}

std::string colour_key() {
  const char* const names[] = {"0",         "&lt; 10⁻⁶", "&lt; 10⁻⁵", "&lt; 10⁻⁴",
                               "&lt; 10⁻³", "&lt; 10⁻²", "&lt; 0.1",  "≥ 0.1"};
  std::string text = "<div class=\"keys\">";
  for (int i = 0; i < 8; ++i)
    text += "<span><span class=\"cell e" + std::to_string(i) + "\"></span>" + names[i] + "</span>";
  return text + "</div>";
}

}  // namespace

std::string views(const ReportDocument& document) {
  std::string cards;
  for (const SensitivityReport& report : document.reports) {
    cards += card(report, report.equivariance.point_error, "permutations");
    cards += card(report, report.jitter_error, "largest jitter");
  }
  if (cards.empty()) return "";
  return "<h2>Where the error lies</h2><p class=\"soft\">x to the right, y or z up; the colour of a cell is "
         "the "
         "largest error of the points in it. The outermost half percent at either end of each axis is left "
         "out.</p>" +
         colour_key() + "<div class=\"cards\" style=\"margin-top:10px\">" + cards + "</div>\n";
}

}  // namespace pcl_attention::html
