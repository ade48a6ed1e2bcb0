#!/bin/sh
# check_headers.sh COMPILER c11|c++11 INCLUDE_DIR STAND_INS
# Compiles dlpack.h and pjrt.h of relayout/, twice over, behind the headers that they want, old and
# new, with warnings as errors; and without those, which has to fail by a sentence that says so.
set -eu
compiler=$1 standard=$2 include_dir=$3 stand_ins=$4
case $standard in
c++*) language=c++ ;;
*) language=c ;;
esac

if ! command -v "$compiler" >/dev/null ||
  ! echo 'int x;' | "$compiler" -x "$language" -fsyntax-only - 2>/dev/null; then
  echo "no $compiler for $language here"
  exit 77
fi

compile() {
  "$compiler" -x "$language" "-std=$standard" -Wall -Wextra -Wpedantic -Wconversion -Werror \
    -fsyntax-only -isystem "$stand_ins" -I "$include_dir" "$@" -
}

# behind HEADER WANTED [OPTION]
behind() {
  header=$1 wanted=$2
  shift 2
  printf '#include <%s>\n#include <relayout/%s>\n#include <relayout/%s>\nextern int not_empty;\n' \
    "$wanted" "$header" "$header" | compile "$@"
}

# alone HEADER WANTED
alone() {
  if output=$(printf '#include <relayout/%s>\n' "$1" | compile 2>&1); then
    echo "relayout/$1 compiles without $2"
    exit 1
  fi
  case $output in
  *"$2, before relayout/$1"*) ;;
  *)
    echo "relayout/$1 does not say that it wants $2, but: $output"
    exit 1
    ;;
  esac
}

behind dlpack.h dlpack/dlpack.h
behind dlpack.h dlpack/dlpack.h -DDLPACK_MAJOR_VERSION=0
behind pjrt.h xla/pjrt/c/pjrt_c_api.h
alone dlpack.h dlpack/dlpack.h
alone pjrt.h pjrt_c_api.h
