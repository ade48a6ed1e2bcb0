#!/bin/sh
# check_pkg_config.sh COMPILER CONSUMER_DIR LIBRARY_DIR shared|static ON|OFF [MPI_COMPILER]
# Builds the outside project's programs with what pkg-config says, and runs them.
set -eu
compiler=$1 consumer_dir=$2 library_dir=$3 kind=$4 with_opencl=$5
if ! command -v pkg-config >/dev/null; then
  echo "no pkg-config here"
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PKG_CONFIG_PATH=$library_dir/pkgconfig
LD_LIBRARY_PATH=$library_dir
export PKG_CONFIG_PATH LD_LIBRARY_PATH

static=
if [ "$kind" = static ]; then
  static=--static
fi

build_and_run() {
  program=$1 package=$2
  # shellcheck disable=SC2046,SC2086 # the flags are words
  "$compiler" -std=c11 "$consumer_dir/$program.c" -o "$scratch/$program" \
    $(pkg-config $static --cflags --libs "$package")
  "$scratch/$program"
}

build_and_run consumer relayout
if [ "$with_opencl" = ON ]; then
  build_and_run opencl_consumer relayout-opencl
fi
if [ $# -gt 5 ]; then
  compiler=$6
  build_and_run mpi_consumer relayout-mpi
fi
