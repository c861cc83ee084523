// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pcl_attention/config.h"

namespace pcl_attention {

/// The words by which an enumeration appears in model files, options and results.
template <class Enum>
using NameTable = std::vector<std::pair<Enum, const char*>>;

/// Returns the table of an enumeration: Curve, Mechanism, Similarity, Projection, LengthPolicy, Sharing,
/// Activation, NormPlacement, Embedding, PositionEncoding, Normalization, MaskedPoints, CausalMask.
template <class Enum>
const NameTable<Enum>& names();

/// Returns the word for a value.
template <class Enum>
std::string to_string(Enum value) {
  for (const auto& [entry, name] : names<Enum>())
    if (entry == value) return name;
  throw std::invalid_argument("value " + std::to_string(static_cast<int>(value)) + " has no name");
}

/// Returns the value of a word.
/// @param what  what the word is for, part of the message
/// @throws std::invalid_argument listing the words there are.
template <class Enum>
Enum from_string(const std::string& word, const std::string& what) {
  std::string known;
  for (const auto& [entry, name] : names<Enum>()) {
    if (word == name) return entry;
    known += std::string(known.empty() ? "" : ", ") + name;
  }
  throw std::invalid_argument(what + " is \"" + word + "\", expected one of: " + known);
}

template <>
const NameTable<Curve>& names<Curve>();
template <>
const NameTable<Mechanism>& names<Mechanism>();
template <>
const NameTable<Similarity>& names<Similarity>();
template <>
const NameTable<Projection>& names<Projection>();
template <>
const NameTable<LengthPolicy>& names<LengthPolicy>();
template <>
const NameTable<Sharing>& names<Sharing>();
template <>
const NameTable<Activation>& names<Activation>();
template <>
const NameTable<NormPlacement>& names<NormPlacement>();
template <>
const NameTable<Embedding>& names<Embedding>();
template <>
const NameTable<PositionEncoding>& names<PositionEncoding>();
template <>
const NameTable<Normalization>& names<Normalization>();
template <>
const NameTable<MaskedPoints>& names<MaskedPoints>();
template <>
const NameTable<CausalMask>& names<CausalMask>();

}  // namespace pcl_attention
