// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/histogram.h"
#include "report/html.h"
#include "report/svg.h"

namespace pcl_attention::html {
namespace {

constexpr double kLeft = 60.0, kRight = 344.0, kBottom = 120.0, kTop = 18.0;

std::string data_from(const std::string& pointer, std::size_t value) {
  return " data-from=\"" + pointer + "\" data-text=\"" + std::to_string(value) + "\"";
}

double height_of(std::size_t count, std::size_t largest) {
  if (count == 0) return 0.0;
  return std::max(1.0, (kBottom - kTop) * static_cast<double>(count) / static_cast<double>(largest));
}

void draw_zero(const ErrorHistogram& histogram, std::size_t largest, const std::string& colour,
               const std::string& pointer, Svg& svg) {
  const double height = height_of(histogram.zero, largest);
  svg.rect(20.0, kBottom - height, 14.0, height, "bar " + colour);
  svg.text(27.0, kBottom + 15.0, "0", "middle", "soft");
  if (histogram.zero != 0)
    svg.text(20.0, kBottom - height - 4.0, std::to_string(histogram.zero), "start", "",
             data_from(pointer + "/zero", histogram.zero));
}

std::string picture(const ErrorHistogram& histogram, const std::string& pointer, const std::string& colour) {
  Svg svg(142.0, "number of points by error");
  std::size_t largest = std::max<std::size_t>(histogram.zero, 1);
  for (const std::size_t count : histogram.counts) largest = std::max(largest, count);
  draw_zero(histogram, largest, colour, pointer, svg);
  const double step = (kRight - kLeft) / static_cast<double>(histogram.counts.size());
  const auto tallest = std::max_element(histogram.counts.begin(), histogram.counts.end());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const std::size_t count = histogram.counts[i];
    const double x = kLeft + step * static_cast<double>(i), height = height_of(count, largest);
    const std::string from = data_from(pointer + "/counts/" + std::to_string(i), count);
    if (count != 0) svg.rect(x + 0.5, kBottom - height, step - 1.0, height, "bar " + colour, from);
    if (count != 0 && histogram.counts.begin() + static_cast<std::ptrdiff_t>(i) == tallest)
      svg.text(std::min(x + step / 2.0, 330.0), kBottom - height - 4.0, std::to_string(count), "middle", "",
               from);
  }
  svg.line(8.0, kBottom, kRight, kBottom, "axis");
  for (int decade = -9; decade <= 1; decade += 2)
    svg.text(kLeft + step * 2.0 * (decade + 9), kBottom + 15.0, power_of_ten(decade), "middle", "soft");
  return svg.str();
}

std::string invalid_note(const ErrorHistogram& histogram, const std::string& pointer) {
  if (histogram.invalid == 0) return "";
  return "<p class=\"soft\">" + number(pointer + "/invalid", histogram.invalid) +
         " points are invalid and have no error.</p>";
}

std::string card(const std::vector<double>& errors, const std::string& title, const std::string& pointer,
                 const std::string& colour) {
  if (errors.empty()) return "";
  const ErrorHistogram histogram = histogram_of(errors);
  return "<div class=\"card\"><h3>" + title + "</h3>" + picture(histogram, pointer, colour) +
         invalid_note(histogram, pointer) + "</div>";
}

}  // namespace

std::string histograms(const ReportDocument& document) {
  std::string cards;
  for (std::size_t i = 0; i < document.reports.size(); ++i) {
    const SensitivityReport& report = document.reports[i];
    const std::string pointer = pointer_of(document, i);
    cards += card(report.equivariance.point_error, name_of(report) + ": permutations", pointer + "/histogram",
                  colour_of(i));
    cards += card(report.jitter_error, name_of(report) + ": largest jitter", pointer + "/jitter_histogram",
                  colour_of(i));
  }
  if (cards.empty()) return "";
  return "<h2>Error per point</h2><p class=\"soft\">Number of points (upright) by their largest error over "
         "the "
         "trials, relative to the root mean square norm of the rows; half a decade per bar.</p><div "
         "class=\"cards\">" +
         cards + "</div>\n";
}

}  // namespace pcl_attention::html
