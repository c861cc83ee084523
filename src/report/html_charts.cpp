// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "report/html.h"
#include "report/svg.h"

namespace pcl_attention::html {
namespace {

constexpr int kLow = -10, kHigh = 1;  ///< decades of the error axis

std::string data_from(const std::string& pointer, double value) {
  return " data-from=\"" + pointer + "\" data-text=\"" + show(value) + "\"";
}

std::string error_pointer(const std::string& report, std::size_t change) {
  return report + "/changes/" + std::to_string(change) + "/error/max_relative_l2";
}

/// Returns the class of smooth line `i` that tells it from the others.
std::string dashes_of(std::size_t i) { return i % 2 == 0 ? "long" : "short"; }

/// @param smooth  name the smooth lines too
std::string legend(const ReportDocument& document, bool smooth = false) {
  if (document.reports.size() + document.smooth.size() < 2) return "";
  std::string text = "<div class=\"keys\">";
  for (std::size_t i = 0; i < document.reports.size(); ++i)
    text += "<span class=\"" + colour_of(i) + "\"><span class=\"key\"></span>" +
            name_of(document.reports[i]) + "</span>";
  for (std::size_t i = 0; smooth && i < document.smooth.size(); ++i)
    text += "<span><span class=\"key dashed " + dashes_of(i) + "\"></span>" + name_of(document.smooth[i]) +
            "</span>";
  return text + "</div>";
}

bool has(const ReportDocument& document, ChangeGroup group) {
  for (const SensitivityReport& report : document.reports)
    for (const ChangeError& change : report.changes)
      if (change.group == group) return true;
  return false;
}

/// Kinds of permutation of the first report; the others have the same.
std::vector<std::size_t> permutation_lines(const ReportDocument& document) {
  std::vector<std::size_t> lines;
  const std::vector<ChangeError>& changes = document.reports[0].changes;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (changes[i].group == ChangeGroup::permutation) lines.push_back(i);
  return lines;
}

void draw_bar(const ReportDocument& document, std::size_t model, std::size_t line, double y, Svg& svg) {
  const LogAxis axis{kLow, kHigh, 8.0, 280.0};
  const double value = document.reports[model].changes[line].error.max_relative_l2;
  const double end = value > 0.0 ? axis.at(value) : axis.from;
  svg.rect(axis.from, y, std::max(end - axis.from, 2.0), 10.0, "bar " + colour_of(model));
  svg.text(std::max(end, axis.from + 2.0) + 5.0, y + 9.0, show(value), "start", "",
           data_from(error_pointer(pointer_of(document, model), line), value));
}

/// Errors and σ of the jitter lines of a report that can be drawn on logarithmic axes.
struct Curve2 {
  std::vector<double> sigma, error;
  std::vector<std::size_t> line;
};

Curve2 jitter_curve(const SensitivityReport& report) {
  Curve2 curve;
  for (std::size_t i = 0; i < report.changes.size(); ++i) {
    const ChangeError& change = report.changes[i];
    const double error = change.error.max_relative_l2;
    if (change.group != ChangeGroup::jitter || change.size <= 0.0 || !(error > 0.0) || std::isinf(error))
      continue;
    curve.sigma.push_back(change.size);
    curve.error.push_back(error);
    curve.line.push_back(i);
  }
  return curve;
}

/// Two logarithmic axes that hold all curves, in whole decades.
struct Plane {
  LogAxis x{0, 1, 44.0, 338.0}, y{0, 1, 232.0, 10.0};

  explicit Plane(const std::vector<Curve2>& curves) {
    double low_x = 1e300, high_x = 0.0, low_y = 1e300, high_y = 0.0;
    for (const Curve2& curve : curves) {
      for (const double value : curve.sigma) low_x = std::min(low_x, value), high_x = std::max(high_x, value);
      for (const double value : curve.error) low_y = std::min(low_y, value), high_y = std::max(high_y, value);
    }
    fit(low_x, high_x, x);
    fit(low_y, high_y, y);
  }

  static void fit(double low, double high, LogAxis& axis) {
    axis.low = static_cast<int>(std::floor(std::log10(low)));
    axis.high = std::max(axis.low + 1, static_cast<int>(std::ceil(std::log10(high))));
  }

