#!/bin/sh
# test_explain_scaled.sh: `relayout explain` and `relayout shape` of sides with scales, and of
# blocks.
. "$(dirname "$0")/check.sh"
export RELAYOUT_CPU_FACTS='line=64 l1=32768:8:1 l2=1048576:16:1 l3=33554432:16:16 page=4096'

check_has() { # TEXT explain's arguments
  text=$1
  shift
  "$RELAYOUT" explain "$@" --device cpu >out 2>&1 || failures=1
  grep -qF -- "$text" out || {
    echo "explain $* does not say $text"
    failures=1
  }
}

# 131,072 elements are half of a second cache of 1 MiB, as f32s that records are made of: 32 rows.
check_has 'boxes on cpu, predicted to reach 0.' 'f32[4096,4096]' q8_0
check_has 'from    f32[4096,4096]{1,0}' 'f32[4096,4096]' q8_0
check_has 'to      q8_0[4096,4096]{1,0}' 'f32[4096,4096]' q8_0
check_has 'boxes   128 of [32,4096]: each is read from memory once, and every destination gets '\
'its part while it is in the cache' 'f32[4096,4096]' q8_0
check_has 'schedule: boxes order=1,0 sizes=32,4096' 'f32[4096,4096]' q8_0
check_has '        because it suits the device' 'f32[4096,4096]' q8_0
check_has '{"from":"q8_0[64,64]{1,0}","to":[{"text":"f32[64,64]{0,1}"}],"boxes":1,"box":[64,64],'\
'"predicted_fraction":0.' 'q8_0[64,64]' 'f32[64,64]{0,1}' --json
check_has '"method":"boxes","schedule":["boxes order=1,0 sizes=64,64"],"chosen_by":"estimate"}' \
  'q8_0[64,64]' 'f32[64,64]{0,1}' --json
check_has '"to":[{"text":"(u8[64,64]{1,0} - u8[64,2]{1,0}) * f32[64,2]{1,0}","scales":"given",'\
'"reads_twice":false}],"boxes":1,"box":[64,64],' \
  'f32[64,64]' '(u8[64,64] - u8[64,2]) * f32[64,2]' --json

# Several destinations; what they do not say is the source's.
check_has 'to      bf16[64,64]{0,1}' 'bf16[64,64]' f32 --also '{0,1}' --also q8_0
check_has 'to      q8_0[64,64]{1,0}' 'bf16[64,64]' f32 --also '{0,1}' --also q8_0
check_has 'schedule: boxes order=1,0 sizes=16,64' \
  'bf16[64,64]' f32 --also '{0,1}' --schedule 'boxes sizes=16,64'
check_has 'because it was asked for' 'f32[64,64]' q8_0 --schedule 'boxes order=0,1'
check_has 'offered:' 'f32[64,64]' q8_0 --schedules
check_has '"schedules":[{"part":0,"text":"boxes order=' 'f32[64,64]' q8_0 --schedules --json
check 4 '' 'relayout: explain: schedule: column 1: `copy` is not `boxes`, the method of several '\
'destinations' explain 'f32[64,64]' q8_0 --schedule copy --device cpu
check 4 '' 'relayout: explain: schedule: `sizes` has 33 along dimension 1; expected a multiple of '\
'32, as elements share records or bytes there' \
  explain 'f32[64,64]' q8_0 --schedule 'boxes sizes=64,33' --device cpu

# A scale for the whole source.
check_has '{"from":"q8_0[64,64]{1,0}","scale":0.5,"to":[{"text":"f32[64,64]{1,0}"}],"boxes":1,' \
  'q8_0[64,64]' 'f32[64,64]' --scale 0.5 --json
check_has '        scales: each times 0.25' 's8[64,64] * f32[64,1]' 'f32[64,64]' --scale 0.25
check_has '        scales: one for all, 4' 'f32[64,64]' q8_0 --scale 4

# A product within a tile is none.
check_output_has() {
  "$RELAYOUT" explain "$2" "$3" --device cpu | grep -q "$1" || {
    echo "explain $2 $3 does not say $1"
    failures=1
  }
}
check_output_has '^schedule: ' 'f32[64,64]' 'f32[64,64]{1,0:T(*,4)}'

check 4 '' "relayout: explain: TO: column 19: the scales have 3 groups along dimension 1, which \
has 64 elements: say how many a group has (group_sizes, or 'per' in a text)" \
  explain 'f32[64,64]' 'f8e4m3fn[64,64] * f8e8m0fnu[64,3]'
check 4 '' 'relayout: explain: TO: q8_0: dimension 1, the minor one, is 60; '\
'expected a multiple of 32' \
  explain 'f32[64,60]' q8_0
check 2 '' 'relayout: explain: --specialize: not for several destinations, or sides with '\
'scales or blocks' explain 'f32[64,64]' q8_0 --specialize

# 64 by 64 nibbles, their zero points, which take a byte each, and scales of two.
check 0 '(u4[64,64]{1,0:E(4)} - u4[64,2]{1,0}) * f16[64,2]{1,0}

elements         2048 bytes
scales           256 bytes
zero points      128 bytes
a scale is for   1 by 32 elements' '' shape '(u4[64,64]{1,0:E(4)}-u4[64,2])*f16[64,2]'
check 0 'q8_0[2,64]{1,0}

elements         136 bytes
a scale is for   32 elements' '' shape 'q8_0[2,64]'
check 0 '{"text":"s8[8]{0} * f32[3]{0} per [3]","elements_bytes":8,"scales_bytes":12,'\
'"zero_points_bytes":0,"tensor_scale_bytes":0,"group_sizes":[3]}' '' \
  shape 's8[8] * f32[3] per [3]' --json
check 0 'f4e2m1fn[4,64]{1,0:E(4)} * f8e4m3fn[4,4]{1,0} * f32[1,1]{1,0}

elements         128 bytes
scales           16 bytes
tensor scale     4 bytes
a scale is for   1 by 16 elements' '' shape \
  'f4e2m1fn[4,64]{1,0:E(4)} * f8e4m3fn[4,4] * f32[1,1]'
check_output_has 'scales: given, below the tensor scale' 'f32[4,64]' \
  's8[4,64] * f32[4,1] * f32[]'
check 0 's8[] * f32[]

elements         1 bytes
scales           4 bytes
a scale is for   1 elements' '' shape 's8[] * f32[]'
check 4 '' 'relayout: shape: SHAPE: q8_0: dimension 0, the minor one, is 33; '\
'expected a multiple of 32' shape 'q8_0[33]'

finish
