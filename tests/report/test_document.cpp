// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "pcl_attention/report_document.h"
#include "report/histogram.h"
#include "report/html.h"
#include "support/clouds.h"

namespace pcl_attention::test {
namespace {

ReportDocument document_of(const std::vector<const char*>& presets) {
  ReportDocument document;
  document.cloud = "a<b>.pcd";
  document.command = "pcl_attention equivariance 'a<b>.pcd'";
  for (const char* preset : presets) {
    Encoder encoder(make_preset(preset));
    SensitivityOptions options;
    options.num_permutations = 5;
    options.max_points = 200;
    document.reports.push_back(measure_sensitivity(random_cloud(300, 5).view(), encoder, options));
  }
  return document;
}

TEST(ReportDocument, OneReportIsTheDocument) {
  const auto json = nlohmann::json::parse(to_json(document_of({"position"})));
  EXPECT_EQ(json["points"], 200);
  EXPECT_EQ(json["cloud_points"], 300);
  EXPECT_EQ(json["sampled"], true);
  EXPECT_EQ(json["permutation"]["count"], 5);
  EXPECT_EQ(json["changes"][0]["trials"][0]["change"], "reversed");
  EXPECT_EQ(json["histogram"]["zero"], 200);
}

TEST(ReportDocument, SeveralStandSideBySide) {
  const ReportDocument document = document_of({"position", "linformer-segment"});
  const auto json = nlohmann::json::parse(to_json(document));
  ASSERT_EQ(json["reports"].size(), 2U);
  EXPECT_EQ(json["reports"][1]["model"], "preset:linformer-segment");
  const std::string table = to_table(document);
  EXPECT_NE(table.find("largest relative L2"), std::string::npos);
  EXPECT_NE(table.find("200 of 300 points"), std::string::npos);
}

TEST(ReportDocument, PageStandsAloneAndEscapesNames) {
  const std::string page = to_html(document_of({"position", "linformer-segment"}));
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  for (const char* forbidden : {"<script", "http:", "https:", "src=", "@import", "url(", "a<b>"})
    EXPECT_EQ(page.find(forbidden), std::string::npos) << forbidden;
  for (const char* part : {"level ", "Jitter", "Error per point", "Where the error lies", "Layer by layer",
                           "The canonical order", "How to reproduce", "a&lt;b&gt;",
                           "prefers-color-scheme:dark", "a random sample of the"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(ReportDocument, EmptyCloudsOperatorsAndInfinityHaveAPage) {
  ReportDocument document;
  document.reports.resize(1);
  EXPECT_NE(to_html(document).find("operator"), std::string::npos);
  Encoder encoder(make_preset("position"));
  document.reports[0] = measure_sensitivity(random_cloud(0, 5).view(), encoder);
  EXPECT_NO_THROW(to_html(document));
  EXPECT_NO_THROW(to_table(document));
  EXPECT_THROW(to_html(ReportDocument{}), std::invalid_argument);
}

TEST(ErrorHistogram, CountsEveryPointOnce) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const ErrorHistogram histogram = histogram_of({0.0, nan, 1e-20, 1.1e-9, 2e-1, 1.1, 1e5, infinity});
  EXPECT_EQ(histogram.zero, 1U);
  EXPECT_EQ(histogram.invalid, 1U);
  ASSERT_EQ(histogram.counts.size(), 20U);
  EXPECT_EQ(histogram.counts.front(), 2U);
  EXPECT_EQ(histogram.counts[16], 1U);
  EXPECT_EQ(histogram.counts[18], 1U);
  EXPECT_EQ(histogram.counts.back(), 2U);
}

TEST(Html, NumbersAndText) {
  EXPECT_EQ(html::show(0.0), "0");
  EXPECT_EQ(html::show(1.234e-5), "1.23e-05");
  EXPECT_EQ(html::show(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(html::escape("<a & 'b' \"c\">"), "&lt;a &amp; &#39;b&#39; &quot;c&quot;&gt;");
}

}  // namespace
}  // namespace pcl_attention::test
