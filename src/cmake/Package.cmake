# SPDX-License-Identifier: BSD-3-Clause
# Installation and the files find_package(pcl_attention) reads.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pcl_attention)

install(TARGETS pcl_attention_core EXPORT pcl_attention-core)
install(EXPORT pcl_attention-core NAMESPACE pcl_attention:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

if(TARGET pcl_attention_pcl)
  install(TARGETS pcl_attention_pcl EXPORT pcl_attention-pcl)
  install(EXPORT pcl_attention-pcl NAMESPACE pcl_attention:: DESTINATION ${package_dir})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/plugin/pcl/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/src/cmake/PclBridge.cmake DESTINATION ${package_dir})
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/src/cmake/pcl_attention-config.cmake.in
  ${PROJECT_BINARY_DIR}/pcl_attention-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pcl_attention-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pcl_attention-config.cmake
              ${PROJECT_BINARY_DIR}/pcl_attention-config-version.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
