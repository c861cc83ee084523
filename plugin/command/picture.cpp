// SPDX-License-Identifier: BSD-3-Clause
#include "picture.h"

#include "bitmap_font.h"

namespace pcl_attention::command {

Picture::Picture(std::size_t width, std::size_t height)
    : width_(width), height_(height), pixels_(3 * width * height, 255) {}

void Picture::set(std::size_t x, std::size_t y, Colour colour) {
  if (x >= width_ || y >= height_) return;
  std::uint8_t* pixel = pixels_.data() + 3 * (width_ * y + x);
  pixel[0] = colour.red;
  pixel[1] = colour.green;
  pixel[2] = colour.blue;
}

void Picture::frame(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Colour colour) {
  for (std::size_t i = 0; i < width; ++i) set(x + i, y, colour), set(x + i, y + height - 1, colour);
  for (std::size_t i = 0; i < height; ++i) set(x, y + i, colour), set(x + width - 1, y + i, colour);
}

void Picture::text(std::size_t x, std::size_t y, const std::string& letters, std::size_t scale,
                   Colour colour) {
  for (std::size_t i = 0; i < letters.size(); ++i)
    for (std::size_t dy = 0; dy < kLetterHeight * scale; ++dy)
      for (std::size_t dx = 0; dx < kLetterWidth * scale; ++dx)
        if (is_ink(letters[i], dx / scale, dy / scale))
          set(x + i * kLetterWidth * scale + dx, y + dy, colour);
}

std::size_t text_width(const std::string& letters, std::size_t scale) {
  return letters.size() * kLetterWidth * scale;
}

}  // namespace pcl_attention::command
