# The libraries that `relayout bench --peers` compares with on the CPU, where they are
# installed: RELAYOUT_ONEDNN_INCLUDE and RELAYOUT_EIGEN_INCLUDE are their directories of
# headers, or false. Nothing else needs them, nor C++. Sanitized builds do without: how other
# libraries use memory is not judged here.
if(RELAYOUT_SANITIZE)
  return()
endif()

# The C interface changed with version 3.
find_path(RELAYOUT_ONEDNN_INCLUDE oneapi/dnnl/dnnl_version.h)
mark_as_advanced(RELAYOUT_ONEDNN_INCLUDE)
if(RELAYOUT_ONEDNN_INCLUDE)
  file(STRINGS ${RELAYOUT_ONEDNN_INCLUDE}/oneapi/dnnl/dnnl_version.h onednn_version_2
       REGEX "define DNNL_VERSION_MAJOR +2$")
  if(NOT onednn_version_2)
    set(RELAYOUT_ONEDNN_INCLUDE FALSE)
  endif()
endif()

find_path(RELAYOUT_EIGEN_INCLUDE unsupported/Eigen/CXX11/Tensor PATH_SUFFIXES eigen3)
mark_as_advanced(RELAYOUT_EIGEN_INCLUDE)
if(RELAYOUT_EIGEN_INCLUDE)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  else()
    set(RELAYOUT_EIGEN_INCLUDE FALSE)
  endif()
endif()
