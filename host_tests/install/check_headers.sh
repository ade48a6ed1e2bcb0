#!/bin/sh
# check_headers.sh COMPILER c11|c++11 INCLUDE_DIR HEADER...
# Compiles each HEADER of relayout/ alone, twice over, with warnings as errors. None but opencl.h,
# and those that include it, may include CL/cl.h.
set -eu
compiler=$1 standard=$2 include_dir=$3
shift 3
case $standard in
c++*) language=c++ ;;
*) language=c ;;
esac

if ! command -v "$compiler" >/dev/null ||
  ! echo 'int x;' | "$compiler" -x "$language" -fsyntax-only - 2>/dev/null; then
  echo "no $compiler for $language here"
  exit 77
fi

# A CL/cl.h that shows itself by an error.
forbidden=$(mktemp -d)
trap 'rm -rf "$forbidden"' EXIT
mkdir "$forbidden/CL"
echo '#error "CL/cl.h was included"' >"$forbidden/CL/cl.h"

compile() {
  "$compiler" -x "$language" "-std=$standard" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    -I "$forbidden" -I "$include_dir" -
}

if echo '#include <CL/cl.h>' | compile 2>/dev/null; then
  echo "the forbidden CL/cl.h goes unnoticed: this test cannot fail"
  exit 1
fi
for header in "$@"; do
  case $header in
  opencl.h | recording.h | submit.h) rm -f "$forbidden/CL/cl.h" ;;
  *) echo '#error "CL/cl.h was included"' >"$forbidden/CL/cl.h" ;;
  esac
  printf '#include <relayout/%s>\n#include <relayout/%s>\nextern int not_empty;\n' \
    "$header" "$header" | compile
done
