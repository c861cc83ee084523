// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "files/safetensors.h"
#include "pcl_attention/error.h"
#include "pcl_attention/import.h"
#include "weights/import/linformer_reader.h"

namespace pcl_attention {
namespace {

constexpr const char* kConstants = "fixed_projection";

bool has_any(const SafetensorsFile& file, const std::string& prefix) {
  const auto found = file.tensors.lower_bound(prefix);
  return found != file.tensors.end() && found->first.rfind(prefix, 0) == 0;
}

/// Returns the class that begins behind `prefix` and `wrapper`, if one does.
bool find_class(const SafetensorsFile& file, const std::string& prefix, const std::string& wrapper,
                LinformerRoot& root) {
  using Class = LinformerRoot::Class;
  const std::string at = prefix + wrapper;
  root.prefix = at;
  root.padded = wrapper.rfind("net.", 0) == 0;
  if (has_any(file, at + "seq.0."))
    root.kind = Class::linformer;
  else if (has_any(file, at + "fn.seq.0.") && has_any(file, at + "project_in."))
    root.kind = Class::linformer, root.network = "fn.";
  else if (has_any(file, at + "to_q.0."))
    root.kind = Class::attention;
  else if (has_any(file, at + "E.") || has_any(file, at + "F."))
    root.kind = Class::head;
  else
    return false;
  return true;
}

/// Returns where the network begins; at the given prefix if none is found.
LinformerRoot find_root(const SafetensorsFile& file, const std::string& prefix) {
  LinformerRoot root;
  for (const char* wrapper : {"", "net.", "linformer.", "net.linformer."})
    if (find_class(file, prefix, wrapper, root)) return root;
  root.prefix = prefix;
  root.padded = false;
  if (has_any(file, kConstants)) root.kind = LinformerRoot::Class::head;
  return root;
}

/// The constants belong to the network wherever its prefix points.
void move_constants(const std::string& prefix, SafetensorsFile& file) {
  if (prefix.empty()) return;
  std::map<std::string, StoredTensor> constants;
  for (const auto& [name, tensor] : file.tensors)
    if (name.rfind(kConstants, 0) == 0) constants[prefix + name] = tensor;
  file.tensors.insert(constants.begin(), constants.end());
}

}  // namespace

ModelPtr import_linformer_pytorch(const std::string& path, const LinformerPytorchOptions& options) {
  return import_state(path, [&](SafetensorsFile& file) {
    const LinformerRoot root = find_root(file, options.prefix);
    move_constants(root.prefix, file);
    StateDict state(file, root.prefix);
    return read_linformer(state, root, options);
  });
}

}  // namespace pcl_attention
