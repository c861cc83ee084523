// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

namespace pcl_attention::command {

/// A verb of the program: its part of the command line and what it does.
struct Verb {
  CLI::App* app = nullptr;
  /// Returns 0 if all asked for was done, 1 if a tolerance was exceeded. Throws on failure.
  std::function<int()> run;
};

using Verbs = std::vector<Verb>;

// Each adds its verb to `app` and to `verbs`.
void add_features(CLI::App& app, Verbs& verbs);
void add_filter(CLI::App& app, Verbs& verbs);
void add_sample(CLI::App& app, Verbs& verbs);
void add_clean(CLI::App& app, Verbs& verbs);
void add_order(CLI::App& app, Verbs& verbs);
void add_equivariance(CLI::App& app, Verbs& verbs);
void add_heads(CLI::App& app, Verbs& verbs);
void add_model(CLI::App& app, Verbs& verbs);
void add_devices(CLI::App& app, Verbs& verbs);
void add_scene(CLI::App& app, Verbs& verbs);

// Adds `import` to the verb `model`.
void add_model_import(CLI::App& model, Verbs& verbs);

}  // namespace pcl_attention::command
