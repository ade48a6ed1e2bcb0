#!/bin/sh
# models.sh: .safetensors files written and read by hand, for tests that source check.sh.

# model HEADER DATA: a file of this header, of fewer than 256 bytes, and these data.
model() {
  length=$(printf %s "$1" | wc -c)
  # shellcheck disable=SC2059 # an octal escape
  printf "\\$(printf %03o "$length")\\0\\0\\0\\0\\0\\0\\0"
  printf %s%s "$1" "$2"
}

# holds FILE PART DATA: the file's header has this part, and behind it are these data; a zero byte
# is written as a dot.
holds() {
  checks=$((checks + 1))
  size=$(od -An -t u1 -N 2 "$1" | awk '{ print $1 + 256 * $2 }')
  header=$(tail -c +9 "$1" | head -c "$size")
  case $header in
  *"$2"*) ;;
  *) fail "the header of $1 is $header, without $2" ;;
  esac
  found=$(tail -c +$((9 + size)) "$1" | tr '\000' '.')
  [ "$found" = "$3" ] || fail "the data of $1 are '$found', not '$3'"
}
