// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "files/files.h"
#include "files/npy.h"
#include "support/compare.h"

namespace pcl_attention::test {
namespace {

using Shape = std::vector<std::size_t>;

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  const std::string text = dictionary + "\n";
  const auto size = static_cast<std::uint32_t>(text.size());
  return std::string("\x93NUMPY") + version + '\0' + bytes_of({size}).substr(0, version == 1 ? 2 : 4) + text +
         data;
}

std::string dictionary(const std::string& type, const std::string& shape,
                       const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

NpyArray read_bytes(const std::string& bytes) {
  TemporaryFolder folder;
  write_bytes(folder / "a.npy", bytes);
  return read_npy(folder / "a.npy");
}

TEST(Npy, WritesAndReadsBack) {
  TemporaryFolder folder;
  const std::vector<double> values{1.5,   -0.0,  std::nan(""), std::numeric_limits<double>::infinity(),
                                   1e300, 5e-324};
  const std::vector<float> floats{1.5F, -0.0F, 3.0F, 1e-45F, -7.0F, 2.0F};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 3, 2}}) {
    write_npy(folder / "d.npy", shape, values.data());
    const NpyArray doubles = read_npy(folder / "d.npy");
    EXPECT_EQ(doubles.shape, shape);
    EXPECT_EQ(doubles.type, "<f8");
    EXPECT_TRUE(same_bits(doubles.values, values));
    write_npy(folder / "f.npy", shape, floats.data());
    EXPECT_EQ(read_npy(folder / "f.npy").type, "<f4");
    EXPECT_TRUE(
        same_bits(read_npy(folder / "f.npy").values, std::vector<double>(floats.begin(), floats.end())));
    EXPECT_EQ(read_file_bytes(folder / "f.npy").size(), 128U + 24U);
  }
}

TEST(Npy, ScalarsAndEmptyArrays) {
  TemporaryFolder folder;
  const double value = 4.25;
  write_npy(folder / "a.npy", {}, &value);
  EXPECT_EQ(read_npy(folder / "a.npy").values, std::vector<double>{4.25});
  write_npy(folder / "a.npy", {0, 3}, &value);
  EXPECT_EQ(read_npy(folder / "a.npy").shape, (Shape{0, 3}));
  EXPECT_TRUE(read_npy(folder / "a.npy").values.empty());
}

TEST(Npy, RefusesToWriteWhatCannotBeStored) {
  TemporaryFolder folder;
  const float value = 0.0F;
  EXPECT_THROW(write_npy(folder / "a.npy", Shape(33, 1), &value), std::invalid_argument);
  EXPECT_THROW(write_npy(folder / "a.npy", {std::size_t{1} << 40, std::size_t{1} << 40}, &value),
               std::invalid_argument);
}

TEST(Npy, AllTypesInBothOrders) {
  const std::vector<double> expected{1.0, 2.0};
  const auto check = [&](const std::string& type, std::string one, std::string two) {
    EXPECT_EQ(read_bytes(npy(dictionary("<" + type, "(2,)"), one + two)).values, expected) << type;
    one = std::string(one.rbegin(), one.rend());
    two = std::string(two.rbegin(), two.rend());
    EXPECT_EQ(read_bytes(npy(dictionary(">" + type, "(2,)"), one + two)).values, expected) << type;
  };
  check("i1", bytes_of<std::int8_t>({1}), bytes_of<std::int8_t>({2}));
  check("u1", bytes_of<std::uint8_t>({1}), bytes_of<std::uint8_t>({2}));
  check("i2", bytes_of<std::int16_t>({1}), bytes_of<std::int16_t>({2}));
  check("u2", bytes_of<std::uint16_t>({1}), bytes_of<std::uint16_t>({2}));
  check("i4", bytes_of<std::int32_t>({1}), bytes_of<std::int32_t>({2}));
  check("u4", bytes_of<std::uint32_t>({1}), bytes_of<std::uint32_t>({2}));
  check("i8", bytes_of<std::int64_t>({1}), bytes_of<std::int64_t>({2}));
  check("u8", bytes_of<std::uint64_t>({1}), bytes_of<std::uint64_t>({2}));
  check("f2", bytes_of<std::uint16_t>({0x3C00}), bytes_of<std::uint16_t>({0x4000}));
  check("f4", bytes_of<float>({1}), bytes_of<float>({2}));
  check("f8", bytes_of<double>({1}), bytes_of<double>({2}));
  EXPECT_EQ(read_bytes(npy(dictionary("|b1", "(2,)"), std::string("\0\1", 2))).values,
            (std::vector<double>{0, 1}));
  EXPECT_EQ(read_bytes(npy(dictionary("|u1", "(1,)"), "\xFF")).values, std::vector<double>{255});
  EXPECT_EQ(read_bytes(npy(dictionary("|i1", "(1,)"), "\xFF")).values, std::vector<double>{-1});
}

