#!/bin/sh
# test_schedules.sh: the schedules that `relayout explain` lists, each of them asked for, and texts
# that are not among them.
. "$(dirname "$0")/check.sh"

devices=cpu
if has_opencl; then
  devices="cpu opencl"
fi

# json_texts KEY: the values of this key in what was printed last, one a line.
json_texts() {
  grep -o "\"$1\":\"[^\"]*\"" ../logs/out | cut -d '"' -f 4
}

# json_list: the members of "schedule", the schedules that were chosen, one a line.
json_list() {
  sed 's/.*"schedule":\[\([^]]*\)\].*/\1/; s/","/"\n"/g' ../logs/out | tr -d '"'
}

# check_offered FROM TO DEVICE: the list is in order, its texts stand in ../logs/offered, and text
# and JSON agree on it. The relayout has one part.
check_offered() {
  check_printed 0 '"schedules":[{"part":0,"text":"' \
    explain "$1" "$2" --device "$3" --schedules --json
  json_texts text >../logs/offered
  checks=$((checks + 4))
  sed 's/.*"schedules"://' ../logs/out | grep -o '"predicted_fraction":[0-9.e-]*' |
    cut -d : -f 2 >../logs/fractions
  sort -g -r ../logs/fractions | cmp -s - ../logs/fractions ||
    fail "$1 $2 on $3: not the best predicted first: $(cat ../logs/fractions)"
  [ "$(sed 's/ .*//' ../logs/offered)" = \
    "$(sed 's/.*"schedules"://' ../logs/out | grep -o '"method":"[^"]*"' | cut -d '"' -f 4)" ] ||
    fail "$1 $2 on $3: a schedule does not begin with its method"
  [ "$(json_list | grep -cxFf - ../logs/offered)" -eq 1 ] ||
    fail "$1 $2 on $3: what was chosen is not offered once: $(json_list)"
  "$RELAYOUT" explain "$1" "$2" --device "$3" --schedules |
    sed -n 's/^  [01]\.[0-9]*  //p' | cmp -s - ../logs/offered ||
    fail "$1 $2 on $3: text and JSON list different schedules"
}

# check_forced FROM TO DEVICE TEXT: the command says that it is this one that runs, and it does what
# it shall.
check_forced() {
  check_printed 0 "\"schedule\":[\"$4\"]" \
    explain "$1" "$2" --device "$3" --json --schedule "$4"
  check_printed 0 "schedule: $4" explain "$1" "$2" --device "$3" --schedule "$4"
  check 0 '' '' convert --from "$1" --to "$2" --device "$3" --verify --schedule "$4" \
    ../logs/noise.raw out.raw
}

# make_noise BYTES: into ../logs/noise.raw.
make_noise() {
  seq 9999999 | head -c "$1" >../logs/noise.raw
}

# The last one is too large for the caches of a few cores: there some of its schedules stream, and
# ask for a destination that begins with a line. FROM TO BYTES DEVICES
while read -r from to bytes where; do
  make_noise "$bytes"
  for device in $where; do
    check_offered "$from" "$to" "$device"
    while IFS= read -r text; do
      check_forced "$from" "$to" "$device" "$text" </dev/null
    done <../logs/offered
  done
  rm -f out.raw
done <<CASES
f32[30,50] {0,1} 6000 $devices
u8[64] {0:PD(100)} 64 cpu
bf16[64,256] {1,0:T(8,128)(2,1)} 32768 cpu
s4[64,100] {0,1:E(4)} 6400 cpu
f32[64,64] bf16[64,64]{0,1} 16384 cpu
f32[30,50]{1,0:T(6,10)} {1,0:T(4,7)} 6000 cpu
f32[1600,1500] {0,1:PD(1600,1536)} 9600000 cpu
CASES

# One text for each part, and no other number of them.
from='f32[30,50]'
to='{1,0:T(8,128)}'
make_noise 6000
check_printed 0 '"schedules":[' explain "$from" "$to" --device cpu --json --schedules
json_list >../logs/chosen
checks=$((checks + 1))
[ "$(wc -l <../logs/chosen)" -eq 2 ] || fail "$from $to: not two parts"
first=$(head -n 1 ../logs/chosen)
second=$(tail -n 1 ../logs/chosen)
for part in 0 1; do
  checks=$((checks + 1))
  grep -q "{\"part\":$part,\"text\":" ../logs/out || fail "$from $to: no schedules of part $part"
done
check_printed 0 "\"schedule\":[\"$first\",\"$second\"]" \
  explain "$from" "$to" --device cpu --json --schedule "$first" --schedule "$second"
check 0 '' '' convert --from "$from" --to "$to" --device cpu --verify --schedule "$first" \
  --schedule="$second" ../logs/noise.raw out.raw
rm -f out.raw
check_printed 0 "\"schedule\":\"$first | $second\"" \
  bench --from "$from" --to "$to" --device cpu --hot --json - \
  --schedule "$first" --schedule "$second"
check 4 '' 'schedule_count is 1, but the plan has 2 parts' \
  explain "$from" "$to" --device cpu --schedule "$first"
check 4 '' 'schedule_count is 3, but the plan has 2 parts' \
  convert --from "$from" --to "$to" --device cpu --schedule "$first" --schedule "$second" \
  --schedule "$second" ../logs/noise.raw out.raw
check 4 '' 'schedule_count is 1, but the plan has 0 parts' \
  explain 'f32[0]' 'f32[0]' --device cpu --schedule "$first"

# What the benchmark measures is what was asked for: here the last that is offered.
check_offered 'f32[64,64]' '{0,1}' cpu
text=$(tail -n 1 ../logs/offered)
check_printed 0 "\"schedule\":\"$text\",\"method\":\"${text%% *}\"," \
  bench --from 'f32[64,64]' --to '{0,1}' --device cpu --hot --json - --schedule "$text"

# Nobody has to read them all.
checks=$((checks + 2))
"$RELAYOUT" explain 'f32[64,64]' '{0,1}' --device cpu --json | grep -q '"schedules"' &&
  fail 'explain --json lists schedules that were not asked for'
"$RELAYOUT" explain 'f32[64,64]' '{0,1}' --device cpu | grep -q '^offered:' &&
  fail 'explain lists schedules that were not asked for'

# The order of fields does not matter, nor do spaces.
reordered=$(echo "$text" | awk '{ printf "  %s", $1; for (i = NF; i > 1; i--) printf "  %s", $i }')
check_printed 0 "\"schedule\":[\"$text\"]" \
  explain 'f32[64,64]' '{0,1}' --device cpu --json --schedule "$reordered"

# check_refused REASON TEXT: all three commands refuse it, and write nothing.
make_noise 16384
check_refused() {
  check 4 '' "relayout: explain: schedule: $1" \
    explain 'f32[64,64]' '{0,1}' --device cpu --schedule "$2"
  check 4 '' "relayout: convert: schedule: $1" convert --from 'f32[64,64]' --to '{0,1}' \
    --device cpu --schedule "$2" ../logs/noise.raw out.raw
  "$RELAYOUT" bench --from 'f32[64,64]' --to '{0,1}' --device cpu --hot --schedule "$2" \
    >../logs/out 2>../logs/err
  code=$?
  wanted_code=4 wanted_out=$(cat ../logs/out) wanted_err="relayout: bench: schedule: $1"
  compare "$code" "bench --schedule '$2'"
  check_no_files "--schedule '$2'"
}
check_refused '`' ''
check_refused '`frobnicate` is not a method' 'frobnicate word=4'
check_refused '`word` is not a field' 'transpose word'
check_refused '`colour=red` is not a field' "$text colour=red"
check_refused '`word` is given twice' "$text word=4"
check_refused 'no schedule of this relayout has `word=3`' "$(echo "$text" | sed 's/word=4/word=3/')"
check_refused 'method `bit-transpose` has no schedule' 'bit-transpose word=1'

check 2 '' '--schedule needs --from and --to: it is for one case' \
  bench --suite small --schedule "$text"
check 2 '' '--schedule needs --from and --to: it is for one case' bench --schedule "$text"
check 2 '' "--schedule needs a value, but nothing follows it" explain 'f32[2]' '{0}' --schedule
check 2 '' "--schedules takes no value, but is given as '--schedules=all'" \
  explain 'f32[2]' '{0}' --schedules=all
set --
for _ in 1 2 3 4 5 6 7 8 9 10 11; do
  set -- "$@" --schedule a --schedule b --schedule c
done
check 2 '' '--schedule is given more than 32 times' explain 'f32[2]' '{0}' "$@"

check_no_files 'schedules'
finish
