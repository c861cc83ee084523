// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "attention/names.h"
#include "pcl_attention/import.h"
#include "shared_options.h"
#include "verbs.h"
#include "weights/tensor_names.h"

namespace pcl_attention::command {
namespace {

constexpr const char* kPytorch = "linformer-pytorch";
constexpr const char* kLucidrains = "lucidrains-linformer";

// What was typed; `typed` finds out what was not.
struct ImportOptions {
  std::string from = kPytorch, state, out, json;
  std::string activation = "gelu", method = "learnable", causal = "none", masks = "left-out", sharing, prefix;
  std::string dropout, feed_forward_dropout;
  bool full_attention = false, decoder = false;
  std::size_t heads = 0, head_width = 0;
  std::vector<std::string> fields;
  std::map<std::string, CLI::Option*> options;

  bool typed(const std::string& name) const { return options.at(name)->count() != 0; }
};

// A setting that names and shapes do not tell.
struct Setting {
  std::string name, value;
};

double share(const ImportOptions& options, const std::string& name, const std::string& text, double value) {
  return options.typed(name) ? std::stod(text) : value;
}

LinformerPytorchOptions pytorch_options(const ImportOptions& options) {
  static const std::map<std::string, Projection> methods{{"learnable", Projection::learned},
                                                         {"convolution", Projection::convolution},
                                                         {"no_params", Projection::fixed}};
  LinformerPytorchOptions result;
  result.prefix = options.prefix;
  result.activation = from_string<Activation>(options.activation, "--activation");
  result.method = methods.at(options.method);
  result.full_attention = options.full_attention;
  result.causal = from_string<CausalMask>(options.causal, "--causal");
  result.decoder = options.decoder;
  if (options.masks == "legacy") result.masked_points = MaskedPoints::zeroed;
  if (options.typed("--heads")) result.heads = options.heads;
  if (options.typed("--head-width")) result.head_width = options.head_width;
  if (options.typed("--sharing")) result.sharing = from_string<Sharing>(options.sharing, "--sharing");
  result.dropout = share(options, "--dropout", options.dropout, result.dropout);
  result.feed_forward_dropout =
      share(options, "--dropout-ff", options.feed_forward_dropout, result.feed_forward_dropout);
  result.fields = options.fields;
  return result;
}

LucidrainsLinformerOptions lucidrains_options(const ImportOptions& options) {
  for (const char* name : {"--activation", "--method", "--full-attention", "--causal", "--decoder", "--masks",
                           "--head-width", "--sharing", "--dropout-ff"})
    if (options.typed(name))
      throw std::invalid_argument(std::string(name) + " is not for --from " + kLucidrains);
  LucidrainsLinformerOptions result;
  result.prefix = options.prefix;
  if (options.typed("--heads")) result.heads = options.heads;
  result.dropout = share(options, "--dropout", options.dropout, result.dropout);
  result.fields = options.fields;
  return result;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string fields_text(const ModelConfig& config) {
  std::string text;
  for (const InputField& field : config.input.fields)
    text += (text.empty() ? "" : ",") + field.name +
            (field.channels == 1 ? "" : "[" + std::to_string(field.channels) + "]");
  return text;
}

// Settings of the import in the words of its options.
std::vector<Setting> settings(const ImportOptions& options, const ModelConfig& config) {
  std::vector<Setting> result{{"--fields", fields_text(config)}, {"--dropout", number(config.dropout)}};
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"--prefix", options.prefix},
                                          {"--sharing", options.sharing},
                                          {"--head-width", std::to_string(options.head_width)}})
    if (options.typed(name)) result.push_back({name, value});
  if (options.from == kLucidrains) {
    result.push_back({"--heads", std::to_string(config.heads)});
    return result;
  }
  const auto yes_no = [](bool value) { return value ? "yes" : "no"; };
  result.push_back({"--full-attention", yes_no(options.full_attention)});
  if (!options.full_attention) result.push_back({"--method", options.method});
  result.push_back({"--causal", options.causal});
  result.push_back({"--masks", options.masks});
  result.push_back({"--decoder", yes_no(options.decoder)});
  if (config.feed_forward == 0) return result;
  result.push_back({"--activation", options.activation});
  result.push_back({"--dropout-ff", number(config.feed_forward_dropout)});
  return result;
}

std::string projection_text(const ModelConfig& config) {
  if (config.mechanism != Mechanism::linformer) return ", no projection";
  std::string text = ", sharing " + to_string(config.projection.sharing) + " with " +
                     std::to_string(num_projections(config)) + " matrices E and F";
  for (std::size_t layer = 0; layer < config.depth; ++layer)
    text += (layer == 0 ? (config.projection.kind == Projection::convolution ? ", strides " : ", k ") : " ") +
            std::to_string(config.projection.kind == Projection::convolution ? config.stride(layer)
                                                                             : config.projected_rows(layer));
  if (stores_rows(config)) text += " for " + std::to_string(config.projection.length) + " points";
  return text;
}

