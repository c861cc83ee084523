// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "pcl_attention/sensitivity.h"
#include "shared_options.h"

namespace pcl_attention::command {

/// The verb's options, as typed.
struct EquivarianceVerbOptions {
  SharedOptions shared;
  std::string in, cloud, html;
  std::size_t permutations = 8, repeats = 2, points = 0;
  std::vector<std::string> groups, sigmas, tolerances, compare;
  std::string command;  ///< the whole command line
};

void add_equivariance_options(CLI::App& verb, EquivarianceVerbOptions& options);

/// Returns what to measure: permutations, or everything for a page, or the groups asked for.
SensitivityOptions sensitivity_options(const EquivarianceVerbOptions& options);

/// Returns about how many times the operator will be applied.
std::size_t number_of_calls(const SensitivityOptions& options);

/// A model to run, and the order it is run with.
struct Contestant {
  std::string model, ordering;
};

/// Returns the models of --compare, or the one of --model. A trailing @none, @morton, @hilbert or @model
/// sets the order.
std::vector<Contestant> contestants(const EquivarianceVerbOptions& options);

/// Returns the largest relative L2 allowed per group.
std::map<std::string, double> tolerances(const EquivarianceVerbOptions& options);

/// Returns the command line that was parsed, quoted for a shell.
std::string command_line(const CLI::App& verb);

}  // namespace pcl_attention::command
