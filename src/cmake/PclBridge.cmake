# SPDX-License-Identifier: BSD-3-Clause
# Finds the parts of PCL that pcl_attention needs and makes one target of them:
# pcl_attention::pcl_bridge. Used by the build and by an installed package.
#
# The optional parts of pcl_io (VTK, OpenNI, libusb, ...) are not looked for: VTK's own search asks for
# MPI in C and fails in projects of C++ only. A project that wants them calls find_package(PCL) first;
# what it found is kept.
set(_pcl_attention_pcl_components common io filters features search kdtree)
set(_pcl_attention_pcl_optional VTK OpenNI OpenNI2 Pcap PNG libusb)

foreach(_package ${_pcl_attention_pcl_optional})
  set(_pcl_attention_disable_${_package} ${CMAKE_DISABLE_FIND_PACKAGE_${_package}})
  set(CMAKE_DISABLE_FIND_PACKAGE_${_package} ON)
endforeach()
find_package(PCL QUIET COMPONENTS ${_pcl_attention_pcl_components})
foreach(_package ${_pcl_attention_pcl_optional})
  set(CMAKE_DISABLE_FIND_PACKAGE_${_package} ${_pcl_attention_disable_${_package}})
endforeach()

if(PCL_FOUND AND NOT PCL_VERSION VERSION_LESS 1.12 AND NOT TARGET pcl_attention::pcl_bridge)
  add_library(pcl_attention::pcl_bridge INTERFACE IMPORTED)
  set_target_properties(pcl_attention::pcl_bridge PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PCL_INCLUDE_DIRS}")
  foreach(_component ${_pcl_attention_pcl_components})
    set_property(TARGET pcl_attention::pcl_bridge APPEND PROPERTY
      INTERFACE_LINK_LIBRARIES pcl_${_component})
  endforeach()
  if(TARGET FLANN::FLANN)  # kdtree's template bodies include it
    set_property(TARGET pcl_attention::pcl_bridge APPEND PROPERTY INTERFACE_LINK_LIBRARIES FLANN::FLANN)
  endif()
endif()
