# Each test is a cmocka program that ctest runs under the name layer.subject; exit code 77 means
# that what it needs is not on this machine, and shows as skipped.
find_package(cmocka REQUIRED)

# relayout_add_test(layer.subject SOURCES ... [LIBRARIES ...] [ARGUMENTS ...])
function(relayout_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LIBRARIES;ARGUMENTS")
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${test_SOURCES})
  target_link_libraries(${target} PRIVATE relayout_internal ${CMOCKA_LIBRARIES} ${test_LIBRARIES})
  target_include_directories(${target} PRIVATE ${CMOCKA_INCLUDE_DIR}
                                               ${PROJECT_SOURCE_DIR}/host_tests)
  add_test(NAME ${name} COMMAND ${target} ${test_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# relayout_wrap_opencl(target function ...): what the program and the library call of these goes to
# the program's __wrap_function, which reaches OpenCL's by __real_function.
function(relayout_wrap_opencl target)
  list(TRANSFORM ARGN PREPEND "-Wl,--wrap=" OUTPUT_VARIABLE options)
  target_link_options(${target} PRIVATE ${options})
  target_link_libraries(${target} PRIVATE opencl_hand_in)
endfunction()

# Processes of PoCL 3.1 should not compile into one folder at the same time, and what one test has
# compiled serves the next. So the tests of a group run one after the other, on a folder of the
# group's own. The presets give all builds the same folders, since their kernels are the same.
set(RELAYOUT_POCL_CACHE ${PROJECT_BINARY_DIR}/pocl CACHE PATH
    "Where tests have PoCL keep what it compiles")
mark_as_advanced(RELAYOUT_POCL_CACHE)

# relayout_compiles_kernels(group test ...)
function(relayout_compiles_kernels group)
  foreach(test IN LISTS ARGN)
    set_property(TEST ${test} APPEND PROPERTY RESOURCE_LOCK pocl_${group})
    set_property(TEST ${test} APPEND PROPERTY
                 ENVIRONMENT "POCL_CACHE_DIR=${RELAYOUT_POCL_CACHE}/${group}")
  endforeach()
endfunction()
