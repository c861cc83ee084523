// SPDX-License-Identifier: BSD-3-Clause
// One suite for every class: what a PCL user may expect of it, a row of the table each.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "contract/classes.h"
#include "contract/table.h"
#include "support/compare.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

template <class C>
class Contract : public ::testing::Test {
 protected:
  static constexpr Kind kind = C::kind;
  static constexpr bool selects = kind == Kind::sample || kind == Kind::clean || kind == Kind::order;
  const std::string column = name_of<C>();
};

TYPED_TEST_SUITE(Contract, Classes, ClassNames);

// --- indices -------------------------------------------------------------------------------------

// `indices` of the cloud give what the law of the class says.
template <class C>
void expect_indices(const pcl::Indices& indices) {
  const auto cloud = plain_cloud(200, 1);
  const Run some = run<C>(cloud, indices_of(indices)), full = run<C>(cloud);
  ASSERT_EQ(some.error, "");
  if constexpr (C::kind == Kind::rows) {
    ASSERT_EQ(some.size(), indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i)
      EXPECT_TRUE(same_numbers(some.points[i], full.points[static_cast<std::size_t>(indices[i])])) << i;
  } else if constexpr (C::kind == Kind::rewrite) {
    ASSERT_EQ(some.size(), 200U);  // all stay; those indexed answer as if alone
    const std::set<int> once(indices.begin(), indices.end());
    const pcl::Indices sorted(once.begin(), once.end());
    const Run alone = run<C>(part_of(*cloud, sorted));
    for (std::size_t i = 0; i < sorted.size(); ++i)
      EXPECT_NEAR(some.points[static_cast<std::size_t>(sorted[i])][4], alone.points[i][4], 1e-4);
    EXPECT_FALSE(same_points(some, full));
  } else {
    EXPECT_TRUE(same_points(some, run<C>(part_of(*cloud, indices))));
  }
}

TYPED_TEST(Contract, IndicesSubset) {
  const Row row("indices: a subset", this->column);
  expect_indices<TypeParam>({3, 5, 40, 77, 150, 199});
}

TYPED_TEST(Contract, IndicesRepeatedAndOutOfSequence) {
  const Row row("indices: repeated, their sequence kept", this->column);
  expect_indices<TypeParam>({150, 5, 40, 5, 199, 3, 150});
}

TYPED_TEST(Contract, SamplingKeepsTheSequenceOfTheIndices) {
  if constexpr (TestFixture::kind == Kind::sample) {
    const auto cloud = plain_cloud(60, 1);
    const pcl::Indices indices{50, 3, 41, 7, 9, 22};
    const auto object = make<TypeParam>();
    object->setInputCloud(input_of<TypeParam>(cloud));
    object->setIndices(indices_of(indices));
    pcl::Indices kept;
    object->filter(kept);
    ASSERT_EQ(kept.size(), 3U);
    std::size_t at = 0;
    for (const int index : indices)
      if (at < 3 && kept[at] == index) ++at;
    EXPECT_EQ(at, 3U);
  }
}

TYPED_TEST(Contract, IndicesEmpty) {
  const Row row("indices: none", this->column);
  const Run none = run<TypeParam>(plain_cloud(50, 1), indices_of({}));
  EXPECT_EQ(none.error, "");
  EXPECT_EQ(none.size(), this->kind == Kind::rewrite ? 50U : 0U);
}

TYPED_TEST(Contract, IndicesOutOfRange) {
  const Row row("indices: out of range is an error", this->column);
  const auto cloud = plain_cloud(50, 1);
  for (const int wrong : {50, -1}) {
    const auto object = make<TypeParam>();
    object->setIndices(indices_of({3, wrong}));
    const Run failed = run_on<TypeParam>(*object, input_of<TypeParam>(cloud));
    EXPECT_TRUE(contains(failed.error, std::to_string(wrong)));
    EXPECT_EQ(failed.size(), 0U);
    EXPECT_EQ(failed.width * failed.height, 0U);
    object->setIndices(indices_of({3, 49}));
    EXPECT_TRUE(same_points(call<TypeParam>(*object), run<TypeParam>(cloud, indices_of({3, 49}))));
    EXPECT_EQ(object->getLastError(), "");
  }
}

// --- another search surface ----------------------------------------------------------------------

