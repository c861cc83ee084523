// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/store_keys.cpp"
#include "hwy/foreach_target.h"
// clang-format off: foreach_target.h comes first
#include "simd/micro-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcl_attention::simd::HWY_NAMESPACE {

std::size_t RowsPerPanel() { return kRows; }

/// Which column of a tile becomes slot first + i.
struct Slots {
  const std::uint8_t* columns;  ///< null: column i
  std::size_t first, count;

  std::size_t column(std::size_t i) const { return columns == nullptr ? i : columns[i]; }
};

/// Stores `run` slots of one panel, from slot i on.
HWY_INLINE void store_run(const float* keys, std::size_t width, const Slots& slots, std::size_t i,
                          std::size_t run, float* panel) {
  for (std::size_t c = 0; c < width; ++c, keys += kTilePoints, panel += kRows)
    for (std::size_t j = i; j < i + run; ++j) panel[j - i] = keys[slots.column(j)];
}

void store_head_keys(const float* keys, std::size_t width, const Slots& slots, float* panels) {
  for (std::size_t i = 0; i < slots.count;) {
    const std::size_t slot = slots.first + i, row = slot % kRows;
    const std::size_t run = HWY_MIN(kRows - row, slots.count - i);
    float* panel = panels + (slot - row) * width + row;
    if (run == kRows)
      store_run(keys, width, slots, i, kRows, panel);
    else
      store_run(keys, width, slots, i, run, panel);
    i += run;
  }
}

void store_head_values(const float* values, std::size_t width, const Slots& slots, float* blocks) {
  for (std::size_t i = 0; i < slots.count; ++i) {
    const std::size_t slot = slots.first + i, row = slot % kKeyBlock;
    float* to = blocks + (slot - row) * padded_width(width) + row * kRows;
    const float* from = values + slots.column(i);
    for (std::size_t c = 0; c < width; c += kRows)
      for (std::size_t r = 0; r < HWY_MIN(kRows, width - c); ++r)
        to[c * kKeyBlock + r] = from[(c + r) * kTilePoints];
  }
}

void StoreKeys(const float* keys, const float* values, const std::uint8_t* columns, std::size_t first,
               std::size_t count, const KeyValues& to) {
  const Slots slots{columns, first, count};
  for (std::size_t h = 0; h < to.heads; ++h) {
    if (keys != nullptr)
      store_head_keys(keys + h * to.head_width * kTilePoints, to.head_width, slots,
                      to.keys + h * to.key_size());
    store_head_values(values + h * to.value_width * kTilePoints, to.value_width, slots,
                      to.values + h * to.value_size());
  }
}

}  // namespace pcl_attention::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcl_attention::simd {
HWY_EXPORT(RowsPerPanel);
HWY_EXPORT(StoreKeys);

std::size_t KeyValues::value_size() const {
  const std::size_t rows = HWY_DYNAMIC_DISPATCH(RowsPerPanel)();
  return (value_width + rows - 1) / rows * rows * capacity;
}

void store_keys(const float* keys, const float* values, const std::uint8_t* columns, std::size_t first,
                std::size_t count, const KeyValues& to) {
  HWY_DYNAMIC_DISPATCH(StoreKeys)(keys, values, columns, first, count, to);
}

}  // namespace pcl_attention::simd
#endif
