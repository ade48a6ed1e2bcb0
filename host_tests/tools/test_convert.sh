#!/bin/sh
# test_convert.sh: `relayout convert`: raw bytes, .npy files, pipes, and all that can go wrong. With
# the argument opencl, the bytes alone, on such a device, which compiles dozens of kernels.
#
# Elements are letters, so that files can be read: abcdef is u8[2,3], aabbcc is u16[3].
. "$(dirname "$0")/check.sh"

# convert FROM TO BYTES RESULT: a raw file through a raw file, and through pipes.
convert() {
  printf %s "$3" | tr '.' '\000' >in
  check 0 '' '' convert --from "$1" --to "$2" --verify --device "$device" in out
  check_bytes out "$4"
  input=in
  check 0 "$4" '' convert --from="$1" --to="$2" --device="$device" - -
  input=../logs/nothing
  rm -f in out
}

device=auto
convert 'u8[2,3]' 'u8[2,3]{0,1}' abcdef adbecf
devices=${1:-cpu}
if [ "$devices" = opencl ] && ! has_opencl; then
  exit 77
fi
for device in $devices; do
  # XLA's documentation: [2 x 3] in its two orders, and padded to 3 x 5.
  convert 'u8[2,3]' 'u8[2,3]{1,0}' abcdef abcdef
  convert 'u8[2,3]' 'u8[2,3]{0,1}' abcdef adbecf
  convert 'u8[2,3]' 'u8[2,3]{0,1:PD(3,5)}' abcdef ad.be.cf.......
  convert 'u8[2,3]{0,1:PD(3,5)}' 'u8[2,3]' ad.be.cf....... abcdef
  convert 'u8[2,3]{0,1:PD(3,5)}' '{1,0}' adXbeXcfXXXXXXX abcdef
  convert 'u8[2,3]' '{0,1:PD(3,5)PV(65)}' abcdef adAbeAcfAAAAAAA
  convert 'u8[2,3]' '{1,0:PD(2,4)PV(unknown)}' abcdef abc.def.
  convert 'u16[2,2]' '{0,1}' aabbccdd aaccbbdd
  convert 'bf16[2,2]' '{0,1}' aabbccdd aaccbbdd
  convert 'f32[2,2]' '{0,1}' aaaabbbbccccdddd aaaaccccbbbbdddd
  convert 'f64[1,2]' '{0,1:PD(2,2)}' aaaaaaaabbbbbbbb aaaaaaaa........bbbbbbbb........
  convert 'c128[2]' '{0:PD(3)}' aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb \
    aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb................
  convert 'u8[]' 'u8[]' a a
  convert 'u8[0,3]' '{0,1}' '' ''
  convert 'u8[0,3]' '{1,0:PD(1,3)}' '' ...
  convert 'u8[2,2,2]' '{0,1,2}' abcdefgh aecgbfdh
  # Tiles: two of 2 x 2, the second half empty; then with their rows interleaved.
  convert 'u8[2,3]' '{1,0:T(2,2)}' abcdef abdec.f.
  convert 'u8[2,3]' '{0,1:T(2,2)}' abcdef adbecf..
  convert 'u8[2,3]' '{1,0:PV(65)T(2,2)}' abcdef abdecAfA
  convert 'u8[2,3]' '{1,0:PV(unknown)T(2,2)}' abcdef abdec.f.
  convert 'u8[2,3]{1,0:T(2,2)}' '{1,0}' abdecXfX abcdef
  convert 'u8[2,3]{1,0:T(2,2)}' '{0,1}' abdecXfX adbecf
  convert 'u8[2,4]' '{1,0:T(2,2)(2,1)}' abcdefgh aebfcgdh
  convert 'u8[2,4]{1,0:T(2,2)}' '{1,0:T(2,2)(2,1)}' abefcdgh aebfcgdh
  convert 'u8[3]' '{0:T(2,2)}' abc ab..c...
  convert 'u8[2,3]' '{1,0:PD(2,4)T(1,4)}' abcdef abc.def.
  convert 'u8[2,2,2]' '{2,1,0:T(*,3,2)}' abcdefgh abcdefgh....
  convert 'u8[3]' '{0:L(5)}' abc abc..
  # Packed: the low halves of a to f are 1 to 6, and ! C e are 0x21, 0x43 and 0x65.
  convert 'u4[2,3]' '{1,0:E(4)}' abcdef '!Ce'
  convert 'u4[2,3]{1,0:E(4)}' '{0,1:E(4)}' '!Ce' ARc
  convert 'u4[2,3]{1,0:E(4)}' '{1,0}' '!Ce' "$(printf '\001\002\003\004\005\006')"
  convert 'u4[3]' '{0:PD(4)PV(4)E(4)}' abc '!C'
  convert 'u4[2,3]{1,0:E(4)}' '{1,0:PV(7)T(2,2)E(4)}' '!Ce' '!Tsv'
  convert 'u2[4]' '{0:E(2)}' aacd '5'
  convert 'pred[8]' '{0:E(1)}' abbbbbab A
  # Other types: a is 97, which is 0x42c2 as bf16.
  convert 'u8[2,3]' 'u16[2,3]{0,1}' abcdef a.d.b.e.c.f.
  convert 'u16[3]' 'u8[3]' a.b.c. abc
  convert 'u8[2]' 'bf16[2]' aa "$(printf '\302B\302B')"
  convert 'bf16[2]' 'u8[2]{0:PD(3)PV(65)}' "$(printf '\302B\302B')" aaA
  convert 'u8[2,3]' 'u16[2,3]{1,0:T(2,2)}' abcdef a.b.d.e.c...f...
