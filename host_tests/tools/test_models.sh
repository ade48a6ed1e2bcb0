#!/bin/sh
# test_models.sh: `relayout convert` on .safetensors files, whose bytes are written here by hand.
. "$(dirname "$0")/models.sh"
. "$(dirname "$0")/check.sh"

# check_model FILE HEADER DATA: the file is that, but for spaces behind its header.
check_model() {
  checks=$((checks + 1))
  size=$(od -An -t u1 -N 2 "$1" | awk '{ print $1 + 256 * $2 }')
  [ $(((size + 8) % 64)) -eq 0 ] || fail "the data of $1 begin at $((size + 8))"
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
tail -c 18 p.safetensors >end
printf 'abc.def.gh..ij..+-' | cmp -s - end || fail "padded tensors: $(cat end)"
check 0 '' '' convert --tensor w --to '{1,0}' o.safetensors back.safetensors
check_model back.safetensors "{$w,$x,$n}" abcdefghij+-
check 0 '' '' convert --tensor w --from '{0,1}' --to '{1,0}' ../logs/m.safetensors o.safetensors
check_model o.safetensors '{"w":{"dtype":"U8","shape":[3,2],"data_offsets":[0,6]},'"$x,$n}" \
  'adbecfghij+-'
check 0 '' '' convert --tensor w --from 's8{0,1}' --to '{1,0}' ../logs/m.safetensors o.safetensors
check_model o.safetensors '{"w":{"dtype":"I8","shape":[3,2],"data_offsets":[0,6]},'"$x,$n}" \
  'adbecfghij+-'
rm -f o.safetensors p.safetensors back.safetensors end

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

# Elements of 6 bits: 1, 2, 3 and 4 lie in 0x81, 0x30 and 0x10, low bits first; and back.
model '{"s":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}}' '' >../logs/six.safetensors
printf '\201\060\020' >>../logs/six.safetensors
check 0 '' '' convert --tensor s --to '{0}' --verify ../logs/six.safetensors out
printf '\001\002\003\004' | cmp -s - out || fail "elements of 6 bits: $(od -An -tx1 out)"
check 0 '' '' convert --tensor s --from 'u8[3]' --to '{0}' ../logs/six.safetensors out
printf '\201\060\020' | cmp -s - out || fail "bytes of 6 bits each: $(od -An -tx1 out)"
check 0 '' '' convert --tensor s --to '{0:T(2)}' ../logs/six.safetensors o.safetensors
check 0 '' '' convert --tensor s --to '{0}' --verify o.safetensors back.safetensors
grep -q '"dtype":"F6_E2M3","shape":\[4\],"data_offsets":\[0,3\]' back.safetensors ||
  fail "elements of 6 bits: $(head -c 100 back.safetensors)"
tail -c 3 back.safetensors >out
printf '\201\060\020' | cmp -s - out || fail "packed elements of 6 bits: $(od -An -tx1 out)"
printf '\001\002\003\004' >../logs/raw
check 0 '' '' convert --tensor s --from 'f6e3m2fn[4]' --to '{0}' ../logs/raw o.safetensors
tail -c 3 o.safetensors >out
printf '\201\060\020' | cmp -s - out || fail "a file of 6 bits: $(od -An -tx1 out)"
rm -f out o.safetensors back.safetensors

# What cannot be meant.
model '{}' '' >../logs/empty.safetensors
check 4 '' '../logs/empty.safetensors has no tensors' \
  convert --tensor '*' --to '{0}' ../logs/empty.safetensors out
m=../logs/m.safetensors
check 2 '' '--tensor is missing: ../logs/m.safetensors has 3 tensors: w, x.w, n' \
  convert --to '{0,1}' $m out.safetensors
check 4 '' "--tensor 'y*' matches none of the 3 tensors of" \
  convert --tensor 'y*' --to '{0}' $m o.npy
check 2 '' '2 tensors of ../logs/m.safetensors are chosen, but out.npy holds one;' \
  convert --tensor '*w' --to '{0,1}' $m out.npy
check 4 '' "tensor 'n' has dtype Q3" convert --tensor n --to '{0}' $m out.safetensors
check 4 '' "tensor 'w': --to: column 2: " convert --tensor w --to '{0}' $m out.safetensors
check 4 '' "tensor 'w': --from u8[2,2] takes 4 bytes, but the tensor has 6 in" \
  convert --tensor w --from 'u8[2,2]' --to '{0,1}' $m out.safetensors
check 2 '' '--tensor needs an IN that is a .safetensors, .gguf or .npz file' \
  convert --tensor w --to '{0,1}' in.npy out.npy
check 2 '' '--tensor NAME must be given once: it names the one tensor of o.safetensors' \
  convert --from 'u8[6]' --to '{0}' in \
  o.safetensors
check_no_files 'what cannot be meant'

# Several patterns, exceptions and ranks. Layouts of other ranks leave tensors as they are, where
# these were not named one by one.
a='"a.w":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]}'
b='"b.w":{"dtype":"U8","shape":[3],"data_offsets":[6,9]}'
c='"c":{"dtype":"U8","shape":[2,2],"data_offsets":[9,13]}'
d='"[d]":{"dtype":"U8","shape":[],"data_offsets":[13,14]}'
model "{$a,$b,$c,$d}" abcdef123ghij. >../logs/r.safetensors
r=../logs/r.safetensors
# relaid DATA STDERR WORD...: a conversion of r.safetensors, and its data.
relaid() {
  data=$1 message=$2
  shift 2
  check 0 '' "$message" convert "$@" $r o.safetensors
  tail -c 14 o.safetensors >end
  check_bytes end "$data"
  rm -f o.safetensors end
}
relaid adbecf123ghij. "1 tensor of rank 1 is copied as it is: the layout of --to '{0,1}' is of" \
  --tensor '*.w' --to '{0,1}'
relaid adbecf123gihj. '1 tensor of rank 0, 1 of rank 1 are copied as they are' --tensor '*' \
  --to '{0,1}'
relaid adbecf123gihj. '' --tensor a.w --tensor c --to '{0,1}'
relaid abcdef123gihj. '' --tensor '*' --except '*.w' --except '[[]d]' --to '{0,1}'
relaid abcdef123gihj. '' --except '*.w' --except '[d]' --to '{0,1}'
relaid adbecf123gihj. '' --rank 2 --to '{0,1}'
relaid adbecf123ghij. '' --tensor '*' --rank 2 --except c --to '{0,1}'
relaid abcdef123ghij. '' --rank 0 --to '{}'
relaid abcdef123ghij. '' --tensor '[d]' --to '{}'
relaid abcdef123ghij. '' --tensor '*' --to s8
check 0 '' '' convert --tensor '*' --to 'u8{:L(4)}' $r o.safetensors
tail -c 20 o.safetensors >end
check_bytes end 'abcdef..123.ghij....'
rm -f o.safetensors end
check 0 adbecf '' convert --tensor '*.w' --to '{0,1}' $r -

check 4 '' "tensor 'b.w': --to: column 2: minor_to_major lists 2 dimensions, but the shape has 1" \
  convert --tensor b.w --to '{0,1}' $r o.safetensors
check 4 '' "tensor 'b.w': --to: column 2: " convert --tensor '*' --tensor b.w --to '{0,1}' $r \
  o.safetensors
check 4 '' "tensor 'b.w': --to: 'u16[2]' has other dimensions than u8[3]{0}; leave" \
  convert --tensor '*w' --except 'a*' --to 'u16[2]' $r o.safetensors
check 4 '' "tensor 'c': --to: 'u16[2]' has other dimensions than u8[2,2]{1,0}; leave" \
  convert --tensor 'c*' --to 'u16[2]' $r o.safetensors
check 4 '' "'{0,1,2}' fits none of the tensors that are chosen: 1 tensor of rank 1, 2 of rank 2" \
  convert --tensor '[abc]*' --to '{0,1,2}' $r o.safetensors
check 4 '' "--tensor 'y' matches none of the 4 tensors" \
  convert --tensor a.w --tensor y --to u16 $r o.npy
check 4 '' "--except 'y' names no tensor of" convert --tensor a.w --except y --to u16 $r o.npy
check 4 '' '--rank is 3, which no tensor of ../logs/r.safetensors that --tensor chooses has' \
  convert --tensor a.w --rank 3 --to u16 $r o
check 4 '' '--rank is 1, which no tensor of ../logs/r.safetensors has but those of --except' \
  convert --except b.w --rank 1 --to u16 $r o
check 4 '' '--except excludes every tensor of ../logs/r.safetensors that --tensor chooses' \
  convert --tensor '*.w' --except '*w' --to u16 $r o
check 2 '' "--rank takes a number from 0 to 64, not 'two'" convert --rank two --to u16 $r o
# Nothing is said to be copied where nothing will be.
check 4 '' "tensor 'a.w': --to: column 6: " convert --tensor '*.w' --to '{0,1:' $r o.safetensors
case $err in
*copied*) fail "a conversion that failed said '$err'" ;;
esac
check 2 '' "--rank takes a number from 0 to 64, not '65'" convert --rank 65 --to u16 $r o
check 2 '' "--rank takes a number from 0 to 64, not ''" convert --rank '' --to u16 $r o
check 2 '' '--rank needs an IN that is' convert --rank 2 --to u16 in.npy o.npy
check 2 '' '--except needs an IN that is' convert --except x --to u16 in.npy o.npy
check_no_files 'patterns that cannot be meant'

