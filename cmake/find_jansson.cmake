# jansson, which reads and writes JSON for the command: the target PkgConfig::RELAYOUT_JANSSON. A
# build for another processor goes without where there is none; RELAYOUT_JANSSON_FOUND tells.
find_package(PkgConfig)
if(PKG_CONFIG_FOUND AND NOT CMAKE_CROSSCOMPILING)
  pkg_check_modules(RELAYOUT_JANSSON IMPORTED_TARGET jansson>=2.8)
endif()
if(NOT RELAYOUT_JANSSON_FOUND AND NOT CMAKE_CROSSCOMPILING)
  message(FATAL_ERROR "the relayout command needs jansson (Debian: libjansson-dev) and pkg-config; "
                      "-DRELAYOUT_BUILD_TOOLS=OFF builds the library alone")
endif()