done
check_no_files 'converting and removing'
if [ "$devices" = opencl ]; then
  finish
  exit
fi

# The rest is about files: no command need load OpenCL drivers for it.
OCL_ICD_VENDORS=$work/logs/none
export OCL_ICD_VENDORS

# Factors, and integers that do not fit: 49.5 becomes 49, 0x6161 becomes 0xff or 0x61.
printf bcd >in
check 0 112 '' convert --verify --scale 0.5 --from 'u8[3]' --to '{0}' in -
check 0 112 '' convert --verify --scale=5e-1 --from 'u8[3]' --to '{0}' in -
printf 123 >in
check 0 bdf '' convert --verify --scale 2 --from 'u8[3]' --to 'u8[3]' in -
printf v >in
check 0 '`p' '' convert --verify --scale 16 --from 'u4[2]{0:E(4)}' --to 'u8[2]' in -
printf 'aXbY' >in
check 0 ab '' convert --verify --wrap --from 'u16[2]' --to 'u8[2]' in -
check 0 "$(printf '\377\377')" '' convert --verify --from 'u16[2]' --to 'u8[2]' in -
# To nearest, ties to even: 49.5 is 50, 50.5 too; towards zero when asked for.
printf 'ce' >in
check 0 22 '' convert --verify --scale 0.5 --round nearest --from 'u8[2]' --to '{0}' in -
check 0 12 '' convert --verify --scale 0.5 --round=zero --from 'u8[2]' --to '{0}' in -
rm in

# There and back through two pipes; an image of three channels to padded planes.
seq 1 40000 | head -c 92160 >image.raw
"$RELAYOUT" convert --from 'u8[160,192,3]' --to '{1,0,2:PD(160,256,4)}' - - <image.raw |
  "$RELAYOUT" convert --from 'u8[160,192,3]{1,0,2:PD(160,256,4)}' --to 'u8[160,192,3]' - back.raw
checks=$((checks + 1))
cmp image.raw back.raw || fail 'there and back through pipes'

