// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "contract/points.h"
#include "pcl_attention/pcl/attention_estimation.h"
#include "pcl_attention/pcl/attention_filter.h"
#include "pcl_attention/pcl/attention_global_estimation.h"
#include "pcl_attention/pcl/attention_outlier_removal.h"
#include "pcl_attention/pcl/attention_sampling.h"
#include "pcl_attention/pcl/canonical_order.h"

// One form for all classes: make(), run(), and what comes out of it as a Run.

namespace pcl_attention::test {

constexpr int kWidth = 16;
using Signature16 = AttentionSignature<kWidth>;

/// What a class does to a cloud.
enum class Kind { rows, global, rewrite, sample, clean, order };

template <class PointT>
using CloudOf_t = typename CloudOf<PointT>::type;

template <class PointT>
using EstimationOf = AttentionEstimation<PointT, Signature16>;
template <class PointT>
using GlobalOf = AttentionGlobalEstimation<PointT, Signature16>;

template <template <class> class ObjectT, Kind k, bool message>
struct Class {
  using Point = std::conditional_t<message, pcl::PCLPointCloud2, PlainPoint>;
  template <class P>
  using Object = ObjectT<P>;
  static constexpr Kind kind = k;
  static constexpr bool is_message = message;
  static constexpr bool is_feature = kind == Kind::rows || kind == Kind::global;
};

using Estimation = Class<EstimationOf, Kind::rows, false>;
using Global = Class<GlobalOf, Kind::global, false>;
using Filter = Class<AttentionFilter, Kind::rewrite, false>;
using MessageFilter = Class<AttentionFilter, Kind::rewrite, true>;
using Sampling = Class<AttentionSampling, Kind::sample, false>;
using MessageSampling = Class<AttentionSampling, Kind::sample, true>;
using Removal = Class<AttentionOutlierRemoval, Kind::clean, false>;
using MessageRemoval = Class<AttentionOutlierRemoval, Kind::clean, true>;
using Order = Class<CanonicalOrder, Kind::order, false>;
using MessageOrder = Class<CanonicalOrder, Kind::order, true>;

template <class C>
std::string name_of() {
  const char* const names[] = {"AttentionEstimation", "AttentionGlobalEstimation", "AttentionFilter",
                               "AttentionSampling",   "AttentionOutlierRemoval",   "CanonicalOrder"};
  return std::string(names[static_cast<int>(C::kind)]) + (C::is_message ? " (message)" : "");
}

using Classes = ::testing::Types<Estimation, Global, Filter, MessageFilter, Sampling, MessageSampling,
                                 Removal, MessageRemoval, Order, MessageOrder>;
class ClassNames {
 public:
  template <class C>
  static std::string GetName(int) {
    return name_of<C>();
  }
};

inline ModelPtr small_model(std::size_t head_output = 0) {
  static const auto make = [](std::size_t width) {
    ModelConfig config = make_preset("position")->config();
    config.name = "small";
    config.input.fields = {{"x", 1, 1.0}, {"y", 1, 1.0}, {"z", 1, 1.0}, {"intensity", 1, 0.01}};
    config.channels = kWidth;
    config.heads = 2;
    config.head_width = 8;
    config.feed_forward = 16;
    config.projection.anchor_grid = {2, 2, 2};
    config.projection.k = 8;
    config.head_output = width;
    return make_random_model(config, 7);
  };
  static const ModelPtr rows = make(0), outliers = make(1);
  return head_output == 0 ? rows : outliers;
}

template <class C, class PointT = typename C::Point>
std::unique_ptr<typename C::template Object<PointT>> make() {
  using Object = typename C::template Object<PointT>;
  std::unique_ptr<Object> object;
  if constexpr (C::kind == Kind::sample || C::kind == Kind::clean || C::kind == Kind::order)
    object = std::make_unique<Object>(true);
  else
    object = std::make_unique<Object>();
  if constexpr (C::kind != Kind::order) object->setModel(small_model(C::kind == Kind::clean ? 1 : 0));
  if constexpr (C::kind == Kind::rewrite) object->setOutputFields({"weight"});
  return object;
}

/// What one call gave.
struct Run {
  std::string error;
  std::size_t width = 0, height = 0;
  bool is_dense = false;
  pcl::PCLHeader header;
  Eigen::Vector4f origin = Eigen::Vector4f::Zero();
  Eigen::Quaternionf orientation = Eigen::Quaternionf::Identity();
  std::vector<std::vector<double>> points;  ///< descriptor, or x y z intensity weight ring
  pcl::Indices removed;

