# OpenCL::OpenCL: its headers, and unless RELAYOUT_OPENCL_LOADER is off its loader, which programs
# link that call OpenCL by themselves. Without the loader tests and samples cannot be built.
if(RELAYOUT_OPENCL_LOADER)
  find_package(OpenCL REQUIRED)
  return()
endif()
find_path(OpenCL_INCLUDE_DIR CL/cl.h)
if(NOT OpenCL_INCLUDE_DIR)
  message(FATAL_ERROR "OpenCL's headers are missing. Install them (Debian: opencl-c-headers), or "
                      "say where they are: -DOpenCL_INCLUDE_DIR=...")
endif()
add_library(OpenCL::OpenCL INTERFACE IMPORTED GLOBAL)
target_include_directories(OpenCL::OpenCL SYSTEM INTERFACE ${OpenCL_INCLUDE_DIR})
