// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/linear.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

std::size_t PackedSize(std::size_t rows, std::size_t columns) {
  return (rows + kRows - 1) / kRows * kRows * columns;
}

void PackMatrix(const float* a, std::size_t rows, std::size_t columns, std::size_t row_stride,
                std::size_t column_stride, float scale, float* packed) {
  for (std::size_t first = 0; first < rows; first += kRows)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = first; r < first + kRows; ++r)
        *packed++ = r < rows ? a[r * row_stride + c * column_stride] * scale : 0.0F;
}

template <Finish kFinish>
void LinearAs(const Linear& map, const float* HWY_RESTRICT x, const float* HWY_RESTRICT other,
              float* HWY_RESTRICT y) {
  const Tag d;
  const std::size_t n = lanes();
  for (std::size_t first = 0; first < map.rows; first += kRows) {
    const float* panel = map.packed + first * map.columns;
    const std::size_t rows = HWY_MIN(kRows, map.rows - first);
    for (std::size_t p = 0; p < kTilePoints; p += step()) {
      Block block;
      multiply(panel, map.columns, x + p, kTilePoints, block);
      for_block(rows, [&](std::size_t r, std::size_t v) HWY_ATTR {
        const std::size_t at = (first + r) * kTilePoints + p + v * n;
        Vector value = hn::Add(block[r][v], hn::Set(d, map.bias[first + r]));
        if constexpr (kFinish == Finish::add) value = hn::Add(value, hn::Load(d, other + at));
        if constexpr (kFinish == Finish::gelu) value = gelu(value);
        if constexpr (kFinish == Finish::relu) value = hn::Max(value, hn::Zero(d));
        hn::Store(value, d, y + at);
      });
    }
  }
}

void LinearOfTile(const Linear& map, const float* x, Finish finish, const float* other, float* y) {
  switch (finish) {
    case Finish::none:
      return LinearAs<Finish::none>(map, x, other, y);
    case Finish::add:
      return LinearAs<Finish::add>(map, x, other, y);
    case Finish::gelu:
      return LinearAs<Finish::gelu>(map, x, other, y);
    case Finish::relu:
      return LinearAs<Finish::relu>(map, x, other, y);
  }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(TargetName);
HWY_EXPORT(PackedSize);
HWY_EXPORT(PackMatrix);
HWY_EXPORT(LinearOfTile);

const char* target_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

std::size_t packed_size(std::size_t rows, std::size_t columns) {
  return HWY_DYNAMIC_DISPATCH(PackedSize)(rows, columns);
}

void pack_matrix(const float* a, std::size_t rows, std::size_t columns, std::size_t row_stride,
                 std::size_t column_stride, float scale, float* packed) {
  HWY_DYNAMIC_DISPATCH(PackMatrix)(a, rows, columns, row_stride, column_stride, scale, packed);
}

void linear(const Linear& map, const float* x, Finish finish, const float* other, float* y) {
  HWY_DYNAMIC_DISPATCH(LinearOfTile)(map, x, finish, other, y);
}

}  // namespace pcl_attention::simd
#endif
