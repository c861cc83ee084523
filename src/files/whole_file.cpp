// SPDX-License-Identifier: BSD-3-Clause
#include "files/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw FileError(path + ": cannot write: " + reason);
}

std::string reason_of(int error) {
  return error != 0 ? std::generic_category().message(error) : "the stream failed";
}

// A rename would replace a device such as /dev/null by a file.
void check_target(const std::string& path) {
  if (!fs::path(path).has_filename()) fail(path, "the path names no file");
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail(path, "it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) fail(path, "it is not a regular file");
}

std::string temporary_name(const fs::path& path) {
  static const char digits[] = "0123456789abcdef";
  std::random_device random;
  std::string name = ".pcl_attention-";
  for (int i = 0; i < 16; ++i) name += digits[random() % 16];
  return (path.parent_path() / (name + path.extension().string())).string();
}

/// A file of its own beside the target, removed at the end unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) : target_(target), path_(temporary_name(target)) {
    std::FILE* file = std::fopen(path_.c_str(), "wbx");
    if (file == nullptr) fail(target, std::generic_category().message(errno));
    std::fclose(file);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    if (!renamed_) fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

  void rename() {
    std::error_code error;
    fs::rename(path_, target_, error);
    if (error) fail(target_, error.message());
    renamed_ = true;
  }

 private:
  std::string target_, path_;
  bool renamed_ = false;
};

}  // namespace

void write_whole_file(const std::string& path, const std::function<void(const std::string&)>& write) {
  check_target(path);
  TemporaryFile file(path);
  write(file.path());
  file.rename();
}

void check_writable(const std::string& path) {
  check_target(path);
  const TemporaryFile file(path);
}

void write_whole_stream(const std::string& path, const std::function<void(std::ostream&)>& write) {
  write_whole_file(path, [&](const std::string& temporary) {
    errno = 0;
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    if (stream) write(stream);
    stream.close();
    if (!stream) fail(path, reason_of(errno));
  });
}

}  // namespace pcl_attention
