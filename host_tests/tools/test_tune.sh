#!/bin/sh
# test_tune.sh: `relayout tune`: rows that are found, printed, and kept for later commands.
. "$(dirname "$0")/check.sh"

XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
unset RELAYOUT_CACHE RELAYOUT_TUNING

check_printed 0 'relayout tuning 1
device: ' tune --device cpu --print
cp ../logs/out row
[ ! -d "$work/cache" ] || fail 'printing kept a file'
check_printed 0 '"tuning":{"kind":"' devices --json

sed 's/^suites: .*/suites: by hand/' row >other
check 0 '' '' tune --device cpu --from other
[ "$(find "$work/cache/relayout" -name 'tuning-*.txt' | wc -l)" -eq 1 ] || fail 'no file was kept'
check_printed 0 '"suites":"by hand"}' devices --json
check_printed 0 'suites: by hand' tune --device=cpu --print

sed 's/^block_bytes=.*/block_bytes=-1/' row >bad
check 4 '' 'relayout: tune: bad: tuning: line 17: ' tune --device cpu --from bad
sed 's/^device: .*/device: none/' row >foreign
check 4 '' "line 2: the row is for another device" tune --device cpu --from foreign
check 1 '' 'cannot open missing: ' tune --device cpu --from missing
check_printed 0 'suites: by hand' tune --device cpu --print
RELAYOUT_TUNING=foreign
export RELAYOUT_TUNING
check_printed 0 'kind: ' tune --device cpu --print
RELAYOUT_TUNING=bad
export RELAYOUT_TUNING
check 1 '' 'RELAYOUT_TUNING is `bad`: tuning: line 17: ' tune --device cpu --print
unset RELAYOUT_TUNING

check_printed 0 "OF A PLAIN COPY'S SPEED" tune --device cpu --seconds 1
check_printed 0 'suites: tune' tune --device cpu --print
check_printed 0 '"kept":true}' tune --device cpu --seconds=1 --json

check 2 '' 'exclude each other' tune --print --json
check 2 '' 'exclude each other' tune --print --from row
check 2 '' "--seconds: '0' is not from 1 to 86400" tune --seconds 0
check 2 '' '--seconds takes a number' tune --seconds long
check 5 '' 'relayout: tune: ' tune --device cuda

finish
