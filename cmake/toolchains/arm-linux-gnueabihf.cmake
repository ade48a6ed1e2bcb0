# Builds for 32-bit Arm, with Debian's gcc-arm-linux-gnueabihf and libc6-dev-armhf-cross.
set(CMAKE_SYSTEM_PROCESSOR arm)
set(triple arm-linux-gnueabihf)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gnu.cmake)
