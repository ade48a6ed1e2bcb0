#!/bin/sh
# run_console.sh PAGE...: runs the console blocks of these pages as they stand, each
# page's in an empty folder of its own, and compares what they print, on both streams. RELAYOUT is
# the command, PROGRAMS the folder of the programs that are called as ./NAME.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run=0 failures=0 skipped=0
PATH=$(dirname "$RELAYOUT"):$PATH
export PATH RELAYOUT_CACHE=off LC_ALL=C

# What is predicted follows from the machine, so all machines are this one.
RELAYOUT_CPU_FACTS='line=64 l1=32768:8:1 l2=1048576:16:1 l3=33554432:16:16 page=4096 tlb=64:2048'
export RELAYOUT_CPU_FACTS="$RELAYOUT_CPU_FACTS vector=32 streams=1" RELAYOUT_CPU_INSTRUCTIONS=plain

# run_command NUMBER: 77 means that it wants a device that is not here, as ctest has it.
run_command() {
  expected=$scratch/blocks/$1.expected
  code=0
  sed -n 's|^\./\([a-z_]*\).*|\1|p' "$scratch/blocks/$1.command" | while read -r name; do
    [ -f "$scratch/folder/$name" ] || ln -s "$PROGRAMS/$name" "$scratch/folder/$name"
  done
  (cd "$scratch/folder" && sh "$scratch/blocks/$1.command") >"$scratch/found" 2>&1 || code=$?
  if [ "$code" -eq 77 ]; then
    echo "skipped: $(cat "$scratch/blocks/$1.place"): $(tail -n 1 "$scratch/found")"
    skipped=$((skipped + 1))
    return
  fi
  run=$((run + 1))
  if ! difference=$(awk -f "$here/same_output.awk" "$expected" "$scratch/found"); then
    printf 'FAILED: %s: %s\n' "$(cat "$scratch/blocks/$1.place")" "$difference"
    printf '%s\nprinted\n' "$(cat "$scratch/blocks/$1.command")"
    cat "$scratch/found"
    failures=$((failures + 1))
  fi
}

for page in "$@"; do
  rm -rf "$scratch/blocks" "$scratch/folder"
  mkdir "$scratch/blocks" "$scratch/folder"
  awk -v into="$scratch/blocks" -f "$here/blocks.awk" "$page"
  number=1
  while [ -f "$scratch/blocks/$number.command" ]; do
    run_command "$number"
    number=$((number + 1))
  done
done
echo "$run commands, $failures failures, $skipped skipped"
[ "$failures" -eq 0 ] && [ "$run" -gt 0 ]
