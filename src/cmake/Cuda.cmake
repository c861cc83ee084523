# SPDX-License-Identifier: BSD-3-Clause
# PCL_ATTENTION_CUDA: AUTO takes CUDA if its compiler works and the library is shared, ON demands it, OFF
# leaves it out. Sets PCL_ATTENTION_HAS_CUDA. Whoever uses the library needs no CUDA either way, but for a
# static library, which leaves the runtime to be linked.
set(PCL_ATTENTION_CUDA AUTO CACHE STRING "Build the CUDA engine: AUTO (if nvcc is found), ON or OFF")
set_property(CACHE PCL_ATTENTION_CUDA PROPERTY STRINGS AUTO ON OFF)

set(PCL_ATTENTION_HAS_CUDA FALSE)
set(_pcl_attention_wants_cuda ${PCL_ATTENTION_CUDA})
if(PCL_ATTENTION_CUDA STREQUAL "AUTO")
  set(_pcl_attention_wants_cuda ${BUILD_SHARED_LIBS})
endif()
if(_pcl_attention_wants_cuda)
  set(_pcl_attention_own_architectures TRUE)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES OR DEFINED ENV{CUDAARCHS})
    set(_pcl_attention_own_architectures FALSE)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(PCL_ATTENTION_HAS_CUDA TRUE)
    # Machine code for every generation since Turing; the last one also as PTX, for those to come.
    if(_pcl_attention_own_architectures)
      set(_pcl_attention_architectures 75-real 80-real 86-real 89-real 90-real 100-real 120)
      if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
        set(_pcl_attention_architectures 75-real 80-real 86-real 89-real 90)
      endif()
      set(CMAKE_CUDA_ARCHITECTURES ${_pcl_attention_architectures} CACHE STRING "CUDA architectures" FORCE)
    endif()
    message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(PCL_ATTENTION_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA not found: built without")
  else()
    message(FATAL_ERROR "PCL_ATTENTION_CUDA is ${PCL_ATTENTION_CUDA}, but no CUDA compiler works. "
                        "Set CMAKE_CUDA_COMPILER to nvcc, or PCL_ATTENTION_CUDA to OFF")
  endif()
endif()
