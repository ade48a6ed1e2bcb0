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

# ---- Labels: which run takes a test, as host_tests/README.md says -------------------------------
# relayout_label(label test ...): tests that this folder has added before; a build may lack some.
function(relayout_label label)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY LABELS ${label})
    endif()
  endforeach()
endfunction()

# relayout_takes(seconds test ...): these take more than two seconds, about so many. What takes
# longest begins first, so that all processors are busy to the end.
function(relayout_takes seconds)
  relayout_label(slow ${ARGN})
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_property(TEST ${test} PROPERTY COST ${seconds})
    endif()
  endforeach()
endfunction()

# relayout_label_folder(label): all tests of this folder, those that follow too.
function(relayout_label_folder label)
  cmake_language(EVAL CODE "cmake_language(DEFER CALL relayout_label_folder_now ${label})")
endfunction()

function(relayout_label_folder_now label)
  get_property(tests DIRECTORY PROPERTY TESTS)
  relayout_label(${label} ${tests})
endfunction()

# relayout_label_sets(prefix): the tests prefix_SET, one for each instruction set. Those in the
# middle share all of their code with others, and conformance.cpu runs the one that is chosen.
function(relayout_label_sets prefix)
  relayout_label(thorough ${prefix}_avx512 ${prefix}_sse41 ${prefix}_sse2)
  relayout_label(not_clang ${prefix}_avx512 ${prefix}_sse41)
  relayout_label(not_asan ${prefix}_avx512 ${prefix}_sse41 ${prefix}_sse2)
endfunction()

# relayout_add_long_test(name COMMAND ...): one that only scripts/test_long runs.
function(relayout_add_long_test name)
  add_test(NAME ${name} ${ARGN} CONFIGURATIONS long)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  relayout_label(long ${name})
endfunction()

# ---- MPI ----------------------------------------------------------------------------------------
# relayout_add_mpi_test(name ranks command ...) adds a test that MPI's launcher starts with `ranks`
# ranks. They may be more than the machine has processors, which Open MPI has to be told.
function(relayout_add_mpi_test name ranks)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS 2 ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1")
endfunction()

# ---- OpenCL -------------------------------------------------------------------------------------
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

# relayout_compiles_kernels(group test ...): tests of OpenCL devices, skipped where there are none.
function(relayout_compiles_kernels group)
  relayout_share_kernels(${group} ${ARGN})
  relayout_label(opencl ${ARGN})
endfunction()

# relayout_may_compile_kernels(group test ...): tests of whatever devices there are, the CPU backend
# at least.
function(relayout_may_compile_kernels group)
  relayout_share_kernels(${group} ${ARGN})
  relayout_label(any_device ${ARGN})
endfunction()

function(relayout_share_kernels group)
  foreach(test IN LISTS ARGN)
    set_property(TEST ${test} APPEND PROPERTY RESOURCE_LOCK pocl_${group})
    set_property(TEST ${test} APPEND PROPERTY
                 ENVIRONMENT "POCL_CACHE_DIR=${RELAYOUT_POCL_CACHE}/${group}")
    # They wait for each other: all of them begin early.
    get_property(seconds TEST ${test} PROPERTY COST)
    if(NOT seconds)
      set_property(TEST ${test} PROPERTY COST 10)
    endif()
  endforeach()
endfunction()

# Sets `vendors` in the caller to what OCL_ICD_VENDORS is for Oclgrind alone; where that is not
# installed, to a place without any driver, so that tests are skipped.
function(relayout_find_oclgrind)
  find_file(OCLGRIND_ICD liboclgrind-rt-icd.so PATHS /usr/lib/oclgrind /usr/local/lib/oclgrind
            DOC "Oclgrind's OpenCL driver")
  mark_as_advanced(OCLGRIND_ICD)
  set(vendors ${OCLGRIND_ICD} PARENT_SCOPE)
  if(NOT OCLGRIND_ICD)
    set(vendors ${CMAKE_CURRENT_BINARY_DIR}/no_vendor PARENT_SCOPE)
  endif()
endfunction()
