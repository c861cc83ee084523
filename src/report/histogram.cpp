// SPDX-License-Identifier: BSD-3-Clause
#include "report/histogram.h"

#include <algorithm>
#include <cmath>

namespace pcl_attention {

ErrorHistogram histogram_of(const std::vector<double>& errors) {
  ErrorHistogram histogram;
  for (int half = -18; half <= 2; ++half) histogram.edges.push_back(std::pow(10.0, half / 2.0));
  histogram.counts.assign(histogram.edges.size() - 1, 0);
  for (const double exact : errors) {
    const double error = static_cast<double>(static_cast<float>(exact));
    if (std::isnan(error)) {
      ++histogram.invalid;
    } else if (error == 0.0) {
      ++histogram.zero;
    } else {
      const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), error);
      const auto bin = std::max<std::ptrdiff_t>(above - histogram.edges.begin() - 1, 0);
      ++histogram.counts[std::min(static_cast<std::size_t>(bin), histogram.counts.size() - 1)];
    }
  }
  return histogram;
}

}  // namespace pcl_attention
