# Builds for 64-bit Arm, with Debian's gcc-aarch64-linux-gnu and libc6-dev-arm64-cross.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gnu.cmake)
