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
constexpr const char* kRebased = "rebased";

// What was typed; `typed` finds out what was not.
struct ImportOptions {
  std::string from = kPytorch, state, out, json;
  std::string activation = "gelu", method = "learnable", causal = "none", masks = "left-out", sharing, prefix;
  std::string dropout, feed_forward_dropout, length = "model";
  bool full_attention = false, decoder = false, constant = false;
  std::size_t heads = 0, head_width = 0, cosines = 32;
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

// Throws if an option was typed that only other libraries have.
void refuse(const ImportOptions& options, const std::vector<const char*>& names) {
  for (const char* name : names)
    if (options.typed(name))
      throw std::invalid_argument(std::string(name) + " is not for --from " + options.from);
}

LucidrainsLinformerOptions lucidrains_options(const ImportOptions& options) {
  refuse(options, {"--activation", "--method", "--full-attention", "--causal", "--decoder", "--masks",
                   "--head-width", "--sharing", "--dropout-ff", "--constant"});
  LucidrainsLinformerOptions result;
  result.prefix = options.prefix;
  if (options.typed("--heads")) result.heads = options.heads;
  result.dropout = share(options, "--dropout", options.dropout, result.dropout);
  result.fields = options.fields;
  return result;
}

RebasedOptions rebased_options(const ImportOptions& options) {
  refuse(options, {"--activation", "--method", "--full-attention", "--causal", "--decoder", "--masks",
                   "--head-width", "--sharing", "--dropout", "--dropout-ff", "--length"});
  RebasedOptions result;
  result.prefix = options.prefix;
  if (options.typed("--heads")) result.heads = options.heads;
  result.constant = options.constant;
  result.fields = options.fields;
  return result;
}

ModelPtr read_state(const ImportOptions& options) {
  if (options.from == kRebased) return import_rebased(options.state, rebased_options(options));
  if (options.from == kLucidrains)
    return import_lucidrains_linformer(options.state, lucidrains_options(options));
  refuse(options, {"--constant"});
  return import_linformer_pytorch(options.state, pytorch_options(options));
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
  std::vector<Setting> result{{"--fields", fields_text(config)}};
  if (options.from != kRebased) result.push_back({"--dropout", number(config.dropout)});
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"--prefix", options.prefix},
                                          {"--sharing", options.sharing},
                                          {"--length", options.length},
                                          {"--cosines", std::to_string(options.cosines)},
                                          {"--head-width", std::to_string(options.head_width)}})
    if (options.typed(name)) result.push_back({name, value});
  const auto yes_no = [](bool value) { return value ? "yes" : "no"; };
  if (options.from != kPytorch) result.push_back({"--heads", std::to_string(config.heads)});
  if (options.from == kRebased) result.push_back({"--constant", yes_no(options.constant)});
  if (options.from != kPytorch) return result;
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
  if (config.mechanism == Mechanism::kernel)
    return ", values of width " + std::to_string(config.value_width()) + ", similarity " +
           to_string(config.kernel.similarity);
  if (config.mechanism != Mechanism::linformer) return ", no projection";
  std::string text = ", sharing " + to_string(config.projection.sharing) + " with " +
                     std::to_string(num_projections(config)) + " matrices E and F";
  for (std::size_t layer = 0; layer < config.depth; ++layer)
    text += (layer == 0 ? (config.projection.kind == Projection::convolution ? ", strides " : ", k ") : " ") +
            std::to_string(config.projection.kind == Projection::convolution ? config.stride(layer)
                                                                             : config.projected_rows(layer));
  if (stores_cosines(config)) text += ", each row " + std::to_string(config.projection.cosines) + " cosines";
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
  if (config.mechanism != Mechanism::linformer) return text;
  if (stores_cosines(config)) return text + ", any number of points";
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

// Gives the projections their --length; the model as it was read where there is none.
SmoothModel with_length(ModelPtr model, const ImportOptions& options) {
  if (options.length == "smooth") return smooth_model(*model, options.cosines);
  if (options.typed("--cosines")) throw std::invalid_argument("--cosines needs --length smooth");
  if (options.length == "model") return {std::move(model), {}};
  ModelConfig config = model->config();
  config.projection.length_policy = from_string<LengthPolicy>(options.length, "--length");
  return {std::make_shared<Model>(std::move(config), model->tensors()), {}};
}

// Prints what the cosines leave out of every projection, and returns it as JSON.
nlohmann::json report_fits(const std::vector<ProjectionFit>& fits) {
  nlohmann::json json = nlohmann::json::array();
  for (const ProjectionFit& fit : fits) {
    std::printf("smooth: %s, relative residual %.3g\n", fit.name.c_str(), fit.relative_residual);
    json.push_back({{"projection", fit.name}, {"relative_residual", fit.relative_residual}});
  }
  return json;
}

int import(const ImportOptions& options) {
  check_writable({options.out, options.json});
  const SmoothModel smooth = with_length(read_state(options), options);
  const ModelPtr& model = smooth.model;
  save_model(*model, options.out);
  const ModelConfig& config = model->config();
  std::printf("import: %s to %s, hash %s, %zu parameters\n", config.name.c_str(), options.out.c_str(),
              model->hash().c_str(), model->num_parameters());
  std::printf("read from names and shapes: %s\n", read_text(config).c_str());
  nlohmann::json json = report_settings(options, config);
  if (!smooth.fits.empty()) json["smooth"] = report_fits(smooth.fits);
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
  choice("--from", options.from, "whose state_dict", {kPytorch, kLucidrains, kRebased});
  choice("--activation", options.activation, "of the feed-forward", {"gelu", "relu"});
  choice("--method", options.method, "of E and F", {"learnable", "convolution", "no_params"});
  choice("--causal", options.causal, "legacy: `causal=True`, the triangular (n, k) mask", {"none", "legacy"});
  choice("--masks", options.masks, "masked points: left-out, or legacy: keys of zeros",
         {"left-out", "legacy"});
  choice("--length", options.length,
         "E with another number of points; smooth: cosines in its place, for any number",
         {"model", "strict", "pad", "slice", "resample", "smooth"});
  keep(options, verb.add_flag("--full-attention", options.full_attention, "attention without E and F"));
  keep(options, verb.add_flag("--decoder", options.decoder, "`decoder_mode=True`"));
  keep(options, verb.add_flag("--constant", options.constant, "of rebased: 1 + (q·k)²/F"));
}

void add_values(CLI::App& verb, ImportOptions& options) {
  keep(options, verb.add_option("--heads", options.heads, "number of heads, where names do not tell it"))
      ->check(CLI::NonNegativeNumber);
  keep(options, verb.add_option("--head-width", options.head_width, "of a LinearAttentionHead alone"))
      ->check(CLI::NonNegativeNumber);
  keep(options, verb.add_option("--sharing", options.sharing, "of E and F; default: as the copies agree"))
      ->check(CLI::IsMember({"none", "headwise", "kv", "layerwise"}));
  keep(options, verb.add_option("--cosines", options.cosines, "for each row of E, with --length smooth"))
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
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
