// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>

#include "pcl_attention/report_document.h"
#include "pcl_attention/version.h"
#include "report/histogram.h"

namespace pcl_attention {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json_object(const PermutationError& error) {
  return {{"count", error.count},
          {"max_relative_l2", number(error.max_relative_l2)},
          {"mean_relative_l2", number(error.mean_relative_l2)},
          {"p95_relative_l2", number(error.p95_relative_l2)},
          {"max_emlp", number(error.max_emlp)},
          {"mean_emlp", number(error.mean_emlp)},
          {"p95_emlp", number(error.p95_emlp)},
          {"max_abs", number(error.max_abs)},
          {"worst_point", error.worst_point},
          {"worst_change", error.worst_permutation},
          {"nan_mismatches", error.nan_mismatches},
          {"bitwise_equal", error.bitwise_equal}};
}

Json to_json_object(const Trial& trial) {
  return {{"change", trial.change},
          {"relative_l2", number(trial.relative_l2)},
          {"emlp", number(trial.emlp)},
          {"max_abs", number(trial.max_abs)},
          {"worst_point", trial.worst_point},
          {"label_flips", number(trial.label_flips)},
          {"nan_mismatches", trial.nan_mismatches},
          {"bitwise_equal", trial.bitwise_equal}};
}

Json to_json_object(const ChangeError& change) {
  Json trials = Json::array();
  for (const Trial& trial : change.trials) trials.push_back(to_json_object(trial));
  return {{"group", to_string(change.group)},
          {"name", change.name},
          {"size", number(change.size)},
          {"error", to_json_object(change.error)},
          {"max_label_flips", number(change.max_label_flips)},
          {"mean_label_flips", number(change.mean_label_flips)},
          {"trials", trials}};
}

Json to_json_object(const LayerError& layer) {
  return {{"layer", layer.layer},
          {"max_relative_l2", number(layer.max_relative_l2)},
          {"rounding_floor", number(layer.rounding_floor)}};
}

Json to_json_object(const RankStability& ranks) {
  return {{"sigma", number(ranks.sigma)},
          {"median", ranks.median},
          {"p99", ranks.p99},
          {"max", ranks.max},
          {"pairs", ranks.pairs},
          {"kendall_tau", number(ranks.kendall_tau)}};
}

Json to_json_object(const SensitivityReport& report);

Json to_json_object(const ErrorHistogram& histogram) {
  return {{"edges", histogram.edges},
          {"counts", histogram.counts},
          {"zero", histogram.zero},
          {"invalid", histogram.invalid}};
}

template <class T>
Json to_json_array(const std::vector<T>& items) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(to_json_object(item));
  return array;
}

Json to_json_object(const SensitivityReport& report) {
  Json json = Json::parse(to_json(report.equivariance));
  json["random_weights"] = report.random_weights;
  json["cloud_points"] = report.cloud_points;
  json["sampled"] = !report.sample.empty();
  json["cloud_hash"] = report.cloud_hash;
  json["median_spacing"] = number(report.median_spacing);
  json["spacing_sample"] = report.spacing_sample;
  json["rounding_floor"] = number(report.rounding_floor);
  json["masked_slots"] = report.masked_slots;
  json["guarded_rows"] = report.guarded_rows;
  json["changes"] = to_json_array(report.changes);
  json["layers"] = to_json_array(report.layers);
  json["ranks"] = to_json_array(report.ranks);
  json["histogram"] = to_json_object(histogram_of(report.equivariance.point_error));
  json["jitter_histogram"] = to_json_object(histogram_of(report.jitter_error));
  return json;
}

}  // namespace

std::string to_json(const ReportDocument& document) {
  Json json{{"format", "pcl_attention equivariance"},
            {"version", PCL_ATTENTION_VERSION},
            {"cloud", document.cloud},
            {"command", document.command}};
  if (document.reports.size() == 1)
    json.update(to_json_object(document.reports[0]));
  else
    json["reports"] = to_json_array(document.reports);
  if (!document.smooth.empty()) json["smooth"] = to_json_array(document.smooth);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pcl_attention
