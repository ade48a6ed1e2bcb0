#!/bin/sh
# check_declarations.sh COMPILER INCLUDE_DIR TESTS_DIR
# Every function of the headers that returns a relayout_status takes a relayout_error * last, and is
# one of the calls that test_calls.c or test_opencl.c tries.
set -eu
compiler=$1 include_dir=$2 tests_dir=$3

# One declaration a line, as "NAME PARAMETERS".
exported='__attribute__((visibility("default")))'
declarations=$(printf '#include <relayout/%s>\n' relayout.h recording.h submit.h |
  "$compiler" -x c -std=c11 -E -P -I "$include_dir" - | tr -s ' \n' ' ' | tr ';' '\n' |
  sed -n 's/.*'"$exported"' *relayout_status *\([a-z_]*\)(\(.*\)) *$/\1 \2/p')

failures=0
fail() {
  echo "$*"
  failures=$((failures + 1))
}

count=0
while read -r name parameters; do
  count=$((count + 1))
  case $parameters in
  *', relayout_error *error') ;;
  *) fail "$name does not take relayout_error *error last, but: $parameters" ;;
  esac
  grep -qF "X($name," "$tests_dir/test_calls.c" "$tests_dir/test_opencl.c" ||
    fail "neither test_calls.c nor test_opencl.c tries $name"
done <<END
$declarations
END
echo "$count functions, $failures failures"
[ "$count" -gt 30 ] && [ "$failures" -eq 0 ]
