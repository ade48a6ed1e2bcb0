#!/bin/sh
# check_symbols.sh COMPILER NM INCLUDE_DIR LIBRARY HEADER...
# The shared library must export the functions that these headers of relayout/ mark RELAYOUT_API,
# all of them and nothing else.
set -eu
compiler=$1 nm=$2 include_dir=$3 library=$4
shift 4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One declaration a line after preprocessing; the name is what stands before the first parenthesis
# behind the visibility attribute.
for header in "$@"; do
  echo "#include <relayout/$header>"
done | "$compiler" -x c -std=c11 -E -P -I "$include_dir" - | tr '\n' ' ' | tr ';' '\n' |
  sed -n 's/.*__attribute__((visibility("default")))\([^(]*\)(.*/\1/p' |
  sed 's/.*[^A-Za-z0-9_]\([A-Za-z0-9_][A-Za-z0-9_]*\) *$/\1/' | sort -u >"$scratch/declared"

"$nm" -D --defined-only "$library" | sed 's/.* //' | sort -u >"$scratch/exported"

if [ ! -s "$scratch/declared" ]; then
  echo "no declaration found in $include_dir"
  exit 1
fi
if ! diff "$scratch/declared" "$scratch/exported"; then
  echo "(< declared in the headers but not exported, > exported but not declared)"
  exit 1
fi
