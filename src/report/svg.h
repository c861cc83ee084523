// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace pcl_attention::html {

/// A picture inside a page. Colours come from classes of the page's style.
class Svg {
 public:
  /// @param label  what the picture shows, for readers who do not see it
  Svg(double height, const std::string& label, double width = kWidth);

  void line(double x1, double y1, double x2, double y2, const std::string& css);
  void rect(double x, double y, double width, double height, const std::string& css,
            const std::string& attributes = "");
  void circle(double x, double y, double radius, const std::string& css, const std::string& attributes = "");
  void path(const std::string& data, const std::string& css);
  /// @param anchor  "start", "middle" or "end"
  void text(double x, double y, const std::string& text, const std::string& anchor = "start",
            const std::string& css = "", const std::string& attributes = "");

  std::string str() const;

  static constexpr double kWidth = 360.0;

 private:
  std::string head_, body_;
};

/// Returns a coordinate with one decimal.
std::string units(double value);

/// Returns "10⁻³" as markup.
std::string power_of_ten(int exponent);

/// Maps [10^low, 10^high] to [from, to]; values beyond are clamped.
struct LogAxis {
  int low, high;
  double from, to;

  double at(double value) const;
};

}  // namespace pcl_attention::html
