#!/bin/sh
# test_convert_scaled.sh: `relayout convert` of raw and .npy files whose elements have scales, or
# lie in records of a block format.
#
# As in test_convert.sh elements are letters where they can be: d is 100, so d times one half is 50,
# which is 2. All scales are powers of two.
. "$(dirname "$0")/check.sh"

# The drivers of OpenCL have no part in it.
OCL_ICD_VENDORS=$work/logs/none
export OCL_ICD_VENDORS

# f32s, in the order of bytes that raw files have, and in the other: 1, 0.5, 2 and 1.
printf '\000\000\200\077\000\000\000\077\000\000\000\100\000\000\200\077' >../logs/scales
printf '\077\200\000\000\077\000\000\000\100\000\000\000\077\200\000\000' >../logs/scales.big
printf '\001\002\003\001' >../logs/points
printf 'ab23BHxy' >../logs/values
printf "abdf!\$xy" >../logs/elements # values divided by their scales, one for two in a row
printf "bcfh\$'yz" >../logs/above   # and with the zero points added

scaled='u8[2,4] * f32[2,2]'
above='(u8[2,4] - u8[2,2]) * f32[2,2]'

# same FILE WANTED: both hold the same bytes.
same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" || fail "$1 holds '$(od -An -c "$1")', not '$(od -An -c "$2")'"
}

# ---- Records of four rows together: their scales first, and back ----

rows=AAbbbbbbbbbbbbbbbbCCddddddddddddddddEEffffffffffffffffGGhhhhhhhhhhhhhhhh
printf %s "$rows" >../logs/rows
check 0 '' '' convert --from 'q8_0[0,32]' --to q8_0_8_8 /dev/null out
check 0 '' '' convert --from 'q4_0[4,32]' --to q4_0_4_8 ../logs/rows out
head -c 8 out >first
check_bytes first AACCEEGG
check 0 '' '' convert --from 'q4_0_4_8[4,32]' --to q4_0 out back
check_bytes back "$rows"
check 4 '' 'expected a multiple of interleaved_rows, 8' convert --from 'q4_0[4,32]' --to q4_0_8_8 \
  ../logs/rows out
rm -f first back

# ---- Scales that are read ----

check 0 '' '' convert --from "$scaled" --to u8 --from-scales ../logs/scales ../logs/elements out
same out ../logs/values
check 0 '' '' convert --from "$scaled" --to 'u8[2,4]{0,1}' --from-scales ../logs/scales \
  ../logs/elements out
check_bytes out aBbH2x3y
check 0 '' '' convert --from "$above" --to u8 --from-scales ../logs/scales \
  --from-zero-points ../logs/points ../logs/above out
same out ../logs/values

check 0 '' '' convert --from 'u8[2,4]' --to "$scaled" --to-scales ../logs/scales ../logs/values out
same out ../logs/elements
check 0 '' '' convert --from 'u8[2,4]' --to "$scaled" --to-scales ../logs/scales \
  --scale-rule given ../logs/values out
same out ../logs/elements
check 0 '' '' convert --from 'u8[2,4]' --to "$above" --to-scales ../logs/scales \
  --to-zero-points ../logs/points ../logs/values out
same out ../logs/above
# Both sides, through pipes.
input=../logs/elements
check 0 "$(cat ../logs/above)" '' convert --from "$scaled" --from-scales ../logs/scales \
  --to "$above" --to-scales ../logs/scales --to-zero-points ../logs/points - -
input=../logs/nothing
# 2, 4, 6 and 12 by a scale of 2 are 1, 2, 3 and 6, whose codes are 2, 4, 5 and 7.
printf '\002\004\006\014' >values
printf '\200' >scale
check 0 '' '' convert --from 'u8[1,4]' --to 'f4e2m1fn[1,4]{1,0:E(4)} * f8e8m0fnu[1,1]' \
  --to-scales scale values out
check_bytes out Bu
check 0 '' '' convert --from 'f4e2m1fn[1,4]{1,0:E(4)} * f8e8m0fnu[1,1]' --from-scales scale \
  --to 'u8[1,4]' out again
same again values
# Quotients are rounded as is asked for: 99 by 2 is 49.5.
printf c >one
for round in zero=1 nearest=2; do # 1 is 49, 2 is 50
  check 0 "${round#*=}" '' convert --round "${round%=*}" --from 'u8[1]' --to 'u8[1]*f8e8m0fnu[1]' \
    --to-scales scale one -
