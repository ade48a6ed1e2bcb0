#!/bin/sh
# test_first_run.sh: scripts/first_run on a command that only pretends; FIRST_RUN is the script.

failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*"
}

# has FILE TEXT: a line of the file has this text.
has() {
  grep -qF -- "$2" "$1" || fail "$1 does not say '$2', but:
$(cat "$1")"
}

# run EXIT WORD...: runs the script, and wants this exit code.
run() {
  wanted=$1
  shift
  code=0
  RELAYOUT=$work/stub sh "$FIRST_RUN" "$@" >out 2>&1 || code=$?
  [ $code -eq "$wanted" ] || fail "first_run $*: exit code $code, not $wanted: $(cat out)"
}

cat >stub <<'END'
#!/bin/sh
echo "$*" >>calls
case $1 in
devices)
  echo 'opencl:0:0  cpu   2   a processor'
  echo 'opencl:1:0  gpu  16   a GPU'
  ;;
explain) case $* in *'--device opencl:'[01]:0) ;; *) exit 5 ;; esac ;;
selftest) [ -z "${SELFTEST:-}" ] || eval "$SELFTEST" ;;
bench) echo "geomean 0.91 of $3" ;;
esac
END
chmod +x stub

run 0 folder
has folder/summary.txt 'opencl:1:0  gpu  16   a GPU'
for step in devices selftest tune tuning bench-ttc bench-ml bench-channels bench-ttc-u8 \
  bench-matrix bench-perm6; do
  grep -qE "^$step +[0-9]+ s  ok$" folder/summary.txt || fail "$step: $(cat folder/summary.txt)"
done
has folder/summary.txt 'bench-ml.txt:geomean 0.91 of ml'
has calls 'selftest --device opencl:1:0'
has calls "bench --suite ttc --device opencl:1:0 --peers --json $work/folder/bench-ttc.json"
[ "$(wc -l <calls)" -eq 12 ] || fail "other calls: $(cat calls)"

run 0 --device opencl:0:0 --seconds 20 other
has calls 'tune --device opencl:0:0 --seconds 2'

# What fails, or takes too long, is told, and what comes after is done all the same.
SELFTEST='echo one differs; exit 3'
export SELFTEST
run 1 failing
has failing/summary.txt 'failed with 3: one differs'
has failing/summary.txt 'bench-perm6'
SELFTEST='exec sleep 60'
run 1 --seconds 3 slow
has slow/summary.txt 'ran out of its 1 s'
has slow/summary.txt 'bench-perm6'
unset SELFTEST

run 5 --device opencl:7:0 none
has none/summary.txt 'There is no such device as opencl:7:0'
sed 's/gpu/accelerator/' stub >changed
cat changed >stub
run 5 none
has none/summary.txt 'There is no such device;'
run 2 --device
run 2 --seconds
run 2 --seconds 0
run 2 --seconds 1h
run 2 --folder here

[ $failures -eq 0 ]