TYPED_TEST(Contract, SearchSurfaceOfAnotherSize) {
  Row row("search surface of another size", this->column);
  if constexpr (TypeParam::is_feature) {
    const auto surface = plain_cloud(300, 1);
    const auto object = make<TypeParam>();
    object->setSearchSurface(surface);
    const pcl::Indices taken{5, 250, 3};
    const Run part = run_on<TypeParam>(*object, part_of(*surface, taken));
    EXPECT_EQ(part.error, "");
    if constexpr (TestFixture::kind == Kind::rows)
      EXPECT_TRUE(same_points(part, run<TypeParam>(surface, indices_of(taken))));
    else
      EXPECT_FALSE(same_points(part, run<TypeParam>(surface, indices_of(taken))));
    EXPECT_TRUE(same_points(run_on<TypeParam>(*object, surface), run<TypeParam>(surface)));
  } else {
    row.skip();
  }
}

// --- numbers that are not finite -----------------------------------------------------------------

// One point more, at row 7, that has `value` in `field`; is_dense says it has not.
template <class C>
void expect_invalid(float PlainPoint::*field, float value) {
  const auto clean = plain_cloud(120, 2);
  PlainCloud::Ptr cloud(new PlainCloud(*clean));
  PlainPoint bad = (*clean)[0];
  bad.*field = value;
  cloud->insert(cloud->begin() + 7, bad);
  cloud->is_dense = true;
  const Run expected = run<C>(clean);
  Run found = run<C>(cloud);
  ASSERT_EQ(found.error, "");
  if constexpr (C::kind == Kind::rows || C::kind == Kind::rewrite) {
    ASSERT_EQ(found.size(), 121U);
    EXPECT_FALSE(found.is_dense);
    const std::vector<double> row = found.points[7];
    EXPECT_TRUE(C::kind == Kind::rows ? all_nan(row) : std::isnan(row[4]));
    found.points.erase(found.points.begin() + 7);
  } else if (C::kind == Kind::order && field == &PlainPoint::intensity) {
    EXPECT_EQ(found.size(), 121U);  // only coordinates decide on a rank
    EXPECT_FALSE(found.is_dense);
    return;
  } else {
    EXPECT_TRUE(found.is_dense);
  }
  EXPECT_TRUE(same_points(found, expected));
  if constexpr (C::kind == Kind::order) {
    EXPECT_EQ(found.removed, pcl::Indices{7});
  }
}

TYPED_TEST(Contract, NanInOneAxis) {
  const Row row("NaN in one axis, is_dense wrongly true", this->column);
  expect_invalid<TypeParam>(&PlainPoint::y, nan);
}

TYPED_TEST(Contract, InfinityInOneAxis) {
  const Row row("±Inf in one axis, is_dense wrongly true", this->column);
  expect_invalid<TypeParam>(&PlainPoint::z, infinity);
  expect_invalid<TypeParam>(&PlainPoint::x, -infinity);
}

TYPED_TEST(Contract, NanInAnAttribute) {
  Row row("NaN in an attribute, is_dense wrongly true", this->column);
  expect_invalid<TypeParam>(&PlainPoint::intensity, nan);
  if (this->kind == Kind::order) row.note("✓ stays");
}

TYPED_TEST(Contract, AllNan) {
  const Row row("all points NaN", this->column);
  const auto cloud = plain_cloud(40, 2);
  for (PlainPoint& p : *cloud) p.x = nan;
  const Run found = run<TypeParam>(cloud);
  EXPECT_EQ(found.error, "");
  if (this->selects) {
    EXPECT_EQ(found.size(), 0U);
    EXPECT_EQ(found.removed.size(), 40U);
    return;
  }
  ASSERT_EQ(found.size(), this->kind == Kind::global ? 1U : 40U);
  EXPECT_FALSE(found.is_dense);
  for (const auto& point : found.points)
    EXPECT_TRUE(TypeParam::is_feature ? all_nan(point) : std::isnan(point[4]));
}