# Where tensors begin.
big='"big":{"dtype":"U8","shape":[8,8],"data_offsets":[2,66]}'
model "{$(printf %s "$w" | sed 's/2,3/2/; s/0,6/0,2/'),$big}" \
  "+-$(printf %64s '' | tr ' ' x)" >../logs/b.safetensors
check 0 '' '' convert --tensor big --to '{0,1:PD(8,8)}' ../logs/b.safetensors o.safetensors
tail -c 2 o.safetensors >end
check_bytes end '+-'
for align in 1 128 4096; do
  check 0 '' '' convert --align $align --tensor big --to '{1,0:PD(8,16)}' ../logs/b.safetensors \
    o.safetensors
  size=$(od -An -t u1 -N 2 o.safetensors | awk '{ print $1 + 256 * $2 }')
  at=$(grep -ao '"big":[^}]*' o.safetensors | sed 's/.*offsets":.//; s/,.*//')
  case $align/$at/$(((8 + size) % align)) in
  1/2/0 | 128/0/0 | 4096/2/0) checks=$((checks + 1)) ;;
  *) fail "--align $align: data at $((8 + size)), and the tensor at $at of them" ;;
  esac
done
rm -f o.safetensors end
for align in 0 3 -64 64x 2097152; do
  check 2 '' '--align takes a' convert --align $align --tensor big --to '{0,1}' \
    ../logs/b.safetensors o.safetensors
