// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/pcl/attention_signature.h"

#include <gtest/gtest.h>
#include <pcl/io/pcd_io.h>
#include <pcl/registration/correspondence_estimation.h>

#include <algorithm>
#include <random>

#include "pcl_attention/pcl/attention_estimation.h"  // the bodies of PCL's templates
#include "pcl_attention/pcl/cloud_view.h"
#include "support/data.h"

namespace pcl_attention::test {
namespace {

// Random signatures, all alike in their first `alike` numbers.
template <int N>
typename pcl::PointCloud<AttentionSignature<N>>::Ptr random_signatures(std::size_t n, int alike) {
  typename pcl::PointCloud<AttentionSignature<N>>::Ptr cloud(new pcl::PointCloud<AttentionSignature<N>>);
  std::mt19937 generator(7);
  for (std::size_t i = 0; i < n; ++i) {
    AttentionSignature<N> signature;
    for (int c = alike; c < N; ++c) signature.descriptor[c] = static_cast<float>(generator() >> 8) * 1e-6F;
    cloud->push_back(signature);
  }
  return cloud;
}

template <class Size>
class AttentionSignatureTest : public ::testing::Test {};

using Sizes = ::testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 33>,
                               std::integral_constant<int, 64>, std::integral_constant<int, 257>>;
TYPED_TEST_SUITE(AttentionSignatureTest, Sizes);

TYPED_TEST(AttentionSignatureTest, IsRegisteredAsOneFieldOfAllItsNumbers) {
  constexpr int n = TypeParam::value;
  const auto fields = fields_of(pcl::getFields<AttentionSignature<n>>());
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].name, "attention");
  EXPECT_EQ(fields[0].type, FieldType::float32);
  EXPECT_EQ(fields[0].offset, 0U);
  EXPECT_EQ(fields[0].count, static_cast<std::size_t>(n));
  EXPECT_EQ(AttentionSignature<n>::descriptorSize(), n);
  EXPECT_EQ(sizeof(AttentionSignature<n>), n * sizeof(float));
}

TYPED_TEST(AttentionSignatureTest, FilesKeepEveryNumber) {
  constexpr int n = TypeParam::value;
  const TemporaryFolder folder;
  const auto saved = random_signatures<n>(21, 0);
  ASSERT_EQ(pcl::io::savePCDFileBinaryCompressed(folder / "a.pcd", *saved), 0);
  pcl::PointCloud<AttentionSignature<n>> loaded;
  ASSERT_EQ(pcl::io::loadPCDFile(folder / "a.pcd", loaded), 0);
  ASSERT_EQ(loaded.size(), saved->size());
  for (std::size_t i = 0; i < saved->size(); ++i)
    for (int c = 0; c < n; ++c) EXPECT_EQ(loaded[i].descriptor[c], (*saved)[i].descriptor[c]);
}

TYPED_TEST(AttentionSignatureTest, TreesSeeEveryNumber) {
  constexpr int n = TypeParam::value;
  const auto cloud = random_signatures<n>(40, n - 1);  // only the last number tells them apart
  pcl::KdTreeFLANN<AttentionSignature<n>> tree;
  tree.setInputCloud(cloud);
  pcl::Indices found;
  std::vector<float> distances;
  for (std::size_t i = 0; i < cloud->size(); ++i) {
    ASSERT_EQ(tree.nearestKSearch((*cloud)[i], 1, found, distances), 1);
    EXPECT_EQ(found[0], static_cast<int>(i));
    EXPECT_EQ(distances[0], 0.0F);
  }
}

TYPED_TEST(AttentionSignatureTest, CorrespondencesSeeEveryNumber) {
  constexpr int n = TypeParam::value;
  using Signature = AttentionSignature<n>;
  const auto target = random_signatures<n>(40, n - 1);
  typename pcl::PointCloud<Signature>::Ptr source(new pcl::PointCloud<Signature>(*target));
  std::reverse(source->begin(), source->end());
  pcl::registration::CorrespondenceEstimation<Signature, Signature> matching;
  matching.setInputSource(source);
  matching.setInputTarget(target);
  pcl::Correspondences matches;
  matching.determineCorrespondences(matches);
  ASSERT_EQ(matches.size(), 40U);
  for (const pcl::Correspondence& match : matches) EXPECT_EQ(match.index_match, 39 - match.index_query);
}

}  // namespace
}  // namespace pcl_attention::test
