#!/bin/sh
# check_style.sh SOURCE_DIR: the code that is looked at keeps to these rules.
#   * No line is longer than 100 columns.
#   * C and OpenCL C files begin with a comment, which says what they are for.
#   * No function is longer than 60 lines, those of tests aside.
#   * Kernels' local memory is of units, of four bytes or more: drivers align it as its type wants,
#     and a unit that is stored across that stops a GPU.
# Where there is no git, all files are looked at, and not those alone that it tracks.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"

# What is looked at: how paths begin, as regular expressions.
looked_at='
.ci/
CMakeLists.txt
bench/
cl/
cmake/
docs/
host_tests/
include/
samples/
scripts/
src/
tools/
'

paths=$(git ls-files 2>/dev/null || true)
[ -n "$paths" ] || paths=$(find . -type f | sed 's|^\./||')
pattern=$(printf '%s' "$looked_at" | sed '/^$/d; s/^/^/' | paste -s -d '|' -)
code='\.(c|h|cl|cpp|cmake|cmake\.in|py|sh|awk)$|(^|/)CMakeLists\.txt$|^scripts/|^\.ci/'
paths=$(printf '%s\n' "$paths" | grep -E "$pattern" | grep -E "$code" | sort || true)

# Nothing is said of a file that is tracked and was just removed.
set --
for path in $paths; do
  [ ! -f "$path" ] || set -- "$@" "$path"
done
if [ $# -eq 0 ]; then
  echo "found no code in $PWD"
  exit 1
fi

# In the C locale characters are bytes, the second and later ones of which do not count.
findings=$(LC_ALL=C awk -v longest_line=100 -v longest_function=60 -f "$here/style.awk" "$@")
if [ -n "$findings" ]; then
  printf '%s\n' "$findings"
  exit 1
fi
echo "$# files"
