// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "pcl_attention/export.h"
#include "pcl_attention/sensitivity.h"

namespace pcl_attention {

/// Reports on one cloud, to be shown side by side.
struct ReportDocument {
  std::string cloud;    ///< its name
  std::string command;  ///< that makes the document again
  std::vector<SensitivityReport> reports;
  /// Jitter of smooth mechanisms on the same cloud: lines beside the others.
  std::vector<SensitivityReport> smooth;
};

/// Returns the document as JSON, without NaN or infinity (both become null). One report is the document;
/// several are its member `reports`. Schema: equivariance.schema.json, installed under share/pcl_attention.
PCL_ATTENTION_EXPORT std::string to_json(const ReportDocument& document);

/// Returns the document as tables for a terminal, each report's level in one sentence first.
PCL_ATTENTION_EXPORT std::string to_table(const ReportDocument& document);

/// Returns the document as one page of HTML that needs no script, no network and no other file. Numbers
/// carry the JSON pointer of their value in to_json() as attribute data-from.
PCL_ATTENTION_EXPORT std::string to_html(const ReportDocument& document);

}  // namespace pcl_attention
