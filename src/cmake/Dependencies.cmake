# SPDX-License-Identifier: BSD-3-Clause
# What the library is built from, each with its lowest version. All are in the distributions.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB 2021 REQUIRED)
find_package(nlohmann_json 3.9 REQUIRED)
