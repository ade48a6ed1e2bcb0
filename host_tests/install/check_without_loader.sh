#!/bin/sh
# check_without_loader.sh CMAKE GENERATOR SOURCE BUILD COMPILER
# Configures the library and the command where there are OpenCL's headers and no loader to link
# with: that goes, and says so. Without headers the message names the package that has them.
set -eu
cmake=$1 generator=$2 source=$3 build=$4 compiler=$5
rm -rf "$build"

# configure FOLDER OPTION...
configure() {
  folder=$1
  shift
  "$cmake" -G "$generator" -S "$source" -B "$build/$folder" -DCMAKE_C_COMPILER="$compiler" \
    -DRELAYOUT_BUILD_TESTS=OFF "$@" 2>&1
}

configure with_headers -DCMAKE_DISABLE_FIND_PACKAGE_OpenCL=ON >"$build.log"
grep -q 'No OpenCL loader to link with (Debian, Ubuntu: ocl-icd-opencl-dev)' "$build.log"

if configure without_headers -DRELAYOUT_BUILD_TOOLS=OFF \
  -DRELAYOUT_OPENCL_INCLUDE=RELAYOUT_OPENCL_INCLUDE-NOTFOUND \
  -DCMAKE_FIND_ROOT_PATH=/nowhere -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY >"$build.log"; then
  echo "configured without OpenCL's headers"
  exit 1
fi
tr -s ' \n' '  ' <"$build.log" | grep -q 'Install them (Debian, Ubuntu: opencl-headers;'
