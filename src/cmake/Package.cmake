# SPDX-License-Identifier: BSD-3-Clause
# Installation and the files find_package(pcl_attention) reads.
