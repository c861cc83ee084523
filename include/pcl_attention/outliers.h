// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "pcl_attention/encoder.h"
#include "pcl_attention/export.h"

namespace pcl_attention {

/// Writes the probability of each answered point to be an outlier, and returns what was done.
///
/// p = 1 / (1 + exp(−l)), l the model's row, computed in double and rounded once. NaN for invalid points.
/// How well p is calibrated is the model's affair; the threshold that goes with it is outlier_threshold().
/// @param encoder        runs an outlier model, see outlier_model.h
/// @param input          all points of its surface count as neighbours but those a key mask leaves out
/// @param probabilities  [answered points]; nothing is written unless all checks succeed
/// @throws ModelError as check_outlier_model() does, whatever else Encoder::encode() throws.
/// Same bits for any number of threads and for every sequence of the points, as the encoder's rows behind an
/// order. Memory and time: those of Encoder::encode().
PCL_ATTENTION_EXPORT EncodeResult outlier_probabilities(Encoder& encoder, const EncodeInput& input,
                                                        float* probabilities,
                                                        const EncodeControls& controls = {});

/// Returns [probabilities.size()] 1 where p ≥ threshold, else 0; 0 where p is NaN. At threshold 0 every valid
/// point is an outlier, at 1 only those whose probability was rounded to 1.
/// @throws std::invalid_argument unless the threshold lies in [0, 1].
PCL_ATTENTION_EXPORT std::vector<std::uint8_t> find_outliers(const std::vector<float>& probabilities,
                                                             double threshold);

/// @throws std::invalid_argument unless the threshold lies in [0, 1].
PCL_ATTENTION_EXPORT void check_outlier_threshold(double threshold);

}  // namespace pcl_attention