TYPED_TEST(Contract, IsDenseTellsTheTruth) {
  const Row row("is_dense true exactly when no output value is NaN", this->column);
  const auto cloud = plain_cloud(40, 2);
  cloud->is_dense = false;
  EXPECT_TRUE(run<TypeParam>(cloud).is_dense);
  const auto object = make<TypeParam>();
  if constexpr (TestFixture::kind == Kind::sample) object->setFraction(1.0);
  if constexpr (TestFixture::kind == Kind::clean) object->setThreshold(1.0);
  if constexpr (TestFixture::kind == Kind::rewrite) object->setOutputFields({"intensity"});
  const auto is_dense_with = [&](float weight) {  // the model does not read it; filters keep it
    (*cloud)[3].weight = weight;
    return run_on<TypeParam>(*object, input_of<TypeParam>(cloud)).is_dense;
  };
  EXPECT_TRUE(is_dense_with(infinity));
  EXPECT_TRUE(is_dense_with(-infinity));
  EXPECT_EQ(is_dense_with(nan), TypeParam::is_feature);
  if constexpr (TestFixture::kind == Kind::rewrite) {
    EXPECT_TRUE(run<TypeParam>(cloud).is_dense);  // the field is rewritten
  }
}

// --- sizes and shapes ----------------------------------------------------------------------------

TYPED_TEST(Contract, EmptyCloud) {
  const Row row("empty cloud gives an empty output", this->column);
  const Run found = run<TypeParam>(plain_cloud(0, 1));
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.size(), 0U);
  EXPECT_EQ(found.width * found.height, 0U);
}

TYPED_TEST(Contract, OnePoint) {
  const Row row("one point", this->column);
  const Run found = run<TypeParam>(plain_cloud(1, 1));
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.size(), 1U);
  EXPECT_TRUE(found.is_dense);
}

PlainCloud::Ptr organised_cloud() {
  const auto cloud = plain_cloud(96, 3);
  cloud->width = 12;
  cloud->height = 8;
  (*cloud)[5].x = nan;
  return cloud;
}

TYPED_TEST(Contract, Organised) {
  Row row("organised input: width × height", this->column);
  const Run found = run<TypeParam>(organised_cloud());
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.width * found.height, found.size());
  if (this->kind == Kind::rows || this->kind == Kind::rewrite) {
    EXPECT_EQ(found.width, 12U);
    EXPECT_EQ(found.height, 8U);
    row.note("✓ kept");
  } else {
    EXPECT_EQ(found.height, 1U);
    row.note("✓ one row");
  }
}

TYPED_TEST(Contract, KeepOrganised) {
  Row row("keep-organised and user filter value", this->column);
  if constexpr (TestFixture::selects) {
    const auto object = make<TypeParam>();
    object->setKeepOrganized(true);
    object->setUserFilterValue(-7.0F);
    const Run found = run_on<TypeParam>(*object, input_of<TypeParam>(organised_cloud()));
    if constexpr (TestFixture::kind == Kind::order) {
      EXPECT_TRUE(contains(found.error, "organised"));
      EXPECT_EQ(found.size(), 0U);
      row.note("error");
    } else {
      EXPECT_EQ(found.error, "");
      EXPECT_EQ(found.width, 12U);
      EXPECT_EQ(found.height, 8U);
      EXPECT_TRUE(found.is_dense);  // the NaN point is at -7, too
      std::size_t count = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::vector<double>& p = found.points[i];
        const bool replaced = p[0] == -7.0 && p[1] == -7.0 && p[2] == -7.0;
        count += replaced ? 1 : 0;
        EXPECT_EQ(p[3], static_cast<double>((*organised_cloud())[i].intensity));
      }
      EXPECT_EQ(count, found.removed.size());
      for (const float value : {nan, infinity}) {  // PCL relies on finite x, y, z where is_dense is true
        object->setUserFilterValue(value);
        EXPECT_FALSE(call<TypeParam>(*object).is_dense);
      }
    }
  } else {
    row.skip();
  }
}

TYPED_TEST(Contract, Negative) {
  Row row("negative", this->column);
  if constexpr (TestFixture::selects) {
    const auto object = make<TypeParam>();
    object->setNegative(true);
    const Run found = run_on<TypeParam>(*object, input_of<TypeParam>(organised_cloud()));
    if constexpr (TestFixture::kind == Kind::order) {
      EXPECT_TRUE(contains(found.error, "negative"));
      EXPECT_EQ(found.size(), 0U);
      row.note("error");
    } else {
      const Run plain = run<TypeParam>(organised_cloud());
      EXPECT_EQ(found.size() + plain.size(), 95U);  // the NaN point is in neither
      for (const auto& point : found.points)
        for (const auto& other : plain.points) EXPECT_NE(point, other);
    }
  } else {
    row.skip();
  }
}

