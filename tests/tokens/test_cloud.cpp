// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>

#include "pcl_attention/error.h"
#include "support/errors.h"
#include "tokens/raw_cloud.h"

namespace pcl_attention::test {
namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

/// A sound view of 4 x 2 points of 16 bytes with row padding of 8 bytes.
class CloudCheck : public ::testing::Test {
 protected:
  CloudCheck() {
    cloud.data = bytes.data();
    cloud.size = bytes.size();
    cloud.width = 4;
    cloud.height = 2;
    cloud.point_step = 16;
    cloud.row_step = 72;
    cloud.fields = {{"x", FieldType::float32, 0, 1}, {"desc", FieldType::uint8, 4, 12}};
  }

  std::string fault() const {
    return message_of<CloudError>([this] { cloud.check(); });
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(144);
  CloudView cloud;
};

TEST(SizeOf, AllTypes) {
  const std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 1};
  for (int type = 1; type <= 11; ++type)
    EXPECT_EQ(size_of(static_cast<FieldType>(type)), sizes[type - 1]) << type;
  EXPECT_THROW(size_of(static_cast<FieldType>(0)), CloudError);
  EXPECT_THROW(size_of(static_cast<FieldType>(12)), CloudError);
}

TEST_F(CloudCheck, SoundCloudPasses) { EXPECT_EQ(fault(), ""); }

TEST_F(CloudCheck, LastRowMayLackItsPadding) {
  cloud.size = 72 + 64;
  EXPECT_EQ(fault(), "");
  cloud.size = 72 + 63;
  EXPECT_TRUE(contains(fault(), "135 bytes given"));
}

TEST_F(CloudCheck, FieldAtTheEndOfThePoint) {
  cloud.fields.push_back({"last", FieldType::float64, 8, 1});
  EXPECT_EQ(fault(), "");
  cloud.fields.back().offset = 9;
  EXPECT_TRUE(contains(fault(), "'last' leaves the point"));
}

TEST_F(CloudCheck, FieldCountAndOffsetDoNotOverflow) {
  cloud.fields[1].count = huge / 2;
  EXPECT_TRUE(contains(fault(), "'desc' leaves the point"));
  cloud.fields[1] = {"desc", FieldType::float64, huge - 3, 1};
  EXPECT_TRUE(contains(fault(), "'desc' leaves the point"));
}

TEST_F(CloudCheck, FieldOfNoElementsIsPaddingOnly) {
  cloud.fields.push_back({"_", FieldType::uint8, 16, 0});
  EXPECT_EQ(fault(), "");
  cloud.fields.back().name = "ring";
  EXPECT_TRUE(contains(fault(), "'ring' has 0 elements"));
}

TEST_F(CloudCheck, UnknownTypeNamesTheField) {
  cloud.fields[1].type = static_cast<FieldType>(77);
  EXPECT_TRUE(contains(fault(), "'desc' has unknown type 77"));
}

TEST_F(CloudCheck, RowStepHoldsARow) {
  cloud.row_step = 63;
  EXPECT_TRUE(contains(fault(), "row_step 63"));
  cloud.row_step = 64;
  EXPECT_EQ(fault(), "");
  cloud.row_step = 0;
  EXPECT_EQ(fault(), "");
}

TEST_F(CloudCheck, SizesDoNotOverflow) {
  cloud.width = huge / 8;
  EXPECT_TRUE(contains(fault(), "width x point_step"));
  cloud.width = 4;
  cloud.height = huge / 2;
  EXPECT_TRUE(contains(fault(), "width x height"));
  cloud.height = huge / 64;
  EXPECT_TRUE(contains(fault(), "height x row_step"));
}

TEST_F(CloudCheck, RowsStayInsideTheCloud) {
  std::vector<std::int32_t> rows{7, 0, 0, 3};
  cloud.rows = rows.data();
  cloud.num_rows = rows.size();
  EXPECT_EQ(fault(), "");
  rows[2] = 8;
  EXPECT_TRUE(contains(fault(), "row 2 of the selection is point 8"));
  rows[2] = -1;
  EXPECT_TRUE(contains(fault(), "row 2 of the selection is point -1"));
}

TEST_F(CloudCheck, PointsNeedData) {
  cloud.data = nullptr;
  EXPECT_TRUE(contains(fault(), "without data"));
  cloud.width = 0;
  cloud.size = 0;
  cloud.row_step = 0;
  EXPECT_EQ(fault(), "");
}

TEST_F(CloudCheck, NoRowsOfAnything) {
  const std::int32_t none = 0;
  cloud.rows = &none;
  cloud.num_rows = 0;
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(cloud.num_points(), 0U);
}

TEST(CloudView, EmptyCloudIsSound) { EXPECT_NO_THROW(CloudView{}.check()); }

}  // namespace
}  // namespace pcl_attention::test
