// SPDX-License-Identifier: BSD-3-Clause
// The bodies of PCL's base templates, for point types that PCL's libraries do not hold.
#pragma once

#include <pcl/features/impl/feature.hpp>
#include <pcl/filters/impl/filter.hpp>
#include <pcl/filters/impl/filter_indices.hpp>
#include <pcl/impl/pcl_base.hpp>
#include <pcl/kdtree/impl/kdtree_flann.hpp>
#include <pcl/search/impl/kdtree.hpp>
#include <pcl/search/impl/organized.hpp>
#include <pcl/search/impl/search.hpp>
