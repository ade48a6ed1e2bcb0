#!/bin/sh
# check_opencl_headers.sh COMPILER INCLUDE_DIR
# Compiles the headers that include CL/cl.h before and behind OpenCL's headers, those for C
# and those for C++, of several versions, with warnings as errors.
set -eu
compiler=$1 include_dir=$2

if ! command -v "$compiler" >/dev/null; then
  echo "no $compiler here"
  exit 77
fi

# compile LANGUAGE STANDARD DEFINITIONS HEADER HEADER
compile() {
  printf '%s\n#include <%s>\n#include <%s>\ncl_uint count;\n' "$3" "$4" "$5" |
    "$compiler" -x "$1" "-std=$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
      -I "$include_dir" -
}

# in_both_orders LANGUAGE STANDARD DEFINITIONS HEADER
in_both_orders() {
  for ours in relayout/opencl.h relayout/recording.h relayout/submit.h; do
    compile "$1" "$2" "$3" "$ours" "$4"
    compile "$1" "$2" "$3" "$4" "$ours"
  done
}

for version in 120 200 300; do
  in_both_orders c c11 "#define CL_TARGET_OPENCL_VERSION $version" CL/cl.h
done

if ! echo '#include <new>' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null; then
  echo "no $compiler for C++ here"
  exit 77
fi
in_both_orders c++ c++11 '#define CL_TARGET_OPENCL_VERSION 300' CL/cl.h

if ! echo '#include <CL/opencl.hpp>' |
  "$compiler" -x c++ -std=c++11 -DCL_HPP_TARGET_OPENCL_VERSION=300 -fsyntax-only - 2>/dev/null; then
  echo "no CL/opencl.hpp here (Debian: opencl-clhpp-headers)"
  exit 77
fi
for version in 200 300; do
  in_both_orders c++ c++11 "#define CL_HPP_TARGET_OPENCL_VERSION $version" CL/opencl.hpp
done
