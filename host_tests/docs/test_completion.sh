#!/bin/sh
# test_completion.sh FOLDER: bash completes the command's words by FOLDER/relayout.bash, which is
# asked as readline would. RELAYOUT is the command. 77: there is no bash.
if ! command -v bash >/dev/null; then
  echo 'no bash found'
  exit 77
fi
exec bash -u -s "$1" <<'END_OF_BASH'
source "$1/relayout.bash" || exit 1
failures=0
cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT
: >tensor.npy >table.txt
unset COMP_WORDBREAKS
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'

# expect LINE WORD...: what the line can be completed with, in any order; the cursor is at its end.
expect() {
  COMP_LINE=$1 COMP_POINT=${#1}
  shift
  _relayout "$RELAYOUT"
  local wanted found
  wanted=$(printf '%s\n' "$@" | sort)
  found=$(printf '%s\n' "${COMPREPLY[@]}" | sort)
  if [[ $found != "$wanted" ]]; then
    printf "FAILED: '%s' is completed with\n%s\nand not with\n%s\n" "$COMP_LINE" "$found" "$wanted"
    failures=$((failures + 1))
  fi
}

mapfile -t commands < <("$RELAYOUT" --help | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p')
((${#commands[@]} >= 8)) || failures=1
expect 'relayout ' "${commands[@]}" --help --version
expect 'relayout se' selftest
expect 'relayout --v' --version
expect 'relayout index ' ''
expect 'relayout shape f' ''
expect 'relayout shape --' --json --help
expect 'relayout index f32[2] --' --at --linear --json --help
expect 'relayout explain --sch' --schedule --schedules
expect 'relayout explain --wr' --wrap
expect 'relayout explain --schedule ' ''
expect 'relayout explain a b --device a' auto
expect 'relayout explain a b --device=c' cpu
expect 'relayout bench --suite t' ttc tiles
expect 'relayout bench --json t' tensor.npy table.txt
expect 'relayout bench --json=tab' table.txt
expect 'relayout convert --to f32[2] ten' tensor.npy
expect 'relayout shape ten' tensor.npy
expect 'relayout tune --from ta' table.txt
expect 'relayout frobnicate --' --help

expect 'relayout emit index f32[2] --language c' c cuda
expect 'relayout emit kernel a b --ch' --check

# Every device that the command lists; behind a colon, readline keeps what stands before it.
while read -r device _; do
  expect "relayout selftest --device ${device%?}" "${device##*:}"
done < <("$RELAYOUT" devices | grep -E '^opencl:[0-9]+:[0-9]  ')

# All options that the command takes: each is accepted, or wants its value.
for command in "${commands[@]}"; do
  COMP_LINE="relayout $command --" COMP_POINT=$((${#command} + 12))
  _relayout "$RELAYOUT"
  for option in "${COMPREPLY[@]}"; do
    said=$("$RELAYOUT" "$command" "$option" --help 2>&1) || true
    if [[ $said == *'unknown option'* ]]; then
      echo "FAILED: relayout $command has no $option"
      failures=$((failures + 1))
    fi
  done
done
echo "$failures failures"
((failures == 0))
END_OF_BASH
