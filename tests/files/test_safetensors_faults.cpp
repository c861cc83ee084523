// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "files/files.h"
#include "files/safetensors.h"

namespace pcl_attention::test {
namespace {

std::string with_header(const std::string& header, const std::string& data) {
  return bytes_of<std::uint64_t>({header.size()}) + header + data;
}

// Returns a file with the members of tensor "t" and 8 bytes of data.
std::string with_tensor(const std::string& members) {
  return with_header("{\"t\":{" + members + "}}", "12345678");
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

class SafetensorsFaults : public testing::TestWithParam<FileCase> {};

TEST_P(SafetensorsFaults, NameTheFileAndTheFault) {
  TemporaryFolder folder;
  const std::string path = folder / "m.safetensors";
  write_bytes(path, GetParam().bytes);
  const std::string message = file_error([&] { read_safetensors(path); });
  EXPECT_EQ(message.find(path + ": "), 0U) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

const std::string good = entry("t", "[2]", "[0,8]");
const char* const type = R"("dtype":"F32",)";
const char* const place = R"(,"data_offsets":[0,8])";

INSTANTIATE_TEST_SUITE_P(
    File, SafetensorsFaults,
    testing::Values(
        FileCase{"empty", "", "expected 8 bytes of header length, the file has 0"},
        FileCase{"seven_bytes", "1234567", "the file has 7"},
        FileCase{"header_beyond_file", bytes_of<std::uint64_t>({10}) + "{}",
                 "header length 10, the file has 2 bytes"},
        FileCase{"huge_header", bytes_of<std::uint64_t>({100000001}) + "{}", "at most 100000000"},
        FileCase{"largest_header", bytes_of<std::uint64_t>({~std::uint64_t{0}}) + "{}", "at most 100000000"},
        FileCase{"no_header", with_header("", ""), "not a JSON object"},
        FileCase{"array", with_header("[]", ""), "not a JSON object"},
        FileCase{"space_first", with_header(" {}", ""), "not a JSON object"},
        FileCase{"byte_order_mark", with_header("\xEF\xBB\xBF{}", ""), "not a JSON object"},
        FileCase{"cut_json", with_header("{", ""), "not valid JSON"},
        FileCase{"text_behind_json", with_header("{}x", ""), "not valid JSON"},
        FileCase{"comment", with_header("{/**/}", ""), "not valid JSON"},
        FileCase{"zero_byte", with_header(std::string("{}\0x", 4), ""), "zero byte"},
        FileCase{"invalid_utf8", with_header("{\"\xC3\x28\":1}", ""), "not valid JSON"},
        FileCase{"deep", with_header("{\"t\":" + std::string(90000, '['), ""), "nested deeper"},
        FileCase{"trailing_bytes", with_header("{" + good + "}", "123456789"),
                 "1 bytes follow the last tensor"},
        FileCase{"bytes_without_tensor", with_header("{}", "1"), "1 bytes follow the last tensor"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Key, SafetensorsFaults,
    testing::Values(
        FileCase{"tensor_twice", with_header("{" + good + "," + good + "}", "12345678"),
                 "\"t\" stands twice"},
        FileCase{"escaped_tensor_twice",
                 with_header("{" + good + "," + entry("\\u0074", "[2]", "[0,8]") + "}", "12345678"),
                 "\"t\" stands twice"},
        FileCase{"member_twice", with_tensor(type + std::string(type) + "\"shape\":[2]" + place),
                 "\"dtype\" stands twice"},
        FileCase{"metadata_twice", with_header(R"({"__metadata__":{},"__metadata__":{}})", ""),
                 "\"__metadata__\" stands twice"},
        FileCase{"metadata_key_twice", with_header(R"({"__metadata__":{"a":"1","a":"2"}})", ""),
                 "\"a\" stands twice"},
        FileCase{"metadata_number", with_header(R"({"__metadata__":{"a":1}})", ""),
                 "value of \"a\" is not a string"},
        FileCase{"metadata_list", with_header(R"({"__metadata__":[]})", ""), "__metadata__ is not an object"},
        FileCase{"entry_no_object", with_header(R"({"t":1})", ""),
                 "tensor \"t\": the entry is not an object"},
        FileCase{"unknown_member", with_tensor(type + std::string("\"shape\":[2],\"x\":0") + place),
                 "unknown member \"x\""},
        FileCase{"no_dtype", with_tensor(std::string("\"shape\":[2]") + place), "\"dtype\" is missing"},
        FileCase{"no_shape", with_tensor(R"("dtype":"F32","data_offsets":[0,8])"), "\"shape\" is missing"},
        FileCase{"no_offsets", with_tensor(R"("dtype":"F32","shape":[2])"), "\"data_offsets\" is missing"}),
    case_name);

FileCase tensor_fault(const char* name, const std::string& dtype, const std::string& shape,
                      const std::string& offsets, const char* message) {
  return {name, with_tensor("\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets),
          message};
}

INSTANTIATE_TEST_SUITE_P(
    Value, SafetensorsFaults,
    testing::Values(
        tensor_fault("dtype_lower_case", "\"f32\"", "[2]", "[0,8]", "unknown dtype \"f32\""),
        tensor_fault("dtype_unknown", "\"C64\"", "[1]", "[0,8]", "unknown dtype \"C64\""),
        tensor_fault("dtype_number", "32", "[2]", "[0,8]", "unknown dtype 32"),
        tensor_fault("shape_number", "\"F32\"", "2", "[0,8]", "shape is not a list"),
        tensor_fault("shape_float", "\"F32\"", "[2.0]", "[0,8]",
                     "shape: expected unsigned integers, found 2.0"),
        tensor_fault("shape_exponent", "\"F32\"", "[2e0]", "[0,8]", "shape: expected unsigned integers"),
        tensor_fault("shape_negative", "\"F32\"", "[-2]", "[0,8]", "found -2"),
        tensor_fault("shape_minus_zero", "\"F32\"", "[-0]", "[0,8]", "shape: expected unsigned integers"),
        tensor_fault("shape_bool", "\"F32\"", "[true]", "[0,8]", "found true"),
        tensor_fault("shape_string", "\"F32\"", "[\"2\"]", "[0,8]", "found \"2\""),
        tensor_fault("shape_null", "\"F32\"", "[null]", "[0,8]", "found null"),
        tensor_fault("shape_list", "\"F32\"", "[[2]]", "[0,8]", "nested deeper"),
        tensor_fault("shape_too_large", "\"F32\"", "[18446744073709551616]", "[0,8]",
                     "expected unsigned integers"),
        tensor_fault("shape_overflows", "\"F32\"", "[4294967296,4294967296]", "[0,8]", "overflows"),
        tensor_fault("shape_wraps_to_size", "\"F32\"", "[9223372036854775809,2]", "[0,8]", "overflows"),
        tensor_fault("bytes_overflow", "\"F64\"", "[2305843009213693953]", "[0,8]", "overflows"),
        tensor_fault("shape_too_small", "\"F32\"", "[1]", "[0,8]", "need 4 bytes, data_offsets give 8"),
        tensor_fault("rank_0_too_large", "\"F32\"", "[]", "[0,8]", "need 4 bytes, data_offsets give 8"),
        tensor_fault("offsets_float", "\"F32\"", "[2]", "[0.0,8]",
                     "data_offsets: expected unsigned integers"),
        tensor_fault("offsets_negative", "\"F32\"", "[2]", "[-8,8]",
                     "data_offsets: expected unsigned integers"),
        tensor_fault("offsets_bool", "\"F32\"", "[2]", "[false,8]",
                     "data_offsets: expected unsigned integers"),
        tensor_fault("one_offset", "\"F32\"", "[2]", "[8]", "data_offsets has 1 numbers, not 2"),
        tensor_fault("three_offsets", "\"F32\"", "[2]", "[0,4,8]", "data_offsets has 3 numbers, not 2"),
        tensor_fault("offsets_reversed", "\"F32\"", "[2]", "[8,0]", "do not lie in the 8 bytes"),
        tensor_fault("offsets_beyond_file", "\"F32\"", "[3]", "[0,12]", "do not lie in the 8 bytes"),
        tensor_fault("gap_at_start", "\"F32\"", "[1]", "[4,8]", "4 unused bytes lie before it")),
    case_name);

std::string two_tensors(const std::string& a, const std::string& b) {
  return with_header("{" + entry("a", "[2]", a) + "," + entry("b", "[2]", b) + "}", std::string(20, '0'));
}

INSTANTIATE_TEST_SUITE_P(
    Layout, SafetensorsFaults,
    testing::Values(FileCase{"overlap", two_tensors("[0,8]", "[4,12]"), "\"b\": its bytes overlap"},
                    FileCase{"same_place", two_tensors("[0,8]", "[0,8]"), "overlap"},
                    FileCase{"gap", two_tensors("[12,20]", "[0,8]"), "\"a\": 4 unused bytes lie before it"},
                    FileCase{"trailing", two_tensors("[0,8]", "[8,16]"), "4 bytes follow the last tensor"}),
    case_name);

TEST(SafetensorsFaults, AMissingFileAndAFolder) {
  TemporaryFolder folder;
  EXPECT_NE(file_error([&] { read_safetensors(folder / "none"); }).find("No such file"), std::string::npos);
  EXPECT_NE(file_error([&] { read_safetensors(folder / ""); }).find("not a regular file"), std::string::npos);
}

TEST(Safetensors, AcceptsAnyOrderOfBytesAndPadding) {
  TemporaryFolder folder;
  const std::string header = "{" + entry("b", "[0]", "[4,4]") + "," + entry("a", "[]", "[4,8]") + " , " +
                             entry("c", "[1,1]", "[0,4]") + "," + entry("d", "[7,0]", "[8,8]") + "}   \n";
  write_bytes(folder / "m", with_header(header, bytes_of<float>({1, 2})));
  const SafetensorsFile file = read_safetensors(folder / "m");
  EXPECT_EQ(to_floats(file.tensors.at("a"), "a"), std::vector<float>{2});
  EXPECT_EQ(to_floats(file.tensors.at("c"), "c"), std::vector<float>{1});
  EXPECT_TRUE(file.tensors.at("b").bytes.empty());
}

TEST(SafetensorsDamage, IsRefusedOrRead) {
  TemporaryFolder folder;
  const std::string path = folder / "m.safetensors";
  const std::string bytes =
      with_header(R"({"__metadata__":{"format":"pt"},)" + entry("a", "[2,1]", "[0,8]") + "," +
                      entry("b", "[]", "[8,12]") + "," + entry("c", "[0]", "[12,12]") + "}  ",
                  std::string(12, 'x'));
  const int refused =
      count_refused(path, bytes, 3000, [](const std::string& name) { read_safetensors(name); });
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 3000);
}

}  // namespace
}  // namespace pcl_attention::test
