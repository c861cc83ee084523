// SPDX-License-Identifier: BSD-3-Clause
#include "exec/surface_pass.h"

#include <stdexcept>
#include <utility>

#include "attention/layer_loop.h"

namespace pcl_attention {
namespace {

/// One frame on its way through the layers.
template <class T>
class CpuRun {
 public:
  CpuRun(CpuNetwork& network, CpuWorkspace& workspace, const Frame& frame, T* out,
         const EncodeControls& controls)
      : network_(network),
        workspace_(workspace),
        frame_(frame),
        out_(out),
        controls_(controls),
        pass_(network, workspace, frame) {
    if (frame.queries != nullptr) embed_queries();
  }

  void summarise(std::size_t layer) {
    if (layer == 0)
      pass_.run(0, [this](std::size_t tile, const TileScratch& scratch, float* x) {
        check_cancel(controls_);
        pass_.embed(tile, scratch, x);
      });
    summary_ = pass_.finish(layer);
  }

  void answer_surface(std::size_t layer) {
    pass_.run(layer + 1, [&](std::size_t, const TileScratch& scratch, float* x) {
      check_cancel(controls_);
      answer_tile(network_.config, network_.layers[layer], summary_, x, scratch.answer, x);
    });
  }

  void answer_queries(std::size_t layer) {
    const bool last = layer + 1 == network_.config.depth;
    for_tiles(frame_.queries->n, [&](TileRange range, const TileScratch& scratch) {
      float* x = workspace_.queries.data() + range.first * network_.width;
      answer_tile(network_.config, network_.layers[layer], summary_, x, scratch.answer, x);
      if (last) write(range, x, scratch);
    });
  }

  void answer_wanted(std::size_t layer) {
    for_tiles(frame_.num_answers, [&](TileRange range, const TileScratch& scratch) {
      answer_tile(network_.config, network_.layers[layer], summary_, wanted(layer, range, scratch),
                  scratch.answer, scratch.y);
      write(range, scratch.y, scratch);
    });
  }

  std::size_t masked_slots() const { return pass_.masked_slots(); }

 private:
  template <class Body>
  void for_tiles(std::size_t n, const Body& body) {
    for_each_block(n, simd::kTilePoints, [&](std::size_t begin, std::size_t end) {
      check_cancel(controls_);
      const DefaultFloatEnvironment environment;
      body(TileRange(begin / simd::kTilePoints, end), workspace_.scratch());
    });
  }

  void embed_queries() {
    workspace_.queries.reserve((frame_.queries->n + simd::kTilePoints) * network_.width);
    for_tiles(frame_.queries->n, [&](TileRange range, const TileScratch& scratch) {
      network_.embedding.embed(*frame_.queries, frame_, range, 0, scratch.values, scratch.positions,
                               workspace_.queries.data() + range.first * network_.width);
    });
  }

  /// Returns the surface rows that a range of answers needs, as a tile.
  const float* wanted(std::size_t layer, TileRange range, const TileScratch& scratch) const {
    if (frame_.answer_rank == nullptr) return workspace_.surface.data() + range.first * network_.width;
    for (std::size_t p = 0; p < range.count; ++p) {
      const std::size_t rank = frame_.answer_rank[range.first + p], column = rank % simd::kTilePoints;
      const float* tile = workspace_.surface.data() + (rank - column) * network_.width;
      for (std::size_t c = 0; c < network_.layers[layer].width_in; ++c)
        scratch.x[c * simd::kTilePoints + p] = tile[c * simd::kTilePoints + column];
    }
    return scratch.x;
  }

  void write(TileRange range, const float* x, const TileScratch& scratch) const {
    std::size_t width = network_.config.channels;
    if (network_.head.exists()) {
      simd::linear(network_.head.map(), x, simd::Finish::none, nullptr, scratch.head);
      x = scratch.head;
      width = network_.head.rows();
    }
    simd::store_rows(x, width, range.count, frame_.output_row + range.first, out_);
  }

  CpuNetwork& network_;
  CpuWorkspace& workspace_;
  const Frame& frame_;
  T* out_;
  const EncodeControls& controls_;
  SurfacePass pass_;
  simd::KeyValues summary_;
};

class CpuEngine : public Engine {
 public:
  explicit CpuEngine(ModelPtr model)
      : model_(std::move(model)), network_(*model_), name_(std::string("cpu ") + simd::target_name()) {}

  const std::string& name() const override { return name_; }
  bool is_double() const override { return false; }

  std::size_t memory_estimate(std::size_t n) const override {
    const ModelConfig& config = model_->config();
    std::size_t numbers = n * network_.width;
    if (config.mechanism == Mechanism::full) numbers += 2 * n * config.heads * config.head_width;
    return numbers * sizeof(float);
  }

  EngineResult encode(const Frame& frame, float* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }
  EngineResult encode(const Frame& frame, double* out, const EncodeControls& controls) override {
    return run(frame, out, controls);
  }

 private:
  template <class T>
  EngineResult run(const Frame& frame, T* out, const EncodeControls& controls) {
    const DefaultFloatEnvironment environment;
    workspace_.prepare(network_);
    CpuRun<T> layers(network_, workspace_, frame, out, controls);
    run_layers(model_->config().depth, frame.queries != nullptr, layers, controls);
    return {layers.masked_slots()};
  }

  ModelPtr model_;
  CpuNetwork network_;
  CpuWorkspace workspace_;
  std::string name_;
};

}  // namespace

std::string missing_in_cpu_engine(const ModelConfig& config) {
  if (config.mechanism == Mechanism::linformer && config.projection.kind == Projection::convolution)
    return "projection convolution";
  if (config.decoder) return "decoder";
  if (config.causal != CausalMask::none) return "causal mask";
  if (config.mechanism == Mechanism::full && config.masked_points == MaskedPoints::zeroed)
    return "masked_points zeroed";
  if (config.norm == NormPlacement::none) return "norm none";
  return "";
}

std::unique_ptr<Engine> make_cpu_engine(ModelPtr model) {
  const std::string missing = missing_in_cpu_engine(model->config());
  if (!missing.empty())
    throw std::invalid_argument("the cpu engine has no " + missing + "; use device reference");
  return std::make_unique<CpuEngine>(std::move(model));
}

}  // namespace pcl_attention
