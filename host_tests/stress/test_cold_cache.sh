#!/bin/sh
# test_cold_cache.sh RUN_STRESS MOVES [cold]: processes that start at once on one empty folder for
# programs move right, leave it whole, and leave nothing else in it; so it is where processes are
# killed while they fill it. With "cold" each process of the six has PoCL compile everything, in a
# folder of PoCL's own, since PoCL 3.1 cannot share an empty one; otherwise PoCL's is warm.
set -eu
run_stress=$1
moves=$2
cold=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset RELAYOUT_CACHE
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# work FOLDER LOG: one process, always with the same moves.
work() {
  "$run_stress" opencl_work_group 1 "$moves" '' 7 "$scratch/$1" >"$scratch/$2" 2>&1
}

compiled() {
  sed -n 's/^\([0-9]*\) programs compiled$/\1/p' "$scratch/$1"
}

# expect_whole FOLDER: another process finds every program there.
expect_whole() {
  if ! work "$1" again; then
    fail "$1: the next process: $(cat "$scratch/again")"
  elif [ "$(compiled again)" -ne 0 ]; then
    fail "$1: the next process compiled $(compiled again) programs"
  fi
}

# How many files there are beside programs; those of the dead have numbers behind the name.
others() {
  find "$1" -type f ! -name '*.program' ! -name 'wisdom-*.txt' | wc -l
}

outcome=0
work first log0 || outcome=$?
[ "$outcome" -ne 77 ] || exit 77
[ "$outcome" -eq 0 ] || fail "alone: $(cat "$scratch/log0")"
programs=$(compiled log0)
if [ "$programs" -eq 0 ]; then
  fail "no programs are compiled for $moves moves"
fi
kept=$(find "$scratch/first" -name '*.program' | wc -l)
if [ "$kept" -eq 0 ]; then
  echo "the driver gives no binaries"
  exit 77
fi

# Six at once.
processes=
for number in 1 2 3 4 5 6; do
  if [ "$cold" = cold ]; then
    POCL_CACHE_DIR=$scratch/pocl$number
    export POCL_CACHE_DIR
    mkdir "$POCL_CACHE_DIR"
  fi
  work six "log$number" &
  processes="$processes $!"
done
number=0
for process in $processes; do
  number=$((number + 1))
  wait "$process" || fail "process $number of six: $(cat "$scratch/log$number")"
done
expect_whole six
[ "$(find "$scratch/six" -name '*.program' | wc -l)" -eq "$kept" ] ||
  fail "six processes keep other programs than one: $(ls "$scratch/six")"
[ "$(others "$scratch/six")" -eq 0 ] || fail "six processes left $(ls "$scratch/six")"

# Killed when the folder has its first file, its third, ...: whenever that is seen, which decides
# nothing but what is there by then.
for files in 1 3 5; do
  "$run_stress" opencl_work_group 1 "$moves" '' 7 "$scratch/killed$files" >"$scratch/killed" 2>&1 &
  process=$!
  while kill -0 "$process" 2>/dev/null &&
    [ "$(find "$scratch/killed$files" -type f 2>/dev/null | wc -l)" -lt "$files" ]; do
    :
  done
  kill -KILL "$process" 2>/dev/null || true
  wait "$process" 2>/dev/null || true
  work "killed$files" behind || fail "behind a killed process: $(cat "$scratch/behind")"
  expect_whole "killed$files"
done

exit "$([ "$failures" -eq 0 ] && echo 0 || echo 1)"
