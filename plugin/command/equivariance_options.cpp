// SPDX-License-Identifier: BSD-3-Clause
#include "equivariance_options.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pcl_attention::command {
namespace {

const std::vector<ChangeGroup> kGroups{
    ChangeGroup::permutation, ChangeGroup::jitter, ChangeGroup::translation, ChangeGroup::rotation,
    ChangeGroup::reflection,  ChangeGroup::subset, ChangeGroup::duplicates};

bool is_number(const std::string& text, double& value) {
  try {
    std::size_t used = 0;
    value = std::stod(text, &used);
    return used == text.size() && std::isfinite(value) && value >= 0.0;
  } catch (const std::exception&) {
    return false;
  }
}

JitterSize jitter_size(const std::string& text) {
  JitterSize size;
  size.of_spacing = !text.empty() && text.back() == 's';
  is_number(text.substr(0, text.size() - (size.of_spacing ? 1 : 0)), size.value);
  return size;
}

std::string check_sigma(const std::string& text) {
  const std::string digits = !text.empty() && text.back() == 's' ? text.substr(0, text.size() - 1) : text;
  double value = 0.0;
  return is_number(digits, value) ? "" : "expected a number, or a number and s, came '" + text + "'";
}

bool is_group(const std::string& name) {
  return std::any_of(kGroups.begin(), kGroups.end(), [&](ChangeGroup g) { return to_string(g) == name; });
}

/// Splits GROUP=X; a plain X is for permutations.
std::string group_of(const std::string& text, std::string& value) {
  const std::size_t at = text.find('=');
  value = at == std::string::npos ? text : text.substr(at + 1);
  return at == std::string::npos ? "permutation" : text.substr(0, at);
}

std::string check_tolerance(const std::string& text) {
  std::string value;
  double number = 0.0;
  const bool good = is_group(group_of(text, value)) && is_number(value, number);
  return good ? "" : "expected X or GROUP=X with X ≥ 0, came '" + text + "'";
}

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string("-_./:=,@+%").find(c) != std::string::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

void add_equivariance_options(CLI::App& verb, EquivarianceVerbOptions& options) {
  verb.add_option("IN", options.in, "cloud (.pcd .ply .bin), or .npy rows [n,d]")->required();
  verb.add_option("--permutations", options.permutations,
                  "how many: reversed, one swap, ends exchanged, a rotation, then random ones")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str();
  verb.add_option(
          "--groups", options.groups,
          "what to measure: permutation, jitter, translation, rotation, reflection, subset, duplicates, "
          "floor (rounding), layers, or all; default permutation, with --html all")
      ->delimiter(',')
      ->check(CLI::IsMember({"permutation", "jitter", "translation", "rotation", "reflection", "subset",
                             "duplicates", "floor", "layers", "all"}));
  verb.add_option(
          "--sigma", options.sigmas,
          "sizes of the jitter in the cloud's unit, or followed by s: times the median spacing; default "
          "0.001s,0.01s,0.1s,1s")
      ->delimiter(',')
      ->check(CLI::Validator(check_sigma, ""));
  verb.add_option("--repeats", options.repeats, "seeds for each size of the groups other than permutation")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str();
  verb.add_option("--points", options.points, "measure on a random sample of at most so many points, 0 = all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option(
          "--compare", options.compare,
          "models side by side, in place of --model; @none, @morton or @hilbert behind a name sets its order")
      ->delimiter(',')
      ->type_name("FILE|preset:NAME");
  verb.add_option("--html", options.html, "write the report as one page")->type_name("FILE");
  verb.add_option(
          "--cloud", options.cloud,
          "write the cloud with the fields `equivariance_error` and, with jitter, `jitter_error` (.pcd .ply)")
      ->type_name("FILE");
  verb.add_option("--tolerance", options.tolerances,
                  "exit with 1 if the largest relative L2 of the group is above; X alone is for permutation")
      ->delimiter(',')
      ->type_name("GROUP=X")
      ->check(CLI::Validator(check_tolerance, ""));
}

SensitivityOptions sensitivity_options(const EquivarianceVerbOptions& options) {
  std::vector<std::string> names = options.groups;
  for (const auto& [group, limit] : tolerances(options))
    if (!names.empty() || group != "permutation") names.push_back(group);
  const bool all = listed(names, "all") || (options.groups.empty() && !options.html.empty());
  if (names.empty() || options.groups.empty()) names.emplace_back("permutation");
  SensitivityOptions result;
  result.groups.clear();
  for (const ChangeGroup group : kGroups)
    if (all || listed(names, to_string(group))) result.groups.push_back(group);
  result.floor = all || listed(names, "floor");
  result.layers = all || listed(names, "layers");
  result.num_permutations = options.permutations;
  result.repeats = options.repeats;
  result.max_points = options.points;
  result.seed = options.shared.seed;
  if (!options.sigmas.empty()) result.jitter.clear();
  for (const std::string& text : options.sigmas) result.jitter.push_back(jitter_size(text));
  return result;
}

std::size_t number_of_calls(const SensitivityOptions& options) {
  std::size_t calls = 1;
  for (const ChangeGroup group : options.groups) {
    if (group == ChangeGroup::permutation) calls += options.num_permutations;
    if (group == ChangeGroup::jitter) calls += options.jitter.size() * options.repeats;
    if (group == ChangeGroup::translation) calls += options.translations.size() * options.repeats;
    if (group == ChangeGroup::rotation) calls += options.rotations.size() * options.repeats;
    if (group == ChangeGroup::reflection) calls += 3;
    if (group == ChangeGroup::subset) calls += options.subsets.size() * options.repeats;
    if (group == ChangeGroup::duplicates) calls += options.duplicates.size() * options.repeats;
  }
  return calls;
}

std::vector<Contestant> contestants(const EquivarianceVerbOptions& options) {
  std::vector<Contestant> result;
  for (const std::string& text : options.compare) {
    Contestant one{text, options.shared.ordering};
    for (const std::string ordering : {"none", "morton", "hilbert", "model"}) {
      const std::string ending = "@" + ordering;
      if (text.size() <= ending.size() || text.substr(text.size() - ending.size()) != ending) continue;
      one = {text.substr(0, text.size() - ending.size()), ordering};
    }
    result.push_back(one);
  }
  if (result.empty()) result.push_back({options.shared.model, options.shared.ordering});
  return result;
}

std::map<std::string, double> tolerances(const EquivarianceVerbOptions& options) {
  std::map<std::string, double> result;
  for (const std::string& text : options.tolerances) {
    std::string value;
    const std::string group = group_of(text, value);
    is_number(value, result[group]);
  }
  return result;
}

std::string command_line(const CLI::App& verb) {
  std::string text = "pcl_attention " + verb.get_name();
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_positional() ? " " : " " + option->get_name() + " ";
    std::string list;
    for (const std::string& value : option->results()) {
      if (option->get_delimiter() == '\0')
        text += name + shell_word(value);
      else
        list += (list.empty() ? "" : ",") + value;
    }
    if (!list.empty()) text += name + shell_word(list);
  }
  return text;
}

}  // namespace pcl_attention::command
