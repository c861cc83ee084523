// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/sensitivity.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "attention/names.h"
#include "exec/parallel.h"
#include "report/encoder_checks.h"
#include "report/surroundings.h"
#include "report/trial.h"

namespace pcl_attention {
namespace {

bool wants(const SensitivityOptions& options, ChangeGroup group) {
  return std::find(options.groups.begin(), options.groups.end(), group) != options.groups.end();
}

/// Changes of one line of the report.
using Line = std::vector<Change>;

void add_permutations(const SensitivityOptions& options, std::vector<Line>& lines) {
  if (options.num_permutations == 0)
    throw std::invalid_argument("measure_sensitivity: num_permutations is 0, expected at least 1");
  Line random;
  for (std::size_t i = 0; i < options.num_permutations; ++i) {
    const auto kind = static_cast<PermutationKind>(std::min<std::size_t>(i, 4));
    const Change change{ChangeGroup::permutation, 0.0, options.seed + (i < 4 ? 0 : i - 4), kind};
    if (kind == PermutationKind::random)
      random.push_back(change);
    else
      lines.push_back({change});
  }
  if (!random.empty()) lines.push_back(random);
}

void add_sizes(ChangeGroup group, const std::vector<double>& sizes, const SensitivityOptions& options,
               std::vector<Line>& lines) {
  if (!wants(options, group)) return;
  if (options.repeats == 0)
    throw std::invalid_argument("measure_sensitivity: repeats is 0, expected at least 1");
  const std::size_t repeats = group == ChangeGroup::reflection ? 1 : options.repeats;
  for (const double size : sizes) {
    Line line;
    for (std::size_t i = 0; i < repeats; ++i) line.push_back({group, size, options.seed + i});
    lines.push_back(line);
  }
}

std::vector<double> sigmas(const SensitivityOptions& options, double spacing) {
  std::vector<double> result;
  for (const JitterSize& size : options.jitter)
    result.push_back(size.value * (size.of_spacing ? spacing : 1.0));
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<Line> plan(const SensitivityOptions& options, double spacing) {
  std::vector<Line> lines;
  if (wants(options, ChangeGroup::permutation)) add_permutations(options, lines);
  add_sizes(ChangeGroup::jitter, sigmas(options, spacing), options, lines);
  add_sizes(ChangeGroup::translation, options.translations, options, lines);
  add_sizes(ChangeGroup::rotation, options.rotations, options, lines);
  add_sizes(ChangeGroup::reflection, {0.0, 1.0, 2.0}, options, lines);
  add_sizes(ChangeGroup::subset, options.subsets, options, lines);
  add_sizes(ChangeGroup::duplicates, options.duplicates, options, lines);
  return lines;
}

bool moves_points(const SensitivityOptions& options) {
  return std::any_of(options.groups.begin(), options.groups.end(), [](ChangeGroup group) {
    return group == ChangeGroup::jitter || group == ChangeGroup::translation ||
           group == ChangeGroup::rotation || group == ChangeGroup::reflection;
  });
}

bool has_positions(const CloudView& cloud, const MovingPoints& moving) {
  try {
    Triple(cloud, {"x", "y", "z"}, moving.field_names);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Returns the points to measure on, ascending; empty for all.
std::vector<std::uint32_t> choose_sample(std::size_t num_points, const SensitivityOptions& options) {
  if (options.max_points == 0 || num_points <= options.max_points) return {};
  std::vector<std::uint32_t> points = make_permutation({PermutationKind::random, options.seed}, num_points);
  points.resize(options.max_points);
  std::sort(points.begin(), points.end());
  return points;
}

/// As RowOperator, with rows of T.
template <class T>
using OperatorOf = std::function<std::size_t(const CloudView& cloud, std::vector<T>& rows)>;

/// One measurement: the cloud, what is run on it, and how far the work is.
/// @tparam T  of the rows: float for a float engine, so that half the memory is compared
template <class T>
class Measurement {
 public:
  Measurement(const CloudView& cloud, const SensitivityOptions& options, Encoder* encoder,
              OutputKind kind = OutputKind::rows)
      : options_(options),
        encoder_(encoder),
        kind_(kind),
        moving_{options.field_names, options.zero_is_invalid} {
    cloud.check();
    report_.equivariance.output = kind;
    report_.cloud_points = cloud.num_points();
    report_.sample = choose_sample(cloud.num_points(), options);
    if (!report_.sample.empty()) sampled_.emplace(cloud, report_.sample);
    cloud_ = sampled_ ? sampled_->view() : cloud;
  }

  SensitivityReport run(const OperatorOf<T>& apply) {
    describe_cloud();
    const std::vector<Line> lines = plan(options_, report_.median_spacing);
    count_calls(lines);
    apply_to(apply, cloud_, expected_);
    for (const Line& line : lines) report_.changes.push_back(measure(line, apply));
    finish_permutations();
    scale(report_.jitter_error, options_.repeats);
    if (encoder_ != nullptr) describe_encoder();
    return std::move(report_);
  }

 private:
  void describe_cloud() {
    report_.cloud_hash = hash_of(cloud_);
    if (!moves_points(options_) && !has_positions(cloud_, moving_)) return;
    Positions positions = positions_of(cloud_, moving_);
    if (wants(options_, ChangeGroup::jitter)) {
      const Spacing spacing = median_spacing(positions, options_.seed);
      report_.median_spacing = spacing.median;
      report_.spacing_sample = spacing.sample;
    }
    report_.positions = std::move(positions.xyz);
  }

  void count_calls(const std::vector<Line>& lines) {
    calls_ = 1;
    for (const Line& line : lines) calls_ += line.size();
    if (encoder_ == nullptr) return;
    if (options_.layers) calls_ += num_layer_calls(*encoder_, options_.floor);
    if (options_.floor) ++calls_;
  }

  void next() {
    ++called_;
    if (options_.progress)
      options_.progress(std::min(1.0, static_cast<double>(called_) / static_cast<double>(calls_)));
  }

  /// Returns how many rows the operator has to give for n points; any number for unordered sets.
  std::size_t rows_for(std::size_t n, const RowsOf<T>& rows) const {
    if (kind_ == OutputKind::unordered_set) return rows.size();
    return kind_ == OutputKind::global_row ? 1 : n;
  }

  void apply_to(const OperatorOf<T>& apply, const CloudView& cloud, RowsOf<T>& rows) {
    rows.width = apply(cloud, rows.values);
    const std::size_t expected = rows_for(cloud.num_points(), rows);
    if (rows.values.size() != rows.width * expected)
      throw std::invalid_argument(
          "measure_sensitivity: the operator gave " + std::to_string(rows.values.size()) + " numbers for " +
          std::to_string(expected) + " rows of " + std::to_string(rows.width) + " numbers each");
    next();
  }

  bool has_point_errors() const { return kind_ == OutputKind::rows || kind_ == OutputKind::kept_set; }

  /// Returns where the errors of a line's points are kept; empty: nowhere.
  std::vector<double>& point_errors_of(const Line& line) {
    const bool permutation = line[0].group == ChangeGroup::permutation;
    if (!has_point_errors() || (!permutation && line[0].group != ChangeGroup::jitter))
      return no_point_errors_;
    std::vector<double>& errors = permutation ? report_.equivariance.point_error : report_.jitter_error;
    // sizes of jitter ascend: the last one stays
    if (!permutation || errors.empty()) errors.assign(cloud_.num_points(), 0.0);
    return errors;
  }

  ChangeError measure(const Line& line, const OperatorOf<T>& apply) {
    ChangeError error;
    error.group = line[0].group;
    error.name = name_of(line[0]);
    error.size = line[0].size;
    std::vector<double>& point_errors = point_errors_of(line);
    for (const Change& change : line) {
      const ChangedCloud changed = apply_change(cloud_, change, moving_);
      apply_to(apply, changed.view(), rows_);
      error.trials.push_back(hold_against(to_string(change), changed.source(), point_errors));
    }
    if (encoder_ != nullptr && error.group == ChangeGroup::jitter) add_ranks(line[0]);
    finish(error);
    return error;
  }

  Trial hold_against(const std::string& change, const std::vector<std::uint32_t>& source,
                     std::vector<double>& point_errors) const {
    if constexpr (std::is_same_v<T, double>) {
      if (kind_ == OutputKind::kept_set)
        return make_kept_trial(change, rows_, expected_, source, point_errors);
      if (kind_ == OutputKind::unordered_set) return make_set_trial(change, rows_, expected_);
    }
    if (kind_ == OutputKind::global_row) return make_trial(change, rows_, expected_, {0}, point_errors);
    return make_trial(change, rows_, expected_, source, point_errors);
  }

  /// Makes errors per point relative; returns the number of rows without NaN, or of points kept.
  std::size_t scale(std::vector<double>& point_errors, std::size_t trials) const {
    if (kind_ != OutputKind::kept_set) return scale_by_norm(expected_, point_errors);
    for (double& error : point_errors) error /= static_cast<double>(trials);
    return static_cast<std::size_t>(std::count(expected_.values.begin(), expected_.values.end(), 1.0));
  }

  void add_ranks(const Change& change) {
    if (encoder_->order() == Curve::none) return;
    if (!ranks_) ranks_.emplace(*encoder_, cloud_);
    const Ranks changed(*encoder_, apply_change(cloud_, change, moving_).view());
    report_.ranks.push_back(ranks_->compare(changed, change.size, options_.seed));
  }

  void finish_permutations() {
    EquivarianceReport& report = report_.equivariance;
    report.points = cloud_.num_points();
    report.seed = options_.seed;
    report.valid_points = scale(report.point_error, options_.num_permutations);
    std::vector<Trial> trials;
    for (const ChangeError& change : report_.changes)
      if (change.group == ChangeGroup::permutation)
        trials.insert(trials.end(), change.trials.begin(), change.trials.end());
    if (trials.empty()) return;
    report.permutation = summarise(trials);
    report.level = level_of(report.permutation, options_.is_double);
    if (kind_ != OutputKind::kept_set) return;
    report.permutation.min_jaccard = 1.0 - report.permutation.max_relative_l2;
    report.permutation.mean_jaccard = 1.0 - report.permutation.mean_relative_l2;
    if (report.level == EquivarianceLevel::rounding) report.level = EquivarianceLevel::none;
  }

  void describe_encoder() {
    EquivarianceReport& report = report_.equivariance;
    report.model = encoder_->model().config().name;
    report.model_hash = encoder_->model().hash();
    report.engine = encoder_->engine();
    report.ordering = to_string(encoder_->order());
    report_.random_weights = encoder_->model().config().random_weights;
    if (encoder_->order() != Curve::none) report.order = Ranks(*encoder_, cloud_).diagnostics();
    if (options_.floor) {
      const Rows rows{{expected_.values.begin(), expected_.values.end()}, expected_.width};
      report_.rounding_floor = rounding_floor(*encoder_, cloud_, rows);
      next();
    }
    if (options_.layers)
      report_.layers = layer_errors(*encoder_, cloud_, options_.seed, options_.floor, [this] { next(); });
  }

  SensitivityOptions options_;
  Encoder* encoder_;
  OutputKind kind_;
  MovingPoints moving_;
  CloudView cloud_;
  std::optional<ChangedCloud> sampled_;
  SensitivityReport report_;
  RowsOf<T> expected_, rows_;
  std::vector<double> no_point_errors_;
  std::optional<Ranks> ranks_;
  std::size_t calls_ = 0, called_ = 0;
};

template <class T>
SensitivityReport measure_encoder(const CloudView& cloud, Encoder& encoder,
                                  const SensitivityOptions& options) {
  std::optional<EncodeResult> unchanged;
  const auto apply = [&](const CloudView& view, std::vector<T>& rows) {
    const EncodeResult result = encode_rows(encoder, view, rows);
    if (!unchanged) unchanged = result;
    return encoder.model().config().output_width();
  };
  SensitivityReport report = with_threads(
      encoder.options().num_threads, [&] { return Measurement<T>(cloud, options, &encoder).run(apply); });
  report.masked_slots = unchanged->masked_slots;
  report.guarded_rows = unchanged->guarded_rows;
  return report;
}

}  // namespace

SensitivityReport measure_sensitivity(const CloudView& cloud, const RowOperator& apply,
                                      const SensitivityOptions& options) {
  return Measurement<double>(cloud, options, nullptr).run(apply);
}

SensitivityReport measure_kept_set(const CloudView& cloud, const KeepOperator& apply,
                                   const SensitivityOptions& options) {
  const auto kept = [&](const CloudView& view, std::vector<double>& rows) {
    const std::vector<std::uint8_t> points = kept_by(apply, view);
    rows.assign(points.begin(), points.end());
    return std::size_t{1};
  };
  return Measurement<double>(cloud, options, nullptr, OutputKind::kept_set).run(kept);
}

SensitivityReport measure_unordered_set(const CloudView& cloud, const RowOperator& apply,
                                        const SensitivityOptions& options) {
  return Measurement<double>(cloud, options, nullptr, OutputKind::unordered_set).run(apply);
}

SensitivityReport measure_global_row(const CloudView& cloud, const RowOperator& apply,
                                     const SensitivityOptions& options) {
  return Measurement<double>(cloud, options, nullptr, OutputKind::global_row).run(apply);
}

SensitivityReport measure_sensitivity(const CloudView& cloud, Encoder& encoder,
                                      const SensitivityOptions& options) {
  SensitivityOptions filled = options;
  filled.is_double = encoder.is_double();
  filled.zero_is_invalid = encoder.options().zero_is_invalid;
  filled.field_names = encoder.options().field_names;
  return encoder.is_double() ? measure_encoder<double>(cloud, encoder, filled)
                             : measure_encoder<float>(cloud, encoder, filled);
}

}  // namespace pcl_attention
