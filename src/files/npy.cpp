// SPDX-License-Identifier: BSD-3-Clause
#include "files/npy.h"

#include <cstdint>
#include <map>
#include <stdexcept>

#include "files/bytes.h"
#include "files/file_bytes.h"
#include "files/half.h"
#include "files/npy_header.h"
#include "files/shape.h"
#include "files/text_lines.h"
#include "files/whole_file.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

struct Element {
  std::size_t size;
  double (*number)(const char* bytes, bool big_endian);
};

template <class T>
double plain(const char* bytes, bool big_endian) {
  return static_cast<double>(load<T>(bytes, big_endian));
}

double boolean(const char* bytes, bool) { return *bytes != 0 ? 1.0 : 0.0; }

double half(const char* bytes, bool big_endian) {
  return static_cast<double>(from_half(load<std::uint16_t>(bytes, big_endian)));
}

// Returns the element of a type such as "<f4".
Element element_of(const std::string& path, const std::string& type) {
  static const std::map<std::string, Element> elements{{"b1", {1, boolean}},
                                                       {"i1", {1, plain<std::int8_t>}},
                                                       {"i2", {2, plain<std::int16_t>}},
                                                       {"i4", {4, plain<std::int32_t>}},
                                                       {"i8", {8, plain<std::int64_t>}},
                                                       {"u1", {1, plain<std::uint8_t>}},
                                                       {"u2", {2, plain<std::uint16_t>}},
                                                       {"u4", {4, plain<std::uint32_t>}},
                                                       {"u8", {8, plain<std::uint64_t>}},
                                                       {"f2", {2, half}},
                                                       {"f4", {4, plain<float>}},
                                                       {"f8", {8, plain<double>}}};
  const auto found = type.empty() ? elements.end() : elements.find(type.substr(1));
  const bool known = found != elements.end() &&
                     (type[0] == '<' || type[0] == '>' || (type[0] == '|' && found->second.size == 1));
  if (!known)
    throw FileError(path + ": expected .npy type b1, i1-i8, u1-u8, f2, f4 or f8 behind < or >, found " +
                    printable(type));
  return found->second;
}

// Returns the place in Fortran order of each element in C order.
std::vector<std::size_t> fortran_places(const std::vector<std::size_t>& shape, std::size_t count) {
  std::vector<std::size_t> places(count), strides(shape.size(), 1), index(shape.size(), 0);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) strides[axis] = strides[axis - 1] * shape[axis - 1];
  for (std::size_t i = 1; i < count; ++i) {
    places[i] = places[i - 1];
    std::size_t axis = shape.size() - 1;
    for (; ++index[axis] == shape[axis]; --axis) {
      places[i] -= (shape[axis] - 1) * strides[axis];
      index[axis] = 0;
    }
    places[i] += strides[axis];
  }
  return places;
}

template <class T>
void write_values(const std::string& path, const std::vector<std::size_t>& shape, const T* values,
                  const char* type) {
  const auto size = checked_product(shape, sizeof(T));
  if (!size) throw std::invalid_argument("write_npy: the product of the shape overflows");
  const std::string header = make_npy_header(type, shape);
  std::string bytes(*size, '\0');
  for (std::size_t i = 0; i < *size / sizeof(T); ++i)
    store_little_endian(values[i], bytes.data() + i * sizeof(T));
  write_whole_stream(path, [&](std::ostream& stream) { stream << header << bytes; });
}

}  // namespace

NpyArray read_npy(const std::string& path) {
  const std::string bytes = read_file_bytes(path);
  const NpyHeader header = parse_npy_header(path, bytes);
  const Element element = element_of(path, header.type);
  const auto size = checked_product(header.shape, element.size);
  const std::size_t found = bytes.size() - header.data_begin;
  if (!size || *size != found)
    throw FileError(path + ": shape and type need " + (size ? std::to_string(*size) : "too many") +
                    " bytes, " + std::to_string(found) + " follow the header");
  NpyArray array{header.shape, header.type, std::vector<double>(found / element.size)};
  const bool reorder = header.fortran_order && array.shape.size() > 1;
  const std::vector<std::size_t> places =
      reorder ? fortran_places(array.shape, array.values.size()) : std::vector<std::size_t>();
  const char* data = bytes.data() + header.data_begin;
  for (std::size_t i = 0; i < array.values.size(); ++i)
    array.values[i] = element.number(data + (reorder ? places[i] : i) * element.size, header.type[0] == '>');
  return array;
}

void write_npy(const std::string& path, const std::vector<std::size_t>& shape, const float* values) {
  write_values(path, shape, values, "<f4");
}

void write_npy(const std::string& path, const std::vector<std::size_t>& shape, const double* values) {
  write_values(path, shape, values, "<f8");
}

}  // namespace pcl_attention