done
check 2 '' '--align needs an OUT that is a .safetensors or .gguf file, not o.npy' \
  convert --align 64 --tensor big --to '{0,1}' ../logs/b.safetensors o.npy

# Arrays become models of one tensor.
printf abcdef >../logs/six
check 0 '' '' convert --tensor 't.*' --from 'u8[2,3]' --to '{0,1}' ../logs/six o.safetensors
check_model o.safetensors '{"__metadata__":{"relayout.layout.t.*":"u8[2,3]{0,1}"},'"\
"'"t.*":{"dtype":"U8","shape":[3,2],"data_offsets":[0,6]}}' adbecf
check 0 '' '' convert --from 'u8[2,3]' --to '{0,1}' ../logs/six t.npy
check 0 '' '' convert --tensor t --to '{1,0}' t.npy o.safetensors
check_model o.safetensors '{"t":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]}}' abcdef
rm -f o.safetensors t.npy
check 4 '' "--tensor: '__metadata__' cannot be a tensor's name" convert --tensor __metadata__ \
  --from 'u8[6]' --to '{0}' ../logs/six o.safetensors
check 4 '' "cannot be a tensor's name" convert --tensor "$(printf '\377')" --from 'u8[6]' \
  --to '{0}' ../logs/six o.safetensors
check 2 '' '--tensor NAME must be given once: it names the one tensor of o.safetensors' \
  convert --tensor a --tensor b \
  --from 'u8[6]' --to '{0}' ../logs/six o.safetensors
check_no_files 'models of one tensor'

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
writer=$! # waits for ever where the command has opened the pipe, and closed it, before
check 1 '' 'is not a regular file' convert --tensor w --to '{0,1}' ../logs/pipe.safetensors out.npy
kill $writer 2>/dev/null || :
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
