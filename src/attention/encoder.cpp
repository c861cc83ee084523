// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/encoder.h"

#include <stdexcept>
#include <utility>

#include "attention/cost.h"
#include "attention/frame_builder.h"
#include "attention/stopwatch.h"
#include "exec/cuda_devices.h"
#include "exec/parallel.h"
#include "pcl_attention/error.h"

namespace pcl_attention {
namespace {

std::unique_ptr<Engine> make_fastest_engine(const ModelPtr& model, const EncoderOptions& options) {
  if (!cuda_fault(options.device_index).empty()) return make_cpu_engine(model);
  try {
    return make_cuda_engine(model, options.device_index);
  } catch (const ModelError&) {  // too wide for it
    return make_cpu_engine(model);
  }
}

std::unique_ptr<Engine> make_engine(const ModelPtr& model, const EncoderOptions& options) {
  if (model == nullptr) throw std::invalid_argument("Encoder: the model is null");
  switch (options.device) {
    case Device::automatic:
      return make_fastest_engine(model, options);
    case Device::cpu:
      return make_cpu_engine(model);
    case Device::reference:
      return make_reference_engine(model);
    case Device::cuda:
      return make_cuda_engine(model, options.device_index);
  }
  throw std::invalid_argument("Encoder: unknown device");
}

}  // namespace

struct Encoder::State {
  State(ModelPtr the_model, EncoderOptions the_options)
      : engine(make_engine(the_model, the_options)),
        model(std::move(the_model)),
        options(std::move(the_options)),
        builder(model->config(), options, *engine),
        threads(options.num_threads) {}

  template <class T>
  EncodeResult encode(const EncodeInput& input, T* rows, const EncodeControls& controls) {
    EncodeResult result;
    const Frame frame = builder.build(input, result.seconds);
    Stopwatch watch;
    result.num_rows = builder.num_rows();
    result.width = model->config().output_width();
    result.num_nan_rows = fill_nan_rows(builder.answered(), result.num_rows, result.width, rows);
    result.seconds.scatter = watch.lap();
    EngineResult ran;
    if (frame.num_answers != 0) ran = engine->encode(frame, rows, controls);
    result.masked_slots = ran.masked_slots;
    result.guarded_rows = ran.guarded_rows;
    result.seconds.encode = watch.lap();
    const Surface& surface = builder.surface();
    result.num_valid = surface.tokens.size();
    result.order = surface.order.diagnostics;
    result.coordinate_step = surface.tokens.coordinate_step;
    return result;
  }

  std::unique_ptr<Engine> engine;
  ModelPtr model;
  EncoderOptions options;
  FrameBuilder builder;
  Threads threads;
};

Encoder::Encoder(ModelPtr model, EncoderOptions options)
    : state_([&] {
        const DefaultFloatEnvironment environment;
        return std::make_unique<State>(std::move(model), std::move(options));
      }()) {}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const Model& Encoder::model() const { return *state_->model; }
const EncoderOptions& Encoder::options() const { return state_->options; }
const std::string& Encoder::engine() const { return state_->engine->name(); }
bool Encoder::is_double() const { return state_->engine->is_double(); }
Curve Encoder::order() const { return options().order.value_or(model().config().order); }

std::size_t Encoder::memory_estimate(std::size_t num_points) const {
  const FrameBuilder& builder = state_->builder;
  return state_->threads.run([&] {
    return builder.size(num_points) + state_->engine->memory_estimate(num_points, builder.lent(num_points));
  });
}

double Encoder::flop_estimate(std::size_t num_points) const {
  return model_flops(model().config(), num_points);
}

EncodeResult Encoder::encode_on_device(const DeviceInput& input, float* rows,
                                       const EncodeControls& controls) {
  return state_->threads.run(
      [&] { return state_->engine->encode_on_device(state_->builder.on_device(input), rows, controls); });
}

EncodeResult Encoder::encode(const EncodeInput& input, float* rows, const EncodeControls& controls) {
  return state_->threads.run([&] { return state_->encode(input, rows, controls); });
}

EncodeResult Encoder::encode(const EncodeInput& input, double* rows, const EncodeControls& controls) {
  return state_->threads.run([&] { return state_->encode(input, rows, controls); });
}

}  // namespace pcl_attention
