# Builds for IBM Z, a big-endian processor, with Debian's gcc-s390x-linux-gnu and
# libc6-dev-s390x-cross.
set(CMAKE_SYSTEM_PROCESSOR s390x)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gnu.cmake)
