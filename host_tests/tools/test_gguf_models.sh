#!/bin/sh
# test_gguf_models.sh: `relayout convert` on GGUF files, whose bytes are written here by hand.
. "$(dirname "$0")/gguf_files.sh"
. "$(dirname "$0")/models.sh"
. "$(dirname "$0")/check.sh"

# same FILE WANTED: both have the same bytes.
same() {
  checks=$((checks + 1))
  cmp "$1" "$2" >../logs/difference 2>&1 ||
    fail "$1 is not $2: $(cat ../logs/difference): $(od -An -c "$1" | head -30)"
}

# Values of all kinds. The alignment is among them, and the output has one of its own.
before() {
  key general.architecture bert
  text a.bool && number 4 7 && number 1 1
  text tokens && number 4 9 && number 4 8 && number 8 2 && text one && text two
}
alignment() { # N
  text general.alignment && number 4 4 && number 4 "$1"
}
version() {
  text general.quantization_version && number 4 4 && number 4 2
}
after() {
  text nested && number 4 9 && number 4 9 && number 8 2
  number 4 0 && number 8 3 && printf abc && number 4 8 && number 8 1 && text x
  key note 'any text'
  version
}
blocks() { # 210 bytes of q6_k, which mean nothing here
  printf %210s '' | tr ' ' k
}

# One tensor of bytes, w, among an opaque one and numbers of 32 bits; version 2, aligned to 8.
(printf GGUF && number 4 2 && number 8 3 && number 8 7 && before && alignment 8 && after &&
  tensor w 24 0 3 2 && tensor k 14 8 256 1 && tensor i 26 224 1) >list
(ended list 8 && printf abcdef.. && blocks && zeros 6 && printf 1234) >../logs/m.gguf
m=../logs/m.gguf

# written FILE PAIRS... : a version 3 file of the same tensors, with those pairs.
tensors() { # DATA OF W, SIZES OF W
  data=$1
  shift
  tensor w 24 0 "$@" && tensor k 14 32 256 1 && tensor i 26 256 1
}
contents() { # LIST
  ended "$1" 32
  printf %s "$data" && zeros 26 && blocks && zeros 14 && printf 1234 && zeros 28
}
(header 3 7 && before && after && key relayout.layout.w 's8[2,3]{0,1}') >list
data=adbecf
tensors $data 2 3 >>list
contents list >wanted
check 0 '' '' convert --tensor w --to '{0,1}' --verify $m o.gguf
same o.gguf wanted
check 0 'name         bytes  shape
w                6  s8[2,3]{0,1}
k              210  q6_k[1,256]
i                4  s32[1]{0}
3 tensors, 220 bytes' '' shape o.gguf
(header 3 6 && before && after && tensors abcdef 3 2) >list
data=abcdef
contents list >wanted
check 0 '' '' convert --tensor 'w*' --to '{1,0}' o.gguf back.gguf
same back.gguf wanted
check 0 '' '' convert --tensor w --to '{1,0}' back.gguf back.gguf
same back.gguf wanted

# Another alignment, which stands behind what is kept.
(header 3 7 && before && after && alignment 64 && tensor w 24 0 3 2 && tensor k 14 64 256 1 &&
  tensor i 26 320 1) >list
ended list 64 >wanted
(printf abcdef && zeros 58 && blocks && zeros 46 && printf 1234 && zeros 60) >>wanted
check 0 '' '' convert --align 64 --tensor w --to '{1,0}' $m o.gguf
same o.gguf wanted
check 0 '' '' convert --align 1 --tensor w --to '{1,0}' $m o.gguf
check 0 'name         bytes  shape
w                6  s8[2,3]{1,0}
k              210  q6_k[1,256]
i                4  s32[1]{0}
3 tensors, 220 bytes' '' shape o.gguf
rm -f o.gguf back.gguf

