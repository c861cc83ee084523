// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <locale>
#include <map>

#include "files/cloud_header.h"
#include "files/files.h"

namespace pcl_attention::test {
namespace {

using Lines = std::map<std::string, std::string>;

/// Returns a PCD file of two points; `changes` replaces the values of header lines, "-" removes a line.
std::string pcd(const Lines& changes = {}, const std::string& body = "1 2 3\n4 5 6\n") {
  const std::pair<const char*, const char*> lines[] = {
      {"#", ".PCD v0.7"}, {"VERSION", "0.7"}, {"FIELDS", "x y z"},
      {"SIZE", "4 4 4"},  {"TYPE", "F F F"},  {"COUNT", "1 1 1"},
      {"WIDTH", "2"},     {"HEIGHT", "1"},    {"VIEWPOINT", "0 0 0 1 0 0 0"},
      {"POINTS", "2"},    {"DATA", "ascii"}};
  std::string text;
  for (const auto& [name, value] : lines) {
    const auto change = changes.find(name);
    const std::string words = change != changes.end() ? change->second : value;
    if (words != "-") text += std::string(name) + " " + words + "\n";
  }
  return text + body;
}

std::string with_line_ends(const std::string& text, const std::string& end) {
  std::string result;
  for (const char c : text) result += c == '\n' ? end : std::string(1, c);
  return result;
}

CloudHeader read_pcd(const std::string& bytes) {
  TemporaryFolder folder;
  write_bytes(folder / "a.pcd", bytes);
  return read_cloud_header(folder / "a.pcd");
}

const std::string six = bytes_of<float>({1, 2, 3, 4, 5, 6});

std::string compressed(std::uint32_t compressed_size, std::uint32_t size, const std::string& bytes) {
  return pcd({{"DATA", "binary_compressed"}}, bytes_of({compressed_size, size}) + bytes);
}

class PcdFaults : public testing::TestWithParam<FileCase> {};

TEST_P(PcdFaults, NameFileLineAndFault) {
  const std::string message = file_error([&] { read_pcd(GetParam().bytes); });
  EXPECT_NE(message.find("a.pcd:"), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Header, PcdFaults,
    testing::Values(
        FileCase{"empty", "", "a.pcd: the file is empty"},
        FileCase{"no_header", "1 2 3\n4 5 6\n",
                 ":1: expected a PCD header line such as FIELDS or DATA, found '1'"},
        FileCase{"noise", std::string("\0\xFF\x01", 3),
                 ":1: expected a PCD header line such as FIELDS or DATA, found '?"},
        FileCase{"unknown_line", pcd({{"VERSION", "0.7\nCOLOR 1"}}), ":3: expected a PCD header line"},
        FileCase{"no_data", pcd({{"DATA", "-"}}, ""), ":10: the file ends before a DATA line"},
        FileCase{"data_without_word", pcd({{"DATA", ""}}), ":11: DATA: expected one value, found 0"},
        FileCase{"unknown_encoding", pcd({{"DATA", "binary_lzma"}}), ":11: DATA: expected ascii"},
        FileCase{"upper_case_encoding", pcd({{"DATA", "BINARY"}}), ":11: DATA: expected ascii"},
        FileCase{"no_fields", pcd({{"FIELDS", "-"}}), ":10: FIELDS: the line is missing"},
        FileCase{"empty_fields", pcd({{"FIELDS", ""}}), ":3: FIELDS: no field is named"},
        FileCase{"no_points", pcd({{"POINTS", "-"}}), ":10: POINTS: the line is missing"},
        FileCase{"no_width", pcd({{"WIDTH", "-"}}), ":10: WIDTH: the line is missing"},
        FileCase{"no_size", pcd({{"SIZE", "-"}}), ":10: SIZE: the line is missing"},
        FileCase{"no_type", pcd({{"TYPE", "-"}}), ":10: TYPE: the line is missing"},
        FileCase{"twice", pcd({{"WIDTH", "2\nWIDTH 2"}}), ":8: WIDTH stands twice"},
        FileCase{"points_before_size", pcd({{"VERSION", "0.7\nPOINTS 2"}, {"POINTS", "-"}}),
                 ":4: FIELDS comes too late"},
        FileCase{"blank_line_with_space", pcd({{"VERSION", "0.7\n "}}), ":3: a blank line in the header"},
        FileCase{"blank_line_with_return", with_line_ends(pcd({{"VERSION", "0.7\n"}}), "\r\n"),
                 ":3: a blank line"},
        FileCase{"points_too_many", pcd({{"POINTS", "3"}}),
                 ":10: POINTS: 3 points, but WIDTH is 2 and HEIGHT 1"},
        FileCase{"width_height_0", pcd({{"WIDTH", "0"}, {"HEIGHT", "0"}}),
                 "2 points, but WIDTH is 0 and HEIGHT 0"},
        FileCase{"height_0", pcd({{"HEIGHT", "0"}}), "2 points, but WIDTH is 2 and HEIGHT 0"},
        FileCase{"width_without_points", pcd({{"HEIGHT", "0"}, {"POINTS", "0"}}), "0 points, but WIDTH is 2"},
        FileCase{"product_wraps", pcd({{"WIDTH", "65536"}, {"HEIGHT", "65536"}, {"POINTS", "0"}}),
                 "0 points, but WIDTH"},
        FileCase{"negative_width", pcd({{"WIDTH", "-2"}}),
                 ":7: WIDTH: expected an integer from 0 to 2147483647, found '-2'"},
        FileCase{"width_too_large", pcd({{"WIDTH", "2147483648"}}), ":7: WIDTH: expected an integer from 0"},
        FileCase{"width_word", pcd({{"WIDTH", "two"}}), ":7: WIDTH: expected an integer from 0"},
        FileCase{"width_float", pcd({{"WIDTH", "2.0"}}), ":7: WIDTH: expected an integer from 0"},
        FileCase{"two_widths", pcd({{"WIDTH", "2 2"}}), ":7: WIDTH: expected one value, found 2"},
        FileCase{"short_viewpoint", pcd({{"VIEWPOINT", "0 0 0"}}), ":9: VIEWPOINT: expected 7 numbers"},
        FileCase{"viewpoint_word", pcd({{"VIEWPOINT", "0 0 0 1 0 0 a"}}),
                 ":9: VIEWPOINT: expected numbers, found 'a'"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Lists, PcdFaults,
    testing::Values(
        FileCase{"short_size", pcd({{"SIZE", "4 4"}}), ":4: SIZE: expected 3 values as in FIELDS, found 2"},
        FileCase{"long_size", pcd({{"SIZE", "4 4 4 4"}}),
                 ":4: SIZE: expected 3 values as in FIELDS, found 4"},
        FileCase{"short_type", pcd({{"TYPE", "F F"}}), ":5: TYPE: expected 3 values as in FIELDS, found 2"},
        FileCase{"short_count", pcd({{"COUNT", "1 1"}}),
                 ":6: COUNT: expected 3 values as in FIELDS, found 2"},
        FileCase{"count_0", pcd({{"COUNT", "1 0 1"}}),
                 ":6: COUNT: field y: expected a positive integer, found '0'"},
        FileCase{"count_negative", pcd({{"COUNT", "1 1 -1"}}),
                 ":6: COUNT: field z: expected a positive integer, found '-1'"},
        FileCase{"count_word", pcd({{"COUNT", "abc 1 1"}}),
                 ":6: COUNT: field x: expected a positive integer, found 'abc'"},
        FileCase{"count_too_large", pcd({{"COUNT", "1 1 2147483647"}}),
                 ":6: COUNT: a point takes more than 2147483647"},
        FileCase{"size_3", pcd({{"SIZE", "4 4 3"}}), ":5: TYPE: field z: no type 'F' of size '3'"},
        FileCase{"float_2", pcd({{"SIZE", "2 4 4"}}), ":5: TYPE: field x: no type 'F' of size '2'"},
        FileCase{"boolean_4", pcd({{"TYPE", "F F B"}}), ":5: TYPE: field z: no type 'B' of size '4'"},
        FileCase{"type_word", pcd({{"TYPE", "F F float"}}), ":5: TYPE: field z: no type 'float' of size '4'"},
        FileCase{"size_negative", pcd({{"SIZE", "4 4 -4"}}), ":5: TYPE: field z: no type 'F' of size '-4'"}),
    case_name);

const Lines mixed{{"FIELDS", "x i u"}, {"SIZE", "4 1 2"}, {"TYPE", "F I U"}};

INSTANTIATE_TEST_SUITE_P(
    Body, PcdFaults,
    testing::Values(
        FileCase{"huge_width_ascii", pcd({{"WIDTH", "400000000"}, {"POINTS", "400000000"}}),
                 ":13: expected 400000000 points, the file ends after 2"},
        FileCase{"huge_width_binary",
                 pcd({{"WIDTH", "400000000"}, {"POINTS", "400000000"}, {"DATA", "binary"}}, six),
                 ":11: expected 4800000000 bytes behind this line, found 24"},
        FileCase{"huge_count_ascii", pcd({{"COUNT", "1 1 500000000"}}), ":12: the row ends before field z"},
        FileCase{"value_missing", pcd({}, "1 2 3\n4 5\n"), ":13: the row ends before field z"},
        FileCase{"value_too_many", pcd({}, "1 2 3 4\n4 5 6\n"),
                 ":12: the row has more values than the header"},
        FileCase{"row_missing", pcd({}, "1 2 3\n"), ":12: expected 2 points, the file ends after 1"},
        FileCase{"no_rows", pcd({}, ""), ":11: expected 2 points, the file ends after 0"},
        FileCase{"blank_row_with_space", pcd({}, "1 2 3\n \n4 5 6\n"),
                 ":13: a blank line between the points"},
        FileCase{"blank_row_with_return", with_line_ends(pcd({}, "1 2 3\n\n4 5 6\n"), "\r\n"),
                 ":13: a blank line"},
        FileCase{"word", pcd({}, "1 2 3\n4 five 6\n"), ":13: field y: expected float32, found 'five'"},
        FileCase{"comma_decimals", pcd({}, "1,5 2,5 3,5\n"), ":12: field x: expected float32, found '1,5'"},
        FileCase{"comma_separated", pcd({}, "1,2,3\n"), ":12: field x: expected float32, found '1,2,3'"},
        FileCase{"hexadecimal", pcd({}, "0x10 2 3\n"), "expected float32, found '0x10'"},
        FileCase{"two_signs", pcd({}, "+-1 2 3\n"), "expected float32, found '+-1'"},
        FileCase{"vertical_tab", pcd({}, "1\v2 3 4\n"), "expected float32, found '1?2'"},
        FileCase{"comment_row", pcd({}, "# 1 2\n1 2 3\n4 5 6\n"),
                 ":12: field x: expected float32, found '#'"},
        FileCase{"decimal_integer", pcd(mixed, "1 2.0 3\n"), "field i: expected int8, found '2.0'"},
        FileCase{"nan_integer", pcd(mixed, "1 nan 3\n"), "field i: expected int8, found 'nan'"},
        FileCase{"integer_too_large", pcd(mixed, "1 128 3\n"), "field i: expected int8, found '128'"},
        FileCase{"negative_unsigned", pcd(mixed, "1 2 -3\n"), "field u: expected uint16, found '-3'"},
        FileCase{"binary_one_byte_short", pcd({{"DATA", "binary"}}, six.substr(0, 23)),
                 ":11: expected 24 bytes behind this line, found 23"},
        FileCase{"compressed_without_sizes", pcd({{"DATA", "binary_compressed"}}, "1234567"),
                 ":11: expected 8 bytes of sizes behind this line, found 7"},
        FileCase{"compressed_one_byte_short", compressed(10, 24, "123456789"),
                 ":11: expected 10 compressed bytes, found 9"},
        FileCase{"compressed_other_size", compressed(9, 23, "123456789"),
                 ":11: the points take 24 bytes, the body says 23"},
        FileCase{
            "compressed_padding",
            pcd({{"FIELDS", "x y _"}, {"DATA", "binary_compressed"}}, bytes_of<std::uint32_t>({1, 24}) + "1"),
            ":11: binary_compressed with fields named _"}),
    case_name);

class PcdSound : public testing::TestWithParam<FileCase> {};

TEST_P(PcdSound, IsAccepted) {
  const CloudHeader header = read_pcd(GetParam().bytes);
  EXPECT_EQ(header.format, CloudFormat::pcd);
  EXPECT_EQ(header.width, 2U);
  EXPECT_EQ(header.height, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    TwoPoints, PcdSound,
    testing::Values(
        FileCase{"plain", pcd()}, FileCase{"line_ends_crlf", with_line_ends(pcd(), "\r\n")},
        FileCase{"no_last_newline", pcd({}, "1 2 3\n4 5 6")},
        FileCase{"blank_rows", pcd({}, "\n1 2 3\n\n\n4 5 6\n\n")},
        FileCase{"more_rows", pcd({}, "1 2 3\n4 5 6\n7 8 9\n")},
        FileCase{"text_behind", pcd({}, "1 2 3\n4 5 6\nend of file\n")},
        FileCase{"tabs", pcd({{"FIELDS", "x\ty\tz"}}, "1\t2\t3\n\t4 \t5  6 \n")},
        FileCase{"comments_and_blank_lines", pcd({{"VERSION", "0.7\n# a comment\n\n  #another"}})},
        FileCase{"version_5", pcd({{"VERSION", ".5"}, {"VIEWPOINT", "-"}})},
        FileCase{"columns", "COLUMNS x y z\nPOINTS 2\nDATA ascii\n1 2 3\n4 5 6\n"},
        FileCase{"no_count", pcd({{"COUNT", "-"}})},
        FileCase{"no_width_height", pcd({{"WIDTH", "-"}, {"HEIGHT", "-"}})},
        FileCase{"no_height", pcd({{"HEIGHT", "-"}})}, FileCase{"lower_case_types", pcd({{"TYPE", "f F f"}})},
        FileCase{"capital_fields", pcd({{"FIELDS", "X Y Z"}})},
        FileCase{"not_finite", pcd({}, "nan inf -nan\nNaN -inf Infinity\n")},
        FileCase{"number_forms", pcd({}, "+1 -.5e-3 1.\n1e39 1e-60 -0\n")},
        FileCase{"integers", pcd(mixed, "1 -128 65535\n-1 +127 0\n")},
        FileCase{"wide_integers", pcd({{"SIZE", "8 8 1"}, {"TYPE", "I U B"}},
                                      "-9223372036854775808 18446744073709551615 1\n0 0 0\n")},
        FileCase{"any_padding", pcd({{"FIELDS", "_ x _"}, {"COUNT", "1 1 2"}}, "? 2 - -\n? 5 - -\n")},
        FileCase{"binary", pcd({{"DATA", "binary"}}, six)},
        FileCase{"binary_more", pcd({{"DATA", "binary"}}, six + "\n12345")},
        FileCase{"binary_spells_data", pcd({{"DATA", "binary"}}, "DATA ascii\n" + six.substr(11))},
        FileCase{"binary_double_short", pcd({{"SIZE", "8 2 2"}, {"TYPE", "F I I"}, {"DATA", "binary"}}, six)},
        FileCase{"compressed", compressed(9, 24, "123456789")},
        FileCase{"compressed_more", compressed(9, 24, "123456789" + std::string(4096, '\0'))}),
    case_name);

TEST(Pcd, FieldsArePackedInFileOrder) {
  const CloudHeader header =
      read_pcd(pcd({{"FIELDS", "a _ b"}, {"SIZE", "2 1 8"}, {"TYPE", "U U F"}, {"COUNT", "1 3 2"}},
                   "1 0 0 0 2 3\n1 0 0 0 2 3\n"));
  ASSERT_EQ(header.fields.size(), 3U);
  EXPECT_EQ(header.fields[2].name, "b");
  EXPECT_EQ(header.fields[2].type, FieldType::float64);
  EXPECT_EQ(header.fields[2].offset, 5U);
  EXPECT_EQ(header.fields[2].count, 2U);
  EXPECT_EQ(header.fields[1].offset, 2U);
  EXPECT_EQ(header.fields[1].count, 3U);
}

TEST(Pcd, NoPoints) {
  for (const char* height : {"0", "1"}) {
    for (const char* encoding : {"ascii", "binary", "binary_compressed"}) {
      const CloudHeader header =
          read_pcd(pcd({{"WIDTH", "0"}, {"HEIGHT", height}, {"POINTS", "0"}, {"DATA", encoding}}, ""));
      EXPECT_EQ(header.width * header.height, 0U);
      EXPECT_EQ(header.fields.size(), 3U);
    }
  }
}

TEST(Pcd, BodyBeginsBehindData) {
  const std::string head = pcd({{"DATA", "binary"}}, "");
  EXPECT_EQ(read_pcd(head + "DATA ascii\n" + six).body, head.size());
  EXPECT_EQ(read_pcd(pcd()).body, pcd({}, "").size());
}

TEST(Pcd, OrganisedSize) {
  const CloudHeader header = read_pcd(pcd({{"WIDTH", "1"}, {"HEIGHT", "2"}}));
  EXPECT_EQ(header.width, 1U);
  EXPECT_EQ(header.height, 2U);
}

struct CommaDecimals : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Pcd, TheLocaleIsNotUsed) {
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new CommaDecimals));
  const std::string sound = file_error([] { read_pcd(pcd({}, "1.5 2.5 1234.5\n4 5 6\n")); });
  const std::string commas = file_error([] { read_pcd(pcd({}, "1,5 2,5 3,5\n4 5 6\n")); });
  const std::string number = file_error([] { read_pcd(pcd({{"POINTS", "30000"}})); });
  std::locale::global(old);
  EXPECT_EQ(sound, "");
  EXPECT_NE(commas.find("found '1,5'"), std::string::npos) << commas;
  EXPECT_NE(number.find("30000 points"), std::string::npos) << number;
}

TEST(PcdDamage, IsRefusedOrRead) {
  TemporaryFolder folder;
  const auto read = [](const std::string& path) { read_cloud_header(path); };
  for (const std::string& bytes : {pcd(), pcd({{"DATA", "binary"}}, six), compressed(9, 24, "123456789")}) {
    const int refused = count_refused(folder / "a.pcd", bytes, 1000, read);
    EXPECT_GT(refused, 500);
    EXPECT_LT(refused, 1000);
  }
}

}  // namespace
}  // namespace pcl_attention::test
