// SPDX-License-Identifier: BSD-3-Clause
#include "pcl_attention/received.h"

namespace pcl_attention {

std::vector<double> attention_received(AttentionHeads& heads, const EncodeInput& input,
                                       const EncodeControls& controls) {
  HeadsRequest request;
  request.num_rows = 0;
  request.per_point = true;
  const AttentionHeadsResult result = heads.compute(input, request, controls);
  std::vector<double> received(result.num_points, 0.0);
  for (std::size_t head = 0; head < result.num_heads; ++head) {
    const std::vector<float>& one = result.at(result.num_layers - 1, head).received;
    for (std::size_t i = 0; i < received.size(); ++i) received[i] += static_cast<double>(one[i]);
  }
  for (double& value : received) value /= static_cast<double>(result.num_heads);
  return received;
}

}  // namespace pcl_attention