TEST(Npy, FortranOrderBecomesCOrder) {
  const std::string data = bytes_of<float>({0, 10, 1, 11, 2, 12});
  EXPECT_EQ(read_bytes(npy(dictionary("<f4", "(2, 3)", "True"), data)).values,
            (std::vector<double>{0, 1, 2, 10, 11, 12}));
  // Element (a, b, c) of shape 2 × 1 × 3 holds 100 a + 10 b + c.
  const std::string cube = bytes_of<float>({0, 100, 1, 101, 2, 102});
  EXPECT_EQ(read_bytes(npy(dictionary("<f4", "(2, 1, 3)", "True"), cube)).values,
            (std::vector<double>{0, 1, 2, 100, 101, 102}));
  EXPECT_TRUE(read_bytes(npy(dictionary("<f4", "(3, 0)", "True"), "")).values.empty());
}

TEST(Npy, VersionsAndSpellings) {
  const std::string data = bytes_of<float>({1, 2});
  for (const char version : {'\1', '\2', '\3'})
    EXPECT_EQ(read_bytes(npy(dictionary("<f4", "(2,)"), data, version)).values.size(), 2U);
  for (const char* text : {"{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"<f4\"}",
                           " {  'shape' : ( 1 , 2 , ) , 'descr':'<f4' ,'fortran_order':False }   ",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1)}"})
    EXPECT_EQ(read_bytes(npy(text, data)).values, (std::vector<double>{1, 2})) << text;
}

class NpyFaults : public testing::TestWithParam<FileCase> {};

TEST_P(NpyFaults, NameTheFileAndTheFault) {
  const std::string message = file_error([&] { read_bytes(GetParam().bytes); });
  EXPECT_NE(message.find("a.npy: "), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

const std::string two = bytes_of<float>({1, 2});
const std::string good = npy(dictionary("<f4", "(2,)"), two);

INSTANTIATE_TEST_SUITE_P(
    Npy, NpyFaults,
    testing::Values(
        FileCase{"empty", "", "does not begin with"},
        FileCase{"magic", "\x93NUMPX" + good.substr(6), "does not begin with"},
        FileCase{"ends_in_magic", good.substr(0, 6), "ends inside"},
        FileCase{"ends_in_length", good.substr(0, 9), "ends inside"},
        FileCase{"ends_in_header", good.substr(0, 40), "ends inside"},
        FileCase{"version", npy(dictionary("<f4", "(2,)"), two, 4),
                 "expected .npy format 1.0, 2.0 or 3.0, found 4.0"},
        FileCase{"one_byte_short", good.substr(0, good.size() - 1), "need 8 bytes, 7 follow"},
        FileCase{"one_byte_long", good + "x", "need 8 bytes, 9 follow"},
        FileCase{"huge_shape", npy(dictionary("<f4", "(400000000000,)"), two), "need 1600000000000 bytes"},
        FileCase{"overflow", npy(dictionary("<f4", "(4294967296, 4294967296)"), two), "need too many bytes"},
        FileCase{"negative", npy(dictionary("<f4", "(-2,)"), two), "expected an unsigned integer, found '-2"},
        FileCase{"float_shape", npy(dictionary("<f4", "(2.0,)"), two), "expected ',', found '.0"},
        FileCase{"no_tuple", npy(dictionary("<f4", "(2)"), two), "expected ',', found ')"},
        FileCase{"too_large_number", npy(dictionary("<f4", "(99999999999999999999,)"), two),
                 "unsigned integer"},
        FileCase{"type", npy(dictionary("<c8", "(1,)"), two), "found '<c8'"},
        FileCase{"object", npy(dictionary("|O", "(1,)"), two), "found '|O'"},
        FileCase{"byte_order", npy(dictionary("|f4", "(2,)"), two), "found '|f4'"},
        FileCase{"no_type", npy(dictionary("", "(2,)"), two), "found ''"},
        FileCase{"record", npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}", two),
                 "found '[('"},
        FileCase{"order", npy(dictionary("<f4", "(2,)", "1"), two), "expected True or False"},
        FileCase{"missing_key", npy("{'descr': '<f4', 'shape': (2,)}", two), "expected the keys"},
        FileCase{"unknown_key", npy("{'descr': '<f4', 'order': False, 'shape': (2,)}", two), "it is 'order'"},
        FileCase{"second_key", npy("{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", two), "second 'descr'"},
        FileCase{"open_string", npy("{'descr", two), "expected a plain string"},
        FileCase{"no_dictionary", npy("('descr')", two), "expected '{'"},
        FileCase{"text_behind", npy(dictionary("<f4", "(2,)") + "x", two), "expected its end, found 'x"}),
    case_name);

TEST(NpyDamage, IsRefusedOrRead) {
  TemporaryFolder folder;
  const int refused =
      count_refused(folder / "a.npy", good, 2000, [](const std::string& path) { read_npy(path); });
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 2000);
}

}  // namespace
}  // namespace pcl_attention::test
