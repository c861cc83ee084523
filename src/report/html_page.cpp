// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "pcl_attention/version.h"
#include "report/html.h"
#include "report/trial.h"

namespace pcl_attention::html {
namespace {

std::string item(const std::string& name, const std::string& value) {
  return "<dt>" + name + "</dt><dd>" + value + "</dd>";
}

std::string points_of(const SensitivityReport& report, const std::string& pointer) {
  const EquivarianceReport& equivariance = report.equivariance;
  std::string text = number(pointer + "/points", equivariance.points) + ", valid " +
                     number(pointer + "/valid_points", equivariance.valid_points);
  if (!report.sample.empty())
    text += "; a random sample of the " + number(pointer + "/cloud_points", report.cloud_points) +
            " points of the cloud";
  return text;
}

std::string run_card(const ReportDocument& document, std::size_t i) {
  const SensitivityReport& report = document.reports[i];
  const EquivarianceReport& equivariance = report.equivariance;
  const std::string pointer = pointer_of(document, i);
  std::string text = "<div class=\"card\"><h3 class=\"" + colour_of(i) + "\"><span class=\"key\"></span>" +
                     name_of(report) + "</h3><dl>";
  text += item("points", points_of(report, pointer));
  if (!equivariance.model.empty())
    text += item("model", escape(equivariance.model) + (report.random_weights ? ", random weights" : "")) +
            item("engine", escape(equivariance.engine)) + item("order", escape(equivariance.ordering));
  if (equivariance.output != OutputKind::rows) text += item("output", to_string(equivariance.output));
  if (report.masked_slots != 0)
    text += item("masked slots",
                 number(pointer + "/masked_slots", report.masked_slots) + " anchors that no point reaches");
  if (report.guarded_rows != 0)
    text += item("guarded rows", number(pointer + "/guarded_rows", report.guarded_rows) +
                                     " answers that are 0: their denominator vanishes");
  if (report.spacing_sample != 0)
    text +=
        item("median spacing", number(pointer + "/median_spacing", report.median_spacing) + " over " +
                                   number(pointer + "/spacing_sample", report.spacing_sample) + " points");
  text +=
      item("permutations",
           number(pointer + "/permutation/count", equivariance.permutation.count) + ", largest relative L2 " +
               number(pointer + "/permutation/max_relative_l2", equivariance.permutation.max_relative_l2));
  return text + "</dl></div>";
}

std::string level_sentence(const SensitivityReport& report) {
  switch (report.equivariance.level) {
    case EquivarianceLevel::bitwise:
      return report.equivariance.output == OutputKind::kept_set
                 ? "the same points were kept under the permutations tried."
                 : "every bit of every row stayed equal under the permutations tried: bitwise equivariant.";
    case EquivarianceLevel::rounding:
      return "rows stayed equal up to rounding under the permutations tried.";
    case EquivarianceLevel::none:
      break;
  }
  return "the result depends on the order of the points: not equivariant.";
}

}  // namespace

std::string what_was_run(const ReportDocument& document) {
  std::string cards;
  for (std::size_t i = 0; i < document.reports.size(); ++i) cards += run_card(document, i);
  return "<h2>What was run</h2><div class=\"cards\">" + cards + "</div>\n";
}

std::string levels(const ReportDocument& document) {
  std::string text;
  for (std::size_t i = 0; i < document.reports.size(); ++i) {
    const SensitivityReport& report = document.reports[i];
    if (report.equivariance.permutation.count == 0) continue;
    text += "<p class=\"level " + colour_of(i) + "\"><strong>" + name_of(report) + "</strong>: level " +
            number(pointer_of(document, i) + "/level", static_cast<std::size_t>(report.equivariance.level)) +
            " of 3, " + level_sentence(report) + "</p>";
  }
  return text;
}

std::string how_to_reproduce(const ReportDocument& document) {
  std::string items;
  for (std::size_t i = 0; i < document.reports.size(); ++i) {
    const SensitivityReport& report = document.reports[i];
    const EquivarianceReport& equivariance = report.equivariance;
    items += item(name_of(report),
                  "weights " +
                      escape(equivariance.model_hash.empty() ? "of an operator" : equivariance.model_hash) +
                      ", points " + escape(report.cloud_hash) + ", seed " +
                      number(pointer_of(document, i) + "/seed", static_cast<std::size_t>(equivariance.seed)));
  }
  std::string text = "<h2>How to reproduce</h2>";
  if (!document.command.empty()) text += "<pre>" + escape(document.command) + "</pre>";
  return text + "<dl>" + items + item("version", "pcl_attention " PCL_ATTENTION_VERSION) +
         "</dl><p class=\"soft\">Random choices depend on the seed alone. The hashes are FNV-1a, 64 bits, "
         "over the "
         "weights with their configuration and over the bytes of the points measured.</p>\n";
}

}  // namespace pcl_attention::html

namespace pcl_attention {

std::string to_html(const ReportDocument& document) {
  if (document.reports.empty()) throw std::invalid_argument("to_html: no reports");
  const std::string title = "Equivariance of " + html::escape(document.cloud);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>" +
         title + "</title>\n" + html::style() + "</head><body>\n<h1>" + title +
         "</h1><p class=\"soft\">How far the rows depend on the order of the points, and on small changes of "
         "them.</p>\n" +
         html::levels(document) + html::what_was_run(document) + "<div class=\"pair\">" +
         html::kinds_chart(document) + html::jitter_chart(document) + "</div>\n" +
         html::change_tables(document) + html::histograms(document) + html::views(document) +
         html::layer_table(document) + html::order_tables(document) + html::how_to_reproduce(document) +
         "</body></html>\n";
}

}  // namespace pcl_attention
