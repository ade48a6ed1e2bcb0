#!/bin/sh
# test_verbose.sh: what the library says of itself where RELAYOUT_VERBOSE wants it, and that it says
# nothing else where; the lines are commands.
. "$(dirname "$0")/check.sh"

printf abcdef >in
check 0 adbecf '' convert --from 'u8[2,3]' --to '{0,1}' --device cpu in -
for value in '' 0; do
  RELAYOUT_VERBOSE=$value
  export RELAYOUT_VERBOSE
  check 0 adbecf '' convert --from 'u8[2,3]' --to '{0,1}' --device cpu in -
done
RELAYOUT_VERBOSE=1
line="relayout bench --from 'u8[2,3]{1,0}' --to 'u8[2,3]{0,1}' --device cpu # "
check 0 adbecf "${line}plan made in 0." convert --from 'u8[2,3]' --to '{0,1}' --device cpu in -
check 0 adbecf "${line}executed in 0." convert --from 'u8[2,3]' --to '{0,1}' --device cpu in -
checks=$((checks + 1))
[ "$(wc -l <../logs/err)" -eq 2 ] || fail "more or less than two lines: $(cat ../logs/err)"
unset RELAYOUT_VERBOSE

# A shell runs what stands there.
relayout() {
  "$RELAYOUT" "$@"
}
checks=$((checks + 1))
line=$(tail -n 1 ../logs/err)
eval "$line" >../logs/out 2>../logs/err || fail "not a command: $(cat ../logs/err)"
grep -q '^given  .* 12 bytes ' ../logs/out || fail "another benchmark: $(cat ../logs/out)"

# Also where values change on the way: 97/2 is 48, whose low 4 bits are 0, and so on.
export RELAYOUT_VERBOSE=1
line="--to 's4[6]{0}' --device cpu --scale 0.5 --round nearest --wrap # executed in "
check 0 "$(printf '.\001\002\002\002\003')" "$line" \
  convert --from 'u8[6]' --to s4 --scale 0.5 --round nearest --wrap --device cpu in -
unset RELAYOUT_VERBOSE
checks=$((checks + 1))
line=$(tail -n 1 ../logs/err)
eval "$line" >../logs/out 2>../logs/err || fail "not a command: $(cat ../logs/err)"
grep -q '^given ' ../logs/out || fail "another benchmark: $(cat ../logs/out)"

finish
