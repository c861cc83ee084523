// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "files/cloud_header.h"
#include "files/files.h"

namespace pcl_attention::test {
namespace {

namespace fs = std::filesystem;

TEST(CloudFormat, GoesByTheExtension) {
  EXPECT_EQ(cloud_format("a.pcd"), CloudFormat::pcd);
  EXPECT_EQ(cloud_format("b.pcd/a.PLY"), CloudFormat::ply);
  EXPECT_EQ(cloud_format("a.b.Bin"), CloudFormat::kitti_bin);
  EXPECT_EQ(cloud_format("a.npy"), CloudFormat::npy);
  for (const char* path : {"a.las", "pcd", "", ".pcd", "a.pcd.gz", "a.pcd/b"})
    EXPECT_NE(file_error([&] { cloud_format(path); }).find("ends in .pcd, .ply, .bin or .npy"),
              std::string::npos);
}

TEST(CloudHeader, KittiPointsHaveSixteenBytes) {
  TemporaryFolder folder;
  for (const std::size_t points : {0U, 1U, 3U}) {
    write_bytes(folder / "a.bin", std::string(16 * points, 'x'));
    const CloudHeader header = read_cloud_header(folder / "a.bin");
    EXPECT_EQ(header.format, CloudFormat::kitti_bin);
    EXPECT_EQ(header.width, points);
    EXPECT_EQ(header.height, 1U);
    ASSERT_EQ(header.fields.size(), 4U);
    EXPECT_EQ(header.fields[3].name, "intensity");
    EXPECT_EQ(header.fields[3].offset, 12U);
  }
  write_bytes(folder / "a.bin", std::string(47, 'x'));
  EXPECT_NE(file_error([&] { read_cloud_header(folder / "a.bin"); }).find("the file has 47 bytes"),
            std::string::npos);
}

TEST(CloudHeader, FilesThatCannotBeRead) {
  TemporaryFolder folder;
  fs::create_directory(folder / "folder.pcd");
  const auto message = [](const std::string& path) { return file_error([&] { read_cloud_header(path); }); };
  EXPECT_NE(message(folder / "none.pcd").find("No such file"), std::string::npos);
  EXPECT_NE(message(folder / "folder.pcd").find("not a regular file"), std::string::npos);
  EXPECT_NE(message(folder / "rows.npy").find("expected a .pcd, .ply or .bin file"), std::string::npos);
}

TEST(RealClouds, AreAcceptedUnlessMalformed) {
  const std::string root = real_cloud("README.md");
  if (root.empty()) GTEST_SKIP() << "no real clouds: set PCL_ATTENTION_DATA";
  int sound = 0, malformed = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(root).parent_path())) {
    const std::string path = entry.path().string(), extension = entry.path().extension().string();
    if (extension != ".pcd" && extension != ".ply" && extension != ".bin") continue;
    const std::string message = file_error([&] { read_cloud_header(path); });
    const bool refuse = entry.path().parent_path().filename() == "malformed";
    EXPECT_EQ(message.empty(), !refuse) << path << " " << message;
    EXPECT_EQ(message.find(path + ":"), refuse ? 0U : message.npos) << message;
    (refuse ? malformed : sound) += 1;
  }
  EXPECT_GT(sound, 0);
  EXPECT_GT(malformed, 0);
}

struct Known {
  const char* path;
  std::size_t width, height, num_fields;
  CloudEncoding encoding;
};

class KnownClouds : public testing::TestWithParam<Known> {};

TEST_P(KnownClouds, HaveTheirSizeAndFields) {
  const std::string path = real_cloud(GetParam().path);
  if (path.empty()) GTEST_SKIP() << "no real clouds: set PCL_ATTENTION_DATA";
  const CloudHeader header = read_cloud_header(path);
  EXPECT_EQ(header.width, GetParam().width);
  EXPECT_EQ(header.height, GetParam().height);
  EXPECT_EQ(header.fields.size(), GetParam().num_fields);
  EXPECT_EQ(header.encoding, GetParam().encoding);
}

INSTANTIATE_TEST_SUITE_P(
    Real, KnownClouds,
    testing::Values(Known{"outdoor/ouster_os1_128_seq_0.pcd", 1024, 128, 9, CloudEncoding::binary_compressed},
                    Known{"indoor_lidar/hesai_at128_packed35.pcd", 25572, 1, 9, CloudEncoding::binary},
                    Known{"indoor_lidar/robosense_e1_ascii.pcd", 26675, 1, 10, CloudEncoding::ascii},
                    Known{"objects/object_template_0.pcd", 1397, 1, 4, CloudEncoding::ascii},
                    Known{"objects/colored_cloud.pcd", 1, 1000, 8, CloudEncoding::binary},
                    Known{"objects/fuze.ply", 502, 1, 7, CloudEncoding::binary},
                    Known{"formats/diamond_big_endian.ply", 6, 1, 9, CloudEncoding::binary_big_endian},
                    Known{"formats/empty_ascii.ply", 0, 1, 6, CloudEncoding::ascii},
                    Known{"test_only/kitti_000000.bin", 124668, 1, 4, CloudEncoding::binary}),
    [](const auto& known) {
      std::string name = known.param.path;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, '_');
      return name;
    });

}  // namespace
}  // namespace pcl_attention::test
