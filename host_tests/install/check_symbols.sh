#!/bin/sh
# check_symbols.sh COMPILER NM READELF INCLUDE_DIR LIBRARY HEADER...
# The shared library must export the functions that these headers of relayout/ mark RELAYOUT_API,
# all of them and nothing else. Each has the version that brought it, and the soname the headers'
# minor version while the major one is 0.
set -eu
compiler=$1 nm=$2 readelf=$3 include_dir=$4 library=$5
shift 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One declaration a line after preprocessing; the name is what stands before the first parenthesis
# behind the visibility attribute.
for header in "$@"; do
  echo "#include <relayout/$header>"
done | "$compiler" -x c -std=c11 -E -P -I "$include_dir" - | tr '\n' ' ' | tr ';' '\n' |
  sed -n 's/.*__attribute__((visibility("default")))\([^(]*\)(.*/\1/p' |
  sed 's/.*[^A-Za-z0-9_]\([A-Za-z0-9_][A-Za-z0-9_]*\) *$/\1/' | sort -u >"$scratch/declared"

"$nm" -D --defined-only "$library" | sed 's/.* //' | grep -v '^RELAYOUT_' >"$scratch/versioned"
sed 's/@.*//' "$scratch/versioned" | sort -u >"$scratch/exported"

if [ ! -s "$scratch/declared" ]; then
  echo "no declaration found in $include_dir"
  exit 1
fi
if ! diff "$scratch/declared" "$scratch/exported"; then
  echo "(< declared in the headers but not exported, > exported but not declared)"
  exit 1
fi
if grep -v '@@RELAYOUT_[0-9]*\.[0-9]*$' "$scratch/versioned"; then
  echo "(exported without a version)"
  exit 1
fi

version_of() {
  sed -n "s/^#define RELAYOUT_VERSION_$1 \([0-9]*\)$/\1/p" "$include_dir/relayout/version.h"
}
major=$(version_of MAJOR)
[ "$major" -gt 0 ] && expected=$major || expected=0.$(version_of MINOR)
if ! "$readelf" -d "$library" | grep -q "soname: \[librelayout\.so\.$expected\]"; then
  echo "the soname is not librelayout.so.$expected:"
  "$readelf" -d "$library" | grep -i soname
  exit 1
fi
