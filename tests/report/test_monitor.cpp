// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>

#include "pcl_attention/equivariance_monitor.h"
#include "support/clouds.h"

namespace pcl_attention::test {
namespace {

/// A node whose frames are `period` seconds apart; an operator that takes `cost` seconds.
struct Node {
  double time = 0.0, period = 0.1, cost = 0.1;
  bool wrong = false;
  FloatCloud cloud = random_cloud(50, 5);

  RowOperator own_x() {
    return [this](const CloudView& view, std::vector<double>& rows) {
      time += cost;
      rows.clear();
      for (std::size_t i = 0; i < view.num_points(); ++i) {
        float x;
        std::memcpy(&x, view.point(i), sizeof x);
        rows.push_back(static_cast<double>(x) + (wrong ? static_cast<double>(i) : 0.0));
      }
      return std::size_t{1};
    };
  }

  MonitorOptions options(std::size_t every, double share) {
    MonitorOptions result;
    result.every = every;
    result.time_share = share;
    result.now = [this] { return time; };
    return result;
  }

  std::vector<float> rows() const {
    std::vector<float> x;
    for (std::size_t i = 0; i < cloud.size(); ++i) x.push_back(cloud.row(i)[0]);
    return x;
  }
};

TEST(EquivarianceMonitor, ChecksOneFrameInMany) {
  Node node;
  EquivarianceMonitor monitor(node.own_x(), node.options(10, 1.0));
  std::vector<std::size_t> checked;
  for (std::size_t frame = 0; frame < 100; ++frame) {
    if (const auto check = monitor.watch(node.cloud.view(), node.rows().data(), 1)) {
      checked.push_back(check->frame);
      EXPECT_TRUE(check->bitwise_equal);
    }
    node.time += node.period;
  }
  EXPECT_EQ(checked, (std::vector<std::size_t>{9, 19, 29, 39, 49, 59, 69, 79, 89, 99}));
  EXPECT_EQ(monitor.frames(), 100U);
  EXPECT_EQ(monitor.largest_relative_l2(), 0.0);
}

TEST(EquivarianceMonitor, TimeSpentStaysBelowItsShare) {
  for (const double cost : {0.05, 0.1, 2.0}) {
    Node node;
    node.cost = cost;
    EquivarianceMonitor monitor(node.own_x(), node.options(1, 0.02));
    double first_surplus = 0.0;  // of the first check over the mean time between frames
    for (std::size_t frame = 0; frame < 5000; ++frame) {
      const auto check = monitor.watch(node.cloud.view(), node.rows().data(), 1);
      if (check && monitor.checks() == 1) first_surplus = std::max(0.0, check->seconds - node.period);
      node.time += node.period;
      EXPECT_LE(monitor.seconds_spent(), 0.02 * node.time + first_surplus + 1e-9);
    }
    EXPECT_GT(monitor.checks(), 3U);
  }
}

TEST(EquivarianceMonitor, FindsAnOperatorThatGoesByPosition) {
  Node node;
  node.wrong = true;
  EquivarianceMonitor monitor(node.own_x(), node.options(5, 1.0));
  std::vector<double> rows;
  node.own_x()(node.cloud.view(), rows);
  for (std::size_t frame = 0; frame < 30; ++frame) {
    monitor.watch(node.cloud.view(), rows.data(), 1);
    node.time += node.period;
  }
  EXPECT_GT(monitor.checks(), 1U);
  EXPECT_GT(monitor.largest_relative_l2(), 0.1);
}

TEST(EquivarianceMonitor, WrongOptionsAndRowsAreRefused) {
  Node node;
  EXPECT_THROW(EquivarianceMonitor(RowOperator(), {}), std::invalid_argument);
  EXPECT_THROW(EquivarianceMonitor(node.own_x(), node.options(0, 0.1)), std::invalid_argument);
  EXPECT_THROW(EquivarianceMonitor(node.own_x(), node.options(1, 0.0)), std::invalid_argument);
  EXPECT_THROW(EquivarianceMonitor(node.own_x(), node.options(1, 1.5)), std::invalid_argument);
  EquivarianceMonitor monitor(node.own_x(), node.options(1, 1.0));
  const std::vector<double> rows(100, 0.0);
  monitor.watch(node.cloud.view(), rows.data(), 2);
  node.time += 1.0;
  EXPECT_THROW(monitor.watch(node.cloud.view(), rows.data(), 2), std::invalid_argument);
}

TEST(EquivarianceMonitor, RunsOnTheSteadyClock) {
  Node node;
  MonitorOptions options;
  options.every = 1;
  options.time_share = 1.0;
  EquivarianceMonitor monitor(node.own_x(), options);
  const std::vector<float> rows = node.rows();
  for (std::size_t frame = 0; frame < 3; ++frame) monitor.watch(node.cloud.view(), rows.data(), 1);
  EXPECT_EQ(monitor.frames(), 3U);
}

}  // namespace
}  // namespace pcl_attention::test
