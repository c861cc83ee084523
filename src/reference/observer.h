// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "attention/engine.h"
#include "reference/network.h"
#include "reference/surface.h"

namespace pcl_attention::reference {

/// A layer between its summary and its answers.
struct LayerView {
  std::size_t layer = 0;
  const Network& network;
  const Frame& frame;
  const SurfaceRows& source;  ///< what is summarised
  const SurfaceRows& asked;   ///< what is answered: rows of the surface, or of the queries
  const Summary& summary;
};

/// Looks on while the reference engine runs.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void look(const LayerView& view) = 0;
};

/// Returns the reference engine with somebody who looks on; the observer outlives it.
std::unique_ptr<Engine> make_observed_engine(ModelPtr model, Observer& observer);

}  // namespace pcl_attention::reference