# A tensor by itself, from and to.
check 0 'adbecf' '' convert --tensor w --to '{0,1}' $m -
check 0 '' '' convert --tensor w --to 's16[2,3]' $m w.npy
(header 1 0 && tensor v 25 0 3 2) >list
(ended list 32 && printf 'a\0b\0c\0d\0e\0f\0' && zeros 20) >wanted
check 0 '' '' convert --tensor v --to '{1,0}' w.npy o.gguf
same o.gguf wanted
printf abcdef >raw
(header 1 1 && key relayout.layout.v 's8[2,3]{0,1}' && tensor v 24 0 2 3) >list
(ended list 32 && printf adbecf && zeros 26) >wanted
check 0 '' '' convert --tensor v --from 's8[2,3]' --to '{0,1}' raw o.gguf
same o.gguf wanted
rm -f raw w.npy o.gguf

# To and from .safetensors files: of the values texts alone.
s='"w":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]}'
model "{\"__metadata__\":{\"format\":\"pt\",\"general.alignment\":\"9\"},$s}" abcdef \
  >../logs/m.safetensors
(header 1 1 && key format pt && tensor w 25 0 3 2) >list
(ended list 32 && printf 'a\0b\0c\0d\0e\0f\0' && zeros 20) >wanted
check 0 '' '' convert --tensor '*' --to s16 ../logs/m.safetensors o.gguf
same o.gguf wanted
(header 1 4 && key note 'any text' && alignment 32 && text n && number 4 4 && number 4 1 &&
  key relayout.layout.w 's8[2,3]{0,1}' && tensor w 24 0 2 3) >list
(ended list 32 && printf adbecf && zeros 26) >o.gguf
check 0 '' '' convert --tensor w --to '{1,0}' o.gguf o.safetensors
holds o.safetensors '{"__metadata__":{"note":"any text"},'"$s}" abcdef
check 0 '' '' convert --tensor w --to s8 o.gguf o.safetensors
holds o.safetensors '{"__metadata__":{"note":"any text","relayout.layout.w":"s8[2,3]{0,1}"},' adbecf
printf '{"weight_map":{"w":"m.safetensors"}}' >../logs/m.safetensors.index.json
check 0 '' '' convert --tensor '*' --to s16 ../logs/m.safetensors.index.json o.gguf
same o.gguf wanted
rm -f o.gguf o.safetensors

# What a .gguf file cannot have, and what cannot be changed.
u='"u":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}'
model "{$s,$u}" abcdefgh >../logs/u.safetensors
check 4 '' "tensor 'u': it would be stored as U8, a type that .gguf files have not; choose it" \
  convert --tensor w --to s16 ../logs/u.safetensors o.gguf
check 4 '' "tensor 'w': it would be stored as U16" \
  convert --tensor w --to u16 ../logs/m.safetensors o.gguf
check 4 '' "tensor 'w': it would be stored with 6 dimensions, but .gguf files have at most 4" \
  convert --tensor w --to 'bf16{1,0:T(8,128)(2,1)}' ../logs/m.safetensors o.gguf
long=$(printf %65s '' | tr ' ' n)
check 4 '' "it has a name of 65 bytes, but .gguf files have names of at most 64" \
  convert --tensor "$long" --from 's8[0]' --to '{0}' ../logs/nothing o.gguf
model '{"w":{"dtype":"q8_0","shape":[32],"data_offsets":[0,6]}'",$u}" abcdefgh \
  >../logs/false.safetensors
check 4 '' "tensor 'w': it would be stored as q8_0" \
  convert --tensor u --to s8 ../logs/false.safetensors o.gguf
check 4 '' "tensor 'k': it is of type q6_k, which can only be copied from one .gguf file to" \
  convert --tensor k --to f32 $m o.gguf
check 4 '' "tensor 'k': it is of type q6_k, which can only be copied from one .gguf file to" \
  convert --tensor k --to f32 $m o.npy
check 4 '' "m.gguf: tensor 'k' is of type q6_k, which only .gguf files have, not o.safetensors" \
  convert --tensor w --to '{0,1}' $m o.safetensors
check 2 '' 'OUT o.safetensors.index.json is an index, so IN must be one too' \
  convert --tensor w --to '{0,1}' $m o.safetensors.index.json
