// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "attention/names.h"
#include "pcl_attention/error.h"
#include "pcl_attention/model.h"

namespace pcl_attention {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kFormatVersion = 1;

/// Reads the members of one JSON object; what is left unread at the end is an error.
class Members {
 public:
  Members(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail("", "expected an object");
  }

  void read(const char* name, bool& value) {
    if (const Json* found = find(name)) {
      if (!found->is_boolean()) fail(name, "expected true or false");
      value = found->get<bool>();
    }
  }
  void read(const char* name, std::size_t& value) {
    if (const Json* found = find(name)) {
      if (!found->is_number_unsigned()) fail(name, "expected an unsigned integer");
      value = found->get<std::size_t>();
    }
  }
  void read(const char* name, double& value) {
    if (const Json* found = find(name)) {
      if (!found->is_number()) fail(name, "expected a number");
      value = found->get<double>();
    }
  }
  void read(const char* name, std::vector<double>& values) {
    if (find(name) != nullptr) values.clear();
    each(name, [&](const Json& item) {
      if (!item.is_number()) fail(name, "expected numbers");
      values.push_back(item.get<double>());
    });
  }
  void read(const char* name, std::vector<std::size_t>& values) {
    if (find(name) != nullptr) values.clear();
    each(name, [&](const Json& item) {
      if (!item.is_number_unsigned()) fail(name, "expected unsigned integers");
      values.push_back(item.get<std::size_t>());
    });
  }
  void read(const char* name, std::string& value) {
    if (const Json* found = find(name)) {
      if (!found->is_string()) fail(name, "expected a text");
      value = found->get<std::string>();
    }
  }
  template <class Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
  void read(const char* name, Enum& value) {
    std::string word = to_string(value);
    read(name, word);
    try {
      value = from_string<Enum>(word, where_ + name);
    } catch (const std::invalid_argument& error) {
      throw ModelError(std::string("model configuration: ") + error.what());
    }
  }
  template <class Read>
  void each(const char* name, const Read& read_one) {
    if (const Json* found = find(name)) {
      if (!found->is_array()) fail(name, "expected a list");
      for (const Json& item : *found) read_one(item);
    }
  }
  const Json* find(const char* name) {
    seen_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  void finish() const {
    for (const auto& item : object_.items())
      if (seen_.count(item.key()) == 0) fail(item.key(), "unknown member");
  }
  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw ModelError("model configuration: " + where_ + name + ": " + what);
  }

