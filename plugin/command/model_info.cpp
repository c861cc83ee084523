// SPDX-License-Identifier: BSD-3-Clause
#include "model_info.h"

#include <cstdio>

#include "attention/cost.h"
#include "weights/tensor_names.h"

namespace pcl_attention::command {
namespace {

constexpr std::size_t kPoints[] = {10000, 100000, 1000000};

std::vector<std::string> notes(const ModelConfig& config) {
  std::vector<std::string> result;
  const ProjectionConfig& projection = config.projection;
  const bool linformer = config.mechanism == Mechanism::linformer;
  if (linformer && projection.k_reduce_by_layer != 0 && projection.sharing == Sharing::layerwise)
    result.emplace_back("k_reduce_by_layer is ignored with layerwise sharing");
  if (config.causal != CausalMask::none && linformer)
    result.emplace_back(
        "causal legacy is not causal: row i sees slots 0 to i, each a mix of all points, and rows from k on "
        "see every slot");
  if (config.causal != CausalMask::none && !linformer)
    result.emplace_back("causal: a point sees the points up to its own rank");
  if (config.decoder)
    result.emplace_back("decoder: even layers attend to the queries, odd layers to the surface");
  if (config.dropout != 0.0 || config.feed_forward_dropout != 0.0)
    result.emplace_back("dropout has no effect here: nothing is trained");
  if (config.random_weights)
    result.emplace_back("random weights: for order tests and timing, not for matching");
  return result;
}

nlohmann::json costs(const ModelConfig& config, std::size_t layer) {
  nlohmann::json json = nlohmann::json::array();
  for (const std::size_t n : kPoints)
    json.push_back({{"points", n},
                    {"slots", config.projected_rows(layer, n)},
                    {"flops", layer_flops(config, layer, n)},
                    {"bytes", layer_bytes(config, layer, n)}});
  return json;
}

}  // namespace

nlohmann::json describe(const Model& model) {
  const ModelConfig& config = model.config();
  nlohmann::json json{{"name", config.name},
                      {"hash", model.hash()},
                      {"parameters", model.num_parameters()},
                      {"random_weights", config.random_weights},
                      {"projections", num_projections(config)},
                      {"notes", notes(config)},
                      {"metadata", model.metadata()},
                      {"config", nlohmann::json::parse(config_to_json(config))}};
  for (const InputField& field : config.input.fields)
    json["input_fields"].push_back(
        {{"name", field.name}, {"channels", field.channels}, {"scale", field.scale}});
  const bool convolution = config.projection.kind == Projection::convolution;
  for (std::size_t layer = 0; layer < config.depth; ++layer) {
    json["cost_by_layer"].push_back(costs(config, layer));
    if (config.mechanism != Mechanism::linformer) continue;
    json[convolution ? "stride_by_layer" : "k_by_layer"].push_back(
        convolution ? config.stride(layer) : config.projected_rows(layer));
  }
  for (const TensorSpec& spec : tensor_specs(config))
    json["tensors"].push_back({{"name", spec.name}, {"shape", spec.shape}});
  return json;
}

void print_description(const nlohmann::json& json) {
  const auto text = [](const nlohmann::json& value) { return value.get<std::string>(); };
  std::printf("model %s, hash %s, %zu parameters%s\n", text(json["name"]).c_str(), text(json["hash"]).c_str(),
              json["parameters"].get<std::size_t>(), json["random_weights"] ? ", random weights" : "");
  std::printf("configuration %s\n", json["config"].dump(2).c_str());
  for (const auto& field : json["input_fields"])
    std::printf("input field %s, channels %zu, scale %g\n", text(field["name"]).c_str(),
                field["channels"].get<std::size_t>(), field["scale"].get<double>());
  std::printf("matrices E and F %zu\n", json["projections"].get<std::size_t>());
  for (const char* name : {"k_by_layer", "stride_by_layer"})
    if (json.contains(name)) std::printf("%c by layer %s\n", name[0], json[name].dump().c_str());
  std::printf("cost of a layer        points        slots     flops     bytes\n");
  for (std::size_t layer = 0; layer < json["cost_by_layer"].size(); ++layer)
    for (const auto& cost : json["cost_by_layer"][layer])
      std::printf("  layer %-13zu %8zu %12zu  %8.2e  %8.2e\n", layer, cost["points"].get<std::size_t>(),
                  cost["slots"].get<std::size_t>(), cost["flops"].get<double>(), cost["bytes"].get<double>());
  for (const auto& [key, value] : json["metadata"].items())
    std::printf("metadata %s: %s\n", key.c_str(), text(value).c_str());
  for (const auto& note : json["notes"]) std::printf("note: %s\n", text(note).c_str());
  for (const auto& tensor : json["tensors"])
    std::printf("tensor %s %s\n", text(tensor["name"]).c_str(), tensor["shape"].dump().c_str());
}

}  // namespace pcl_attention::command
