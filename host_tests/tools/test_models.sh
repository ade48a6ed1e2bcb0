#!/bin/sh
# test_models.sh: `relayout convert` on .safetensors files, whose bytes are written here by hand.
. "$(dirname "$0")/check.sh"

# model HEADER DATA: a file of this header, of fewer than 256 bytes, and these data.
model() {
  length=$(printf %s "$1" | wc -c)
  # shellcheck disable=SC2059 # an octal escape
  printf "\\$(printf %03o "$length")\\0\\0\\0\\0\\0\\0\\0"
  printf %s%s "$1" "$2"
}

# check_model FILE HEADER DATA: the file is that, but for spaces behind its header.
check_model() {
  checks=$((checks + 1))
  size=$(od -An -t u1 -N 1 "$1" | tr -d ' ')
  found=$(tail -c +9 "$1" | head -c "$size" | sed 's/ *$//')
  [ "$found" = "$2" ] || fail "the header of $1 is
$found
and not
$2"
  found=$(tail -c +$((9 + size)) "$1")
  [ "$found" = "$3" ] || fail "the data of $1 are '$found', not '$3'"
}

w='"w":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]}'
x='"x.w":{"dtype":"U8","shape":[2,2],"data_offsets":[6,10]}'
n='"n":{"dtype":"Q3","shape":[1],"data_offsets":[10,12]}'
model "{$w,$x,$n}" abcdefghij+- >../logs/m.safetensors

# One, several, and back.
check 0 '' '' convert --tensor w --to '{0,1}' --verify ../logs/m.safetensors o.safetensors
check_model o.safetensors '{"__metadata__":{"relayout.layout.w":"u8[2,3]{0,1}"},'"\
"'"w":{"dtype":"U8","shape":[3,2],"data_offsets":[0,6]},'"$x,$n}" 'adbecfghij+-'
check 0 '' '' convert --tensor '*w' --to '{1,0:PD(2,4)PV(0x2e)}' ../logs/m.safetensors p.safetensors
tail -c 18 p.safetensors >tail
printf 'abc.def.gh..ij..+-' | cmp -s - tail || fail "padded tensors: $(cat tail)"
check 0 '' '' convert --tensor w --to '{1,0}' o.safetensors back.safetensors
check_model back.safetensors "{$w,$x,$n}" abcdefghij+-
check 0 '' '' convert --tensor w --from '{0,1}' --to '{1,0}' ../logs/m.safetensors o.safetensors
check_model o.safetensors '{"w":{"dtype":"U8","shape":[3,2],"data_offsets":[0,6]},'"$x,$n}" \
  'adbecfghij+-'
rm -f o.safetensors p.safetensors back.safetensors tail

# Another type, which comes first where its elements would not be aligned.
check 0 '' '' convert --tensor x.w --to 'u16[2,2]' ../logs/m.safetensors o.safetensors
check_model o.safetensors "{$w,"'"x.w":{"dtype":"U16","shape":[2,2],"data_offsets":[6,14]},'"\
"'"n":{"dtype":"Q3","shape":[1],"data_offsets":[14,16]}}' 'abcdefghij+-'
check 0 '' '' convert --tensor x.w --to 'u32[2,2]' ../logs/m.safetensors o.safetensors
check_model o.safetensors '{"x.w":{"dtype":"U32","shape":[2,2],"data_offsets":[0,16]},'"\
"'"w":{"dtype":"U8","shape":[2,3],"data_offsets":[16,22]},'"\
"'"n":{"dtype":"Q3","shape":[1],"data_offsets":[22,24]}}' 'ghijabcdef+-'
rm -f o.safetensors

# A tensor by itself.
check 0 '' '' convert --tensor w --to '{0,1}' ../logs/m.safetensors out
check_bytes out adbecf
check 0 'gihj' '' convert --tensor x.w --to '{0,1}' ../logs/m.safetensors -
check 0 '' '' convert --tensor w --to '{1,0}' ../logs/m.safetensors out.npy
check 0 adbecf '' convert --to '{0,1}' --from 'u8[2,3]' out.npy /dev/stdout
rm -f out out.npy

# What cannot be meant.
m=../logs/m.safetensors
check 2 '' '--tensor is missing: ../logs/m.safetensors has 3 tensors: w, x.w, n' \
  convert --to '{0,1}' $m out.safetensors
check 4 '' "--tensor 'y*' is none of the 3 tensors of" convert --tensor 'y*' --to '{0}' $m o.npy
check 2 '' "--tensor '*w' is 2 tensors of" convert --tensor '*w' --to '{0,1}' $m out.npy
check 4 '' "tensor 'n' is of dtype Q3" convert --tensor n --to '{0}' $m out.safetensors
check 4 '' "--to for tensor 'w': column 2: " convert --tensor w --to '{0}' $m out.safetensors
check 4 '' "takes 4 bytes, but tensor 'w' of" convert --tensor w --from 'u8[2,2]' --to '{0,1}' \
  $m out.safetensors
check 2 '' '--tensor wants an IN that is' convert --tensor w --to '{0,1}' in.npy out.npy
check 2 '' 'o.safetensors wants an IN that is' convert --from 'u8[6]' --to '{0}' in o.safetensors
check_no_files 'what cannot be meant'

# A file cut anywhere, and what is no file.
size=$(wc -c <$m)
cut=0
while [ "$cut" -lt "$size" ]; do
  head -c "$cut" $m >../logs/cut.safetensors
  check 4 '' ../logs/cut.safetensors convert --tensor w --to '{0,1}' ../logs/cut.safetensors o.npy
  cut=$((cut + 7))
done
mkfifo ../logs/pipe.safetensors
(cat $m >../logs/pipe.safetensors) &
check 1 '' 'is no regular file' convert --tensor w --to '{0,1}' ../logs/pipe.safetensors out.npy
check_no_files 'files that were cut'

# Names that a terminal would obey.
name='"\u001b[2J\u009bw":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
model "{$name}" a >../logs/obeyed.safetensors
check 2 '' '1 tensors: ?[2J?' convert --to '{0}' ../logs/obeyed.safetensors o.npy
model "{$name}" ab >../logs/obeyed.safetensors
check 4 '' '../logs/obeyed.safetensors: ' convert --tensor w --to '{0}' ../logs/obeyed.safetensors o
escape=$(printf '\033')
case $err in
*"$escape"*) fail 'a name reached the terminal as it is' ;;
esac
name='"\nrelayout: all is well":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
model "{$name}" a >../logs/obeyed.safetensors
check 2 '' '1 tensors: ?relayout: all is well' convert --to '{0}' ../logs/obeyed.safetensors o.npy

finish