  std::size_t size() const { return points.size(); }
};

inline void read_points(const CloudView& cloud, Run& run) {
  for (std::size_t i = 0; i < cloud.num_points(); ++i) {
    std::vector<double> numbers;
    for (const char* name : {"x", "y", "z", "intensity", "weight", "ring"}) {
      const Field& field = cloud.fields[find_field(cloud, name, {})];
      numbers.push_back(get_number(cloud.point(i) + field.offset, field.type, cloud.big_endian));
    }
    run.points.push_back(numbers);
  }
}

inline void read_cloud(const pcl::PointCloud<Signature16>& cloud, Run& run) {
  for (const Signature16& row : cloud) run.points.emplace_back(row.descriptor, row.descriptor + kWidth);
}
template <class PointT>
void read_cloud(const pcl::PointCloud<PointT>& cloud, Run& run) {
  read_points(view_of(cloud), run);
}
inline void read_cloud(const pcl::PCLPointCloud2& cloud, Run& run) {
  if (!cloud.data.empty()) read_points(view_of(cloud), run);
}

template <class PointT>
void read_pose(const pcl::PointCloud<PointT>& cloud, Run& run) {
  run.origin = cloud.sensor_origin_;
  run.orientation = cloud.sensor_orientation_;
}
inline void read_pose(const pcl::PCLPointCloud2&, Run&) {}

template <class Cloud>
void read_output(const Cloud& cloud, Run& run) {
  run.width = cloud.width;
  run.height = cloud.height;
  run.is_dense = cloud.is_dense != 0;
  run.header = cloud.header;
  read_pose(cloud, run);
  read_cloud(cloud, run);
}

/// Calls compute() or filter() on what is set.
template <class C, class Object>
Run call(Object& object) {
  Run run;
  if constexpr (C::is_feature) {
    pcl::PointCloud<Signature16> output;
    output.resize(3);  // stale
    object.compute(output);
    read_output(output, run);
  } else {
    auto output = *object.getInputCloud();  // stale, and organised where the input is
    object.filter(output);
    read_output(output, run);
    if constexpr (C::kind != Kind::rewrite) run.removed = *object.getRemovedIndices();
  }
  run.error = object.getLastError();
  return run;
}

template <class C, class Object, class CloudPtr>
Run run_on(Object& object, const CloudPtr& cloud) {
  object.setInputCloud(cloud);
  return call<C>(object);
}

inline pcl::IndicesPtr indices_of(pcl::Indices values) {
  return pcl::IndicesPtr(new pcl::Indices(std::move(values)));
}

/// Returns the cloud in the form the class takes.
template <class C>
auto input_of(const PlainCloud::Ptr& cloud) {
  if constexpr (C::is_message) {
    Layout layout;
    layout.height = std::max(std::uint32_t{1}, cloud->height);  // 0 of an empty cloud
    return message_of_cloud(*cloud, layout);
  } else {
    return cloud;
  }
}

/// A new object on a cloud, with indices or without.
template <class C>
Run run(const PlainCloud::Ptr& cloud, const pcl::IndicesPtr& indices = nullptr) {
  const auto object = make<C>();
  object->setInputCloud(input_of<C>(cloud));
  if (indices != nullptr) object->setIndices(indices);
  return call<C>(*object);
}

inline PlainCloud::Ptr part_of(const PlainCloud& cloud, const pcl::Indices& indices) {
  PlainCloud::Ptr part(new PlainCloud);
  for (const int i : indices) part->push_back(cloud[static_cast<std::size_t>(i)]);
  return part;
}

/// NaN equals NaN here: where NaN belongs the tests say so.
inline bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

inline ::testing::AssertionResult same_points(const Run& a, const Run& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " points, not " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_numbers(a.points[i], b.points[i])) return ::testing::AssertionFailure() << "point " << i;
  return ::testing::AssertionSuccess();
}

inline bool all_nan(const std::vector<double>& row) {
  return std::all_of(row.begin(), row.end(), [](double value) { return std::isnan(value); });
}

}  // namespace pcl_attention::test
