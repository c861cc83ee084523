// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/outliers.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "attention/stopwatch.h"
#include "exec/float_environment.h"
#include "pcl_attention/outlier_model.h"

namespace pcl_attention {

EncodeResult outlier_probabilities(Encoder& encoder, const EncodeInput& input, float* probabilities,
                                   const EncodeControls& controls) {
  check_outlier_model(encoder.model());
  EncodeResult result = encoder.encode(input, probabilities, controls);
  const DefaultFloatEnvironment environment;
  Stopwatch watch;
  for (std::size_t i = 0; i < result.num_rows; ++i)
    probabilities[i] = static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(probabilities[i]))));
  result.seconds.scatter += watch.lap();
  return result;
}

std::vector<std::uint8_t> find_outliers(const std::vector<float>& probabilities, double threshold) {
  check_outlier_threshold(threshold);
  std::vector<std::uint8_t> outliers;
  outliers.reserve(probabilities.size());
  for (const float p : probabilities) outliers.push_back(static_cast<double>(p) >= threshold ? 1 : 0);
  return outliers;
}

void check_outlier_threshold(double threshold) {
  if (threshold >= 0.0 && threshold <= 1.0) return;
  throw std::invalid_argument("the threshold is " + std::to_string(threshold) +
                              ", expected a probability from 0 to 1");
}

}  // namespace pcl_attention
