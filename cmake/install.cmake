# What `cmake --install` puts where: library, headers, and the two ways to find them,
# find_package(relayout) and pkg-config; the command, its manual, and what completes its words.
# Everything is relative to the prefix, which may be chosen or moved afterwards.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/relayout)

set(installed_targets relayout)
set(private_headers "")
if(RELAYOUT_OPENCL)
  list(APPEND installed_targets relayout_opencl)
else()
  set(private_headers PATTERN opencl.h EXCLUDE PATTERN submit.h EXCLUDE)
endif()
if(NOT RELAYOUT_OPENCL OR NOT RELAYOUT_RECORDINGS)
  list(APPEND private_headers PATTERN recording.h EXCLUDE)
endif()

install(TARGETS ${installed_targets} EXPORT relayout-targets)
install(DIRECTORY include/relayout TYPE INCLUDE ${private_headers})
install(EXPORT relayout-targets NAMESPACE relayout:: DESTINATION ${package_dir})

# relayout-mpi has targets of its own, so that it can be a package by itself for each MPI.
if(RELAYOUT_HAS_MPI)
  set_target_properties(relayout_scalapack PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS relayout_mpi relayout_scalapack EXPORT relayout-mpi-targets)
  install(DIRECTORY src/mpi/include/relayout TYPE INCLUDE)
  install(EXPORT relayout-mpi-targets NAMESPACE relayout:: DESTINATION ${package_dir})
endif()

if(RELAYOUT_BUILD_TOOLS)
  file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(relayout_command PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
  install(TARGETS relayout_command)
  if(RELAYOUT_HAS_MPI)
    set_target_properties(relayout_mpi_command PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
    install(TARGETS relayout_mpi_command)
  endif()
  install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  set(completion ${PROJECT_BINARY_DIR}/completion)
  install(FILES ${completion}/relayout.bash RENAME relayout
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completion}/_relayout DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completion}/relayout.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# find_package: a static library brings its own dependencies, a shared one hides them.
get_target_property(library_type relayout TYPE)
if(library_type STREQUAL STATIC_LIBRARY)
  set(is_static TRUE)
else()
  set(is_static FALSE)
endif()
configure_package_config_file(cmake/relayout-config.cmake.in
                              ${PROJECT_BINARY_DIR}/relayout-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 each minor version may break what was there, as the soname says too.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/relayout-config-version.cmake
                                 COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/relayout-config.cmake
              ${PROJECT_BINARY_DIR}/relayout-config-version.cmake
        DESTINATION ${package_dir})

# pkg-config: relayout, and relayout-opencl and relayout-mpi for users of relayout/opencl.h and
# relayout/mpi.h.
set(pkg_config_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE prefix_from_pkg_config)
cmake_path(APPEND pkg_config_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pkg_config_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
set(private_libraries "-pthread")
if(NOT RELAYOUT_HAS_ATOMIC_BYTES)
  string(APPEND private_libraries " -latomic")
endif()
if(RELAYOUT_OPENCL)
  foreach(library ${CMAKE_DL_LIBS})
    string(APPEND private_libraries " -l${library}")
  endforeach()
endif()
configure_file(cmake/relayout.pc.in ${PROJECT_BINARY_DIR}/relayout.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/relayout.pc DESTINATION ${pkg_config_dir})
if(RELAYOUT_OPENCL)
  configure_file(cmake/relayout-opencl.pc.in ${PROJECT_BINARY_DIR}/relayout-opencl.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/relayout-opencl.pc DESTINATION ${pkg_config_dir})
endif()
if(RELAYOUT_HAS_MPI)
  configure_file(cmake/relayout-mpi.pc.in ${PROJECT_BINARY_DIR}/relayout-mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/relayout-mpi.pc DESTINATION ${pkg_config_dir})
endif()
