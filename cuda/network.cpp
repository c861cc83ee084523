// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/network.h"

#include <algorithm>
#include <string>

#include "kernels/embedding.h"
#include "pcl_attention/error.h"

namespace pcl_attention::cuda {

/// Lays numbers one behind the other: a first walk without memory counts, a second one fills host memory and
/// tells where the numbers will lie on the device.
class DeviceNetwork::Packing {
 public:
  Packing() = default;
  Packing(std::byte* host, std::byte* device) : host_(host), device_(device), fills_(true) {}

  std::size_t size() const { return host_.used(); }

  /// Returns where `count` numbers lie on the device, which fill(numbers) writes on the host.
  template <class T, class Fill>
  const T* put(std::size_t count, const Fill& fill) {
    T* const numbers = host_.take<T>(count);
    const T* const there = device_.take<T>(count);
    if (fills_) fill(numbers);
    return there;
  }

  const float* copy(const float* from, std::size_t count) {
    return put<float>(count, [&](float* to) { std::copy_n(from, count, to); });
  }

  /// Copies [rows × columns · taps] as [taps × columns × rows].
  const float* transposed(const Matrix& from, std::size_t taps = 1) {
    const std::size_t rows = from.rows, columns = from.columns / taps;
    return put<float>(rows * from.columns, [&](float* to) {
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          for (std::size_t t = 0; t < taps; ++t)
            to[(t * columns + j) * rows + i] = from.values[(i * columns + j) * taps + t];
    });
  }

  const float* copy(const Matrix& from) { return copy(from.values, from.rows * from.columns); }

  gpu::LinearMap linear(const Linear& map) {
    if (!map.weight.exists()) return {};
    gpu::LinearMap result;
    result.in = static_cast<std::uint32_t>(map.weight.columns);
    result.out = static_cast<std::uint32_t>(map.weight.rows);
    result.weight = transposed(map.weight);
    if (map.bias != nullptr) result.bias = copy(map.bias, map.weight.rows);
    return result;
  }

  gpu::NormMap norm(const Norm& norm) {
    if (norm.weight == nullptr) return {};
    const float* const weight = copy(norm.weight, norm.width);
    return {weight, copy(norm.bias, norm.width)};
  }

  const float* const* pointers(const std::vector<const float*>& from) {
    return put<const float*>(from.size(), [&](const float** to) { std::copy(from.begin(), from.end(), to); });
  }

