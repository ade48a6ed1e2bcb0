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
check_printed 0 "kept in $work/cache/relayout/tuning-" tune --device cpu --from other
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

# What is removed is gone, and where it was is said.
check_printed 0 "removed $work/cache/relayout/tuning-" tune --device cpu --reset
[ -z "$(find "$work/cache/relayout" -name 'tuning-*.txt')" ] || fail 'a row is still there'
check_printed 0 "nothing was kept in $work/cache/relayout/tuning-" tune --device cpu --reset

# Times decide whether anything is kept: what is said of it is what happened.
check_printed 0 "OF A PLAIN COPY'S SPEED" tune --device cpu --seconds 1
kept=$(find "$work/cache/relayout" -name 'tuning-*.txt')
checks=$((checks + 1))
case $(tail -n 1 ../logs/out) in
"kept in $kept") ;;
'nothing is kept: '*) [ -z "$kept" ] || fail "a row was kept, and it is said that none was" ;;
*) fail "neither kept nor not: $(tail -n 1 ../logs/out)" ;;
esac
if grep -vE '^(OF A PLAIN COPY|geometric mean|kept in |nothing is kept)' ../logs/out |
  grep -qvE '  +[0-9.]+  +[0-9.]+  +[0-9.]+ %  (same|faster|unconfirmed|noise)$'; then
  fail "a line without a spread and an outcome: $(cat ../logs/out)"
fi
check_printed 0 '"path":"' tune --device cpu --seconds=1 --json
checks=$((checks + 1))
grep -qE '"spread":[0-9.e-]+,"outcome":"[a-z]+"}.*"kept":(true|false)}$' ../logs/out ||
  fail "no spread, outcome or kept in $(cat ../logs/out)"
check_printed 0 "kept in $work/cache/relayout/tuning-" tune --device cpu --from other
kept=$(find "$work/cache/relayout" -name 'tuning-*.txt')
RELAYOUT_TUNING=row
export RELAYOUT_TUNING
check 0 "removed $kept" 'RELAYOUT_TUNING names row, which is read instead' \
  tune --device cpu --reset
unset RELAYOUT_TUNING

check 2 '' 'only one of --from, --print, --reset, and --json or --seconds can be given' \
  tune --print --reset
check 2 '' 'only one of --from, --print, --reset, and --json or --seconds can be given' \
  tune --print --json
check 2 '' 'only one of --from, --print, --reset, and --json or --seconds can be given' \
  tune --print --from row
check 2 '' "--seconds takes a number from 1 to 86400, not '0'" tune --seconds 0
check 2 '' '--seconds takes a number' tune --seconds long
check 5 '' 'relayout: tune: ' tune --device cuda

finish
