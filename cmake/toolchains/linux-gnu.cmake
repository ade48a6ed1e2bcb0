# What the other toolchain files share: Debian's cross compiler for Linux on another processor,
# CMAKE_SYSTEM_PROCESSOR, and QEMU's user mode, by which tests run what it makes.
set(CMAKE_SYSTEM_NAME Linux)
if(NOT DEFINED triple)
  set(triple ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
endif()
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -L /usr/${triple})

# The C library of the cross compiler; libraries of that architecture also where Debian puts them.
set(CMAKE_FIND_ROOT_PATH /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
