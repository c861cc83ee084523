// SPDX-License-Identifier: BSD-3-Clause
#include "weights/import/linformer_head.h"

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

Tensor transposed(const Tensor& tensor) {
  const std::size_t rows = tensor.shape[0], columns = tensor.shape[1];
  Tensor result{{columns, rows}, std::vector<float>(tensor.values.size())};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) result.values[c * rows + r] = tensor.values[r * columns + c];
  return result;
}

/// Returns [k × n], or of a convolution [D × D × stride].
const Tensor& take_weight(StateDict& state, const std::string& name, Projection method, std::size_t k) {
  const std::size_t dimensions = method == Projection::learned ? 2 : 3;
  const std::vector<std::size_t>& shape = state.at(name).shape;
  if (shape.size() == 5 - dimensions)
    throw ModelError("tensor " + state.full_name(name) + " " + shape_text(shape) + " belongs to method " +
                     (dimensions == 2 ? "convolution" : "learnable") + ": import it with that method");
  const Tensor& weight = state.take_any_shape(name, dimensions);
  if (dimensions == 2 && shape[0] != k)
    throw ModelError("tensor " + state.full_name(name) + " has shape " + shape_text(shape) +
                     ", its bias has " + std::to_string(k) +
                     " numbers; expected [k, n] = " + shape_text({k, shape[shape[1] == k ? 0 : 1]}) +
                     (shape[1] == k ? ": it is transposed" : ""));
  return weight;
}

}  // namespace

HeadProjections read_head_projections(StateDict& state, const std::string& name, Projection method) {
  if (!state.has_any(name))
    throw ModelError(
        "tensor " + state.full_name(name + "E.weight") +
        " is missing; projections of method no_params are not in a state_dict: add its constants "
        "as fixed_projection and import with that method");
  HeadProjections result;
  result.bias_e = state.take_any_shape(name + "E.bias", 1);
  result.bias_f = state.take_any_shape(name + "F.bias", 1);
  result.weight_e = take_weight(state, name + "E.weight", method, result.bias_e->shape[0]);
  result.weight_f = take_weight(state, name + "F.weight", method, result.bias_f->shape[0]);
  result.name_e = state.full_name(name + "E.weight");
  result.name_f = state.full_name(name + "F.weight");
  return result;
}

HeadProjections read_head_constants(StateDict& state, std::size_t number) {
  const std::string shared = "fixed_projection";
  const std::string own = shared + "." + std::to_string(number);
  HeadProjections result;
  result.name_e = state.has(shared) ? shared : own + ".E";
  result.name_f = state.has(shared) ? shared : own + ".F";
  result.weight_e = transposed(state.take_any_shape(result.name_e, 2));
  result.weight_f = transposed(state.take_any_shape(result.name_f, 2));
  return result;
}

}  // namespace pcl_attention
