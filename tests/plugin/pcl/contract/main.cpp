// SPDX-License-Identifier: BSD-3-Clause
// Runs the suite, prints the table, and holds it against plugin/pcl/README.md when all of it has run.
#include <gtest/gtest.h>
#include <pcl/console/print.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "contract/table.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);  // failures are asked for by the dozen
  const int result = RUN_ALL_TESTS();
  const std::string table = pcl_attention::test::Table::instance().text(
      {"AttentionEstimation", "AttentionGlobalEstimation", "AttentionFilter", "AttentionFilter (message)",
       "AttentionSampling", "AttentionSampling (message)", "AttentionOutlierRemoval",
       "AttentionOutlierRemoval (message)", "CanonicalOrder", "CanonicalOrder (message)",
       "EquivarianceEvaluation"});
  std::printf("%s", table.c_str());
  if (result != 0 || ::testing::GTEST_FLAG(filter) != "*") return result;

  std::ostringstream readme;
  readme << std::ifstream(PCL_ATTENTION_PCL_README).rdbuf();
  if (readme.str().find(table) != std::string::npos) return 0;
  std::printf("plugin/pcl/README.md holds another table\n");
  return 1;
}
