#!/bin/sh
# test_convert_shards.sh: `relayout convert` from the files of some devices to those of others. All
# files are written here by hand, as letters.
. "$(dirname "$0")/models.sh"
. "$(dirname "$0")/check.sh"

# w is a matrix of four rows, abcd, efgh, ijkl and mnop; n is xyz.
n='"n":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}'
half='"w":{"dtype":"U8","shape":[2,4],"data_offsets":[0,8]}'
model "{$half,$n}" abcdefghxyz >../logs/in-0.safetensors
model "{$half,$n}" ijklmnopxyz >../logs/in-1.safetensors
model '{"__metadata__":{"format":"pt"},"w":{"dtype":"U8","shape":[4,4],"data_offsets":[0,16]},'\
'"n":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}}' abcdefghijklmnopxyz \
  >../logs/whole.safetensors
sources='../logs/in-{device}.safetensors'
whole=../logs/whole.safetensors
made='o-{device}.safetensors'
rows='{devices=[2,1]<=[2]}'
columns='{devices=[1,2]<=[2]}'

# Rows become columns, on as many devices, on more, on one; and the other way round.
check 0 '' '' convert --tensor w --from-sharding "$rows" --to-sharding "$columns" "$sources" "$made"
holds o-0.safetensors '"w":{"dtype":"U8","shape":[4,2],"data_offsets":[0,8]},"n":' abefijmnxyz
holds o-1.safetensors '"w":{"dtype":"U8","shape":[4,2],"data_offsets":[0,8]},"n":' cdghklopxyz
check 0 '' '' convert --tensor w --from-sharding "$columns" --to-sharding "$rows" "$made" \
  'back-{device}.safetensors'
holds back-0.safetensors '"shape":[2,4]' abcdefghxyz
holds back-1.safetensors '"shape":[2,4]' ijklmnopxyz
check 0 '' '' convert --tensor w --from-sharding "$rows" --to-sharding '{devices=[4,1]3,2,1,0}' \
  "$sources" "$made"
holds o-0.safetensors '"shape":[1,4]' mnopxyz
holds o-3.safetensors '"shape":[1,4]' abcdxyz
check 0 '' '' convert --tensor w --from-sharding "$rows" "$sources" one.safetensors
holds one.safetensors '"w":{"dtype":"U8","shape":[4,4],"data_offsets":[0,16]}' abcdefghijklmnopxyz
check 0 '' '' convert --tensor w --to-sharding "$columns" "$whole" "$made"
holds o-1.safetensors '{"__metadata__":{"format":"pt"},"w"' cdghklopxyz
rm -f o-* back-* one*

# The number may be in the name of a folder too.
mkdir 0 1
check 0 '' '22 bytes written from file to file in' convert --verbose --tensor w \
  --to-sharding "$columns" "$whole" \
  '{device}/o-{device}.safetensors'
holds 1/o-1.safetensors '"w"' cdghklopxyz
rm -r 0 1

# In place, where files take the place of those that are read.
cp ../logs/in-0.safetensors in-0.safetensors
cp ../logs/in-1.safetensors in-1.safetensors
check 0 '' '' convert --tensor w --from-sharding "$rows" --to-sharding "$columns" \
  'in-{device}.safetensors' 'in-{device}.safetensors'
holds in-0.safetensors '"shape":[4,2]' abefijmnxyz
holds in-1.safetensors '"shape":[4,2]' cdghklopxyz
rm -f in-*

# Shards that are shorter, empty, dealt out in blocks, or there more than once.
check 0 '' '' convert --tensor w --from-sharding "$rows" --to-sharding '{devices=[3,1]<=[3]}' \
  "$sources" "$made"
holds o-1.safetensors '"shape":[2,4]' ijklmnopxyz
holds o-2.safetensors '"w":{"dtype":"U8","shape":[0,4],"data_offsets":[0,0]}' xyz
check 0 '' '' convert --tensor w --from-sharding '{devices=[3,1]<=[3]}' "$made" one.safetensors
holds one.safetensors '"shape":[4,4]' abcdefghijklmnopxyz
check 0 '' '' convert --tensor w --from-sharding "$rows" \
  --to-sharding '{devices=[2,2]<=[4] block=[1,1]}' "$sources" "$made"
holds o-0.safetensors '"shape":[2,2]' acikxyz
holds o-3.safetensors '"shape":[2,2]' fhnpxyz
check 0 '' '' convert --tensor w --from-sharding '{devices=[2,2]<=[4] block=[1,1]}' "$made" \
  one.safetensors
holds one.safetensors '"shape":[4,4]' abcdefghijklmnopxyz
check 0 '' '' convert --tensor w --from-sharding "$rows" \
  --to-sharding '{devices=[1,2,2]<=[4] last_tile_dim_replicate}' "$sources" "$made"
holds o-0.safetensors '"shape":[4,2]' abefijmnxyz
holds o-1.safetensors '"shape":[4,2]' abefijmnxyz
holds o-2.safetensors '"shape":[4,2]' cdghklopxyz
check 0 '' '' convert --tensor w --from-sharding \
  '{devices=[1,2,2]<=[4] last_tile_dim_replicate}' --to-sharding '{replicated}' "$made" \
  'p-{device}.safetensors' --devices 1
