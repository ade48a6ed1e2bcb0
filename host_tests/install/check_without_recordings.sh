#!/bin/sh
# check_without_recordings.sh CMAKE GENERATOR SOURCE BUILD COMPILER NM
# Builds and installs the library without recordings: neither their functions nor their header are
# there, and the rest of the OpenCL backend is.
set -eu
cmake=$1 generator=$2 source=$3 build=$4 compiler=$5 nm=$6
rm -rf "$build"
"$cmake" -G "$generator" -S "$source" -B "$build" -DCMAKE_C_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_LIBDIR=lib -DRELAYOUT_RECORDINGS=OFF \
  -DRELAYOUT_BUILD_TESTS=OFF -DRELAYOUT_BUILD_TOOLS=OFF -DRELAYOUT_BUILD_SAMPLES=OFF >"$build.log"
"$cmake" --build "$build" >"$build.log"
"$cmake" --install "$build" --prefix "$build/prefix" >/dev/null

"$nm" -D --defined-only "$build/prefix/lib/librelayout.so" >"$build/symbols"
grep -q relayout_plan_enqueue "$build/symbols"
if grep -E 'relayout_(plan_record|recording_)' "$build/symbols"; then
  echo "the library has recordings"
  exit 1
fi
ls "$build/prefix/include/relayout/opencl.h"
if ls "$build/prefix/include/relayout/recording.h" 2>/dev/null; then
  echo "recording.h is installed"
  exit 1
fi
