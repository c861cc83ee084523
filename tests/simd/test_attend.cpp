// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "simd/targets.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using simd::kTilePoints;

/// Keys and values of `count` slots, row-major [slots × heads·width], packed for attend().
struct Keys {
  Keys(std::size_t heads, std::size_t width, std::size_t count, std::uint32_t seed, float size) {
    kv.heads = heads;
    kv.head_width = kv.value_width = width;
    kv.count = count;
    kv.capacity = (count + simd::kKeyBlock - 1) / simd::kKeyBlock * simd::kKeyBlock;
    kv.keys = keys_memory.reserve(heads * kv.key_size());
    kv.values = values_memory.reserve(heads * kv.value_size());
    for (std::size_t first = 0; first < count; first += kTilePoints) {
      tiles.emplace_back(heads * width, seed++, size);
      tiles.emplace_back(heads * width, seed++);
      store(first);
    }
  }
  void store(std::size_t first) {
    const std::size_t tile = first / kTilePoints * 2;
    simd::store_keys(tiles[tile].data(), tiles[tile + 1].data(), nullptr, first,
                     std::min(kTilePoints, kv.count - first), kv);
  }
  double key(std::size_t row, std::size_t slot) const {
    return tiles[slot / kTilePoints * 2].at(row, slot % kTilePoints);
  }
  double value(std::size_t row, std::size_t slot) const {
    return tiles[slot / kTilePoints * 2 + 1].at(row, slot % kTilePoints);
  }

  simd::KeyValues kv;
  Buffer<float> keys_memory, values_memory;
  std::vector<RandomTile> tiles;
};

/// What is added to the score of a head's slot and a point.
using Extra = std::function<double(std::size_t head, std::size_t slot, std::size_t point)>;

std::vector<double> softmax_in_double(const Keys& keys, const RandomTile& q, const float* limits = nullptr,
                                      const Extra& extra = {}) {
  const std::size_t width = keys.kv.head_width;
  std::vector<double> out(q.rows() * kTilePoints, 0.0);
  for (std::size_t h = 0; h < keys.kv.heads; ++h)
    for (std::size_t p = 0; p < kTilePoints; ++p) {
      const std::size_t seen = limits == nullptr ? keys.kv.count : static_cast<std::size_t>(limits[p]);
      std::vector<double> scores(std::min(seen, keys.kv.count), 0.0);
      for (std::size_t j = 0; j < scores.size(); ++j) {
        for (std::size_t c = h * width; c < (h + 1) * width; ++c) scores[j] += q.at(c, p) * keys.key(c, j);
        if (extra) scores[j] += extra(h, j, p);
      }
      const double largest = scores.empty() ? 0.0 : *std::max_element(scores.begin(), scores.end());
      double sum = 0.0;
      for (double& score : scores) sum += score = std::exp2(score - largest);
      for (std::size_t c = h * width; c < (h + 1) * width; ++c)
        for (std::size_t j = 0; j < scores.size(); ++j)
          out[c * kTilePoints + p] += scores[j] / sum * keys.value(c, j);
    }
  return out;
}

std::vector<float> attend(const Keys& keys, const RandomTile& q, const float* limits = nullptr,
                          const float* positions = nullptr) {
  Buffer<float> out, scratch;
  out.reserve(q.rows() * kTilePoints);
  scratch.reserve(simd::attend_scratch_size());
  simd::attend(keys.kv, {q.data(), limits, positions}, out.data(), scratch.data());
  return {out.data(), out.data() + q.rows() * kTilePoints};
}

TEST(Attend, AgreesWithSoftmaxInDouble) {
  on_every_target([] {
    for (std::size_t width : {1U, 5U, 16U})
      for (std::size_t count : {0U, 1U, 7U, 8U, 9U, 127U, 128U, 129U, 300U}) {
        const Keys keys(2, width, count, 10, 3.0F);
        const RandomTile q(2 * width, 1);
        EXPECT_LE(relative_l2(attend(keys, q), softmax_in_double(keys, q)), 1e-6) << width << ' ' << count;
      }
  });
}

/// Attends to the slots in pieces of 256.
std::vector<float> attend_in_pieces(const Keys& keys, const RandomTile& q, const float* limits) {
  constexpr std::size_t kPiece = 2 * simd::kKeyBlock;
  Buffer<float> out, state, scratch;
  scratch.reserve(simd::attend_scratch_size());
  float* sums = state.reserve(2 * keys.kv.heads * kTilePoints);
  const simd::Attending to{out.reserve(q.rows() * kTilePoints), sums, sums + keys.kv.heads * kTilePoints};
  simd::start_attending(keys.kv, to);
  for (std::size_t first = 0; first < keys.kv.count; first += kPiece) {
    Keys piece(keys.kv.heads, keys.kv.head_width, std::min(kPiece, keys.kv.count - first), 1, 1.0F);
    piece.kv.before = first;
    RandomTile key(q.rows(), 1), value(q.rows(), 1);
    for (std::size_t slot = 0; slot < piece.kv.count; ++slot) {
      for (std::size_t row = 0; row < q.rows(); ++row) {
        key.data()[row * kTilePoints] = static_cast<float>(keys.key(row, first + slot));
        value.data()[row * kTilePoints] = static_cast<float>(keys.value(row, first + slot));
      }
      simd::store_keys(key.data(), value.data(), nullptr, slot, 1, piece.kv);
    }
    simd::attend_more(piece.kv, {q.data(), limits, nullptr}, to, scratch.data());
  }
  simd::finish_attending(keys.kv, to);
  return {out.data(), out.data() + q.rows() * kTilePoints};
}