# An output that is the input works, and keeps no second name.
cp image.raw same.raw
check 0 '' '' convert --from 'u8[160,192,3]' --to '{1,0,2}' same.raw same.raw
check 0 '' '' convert --from 'u8[160,192,3]{1,0,2}' --to '{2,1,0}' same.raw same.raw
checks=$((checks + 1))
cmp image.raw same.raw || fail 'there and back in one file'
ln -s same.raw link.raw
check 0 '' '' convert --from 'u8[160,192,3]' --to '{1,0,2}' image.raw link.raw
checks=$((checks + 1))
[ -L link.raw ] || fail 'the output was a link, and is one no more'
check 0 '' '' convert --from 'u8[160,192,3]{1,0,2}' --to '{2,1,0}' link.raw back.raw
checks=$((checks + 1))
cmp image.raw back.raw || fail 'through a link'
rm -f ./*.raw

# What ran is told when asked for, and files are made as the umask says.
printf abcdef >in
check 0 adbecf 'relayout: convert: u8[2,3]{1,0} to u8[2,3]{0,1} by ' \
  convert --verbose --device cpu --from 'u8[2,3]' --to '{0,1}' in -
check 0 adbecf...... 'relayout: convert: 6 bytes read and 12 written in memory in 0.' \
  convert --verbose --device cpu --from 'u8[2,3]' --to '{0,1:PD(2,6)}' in -
(umask 027 && "$RELAYOUT" convert --from 'u8[2,3]' --to '{0,1}' in out)
checks=$((checks + 1))
case $(ls -l out) in
-rw-r-----*) ;;
*) fail "the output's mode is not what the umask says: $(ls -l out)" ;;
esac
mkdir sub
check 0 '' '' convert --from 'u8[2,3]' --to '{0,1}' in sub/out
check_bytes sub/out adbecf
check 0 adbecf '' convert --from 'u8[2,3]' --to '{0,1}' -- in -
rm -rf in out sub

# ---- .npy ------------------------------------------------------------------------------------

# npy_case DESCR FORTRAN_ORDER SHAPE BYTES ; DESCR FORTRAN_ORDER SHAPE BYTES ; WORD...: converts the
# first file by these words and wants the second, its header's text and its bytes.
npy_case() {
  { npy "$1" "$2" "$3" && printf %s "$4"; } >in.npy
  wanted_text="{'descr': '$6', 'fortran_order': $7, 'shape': $8, }" wanted_bytes=$9
  shift 10
  check 0 '' '' convert --verify --device cpu "$@" in.npy out.npy
  check_npy out.npy "$*"
  "$RELAYOUT" convert --device cpu "$@" - - <in.npy >piped.npy 2>../logs/err
  checks=$((checks + 1))
  cmp piped.npy out.npy || fail "relayout convert $* - -: not as between files"
  rm -f ./*.npy
}

# check_npy FILE WORDS: the file has $wanted_text in its header and $wanted_bytes behind it, which
# begin at a multiple of 64.
check_npy() {
  checks=$((checks + 1))
  size=$(wc -c <"$1")
  data_at=$((size - ${#wanted_bytes}))
  [ $((data_at % 64)) -eq 0 ] || fail "$2: the data begin at $data_at"
  found=$(head -c "$data_at" "$1" | tail -c +11)
  found=${found%"${found##*\}}"}
  [ "$found" = "$wanted_text" ] || fail "$2: the header is $found, not $wanted_text"
  found=$(tail -c +$((data_at + 1)) "$1" | tr '\000' '.')
  [ "$found" = "$wanted_bytes" ] || fail "$2: the bytes are $found, not $wanted_bytes"
}

npy_case '|u1' False '(2, 3)' abcdef ';' '|u1' True '(2, 3)' adbecf ';' --to '{0,1}'
npy_case '|u1' True '(2, 3)' adbecf ';' '|u1' False '(2, 3)' abcdef ';' --to '{1,0}'
npy_case '|u1' True '(2, 3)' adbecf ';' '|u1' True '(2, 3)' adbecf ';' --to 'u8[2,3]{0,1}'
npy_case '|u1' False '(2, 3)' abcdef ';' '|u1' False '(5, 3)' ad.be.cf....... ';' \
  --to '{0,1:PD(3,5)}'
npy_case '|u1' False '(2, 3)' abcdef ';' '|u1' False '(3, 4)' abc.def..... ';' \
  --to '{1,0:PD(3,4)}'
npy_case '|u1' False '(1, 2, 3)' abcdef ';' '|u1' False '(3, 1, 2)' adbecf ';' --to '{1,0,2}'
npy_case '<f4' False '(2, 2)' aaaabbbbccccdddd ';' '<f4' True '(2, 2)' aaaaccccbbbbdddd ';' \
  --to '{0,1}'
npy_case '<c8' False '(1,)' aaaaaaaa ';' '<c8' False '(2,)' aaaaaaaa........ ';' --to '{0:PD(2)}'
npy_case '|b1' False '()' a ';' '|b1' False '()' a ';' --to 'pred[]'
npy_case '<i2' False '(0, 3)' '' ';' '<i2' True '(0, 3)' '' ';' --to '{0,1}'
# Tiled buffers are arrays of what the tiles make of them; tails and packed elements are lists.
npy_case '|u1' False '(2, 3)' abcdef ';' '|u1' False '(1, 2, 2, 2)' abdec.f. ';' \
  --to '{1,0:T(2,2)}'
npy_case '|u1' False '(1, 2, 2, 2)' abdecXfX ';' '|u1' False '(2, 3)' abcdef ';' \
  --from 'u8[2,3]{1,0:T(2,2)}' --to '{1,0}'
npy_case '|u1' False '(8,)' abdecXfX ';' '|u1' True '(2, 3)' adbecf ';' \
  --from 'u8[2,3]{1,0:T(2,2)}' --to '{0,1}'
npy_case '|u1' False '(3,)' abc ';' '|u1' False '(5,)' abc.. ';' --to '{0:L(5)}'
npy_case '|u1' False '(2, 3)' abcdef ';' '|u1' False '(3,)' '!Ce' ';' \
  --from 'u4[2,3]' --to '{1,0:E(4)}'
npy_case '|u1' False '(3,)' '!Ce' ';' '|u1' False '(3,)' ARc ';' \
  --from 'u4[2,3]{1,0:E(4)}' --to '{0,1:E(4)}'
npy_case '|u1' False '(1,)' A ';' '|b1' False '(8,)' "$(printf '\001.....\001.')" ';' \
  --from 'pred[8]{0:E(1)}' --to '{0}'
# Containers are unsigned integers.
npy_case '|u1' False '(2, 3)' abcdef ';' '<u2' True '(2, 3)' a.d.b.e.c.f. ';' --to '{0,1:E(16)}'
npy_case '<u4' False '(3,)' aXYZb...c..Z ';' '|b1' False '(4,)' "$(printf 'abc\001')" ';' \
  --from 'pred[3]{0:E(32)}' --to '{0:PV(one)L(4)}'
npy_case '<u2' False '(2,)' aXbX ';' '<u4' False '(3,)' a...b...A... ';' \
  --from 'u8[2]{0:E(16)}' --to '{0:PD(3)PV(65)E(32)}'
npy_case '<u2' False '(3,)' aXbXcX ';' '|u1' False '(2,)' "$(printf '!\003')" ';' \
  --from 'u4[3]{0:E(16)}' --to '{0:E(4)}'
# Another element type.
npy_case '|u1' False '(2, 3)' abcdef ';' '<u2' True '(2, 3)' a.d.b.e.c.f. ';' \
  --to 'u16[2,3]{0,1}'
npy_case '|u1' False '(2,)' aa ';' '<u2' False '(2,)' "$(printf '\302B\302B')" ';' --to 'bf16[2]'
# The source's shape: the whole of it, ...
npy_case '<V2' False '(2, 2)' aabbccdd ';' '<u2' True '(2, 2)' aaccbbdd ';' \
  --from 'bf16[2,2]' --to '{0,1}'
npy_case '<f1' False '(2, 2)' abcd ';' '|u1' True '(2, 2)' acbd ';' \
  --from 'f8e5m2[2,2]' --to '{0,1}'
npy_case '|u1' False '(5, 3)' adXbeXcfXXXXXXX ';' '|u1' False '(2, 3)' abcdef ';' \
  --from 'u8[2,3]{0,1:PD(3,5)}' --to '{1,0}'
npy_case '|u1' False '(3, 2)' adbecf ';' '|u1' False '(2, 3)' abcdef ';' \
  --from 'u8[2,3]{0,1}' --to '{1,0}'
npy_case '|u1' False '(15,)' adXbeXcfXXXXXXX ';' '|u1' False '(2, 3)' abcdef ';' \
  --from 'u8[2,3]{0,1:PD(3,5)}' --to '{1,0}'
npy_case '|u1' False '(2, 3)' abcdef ';' '|u1' True '(2, 1, 3)' adbecf ';' \
  --from 'u8[2,1,3]' --to '{0,1,2}'
# ... or its layout alone, for the file's dimensions as they lie.
npy_case '|u1' False '(2, 3)' abcdef ';' '|u1' True '(2, 3)' adbecf ';' --from '{1,0}' --to '{0,1}'
npy_case '|u1' True '(2, 3)' adbecf ';' '|u1' False '(2, 3)' abcdef ';' --from '{0,1}' --to '{1,0}'
npy_case '|u1' False '(3, 1, 2)' adbecf ';' '|u1' False '(1, 2, 3)' abcdef ';' \
  --from '{1,0,2}' --to '{2,1,0}'
# ... or its type, alone or with a layout.
npy_case '<u2' False '(2, 2)' aabbccdd ';' '<u2' True '(2, 2)' aaccbbdd ';' \
  --from bf16 --to '{0,1}'
npy_case '|u1' True '(2, 3)' adbecf ';' '|u1' False '(2, 3)' abcdef ';' --from u8 --to '{1,0}'
npy_case '|u1' False '(3, 2)' adbecf ';' '|u1' False '(2, 3)' abcdef ';' \
  --from 'u8{0,1}' --to '{1,0}'
# What --to does not say is the source's.
npy_case '|u1' False '(2, 3)' abcdef ';' '<u2' False '(2, 3)' a.b.c.d.e.f. ';' --to u16
npy_case '|u1' True '(2, 3)' adbecf ';' '<u2' True '(2, 3)' a.d.b.e.c.f. ';' --to u16
npy_case '|u1' False '(2, 3)' abcdef ';' '<u2' True '(2, 3)' a.d.b.e.c.f. ';' --to 'u16{0,1}' \
  --verify
npy_case '|u1' False '()' a ';' '|u1' False '()' a ';' --to '{}'
npy_case '|u1' False '()' a ';' '<u2' False '()' a. ';' --to 'u16{}'
npy_case '|u1' False '(3,)' abc ';' '|u1' False '(4,)' abc. ';' --to '{:L(4)}'

# Versions 2 and 3 differ in the length of the length; raw and .npy mix.
for version in 2 3; do
  text="{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"
  {
    printf "\\223NUMPY\\00$version\\000\\$(printf %03o ${#text})\\000\\000\\000"
    printf '%sabcdef' "$text"
  } >in.npy
  check 0 '' '' convert --to '{0,1}' in.npy out.raw
  check_bytes out.raw adbecf
  check 0 '' '' convert --from 'u8[2,3]{0,1}' --to '{1,0}' out.raw back.npy
  wanted_text=$text wanted_bytes=abcdef
  check_npy back.npy "version $version"
done
input=in.npy
check 0 '' '' convert --to '{0,1}' - out.raw
check_bytes out.raw adbecf
check 0 "$(tr '\000' '.' <in.npy)" '' convert --from "u8[$(wc -c <in.npy)]" --to '{0}' \
  /dev/stdin -
input=../logs/nothing
rm -f ./*.npy ./*.raw

# ---- What goes wrong leaves nothing behind -----------------------------------------------------

# refuse EXIT STDERR BYTES WORD...: the input is given as a file and as a pipe.
refuse() {
  code=$1 message=$2
  printf %s "$3" >../logs/in
  shift 3
  check "$code" '' "$message" convert "$@" ../logs/in out
  check_no_files "relayout convert $* in out"
  input=../logs/in
  check "$code" '' "$message" convert "$@" - out
  check_no_files "relayout convert $* - out"
  wanted_code=$code wanted_out='' wanted_err='relayout: convert: '
  # shellcheck disable=SC2002
  cat ../logs/in | "$RELAYOUT" convert "$@" - - >../logs/out 2>../logs/err
  compare $? "convert $* - - in a pipe"
  input=../logs/nothing
}
refuse 4 'holds 5 bytes of data, but u8[2,3]{1,0} takes 6' abcde --from 'u8[2,3]' --to '{0,1}'
refuse 4 'holds 7 bytes of data, but u8[2,3]{1,0} takes 6' abcdefg --from 'u8[2,3]' --to '{0,1}'
refuse 4 'holds 0 bytes of data, but u8[2,3]{1,0} takes 6' '' --from 'u8[2,3]' --to '{0,1}'
refuse 4 'u8[0]' a --from 'u8[0]' --to '{0}'
refuse 4 'takes 144115188075855872' abcdef --from 'f32[36028797018963968]' --to '{0}'
refuse 4 'exceeds 36028797018963968 elements' abcdef --from 'f32[36028797018963969]' --to '{0}'
refuse 4 '--from: ' abcdef --from 'u8[2,3' --to '{0,1}'
refuse 4 '--to: ' abcdef --from 'u8[2,3]' --to '{0,1'
refuse 4 '--to: ' abcdef --from 'u8[2,3]' --to '{0,1,2}'
refuse 4 'relayout: convert: ' abcdef --from 'u8[2,3]' --to 'u8[3,2]'
refuse 4 'relayout: convert: ' abcdef --from 'u8[2,3]' --to 'c64[2,3]'
refuse 4 '--to: ' abcdef --from 'u8[2,3]' --to '{1,0:T(0,2)}'
refuse 4 'relayout: convert: ' abcdef --from 'u8[2,3]' --to '{1,0:E(3)}'
for factor in 0 -0 1e-999 nan inf -inf 1e999 two 2x ' 2' ''; do
  refuse 2 "--scale takes a finite number other than 0, not '$factor'" abcdef \
    --from 'u8[2,3]' --to '{0,1}' --scale="$factor"
done
for rounding in up '' Nearest; do
  refuse 2 "--round takes zero or nearest, not '$rounding'" abcdef \
    --from 'u8[2,3]' --to '{0,1}' --round="$rounding"
done
refuse 2 '--from must be a whole shape' abcdef --to '{0,1}'
refuse 2 '--from must be a whole shape' abcdef --from '{0,1}' --to '{0,1}'
refuse 2 '--from must be a whole shape' abcdef --from u8 --to '{0,1}'
refuse 5 'relayout: convert: ' abcdef --from 'u8[2,3]' --to '{0,1}' --device cuda

checks=$((checks + 1))
printf abcdefg | "$RELAYOUT" convert --from 'u8[2,3]' --to '{0,1}' - out 2>../logs/err
[ $? -eq 4 ] || fail 'a pipe that is too long: no exit code 4'
grep -q 'standard input holds more bytes than the 6 that' ../logs/err ||
  fail "a pipe that is too long: $(cat ../logs/err)"
check_no_files 'a pipe that is too long'

# ---- Byte orders --------------------------------------------------------------------------------

# ordered DESCR BYTES RESULT_DESCR RESULT WORD...: an array of two elements to another file.
ordered() {
  { npy "$1" False '(2,)' && printf "$2"; } >in.npy
  printf "$4" >../logs/wanted
  result=$3
  shift 4
  check 0 '' '' convert --verify --device cpu "$@" in.npy out.npy
  checks=$((checks + 1))
  grep -q "'$result'" out.npy || fail "relayout convert $*: no '$result'"
  tail -c "$(wc -c <../logs/wanted)" out.npy | cmp -s - ../logs/wanted ||
    fail "relayout convert $*: $(tail -c 16 out.npy | od -An -tx1)"
  rm -f in.npy out.npy
}
# 97 is 0x42c2 as bf16 and 0x42c20000 as f32, 0.5 is 0x3f000000.
if [ "$(printf '\001\000' | od -An -tu2 | tr -d ' ')" = 1 ]; then
  ordered '>u2' 'abcd' '<u2' 'badc' --to '{0}'
  ordered '>u4' 'abcdefgh' '<u4' 'dcbahgfe' --to '{0}'
  ordered '>c8' 'abcdefghijklmnop' '<c8' 'dcbahgfelkjiponm' --to '{0}'
  ordered '<u8' 'abcdefghijklmnop' '>u8' 'hgfedcbaponmlkji' --to '{0}' --byte-order big
  ordered '>u2' 'abcd' '>u2' 'abcd' --to '{0}' --byte-order big
  ordered '>u2' 'abcd' '>u2' 'abcd\001\002' --to '{0:PD(3)PV(258)}' --byte-order big
  ordered '>f4' '\102\302\000\000\077\000\000\000' '|u1' 'a\000' --to 'u8[2]'
  ordered '|u1' 'aa' '>f4' '\102\302\000\000\102\302\000\000' --to 'f32[2]' --byte-order big
  ordered '|u1' 'ab' '|u1' 'ab' --to '{0}' --byte-order big
  ordered '>f4' '\102\302\000\000\077\000\000\000' '>f2' '\126\020\070\000' --to 'f16[2]' \
    --byte-order big
fi
printf abcd >../logs/in
refuse 2 '--byte-order takes big or little' abcd --from 'u16[2]' --to '{0}' --byte-order middle
refuse 4 'wider containers of u16' abcd --from 'u16[2]' --to '{0:E(32)}' --byte-order big

# ---- What is no tensor --------------------------------------------------------------------------

# kind BYTES WHAT: a file that begins so is named, and --raw takes it all the same.
kind() {
  printf "$1" >../logs/in.bin
  size=$(wc -c <../logs/in.bin)
  check 4 '' "in.bin is $2, not raw bytes" convert --from "u8[$size]" --to '{0}' ../logs/in.bin out
  check 0 '' '' convert --raw --from "u8[$size]" --to '{0}' ../logs/in.bin out
  cmp -s ../logs/in.bin out || fail "relayout convert --raw: $2"
  rm -f out
  cp ../logs/in.bin ../logs/in.npy
  check 4 '' "in.npy is $2, not a .npy file" convert --to '{0}' ../logs/in.npy out
}
kind 'GGUF\003\000\000\000' 'a GGUF file'
kind 'PK\003\004\024\000' 'a zip archive (.npz, .pt, ...)'
kind '\211HDF\r\n\032\n' 'an HDF5 file'
kind '\037\213\010\000' 'a gzip file'
kind '\211PNG\r\n\032\n' 'a PNG image'
kind '\377\330\377\340' 'a JPEG image'
kind 'version https://git-lfs.github.com/spec/v1' \
  "a Git LFS pointer ('git lfs pull' fetches the file)"
kind '\020\000\000\000\000\000\000\000{"__metadata' 'a .safetensors file'
kind '\200\004\225\020\000\000\000\000\000\000\000]' 'a Python pickle'
{ printf %257s '' && printf ustar; } >../logs/tar
check 4 '' 'is a tar archive' convert --from 'u8[262]' --to '{0}' ../logs/tar out
npy '|u1' False '(2,)' >../logs/in.bin
check 4 '' 'is a .npy file, not raw bytes' convert --from 'u8[2]' --to '{0}' ../logs/in.bin out
check_no_files 'files of other kinds'

# ---- Pipes by other names, and suffixes in capitals ---------------------------------------------

{ npy '|u1' False '(2, 3)' && printf abcdef; } >in.npy
mkfifo fifo
cat in.npy >fifo &
check 0 '' '' convert --to '{0,1}' fifo out.npy
tail -c 6 out.npy >out
check_bytes out adbecf
cp in.npy IN.NPY
check 0 '' '' convert --to '{0,1}' IN.NPY OUT.NPY
cmp -s out.npy OUT.NPY || fail 'IN.NPY'
rm -f fifo in.npy out.npy out IN.NPY OUT.NPY

# refuse_npy EXIT STDERR DESCR FORTRAN_ORDER SHAPE BYTES WORD...
refuse_npy() {
  code=$1 message=$2
  { npy "$3" "$4" "$5" && printf %s "$6"; } >../logs/in.npy
  shift 6
  check "$code" '' "$message" convert "$@" ../logs/in.npy out.npy
  check_no_files "relayout convert $* in.npy out.npy"
}
refuse_npy 4 'holds 5 bytes of data, but u8[2,3]{1,0} takes 6' '|u1' False '(2, 3)' abcde \
  --to '{0,1}'
refuse_npy 4 'holds 7 bytes of data, but u8[2,3]{1,0} takes 6' '|u1' False '(2, 3)' abcdefg \
  --to '{0,1}'
refuse_npy 4 'holds 6 bytes of data' '|u1' False '(144115188075855872,)' abcdef --to '{0}'
refuse_npy 4 'in.npy: ' '<f8' False '(4611686018427387904, 4)' abcdef --to '{1,0}'
refuse_npy 4 '63 bits' '|u1' False '(9223372036854775808,)' abcdef --to '{0}'
refuse_npy 4 'negative' '|u1' False '(-1,)' abcdef --to '{0}'
refuse_npy 4 "'V2'" '<V2' False '(2,)' aabb --to '{0}'
refuse_npy 4 "are 'f4', which cannot be s32" '<f4' False '(1,)' aaaa --from 's32[1]' --to '{0}'
refuse_npy 4 'the array is (2, 3) in C order, but a buffer of --from u8[3,2] is (3, 2) in C order' \
  '|u1' False '(2, 3)' abcdef --from 'u8[3,2]' --to '{0,1}'
refuse_npy 4 'is (2, 3) in Fortran order' '|u1' False '(2, 3)' abcdef --from 'u8[2,3]{0,1}' \
  --to '{0,1}'
refuse_npy 4 'the array is (2, 3) in C order' '|u1' False '(2, 3)' abcdef --from 'u8[2,4]' \
  --to '{0,1}'
refuse_npy 4 'the array is (2, 3) in C order' '|u1' False '(2, 3)' abcdef \
  --from '{1,0:PD(3,5)}' --to '{0,1}'
refuse_npy 4 \
  'the array is (4, 2) in C order, but a buffer of --from u8[2,3]{1,0:T(2,2)} is (1, 2, 2, 2)' \
  '|u1' False '(4, 2)' abcdefgh --from 'u8[2,3]{1,0:T(2,2)}' --to '{0,1}'
refuse_npy 4 "are 'u1', which cannot be u32" '|u1' False '(3,)' abc --from 'u8[3]{0:E(32)}' \
  --to '{0}'
refuse_npy 4 'holds 6 bytes of data, but u8[2,3]{1,0:E(32)} takes 24' '|u1' False '(2, 3)' \
  abcdef --from '{1,0:E(32)}' --to '{1,0}'
refuse_npy 4 "are 'i1', which cannot be u8" '|i1' False '(3,)' abc --from 'u4[2,3]{1,0:E(4)}' \
  --to '{1,0}'
refuse_npy 4 '--from: ' '|u1' False '(2, 3)' abcdef --from '{0}' --to '{0,1}'
refuse_npy 4 "unknown key 'x" '|u1' False "(2,), 'x': 3" ab --to '{0}'

# A .npy file cut anywhere.
{ npy '|u1' False '(2, 3)' && printf abcdef; } >../logs/whole.npy
size=$(wc -c <../logs/whole.npy)
cut=0
while [ "$cut" -lt "$size" ]; do
  head -c "$cut" ../logs/whole.npy >../logs/in.npy
  check 4 '' '../logs/in.npy' convert --to '{0,1}' ../logs/in.npy out.npy
  cut=$((cut + 1))
done
check_no_files '.npy files that were cut'

# Files that are not there, or cannot be.
printf abcdef >../logs/in
check 1 '' 'cannot open none: No such file' convert --from 'u8[2,3]' --to '{0,1}' none out
check 1 '' 'cannot read .: Is a directory' convert --from 'u8[2,3]' --to '{0,1}' . out
check 1 '' 'cannot write .: Is a directory' convert --from 'u8[2,3]' --to '{0,1}' ../logs/in .
check 1 '' 'cannot write none/out: No such file' \
  convert --from 'u8[2,3]' --to '{0,1}' ../logs/in none/out
if [ -w /dev/full ]; then
  check 1 '' 'cannot write /dev/full: No space' \
    convert --from 'u8[2,3]' --to '{0,1}' ../logs/in /dev/full
  checks=$((checks + 1))
  "$RELAYOUT" convert --from 'u8[2,3]' --to '{0,1}' ../logs/in - >/dev/full 2>../logs/err
  [ $? -eq 1 ] || fail 'convert to a full standard output: no exit code 1'
fi
check_no_files 'files that cannot be'

# A reader that goes away early is a failure, not a crash.
checks=$((checks + 1))
{
  head -c 1000000 /dev/zero | "$RELAYOUT" convert --from 'u8[1000000]' --to '{0}' - - 2>../logs/err
  echo $? >../logs/code
} | head -c 1 >../logs/out
[ "$(cat ../logs/code)" = 1 ] || fail "a reader that went away: exit code $(cat ../logs/code)"
grep -q 'cannot write standard output: Broken pipe' ../logs/err ||
  fail "a reader that went away: $(cat ../logs/err)"

# A large transfer shows a bar on a terminal, and there alone. Where there is no pseudo-terminal to
# be had, as in a bare chroot, only the silence is checked.
truncate -s 64M ../logs/large
words="convert --from u8[67108864] --to {0} --device cpu ../logs/large /dev/null"
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  script -qec "'$RELAYOUT' $words" ../logs/typed >/dev/null </dev/null
  for part in 'reading ' 'writing ' '#####] 100 %'; do
    checks=$((checks + 1))
    grep -qF "$part" ../logs/typed || fail "relayout $words: no '$part' on the terminal"
  done
fi
# shellcheck disable=SC2086
check 0 '' '' $words
rm ../logs/large
check_no_files 'a large transfer'

# An output file that was there stays as it was until the new one is whole.
printf old >out
check 4 '' 'holds 6 bytes' convert --from 'u8[2,4]' --to '{0,1}' ../logs/in out
check_bytes out old
rm out

finish
