// SPDX-License-Identifier: BSD-3-Clause
// The bodies of PCL's filter templates, for point types that PCL's libraries do not hold.
#pragma once

#include <pcl/filters/filter.h>
#include <pcl/filters/filter_indices.h>
#include <pcl/pcl_base.h>

#include <pcl/filters/impl/filter.hpp>
#include <pcl/filters/impl/filter_indices.hpp>
#include <pcl/impl/pcl_base.hpp>