check 2 '' 'shardings need .safetensors files' \
  convert --tensor w --to-sharding '{devices=[2,1]<=[2]}' $m 'o-{device}.safetensors'
check 2 '' 'shardings need .safetensors files' \
  convert --tensor w --to-sharding '{devices=[2,1]<=[2]}' ../logs/m.safetensors 'o-{device}.gguf'
check 2 '' '--byte-order is big, but model files such as o.gguf are little-endian' \
  convert --byte-order big --tensor w --to '{0,1}' $m o.gguf
rm -f list wanted
check_no_files 'what cannot be meant'

# Files that are cut anywhere, and what is no file.
size=$(wc -c <$m)
cut=0
while [ "$cut" -lt "$size" ]; do
  head -c "$cut" $m >../logs/cut.gguf
  check 4 '' '../logs/cut.gguf is not a GGUF file that can be read' \
    convert --tensor w --to '{0,1}' ../logs/cut.gguf o.gguf
  cut=$((cut + 13))
done
mkfifo ../logs/pipe.gguf
(cat $m >../logs/pipe.gguf) &
writer=$!
check 1 '' 'is not a regular file' convert --tensor w --to '{0,1}' ../logs/pipe.gguf o.gguf
kill $writer 2>/dev/null || :

# refused MESSAGE: the file that stands there.
bad=../logs/bad.gguf
refused() {
  check 4 '' "$1" convert --tensor x --to f16 $bad o.gguf
}
(header 1 0 && tensor "$(printf 'x\377')" 0 0 1 && zeros 64) >$bad
refused "cannot be a tensor's name"
(header 1 0 && tensor __metadata__ 0 0 1 && zeros 64) >$bad
refused "cannot be a tensor's name"
(header 2 0 && tensor y 0 32 1 && tensor x 0 0 9 && zeros 128) >$bad
refused 'tensor y begins before another one ends'
(header 1 1 && key relayout.layout.x 'f32[2,2]{0,1}' && tensor x 0 0 1 && zeros 64) >$bad
refused "the metadata give tensor 'x' the layout f32[2,2]{0,1}, which does not fit"
(header 1 1 && text general.alignment && number 4 5 && number 4 32 && zeros 64) >$bad
refused 'general.alignment is no number of 32 bits without a sign'
(header 1 1 && text t && number 4 8 && number 8 4611686018427387904 && zeros 64) >$bad
refused 'it ends early'
(header 1152921504606846976 0 && zeros 4) >$bad
refused 'it ends early'
(header 1 0 && tensor x 0 4611686018427387904 1 && zeros 64) >$bad
refused 'it ends before its tensors do'
check_no_files 'files that cannot be right'

# What is no text of any .safetensors file is left out there, and kept in .gguf files.
(header 1 2 && key t "$(printf 'a\377')" && text z && number 4 8 && number 8 2 && printf 'a\0' &&
  tensor x 0 0 1) >list
(ended list 32 && zeros 32) >in.gguf
check 0 '' '' convert --tensor x --to f32 in.gguf o.gguf
same o.gguf in.gguf
check 0 '' '' convert --tensor x --to f32 in.gguf o.safetensors
holds o.safetensors '{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}' ....
rm -f list in.gguf o.gguf o.safetensors

# ---- Blocks of 32 ----

