// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/model.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

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

nlohmann::json describe(const Model& model) {
  const ModelConfig& config = model.config();
  nlohmann::json json{{"name", config.name},
                      {"hash", model.hash()},
                      {"parameters", model.num_parameters()},
                      {"random_weights", config.random_weights},
                      {"config", nlohmann::json::parse(config_to_json(config))}};
  for (const InputField& field : config.input.fields)
    json["input_fields"].push_back(
        {{"name", field.name}, {"channels", field.channels}, {"scale", field.scale}});
  if (config.mechanism == Mechanism::linformer)
    for (std::size_t layer = 0; layer < config.depth; ++layer)
      json["k_by_layer"].push_back(config.projected_rows(layer));
  for (const TensorSpec& spec : tensor_specs(config))
    json["tensors"].push_back({{"name", spec.name}, {"shape", spec.shape}});
  return json;
}

int info(const ModelOptions& options) {
  const ModelPtr model = open_model(options.name, options.shared.seed);
  const nlohmann::json json = describe(*model);
  write_json(options.shared, json.dump(2));
  std::printf("model %s, hash %s, %zu parameters%s\n", model->config().name.c_str(), model->hash().c_str(),
              model->num_parameters(), model->config().random_weights ? ", random weights" : "");
  std::printf("configuration %s\n", json["config"].dump(2).c_str());
  for (const auto& field : json["input_fields"])
    std::printf("input field %s, channels %zu, scale %g\n", field["name"].get<std::string>().c_str(),
                field["channels"].get<std::size_t>(), field["scale"].get<double>());
  if (json.contains("k_by_layer")) std::printf("k by layer %s\n", json["k_by_layer"].dump().c_str());
  for (const auto& tensor : json["tensors"])
    std::printf("tensor %s %s\n", tensor["name"].get<std::string>().c_str(), tensor["shape"].dump().c_str());
  return 0;
}

}  // namespace

void add_model(CLI::App& app, Verbs& verbs) {
  CLI::App* const verb = app.add_subcommand("model", "make or describe a model file");
  verb->require_subcommand(1);
  verb->footer(
      "Example:\n"
      "  pcl_attention model create linformer linformer.safetensors --seed 7\n"
      "  pcl_attention model info linformer.safetensors");
  const auto made = std::make_shared<ModelOptions>();
  CLI::App* const make = verb->add_subcommand("create", "write a preset with random weights");
  make->add_option("NAME", made->name, "name of the preset")
      ->required()
      ->check(CLI::IsMember(preset_names()));
  make->add_option("OUT", made->out, ".safetensors file")->required();
  make->add_option("--seed", made->shared.seed, "seed of the weights")->capture_default_str();
  make->footer("Example:\n  pcl_attention model create position position.safetensors --seed 7");

  const auto shown = std::make_shared<ModelOptions>();
  CLI::App* const show =
      verb->add_subcommand("info", "configuration, hash, tensors, k per layer, input fields");
  show->add_option("MODEL", shown->name, "a .safetensors file or preset:NAME")->required();
  show->add_option("--seed", shown->shared.seed, "seed of a preset's weights")->capture_default_str();
  show->add_option("--json", shown->shared.json, "write the same as JSON")->type_name("FILE");
  show->footer("Example:\n  pcl_attention model info preset:linformer --json linformer.json");
  verbs.push_back({make, [made] { return create(*made); }});
  verbs.push_back({show, [shown] { return info(*shown); }});
}

}  // namespace pcl_attention::command
