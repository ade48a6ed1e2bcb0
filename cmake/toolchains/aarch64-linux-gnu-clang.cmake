# Builds for 64-bit Arm with clang, and with the libraries of Debian's gcc-aarch64-linux-gnu and
# libc6-dev-arm64-cross.
include(${CMAKE_CURRENT_LIST_DIR}/aarch64-linux-gnu.cmake)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