TYPED_TEST(Contract, RemovedIndices) {
  Row row("removed indices: disjoint and complete", this->column);
  if constexpr (TestFixture::selects) {
    for (const bool some : {false, true}) {
      const auto cloud = organised_cloud();
      const auto object = make<TypeParam>();
      object->setInputCloud(input_of<TypeParam>(cloud));
      pcl::Indices all(96);
      for (int i = 0; i < 96; ++i) all[static_cast<std::size_t>(i)] = i;
      if (some) all = {3, 5, 9, 60, 80};
      if (some) object->setIndices(indices_of(all));
      pcl::Indices kept;
      object->filter(kept);
      pcl::Indices both = *object->getRemovedIndices();
      EXPECT_FALSE(both.empty());
      both.insert(both.end(), kept.begin(), kept.end());
      std::sort(both.begin(), both.end());
      EXPECT_EQ(both, all);
    }
  } else {
    row.skip();
  }
}

TYPED_TEST(Contract, IndexVectorThatHoldsEntries) {
  Row row("an index vector that already holds entries", this->column);
  if constexpr (TestFixture::selects) {
    const auto object = make<TypeParam>();
    object->setInputCloud(input_of<TypeParam>(plain_cloud(50, 1)));
    pcl::Indices fresh, used{1, 2, 3, 4, 5, 6, 7, 8};
    object->filter(fresh);
    object->filter(used);
    EXPECT_EQ(used, fresh);
  } else {
    row.skip();
  }
}

TYPED_TEST(Contract, InPlace) {
  Row row("output is the input", this->column);
  if constexpr (!TypeParam::is_feature) {
    const auto plain = organised_cloud();
    const Run expected = run<TypeParam>(plain);
    auto cloud = input_of<TypeParam>(plain);
    const auto object = make<TypeParam>();
    object->setInputCloud(cloud);
    object->filter(*cloud);
    EXPECT_EQ(object->getLastError(), "");
    Run found;
    read_output(*cloud, found);
    EXPECT_TRUE(same_points(found, expected));
    EXPECT_EQ(found.width, expected.width);
    EXPECT_EQ(found.height, expected.height);
    EXPECT_EQ(found.is_dense, expected.is_dense);
  } else {
    row.skip();  // another type
  }
}

// --- calls ---------------------------------------------------------------------------------------

TYPED_TEST(Contract, NoInput) {
  Row row("no input", this->column);
  const auto object = make<TypeParam>();
  if constexpr (TypeParam::is_feature) {
    const Run found = call<TypeParam>(*object);
    EXPECT_TRUE(contains(found.error, "setInputCloud"));
    EXPECT_EQ(found.size(), 0U);
    row.note("✓ error");
  } else {
    typename CloudOf<typename TypeParam::Point>::type output;
    EXPECT_NO_THROW(object->filter(output));  // PCL stops before it calls a filter
    row.note("PCL's message");
  }
  EXPECT_EQ(run_on<TypeParam>(*object, input_of<TypeParam>(plain_cloud(20, 1))).error, "");
}

TYPED_TEST(Contract, NullInput) {
  Row row("null input", this->column);
  if constexpr (TypeParam::is_message) {
    row.note("PCL crashes");
  } else {
    const auto object = make<TypeParam>();
    object->setInputCloud(PlainCloud::Ptr());
    if constexpr (TypeParam::is_feature) {
      EXPECT_TRUE(contains(call<TypeParam>(*object).error, "setInputCloud"));
      row.note("✓ error");
    } else {
      PlainCloud output;
      EXPECT_NO_THROW(object->filter(output));
      row.note("PCL's message");
    }
    EXPECT_EQ(run_on<TypeParam>(*object, plain_cloud(20, 1)).error, "");
  }
}

TYPED_TEST(Contract, SecondCall) {
  const Row row("second call, other cloud", this->column);
  const auto a = plain_cloud(150, 1), b = plain_cloud(90, 2);
  const auto object = make<TypeParam>();
  for (const auto& cloud : {a, b, b, a})
    EXPECT_TRUE(same_points(run_on<TypeParam>(*object, input_of<TypeParam>(cloud)), run<TypeParam>(cloud)));
}

TYPED_TEST(Contract, CallAfterAFailedCall) {
  const Row row("call after a failed call", this->column);
  const auto cloud = plain_cloud(50, 1);
  const auto object = make<TypeParam>();
  object->setIndices(indices_of({99}));
  EXPECT_NE(run_on<TypeParam>(*object, input_of<TypeParam>(cloud)).error, "");
  object->setIndices(indices_of({4, 7, 9}));
  const Run found = call<TypeParam>(*object);
  EXPECT_EQ(found.error, "");
  EXPECT_TRUE(same_points(found, run<TypeParam>(cloud, indices_of({4, 7, 9}))));
}

