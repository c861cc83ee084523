// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>

#include "report/html.h"

namespace pcl_attention::html {

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string show(double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return "∞";
  if (value == 0.0) return "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

std::string number(const std::string& pointer, double value) {
  return "<span data-from=\"" + pointer + "\">" + show(value) + "</span>";
}

std::string number(const std::string& pointer, std::size_t value) {
  return "<span data-from=\"" + pointer + "\">" + std::to_string(value) + "</span>";
}

std::string share(const std::string& pointer, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5f", value);
  return "<span data-from=\"" + pointer + "\">" + text + "</span>";
}

std::string pointer_of(const ReportDocument& document, std::size_t i) {
  return document.reports.size() == 1 ? "" : "/reports/" + std::to_string(i);
}

std::string colour_of(std::size_t i) { return "m" + std::to_string(i % 6); }

std::string name_of(const SensitivityReport& report) {
  const EquivarianceReport& equivariance = report.equivariance;
  if (equivariance.model.empty()) return "operator";
  const std::string& ordering = equivariance.ordering;
  return escape(equivariance.model) + (ordering == "none"      ? ", as they come"
                                       : ordering == "hilbert" ? ", Hilbert order"
                                                               : "");
}

}  // namespace pcl_attention::html
