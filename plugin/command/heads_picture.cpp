// SPDX-License-Identifier: BSD-3-Clause
#include "heads_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace pcl_attention::command {
namespace {

constexpr Colour kInk{30, 30, 30}, kGrey{150, 150, 150};
constexpr std::size_t kTitleScale = 2, kLabelScale = 2, kGap = 16, kBar = 8;
constexpr std::size_t kLine = 10, kTitleLine = 20;  // of text
constexpr std::size_t kLeast = 168, kMost = 336;    // pixels of a matrix per axis

// White to dark red, in equal steps.
constexpr std::array<Colour, 9> kReds{{{255, 245, 240},
                                       {254, 224, 210},
                                       {252, 187, 161},
                                       {252, 146, 114},
                                       {251, 106, 74},
                                       {239, 59, 44},
                                       {203, 24, 29},
                                       {165, 15, 21},
                                       {103, 0, 13}}};

Colour red(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kReds.size() - 1);
  const std::size_t low = std::min<std::size_t>(static_cast<std::size_t>(at), kReds.size() - 2);
  const double weight = at - static_cast<double>(low);
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround((1.0 - weight) * a + weight * b));
  };
  const Colour a = kReds[low], b = kReds[low + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

// Pixels of an axis with `count` numbers: whole pixels per number where they fit.
std::size_t pixels(std::size_t count) {
  if (count == 0 || count >= kMost) return kMost;
  return count * std::max<std::size_t>(1, (kLeast + count - 1) / count);
}

struct Layout {
  explicit Layout(const AttentionHeadsResult& result) {
    std::size_t slots = 0;
    for (const AttentionHead& head : result.heads) slots = std::max(slots, head.num_slots);
    width = std::max(kLeast, std::min(kMost, pixels(slots)));
    height = std::max(kLeast, std::min(kMost, pixels(result.row_points.size())));
    left = kGap + text_width("layer 99 ", kLabelScale);
    top = kGap + kTitleLine + 2 * kLine;
  }
  std::size_t x(std::size_t head) const { return left + head * (width + kGap); }
  std::size_t y(std::size_t layer) const { return top + layer * (height + kBar + 2 * kLine + kGap); }

  std::size_t width, height, left, top;
};

// Mean over the numbers that fall on pixel (px, py) of a matrix drawn in width × height pixels.
double mean_at(const AttentionHead& head, std::size_t rows, const Layout& layout, std::size_t px,
               std::size_t py) {
  const auto range = [](std::size_t at, std::size_t size, std::size_t count) {
    const std::size_t begin = at * count / size;
    return std::pair<std::size_t, std::size_t>(begin, std::max(begin + 1, (at + 1) * count / size));
  };
  const auto [first, last] = range(py, layout.height, rows);
  const auto [left, right] = range(px, layout.width, head.num_slots);
  double sum = 0.0;
  for (std::size_t r = first; r < last; ++r)
    for (std::size_t c = left; c < right; ++c)
      sum += static_cast<double>(head.weights[r * head.num_slots + c]);
  return sum / static_cast<double>((last - first) * (right - left));
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void draw_matrix(Picture& picture, const AttentionHead& head, std::size_t rows, const Layout& layout) {
  const std::size_t x = layout.x(head.head), y = layout.y(head.layer);
  std::vector<double> means;
  for (std::size_t py = 0; py < layout.height; ++py)
    for (std::size_t px = 0; px < layout.width; ++px) means.push_back(mean_at(head, rows, layout, px, py));
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  const double span = *high > *low ? *high - *low : 1.0;
  for (std::size_t i = 0; i < means.size(); ++i)
    picture.set(x + i % layout.width, y + i / layout.width, red((means[i] - *low) / span));
  picture.frame(x - 1, y - 1, layout.width + 2, layout.height + 2, kGrey);

  const std::size_t bar = y + layout.height + 4;
  for (std::size_t i = 0; i < layout.width; ++i)
    for (std::size_t j = 0; j < kBar; ++j)
      picture.set(x + i, bar + j, red(static_cast<double>(i) / static_cast<double>(layout.width - 1)));
  const std::string largest = number(*high);
  picture.text(x, bar + kBar + 2, number(*low), 1, kInk);
  picture.text(x + layout.width - text_width(largest, 1), bar + kBar + 2, largest, 1, kInk);
}

std::string explain(const AttentionHeadsResult& result) {
  std::size_t least = result.heads[0].num_slots, most = least;
  for (const AttentionHead& head : result.heads) {
    least = std::min(least, head.num_slots);
    most = std::max(most, head.num_slots);
  }
  return std::to_string(result.row_points.size()) + " of " + std::to_string(result.num_points) +
         " points by rank downward, " + std::to_string(least) +
         (most == least ? "" : " to " + std::to_string(most)) +
         " slots to the right; each head has a colour scale of its own";
}

}  // namespace

Picture draw_heads(const AttentionHeadsResult& result, const std::string& title) {
  const Layout layout(result);
  const bool empty = result.heads.empty() || result.row_points.empty();
  const std::string line = empty ? "no points" : explain(result);
  const std::size_t least = kGap + std::max(text_width(title, kTitleScale), text_width(line, 1)) + kGap;
  Picture picture(std::max(layout.x(result.num_heads), least),
                  layout.y(result.num_layers) + kGap + (empty ? 0 : kTitleLine));
  picture.text(kGap, kGap, title, kTitleScale, kInk);
  picture.text(kGap, kGap + kTitleLine, line, 1, kInk);
  if (empty) return picture;
  for (const AttentionHead& head : result.heads) draw_matrix(picture, head, result.row_points.size(), layout);
  for (std::size_t layer = 0; layer < result.num_layers; ++layer)
    picture.text(kGap, layout.y(layer) + layout.height / 2, "layer " + std::to_string(layer + 1), kLabelScale,
                 kInk);
  for (std::size_t head = 0; head < result.num_heads; ++head) {
    const std::string label = "head " + std::to_string(head + 1);
    picture.text(layout.x(head) + (layout.width - text_width(label, kLabelScale)) / 2,
                 layout.y(result.num_layers), label, kLabelScale, kInk);
  }
  return picture;
}

}  // namespace pcl_attention::command
