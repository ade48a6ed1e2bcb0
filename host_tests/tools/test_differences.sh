#!/bin/sh
# test_differences.sh: what the command does when verification finds a difference. RELAYOUT is the
# command with an oracle and a conformance suite that find fault with everything.
. "$(dirname "$0")/check.sh"

printf abcdef >../logs/in
check 3 '' 'relayout: convert: verification: byte 1 is 0x64 and should be 0x65' \
  convert --device cpu --verify --from 'u8[2,3]' --to '{0,1}' ../logs/in out
check_no_files 'a failed verification'
check 3 '' 'verification: byte 1 is 0x64' \
  convert --device cpu --verify --from 'u8[2,3]' --to '{0,1}' ../logs/in -
check 0 '' '' convert --device cpu --from 'u8[2,3]' --to '{0,1}' ../logs/in out
check_bytes out adbecf

check 3 'cpu: 2 of 5 cases differ, seed 7: u8[2] -> u8[3]' '' selftest --device cpu --seed 7
check 3 'cpu: 2 of 5 cases differ, seed 7: u8[2] -> u8[3]
cpu: 2 of 5 cases differ, seed 7: u8[2] -> u8[3]' '' selftest --device cpu --device cpu --seed 7
check 3 'relayout selftest --case 0x0000000000000011 --device cpu # u8[9] -> u8[9]
cpu: differs, case 0x0000000000000011; the smallest of 4 tries: u8[1] -> u8[1]' '' \
  selftest --forever --seed 17
check 3 'cpu, cpu: differs, case 0x0000000000000011; the smallest of 4 tries: u8[1] -> u8[1]' '' \
  selftest --case 0x11 --device cpu --device cpu

checks=$((checks + 1))
"$RELAYOUT" bench --device cpu --hot --from 'u8[2,3]' --to '{0,1}' >../logs/out 2>../logs/err
[ $? -eq 3 ] || fail 'bench of a wrong result: no exit code 3'
grep -q 'skipped: the result is wrong' ../logs/out || fail 'bench timed a wrong result'
grep -q 'relayout: bench: verification: byte 0 is ' ../logs/err || fail 'bench kept it to itself'

finish