# bytes VALUE...: the bytes of these values, also of negative ones.
bytes() {
  for value in "$@"; do
    # shellcheck disable=SC2059 # an escape is what is to be printed
    printf "\\$(printf %03o $((value & 255)))"
  done
}
# from FIRST LAST: the numbers from one to the other.
from() {
  i=$1
  while [ "$i" -le "$2" ]; do
    printf '%d ' "$i"
    i=$((i + 1))
  done
}
# repeat N WORD: prints WORD N times.
repeat() {
  left=$1
  while [ "$left" -gt 0 ]; do
    printf '%s ' "$2"
    left=$((left - 1))
  done
}
# a_block TYPE NUMBER FACTOR VALUES RECORD: values of 8 bits, times the factor, become a record of
# the type of this number, and are what is read of it.
a_block() {
  # shellcheck disable=SC2086 # lists of numbers
  bytes $4 >values
  # shellcheck disable=SC2086
  (header 1 1 && version && tensor w "$2" 0 32 1) >list
  # shellcheck disable=SC2086
  (ended list 32 && bytes $5) >record
  ended record 32 >wanted
  check 0 '' '' convert --from 's8[1,32]' --to f32 --scale "$3" values values.npy
  check 0 '' '' convert --tensor w --to "$1" values.npy o.gguf
  same o.gguf wanted
  check 0 '' '' convert --tensor w --to f32 o.gguf back.npy
  same back.npy values.npy
}
# The scale is 1 each time, 0x3c00 as an f16, and the least value 0 where it counts.
a_block q8_0 8 1 "$(from -127 -112) $(from 1 16)" "0 60 $(from -127 -112) $(from 1 16)"
a_block q4_0 2 1 "$(from -8 7) $(repeat 16 0)" "0 60 $(from 128 143)"
a_block q4_1 3 1 "$(from 0 15) $(repeat 16 0)" "0 60 0 0 $(from 0 15)"
a_block q5_0 6 1 "$(from -16 -1) $(repeat 16 0)" "0 60 0 0 255 255 $(from 0 15)"
a_block q5_1 7 1 "$(from 0 31)" "0 60 0 0 0 0 255 255 0 17 34 51 68 85 102 119 136 153 170 187 \
204 221 238 255"
# Codes of f4e2m1fn: the values are halves, and of a block whose greatest is 6 the scale is 2^0.
a_block mxfp4 39 0.5 "0 1 2 3 4 6 8 12 0 -1 -2 -3 -4 -6 -8 -12 $(repeat 16 0)" \
  "127 $(from 0 7) 0 $(from 9 15)"
rm -f values values.npy list record wanted o.gguf back.npy

# A block of bytes whose greatest is 127 is these bytes, behind the scale 1.
one="$(printf '\177abcdefghijklmnopqrstuvwxyz01234')"
two="$(printf 'ABCDEFGHIJKLMNOPQRSTUVWXYZ98765\177')"
b='"w":{"dtype":"I8","shape":[1,2,32],"data_offsets":[0,64]}'
c='"c":{"dtype":"I8","shape":[2,3],"data_offsets":[64,70]}'
d='"d":{"dtype":"I8","shape":[32],"data_offsets":[70,102]}'
model "{$b,$c,$d}" "$one${two}abcdef$one" >../logs/b.safetensors
b=../logs/b.safetensors
rest() {
  printf abcdef && zeros 26 && printf %s "$one"
}
(header 3 1 && version && tensor w 8 0 32 2 1 && tensor c 24 96 3 2 && tensor d 24 128 32) >list
(ended list 32 && printf '\0<%s\0<%s' "$one" "$two" && zeros 28 && rest) >wanted
kept='1 tensor of rank 1, 1 of rank 2 are copied as they are: blocks are for tensors of two or more'
check 0 '' "$kept" convert --tensor '*' --to q8_0 $b o.gguf
same o.gguf wanted
check 0 '' '' convert --except '[cd]' --to q8_0 $b o.gguf
same o.gguf wanted
check 0 '' '' convert --rank 3 --to q8_0 $b o.gguf
same o.gguf wanted
check 0 'name         bytes  shape
w               68  q8_0[1,2,32]
c                6  s8[2,3]{1,0}
d               32  s8[32]{0}
3 tensors, 106 bytes' '' shape o.gguf
# What is in such blocks is not put into them again, and other tensors leave it as it is.
check 0 '' "$kept" convert --tensor '*' --to q8_0 o.gguf again.gguf
same again.gguf wanted
check 0 '' '' convert --tensor d --to s8 o.gguf again.gguf
same again.gguf wanted
check 0 '' '' convert --tensor '*' --to s8 o.gguf again.safetensors
holds again.safetensors '{"w":{"dtype":"I8","shape":[1,2,32],"data_offsets":[0,64]},' \
  "$one${two}abcdef$one"