 private:
  Parts host_, device_;
  bool fills_ = false;
};

namespace {

/// Anchors of the model have one σ for all axes.
float learned_factor(double sigma) { return static_cast<float>(-0.5 / (sigma * sigma)); }

}  // namespace

DeviceNetwork::DeviceNetwork(const NetworkDescription& network, int device, StreamHandle stream)
    : memory_(device) {
  Packing count;
  pack(network, count);
  const std::size_t size = std::max<std::size_t>(count.size(), 1);
  PinnedMemory host;
  std::byte* const numbers = host.reserve(size);
  if (memory_.reserve(size) == nullptr)
    throw DeviceError("cuda: the model's weights take " + std::to_string(size) + " bytes, device " +
                      std::to_string(device) + " has " + std::to_string(runtime::free_memory()) + " free");
  Packing packing(numbers, memory_.data());
  pack(network, packing);
  runtime::copy_to_device(memory_.data(), numbers, size, stream);
  runtime::synchronise(stream);
}

void DeviceNetwork::pack(const NetworkDescription& network, Packing& packing) {
  layers_.clear();
  projections_.clear();
  embedding_ = packing.linear(network.embedding);
  head_ = packing.linear(network.head);
  mlp_in_ = packing.linear(network.position.mlp_in);
  mlp_out_ = packing.linear(network.position.mlp_out);
  if (network.position.anchors.exists()) {
    anchors_ = packing.copy(network.position.anchors);
    anchor_factor_ =
        packing.put<float>(3, [&](float* to) { std::fill_n(to, 3, learned_factor(network.position.sigma)); });
  }
  pack_features(network, packing);
  pack_turns(network, packing);
  for (const StoredProjection& projection : network.projections) {
    const bool cosines = network.summarising == Summarising::cosines;
    DeviceProjection packed;
    packed.weight =
        cosines ? packing.copy(projection.weight) : packing.transposed(projection.weight, projection.taps);
    if (projection.bias != nullptr) packed.bias = packing.copy(projection.bias, projection.weight.rows);
    projections_.push_back(packed);
  }
  for (const LayerDescription& layer : network.layers) layers_.push_back(pack_layer(network, layer, packing));
}

void DeviceNetwork::pack_features(const NetworkDescription& network, Packing& packing) {
  if (network.summarising != Summarising::features) return;
  const FeatureDescription& features = network.features;
  const auto width = static_cast<std::uint32_t>(network.head_width);
  features_ = {nullptr, width, width};
  if (features.elu) return;
  features_.count = gpu::num_feature_terms(width, features.linear, features.constant);
  features_.terms = packing.put<gpu::FeatureTerm>(features_.count, [&](gpu::FeatureTerm* terms) {
    gpu::fill_feature_terms(width, features.square, features.linear, features.constant, terms);
  });
}

void DeviceNetwork::pack_turns(const NetworkDescription& network, Packing& packing) {
  const auto channels = static_cast<std::uint32_t>(network.channels);
  if (network.xyz_encoding)
    axis_turns_ = packing.put<double>(gpu::num_axis_pairs(channels), [&](double* turns) {
      for (std::uint32_t i = 0; i < gpu::num_axis_pairs(channels); ++i)
        turns[i] = gpu::axis_turns(i, channels, network.position_cell);
    });
  if (network.rank_encoding)
    rank_turns_ = packing.put<double>(channels / 2, [&](double* turns) {
      for (std::uint32_t i = 0; i < channels / 2; ++i) turns[i] = gpu::rank_turns(i, channels);
    });
}

DeviceLayer DeviceNetwork::pack_layer(const NetworkDescription& network, const LayerDescription& layer,
                                      Packing& packing) {
  DeviceLayer result;
  gpu::AnswerMaps& maps = result.maps;
  maps.query = packing.linear(layer.query);
  maps.output = packing.linear(layer.output);
  maps.output_second = packing.linear(layer.output_second);
  maps.feed_forward_in = packing.linear(layer.feed_forward_in);
  maps.feed_forward_out = packing.linear(layer.feed_forward_out);
  maps.resample = packing.linear(layer.resample);
  maps.query_norm = packing.norm(layer.query_norm);
  maps.attention_norm = packing.norm(layer.attention_norm);
  maps.feed_forward_norm = packing.norm(layer.feed_forward_norm);
  maps.norm = network.norm == NormPlace::post  ? gpu::NormAt::post
              : network.norm == NormPlace::pre ? gpu::NormAt::pre
                                               : gpu::NormAt::none;
  maps.activation = network.activation == Nonlinearity::gelu ? gpu::Finish::gelu : gpu::Finish::relu;
  result.key = packing.linear(layer.key);
  result.value = packing.linear(layer.value);
  result.key_norm = packing.norm(layer.key_norm);
  if (layer.slots.exists()) {
    result.slot_queries = packing.transposed(layer.slots);
    result.omega = packing.copy(layer.slots);
  }
  if (!layer.distance_factor.empty())
    result.distance_factor = packing.copy(layer.distance_factor.data(), layer.distance_factor.size());
  if (layer.key_projection.empty()) return result;
  const auto members = [&](const std::vector<std::size_t>& indices, const float* DeviceProjection::*member) {
    std::vector<const float*> pointers;
    for (const std::size_t i : indices) pointers.push_back(projections_[i].*member);
    return packing.pointers(pointers);
  };
  result.key_weights = members(layer.key_projection, &DeviceProjection::weight);
  result.value_weights = members(layer.value_projection, &DeviceProjection::weight);
  result.key_bias = members(layer.key_projection, &DeviceProjection::bias);
  result.value_bias = members(layer.value_projection, &DeviceProjection::bias);
  result.shared = members({layer.key_projection[0], layer.value_projection[0]}, &DeviceProjection::weight);
  return result;
}

}  // namespace pcl_attention::cuda
