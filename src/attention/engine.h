// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pcl_attention/encoder.h"
#include "pcl_attention/error.h"
#include "tokens/column.h"

namespace pcl_attention {

class RowSorter;

/// Places coordinates: p' = (p − centre) · inverse_scale, in the engine's precision.
struct Placement {
  std::array<double, 3> centre{};
  double inverse_scale = 1.0;

  /// Returns coordinate `axis` of p'.
  double place(double coordinate, std::size_t axis) const {
    return (coordinate - centre[axis]) * inverse_scale;
  }
};

/// Rows of raw tokens: values as gathered, not yet placed.
struct TokenRows {
  std::size_t n = 0;
  const float* values = nullptr;       ///< [n × d]
  const float* positions = nullptr;    ///< x, y, z each, null if the model does not use them
  std::size_t position_stride = 3;     ///< numbers from one position to the next
  const std::uint32_t* row = nullptr;  ///< [n] where token i lies in both; null: at i

  std::size_t row_of(std::size_t i) const { return row == nullptr ? i : row[i]; }
  const float* position(std::size_t i) const { return positions + position_stride * row_of(i); }
};

/// One cloud, ready for an engine: surface tokens in rank order.
struct Frame {
  TokenRows surface;
  /// Tokens 0 … num_ranked−1 have a rank. Those behind are masked out and were left out of the order.
  std::size_t num_ranked = 0;
  const std::uint8_t* keep = nullptr;  ///< [surface.n] nonzero = summarise; null: all
  Placement placement;
  std::array<int, 3> position_channels{-1, -1, -1};
  LengthPolicy length_policy = LengthPolicy::strict;

  // What the last layer answers: foreign tokens, or the surface tokens answer_rank[i], or all.
  const TokenRows* queries = nullptr;
  std::size_t num_ranked_queries = 0;        ///< of a decoder, as num_ranked; 0 for an encoder
  const std::uint8_t* query_keep = nullptr;  ///< of a decoder, as keep
  const std::uint32_t* answer_rank = nullptr;
  std::size_t num_answers = 0;  ///< queries->n, length of answer_rank, or surface.n

  // Answer i goes to row output_row[output_index[i]] of the output, without an index to output_row[i].
  const std::uint32_t* output_row = nullptr;
  const std::uint32_t* output_index = nullptr;  ///< [num_answers] or null

  std::uint32_t row_of_answer(std::size_t i) const {
    return output_row[output_index == nullptr ? i : output_index[i]];
  }
  unsigned num_threads = 0;
};

struct EngineResult {
  std::size_t masked_slots = 0;
  std::size_t guarded_rows = 0;
};

/// A cloud in the memory of an engine's device, and how it is read.
struct DeviceCloud {
  const DeviceInput& input;
  const std::vector<TokenColumn>& columns;
  const GatherOptions& gathering;
  Curve curve = Curve::none;
  const std::optional<FixedGrid>& grid;
  LengthPolicy length_policy = LengthPolicy::strict;
  int first_position = -1;  ///< channel of x, if the values hold the positions
};

/// Runs the layers of one model. Packs the weights once, keeps its workspace, one thread at a time.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Returns the engine's name: "reference", "cpu AVX3", "cuda:0 NVIDIA H200".
  virtual const std::string& name() const = 0;
  virtual bool is_double() const = 0;
  /// Returns bytes needed beside the frame, output and weights, on the threads of the present arena.
  /// @param lent  the largest size that lend() is asked for
  virtual std::size_t memory_estimate(std::size_t num_points, std::size_t lent) const = 0;

  /// Returns memory for the caller until encode(), which takes it for its own: at least `size` bytes, aligned
  /// to 64. The next call replaces it.
  virtual std::byte* lend(std::size_t size) = 0;

  /// Returns what sorts on the engine's device, or null: memory is lent and the CPU sorts.
  virtual RowSorter* sorter() { return nullptr; }

  /// Writes answer i to out + frame.row_of_answer(i) · output_width. Other rows are left alone.
  virtual EngineResult encode(const Frame& frame, float* out, const EncodeControls& controls) = 0;
  virtual EngineResult encode(const Frame& frame, double* out, const EncodeControls& controls) = 0;

  /// Writes a row of `out` for every point. @throws DeviceError unless the engine runs on a device.
  virtual EncodeResult encode_on_device(const DeviceCloud&, float*, const EncodeControls&) {
    throw DeviceError("encode_on_device: the engine is " + name() + ", it takes a cuda device");
  }
};

/// Returns the engine in double, plain loops. Never null.
std::unique_ptr<Engine> make_reference_engine(ModelPtr model);

/// Returns the engine in float with SIMD. Never null.
std::unique_ptr<Engine> make_cpu_engine(ModelPtr model);

/// Returns the engine in float on a CUDA device. Never null.
/// @throws DeviceError if the device is not there or does not run this build, ModelError if the model is too
///         wide for its kernels.
std::unique_ptr<Engine> make_cuda_engine(ModelPtr model, std::size_t device_index);

}  // namespace pcl_attention
