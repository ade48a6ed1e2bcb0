#!/bin/sh
# test_check.sh: whether check_style.sh sees what it is there for.
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check_style.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/bench" "$scratch/host_tests/base" "$scratch/scripts"
cd "$scratch"
failures=0

# expect SUCCEEDS TEXT: how the check ends, and all that it says.
expect() {
  succeeds=true
  said=$(sh "$check" "$scratch") || succeeds=false
  if [ "$succeeds" != "$1" ] || [ "$said" != "$2" ]; then
    printf "FAILED: said this, and not '%s'\n%s\n" "$2" "$said"
    failures=$((failures + 1))
  fi
}

# repeat COUNT TEXT: prints it so often.
repeat() {
  awk -v count="$1" -v text="$2" 'BEGIN { while (count-- > 0) printf "%s", text }'
}

# function_of LINES: prints a C file with one function of so many lines.
function_of() {
  printf '/* It counts. */\nint count(int a,\n          int b) {\n'
  repeat $(($1 - 3)) '  ++a;
'
  printf '}\n\nint table[] = {\n'
  repeat 70 '    1,
'
  printf '};\n'
}

# kernel_with TYPE: prints a kernel with local memory of this type.
kernel_with() {
  printf '/* It waits. */\n__kernel void\nENTRY(wait)(const word fill,\n'
  printf '            __local %s *restrict staged) {\n}\n' "$1"
}

expect false "found no code in $scratch"

repeat 100 x >bench/peers.py
repeat 100 'Σ' >scripts/test
function_of 60 >bench/cost.c
function_of 61 >host_tests/base/test_count.c
repeat 101 x >bench/README.md
mkdir cl
kernel_with unit >cl/wait.cl
expect true '5 files'

repeat 101 x >bench/peers.py
repeat 101 'Σ' >scripts/test
function_of 61 >bench/cost.c
kernel_with word >cl/wait.cl
printf '#include "cost.h"\n/* Too late. */\n' >host_tests/base/test_count.c
expect false 'bench/cost.c:2: count has 61 lines
bench/peers.py:1: has 101 columns
cl/wait.cl:3: a kernel has local memory that may begin at any byte
host_tests/base/test_count.c: does not begin with a comment
scripts/test:1: has 101 columns'

echo "$failures failures"
[ "$failures" -eq 0 ]
