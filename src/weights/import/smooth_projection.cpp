// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exec/float_environment.h"
#include "pcl_attention/import.h"
#include "weights/tensor_names.h"

namespace pcl_attention {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Returns cos(π m (r + ½) / N) for m < M.
std::vector<double> cosines_at(std::size_t rank, std::size_t length, std::size_t count) {
  std::vector<double> result(count);
  for (std::size_t m = 0; m < count; ++m) {
    const std::size_t halves = m * (2 * rank + 1) % (4 * length);  // of π / N, without whole turns
    result[m] = std::cos(kPi * static_cast<double>(halves) / static_cast<double>(2 * length));
  }
  return result;
}

/// Returns c [k × M] of E [k × N]: c_im = (2 − δ_m0)/N Σ_r E_ir cos(π m (r + ½)/N).
Tensor fit(const Tensor& e, std::size_t count) {
  const std::size_t rows = e.shape[0], length = e.shape[1];
  std::vector<double> sums(rows * count, 0.0);
  for (std::size_t r = 0; r < length; ++r) {
    const std::vector<double> cosines = cosines_at(r, length, count);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t m = 0; m < count; ++m)
        sums[i * count + m] += static_cast<double>(e.values[i * length + r]) * cosines[m];
  }
  Tensor c{{rows, count}, std::vector<float>(rows * count)};
  for (std::size_t i = 0; i < sums.size(); ++i)
    c.values[i] = static_cast<float>(sums[i] * (i % count == 0 ? 1.0 : 2.0) / static_cast<double>(length));
  return c;
}

/// Returns ‖E − C cos‖ / ‖E‖; 0 for E = 0.
double residual(const Tensor& e, const Tensor& c) {
  const std::size_t rows = e.shape[0], length = e.shape[1], count = c.shape[1];
  double left = 0.0, all = 0.0;
  for (std::size_t r = 0; r < length; ++r) {
    const std::vector<double> cosines = cosines_at(r, length, count);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto value = static_cast<double>(e.values[i * length + r]);
      double sum = 0.0;
      for (std::size_t m = 0; m < count; ++m)
        sum += static_cast<double>(c.values[i * count + m]) * cosines[m];
      left += (value - sum) * (value - sum);
      all += value * value;
    }
  }
  return all > 0.0 ? std::sqrt(left / all) : 0.0;
}

void check(const ModelConfig& config, std::size_t cosines) {
  if (!stores_rows(config))
    throw std::invalid_argument("smooth: the model has no projection with a row for every rank");
  if (cosines == 0 || cosines > config.projection.length)
    throw std::invalid_argument("smooth: " + std::to_string(cosines) + " cosines, expected 1 to " +
                                std::to_string(config.projection.length) + ", the ranks of the projection");
}

}  // namespace

SmoothModel smooth_model(const Model& model, std::size_t cosines) {
  const DefaultFloatEnvironment environment;
  ModelConfig config = model.config();
  check(config, cosines);
  TensorMap tensors = model.tensors();
  SmoothModel result;
  for (std::size_t layer = 0; layer < config.depth; ++layer)
    for (const std::string& name : new_projections(config, layer)) {
      Tensor& weight = tensors.at(name + ".weight");
      Tensor c = fit(weight, cosines);
      result.fits.push_back({name, residual(weight, c)});
      tensors.insert({name + ".bias", {{c.shape[0]}, std::vector<float>(c.shape[0], 0.0F)}});
      weight = std::move(c);
    }
  config.projection.kind = Projection::smooth;
  config.projection.cosines = cosines;
  result.model = std::make_shared<Model>(std::move(config), std::move(tensors));
  return result;
}

}  // namespace pcl_attention