std::string read_text(const ModelConfig& config) {
  std::string text = "depth " + std::to_string(config.depth) +
                     (config.decoder ? " (two for each pair)" : "") + ", channels " +
                     std::to_string(config.channels) + ", heads " + std::to_string(config.heads) +
                     " of width " + std::to_string(config.head_width) + projection_text(config) +
                     ", feed-forward " + std::to_string(config.feed_forward);
  if (config.inner_channels != 0) text += " with inner channels " + std::to_string(config.inner_channels);
  if (config.output_intermediate != 0)
    text += ", two output matrices over " + std::to_string(config.output_intermediate);
  text +=
      config.norm == NormPlacement::none ? ", no residual and norm" : ", " + to_string(config.norm) + "-norm";
  return text + ", length policy " + to_string(config.projection.length_policy);
}

// Prints what was told and what was assumed, and returns both as JSON.
nlohmann::json report_settings(const ImportOptions& options, const ModelConfig& config) {
  std::string given, assumed;
  nlohmann::json json{{"given", nlohmann::json::object()}, {"assumed", nlohmann::json::object()}};
  for (const Setting& setting : settings(options, config)) {
    const bool typed = options.typed(setting.name);
    json[typed ? "given" : "assumed"][setting.name] = setting.value;
    std::string& text = typed ? given : assumed;
    text += (text.empty() ? "" : ", ") + setting.name.substr(2) + " " + setting.value;
  }
  if (!given.empty()) std::printf("as told: %s\n", given.c_str());
  if (!assumed.empty()) std::printf("assumed, for the file cannot tell: %s\n", assumed.c_str());
  return json;
}

int import(const ImportOptions& options) {
  check_writable({options.out, options.json});
  const ModelPtr model = options.from == kPytorch
                             ? import_linformer_pytorch(options.state, pytorch_options(options))
                             : import_lucidrains_linformer(options.state, lucidrains_options(options));
  save_model(*model, options.out);
  const ModelConfig& config = model->config();
  std::printf("import: %s to %s, hash %s, %zu parameters\n", config.name.c_str(), options.out.c_str(),
              model->hash().c_str(), model->num_parameters());
  std::printf("read from names and shapes: %s\n", read_text(config).c_str());
  nlohmann::json json = report_settings(options, config);
  json.update({{"state", options.state},
               {"model", options.out},
               {"name", config.name},
               {"hash", model->hash()},
               {"parameters", model->num_parameters()},
               {"config", nlohmann::json::parse(config_to_json(config))}});
  SharedOptions shared;
  shared.json = options.json;
  write_json(shared, json.dump(2));
  return 0;
}

// Remembers an option by its name, so that it can be asked whether it was typed.
CLI::Option* keep(ImportOptions& options, CLI::Option* option) {
  return options.options[option->get_name()] = option;
}

void add_choices(CLI::App& verb, ImportOptions& options) {
  const auto choice = [&](const char* name, std::string& value, const char* what,
                          const std::vector<std::string>& words) {
    keep(options, verb.add_option(name, value, what))->check(CLI::IsMember(words))->capture_default_str();
  };
  choice("--from", options.from, "whose state_dict", {kPytorch, kLucidrains});
  choice("--activation", options.activation, "of the feed-forward", {"gelu", "relu"});
  choice("--method", options.method, "of E and F", {"learnable", "convolution", "no_params"});
  choice("--causal", options.causal, "legacy: `causal=True`, the triangular (n, k) mask", {"none", "legacy"});
  choice("--masks", options.masks, "masked points: left-out, or legacy: keys of zeros",
         {"left-out", "legacy"});
  keep(options, verb.add_flag("--full-attention", options.full_attention, "attention without E and F"));
  keep(options, verb.add_flag("--decoder", options.decoder, "`decoder_mode=True`"));
}

void add_values(CLI::App& verb, ImportOptions& options) {
  keep(options, verb.add_option("--heads", options.heads, "number of heads, where names do not tell it"));
  keep(options, verb.add_option("--head-width", options.head_width, "of a LinearAttentionHead alone"));
  keep(options, verb.add_option("--sharing", options.sharing, "of E and F; default: as the copies agree"))
      ->check(CLI::IsMember({"none", "headwise", "kv", "layerwise"}));
  keep(options, verb.add_option("--prefix", options.prefix, "what the names of the network start with"));
  keep(options, verb.add_option("--fields", options.fields, "cloud fields of the channels: x,y,z,intensity"))
      ->delimiter(',')
      ->allow_extra_args(false);
  keep(options, verb.add_option("--dropout", options.dropout, "of training, kept without effect"))
      ->check(CLI::Range(0.0, 1.0));
  keep(options,
       verb.add_option("--dropout-ff", options.feed_forward_dropout, "likewise, of the feed-forward"))
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

void add_model_import(CLI::App& model, Verbs& verbs) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* const verb = model.add_subcommand("import", "a model from a PyTorch state_dict in safetensors");
  verb->add_option("STATE", options->state, "the state_dict, .safetensors")->required();
  verb->add_option("OUT", options->out, "the model, .safetensors")->required();
  add_choices(*verb, *options);
  add_values(*verb, *options);
  verb->add_option("--json", options->json, "write the summary as JSON")->type_name("FILE");
  verb->footer(
      "Example: after safetensors.torch.save_model(net, \"net.safetensors\") in PyTorch\n"
      "  pcl_attention model import net.safetensors model.safetensors --fields x,y,z");
  verbs.push_back({verb, [options] { return import(*options); }});
}

}  // namespace pcl_attention::command
