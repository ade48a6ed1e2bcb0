# Each test is a cmocka program that ctest runs under the name layer.subject; exit code 77 means that
# what it needs is not on this machine, and shows as skipped.
find_package(cmocka REQUIRED)

# relayout_add_test(layer.subject SOURCES ... [LIBRARIES ...] [ARGUMENTS ...])
function(relayout_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LIBRARIES;ARGUMENTS")
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${test_SOURCES})
  target_link_libraries(${target} PRIVATE relayout_internal ${CMOCKA_LIBRARIES} ${test_LIBRARIES})
  target_include_directories(${target} PRIVATE ${CMOCKA_INCLUDE_DIR} ${PROJECT_SOURCE_DIR}/host_tests)
  add_test(NAME ${name} COMMAND ${target} ${test_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
