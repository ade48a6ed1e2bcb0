#!/bin/sh
# cachegrind.sh PROGRAM: counts the misses of the plain kernels with valgrind's cachegrind, and
# compares them with those that the simulator finds in their replay. Exits with 77 where valgrind is
# not installed.
#
# What a program does around a relayout is not counted: two are watched, and one, and the difference
# is a relayout's. Stacks are not replayed, and lie in the same first cache, which may differ by an
# eighth; tiles lie elsewhere in the last one, which may differ by a 25th.
if ! command -v valgrind > /dev/null; then
  echo "valgrind is not installed"
  exit 77
fi
program=$1
export RELAYOUT_CPU_INSTRUCTIONS=plain RELAYOUT_CACHE=off

# The misses of data in the first cache, and in the last, of so many relayouts.
misses() {
  valgrind --tool=cachegrind --cache-sim=yes --D1=32768,8,64 --LL=524288,8,64 \
    --cachegrind-out-file=/dev/null "$program" run "$1" "$2" "$3" 2>&1 |
    awk '/D1  misses:|LLd misses:/ { gsub(",", ""); printf "%s ", $4 } END { print "" }'
}

status=0
compare() {
  counts="$(misses "$1" "$2" 2) $(misses "$1" "$2" 1) $("$program" count "$1" "$2")"
  echo "$counts" | awk -v from="$1" '
    function differs(a, b, most) { return a > b * (1 + most) || b > a * (1 + most) }
    {
      first = $1 - $3
      last = $2 - $4
      printf "%s: %d misses of the first cache, %d simulated; ", from, first, $5
      printf "%d of the last, %d simulated\n", last, $6
      exit NF != 6 || differs(first, $5, 1 / 6) || differs(last, $6, 1 / 25)
    }' || status=1
}

compare 'f32[1024,1024]{1,0}' 'f32[1024,1024]{0,1}'
compare 'f32[1023,1025]{1,0}' 'f32[1023,1025]{0,1}'
compare 'u8[1500,1700]{1,0}' 'u8[1500,1700]{0,1}'
compare 'f64[700,900]{1,0}' 'f64[700,900]{0,1}'
compare 'f32[2,256,56,56]{1,3,2,0}' 'f32[2,256,56,56]{3,2,1,0}'
compare 'f32[32,8,28,28,6]{0,1,2,3,4}' 'f32[32,8,28,28,6]{0,4,2,1,3}'
compare 'f32[368,38,96]{0,1,2}' 'f32[368,38,96]{0,2,1}'
exit $status
