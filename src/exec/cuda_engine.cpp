// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "attention/engine.h"
#include "attention/frame.h"
#include "attention/layer_loop.h"
#include "attention/placement.h"
#include "cuda/engine.h"
#include "exec/buffer.h"
#include "exec/cuda_description.h"
#include "exec/cuda_devices.h"
#include "exec/cuda_points.h"
#include "exec/cuda_steps.h"
#include "exec/parallel.h"
#include "ordering/order.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

class CudaEngine : public Engine, private RowSorter {
 public:
  CudaEngine(ModelPtr model, std::size_t device_index)
      : model_(std::move(model)),
        engine_(cuda::make_engine(describe_network(*model_), static_cast<int>(device_index))),
        name_("cuda:" + std::to_string(device_index) + " " + cuda_device_name(device_index)) {}

  const std::string& name() const override { return name_; }
  bool is_double() const override { return false; }

  /// Device and pinned memory of a cloud that answers every point.
  std::size_t memory_estimate(std::size_t n, std::size_t lent) const override {
    const std::size_t channels = model_->config().input.num_channels();
    cuda::FrameDescription frame;
    frame.surface.n = frame.surface.num_ranked = frame.num_answers = n;
    frame.surface.has_rows = frame.surface.has_positions = true;
    frame.surface.first_position = first_position_channel(model_->config().input);
    frame.surface.num_anchors = model_->config().slots;
    if (model_->config().decoder) {
      frame.queries = frame.surface;
      frame.has_queries = true;
    }
    return engine_->frame_bytes(frame) + lent +
           n * (sizeof(float) * (channels + model_->config().output_width()) + sizeof(std::uint32_t));
  }

  std::byte* lend(std::size_t size) override { return lent_.reserve(size); }
  RowSorter* sorter() override { return this; }

  EngineResult encode(const Frame& frame, float* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }
  EngineResult encode(const Frame& frame, double* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }
  EncodeResult encode_on_device(const DeviceCloud& cloud, float* out,
                                const EncodeControls& controls) override {
    return encode_points(*engine_, model_->config(), cloud, out, controls);
  }

 private:
  TieSummary sort(const OrderInput& input, const CellGrid& cells, Curve curve, std::uint64_t differing,
                  std::uint32_t* row_of_rank) override {
    stage(input, engine_->begin_order(describe_order(count(input), cells, curve, differing)));
    const cuda::OrderResult result = engine_->order();
    std::copy_n(result.row_of_rank, input.num_rows, row_of_rank);
    return {result.ties, result.longest_run};
  }

  template <class T>
  EngineResult run(const Frame& frame, T* out, const EncodeControls& controls) {
    const ModelConfig& config = model_->config();
    stage(config, frame, engine_->begin(describe_frame(config, frame)));
    engine_->embed();
    CudaSteps steps(*engine_, controls);
    run_network(config, frame.queries != nullptr, steps, controls);
    const cuda::FrameResult result = engine_->finish();
    write(frame, result.rows, out);
    return {result.masked_slots, result.guarded_rows};
  }

  template <class T>
  void write(const Frame& frame, const float* rows, T* out) const {
    const std::size_t width = model_->config().output_width();
    for_each_block(frame.num_answers, kChunkPoints, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        std::copy_n(rows + i * width, width, out + frame.row_of_answer(i) * width);
    });
  }

  ModelPtr model_;
  std::unique_ptr<cuda::Engine> engine_;
  Buffer<std::byte> lent_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_engine(ModelPtr model, std::size_t device_index) {
  const std::string fault = cuda_fault(device_index);
  if (!fault.empty()) throw DeviceError("device cuda: " + fault);
  return std::make_unique<CudaEngine>(std::move(model), device_index);
}

}  // namespace pcl_attention
