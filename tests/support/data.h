// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pcl_attention::test {

/// Returns the path of a fixture kept in tests/data.
inline std::string fixture(const std::string& name) {
  return std::string(PCL_ATTENTION_TEST_DATA) + "/" + name;
}

/// Returns the path of a real cloud under $PCL_ATTENTION_DATA or ../shared/data, or "" if it is not
/// there. Tests that need one: `if (path.empty()) GTEST_SKIP() << "no real clouds: set PCL_ATTENTION_DATA";`
inline std::string real_cloud(const std::string& name) {
  const char* folder = std::getenv("PCL_ATTENTION_DATA");
  const std::string path = std::string(folder != nullptr ? folder : PCL_ATTENTION_REAL_DATA) + "/" + name;
  return std::filesystem::exists(path) ? path : "";
}

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pcl_attention_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace pcl_attention::test
