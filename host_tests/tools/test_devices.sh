#!/bin/sh
# test_devices.sh: `relayout devices` and `relayout explain`, and names that are no device's.
. "$(dirname "$0")/check.sh"

check_printed 0 '
cpu ' devices
check_printed 0 'auto opens ' devices
check_printed 0 '{"devices":[{"name":"cpu","backend":"cpu","class":"cpu",' devices --json
check_printed 0 '"auto":"' devices --json

# What the machine is, said by the environment.
RELAYOUT_CPU_INSTRUCTIONS=plain
RELAYOUT_CPU_FACTS='line=128 l1=131072:8:1 l2=12582912:12:4 l3=0 page=16384 tlb=160:3000 streams=0'
export RELAYOUT_CPU_INSTRUCTIONS RELAYOUT_CPU_FACTS
check_printed 0 '"facts":{"line_bytes":128,"page_bytes":16384,"caches":[{"level":1,"bytes":131072,'\
'"ways":8,"processors":1},{"level":2,"bytes":12582912,"ways":12,"processors":4}],'\
'"tlb_pages":[160,3000],"vector_bytes":16,"streaming_stores":false,"instructions":"plain"}}' \
  devices --json
check_printed 0 'cpu has no tuning of its own, and takes that of CPU backend, ' devices
check_printed 0 ', the most similar machine; faster: relayout tune --device cpu' devices
RELAYOUT_CPU_FACTS='l1=32768:8:1 l2=524288:8:1 vector=32'
if "$RELAYOUT" devices | grep '^cpu has no tuning'; then
  fail 'relayout devices: a machine that was tuned has no tuning'
fi
RELAYOUT_CPU_FACTS='l1=0 streams=1'
check_printed 0 '"caches":[],' devices --json
check_printed 0 '"streaming_stores":true,"instructions":"plain"}}' devices --json
RELAYOUT_CPU_FACTS='l1=32K'
check 1 '' "relayout: explain: " explain --device cpu 'f32[2]' 'f32[2]'
unset RELAYOUT_CPU_INSTRUCTIONS RELAYOUT_CPU_FACTS

# With no OpenCL platform at all the CPU backend is what there is.
OCL_ICD_VENDORS=$work/logs/none
export OCL_ICD_VENDORS
check_printed 0 'auto opens cpu' devices
check_printed 0 '"auto":"cpu"}' devices --json
for command in 'explain f32[2] f32[2]' 'convert --from f32[2] --to f32[2] - -' \
  'bench --from f32[2] --to f32[2]' selftest; do
  # shellcheck disable=SC2086
  check 5 '' "relayout: ${command%% *}: " $command --device opencl
  # shellcheck disable=SC2086
  check 5 '' "relayout: ${command%% *}: " $command --device opencl:0:0
  for name in '' cuda CPU cpu0 opencl: opencl:0 opencl:0:x opencl:0:0:0 opencl:99999999999999:0; do
    # shellcheck disable=SC2086
    check 5 '' "relayout: ${command%% *}: " $command --device="$name"
  done
done

check_printed 0 transpose explain 'f32[1024,1000]' 'f32[1024,1000]{0,1:PD(1024,1024)}'
check_printed 0 '"schedule":["transpose ' \
  explain --json 'f32[1024,1000]' '{0,1:PD(1024,1024)}' --device=cpu
check_printed 0 copy explain 'f32[64]' '{0:PD(100)}'
check 4 '' 'relayout: explain: FROM: ' explain 'f32[2' 'f32[2]'
check 4 '' 'relayout: explain: TO: ' explain 'f32[2]' 'f32[2'
check 4 '' 'relayout: explain: TO: ' explain 'f32[2]' '{0,1}'
check 4 '' 'relayout: explain: FROM: ' explain '{0}' 'f32[2]'
check 4 '' 'relayout: explain: ' explain 'f32[2]' 'f32[3]'
check 4 '' 'relayout: explain: ' explain 'f32[2]' 'f32[3]'
check 4 '' 'conversion to c64 is not supported' explain 'f32[2]' 'c64[2]'
check_printed 0 'converted from f32 to s32' explain --device cpu 'f32[2]' 's32[2]'
check_printed 0 'axes
  axis 0: extent 2, source stride 4096, destination stride 1
  axis 1: extent 128, source stride 1, destination stride 2
  axis 2: extent 4, source stride 8192, destination stride 256
  axis 3: extent 32, source stride 128, destination stride 1024
  axis 4: extent 512, source stride 32768, destination stride 32768
method: ' explain --device cpu 'bf16[4096,4096]' '{1,0:T(8,128)(2,1)}'
check_printed 0 'method: index-program, because ' \
  explain --device cpu 'f32[30,50]{1,0:T(6,10)}' '{1,0:T(4,7)}'

finish
