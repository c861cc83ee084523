// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/workspace.h"

#include <algorithm>
#include <initializer_list>

#include "kernels/order.h"
#include "kernels/summary.h"

namespace pcl_attention::cuda {
namespace {

bool is_any(Summarising way, std::initializer_list<Summarising> ways) {
  return std::find(ways.begin(), ways.end(), way) != ways.end();
}

std::size_t most_width(const NetworkDescription& network) {
  std::size_t width = network.channels;
  for (const LayerDescription& layer : network.layers)
    width = std::max({width, layer.width_in, layer.width_out});
  return width;
}

bool changes_width(const NetworkDescription& network) {
  return std::any_of(network.layers.begin(), network.layers.end(),
                     [](const LayerDescription& layer) { return layer.width_in != layer.width_out; });
}

SurfaceMemory lay_out_surface(const NetworkDescription& network, const TokenCounts& counts, Parts& parts) {
  const std::size_t size = counts.total() * most_width(network);
  const PositionDescription& position = network.position;
  SurfaceMemory memory;
  memory.x = parts.take<float>(size);
  if (changes_width(network)) memory.next = parts.take<float>(size);
  if (network.anchored || network.summarising == Summarising::position)
    memory.places = parts.take<float>(3 * counts.n);
  if (network.anchored) memory.anchors = parts.take<float>(3 * network.layers[0].num_slots);
  if (network.summarising != Summarising::position) return memory;
  if (!position.anchors.exists()) {
    memory.anchors = parts.take<float>(3 * network.layers[0].num_slots);
    memory.anchor_factor = parts.take<float>(3);
    memory.box = parts.take<float>(6);
  }
  if (position.mlp_in.weight.exists())
    memory.hidden = parts.take<float>(counts.n * position.mlp_in.weight.rows);
  return memory;
}

/// The largest sizes over all layers and both surfaces.
struct Sizes {
  std::size_t total = 0, n = 0, chunks = 0, slots = 0, sums = 0, width = 0;
};

/// Returns the numbers that a layer's points are summed to.
std::size_t sums_size(const NetworkDescription& network, const LayerDescription& layer) {
  const std::size_t slots = layer.num_slots, width = layer.width_in + 1;
  switch (network.summarising) {
    case Summarising::points:
    case Summarising::convolution:
      return 0;
    case Summarising::segments:
    case Summarising::position:
      return slots * width;
    case Summarising::stored:
      return 2 * slots * width;
    case Summarising::cosines:
      return network.projections[0].weight.columns * width;
    case Summarising::direct:
    case Summarising::slots:
    case Summarising::favor:
    case Summarising::features:
      break;
  }
  return network.heads * slots * (std::max(network.head_width, network.value_width) + 1);
}

Sizes largest_sizes(const NetworkDescription& network, const FrameDescription& frame) {
  Sizes sizes;
  sizes.width = most_width(network);
  for (const TokenCounts* counts : {&frame.surface, &frame.queries}) {
    sizes.total = std::max(sizes.total, counts->total());
    sizes.n = std::max(sizes.n, counts->n);
    sizes.chunks = std::max(sizes.chunks, gpu::num_chunks(counts->total()));
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer)
      sizes.slots = std::max(sizes.slots, num_slots(network, layer, *counts));
  }
  for (const LayerDescription& layer : network.layers)
    sizes.sums = std::max(sizes.sums, sums_size(network, layer));
  return sizes;
}

void lay_out_sums(const NetworkDescription& network, const Sizes& sizes, Parts& parts, Workspace& work) {
  const Summarising way = network.summarising;
  const std::size_t chunks = sizes.chunks, of_heads = network.heads * sizes.slots;
  if (sizes.sums != 0) {
    work.partial = parts.take<double>(chunks * sizes.sums);
    work.sums = parts.take<double>(sizes.sums);
  }
  if (is_any(way, {Summarising::segments, Summarising::position, Summarising::stored}))
    work.sum_rows = parts.take<float>(2 * sizes.slots * sizes.width);
  if (way == Summarising::cosines) {
    const std::size_t cosines = network.projections[0].weight.columns;
    work.sum_rows = parts.take<float>(cosines * sizes.width);
    work.cosine_rows = parts.take<float>(cosines * (network.key_width() + network.values_width()));
  }
  if (way == Summarising::slots || way == Summarising::favor) {
    work.largest = parts.take<float>(of_heads);
    work.chunk_largest = parts.take<float>(chunks * of_heads);
  }
  if (way == Summarising::features) {
    work.mass = parts.take<float>(of_heads);
    work.least = parts.take<float>(network.heads);
  }
  if (way == Summarising::position) {
    work.point_largest = parts.take<float>(sizes.n);
    work.point_inverse = parts.take<float>(sizes.n);
  }
  work.slot_bias = parts.take<float>(way == Summarising::points ? sizes.slots : of_heads);
}

}  // namespace

