// SPDX-License-Identifier: BSD-3-Clause
#include "attention/names.h"

namespace pcl_attention {

template <>
const NameTable<Curve>& names<Curve>() {
  static const NameTable<Curve> table{{Curve::none, "none"}, {Curve::morton, "morton"}};
  return table;
}

template <>
const NameTable<Mechanism>& names<Mechanism>() {
  static const NameTable<Mechanism> table{{Mechanism::full, "full"},
                                          {Mechanism::linformer, "linformer"},
                                          {Mechanism::inducing, "inducing"},
                                          {Mechanism::anchored, "anchored"},
                                          {Mechanism::kernel, "kernel"}};
  return table;
}

template <>
const NameTable<Similarity>& names<Similarity>() {
  static const NameTable<Similarity> table{{Similarity::elu, "elu"},
                                           {Similarity::quadratic, "quadratic"},
                                           {Similarity::rebased, "rebased"},
                                           {Similarity::taylor, "taylor"},
                                           {Similarity::favor, "favor"}};
  return table;
}

template <>
const NameTable<Projection>& names<Projection>() {
  static const NameTable<Projection> table{{Projection::learned, "learned"},
                                           {Projection::convolution, "convolution"},
                                           {Projection::fixed, "fixed"},
                                           {Projection::segment_mean, "segment_mean"},
                                           {Projection::position, "position"}};
  return table;
}

template <>
const NameTable<LengthPolicy>& names<LengthPolicy>() {
  static const NameTable<LengthPolicy> table{{LengthPolicy::strict, "strict"},
                                             {LengthPolicy::pad, "pad"},
                                             {LengthPolicy::slice, "slice"},
                                             {LengthPolicy::resample, "resample"}};
  return table;
}

template <>
const NameTable<Sharing>& names<Sharing>() {
  static const NameTable<Sharing> table{{Sharing::none, "none"},
                                        {Sharing::headwise, "headwise"},
                                        {Sharing::kv, "kv"},
                                        {Sharing::layerwise, "layerwise"}};
  return table;
}

template <>
const NameTable<Activation>& names<Activation>() {
  static const NameTable<Activation> table{{Activation::gelu, "gelu"}, {Activation::relu, "relu"}};
  return table;
}

template <>
const NameTable<NormPlacement>& names<NormPlacement>() {
  static const NameTable<NormPlacement> table{
      {NormPlacement::post, "post"}, {NormPlacement::pre, "pre"}, {NormPlacement::none, "none"}};
  return table;
}

template <>
const NameTable<Embedding>& names<Embedding>() {
  static const NameTable<Embedding> table{{Embedding::linear, "linear"}, {Embedding::identity, "identity"}};
  return table;
}

template <>
const NameTable<PositionEncoding>& names<PositionEncoding>() {
  static const NameTable<PositionEncoding> table{
      {PositionEncoding::none, "none"}, {PositionEncoding::rank, "rank"}, {PositionEncoding::xyz, "xyz"}};
  return table;
}

template <>
const NameTable<Normalization>& names<Normalization>() {
  static const NameTable<Normalization> table{{Normalization::none, "none"},
                                              {Normalization::centred, "centred"},
                                              {Normalization::unit_sphere, "unit_sphere"},
                                              {Normalization::metric, "metric"}};
  return table;
}

template <>
const NameTable<MaskedPoints>& names<MaskedPoints>() {
  static const NameTable<MaskedPoints> table{{MaskedPoints::left_out, "left_out"},
                                             {MaskedPoints::zeroed, "zeroed"}};
  return table;
}

template <>
const NameTable<CausalMask>& names<CausalMask>() {
  static const NameTable<CausalMask> table{{CausalMask::none, "none"}, {CausalMask::legacy, "legacy"}};
  return table;
}

}  // namespace pcl_attention
