// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "pcl_attention/report_document.h"

namespace pcl_attention::html {

/// Returns text with & < > " ' made harmless.
std::string escape(const std::string& text);

/// Returns "0", "1.23e-04", "∞" or "–" (NaN).
std::string show(double value);

/// Returns the number in an element that names its JSON pointer.
std::string number(const std::string& pointer, double value);
std::string number(const std::string& pointer, std::size_t value);

/// The same with five decimals, for numbers in [−1, 1].
std::string share(const std::string& pointer, double value);

/// Returns the JSON pointer of report `i`: "" for the only one, else "/reports/i".
std::string pointer_of(const ReportDocument& document, std::size_t i);

/// Returns the class of report `i` that sets its colour: "m0" … "m5".
std::string colour_of(std::size_t i);

/// Returns what tells a report from the others.
std::string name_of(const SensitivityReport& report);

// Parts of the page; empty where nothing was measured.
std::string style();
std::string what_was_run(const ReportDocument& document);
std::string levels(const ReportDocument& document);
std::string kinds_chart(const ReportDocument& document);
std::string jitter_chart(const ReportDocument& document);
std::string change_tables(const ReportDocument& document);
std::string histograms(const ReportDocument& document);
std::string views(const ReportDocument& document);
std::string layer_table(const ReportDocument& document);
std::string order_tables(const ReportDocument& document);
std::string how_to_reproduce(const ReportDocument& document);

}  // namespace pcl_attention::html