holds p-0.safetensors '"shape":[4,4]' abcdefghijklmnopxyz
[ -e p-1.safetensors ] && fail 'one device has two files'
rm -f o-* p-* one*

# Types and layouts change on the way.
check 0 '' '' convert --tensor w --from-sharding "$rows" --to-sharding "$columns" --to '{0,1}' \
  "$sources" "$made"
holds o-0.safetensors '"relayout.layout.w":"u8[4,2]{0,1}"' aeimbfjnxyz
check 0 '' '' convert --tensor w --from-sharding "$columns" --to-sharding "$rows" \
  --to 'u16{1,0:T(2,2)}' "$made" 'p-{device}.safetensors'
holds p-1.safetensors '"relayout.layout.w":"u16[2,4]{1,0:T(2,2)}"' i.j.m.n.k.l.o.p.xyz
check 0 '' '' convert --tensor w --from-sharding "$rows" --to 'u8{1,0}' 'p-{device}.safetensors' \
  one.safetensors
holds one.safetensors '"shape":[4,4]' abcdefghijklmnopxyz
check 4 '' "tensor 'w': q-0.safetensors: from_start and to_start are different places," \
  convert --tensor w --from-sharding "$rows" --to-sharding "$columns" 'p-{device}.safetensors' \
  'q-{device}.safetensors'
[ -e q-0.safetensors ] && fail 'a file stands under its name'
check 0 '' '' convert --tensor w --from-sharding "$columns" --to-sharding '{maximal device=1}' \
  "$made" 'p-{device}.safetensors'
holds p-0.safetensors '{"n":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}' xyz
holds p-1.safetensors '"relayout.layout.w":"u8[4,4]{0,1}"' aeimbfjncgkodhlpxyz
rm -f o-* p-* one*

# Rules: the first that matches; a tensor without one is on all devices.
cat >../logs/rules <<'END'
# names   from                  to                    there

w   {devices=[2,1]<=[2]}  {devices=[1,2]<=[2]}  u16{0,1}
*	{maximal device=1}	{ maximal device = 0 }
END
check 0 '' '' convert --rules ../logs/rules "$sources" "$made"
holds o-0.safetensors 'u16[4,2]{0,1}' a.e.i.m.b.f.j.n.xyz
holds o-1.safetensors 'u16[4,2]{0,1}' c.g.k.o.d.h.l.p.
check 0 'w
  from u8[4,4]{1,0} {devices=[2,1]<=[2]}
  to   u16[4,4]{0,1} {devices=[1,2]<=[2]}
n
  from u8[3]{0} {maximal device=1}
  to   u8[3]{0} {maximal device=0}

o-0.safetensors: 2 tensors, 19 bytes
o-1.safetensors: 1 tensors, 16 bytes
files read: 2, written: 2, of 35 bytes' '' \
  convert --dry-run --rules ../logs/rules "$sources" "$made"
rm -f o-*
check 0 "$("$RELAYOUT" convert --dry-run --rules ../logs/rules "$sources" "$made")" '' \
  convert --dry-run --rules ../logs/rules "$sources" "$made"
check_no_files 'a dry run'

# A tensor that only some devices have, and models in several files on one side.
model '{"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}' uv >../logs/st-0.safetensors
model '{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}' abcd >../logs/st-1.safetensors
stages='../logs/st-{device}.safetensors'
printf 'v {maximal device=0} {replicated}\nw {maximal device=1} {devices=[2]<=[2]}\n' \
  >../logs/stages
check 0 '' '' convert --rules ../logs/stages "$stages" "$made"
holds o-0.safetensors '"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"w":' uvab
holds o-1.safetensors '"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"w":' uvcd
printf '{"weight_map":{"v":"st-0.safetensors","w":"st-1.safetensors"}}' \
  >../logs/st.safetensors.index.json
check 0 '' '' convert --tensor w --to-sharding '{devices=[2]<=[2]}' \
  ../logs/st.safetensors.index.json "$made"
holds o-1.safetensors '"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"w":' uvcd
rm -f o-*
check 4 '' 'no rule and no --tensor gives it a sharding, so it counts as {replicated}' \
  convert --tensor w --from-sharding '{maximal device=1}' "$stages" one.safetensors
check 4 '' '../logs/st-1.safetensors is there, but the shardings name 1 devices for IN; --devices' \
  convert --tensor v --from-sharding '{maximal device=0}' "$stages" one.safetensors
check 0 '' '' convert --tensor v --from-sharding '{maximal device=0}' --devices 1 "$stages" \
  one.safetensors
holds one.safetensors '"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}' uv
rm -f one*

# What cannot be meant.
check 2 '' '--from-sharding is missing: IN ../logs/in-{device}.safetensors is a file of each' \
  convert --tensor w --to-sharding "$rows" "$sources" "$made"
check 2 '' '--to-sharding is missing: OUT o-{device}.safetensors is a file of each device' \
  convert --tensor w --from-sharding "$rows" "$sources" "$made"
