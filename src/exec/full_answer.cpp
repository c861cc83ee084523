// SPDX-License-Identifier: BSD-3-Clause
#include "exec/full_answer.h"

#include <algorithm>

namespace pcl_attention {

using simd::kTilePoints;

void FullAnswer::ask(const AskedTile& asked) {
  ask_tile(network_.config, layer_, asked.x, answer(count_));
  limited_ = asked.limits != nullptr;
  if (limited_) std::copy_n(asked.limits, kTilePoints, scratch_.group.limits + count_ * kTilePoints);
  simd::start_attending(network_.piece_shape(), attending(count_++));
}

void FullAnswer::attend(const EncodeControls& controls) {
  for (std::size_t piece = 0; piece < source_.num_pieces(); ++piece) {
    check_cancel(controls);
    const simd::KeyValues keys = source_.load_piece(layer_, piece, scratch_);
    for (std::size_t t = 0; t < count_; ++t) {
      const float* limits = limited_ ? scratch_.group.limits + t * kTilePoints : nullptr;
      simd::attend_more(keys, {answer(t).query, limits, nullptr}, attending(t), scratch_.answer.attend);
    }
  }
  for (std::size_t t = 0; t < count_; ++t) simd::finish_attending(network_.piece_shape(), attending(t));
}

void FullAnswer::reply(std::size_t t, const float* x, float* y) const {
  reply_tile(network_.config, layer_, x, answer(t), y);
}

simd::Attending FullAnswer::attending(std::size_t t) const {
  const std::size_t heads = network_.config.heads * kTilePoints;
  return {answer(t).heads, scratch_.group.largest + t * heads, scratch_.group.sums + t * heads};
}

AnswerScratch FullAnswer::answer(std::size_t t) const {
  AnswerScratch scratch = scratch_.answer;
  scratch.query = scratch_.group.query + t * network_.key_width() * kTilePoints;
  scratch.heads = scratch_.group.heads + t * network_.value_width() * kTilePoints;
  return scratch;
}

}  // namespace pcl_attention
