# SPDX-License-Identifier: BSD-3-Clause
# What the library is built from, each with its lowest version. All are in the distributions.

# pcl_attention_found(name version lowest package) stops with what was wanted and what was found.
function(pcl_attention_found name version lowest package)
  if(NOT version)
    message(FATAL_ERROR "pcl_attention needs ${name} ${lowest} or newer, found none. "
                        "On Debian and Ubuntu: apt-get install ${package}")
  elseif(version VERSION_LESS lowest)
    message(FATAL_ERROR "pcl_attention needs ${name} ${lowest} or newer, found ${version}")
  endif()
  message(STATUS "${name} ${version}")
endfunction()

find_package(Threads REQUIRED)
find_package(Eigen3 QUIET NO_MODULE)
pcl_attention_found(Eigen "${Eigen3_VERSION}" 3.4 libeigen3-dev)
find_package(TBB QUIET)
pcl_attention_found(oneTBB "${TBB_VERSION}" 2021 libtbb-dev)
find_package(hwy QUIET)
pcl_attention_found(Highway "${hwy_VERSION}" 1.0 libhwy-dev)
find_package(nanoflann QUIET)
pcl_attention_found(nanoflann "${nanoflann_VERSION}" 1.4 libnanoflann-dev)
find_package(nlohmann_json QUIET)
pcl_attention_found("nlohmann-json" "${nlohmann_json_VERSION}" 3.9 nlohmann-json3-dev)
if(PCL_ATTENTION_PCL)
  include(PclBridge)
  if(NOT PCL_FOUND)
    unset(PCL_VERSION)  # set, too, when only a component is missing
  endif()
  pcl_attention_found(PCL "${PCL_VERSION}" 1.12 libpcl-dev)
endif()