check 2 '' '--from-sharding needs an IN with {device} in its name' \
  convert --tensor w --from-sharding "$rows" $whole one.safetensors
check 2 '' '--to-sharding needs an OUT with {device} in its name' \
  convert --tensor w --from-sharding "$rows" --to-sharding "$rows" "$sources" one.safetensors
check 2 '' "--tensor is missing, and so is --rules" convert --from-sharding "$rows" \
  --to-sharding "$rows" "$sources" "$made"
check 2 '' '--rules says which tensors have which shardings; --from-sharding and --to-sharding' \
  convert --rules ../logs/rules --from-sharding "$rows" "$sources" "$made"
check 2 '' '--rules says which tensors have which shardings; --tensor, --except and --rank' \
  convert --rules ../logs/rules --rank 2 "$sources" "$made"
check 2 '' 'shardings need .safetensors files' convert --tensor w --to-sharding "$rows" $whole o.npy
check 2 '' '--verify has no meaning where tensors are sharded' \
  convert --verify --tensor w --to-sharding "$rows" $whole "$made"
check 2 '' '--devices is missing: no sharding says how many files o-{device}.safetensors' \
  convert --tensor w --to-sharding '{replicated}' $whole "$made"
check 2 '' '--memory takes a number of bytes from 67108864 to' \
  convert --tensor w --to-sharding "$rows" --memory 1K $whole "$made"
check 2 '' "not '2X'" convert --tensor w --to-sharding "$rows" --memory 2X $whole "$made"
check 2 '' "not '18446744073709551615T'" \
  convert --tensor w --to-sharding "$rows" --memory 18446744073709551615T $whole "$made"
check 0 '' '' convert --tensor w --to-sharding "$rows" --memory 2G $whole "$made"
rm -f o-*
check 4 '' "--to-sharding: " convert --tensor w --to-sharding '{devices=[2]}' $whole "$made"
check 4 '' "tensor 'w': on the side of OUT: " \
  convert --tensor w --to-sharding '{devices=[2]<=[2]}' $whole "$made"
check 4 '' "on the side of IN: sharding: it has shards along 1 dimensions, but the shape has 2" \
  convert --tensor w --from-sharding '{devices=[2]<=[2]}' "$sources" one.safetensors
model '{"w":{"dtype":"U8","shape":[3,4],"data_offsets":[0,12]}}' abcdefghijkl \
  >../logs/odd-0.safetensors
model '{"w":{"dtype":"U8","shape":[1,4],"data_offsets":[0,4]}}' mnop >../logs/odd-1.safetensors
check 4 '' "tensor 'w': ../logs/odd-0.safetensors has u8[3,4]{1,0}; with the sharding \
{devices=[2,1]<=[2]} all shards together are u8[4,4]{1,0}, of which device 0 has u8[2,4]{1,0}" \
  convert --tensor w --from-sharding "$rows" '../logs/odd-{device}.safetensors' one.safetensors
model '{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}' mnop >../logs/odd-1.safetensors
check 4 '' "it has 1 dimensions in ../logs/odd-1.safetensors, which do not go with the sharding" \
  convert --tensor w --from-sharding "$rows" '../logs/odd-{device}.safetensors' one.safetensors
check 4 '' "--tensor 'z' matches none of the 2 tensors of" \
  convert --tensor z --to-sharding "$rows" $whole "$made"
check 4 '' 'what --except and --rank leave chooses none of the 2 tensors of' \
  convert --rank 5 --to-sharding "$rows" $whole "$made"
check 4 '' 'manual' convert --tensor w --to-sharding '{manual}' --devices 2 $whole "$made"
check 1 '' 'cannot open ../logs/none-0.safetensors' \
  convert --tensor w --from-sharding "$rows" '../logs/none-{device}.safetensors' one.safetensors

# Rules that are none.
wrong_rule() {
  printf '%s\n' "$1" >../logs/wrong
  check 4 '' "../logs/wrong:1: $2" convert --rules ../logs/wrong "$sources" "$made"
}
wrong_rule 'w' 'the first sharding is missing; a rule is a pattern and two shardings'
wrong_rule 'w {replicated}' 'the second sharding is missing'
wrong_rule 'w rows {replicated}' 'the first sharding: '
wrong_rule 'w {devices=[2] {replicated}' 'the first sharding: '
wrong_rule 'w {replicated} {replicated} u8 u16' "'u16' is more than a rule has"
printf 'w {replicated} {devices=[2,1]<=[2]}\n' >../logs/wrong
check 4 '' "one.safetensors is one file, but the rules' shardings name 2 devices on that side" \
  convert --rules ../logs/wrong --devices 2 "$sources" one.safetensors
printf 'none {replicated} {replicated}\n' >../logs/wrong
check 4 '' '../logs/wrong chooses none of the 2 tensors of' \
  convert --rules ../logs/wrong $whole one.safetensors
printf 'w\000' >../logs/wrong
check 4 '' '../logs/wrong is no file of rules: it has a NUL' \
  convert --rules ../logs/wrong $whole one.safetensors
check 1 '' 'cannot open ../logs/nowhere' convert --rules ../logs/nowhere $whole one.safetensors
check_no_files 'what cannot be meant'

finish
