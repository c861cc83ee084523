// SPDX-License-Identifier: BSD-3-Clause
#include <png.h>

#include <ostream>

#include "files/whole_file.h"
#include "pcl_attention/error.h"
#include "picture.h"

namespace pcl_attention::command {
namespace {

[[noreturn]] void fail(png_structp, png_const_charp reason) {
  throw FileError(std::string("PNG: ") + reason);
}

void write_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  static_cast<std::ostream*>(png_get_io_ptr(png))
      ->write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}

// Closes the writer whatever happens.
struct Writer {
  Writer() : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, nullptr)) {
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) throw FileError("PNG: cannot be started");
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  png_structp png = nullptr;
  png_infop info = nullptr;
};

void write(const Picture& picture, std::ostream& out) {
  Writer writer;
  png_set_write_fn(writer.png, &out, write_bytes, nullptr);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(picture.width()),
               static_cast<png_uint_32>(picture.height()), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  for (std::size_t y = 0; y < picture.height(); ++y) png_write_row(writer.png, picture.row(y));
  png_write_end(writer.png, writer.info);
}

}  // namespace

void write_png(const Picture& picture, const std::string& path) {
  write_whole_stream(path, [&](std::ostream& out) { write(picture, out); });
}

}  // namespace pcl_attention::command
