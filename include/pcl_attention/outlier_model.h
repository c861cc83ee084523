// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcl_attention/export.h"
#include "pcl_attention/model.h"

// An outlier model is any model with head_output 1: a number l per point, the point's probability to be an
// outlier (an isolated return, rain, snow, dust, a mixed pixel) is 1 / (1 + exp(−l)).

namespace pcl_attention {

/// What open_model() calls the two trained models that are part of the library.
inline constexpr const char* shipped_outlier_name = "shipped:outlier";
inline constexpr const char* shipped_outlier_sensor_name = "shipped:outlier-sensor";

/// Metadata key of an outlier model's threshold, a decimal number in [0, 1].
inline constexpr const char* outlier_threshold_key = "outlier_threshold";

/// Returns a trained model that is part of the library, the same object in each call. What its training says
/// about it is in metadata().
/// @param with_sensor_origin  false: the model reads coordinates alone; true: also angle of view and range,
/// so
///                            that EncodeInput::sensor_origin has to be right
/// Threads: may be called from any. Memory: the model, kept to the end of the process.
PCL_ATTENTION_EXPORT ModelPtr shipped_outlier_model(bool with_sensor_origin);

/// Returns the probability from which on a point is an outlier: the model's metadata "outlier_threshold",
/// 0.5 without it. Shipped models carry none: their threshold, chosen on validation data, is in the bias of
/// the head, so that it lies at 0.5 (and their probabilities are not calibrated).
/// @throws ModelError naming the key unless it holds a number in [0, 1].
PCL_ATTENTION_EXPORT double outlier_threshold(const Model& model);

/// Returns nothing if `model` is an outlier model: one number per point, no decoder, a threshold in its
/// range.
/// @throws ModelError naming the model, what was expected and what came.
PCL_ATTENTION_EXPORT void check_outlier_model(const Model& model);

}  // namespace pcl_attention
