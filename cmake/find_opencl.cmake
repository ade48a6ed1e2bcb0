# RELAYOUT_OPENCL_INCLUDE: the folder of OpenCL's headers, which are all that the library needs: it
# opens a loader by itself when it needs one. RELAYOUT_OPENCL_LOADER: whether there is one to link
# with, as programs need that call OpenCL themselves.
find_path(RELAYOUT_OPENCL_INCLUDE CL/cl.h HINTS ${OpenCL_INCLUDE_DIR} ENV OpenCL_ROOT
          PATH_SUFFIXES include)
mark_as_advanced(RELAYOUT_OPENCL_INCLUDE)
if(NOT RELAYOUT_OPENCL_INCLUDE)
  message(FATAL_ERROR
          "The OpenCL backend needs OpenCL's headers, CL/cl.h. Install them (Debian, Ubuntu: "
          "opencl-headers; Fedora, Arch, Alpine: opencl-headers too), or set "
          "RELAYOUT_OPENCL_INCLUDE to their folder; or build without OpenCL, with "
          "-DRELAYOUT_OPENCL=OFF.")
endif()

set(OpenCL_INCLUDE_DIR ${RELAYOUT_OPENCL_INCLUDE} CACHE PATH "OpenCL's headers")
mark_as_advanced(OpenCL_INCLUDE_DIR)
find_package(OpenCL QUIET)
set(RELAYOUT_OPENCL_LOADER ${OpenCL_FOUND})
if(NOT RELAYOUT_OPENCL_LOADER AND RELAYOUT_BUILD_TESTS)
  message(FATAL_ERROR
          "The tests call OpenCL themselves, and need a loader to link with. Install it (Debian, "
          "Ubuntu: ocl-icd-opencl-dev), or build without tests, with -DRELAYOUT_BUILD_TESTS=OFF.")
elseif(NOT RELAYOUT_OPENCL_LOADER AND (RELAYOUT_BUILD_TOOLS OR RELAYOUT_BUILD_SAMPLES))
  message(STATUS
          "No OpenCL loader to link with (Debian, Ubuntu: ocl-icd-opencl-dev): samples that call "
          "OpenCL are left out, and the command does not measure OpenCL devices")
endif()
