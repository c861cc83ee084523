// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "files/cloud_header.h"
#include "files/files.h"

namespace pcl_attention::test {
namespace {

const std::string vertices = "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n";
const std::string faces = "element face 1\nproperty list uchar int vertex_indices\n";
const std::string rows = "1 2 3\n4 5 6\n";
const std::string little = "binary_little_endian", big = "binary_big_endian";
const std::string six = bytes_of<float>({1, 2, 3, 4, 5, 6});

std::string ply(const std::string& elements = vertices, const std::string& body = rows,
                const std::string& format = "ascii") {
  return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n" + body;
}

CloudHeader read_ply(const std::string& bytes) {
  TemporaryFolder folder;
  write_bytes(folder / "a.ply", bytes);
  return read_cloud_header(folder / "a.ply");
}

class PlyFaults : public testing::TestWithParam<FileCase> {};

TEST_P(PlyFaults, NameFileLineAndFault) {
  const std::string message = file_error([&] { read_ply(GetParam().bytes); });
  EXPECT_NE(message.find("a.ply:"), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Header, PlyFaults,
    testing::Values(
        FileCase{"empty", "", "a.ply: the file is empty"},
        FileCase{"no_magic", "plx\n", ":1: expected 'ply'"},
        FileCase{"old_line_ends", "ply\rformat ascii 1.0\r", ":1: expected 'ply'"},
        FileCase{"only_magic", "ply\n", ":1: the file ends before end_header"},
        FileCase{"no_end", "ply\nformat ascii 1.0\n" + vertices, ":6: the file ends before end_header"},
        FileCase{"no_format", "ply\n" + vertices + "end_header\n" + rows,
                 ":6: the header has no format line"},
        FileCase{"second_format", ply("format ascii 1.0\n" + vertices), ":3: format stands twice"},
        FileCase{"unknown_format", ply(vertices, rows, "binary"), ":2: format: expected ascii"},
        FileCase{"version", "ply\nformat ascii 2.0\n", ":2: format: expected version 1.0, found '2.0'"},
        FileCase{"short_format", "ply\nformat ascii\n", ":2: expected 'format <encoding> 1.0'"},
        FileCase{"no_elements", ply(""), ":3: the header has no element vertex"},
        FileCase{"no_vertex", ply(faces, "3 0 0 0\n"), ":5: the header has no element vertex"},
        FileCase{"vertex_without_property", ply("element vertex 2\n", "\n\n"),
                 ":4: element vertex has no property"},
        FileCase{"unknown_line", ply("propety float x\n"), ":3: expected a PLY header line such as element"},
        FileCase{"count_word", ply("element vertex two\n"), ":3: element vertex: expected an integer from 0"},
        FileCase{"count_negative", ply("element vertex -1\n"),
                 ":3: element vertex: expected an integer from 0"},
        FileCase{"count_missing", ply("element vertex\n"), ":3: expected 'element <name> <count>'"},
        FileCase{"element_twice", ply(vertices + "element vertex 1\n"), ":7: element vertex stands twice"},
        FileCase{"property_first", ply("property float x\n"), ":3: property before any element"},
        FileCase{"property_twice", ply(vertices + "property int x\n"),
                 ":7: property x stands twice in element vertex"},
        FileCase{"property_words", ply(vertices + "property int\n"), ":7: expected 'property <type> <name>'"},
        FileCase{"unknown_type", ply(vertices + "property bool b\n"), ":7: property: unknown type 'bool'"},
        FileCase{"wide_type", ply(vertices + "property int64 b\n"), ":7: property: unknown type 'int64'"},
        FileCase{"list_words", ply(vertices + "property list uchar b\n"),
                 ":7: expected 'property list <length type>"},
        FileCase{"list_unknown_type", ply(vertices + "property list uchar bool b\n"),
                 ":7: property: unknown type 'bool'"},
        FileCase{"list_float_length", ply(vertices + "property list float int b\n"),
                 ":7: property: expected an integer type"},
        FileCase{"blue_first",
                 ply(vertices + "property uchar blue\nproperty uchar green\nproperty uchar red\n"),
                 ":10: element vertex: uchar colours are read in the order red, green, blue"},
        FileCase{"diffuse_blue_alone", ply(vertices + "property uchar diffuse_blue\n"),
                 "uchar colours are read"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Body, PlyFaults,
    testing::Values(
        FileCase{"value_missing", ply(vertices, "1 2 3\n4 5\n"),
                 ":9: element vertex: the row ends before property z"},
        FileCase{"value_too_many", ply(vertices, "1 2 3 4\n"), ":8: element vertex: the row has more values"},
        FileCase{"row_missing", ply(vertices, "1 2 3\n"),
                 ":8: element vertex: expected 2 rows, the file ends after 1"},
        FileCase{"blank_row", ply(vertices, "1 2 3\n\n4 5 6\n"),
                 ":9: element vertex: the row ends before property x"},
        FileCase{"word", ply(vertices, "1 b 3\n"),
                 ":8: element vertex: property y: expected float32, found 'b'"},
        FileCase{"comma_decimals", ply(vertices, "1,5 2 3\n"),
                 ":8: element vertex: property x: expected float32"},
        FileCase{"decimal_integer", ply(vertices + "property uchar q\n", "1 2 3 1.0\n"),
                 "property q: expected uint8"},
        FileCase{"integer_too_large", ply(vertices + "property uchar q\n", "1 2 3 256\n"),
                 "property q: expected uint8"},
        FileCase{"face_value_missing", ply(vertices + faces, rows + "3 0 1\n"),
                 ":12: element face: the row ends before"},
        FileCase{"face_value_too_many", ply(vertices + faces, rows + "3 0 1 1 1\n"),
                 ":12: element face: the row has more"},
        FileCase{"face_missing", ply(vertices + faces, rows), ":11: element face: expected 1 rows"},
        FileCase{"list_negative", ply(vertices + "element face 1\nproperty list int int v\n", rows + "-1\n"),
                 "element face, row 0: property v: expected a list of 0 or more numbers, found -1"},
        FileCase{"list_huge",
                 ply(vertices + "element face 1\nproperty list uint int v\n", rows + "4294967295 1\n"),
                 "the row ends before property v"},
        FileCase{
            "vertex_lists_differ", ply(vertices + "property list uint float h\n", "1 2 3 1 7\n4 5 6 2 7 8\n"),
            ":10: element vertex, row 1: property h: expected a list of 1 (as in row 0) numbers, found 2"},
        FileCase{"huge_count", ply("element vertex 400000000\nproperty float x\n", "1\n"),
                 "expected 400000000 rows, the file ends after 1"},
        FileCase{"huge_count_binary", ply("element vertex 400000000\nproperty float x\n", six, little),
                 ":5: element vertex: expected 400000000 rows of 4 bytes, found 24 bytes"},
        FileCase{"binary_one_byte_short", ply(vertices, six.substr(0, 23), little),
                 ":7: element vertex: expected 2 rows of 12 bytes, found 23 bytes"},
        FileCase{"big_endian_one_byte_short", ply(vertices, six.substr(0, 23), big), "found 23 bytes"},
        FileCase{"binary_face_short", ply(vertices + faces, six + "\3" + six.substr(0, 11), little),
                 ":9: element face, row 0: the file ends inside property vertex_indices"},
        FileCase{"binary_face_missing", ply(vertices + faces, six, little),
                 "the file ends inside property vertex_indices"},
        FileCase{"binary_list_huge",
                 ply(vertices + "element face 1\nproperty list uint double v\n",
                     six + "\xFF\xFF\xFF\xFF" + six, little),
                 "the file ends inside property v"}),
    case_name);

const std::string camera =
    "element camera 1\nproperty float focal\nproperty int viewportx\nproperty int viewporty\n";
const std::string grid = "element range_grid 4\nproperty list uchar int vertex_indices\n";
const std::string grid_rows = "1 0\n0\n1 1\n0\n";

std::string obj_info(const char* columns, const char* lines) {
  return std::string("obj_info num_cols ") + columns + "\nobj_info num_rows " + lines + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Size, PlyFaults,
    testing::Values(
        FileCase{"info_too_small", ply(obj_info("1", "1") + vertices),
                 ":9: obj_info num_cols and num_rows give 1 × 1"},
        FileCase{"info_too_large", ply(obj_info("40000", "40000") + vertices),
                 "40000 × 40000 points, the elements hold 2"},
        FileCase{"info_half", ply("obj_info num_cols 2\n" + vertices), "give 2 × 0 points"},
        FileCase{"info_negative", ply(obj_info("-1", "-2") + vertices),
                 ":3: obj_info: expected an integer from 0"},
        FileCase{"viewport", ply(vertices + camera, rows + "0 100 200\n"), "camera give 100 × 200 points"},
        FileCase{"viewport_negative", ply(vertices + camera, rows + "0 -1 -2\n"),
                 "camera give -1 × -2 points"},
        FileCase{"grid_without_info", ply(vertices + grid, rows + grid_rows),
                 "a range_grid of 4 entries needs obj_info"},
        FileCase{"grid_of_other_size", ply(obj_info("2", "1") + vertices + grid, rows + grid_rows),
                 "the elements hold 4"}),
    case_name);

std::string swapped(const std::string& floats) {
  std::string bytes = floats;
  for (std::size_t i = 0; i < bytes.size(); i += 4) std::reverse(&bytes[i], &bytes[i] + 4);
  return bytes;
}

class PlySound : public testing::TestWithParam<FileCase> {};

TEST_P(PlySound, IsAccepted) {
  const CloudHeader header = read_ply(GetParam().bytes);
  EXPECT_EQ(header.format, CloudFormat::ply);
  EXPECT_EQ(header.width, 2U);
  EXPECT_EQ(header.height, 1U);
  ASSERT_GE(header.fields.size(), 3U);
  EXPECT_EQ(header.fields[2].name, "z");
  EXPECT_EQ(header.fields[2].offset, 8U);
}

std::string with_returns(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

INSTANTIATE_TEST_SUITE_P(
    TwoPoints, PlySound,
    testing::Values(
        FileCase{"plain", ply()}, FileCase{"line_ends_crlf", with_returns(ply())},
        FileCase{"binary_after_crlf", with_returns(ply(vertices, "", little)) + six},
        FileCase{"no_last_newline", ply(vertices, "1 2 3\n4 5 6")},
        FileCase{"rows_behind", ply(vertices, rows + "7 8 9\n")},
        FileCase{"comments", ply("comment a b\nobj_info made by hand\n\n" + vertices + "comment\n")},
        FileCase{"tabs_and_spaces", ply(vertices, " 1\t2  3 \n4 5 6\t\n")},
        FileCase{"not_finite", ply(vertices, "nan -nan inf\n-inf NaN 1e39\n")},
        FileCase{"little_endian", ply(vertices, six, little)},
        FileCase{"bytes_behind", ply(vertices, six + "x", little)},
        FileCase{"big_endian", ply(vertices, swapped(six), big)},
        FileCase{"faces_behind", ply(vertices + faces, rows + "3 0 1 1\n")},
        FileCase{"faces_before", ply(faces + vertices, "3 0 1 1\n" + rows)},
        FileCase{"binary_faces_behind", ply(vertices + faces, six + "\3" + six.substr(0, 12), little)},
        FileCase{"binary_faces_before", ply(faces + vertices, "\1" + six.substr(0, 4) + six, little)},
        FileCase{"big_endian_lists", ply("element face 1\nproperty list ushort int v\n" + vertices,
                                         std::string("\0\1", 2) + six + "1234", big)},
        FileCase{"signed_list_length",
                 ply(vertices + "element strips 1\nproperty list int int v\n", rows + "2 0 -1\n")},
        FileCase{"list_and_numbers", ply(vertices + faces + "property uchar red\n", rows + "1 0 255\n")},
        FileCase{"vertex_lists",
                 ply(vertices + "property list uchar float h\n", "1 2 3 2 7 8\n4 5 6 2 7 8\n")},
        FileCase{"element_without_property", ply(vertices + "element empty 2\n", rows + "\n\n")},
        FileCase{"element_without_property_binary",
                 ply(vertices + "element empty 2000000000\n", six, little)},
        FileCase{"colours", ply(vertices + "property uchar red\nproperty uchar green\nproperty uchar blue\n",
                                "1 2 3 4 5 6\n4 5 6 7 8 9\n")},
        FileCase{"matching_info", ply(obj_info("2", "1") + vertices)},
        FileCase{"info_behind", ply(vertices + obj_info("2", "1"))},
        FileCase{"camera_first", ply(camera + vertices, "0 2 1\n" + rows)}),
    case_name);

TEST(Ply, OrganisedSizes) {
  const CloudHeader by_grid = read_ply(ply(obj_info("2", "2") + vertices + grid, rows + grid_rows));
  EXPECT_EQ(by_grid.width, 2U);
  EXPECT_EQ(by_grid.height, 2U);
  const CloudHeader by_camera = read_ply(ply(vertices + camera, rows + "0 1 2\n"));
  EXPECT_EQ(by_camera.width, 1U);
  EXPECT_EQ(by_camera.height, 2U);
  const std::string view = bytes_of<float>({0}) + bytes_of<std::int32_t>({1, 2});
  EXPECT_EQ(read_ply(ply(vertices + camera, six + view, little)).height, 2U);
  EXPECT_EQ(read_ply(ply(vertices + camera, six + swapped(view), big)).height, 2U);
}

TEST(Ply, FieldsOfAllTypes) {
  const CloudHeader header = read_ply(ply(
      "element vertex 0\nproperty char a\nproperty uint8 b\nproperty short c\nproperty list uchar int no\n"
      "property uint16 d\nproperty int32 e\nproperty uint f\nproperty float32 g\nproperty double h\n",
      ""));
  EXPECT_EQ(header.width, 0U);
  const FieldType types[] = {FieldType::int8,  FieldType::uint8,  FieldType::int16,   FieldType::uint16,
                             FieldType::int32, FieldType::uint32, FieldType::float32, FieldType::float64};
  const std::size_t offsets[] = {0, 1, 2, 4, 6, 10, 14, 18};
  ASSERT_EQ(header.fields.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(header.fields[i].name, std::string(1, static_cast<char>('a' + i)));
    EXPECT_EQ(header.fields[i].type, types[i]);
    EXPECT_EQ(header.fields[i].offset, offsets[i]);
  }
}

TEST(Ply, CoordinatesAreNoneOfItsBusiness) {
  EXPECT_EQ(read_ply(ply("element vertex 1\nproperty float q\n", "1\n")).fields[0].name, "q");
}

TEST(PlyDamage, IsRefusedOrRead) {
  TemporaryFolder folder;
  const auto read = [](const std::string& path) { read_cloud_header(path); };
  const std::string face = "\3" + six.substr(0, 12);
  for (const std::string& bytes :
       {ply(vertices + faces, rows + "3 0 1 1\n"), ply(vertices + faces, six + face, little),
        ply(faces + vertices, face + six, big)}) {
    const int refused = count_refused(folder / "a.ply", bytes, 1000, read);
    EXPECT_GT(refused, 500);
    EXPECT_LT(refused, 1000);
  }
}

}  // namespace
}  // namespace pcl_attention::test