TYPED_TEST(Contract, NoModel) {
  Row row("no model is an error", this->column);
  if constexpr (TestFixture::kind == Kind::order) {
    row.skip();
  } else {
    typename TypeParam::template Object<typename TypeParam::Point> object;
    const Run found = run_on<TypeParam>(object, input_of<TypeParam>(plain_cloud(20, 1)));
    if constexpr (TestFixture::kind == Kind::clean) {
      EXPECT_EQ(found.error, "");
      row.note("one ships");
    } else {
      EXPECT_TRUE(contains(found.error, "setModel"));
      EXPECT_EQ(found.size(), 0U);
    }
  }
}

TYPED_TEST(Contract, ModelForOtherFields) {
  Row row("a model for other fields is an error", this->column);
  const auto object = make<TypeParam>();
  if constexpr (TestFixture::kind == Kind::order) {
    RankingOptions options;
    options.field_names["x"] = "ambient";
    object->setOptions(options);
  } else {
    object->setFieldName("intensity", "ambient");
  }
  const Run found = run_on<TypeParam>(*object, input_of<TypeParam>(plain_cloud(20, 1)));
  EXPECT_TRUE(contains(found.error, "ambient"));
  EXPECT_TRUE(contains(found.error, "ring"));  // those found are listed
  EXPECT_EQ(found.size(), 0U);
}

// --- what is carried over ------------------------------------------------------------------------

TYPED_TEST(Contract, Header) {
  const Row row("header: stamp, frame, seq", this->column);
  const auto cloud = plain_cloud(20, 1);
  cloud->header.stamp = 1234567890123U;
  cloud->header.seq = 42;
  cloud->header.frame_id = "lidar_top";
  const Run found = run<TypeParam>(cloud);
  EXPECT_EQ(found.header.stamp, 1234567890123U);
  EXPECT_EQ(found.header.seq, 42U);
  EXPECT_EQ(found.header.frame_id, "lidar_top");
}

TYPED_TEST(Contract, Pose) {
  Row row("sensor origin and orientation", this->column);
  if (TypeParam::is_message) {
    row.skip();  // a message has none
    return;
  }
  const auto cloud = plain_cloud(20, 1);
  cloud->sensor_origin_ = Eigen::Vector4f(1.0F, 2.0F, 3.0F, 0.0F);
  cloud->sensor_orientation_ = Eigen::Quaternionf(0.6F, 0.0F, 0.8F, 0.0F);
  const Run found = run<TypeParam>(cloud);
  EXPECT_EQ(found.origin, cloud->sensor_origin_);
  EXPECT_EQ(found.orientation.coeffs(), cloud->sensor_orientation_.coeffs());
}

TYPED_TEST(Contract, UntouchedFields) {
  Row row("untouched fields byte for byte", this->column);
  const auto cloud = plain_cloud(60, 1);
  const Run found = run<TypeParam>(cloud);
  if constexpr (TypeParam::is_feature) {
    row.skip();
  } else if constexpr (TestFixture::kind == Kind::rewrite) {
    ASSERT_EQ(found.size(), 60U);
    for (std::size_t i = 0; i < 60; ++i)
      for (const std::size_t field : {0U, 1U, 2U, 3U, 5U})
        EXPECT_EQ(
            found.points[i][field],
            number_of((*cloud)[i], std::vector<std::string>{"x", "y", "z", "intensity", "", "ring"}[field]));
    for (const auto& point : found.points) EXPECT_NE(point[4], 0.0);
  } else {
    std::set<std::vector<double>> given;
    Run input;
    read_cloud(*cloud, input);
    given.insert(input.points.begin(), input.points.end());
    for (const auto& point : found.points) EXPECT_EQ(given.count(point), 1U);
  }
}

TYPED_TEST(Contract, InputIsNotWrittenTo) {
  const Row row("input never written to", this->column);
  const auto plain = organised_cloud();
  const auto cloud = input_of<TypeParam>(plain);
  const auto copy = *cloud;
  const auto object = make<TypeParam>();
  run_on<TypeParam>(*object, cloud);
  const CloudView a = view_of(*cloud), b = view_of(copy);
  ASSERT_EQ(a.size, b.size);
  EXPECT_EQ(std::memcmp(a.data, b.data, a.size), 0);
  EXPECT_EQ(cloud->is_dense, copy.is_dense);
  EXPECT_EQ(cloud->width, copy.width);
}

