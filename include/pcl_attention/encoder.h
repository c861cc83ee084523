// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pcl_attention/cloud.h"
#include "pcl_attention/device_input.h"
#include "pcl_attention/export.h"
#include "pcl_attention/model.h"
#include "pcl_attention/ordering.h"

namespace pcl_attention {

/// Where the numbers are computed.
enum class Device {
  automatic,  ///< cuda if the device works and can hold the model, else cpu
  cpu,        ///< float32, SIMD, threads
  reference,  ///< float64, plain loops: the meaning of every other engine
  cuda,       ///< float32 on a CUDA device
};

struct EncoderOptions {
  Device device = Device::automatic;
  std::size_t device_index = 0;                    ///< which CUDA device, of cuda_devices()
  unsigned num_threads = 0;                        ///< 0 = all that the process may use
  std::optional<Curve> order;                      ///< default: the model's
  std::optional<FixedGrid> grid;                   ///< fixed cells for the order; default: the cloud's box
  std::optional<LengthPolicy> length;              ///< default: the model's
  std::map<std::string, std::string> field_names;  ///< model field → cloud field
  bool zero_is_invalid = false;                    ///< points at (0, 0, 0) are "no return"
  /// Where the sensor stood, in the coordinates of the clouds; see needs_sensor_origin().
  std::array<double, 3> sensor_origin{};
};

/// What is encoded: every point of `surface` is summarised, queries are answered.
struct EncodeInput {
  CloudView surface;
  /// [surface.num_points()] nonzero = keep. Points masked out are answered but never summarised.
  const std::uint8_t* key_mask = nullptr;
  /// Answer these points of the surface, by position, in this order. Null: all of them.
  const std::int32_t* query_points = nullptr;
  std::size_t num_query_points = 0;
  /// Answer the points of another cloud instead. They share the surface's origin and scale. A decoder needs
  /// them: they are its input, in a canonical order of their own, and the surface is what it attends to.
  const CloudView* queries = nullptr;
  /// [queries->num_points()] of a decoder: as key_mask, for its attention to the queries.
  const std::uint8_t* query_mask = nullptr;
  /// Where the sensor stood in this cloud; default: EncoderOptions::sensor_origin.
  std::optional<std::array<double, 3>> sensor_origin;
};

/// How the caller watches and stops a call. Both may be left empty.
struct EncodeControls {
  const std::atomic<bool>* cancel = nullptr;  ///< set to true to stop with Cancelled
  std::function<void(double done)> progress;  ///< done in [0, 1]; called from one thread at a time
};

/// Wall-clock seconds of each stage.
struct StageSeconds {
  double gather = 0.0, order = 0.0, neighbourhood = 0.0, encode = 0.0, scatter = 0.0;
};

struct EncodeResult {
  std::size_t num_rows = 0;      ///< output rows
  std::size_t width = 0;         ///< numbers per row
  std::size_t num_valid = 0;     ///< valid points of the surface
  std::size_t num_nan_rows = 0;  ///< output rows that are NaN because their point is invalid
  std::size_t masked_slots = 0;  ///< anchors of `position` that no point reaches, over all layers
  /// Answers of `kernel` that are 0 because their denominator vanishes, over all points, heads and layers.
  std::size_t guarded_rows = 0;
  OrderDiagnostics order;
  double coordinate_step = 0.0;  ///< see Tokens::coordinate_step
  StageSeconds seconds;
};

/// Runs a model on clouds. Keeps its workspace between calls; one thread at a time per object.
class PCL_ATTENTION_EXPORT Encoder {
 public:
  /// @throws std::invalid_argument if the model is null, or if order none meets a model that needs an order.
  ///         Of Device::cuda: DeviceError if the device is not there or does not run this build, ModelError
  ///         if the model is too wide for it.
  explicit Encoder(ModelPtr model, EncoderOptions options = {});
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  const Model& model() const;
  const EncoderOptions& options() const;

  /// Returns the engine that runs: "reference", "cpu AVX2", "cuda:0 NVIDIA H200".
  const std::string& engine() const;

  /// Returns true if the engine computes in double: rows equal up to rounding agree to 1e-12.
  bool is_double() const;

  /// Returns the order in force: options().order or the model's.
  Curve order() const;

  /// Returns about how many bytes encode() needs for n points beside input, output and weights.
  std::size_t memory_estimate(std::size_t num_points) const;

  /// Returns about how many floating-point operations encode() takes for n points.
  double flop_estimate(std::size_t num_points) const;

  /// Writes one row per answered point and returns what was done.
  ///
  /// f(surface, query) as in the model: embedding + position encoding, then depth ×
  /// (attention, feed-forward), then the output head. Rows of invalid points are NaN. A query that is
  /// a point of the surface gets that point's row bit for bit.
  /// @param rows  [number of answered points × model().config().output_width()], row-major; nothing is
  ///              written unless the call succeeds in all checks
  /// @throws CloudError if the cloud does not fit the model or the grid, ModelError if a stored
  ///         projection does not fit n, std::invalid_argument for indices out of range, for a rank position
  ///         encoding or a causal mask with foreign queries, for a decoder without queries, for a query
  ///         mask without a decoder and for a sensor origin that is not finite, DeviceError if a device fails
  ///         or has too little memory (the encoder then takes a smaller cloud), Cancelled.
  /// Same bits for any number of threads and whatever rounding and denormal modes the caller has set, which
  /// stay his. Memory O(n·C + k·C), never n × k; with Device::cpu and cuda none is allocated after the first
  /// call of a size, but for the search tree of a model with neighbourhood fields.
  EncodeResult encode(const EncodeInput& input, float* rows, const EncodeControls& controls = {});
  EncodeResult encode(const EncodeInput& input, double* rows, const EncodeControls& controls = {});

  /// encode() for a cloud that lies on the CUDA device, all points of it answered: nothing but a few numbers
  /// leaves the device. Returns when the rows are written.
  ///
  /// Tokens and order are those of encode() bit for bit; centroid and scale are summed up in another
  /// sequence, so that rows agree to rounding.
  /// @param rows  [num_points × model().config().output_width()] in the device's memory
  /// @throws as encode() does; DeviceError also where the engine is not cuda or memory is not the device's,
  ///         CloudError for a selection or foreign byte order, std::invalid_argument for a decoder and for
  ///         neighbourhood fields, which are searched on the CPU
  /// All work is put on the input's stream, with up to three waits: for the box, the order, the rows. The
  /// same bits each time and, behind an order, for every permutation. Memory as encode(), and about 40 bytes
  /// per point.
  EncodeResult encode_on_device(const DeviceInput& input, float* rows, const EncodeControls& controls = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pcl_attention
