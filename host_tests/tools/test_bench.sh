#!/bin/sh
# test_bench.sh: `relayout bench` from end to end, on a case so small that it takes no time, and its
# bad command lines. What it measures is not looked at.
. "$(dirname "$0")/check.sh"

# check_kept TEXT FILE: the file, or what was printed last, holds this text.
check_kept() {
  checks=$((checks + 1))
  grep -qF -- "$1" "${2-../logs/out}" || fail "${2-what was printed} lacks $1"
}

case_of="--from u8[3,5] --to {0,1:PD(4,8)} --hot"
devices=cpu
if has_opencl; then
  devices="cpu opencl"
fi
for device in $devices; do
  # shellcheck disable=SC2086
  check_printed 0 '
given ' bench $case_of --device "$device" --json r.json --svg r.svg
  check_kept 'geomean '
  check_kept 'worst '
  check_kept '"cases":[{"name":"given","from":"u8[3,5]{1,0}","to":"u8[3,5]{0,1:PD(4,8)}",' r.json
  check_kept '"to":"u8[3,5]{0,1:PD(4,8)}","bytes":47,' r.json
  for key in device copy_gbps median_s gbps fraction predicted_fraction schedule \
    method geomean_fraction min_fraction; do
    check_kept "\"$key\":" r.json
  done
  check_kept '<rect class="bar worst"' r.svg
  check_kept '</svg>' r.svg
  check_kept '"cache":"hot",' r.json
  check_printed 0 '0 slower, 0 faster, 0 unchanged, 1 new, 1 gone' \
    bench --from 'u8[5]' --to '{0}' --hot --device "$device" --compare r.json
  # What was measured is drawn again without measuring.
  check_printed 0 '
given ' bench --results r.json --svg again.svg --json again.json
  checks=$((checks + 1))
  cmp -s r.svg again.svg || fail 'bench --results draws another picture'
  checks=$((checks + 1))
  cmp -s r.json again.json || fail 'bench --results writes other results'
  rm r.json r.svg again.json again.svg
done

# Sides of different sizes: what is read and what is written each counts by its own. FROM TO BYTES
while read -r from to bytes; do
  check_printed 0 '
given ' bench --from "$from" --to "$to" --hot --device cpu --json r.json
  check_kept "\"bytes\":$bytes," r.json
done <<'CASES'
f32[5,7] bf16[5,7]{0,1} 210
s8[5,7] f64[5,7]{1,0:PD(6,8)} 419
u4[5,7] {1,0:E(4)} 53
pred[5,7]{1,0:E(1)} {0,1} 40
u8[3,5] {1,0:T(2,2)} 39
u8[3,5]{1,0:T(2,2)} {0,1} 30
CASES
rm -f r.json

# What is not to stay in the caches is moved through more memory than they hold.
check_printed 0 '
given ' bench --from 'u8[3,5]' --to '{0,1}' --device cpu --json r.json
check_kept '"cache":"cold",' r.json

# Threads, pages and some peers are the CPU backend's.
check_printed 0 '
1 thread; ordinary pages
peers, also of copy: oneDNN reorder' \
  bench --from 'f32[30,50]' --to '{0,1}' --hot --device cpu --threads 1 --peers --json r.json
check_kept '"compute_units":1,' r.json
check_kept '"pages":"ordinary",' r.json
check_kept ', OpenBLAS omatcopy'
check_kept ', Eigen Tensor'
check_kept '"peers":[{"name":"oneDNN reorder","' r.json
for bad in 0 -1 4294967297 two 1.5 ''; do
  # shellcheck disable=SC2086
  check 2 '' '--threads takes a number ' bench $case_of --device cpu --threads="$bad"
done
# shellcheck disable=SC2086
check 2 '' '--threads' bench $case_of --device cpu --threads 1000000
# shellcheck disable=SC2086
check 2 '' "--threads is for --device cpu, not for 'auto'" bench $case_of --threads 1
# shellcheck disable=SC2086
check 2 '' "--huge-pages is for --device cpu, not for 'opencl'" \
  bench $case_of --device opencl --huge-pages
# Huge pages, or none: a system that does not give them fails by name.
# shellcheck disable=SC2086
if "$RELAYOUT" bench $case_of --device cpu --huge-pages --json r.json \
  >../logs/out 2>../logs/err; then
  check_kept ' huge pages'
  check_kept '"pages":"huge",' r.json
else
  check_kept 'relayout: bench: --huge-pages: ' ../logs/err
fi
rm -f r.json

# Plans may be measured, as many schedules as one likes. What wins is not kept for other tests.
RELAYOUT_CACHE=off
export RELAYOUT_CACHE
check_printed 0 'plans are measured' \
  bench --from 'f32[64,64]' --to '{0,1}' --hot --device cpu --measure --json r.json
check_kept '"effort":"measure",' r.json
check_printed 0 'plans are measured' \
  bench --from 'f32[64,64]' --to '{0,1}' --hot --device cpu --measured 1024
unset RELAYOUT_CACHE
for bad in 0 1025 -1 some ''; do
  # shellcheck disable=SC2086
  check 2 '' '--measured takes a number ' bench $case_of --device cpu --measured="$bad"
done
rm -f r.json

