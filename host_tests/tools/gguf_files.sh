#!/bin/sh
# gguf_files.sh: GGUF files put together byte by byte, for tests that source check.sh.

# number BYTES N: N, the lowest byte first.
number() {
  left=$1 rest=$2
  while [ "$left" -gt 0 ]; do
    # shellcheck disable=SC2059 # an escape is what is to be printed
    printf "\\$(printf %03o $((rest % 256)))"
    rest=$((rest / 256)) left=$((left - 1))
  done
}
text() {
  number 8 ${#1}
  printf %s "$1"
}
# tensor NAME TYPE OFFSET SIZE...: the sizes from minor to major.
tensor() {
  text "$1"
  type=$2 offset=$3
  shift 3
  number 4 $#
  for size in "$@"; do
    number 8 "$size"
  done
  number 4 "$type"
  number 8 "$offset"
}
header() { # TENSORS PAIRS
  printf GGUF
  number 4 3
  number 8 "$1"
  number 8 "$2"
}
zeros() {
  head -c "$1" /dev/zero
}
# ended FILE ALIGNMENT: prints the file, then zeros up to the next multiple of ALIGNMENT bytes.
ended() {
  cat "$1"
  zeros $((($2 - $(wc -c <"$1") % $2) % $2))
}
# key NAME TEXT: a key with a text.
key() {
  text "$1"
  number 4 8
  text "$2"
}
