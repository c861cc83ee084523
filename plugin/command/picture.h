// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pcl_attention::command {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// Pixels in red, green, blue; white at first.
class Picture {
 public:
  Picture(std::size_t width, std::size_t height);

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  const std::uint8_t* row(std::size_t y) const { return pixels_.data() + 3 * width_ * y; }

  /// Sets a pixel; one outside the picture is left out.
  void set(std::size_t x, std::size_t y, Colour colour);

  /// Draws the outline of [x, x + width) × [y, y + height).
  void frame(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Colour colour);

  /// Writes ASCII text from its upper left corner, each font pixel `scale` wide.
  void text(std::size_t x, std::size_t y, const std::string& letters, std::size_t scale, Colour colour);

 private:
  std::size_t width_, height_;
  std::vector<std::uint8_t> pixels_;
};

/// Returns the width of a text in pixels.
std::size_t text_width(const std::string& letters, std::size_t scale);

/// Writes a picture as .png; the file appears whole or not at all.
/// @throws FileError if it cannot be written.
void write_png(const Picture& picture, const std::string& path);

}  // namespace pcl_attention::command
