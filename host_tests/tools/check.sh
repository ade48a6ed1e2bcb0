#!/bin/sh
# check.sh: what the tests of the command share; each sources it first. RELAYOUT is the command to
# test. The tests run in a directory of their own, which goes away with them.

checks=0
failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir logs files
cd files || exit 1
: >../logs/nothing
input=../logs/nothing

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*"
}

# check EXIT STDOUT STDERR WORD...: runs the command on these words and on the file $input, and
# wants this exit code, all of this standard output, and this text somewhere on standard error (""
# wants nothing there).
check() {
  wanted_code=$1 wanted_out=$2 wanted_err=$3
  shift 3
  "$RELAYOUT" "$@" <"$input" >../logs/out 2>../logs/err
  compare $? "$*"
}

# compare CODE WORDS: the second half of check, for commands in pipes that left their output in
# logs/out and logs/err.
compare() {
  checks=$((checks + 1))
  out=$(tr '\000' '.' <../logs/out)
  err=$(cat ../logs/err)
  [ "$1" = "$wanted_code" ] || fail "relayout $2: exit code $1, not $wanted_code; it said: $err"
  [ "$out" = "$wanted_out" ] || fail "relayout $2: printed
$out
and not
$wanted_out"
  case $wanted_err in
  '') [ -z "$err" ] || fail "relayout $2: said '$err', and should have said nothing" ;;
  *) case $err in
     *"$wanted_err"*) ;;
     *) fail "relayout $2: said '$err', and should have said '$wanted_err'" ;;
     esac ;;
  esac
}

# check_printed EXIT PART WORD...: as check, but only a part of standard output is known, and
# standard error is empty.
check_printed() {
  wanted_code=$1 wanted_err='' part=$2
  shift 2
  "$RELAYOUT" "$@" <"$input" >../logs/out 2>../logs/err
  code=$?
  wanted_out=$(tr '\000' '.' <../logs/out)
  compare "$code" "$*"
  case $wanted_out in
  *"$part"*) ;;
  *) fail "relayout $*: printed
$wanted_out
without
$part" ;;
  esac
}

# check_bytes FILE TEXT: the file's bytes are these; a zero byte is written as a dot.
check_bytes() {
  checks=$((checks + 1))
  found=$(tr '\000' '.' <"$1")
  [ "$found" = "$2" ] || fail "$1 holds '$found', not '$2'"
}

# check_no_files WORDS: the directory is empty, hidden files included.
check_no_files() {
  checks=$((checks + 1))
  found=$(ls -A)
  [ -z "$found" ] || fail "$1: left behind $found"
  rm -rf ./* ./.relayout*
}

# npy DESCR FORTRAN_ORDER SHAPE: prints the header of a .npy file, version 1.
npy() {
  text="{'descr': '$1', 'fortran_order': $2, 'shape': $3, }"
  length=$((${#text} + 1))
  printf '\223NUMPY\001\000'
  printf "\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))"
  printf '%s\n' "$text"
}

# has_opencl: whether the command finds an OpenCL device.
has_opencl() {
  "$RELAYOUT" devices 2>/dev/null | grep -q '^opencl:'
}

finish() {
  printf '%d checks, %d failures\n' "$checks" "$failures"
  [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
  exit
}
