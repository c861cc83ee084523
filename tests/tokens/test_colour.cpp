// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>

#include "pcl_attention/error.h"
#include "pcl_attention/tokens.h"
#include "support/errors.h"
#include "tokens/raw_cloud.h"

namespace pcl_attention::test {
namespace {

using Floats = std::vector<float>;

const InputSpec colour_input{{{"rgb", 3}}, Normalization::none, 1.0};

TEST(Colour, BitsWhateverTheTypeAndByteOrder) {
  for (const FieldType type : {FieldType::float32, FieldType::uint32, FieldType::int32}) {
    for (const bool big_endian : {false, true}) {
      for (const char* name : {"rgb", "rgba"}) {
        RawCloud cloud(1, 7, {{name, type, 3, 1}}, big_endian);
        cloud.write(0, 3, std::uint32_t{0x80FF3301});
        EXPECT_EQ(gather(cloud.view, colour_input).values, (Floats{1.0F, 51.0F / 255.0F, 1.0F / 255.0F}));
      }
    }
  }
}

TEST(Colour, EveryByteOver255) {
  RawCloud cloud(256, 4, {{"rgb", FieldType::float32, 0, 1}});
  for (std::uint32_t byte = 0; byte < 256; ++byte) cloud.write(byte, 0, byte << 16 | byte << 8 | byte);
  const Tokens tokens = gather(cloud.view, colour_input);
  ASSERT_EQ(tokens.values.size(), 256U * 3U);
  for (std::size_t i = 0; i < tokens.values.size(); ++i)
    EXPECT_EQ(tokens.values[i], static_cast<float>(i / 3) / 255.0F);
}

TEST(Colour, NanBitsAreColours) {
  RawCloud cloud(2, 4, {{"rgb", FieldType::float32, 0, 1}});
  cloud.write(0, 0, std::uint32_t{0xFFFFFFFF});
  cloud.write(1, 0, std::uint32_t{0x7F800000});
  const Tokens tokens = gather(cloud.view, colour_input);
  EXPECT_EQ(tokens.point, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(tokens.values, (Floats{1.0F, 1.0F, 1.0F, 128.0F / 255.0F, 0.0F, 0.0F}));
}

TEST(Colour, ScaleIsNotApplied) {
  RawCloud cloud(1, 4, {{"rgb", FieldType::uint32, 0, 1}});
  cloud.write(0, 0, std::uint32_t{0x00FF00FF});
  const Tokens tokens = gather(cloud.view, {{{"rgb", 3, 10.0}}, Normalization::none, 1.0});
  EXPECT_EQ(tokens.values, (Floats{1.0F, 0.0F, 1.0F}));
}

TEST(Colour, MappedNameIsStillColour) {
  RawCloud cloud(1, 4, {{"paint", FieldType::uint32, 0, 1}});
  cloud.write(0, 0, std::uint32_t{0x0000FF00});
  GatherOptions options;
  options.field_names["rgb"] = "paint";
  EXPECT_EQ(gather(cloud.view, colour_input, options).values, (Floats{0.0F, 1.0F, 0.0F}));
}

TEST(Colour, OtherShapesAreErrors) {
  const auto fault = [](const Field& field) {
    RawCloud cloud(1, 16, {field});
    return message_of<CloudError>([&] { gather(cloud.view, colour_input); });
  };
  EXPECT_TRUE(contains(fault({"rgb", FieldType::uint8, 0, 3}), "'rgb' is no packed colour: 3 x 1 bytes"));
  EXPECT_TRUE(contains(fault({"rgb", FieldType::float64, 0, 1}), "1 x 8 bytes"));
  EXPECT_TRUE(contains(fault({"rgb", FieldType::float32, 0, 3}), "3 x 4 bytes"));
}

TEST(Colour, ThreeChannels) {
  RawCloud cloud(1, 4, {{"rgb", FieldType::uint32, 0, 1}});
  EXPECT_THROW(gather(cloud.view, {{{"rgb", 1}}, Normalization::none, 1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace pcl_attention::test
