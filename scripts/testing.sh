# testing.sh: what the scripts that run tests share; they source it behind setup.sh.
# shellcheck shell=sh

CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL
passed=0 failed=0 skipped=0

# build PRESET: configures and builds it. Presets of whole workflows need a newer CMake.
build() {
  cmake --preset "$1" && cmake --build --preset "$1"
}

# build_and_test PRESET [TEST_PRESET]: builds it and runs its tests, or those of a test preset.
# What they came to is added up, and a build that fails counts as one failure.
build_and_test() {
  build_preset=$1 test_preset=${2:-$1}
  if quietly "Building: $build_preset" "build/$build_preset.log" build "$build_preset"; then
    outcome=0
    quietly "Testing: $test_preset" "build/test_$test_preset.log" \
      ctest --preset "$test_preset" || outcome=1
    add_up "build/test_$test_preset.log" "$outcome"
  else
    failed=$((failed + 1))
  fi
}

# add_up LOG OUTCOME: by ctest's own summary, "N% tests passed, N tests failed out of N". A run that
# fails without one, or with none failed in it, counts as one failure more.
add_up() {
  summary=$(
    sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$1" |
      tail -n 1
  )
  if [ -z "$summary" ]; then
    failed=$((failed + 1))
    return
  fi
  now_failed=${summary% *}
  now_skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped ' "$1" || true)
  passed=$((passed + ${summary#* } - now_failed - now_skipped))
  if [ "$2" -ne 0 ] && [ "$now_failed" -eq 0 ]; then
    now_failed=1
  fi
  failed=$((failed + now_failed))
  skipped=$((skipped + now_skipped))
}

# tell_sum: the last line, and whether nothing failed.
tell_sum() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
