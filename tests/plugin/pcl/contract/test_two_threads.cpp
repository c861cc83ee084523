// SPDX-License-Identifier: BSD-3-Clause
// A row of the table that is also a program of its own, small enough for the thread sanitizer.
#include <gtest/gtest.h>

#include <thread>

#include "contract/classes.h"
#include "contract/table.h"

namespace pcl_attention::test {
namespace {

template <class C>
class TwoThreads : public ::testing::Test {};
TYPED_TEST_SUITE(TwoThreads, Classes, ClassNames);

TYPED_TEST(TwoThreads, TwoObjectsOneCloud) {
  const Row row("two objects in two threads, one const cloud", name_of<TypeParam>());
  const auto plain = plain_cloud(400, 1);
  const auto cloud = input_of<TypeParam>(plain);
  const Run expected = run<TypeParam>(plain);
  Run found[2];
  const auto work = [&](Run& result) {
    const auto object = make<TypeParam>();
    for (int i = 0; i < 3; ++i) result = run_on<TypeParam>(*object, cloud);
  };
  std::thread one(work, std::ref(found[0])), two(work, std::ref(found[1]));
  one.join();
  two.join();
  EXPECT_EQ(found[0].error, "");
  EXPECT_TRUE(same_points(found[0], expected));
  EXPECT_TRUE(same_points(found[1], expected));
}

}  // namespace
}  // namespace pcl_attention::test
