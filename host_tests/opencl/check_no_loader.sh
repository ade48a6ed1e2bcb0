#!/bin/sh
# check_no_loader.sh NM READELF ARCHIVE LIBRARY
# The library wants no function of OpenCL's when it is linked or loaded, and no loader: all calls go
# through the table of src/opencl/entry_points.h. ARCHIVE has the library's objects; LIBRARY is
# shared, or static too.
set -eu
nm=$1 readelf=$2 archive=$3 library=$4

# wanted FILE: OpenCL's functions that the file takes from elsewhere.
wanted() {
  "$nm" -u "$1" 2>/dev/null | sed -n 's/^ *[Uw] \(cl[A-Z][A-Za-z0-9]*\).*/\1/p' | sort -u
}

for file in "$archive" "$library"; do
  if ! "$nm" -u "$file" 2>/dev/null | grep -q 'dlopen'; then
    echo "$file does not open OpenCL by itself"
    exit 1
  fi
  names=$(wanted "$file")
  if [ -n "$names" ]; then
    echo "$file calls these past the table; the callers lack opencl/calls.h, or it the names:"
    echo "$names"
    exit 1
  fi
done
if "$readelf" -d "$library" 2>/dev/null | grep 'NEEDED.*OpenCL'; then
  echo "$library is linked with the OpenCL loader"
  exit 1
fi