bool keeps_points(Summarising way) {
  return is_any(way, {Summarising::points, Summarising::convolution, Summarising::direct, Summarising::slots,
                      Summarising::favor, Summarising::features});
}

std::size_t num_slots(const NetworkDescription& network, std::size_t layer, const TokenCounts& counts) {
  const LayerDescription& description = network.layers[layer];
  if (network.summarising == Summarising::points) return counts.total();
  if (network.summarising == Summarising::convolution)
    return (counts.num_ranked + counts.padded) / description.stride;
  return description.num_slots;
}

TokenStaging lay_out_tokens(const NetworkDescription& network, const TokenCounts& counts, Parts& parts) {
  TokenStaging staging;
  staging.values = parts.take<float>(counts.n * network.input_channels);
  if (counts.has_positions && counts.first_position < 0) staging.positions = parts.take<float>(3 * counts.n);
  if (counts.has_rows) staging.row = parts.take<std::uint32_t>(counts.n);
  if (counts.has_keep) staging.keep = parts.take<std::uint8_t>(counts.n);
  if (counts.num_anchors != 0) staging.anchor = parts.take<std::uint32_t>(counts.num_anchors);
  return staging;
}

Positions positions_of(const TokenCounts& counts, std::size_t channels, const TokenStaging& tokens) {
  const int channel = counts.first_position;
  return channel < 0 ? Positions{tokens.positions, 3} : Positions{tokens.values + channel, channels};
}

FrameStaging lay_out_tokens(const NetworkDescription& network, const FrameDescription& frame, Parts& parts) {
  FrameStaging staging;
  staging.surface = lay_out_tokens(network, frame.surface, parts);
  if (frame.has_queries) staging.queries = lay_out_tokens(network, frame.queries, parts);
  if (frame.has_asked) staging.asked = parts.take<std::uint32_t>(frame.num_answers);
  staging.placement = parts.take<double>(4);
  return staging;
}

Workspace lay_out(const NetworkDescription& network, const FrameDescription& frame, Parts& parts) {
  const Sizes sizes = largest_sizes(network, frame);
  Workspace work;
  work.surface = lay_out_surface(network, frame.surface, parts);
  if (frame.has_queries) work.queries = lay_out_surface(network, frame.queries, parts);
  if (network.summarising == Summarising::position || frame.placing != Placing::given)
    work.moments = parts.take<double>(gpu::kMomentScratch);
  if (network.norm == NormPlace::pre) work.seen = parts.take<float>(sizes.total * sizes.width);
  if (keeps_points(network.summarising)) {
    work.point_keys = parts.take<float>(sizes.total * network.key_width());
    work.point_values = parts.take<float>(sizes.total * network.values_width());
  }
  lay_out_sums(network, sizes, parts, work);
  if (network.summarising != Summarising::points) {  // whose points are the slots
    work.keys = parts.take<float>(sizes.slots * network.key_width());
    work.values = parts.take<float>(sizes.slots * network.values_width());
  }
  if (!frame.has_queries)
    work.answers = parts.take<float>(frame.num_answers * network.layers.back().width_out);
  if (network.head.weight.exists())
    work.headed = parts.take<float>(frame.num_answers * network.head.weight.rows);
  work.counts = parts.take<unsigned long long>(2);
  return work;
}

}  // namespace pcl_attention::cuda
