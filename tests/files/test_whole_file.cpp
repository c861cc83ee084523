// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "files/files.h"
#include "files/whole_file.h"

namespace pcl_attention::test {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries(const std::string& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(WholeFile, AppearsWholeAndReplaces) {
  TemporaryFolder folder;
  const std::string path = folder / "rows.npy";
  for (const std::string text : {"first", "second"}) {
    write_whole_stream(path, [&](std::ostream& stream) { stream << text; });
    EXPECT_EQ(read_file_bytes(path), text);
  }
  EXPECT_EQ(entries(folder / ""), 1);
}

TEST(WholeFile, TemporaryNameKeepsFolderAndExtension) {
  TemporaryFolder folder;
  fs::path seen;
  write_whole_file(folder / "cloud.v2.pcd", [&](const std::string& path) {
    seen = path;
    write_bytes(path, "x");
  });
  EXPECT_EQ(seen.extension(), ".pcd");
  EXPECT_EQ(seen.parent_path().string() + "/", folder / "");
  EXPECT_NE(seen.string(), folder / "cloud.v2.pcd");
}

TEST(WholeFile, AskingLeavesNothingBehind) {
  TemporaryFolder folder;
  check_writable(folder / "new");
  EXPECT_EQ(entries(folder / ""), 0);
  write_bytes(folder / "old", "x");
  check_writable(folder / "old");
  EXPECT_EQ(read_file_bytes(folder / "old"), "x");
  EXPECT_EQ(entries(folder / ""), 1);
}

TEST(WholeFile, HasThePermissionsOfAPlainFile) {
  TemporaryFolder folder;
  write_bytes(folder / "plain", "x");
  write_whole_stream(folder / "whole", [](std::ostream& stream) { stream << 'x'; });
  EXPECT_EQ(fs::status(folder / "whole").permissions(), fs::status(folder / "plain").permissions());
}

TEST(WholeFile, AThrowLeavesTheOldFileAlone) {
  TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  write_bytes(path, "old");
  const auto fails = [](std::ostream& stream) {
    stream << "half";
    throw std::out_of_range("stop");
  };
  EXPECT_THROW(write_whole_stream(path, fails), std::out_of_range);
  EXPECT_EQ(read_file_bytes(path), "old");
  EXPECT_EQ(entries(folder / ""), 1);
}

TEST(WholeFile, AFailedStreamIsAnError) {
  TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  const auto fails = [](std::ostream& stream) { stream.setstate(std::ios::badbit); };
  const std::string message = file_error([&] { write_whole_stream(path, fails); });
  EXPECT_NE(message.find(path + ": cannot write: "), std::string::npos) << message;
  EXPECT_EQ(entries(folder / ""), 0);
}

// A limit on the file's size behaves as a full disk does: write() fails, at the latest in close().
TEST(WholeFile, AFullDiskIsAnError) {
  TemporaryFolder folder;
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string few = file_error([&] {
    write_whole_stream(folder / "a", [](std::ostream& stream) { stream << std::string(101, 'x'); });
  });
  const std::string many = file_error([&] {
    write_whole_stream(folder / "a", [](std::ostream& stream) { stream << std::string(99999, 'x'); });
  });
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_NE(few.find("cannot write: File too large"), std::string::npos) << few;
  EXPECT_NE(many.find("cannot write: File too large"), std::string::npos) << many;
  EXPECT_EQ(entries(folder / ""), 0);
}

TEST(WholeFile, TargetsThatCannotBeFiles) {
  TemporaryFolder folder;
  fs::create_directory(folder / "folder.pcd");
  write_bytes(folder / "file", "x");
  const auto message = [](const std::string& path) {
    bool called = false;
    const std::string text =
        file_error([&] { write_whole_file(path, [&](const std::string&) { called = true; }); });
    EXPECT_FALSE(called) << path;
    EXPECT_EQ(file_error([&] { check_writable(path); }), text);
    return text;
  };
  EXPECT_NE(message(folder / "folder.pcd").find("it is a folder"), std::string::npos);
  EXPECT_NE(message(folder / "").find("names no file"), std::string::npos);
  EXPECT_NE(message("").find("names no file"), std::string::npos);
  EXPECT_NE(message("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_NE(message(folder / "missing/a.pcd").find("No such file or directory"), std::string::npos);
  EXPECT_NE(message(folder / "file/a.pcd").find("Not a directory"), std::string::npos);
}

TEST(WholeFile, AnUnwritableFolderIsAnError) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  TemporaryFolder folder;
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const std::string message =
      file_error([&] { write_whole_stream(folder / "closed/a", [](std::ostream&) {}); });
  EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
}

}  // namespace
}  // namespace pcl_attention::test