# Peers on OpenCL: an unpadding is a rectangle.
if has_opencl; then
  check_printed 0 'peers, also of copy: clEnqueueCopyBufferRect, CLBlast omatcopy' \
    bench --from 'f32[30,50]{1,0:PD(30,64)}' --to '{1,0}' --hot --device opencl --peers \
    --json r.json
  check_kept '"peers":[{"name":"clEnqueueCopyBufferRect","median_s":' r.json
  check_kept '"peers":[{"name":"clEnqueueCopyBufferRect","cases":1,' r.json
  check_kept '"result":"exact"}]}],' r.json
  check_kept ' times as fast as clEnqueueCopyBufferRect in 1 case, '
  rm r.json
fi

# Results in a named pipe, which is opened when there is something to read; and in no room at all.
mkfifo results
cat results >../logs/piped &
reader=$!
# shellcheck disable=SC2086
check_printed 0 'given ' bench $case_of --device cpu --json results
wait "$reader"
check_kept '"cases":[{"name":"given",' ../logs/piped
rm results
if [ -w /dev/full ]; then
  for option in --json --svg; do
    # shellcheck disable=SC2086
    "$RELAYOUT" bench $case_of --device cpu "$option" /dev/full >../logs/out 2>../logs/err
    code=$?
    wanted_code=1 wanted_out=$(cat ../logs/out) wanted_err='cannot write /dev/full: No space'
    compare "$code" "bench $option /dev/full"
  done
  # Who cannot show the first case measures no other.
  "$RELAYOUT" bench --suite small --device cpu --json r.json >/dev/full 2>../logs/err
  code=$?
  : >../logs/out
  wanted_code=1 wanted_out='' wanted_err='cannot write to standard output: No space'
  compare "$code" 'bench --suite small >/dev/full'
  checks=$((checks + 1))
  [ "$(grep -o '"median_s":' r.json | wc -l)" -eq 1 ] || fail 'a case was measured that nobody sees'
  rm r.json
fi

# Results are measured, or read.
echo '{"cases":[]}' >r.json
check 4 '' "r.json: a benchmark has no 'suite'" bench --results r.json
check 2 '' '--results measures nothing, so --device cannot go with it' \
  bench --results r.json --device cpu
check 2 '' '--results measures nothing, so --hot cannot go with it' bench --hot --results r.json
rm r.json
check 1 '' 'cannot open r.json' bench --results r.json

# Programs get the JSON alone.
# shellcheck disable=SC2086
check_printed 0 '{"version":"' bench $case_of --device cpu --json -
checks=$((checks + 1))
[ "$(wc -l <../logs/out)" -eq 1 ] || fail 'bench --json -: printed more than one line'

suites='ttc, ml, pad, perm6, small, tiles, subbyte, convert, matrix, channels'
check 2 '' "--suite is 'frobnicate'; there are $suites" bench --suite frobnicate
check 2 '' "--suite is 'ttc-f31': " bench --suite ttc-f31
check 2 '' 'give either --suite or --from and --to' bench --suite ml --from 'f32[2]' --to 'f32[2]'
check 2 '' '--to is missing' bench --from 'f32[2]'
check 2 '' '--from is missing' bench --to 'f32[2]'
check 2 '' "one argument too many: 'ttc'" bench ttc
check 2 '' '--json and --svg cannot both' bench --json - --svg -
check 4 '' '--from: ' bench --from 'f32[2' --to '{0}'
check 4 '' '--to: ' bench --from 'f32[2]' --to '{0,1}'
check 4 '' "--to: 'f32[3]' has other dimensions than f32[2]{0}; leave them out" \
  bench --from 'f32[2]' --to 'f32[3]'
check 2 '' '--scale takes a finite number other than 0' bench --from 'f32[2]' --to s8 --scale 0
check 2 '' '--results measures nothing, so --scale' bench --results r.json --scale 2
check 2 '' '--results measures nothing, so --wrap' bench --results r.json --wrap
check 5 '' 'relayout: bench: ' bench --from 'f32[2]' --to '{0}' --device cuda

printf '{"cases": 5}' >../logs/other.json
check 4 '' '../logs/other.json: ' bench --from 'f32[2]' --to '{0}' --compare ../logs/other.json
check 1 '' 'cannot open missing.json' bench --from 'f32[2]' --to '{0}' --compare missing.json
check 1 '' 'cannot write no/where.json' bench --from 'f32[2]' --to '{0}' --json no/where.json
check 1 '' 'cannot write no/where.svg' bench --from 'f32[2]' --to '{0}' --svg no/where.svg

# What cannot be measured says so, in the table and as a message.
check_skipped() {
  wanted_code=$1 reason=$2
  shift 2
  checks=$((checks + 1))
  "$RELAYOUT" bench "$@" --device cpu >../logs/out 2>../logs/err
  code=$?
  [ $code -eq "$wanted_code" ] || fail "bench $*: exit code $code, not $wanted_code"
  check_kept "skipped: $reason"
  check_kept "relayout: bench: $reason" ../logs/err
}
check_skipped 4 'there is nothing to move' --from 'f32[0]' --to '{0}'
check_skipped 4 'conversion to c64 is not supported' --from 'f32[16,256]' --to 'c64[16,256]'
check_skipped 1 'the case takes 256.0 PiB, but ' --from 'u8[144115188075855872]' --to '{0}'

check_no_files 'bench'
finish
