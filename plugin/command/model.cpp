// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/model.h"

#include <cstdio>
#include <memory>

#include "model_info.h"
#include "shared_options.h"
#include "verbs.h"

namespace pcl_attention::command {
namespace {

struct ModelOptions {
  SharedOptions shared;
  std::string name, out;
};

int create(const ModelOptions& options) {
  const ModelPtr model = make_preset(options.name, options.shared.seed);
  save_model(*model, options.out);
  std::printf(
      "model: %s, seed %llu, %zu parameters, hash %s, random weights: for order tests and timing, not "
      "for matching\n",
      options.name.c_str(), static_cast<unsigned long long>(options.shared.seed), model->num_parameters(),
      model->hash().c_str());
  return 0;
}

int info(const ModelOptions& options) {
  const ModelPtr model = open_model(options.name, options.shared.seed);
  const nlohmann::json description = describe(*model);
  write_json(options.shared, description.dump(2));
  print_description(description);
  return 0;
}

}  // namespace

void add_model(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("model", "make, import or describe a model file");
  verb->require_subcommand(1);
  verb->footer(
      "Example:\n"
      "  pcl_attention model create linformer linformer.safetensors --seed 7\n"
      "  pcl_attention model import net.safetensors model.safetensors --fields x,y,z\n"
      "  pcl_attention model info linformer.safetensors");
  const auto made = std::make_shared<ModelOptions>();
  CLI::App* const make = verb->add_subcommand("create", "write a preset with random weights");
  make->add_option("NAME", made->name, "name of the preset")
      ->required()
      ->check(CLI::IsMember(preset_names()));
  make->add_option("OUT", made->out, ".safetensors file")->required();
  make->add_option("--seed", made->shared.seed, "seed of the weights")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  make->footer("Example:\n  pcl_attention model create position position.safetensors --seed 7");

  const auto shown = std::make_shared<ModelOptions>();
  CLI::App* const show =
      verb->add_subcommand("info", "configuration, hash, tensors, k and cost per layer, input fields");
  show->add_option("MODEL", shown->name, "a .safetensors file, preset:NAME or shipped:NAME")->required();
  show->add_option("--seed", shown->shared.seed, "seed of a preset's weights")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  show->add_option("--json", shown->shared.json, "write the same as JSON")->type_name("FILE");
  show->footer("Example:\n  pcl_attention model info preset:linformer --json linformer.json");
  add_model_import(*verb, verbs);
  verbs.push_back({make, [made] { return create(*made); }});
  verbs.push_back({show, [shown] { return info(*shown); }});
}

}  // namespace pcl_attention::command