done
# 3 times a scale of 2, which is multiplied by 8, is 0x30, a 0; a byte without scales times 0.5.
printf '\003' >three
check 0 0 '' convert --from 'u8[1]*f8e8m0fnu[1]' --from-scales scale --to 'u8[1]' --scale 8 three -
check 0 '' '' convert --from 'u8[1]' --to 'u8[1]*f8e8m0fnu[1]' --to-scales scale --scale 4 three out
check_bytes out "$(printf '\006')"
check 1 '' 'options->scale is 1e-60, which is 0 as an f32' convert --scale 1e-60 --from 'u8[1]' \
  --to 'u8[1]*f8e8m0fnu[1]' --to-scales scale three out
# Nothing at all.
check 0 '' '' convert --from 'u8[0,4]' --to 'u8[0,4] * f32[0,1]' --to-scales ../logs/nothing \
  ../logs/nothing out
check_bytes out ''
rm -f ./*

# ---- Scales that are found ----

# 255 and 64, 300 and 200, in bytes with a scale for two of them that is a power of two. By 127 the
# greatest are 2.01 and 2.36: the nearest are 2 and 2, none is below 4 and 4. Their exponents are 7
# and 8, that of 127 is 6: 2 and 4.
printf '\377\000@\000,\001\310\000' >values
# found RULE SCALES ELEMENTS
found() {
  printf %b "$2" >../logs/wanted
  check 0 '' '' convert --from 'u16[1,4]' --to 's8[1,4] * f8e8m0fnu[1,2]' --scale-rule "$1" \
    --to-scales scales values out
  same scales ../logs/wanted
  printf %b "$3" >../logs/wanted
  same out ../logs/wanted
}
found amax '\0200\0200' '\0177 \0177d'
found amax-up '\0201\0201' '?\0020K2'
found power2 '\0200\0201' '\0177 K2'
# -1 to 254 in 255 steps of one, of which 0 is the second: zero points are found too. 0 to 255, of
# which 0 is the first.
printf '\377\377\376\000\000\000\377\000' >values
printf '\000\377\000\377' >../logs/wanted
printf '\001\000' >../logs/wanted.points
printf '\000\000\200\077\000\000\200\077' >../logs/wanted.scales
check 0 '' '' convert --from 's16[1,4]' --to '(u8[1,4] - u8[1,2]) * f32[1,2]' --scale-rule range \
  --to-scales scales --to-zero-points points values out
same out ../logs/wanted
same points ../logs/wanted.points
same scales ../logs/wanted.scales
check 0 '' '' convert --from '(u8[1,4] - u8[1,2]) * f32[1,2]' --to s16 --from-scales scales \
  --from-zero-points points out again
same again values
check 1 '' 'which needs zero points' convert --scale-rule range --from 's16[1,4]' \
  --to 'u8[1,4] * f32[1,2]' --to-scales scales values out
for file in scales out; do
  check 2 '' "--to-zero-points is $file, and so is" convert --scale-rule range \
    --from 's16[1,4]' --to '(u8[1,4] - u8[1,2]) * f32[1,2]' --to-scales scales \
    --to-zero-points "$file" values out
done
# 127 and 254 by 127, to scales of four bytes in both orders.
printf '\177a\376B' >values
printf '\177a\177!' >../logs/wanted
printf '\000\000\200\077\000\000\000\100' >../logs/little
printf '\077\200\000\000\100\000\000\000' >../logs/big
for order in little big; do
  check 0 '' '' convert --from 'u8[1,4]' --to 's8[1,4] * f32[1,2]' --scale-rule amax \
    --byte-order $order --to-scales scales values out
  same out ../logs/wanted
  same scales ../logs/$order
done
rm -f ./*

# ---- Records ----

# The greatest of them is 127, so the scale is 1, which is 0x3c00 as f16.
printf 'abcdefghijklmnopqrstuvwxyz01234\177' >values
(printf '\000<' && cat values) >../logs/record
check 0 '' '' convert --from 's8[1,32]' --to q8_0 values out
same out ../logs/record
check 0 '' '' convert --from 's8[1,32]' --to 'q8_0[1,32]' values out
same out ../logs/record
check 0 '' '' convert --from 'q8_0[1,32]' --to s8 out again
same again values
check 0 '' '' convert --from 'q8_0[1,32]' --to q8_0 out again
same again ../logs/record
(npy '|i1' False '(1, 32)' && cat values) >values.npy
check 0 '' '' convert --to q8_0 values.npy out
same out ../logs/record
# Records have each a scale; f32s and a destination with a scale for all of them.
printf '\000\000\200\077' >scale
check 0 '' '' convert --from 'q8_0[1,32]' --to 's8[1,32] * f32[1,1]' --to-scales scale out again
same again values
rm -f ./*

# ---- .npy files ----

(npy '|u1' False '(2, 4)' && cat ../logs/elements) >elements.npy
(npy '>f4' False '(2, 2)' && cat ../logs/scales.big) >scales.npy
check 0 '' '' convert --from "$scaled" --to u8 --from-scales scales.npy elements.npy out
same out ../logs/values
check 0 '' '' convert --from "$scaled" --to u8 --from-scales scales.npy elements.npy out.npy
tail -c 8 out.npy >out
same out ../logs/values
grep -q "'|u1', 'fortran_order': False, 'shape': (2, 4)" out.npy || fail 'the header of out.npy'
# Raw bytes under such a name.
cp ../logs/scales raw.npy
cp ../logs/elements in.npy
check 0 '' '' convert --raw --from "$scaled" --to u8 --from-scales raw.npy in.npy out
same out ../logs/values
# 254 by 127 is 2.
printf '\376B' >values
check 0 '' '' convert --from 'u8[1,2]' --to 's8[1,2] * f32[1,1]' --scale-rule amax \
  --to-scales found.npy values out.npy
tail -c 2 out.npy >out
check_bytes out "$(printf '\177!')"
tail -c 4 found.npy >out
check_bytes out '...@'
grep -q "'<f4', 'fortran_order': False, 'shape': (1, 1)" found.npy || fail 'the header of scales'
check 4 '' 'raw.npy: ' convert --from "$scaled" --to u8 --from-scales raw.npy elements.npy out
check 4 '' "elements.npy: the array is (2, 4) in C order, but a buffer of --from u8[4,2]{1,0} is" \
  convert --from 'u8[4,2] * f32[1,1]' --to u8 --from-scales scale elements.npy out
rm -f ./*

# ---- What cannot be ----

printf 'as it was' >old
# refuse EXIT MESSAGE WORD...: refused, and neither OUT nor the scales are touched.
refuse() {
  refused_code=$1 refused=$2
  shift 2
  check "$refused_code" '' "$refused" convert "$@" old
  check_bytes old 'as it was'
  for left in scales .relayout*; do
    [ -e "$left" ] && fail "$*: left $left behind"
  done
}
values=../logs/values elements=../logs/elements
with=--from-scales=../logs/scales

# Sizes.
refuse 4 'values holds 8 bytes of data, but u8[2,8]{1,0} takes 16' --from 'u8[2,8] * f32[2,2]' \
  $with --to u8 $values
refuse 4 'points holds 4 bytes of data, but f32[2,2]{1,0} takes 16' --from "$scaled" \
  --from-scales ../logs/points --to u8 $elements
refuse 4 'elements holds 8 bytes of data, but u8[2,2]{1,0} takes 4' --from "$above" $with \
  --from-zero-points $elements --to u8 $elements
refuse 4 'points holds 4 bytes of data, but f32[2,2]{1,0} takes 16' --from 'u8[2,4]' \
  --to "$scaled" --to-scales ../logs/points $values
refuse 4 'scales holds 16 bytes of data, but u8[2,2]{1,0} takes 4' --from 'u8[2,4]' --to "$above" \
  --to-scales ../logs/scales --to-zero-points ../logs/scales $values
refuse 4 'values holds 8 bytes of data, but q8_0[1,32]{1,0} takes 34' --from 'q8_0[1,32]' \
  --to f32 $values
refuse 4 'values holds 8 bytes of data, but u8[2,8]{1,0} takes 16' --from 'u8[2,8]' \
  --to 's8[2,8] * f32[2,1]' --scale-rule amax --to-scales scales $values
input=$elements
refuse 4 'standard input holds 8 bytes of data, but u8[1,4]{1,0} takes 4' \
  --from 'u8[1,4] * f32[1,4]' $with --to u8 -
input=../logs/nothing

# Files that are missing, or too many.
refuse 2 '--from-scales is missing: --from has scales' --from "$scaled" --to u8 $elements
refuse 2 '--from-zero-points is missing: --from has zero points' --from "$above" $with --to u8 \
  $elements
refuse 2 '--to-scales is missing: --to has scales' --from 'u8[2,4]' --to "$scaled" $values
refuse 2 '--to-scales is missing: --to has scales' --from 'u8[2,4]' --to "$scaled" \
  --scale-rule amax $values
refuse 2 '--to-zero-points is missing: --to has zero points' --from 'u8[2,4]' --to "$above" \
  --scale-rule amax --to-scales scales $values
refuse 2 '--from-zero-points is not needed: --from has no zero points' --from "$scaled" $with \
  --from-zero-points ../logs/points --to u8 $elements
refuse 2 '--to-scales is not needed: --to has no scales' --from "$scaled" $with --to u8 \
  --to-scales scales $elements
refuse 2 '--from-scales is not needed: --from has no scales' $with --from 'q8_0[1,32]' --to f32 \
  $values
refuse 2 '--scale-rule is not needed: --to has no scales' --scale-rule amax --from "$scaled" $with \
  --to u8 $elements
refuse 2 "--scale-rule takes given, amax, amax-up, power2 or range, not 'most'" --scale-rule most \
  --from 'u8[2,4]' --to "$scaled" --to-scales scales $values
refuse 2 '--to-scales is old, and so is OUT' --scale-rule amax --from 'u8[2,4]' --to "$scaled" \
  --to-scales old $values
refuse 1 'cannot open none: ' --from "$scaled" --from-scales none --to u8 $elements
refuse 1 'cannot write none/scales: ' --scale-rule amax --from 'u8[2,4]' --to "$scaled" \
  --to-scales none/scales $values
check 1 '' 'cannot write none/out: ' convert --scale-rule amax --from 'u8[2,4]' --to "$scaled" \
  --to-scales scales $values none/out
[ ! -e scales ] || fail 'scales without the elements'
for words in '--from-scales x' '--from-zero-points x' '--to-scales x' '--to-zero-points x' \
  '--scale-rule amax'; do
  # shellcheck disable=SC2086 # an option and its value
  refuse 2 "${words% *} needs a --from or --to with scales, as in 's8[2,64] * f32[2,2]'" $words \
    --from 'u8[2,4]' --to '{0,1}' $values
done

# Other options, and other files.
for words in --verify --wrap '--schedule copy'; do
  # shellcheck disable=SC2086
  refuse 2 "${words% *} cannot be had for a side with scales or blocks; leave it out" $words \
    --from "$scaled" $with --to u8 $elements
done
refuse 2 '--from has scales or blocks, and such a side cannot be dealt out to devices' --dry-run \
  --from "$scaled" $with --to u8 $elements
refuse 2 '--to has scales or blocks, which needs an IN and an OUT that are raw or .npy files' \
  --tensor w --to "$scaled" --to-scales scales in.safetensors
check 2 '' '--from has scales or blocks, which needs an IN and an OUT that are raw or .npy files' \
  convert --tensor w --from "$scaled" $with --to u8 $elements out.gguf
check 2 '' 'out.npy is a .npy file, but records of q8_0 are for raw files alone' \
  convert --from 'u8[1,32]' --to q8_0 $values out.npy
refuse 2 '--byte-order is big, but records of q8_0 are little-endian' --byte-order big \
  --from 'u8[1,32]' --to q8_0 $values
refuse 4 '--from: column 5: ' --from 'q8_0' --to f32 $values
refuse 4 "--to 's8[2,5] * f32[2,1]' has other dimensions than the source, u8[2,4]{1,0}" \
  --from 'u8[2,4]' --to 's8[2,5] * f32[2,1]' --to-scales scales --scale-rule amax $values
refuse 4 "--to 'q8_0[64]' has other dimensions than the source, q8_0[2,32]{1,0}" \
  --from 'q8_0[2,32]' --to 'q8_0[64]' $values
refuse 4 'c64' --from 'c64[1]' --to 's8[1] * f32[1]' --to-scales scales --scale-rule amax $values
rm -f old
check_no_files 'what is refused'

finish
