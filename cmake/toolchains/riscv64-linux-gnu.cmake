# Builds for 64-bit RISC-V, with Debian's gcc-riscv64-linux-gnu and libc6-dev-riscv64-cross.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gnu.cmake)