TEST(Attend, PiecesOfWholeBlocksGiveTheSameBits) {
  on_every_target([] {
    alignas(64) float limits[kTilePoints];
    for (std::size_t p = 0; p < kTilePoints; ++p) limits[p] = static_cast<float>(p * p % 720);
    for (std::size_t count : {0U, 1U, 256U, 257U, 700U}) {
      const Keys keys(2, 5, count, 70, 3.0F);
      const RandomTile q(10, 1);
      EXPECT_TRUE(same_bits(attend_in_pieces(keys, q, nullptr), attend(keys, q))) << count;
      EXPECT_TRUE(same_bits(attend_in_pieces(keys, q, limits), attend(keys, q, limits))) << count;
    }
  });
}

TEST(Attend, LargeScoresAreFiniteAndRight) {
  on_every_target([] {
    // One key stands out by far at every size, so that rounding of the scores decides nothing.
    for (float size : {1e4F, 1e15F, 1e30F}) {
      Keys keys(1, 1, 150, 20, 1.0F);
      RandomTile q(1, 2);
      for (std::size_t j = 0; j < keys.kv.count; ++j)
        keys.tiles[j / kTilePoints * 2].data()[j % kTilePoints] = static_cast<float>(j) - 75.0F;
      for (std::size_t first = 0; first < keys.kv.count; first += kTilePoints) keys.store(first);
      for (std::size_t p = 0; p < kTilePoints; ++p) q.data()[p] = p % 2 == 0 ? size : -size;
      EXPECT_LE(relative_l2(attend(keys, q), softmax_in_double(keys, q)), 1e-6) << size;
    }
  });
}

TEST(Attend, RowsOfEqualScoresGiveTheMean) {
  on_every_target([] {
    for (float score : {-1e5F, -3e38F, 1e-42F, 0.0F, 3e38F, -std::numeric_limits<float>::max()}) {
      Keys keys(1, 1, 200, 30, 1.0F);
      RandomTile q(1, 2);
      for (std::size_t j = 0; j < keys.kv.count; ++j)
        keys.tiles[j / kTilePoints * 2].data()[j % kTilePoints] = 1.0F;
      for (std::size_t first = 0; first < keys.kv.count; first += kTilePoints) keys.store(first);
      std::fill_n(q.data(), kTilePoints, score);
      EXPECT_LE(relative_l2(attend(keys, q), softmax_in_double(keys, q)), 2e-6) << score;
    }
  });
}

TEST(Attend, LimitsHideTheSlotsBehindThem) {
  on_every_target([] {
    const Keys keys(2, 5, 300, 60, 3.0F);
    const RandomTile q(10, 1);
    alignas(64) float limits[kTilePoints];
    for (std::size_t p = 0; p < kTilePoints; ++p) limits[p] = static_cast<float>(p * p % 320);
    EXPECT_LE(relative_l2(attend(keys, q, limits), softmax_in_double(keys, q, limits)), 1e-6);
  });
}

TEST(Attend, BiasesAreAddedToScores) {
  on_every_target([] {
    Keys keys(2, 5, 300, 60, 3.0F);
    const RandomTile q(10, 1);
    std::vector<float> bias(2 * keys.kv.capacity);
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i % 17) - 8.0F;
    keys.kv.bias = bias.data();
    const Extra extra = [&](std::size_t h, std::size_t j, std::size_t) {
      return static_cast<double>(bias[h * keys.kv.capacity + j]);
    };
    EXPECT_LE(relative_l2(attend(keys, q), softmax_in_double(keys, q, nullptr, extra)), 1e-6);
  });
}

TEST(Attend, DistancesAreAddedToScores) {
  on_every_target([] {
    Keys keys(2, 5, 300, 60, 3.0F);
    const RandomTile q(10, 1), positions(3, 2);
    std::vector<float> anchors(3 * keys.kv.capacity);
    for (std::size_t i = 0; i < anchors.size(); ++i) anchors[i] = static_cast<float>(i % 19) / 9.0F - 1.0F;
    const float factor[] = {-3.0F, -70.0F};
    keys.kv.anchors = anchors.data();
    keys.kv.distance_factor = factor;
    const Extra extra = [&](std::size_t h, std::size_t j, std::size_t p) {
      double squared = 0.0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        squared +=
            std::pow(positions.at(axis, p) - static_cast<double>(anchors[axis * keys.kv.capacity + j]), 2);
      return static_cast<double>(factor[h]) * squared;
    };
    EXPECT_LE(
        relative_l2(attend(keys, q, nullptr, positions.data()), softmax_in_double(keys, q, nullptr, extra)),
        1e-5);
  });
}

TEST(Attend, ChosenColumnsFillSlotsInTheirOrder) {
  Keys keys(1, 2, 3, 40, 1.0F);
  const RandomTile key(2, 50), value(2, 51), q(2, 52);
  const std::uint8_t columns[] = {190, 3, 77};
  simd::store_keys(key.data(), value.data(), columns, 0, 3, keys.kv);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t c = 0; c < 2; ++c) {
      keys.tiles[0].data()[c * kTilePoints + i] = static_cast<float>(key.at(c, columns[i]));
      keys.tiles[1].data()[c * kTilePoints + i] = static_cast<float>(value.at(c, columns[i]));
    }
  EXPECT_LE(relative_l2(attend(keys, q), softmax_in_double(keys, q)), 1e-6);
}

}  // namespace
}  // namespace pcl_attention::test
