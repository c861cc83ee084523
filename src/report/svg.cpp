// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/html.h"

namespace pcl_attention::html {

std::string units(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string power_of_ten(int exponent) {
  std::string text = "10";
  const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent < 0) text += "⁻";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

double LogAxis::at(double value) const {
  const double t = (std::log10(value) - low) / (high - low);
  return from + (to - from) * std::clamp(t, 0.0, 1.0);
}

Svg::Svg(double height, const std::string& label, double width)
    : head_("<svg viewBox=\"0 0 " + units(width) + " " + units(height) + "\" role=\"img\" aria-label=\"" +
            escape(label) + "\">") {}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& css) {
  body_ += "<line class=\"" + css + "\" x1=\"" + units(x1) + "\" y1=\"" + units(y1) + "\" x2=\"" + units(x2) +
           "\" y2=\"" + units(y2) + "\"/>";
}

void Svg::rect(double x, double y, double width, double height, const std::string& css,
               const std::string& attributes) {
  body_ += "<rect class=\"" + css + "\" x=\"" + units(x) + "\" y=\"" + units(y) + "\" width=\"" +
           units(width) + "\" height=\"" + units(height) + "\"" + attributes + "/>";
}

void Svg::circle(double x, double y, double radius, const std::string& css, const std::string& attributes) {
  body_ += "<circle class=\"" + css + "\" cx=\"" + units(x) + "\" cy=\"" + units(y) + "\" r=\"" +
           units(radius) + "\"" + attributes + "/>";
}

void Svg::path(const std::string& data, const std::string& css) {
  body_ += "<path class=\"" + css + "\" d=\"" + data + "\"/>";
}

void Svg::text(double x, double y, const std::string& text, const std::string& anchor, const std::string& css,
               const std::string& attributes) {
  body_ += "<text class=\"" + css + "\" x=\"" + units(x) + "\" y=\"" + units(y) + "\" text-anchor=\"" +
           anchor + "\"" + attributes + ">" + text + "</text>";
}

std::string Svg::str() const { return head_ + body_ + "</svg>\n"; }

}  // namespace pcl_attention::html