 private:
  const Json& object_;
  std::string where_;
  std::set<std::string> seen_;
};

Json to_json(const InputSpec& input) {
  Json fields = Json::array();
  for (const InputField& field : input.fields)
    fields.push_back({{"name", field.name}, {"channels", field.channels}, {"scale", field.scale}});
  return {{"fields", fields}, {"normalization", to_string(input.normalization)}, {"metres", input.metres}};
}

void from_json(const Json& json, InputSpec& input) {
  Members members(json, "input.");
  input.fields.clear();
  members.each("fields", [&](const Json& item) {
    Members of_field(item, "input.fields.");
    InputField field;
    of_field.read("name", field.name);
    of_field.read("channels", field.channels);
    of_field.read("scale", field.scale);
    of_field.finish();
    input.fields.push_back(field);
  });
  members.read("normalization", input.normalization);
  members.read("metres", input.metres);
  members.finish();
}

Json to_json(const ProjectionConfig& projection) {
  return {{"kind", to_string(projection.kind)},
          {"sharing", to_string(projection.sharing)},
          {"k", projection.k},
          {"k_reduce_by_layer", projection.k_reduce_by_layer},
          {"length", projection.length},
          {"length_policy", to_string(projection.length_policy)},
          {"strides", projection.strides},
          {"anchor_grid", projection.anchor_grid},
          {"sigma", projection.sigma}};
}

void from_json(const Json& json, ProjectionConfig& projection) {
  Members members(json, "projection.");
  members.read("kind", projection.kind);
  members.read("sharing", projection.sharing);
  members.read("k", projection.k);
  members.read("k_reduce_by_layer", projection.k_reduce_by_layer);
  members.read("length", projection.length);
  members.read("length_policy", projection.length_policy);
  members.read("strides", projection.strides);
  std::size_t axis = 0;
  members.each("anchor_grid", [&](const Json& item) {
    if (axis == 3 || !item.is_number_unsigned()) members.fail("anchor_grid", "expected 3 unsigned integers");
    projection.anchor_grid[axis++] = item.get<std::size_t>();
  });
  if (axis % 3 != 0) members.fail("anchor_grid", "expected 3 unsigned integers");
  members.read("sigma", projection.sigma);
  members.finish();
}

Json to_json(const KernelConfig& kernel) {
  return {{"similarity", to_string(kernel.similarity)},
          {"constant", kernel.constant},
          {"features", kernel.features},
          {"value_width", kernel.value_width}};
}

void from_json(const Json& json, KernelConfig& kernel) {
  Members members(json, "kernel.");
  members.read("similarity", kernel.similarity);
  members.read("constant", kernel.constant);
  members.read("features", kernel.features);
  members.read("value_width", kernel.value_width);
  members.finish();
}

void read_version(Members& members) {
  std::size_t version = 0;
  members.read("format_version", version);
  if (version != kFormatVersion)
    members.fail("format_version",
                 "found " + std::to_string(version) + ", expected " + std::to_string(kFormatVersion));
}

void read_members(Members& members, ModelConfig& config) {
  members.read("name", config.name);
  members.read("random_weights", config.random_weights);
  if (const Json* input = members.find("input")) from_json(*input, config.input);
  members.read("order", config.order);
  members.read("embedding", config.embedding);
  members.read("position_encoding", config.position_encoding);
  members.read("position_cell", config.position_cell);
  members.read("channels", config.channels);
  members.read("inner_channels", config.inner_channels);
  members.read("heads", config.heads);
  members.read("head_width", config.head_width);
  members.read("depth", config.depth);
  members.read("mechanism", config.mechanism);
  if (const Json* projection = members.find("projection")) from_json(*projection, config.projection);
  if (const Json* kernel = members.find("kernel")) from_json(*kernel, config.kernel);
  members.read("slots", config.slots);
  members.read("anchor_sigmas", config.anchor_sigmas);
  members.read("masked_points", config.masked_points);
  members.read("causal", config.causal);
  members.read("decoder", config.decoder);
  members.read("output_intermediate", config.output_intermediate);
  members.read("norm", config.norm);
  members.read("dropout", config.dropout);
  members.read("feed_forward_dropout", config.feed_forward_dropout);
  members.read("feed_forward", config.feed_forward);
  members.read("activation", config.activation);
  members.read("head_output", config.head_output);
}

}  // namespace

std::string config_to_json(const ModelConfig& config) {
  Json json{{"format_version", kFormatVersion},
            {"name", config.name},
            {"random_weights", config.random_weights},
            {"input", to_json(config.input)},
            {"order", to_string(config.order)},
            {"embedding", to_string(config.embedding)},
            {"position_encoding", to_string(config.position_encoding)},
            {"position_cell", config.position_cell},
            {"channels", config.channels},
            {"inner_channels", config.inner_channels},
            {"heads", config.heads},
            {"head_width", config.head_width},
            {"depth", config.depth},
            {"mechanism", to_string(config.mechanism)}};
  if (config.mechanism == Mechanism::linformer) json["projection"] = to_json(config.projection);
  if (config.mechanism == Mechanism::kernel) json["kernel"] = to_json(config.kernel);
  if (config.mechanism == Mechanism::inducing || config.mechanism == Mechanism::anchored)
    json["slots"] = config.slots;
  if (config.mechanism == Mechanism::anchored) json["anchor_sigmas"] = config.anchor_sigmas;
  json["masked_points"] = to_string(config.masked_points);
  json["causal"] = to_string(config.causal);
  json["decoder"] = config.decoder;
  json["output_intermediate"] = config.output_intermediate;
  json["norm"] = to_string(config.norm);
  json["dropout"] = config.dropout;
  json["feed_forward_dropout"] = config.feed_forward_dropout;
  json["feed_forward"] = config.feed_forward;
  json["activation"] = to_string(config.activation);
  json["head_output"] = config.head_output;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

ModelConfig config_from_json(const std::string& text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw ModelError(std::string("model configuration is not JSON: ") + error.what());
  }
  Members members(json, "");
  read_version(members);
  ModelConfig config;
  read_members(members, config);
  members.finish();
  config.check();
  return config;
}

}  // namespace pcl_attention
