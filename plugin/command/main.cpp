// SPDX-License-Identifier: BSD-3-Clause
#include <pcl/console/print.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "pcl_attention/version.h"
#include "verbs.h"

namespace {

constexpr int failure = 2;

int fail(const std::string& reason) {
  std::string line = reason;
  for (char& c : line)
    if (c == '\n') c = ' ';
  std::cerr << "pcl_attention: " << line << std::endl;
  return failure;
}

int run(int argc, char** argv) {
  using namespace pcl_attention::command;
  CLI::App app("Attention over unordered point clouds, and how far the result depends on their order.",
               "pcl_attention");
  app.set_version_flag("--version", std::string("pcl_attention ") + PCL_ATTENTION_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit code: 0 all done, 1 a tolerance was exceeded, 2 failure. `pcl_attention VERB --help` has an "
      "example.");
  Verbs verbs;
  add_features(app, verbs);
  add_filter(app, verbs);
  add_sample(app, verbs);
  add_clean(app, verbs);
  add_order(app, verbs);
  add_equivariance(app, verbs);
  add_heads(app, verbs);
  add_model(app, verbs);
  add_devices(app, verbs);
  add_scene(app, verbs);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return fail(error.what());
  }
  for (const Verb& verb : verbs)
    if (verb.app->parsed()) return verb.run();
  return fail("no verb");
}

}  // namespace

int main(int argc, char** argv) {
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);  // what PCL refuses is told in our own line
  try {
    const int code = run(argc, argv);
    std::cout.flush();
    return std::cout ? code : fail("cannot write to standard output");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