  void draw(Svg& svg) const {
    const int step = y.high - y.low > 8 ? 2 : 1;
    for (int decade = y.low; decade <= y.high; decade += step) {
      const double at = y.at(std::pow(10.0, decade));
      svg.line(x.from, at, x.to, at, "rule");
      svg.text(x.from - 5.0, at + 4.0, power_of_ten(decade), "end", "soft");
    }
    for (int decade = x.low; decade <= x.high; ++decade) {
      const double at = x.at(std::pow(10.0, decade));
      svg.line(at, y.from, at, y.from + 4.0, "axis");
      svg.text(at, y.from + 17.0, power_of_ten(decade), "middle", "soft");
    }
    svg.line(x.from, y.from, x.to, y.from, "axis");
  }

  std::string path(const Curve2& curve) const {
    std::string data;
    for (std::size_t i = 0; i < curve.sigma.size(); ++i)
      data += (i == 0 ? "M" : "L") + units(x.at(curve.sigma[i])) + " " + units(y.at(curve.error[i]));
    return data;
  }
};

void draw_curve(const Curve2& curve, const Plane& plane, const std::string& pointer, const std::string& line,
                const std::string& dot, double radius, Svg& svg) {
  svg.path(plane.path(curve), line);
  for (std::size_t i = 0; i < curve.sigma.size(); ++i)
    svg.circle(plane.x.at(curve.sigma[i]), plane.y.at(curve.error[i]), radius, dot,
               data_from(error_pointer(pointer, curve.line[i]), curve.error[i]));
}

}  // namespace

std::string kinds_chart(const ReportDocument& document) {
  const std::vector<std::size_t> lines = permutation_lines(document);
  if (lines.empty()) return "";
  const double row = 20.0 + 13.0 * static_cast<double>(document.reports.size());
  Svg svg(row * static_cast<double>(lines.size()) + 6.0, "largest relative L2 by kind of permutation");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double top = row * static_cast<double>(i);
    const ChangeError& change = document.reports[0].changes[lines[i]];
    svg.text(8.0, top + 13.0, escape(change.name) + " × " + std::to_string(change.error.count), "start",
             "soft");
    for (std::size_t model = 0; model < document.reports.size(); ++model)
      draw_bar(document, model, lines[i], top + 18.0 + 13.0 * static_cast<double>(model), svg);
  }
  return "<section><h2>Error by kind of permutation</h2><p class=\"soft\">Largest relative L2 between f(P X) "
         "and P "
         "f(X). "
         "Bars are logarithmic from 10⁻¹⁰ to 10; 0 means every bit is equal. × is the number of permutations "
         "tried.</p>" +
         legend(document) + "<div class=\"card\">" + svg.str() + "</div></section>\n";
}

std::string jitter_chart(const ReportDocument& document) {
  if (!has(document, ChangeGroup::jitter)) return "";
  std::vector<Curve2> curves;
  bool any = false;
  for (const SensitivityReport& report : document.reports) curves.push_back(jitter_curve(report));
  for (const SensitivityReport& report : document.smooth) curves.push_back(jitter_curve(report));
  for (const Curve2& curve : curves) any = any || !curve.sigma.empty();
  const std::string head = "<section><h2>Jitter</h2>";
  if (!any) return head + "<p>No size of jitter moved any row, or rows became NaN.</p></section>\n";
  const Plane plane(curves);
  Svg svg(270.0, "largest relative L2 against sigma of the jitter, both logarithmic");
  plane.draw(svg);
  svg.text(191.0, 265.0, "σ per axis, in the cloud’s unit", "middle", "soft");
  const std::string smooth =
      document.smooth.empty() ? "" : " Dashed: smooth mechanisms on the same cloud, to compare with.";
  for (std::size_t i = 0; i < document.reports.size(); ++i)
    draw_curve(curves[i], plane, pointer_of(document, i), "curve " + colour_of(i), "dot " + colour_of(i), 4.0,
               svg);
  // on top, since smooth models cover each other
  for (std::size_t i = 0; i < document.smooth.size(); ++i)
    draw_curve(curves[document.reports.size() + i], plane, "/smooth/" + std::to_string(i),
               "smooth " + dashes_of(i), "smoothdot", 2.0, svg);
  return head +
         "<p class=\"soft\">Largest relative L2 (upright) after every coordinate moved by a random step of "
         "standard deviation σ. A smooth operator gives a straight line of slope 1; a canonical order adds "
         "jumps to models that go by rank, which lift the line where points change theirs." +
         smooth + "</p>" + legend(document, true) + "<div class=\"card\">" + svg.str() + "</div></section>\n";
}

}  // namespace pcl_attention::html
