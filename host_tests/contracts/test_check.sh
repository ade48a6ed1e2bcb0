#!/bin/sh
# test_check.sh SOURCE_DIR CTEST BUILD_DIR: whether check_contracts.sh sees what it is there for.
set -eu
source_dir=$1 ctest=$2 build_dir=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/include"
ln -s "$source_dir/host_tests" "$scratch/host_tests"
table=$scratch/contracts.txt
failures=0

# start_over: headers and table as they are.
start_over() {
  rm -rf "$scratch/include/relayout"
  cp -R "$source_dir/include/relayout" "$scratch/include/relayout"
  cp "$source_dir/host_tests/contracts/contracts.txt" "$table"
}

# expect TEXT: the check fails, and says this.
expect() {
  if said=$(sh "$source_dir/host_tests/contracts/check_contracts.sh" \
    "$scratch" "$ctest" "$build_dir" "$table"); then
    echo "FAILED: passed without '$1'"
    failures=$((failures + 1))
  fi
  case $said in
  *"$1"*) ;;
  *)
    printf "FAILED: said this, and not '%s'\n%s\n" "$1" "$said"
    failures=$((failures + 1))
    ;;
  esac
  start_over
}

header=$scratch/include/relayout/status.h
start_over
echo '/* Some words. A call goes to sleep (sometimes). More words */' >>"$header"
expect 'A call goes to sleep (sometimes).
  LAYER.SUBJECT test_function'
echo '#define NUMBER 3 /* a number that may change */' >>"$header"
expect 'a number that may change
  LAYER'
echo '#define NUMBER 3 /* why RELAYOUT_NO_DEVICE */' >>"$header"
expect 'why RELAYOUT_NO_DEVICE
  LAYER'
echo '/* Static storage. */' >>"$header" # once is in the table, twice is not
expect '[status.h]

Static storage.
  LAYER'
sed -i 's/exits or aborts/halts or aborts/' "$header"
expect 'Nothing in the library prints, halts or aborts.
  LAYER'
sed -i 's/exits or aborts/halts or aborts/' "$header"
expect 'status.h does not say: Nothing in the library prints, exits or aborts.'
printf '\n[status.h]\n\nNever said.\n  contracts.table\n' >>"$table"
expect 'status.h does not say: Never said.'
sed -i 's/contracts.calls test_statuses_are_pinned/contracts.calls test_statuses_change/' "$table"
expect 'contracts.calls has no test_statuses_change'
sed -i 's/contracts.calls test_statuses_are/contracts.none test_statuses_are/' "$table"
expect 'this build has no test contracts.none'
words='not a' # in two parts, for this file is looked through too
sed -i "s/^  contracts.imports .*/  contracts.imports \"$words word of it\"/" "$table"
expect "contracts.imports has no '$words word of it'"
sed -i '/^  contracts.imports /d' "$table"
expect 'no test behind the sentence'

echo "$failures failures"
[ "$failures" -eq 0 ]