# Tensors without elements, however long their rows would be.
(header 1 1 && version && tensor w 0 0 14293651161152 0) >list
ended list 32 >../logs/empty.gguf
(header 1 1 && version && tensor w 8 0 14293651161152 0) >list
ended list 32 >empty
check 0 '' '' convert --tensor w --to q8_0 ../logs/empty.gguf again.gguf
same again.gguf empty
check 0 '' '' convert --tensor w --to f32 again.gguf again.gguf
same again.gguf ../logs/empty.gguf
# In another order of dimensions, which a key tells, and back.
check 0 '' '' convert --tensor w --to 's8{0,1,2}' o.gguf turned.gguf
check 0 "$one$two" '' convert --tensor w --to '{2,1,0}' turned.gguf -
check 0 '' '' convert --tensor w --to q8_0 turned.gguf again.gguf
same again.gguf wanted
check 0 '' "tensor 'w': q8_0[1,2,32]{2,1,0} to s8[1,2,32]{2,1,0} by" \
  convert --verbose --tensor w --to s8 o.gguf again.gguf
check 0 '' '' convert --tensor w --to s8 o.gguf w.raw
check_bytes w.raw "$one$two"
mv o.gguf ../logs/blocks.gguf
rm -f ./*

check 4 '' "tensor 'd': --to: q8_0 is for tensors of two or more dimensions, the last of which is" \
  convert --tensor '*' --tensor d --to q8_0 $b o.gguf
check 4 '' "tensor 'c': --to: q4_0 is for tensors of two or more dimensions, the last of which is" \
  convert --tensor c --to q4_0 $b o.gguf
check 4 '' '--to q8_0 fits none of the tensors that are chosen: 1 tensor of rank 1, 1 of rank 2;' \
  convert --tensor '[cd]' --to q8_0 $b o.gguf
check 2 '' '--to is q8_0, which needs an OUT that is raw or a .gguf file, not o.safetensors' \
  convert --tensor w --to q8_0 $b o.safetensors
check 4 '' "tensor 'w' is of type q8_0, which only .gguf files have, not o.safetensors" \
  convert --tensor c --to s8 ../logs/blocks.gguf o.safetensors
for words in --verify '--scale 2' --wrap; do
  # shellcheck disable=SC2086 # an option and its value
  check 2 '' "${words% *} cannot be had for tensors in blocks, as of q8_0; leave it out" \
    convert $words --tensor w --to s8 ../logs/blocks.gguf o.gguf
  # shellcheck disable=SC2086
  check 2 '' "${words% *} cannot be had for tensors in blocks, as of q4_1; leave it out" \
    convert $words --tensor w --to q4_1 $b o.gguf
done
check 2 '' '--from has no meaning for a tensor in blocks, of type q8_0' \
  convert --tensor w --from 'f32[2,32]' --to s8 ../logs/blocks.gguf o.gguf
check_no_files 'blocks that cannot be had'

# ---- Records of several rows, interleaved ----

# scale ROW BLOCK, elements ROW BLOCK FIRST COUNT XOR: bytes of a record. No two records are the
# same.
scale() {
  bytes $(($1 * 16 + $2)) $((48 + $1))
}
elements() {
  i=$3
  while [ "$i" -lt $(($3 + $4)) ]; do
    bytes $((($1 * 37 + $2 * 101 + i * 7 & 255) ^ $5))
    i=$((i + 1))
  done
}
# data ROWS: 2 records of q4_0 for each row.
data() {
  for row in $(from 0 $(($1 - 1))); do
    for block in 0 1; do
      scale "$row" $block
      elements "$row" $block 0 16 0
    done
  done
}
# interleaved ROWS TOGETHER RUN XOR: the same records as runtimes repack them, by the definition.
interleaved() {
  for group in $(from 0 $(($1 / $2 - 1))); do
    for block in 0 1; do
      for row in $(from $((group * $2)) $((group * $2 + $2 - 1))); do
        scale "$row" $block
      done
      for run in $(from 0 $((16 / $3 - 1))); do
        for row in $(from $((group * $2)) $((group * $2 + $2 - 1))); do
          elements "$row" $block $((run * $3)) "$3" "$4"
        done
      done
    done
  done
}
# q4_file NUMBER ROWS DATA: a file of w, of rows of 64.
q4_file() {
  (header 1 1 && version && tensor w "$1" 0 64 "$2") >list
  (ended list 32 && cat "$3") >records
  ended records 32
}
data 8 >plain
q4_file 2 8 plain >../logs/q4_0.gguf
for form in '31 4 4' '32 4 8' '33 8 8'; do
  # shellcheck disable=SC2086 # number, rows, bytes
  set -- $form
  interleaved 8 "$2" "$3" 136 >rows
  q4_file "$1" 8 rows >wanted.gguf
  check 0 '' '' convert --tensor '*' --to "q4_0_$2_$3" ../logs/q4_0.gguf o.gguf
  same o.gguf wanted.gguf
  check 0 "name         bytes  shape
w              288  q4_0_$2_$3[8,64]
1 tensor, 288 bytes" '' shape o.gguf
  check 0 '' '' convert --tensor w --to "q4_0_$2_$3" o.gguf again.gguf
  same again.gguf o.gguf
  check 0 '' '' convert --tensor '*' --to q4_0 o.gguf back.gguf
  same back.gguf ../logs/q4_0.gguf
  check 0 '' '' convert --tensor w --to f32 o.gguf values.raw
  check 0 '' '' convert --tensor w --to f32 ../logs/q4_0.gguf wanted.raw
  same values.raw wanted.raw
  check 0 '' "tensor 'w': q4_0_$2_$3[8,64]{1,0} to q4_0[8,64]{1,0} by" \
    convert --verbose --tensor w --to q4_0 o.gguf back.gguf
done
# A tensor by itself, in records that .gguf files have no number for.
check 0 '' '' convert --tensor w --to q4_0_8_4 ../logs/q4_0.gguf w.raw
interleaved 8 8 4 136 >rows
same w.raw rows
check 2 '' '--to is q8_0_4_8, a type that .gguf files have not; with rows interleaved they have' \
  convert --tensor w --to q8_0_4_8 ../logs/q4_0.gguf o.gguf
check 2 '' '--to is q4_0_4_8, which needs an OUT that is raw or a .gguf file, not o.npy' \
  convert --tensor w --to q4_0_4_8 ../logs/q4_0.gguf o.npy
check 4 '' "tensor 'w': --to: q4_0_16_1 is for tensors whose last dimension but one is a multiple" \
  convert --tensor w --to q4_0_16_1 ../logs/q4_0.gguf w.raw
# Experts of 4 rows each.
(header 1 1 && version && tensor w 2 0 64 4 2) >list
(ended list 32 && ended plain 32) >experts.gguf
interleaved 8 4 8 136 >rows
(header 1 1 && version && tensor w 32 0 64 4 2) >list
(ended list 32 && ended rows 32) >wanted.gguf
check 0 '' '' convert --tensor w --to q4_0_4_8 experts.gguf o.gguf
same o.gguf wanted.gguf
# Rows that are no multiple: as q4_0 under a pattern, and refused by name.
data 6 >plain
q4_file 2 6 plain >six.gguf
check 0 '' '1 tensor becomes q4_0, not q4_0_4_8: the last dimension but one is no multiple of 4' \
  convert --tensor '*' --to q4_0_4_8 six.gguf o.gguf
same o.gguf six.gguf
check 0 '' '' convert --tensor w --to f16 six.gguf half.gguf
check 0 '' '1 tensor becomes q4_0, not q4_0_8_8' \
  convert --tensor '*' --to q4_0_8_8 half.gguf o.gguf
check 0 'name         bytes  shape
w              216  q4_0[6,64]
1 tensor, 216 bytes' '' shape o.gguf
check 4 '' "'w': --to: q4_0_4_8 is for tensors whose last dimension but one is a multiple of 4" \
  convert --tensor w --to q4_0_4_8 six.gguf o.gguf
# A file that says so of such rows is false.
q4_file 32 6 plain >false.gguf
check 1 '' "interleaved_rows, 4" convert --tensor w --to f32 false.gguf o.gguf
rm -f ./*

finish
