# What the library is held against in tests, where it is installed: other projects' headers, Python
# packages, a plugin and a driver. scripts/counterparts fills one folder with all of them, which
# RELAYOUT_COUNTERPARTS names; each can be named by itself as well. Tests of what is not found are
# skipped and say so.
set(RELAYOUT_COUNTERPARTS "" CACHE PATH "The folder that scripts/counterparts filled")
set(folder "${RELAYOUT_COUNTERPARTS}")
if(NOT folder)
  set(folder ${PROJECT_BINARY_DIR}/no_counterparts)
endif()

# dlpack/dlpack.h, and xla/pjrt/c/pjrt_c_api.h.
find_path(RELAYOUT_DLPACK_INCLUDE_DIR dlpack/dlpack.h HINTS ${folder}/include)
find_path(RELAYOUT_PJRT_INCLUDE_DIR xla/pjrt/c/pjrt_c_api.h HINTS ${folder}/include)
# An interpreter, with or without NumPy, PyTorch, JAX and pyopencl.
find_program(RELAYOUT_PYTHON python3 HINTS ${folder}/venv/bin)
# XLA's CPU devices as a plugin of PJRT's.
find_file(RELAYOUT_PJRT_PLUGIN pjrt_c_api_cpu_plugin.so PATHS ${folder}/lib NO_DEFAULT_PATH)
# A folder with nothing but Intel's OpenCL driver for CPUs and what that loads.
find_path(RELAYOUT_INTEL_OPENCL_DIR libintelocl.so PATHS ${folder}/intel/lib NO_DEFAULT_PATH)
# What compares libraries as programs see them.
find_program(RELAYOUT_ABIDIFF abidiff)
mark_as_advanced(RELAYOUT_DLPACK_INCLUDE_DIR RELAYOUT_PJRT_INCLUDE_DIR RELAYOUT_PYTHON
                 RELAYOUT_PJRT_PLUGIN RELAYOUT_INTEL_OPENCL_DIR RELAYOUT_ABIDIFF)

# Adds a test that is skipped, and says why.
function(relayout_add_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

# Adds a test in Python, which finds host_tests/relayout_library.py and is given the shared library
# first. Another interpreter's process cannot load a sanitized one.
function(relayout_add_python_test name script)
  if(NOT RELAYOUT_PYTHON OR NOT BUILD_SHARED_LIBS OR RELAYOUT_SANITIZE)
    relayout_add_skipped_test(${name} "no Python, or no library that it can load")
    return()
  endif()
  add_test(NAME ${name} COMMAND ${RELAYOUT_PYTHON} ${script} $<TARGET_FILE:relayout> ${ARGN})
  set_tests_properties(${name} PROPERTIES
    SKIP_RETURN_CODE 77
    ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/host_tests;PYTHONDONTWRITEBYTECODE=1")
endfunction()