// --- layouts -------------------------------------------------------------------------------------

// The class gives the same on a cloud laid out otherwise.
template <class C>
void expect_layout(const Layout& layout) {
  const auto plain = plain_cloud(60, 4);
  const Run expected = run<C>(plain);
  if constexpr (C::is_message) {
    const auto object = make<C>();
    const Run found = run_on<C>(*object, message_of_cloud(*plain, layout));
    EXPECT_EQ(found.error, "");
    EXPECT_TRUE(same_points(found, expected));
  } else {
    const auto object = make<C, OddPoint>();
    const Run found = run_on<C>(*object, odd_cloud(*plain));
    EXPECT_EQ(found.error, "");
    EXPECT_TRUE(same_points(found, expected));
  }
}

const FieldType f32 = FieldType::float32, f64 = FieldType::float64, u8 = FieldType::uint8,
                u16 = FieldType::uint16;

TYPED_TEST(Contract, PaddingFields) {
  const Row row("padding fields `_`", this->column);
  expect_layout<TypeParam>({{{"_", u8},
                             {"x", f32},
                             {"_", f32},
                             {"y", f32},
                             {"z", f32},
                             {"_", u16},
                             {"intensity", f32},
                             {"weight", f32},
                             {"ring", u16},
                             {"_", u8}}});
}

TYPED_TEST(Contract, StepsLargerThanTheFields) {
  const Row row("steps larger than the fields", this->column);
  Layout layout;
  layout.height = 6;
  layout.gap = 13;
  layout.row_gap = 5;
  expect_layout<TypeParam>(layout);
}

TYPED_TEST(Contract, FieldsInAnotherOrder) {
  const Row row("fields in another order", this->column);
  expect_layout<TypeParam>(
      {{{"ring", u16}, {"weight", f32}, {"z", f32}, {"intensity", f32}, {"x", f32}, {"y", f32}}});
}

TYPED_TEST(Contract, AttributesOfOtherTypes) {
  const Row row("u8, u16, f64 attributes", this->column);
  for (const FieldType type : {u8, u16, f64})
    expect_layout<TypeParam>(
        {{{"x", f64}, {"y", f32}, {"z", f32}, {"intensity", type}, {"weight", f64}, {"ring", u16}}});
}

TYPED_TEST(Contract, BigEndian) {
  Row row("big-endian message", this->column);
  if (!TypeParam::is_message) {
    row.skip();
    return;
  }
  Layout layout;
  layout.big_endian = true;
  expect_layout<TypeParam>(layout);
  layout.fields[3].second = u16;
  layout.fields[4].second = f64;
  expect_layout<TypeParam>(layout);
}

TYPED_TEST(Contract, SizesThatDisagree) {
  Row row("row_step stale or sizes that disagree is an error", this->column);
  if constexpr (TypeParam::is_message) {
    const auto good = message_of_cloud(*plain_cloud(48, 1));
    const auto fails = [&](const std::string& what, const auto& change) {
      pcl::PCLPointCloud2::Ptr bad(new pcl::PCLPointCloud2(*good));
      change(*bad);
      const auto object = make<TypeParam>();
      const Run found = run_on<TypeParam>(*object, bad);
      EXPECT_NE(found.error, "") << what;
      EXPECT_EQ(found.size(), 0U) << what;
      EXPECT_EQ(run_on<TypeParam>(*object, good).error, "");
    };
    fails("row_step", [](auto& bad) { bad.row_step -= 4; });
    fails("width", [](auto& bad) { bad.width += 1; });
    fails("height", [](auto& bad) { bad.height = 2; });
    fails("data", [](auto& bad) { bad.data.pop_back(); });
    fails("offset", [](auto& bad) { bad.fields[2].offset = bad.point_step - 2; });
  } else {
    const auto cloud = plain_cloud(48, 1);
    const Run expected = run<TypeParam>(cloud);
    cloud->width = 7;  // a typed cloud knows how many points it has
    EXPECT_TRUE(same_points(run<TypeParam>(cloud), expected));
    row.note("✓ points count");
  }
}

}  // namespace
}  // namespace pcl_attention::test
