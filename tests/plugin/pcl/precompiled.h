// SPDX-License-Identifier: BSD-3-Clause
// PCL's templates are slow to read; the tests of this folder read them once.
#pragma once

#include <gtest/gtest.h>
#include <pcl/io/pcd_io.h>
#include <pcl/registration/correspondence_estimation.h>

#include "pcl_attention/pcl/attention_estimation.h"
