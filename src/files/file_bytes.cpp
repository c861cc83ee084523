// SPDX-License-Identifier: BSD-3-Clause
#include "files/file_bytes.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

std::string zeros(const std::string& path, std::uintmax_t size) {
  try {
    return std::string(size, '\0');
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw FileError(path + ": " + std::to_string(size) + " bytes do not fit into the memory");
}

}  // namespace

std::string read_file_bytes(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw FileError(path + ": " + (error ? error.message() : "no such file"));
  if (!fs::is_regular_file(status)) throw FileError(path + ": not a regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw FileError(path + ": cannot open: " + std::generic_category().message(errno));
  std::string bytes = zeros(path, size);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw FileError(path + ": read " + std::to_string(file.gcount()) + " of " + std::to_string(size) +
                    " bytes");
  return bytes;
}

}  // namespace pcl_attention
