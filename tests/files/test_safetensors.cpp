// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "files/files.h"
#include "files/half.h"
#include "files/safetensors.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

constexpr TensorType all_types[] = {
    TensorType::boolean, TensorType::u8,  TensorType::i8,  TensorType::f8_e5m2, TensorType::f8_e4m3,
    TensorType::i16,     TensorType::u16, TensorType::f16, TensorType::bf16,    TensorType::i32,
    TensorType::u32,     TensorType::f32, TensorType::f64, TensorType::i64,     TensorType::u64};

StoredTensor tensor(TensorType type, const std::string& bytes) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {type, {bytes.size() / size_of(type)}, {data, data + bytes.size()}};
}

TEST(Safetensors, WritesAndReadsAllTypes) {
  TemporaryFolder folder;
  SafetensorsFile file;
  file.metadata = {{"format", "pt"}, {"config", "{\"n\": 3, \"ü\": \"\\\\\"}"}};
  for (const TensorType type : all_types)
    file.tensors[to_string(type)] = {type, {3, 1}, std::vector<std::byte>(3 * size_of(type), std::byte{7})};
  file.tensors["scalar"] = {TensorType::f64, {}, std::vector<std::byte>(8)};
  file.tensors["empty"] = {TensorType::f32, {4, 0, 2}, {}};
  write_safetensors(file, folder / "a.safetensors");

  const SafetensorsFile back = read_safetensors(folder / "a.safetensors");
  EXPECT_EQ(back.metadata, file.metadata);
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (const auto& [name, stored] : file.tensors) {
    EXPECT_EQ(back.tensors.at(name).type, stored.type) << name;
    EXPECT_EQ(back.tensors.at(name).shape, stored.shape) << name;
    EXPECT_EQ(back.tensors.at(name).bytes, stored.bytes) << name;
  }
  EXPECT_EQ(back.tensors.at("scalar").num_elements(), 1U);
  EXPECT_EQ(back.tensors.at("empty").num_elements(), 0U);
}

TEST(Safetensors, BytesOfASmallFile) {
  TemporaryFolder folder;
  SafetensorsFile file;
  file.tensors["b"] = make_f32_tensor({1, 2}, {1.0F, 2.0F});
  file.tensors["a"] = make_f32_tensor({1}, {3.0F});
  write_safetensors(file, folder / "a");
  const std::string header = R"({"a":{"data_offsets":[0,4],"dtype":"F32","shape":[1]},)"
                             R"("b":{"data_offsets":[4,12],"dtype":"F32","shape":[1,2]}})";
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  EXPECT_EQ(read_file_bytes(folder / "a"), bytes_of<std::uint64_t>({padded}) + header +
                                               std::string(padded - header.size(), ' ') +
                                               bytes_of<float>({3, 1, 2}));
}

TEST(Safetensors, AFileWithoutTensors) {
  TemporaryFolder folder;
  write_safetensors({}, folder / "a");
  EXPECT_TRUE(read_safetensors(folder / "a").tensors.empty());
  EXPECT_TRUE(read_safetensors(folder / "a").metadata.empty());
}

TEST(Safetensors, TypeWords) {
  for (const TensorType type : all_types) EXPECT_EQ(tensor_type(to_string(type)), type);
  EXPECT_FALSE(tensor_type("f32"));
  EXPECT_FALSE(tensor_type(""));
}

TEST(Safetensors, HalfNumbersAreExact) {
  std::string bytes;
  std::vector<double> expected;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    bytes += bytes_of<std::uint16_t>({static_cast<std::uint16_t>(bits)});
    const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
    double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) value = fraction == 0 ? HUGE_VAL : std::nan("");
    expected.push_back(bits >> 15 != 0 ? -value : value);
  }
  const std::vector<float> floats = to_floats(tensor(TensorType::f16, bytes), "t");
  const std::vector<double> doubles = to_doubles(tensor(TensorType::f16, bytes), "t");
  ASSERT_EQ(floats.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::isnan(floats[i]), std::isnan(expected[i])) << i;
    EXPECT_EQ(std::signbit(floats[i]), std::signbit(expected[i])) << i;
    if (!std::isnan(expected[i])) {
      EXPECT_EQ(static_cast<double>(floats[i]), expected[i]) << i;
      EXPECT_EQ(doubles[i], expected[i]) << i;
    }
  }
}

TEST(Safetensors, BrainFloatsAreTheUpperHalfOfFloats) {
  const std::string bytes = bytes_of<std::uint16_t>({0x3F80, 0xC000, 0x0001, 0x8000, 0x7F80, 0xFF80, 0x7FC1});
  const std::vector<float> floats = to_floats(tensor(TensorType::bf16, bytes), "t");
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(same_bits(floats, {1.0F, -2.0F, 0x1p-133F, -0.0F, inf, -inf, float_from_bits(0x7FC10000U)}));
}

TEST(Safetensors, FloatsAndDoublesKeepTheirBits) {
  const std::vector<float> floats{1.0F, -0.0F, 1e-45F, std::nanf(""),
                                  -std::numeric_limits<float>::infinity()};
  EXPECT_TRUE(same_bits(to_floats(make_f32_tensor({5}, floats), "t"), floats));
  EXPECT_TRUE(same_bits(to_doubles(make_f32_tensor({5}, floats), "t"),
                        std::vector<double>(floats.begin(), floats.end())));
  EXPECT_TRUE(same_bits(to_doubles(tensor(TensorType::f64, bytes_of<double>({1e300, 5e-324})), "t"),
                        std::vector<double>{1e300, 5e-324}));
}

TEST(Safetensors, OtherTypesAreNoFloats) {
  const StoredTensor integers = tensor(TensorType::i32, bytes_of<std::int32_t>({1}));
  EXPECT_EQ(file_error([&] { to_floats(integers, "w.E"); }),
            "tensor \"w.E\": expected F32, F16 or BF16, found I32");
  EXPECT_EQ(file_error([&] { to_doubles(integers, "w.E"); }),
            "tensor \"w.E\": expected F32, F16, BF16 or F64, found I32");
  EXPECT_NE(file_error([] { to_floats(tensor(TensorType::f64, bytes_of<double>({1})), "w"); }), "");
}

TEST(Safetensors, RefusesToWriteWhatDoesNotFit) {
  TemporaryFolder folder;
  EXPECT_THROW(make_f32_tensor({2, 2}, {1.0F}), std::invalid_argument);
  const auto write = [&](const std::string& name, const StoredTensor& stored) {
    SafetensorsFile file;
    file.tensors[name] = stored;
    write_safetensors(file, folder / "a");
  };
  EXPECT_THROW(write("t", {TensorType::f32, {2}, std::vector<std::byte>(4)}), std::invalid_argument);
  EXPECT_THROW(write("__metadata__", make_f32_tensor({1}, {1.0F})), std::invalid_argument);
  EXPECT_THROW(write("\xFF", make_f32_tensor({1}, {1.0F})), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(Safetensors, ReadsFilesOfTheOriginalImplementation) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("parity"))) {
    if (entry.path().extension() != ".safetensors") continue;
    const SafetensorsFile file = read_safetensors(entry.path().string());
    EXPECT_FALSE(file.tensors.empty()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace pcl_attention::test
