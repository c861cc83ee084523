// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"
#include "support/errors.h"
#include "tokens/raw_cloud.h"

namespace pcl_attention::test {
namespace {

using Names = std::map<std::string, std::string>;

CloudView cloud_of(const std::vector<std::string>& names) {
  CloudView cloud;
  for (const std::string& name : names) cloud.fields.push_back({name, FieldType::float32, 0, 1});
  return cloud;
}

std::string fault(const CloudView& cloud, const std::string& name, const Names& names = {}) {
  return message_of<CloudError>([&] { find_field(cloud, name, names); });
}

TEST(FindField, ExactNameBeforeLetterCase) {
  EXPECT_EQ(find_field(cloud_of({"X", "x"}), "x", {}), 1U);
  EXPECT_EQ(find_field(cloud_of({"X", "Y"}), "y", {}), 1U);
}

TEST(FindField, LetterCaseOnlyIfUnique) {
  const CloudView cloud = cloud_of({"Ring", "RING"});
  EXPECT_TRUE(contains(fault(cloud, "ring"), "'ring' is ambiguous, the cloud has: Ring, RING"));
  EXPECT_EQ(find_field(cloud, "RING", {}), 1U);
}

TEST(FindField, TwoFieldsOfOneNameAreAmbiguous) {
  EXPECT_TRUE(contains(fault(cloud_of({"x", "y", "x"}), "x"), "ambiguous"));
}

TEST(FindField, MissingListsTheFieldsWithoutPadding) {
  const std::string text = fault(cloud_of({"x", "_", "ring"}), "intensity");
  EXPECT_TRUE(contains(text, "no field 'intensity'"));
  EXPECT_TRUE(contains(text, "x, ring"));
  EXPECT_FALSE(contains(text, "_"));
  EXPECT_TRUE(contains(fault(CloudView{}, "x"), "it has: none"));
}

TEST(FindField, PaddingIsNeverFound) { EXPECT_NE(fault(cloud_of({"_", "x"}), "_"), ""); }

TEST(FindField, MappedNameReplacesTheOwn) {
  const CloudView cloud = cloud_of({"intensity", "i", "Refl"});
  EXPECT_EQ(find_field(cloud, "intensity", {{"intensity", "i"}}), 1U);
  EXPECT_EQ(find_field(cloud, "intensity", {{"intensity", "refl"}}), 2U);
  EXPECT_EQ(find_field(cloud, "intensity", {{"ring", "i"}}), 0U);
  const std::string text = fault(cloud, "intensity", {{"intensity", "reflectivity"}});
  EXPECT_TRUE(contains(text, "no field 'reflectivity' (the model's 'intensity')"));
}

TEST(FindField, RgbAndRgbaStandForEachOther) {
  EXPECT_EQ(find_field(cloud_of({"x", "rgba"}), "rgb", {}), 1U);
  EXPECT_EQ(find_field(cloud_of({"x", "rgb"}), "rgba", {}), 1U);
  EXPECT_EQ(find_field(cloud_of({"rgba", "rgb"}), "rgb", {}), 1U);
  EXPECT_EQ(find_field(cloud_of({"RGB", "rgba"}), "rgb", {}), 1U);
  EXPECT_EQ(find_field(cloud_of({"RGBA"}), "rgb", {}), 0U);
  EXPECT_NE(fault(cloud_of({"rgbx"}), "rgb"), "");
}

}  // namespace
}  // namespace pcl_attention::test
