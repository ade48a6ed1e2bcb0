#!/bin/sh
# test_model_sets.sh: models in several files, which a model.safetensors.index.json holds together,
# and `relayout shape` of model files. All files are written here by hand.
. "$(dirname "$0")/models.sh"
. "$(dirname "$0")/check.sh"

a='"a":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]}'
b='"b":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}'
c='"c":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]}'
set=../logs/set
mkdir $set
model "{\"__metadata__\":{\"format\":\"pt\",\"part\":\"1\"},$a,$b}" abcdef12 >$set/m-1.safetensors
model "{\"__metadata__\":{\"format\":\"pt\",\"part\":\"2\"},$c}" ghij >$set/m-2.safetensors
index() {
  printf '{"metadata":{"total_size":12,"more":[1]},"weight_map":{%s}}' "$1"
}
index '"a":"m-1.safetensors","b":"m-1.safetensors","c":"m-2.safetensors"' \
  >$set/m.safetensors.index.json
i=$set/m.safetensors.index.json

# ---- To several files, and to one ----
mkdir out
check 0 '' '1 tensor of rank 1 is copied as it is' convert --tensor '*' --to 'u16{0,1}' $i \
  out/n.safetensors.index.json
[ "$(ls out)" = "m-1.safetensors
m-2.safetensors
n.safetensors.index.json" ] || fail "several files: $(ls out)"
tail -c 14 out/m-1.safetensors >end
check_bytes end 'a.d.b.e.c.f.12'
tail -c 8 out/m-2.safetensors >end
check_bytes end 'g.i.h.j.'
index=$(tr -d ' \n' <out/n.safetensors.index.json)
[ "$index" = '{"metadata":{"total_size":22,"more":[1]},"weight_map":{"a":"m-1.safetensors","b":'\
'"m-1.safetensors","c":"m-2.safetensors"}}' ] || fail "the index is $index"
check 0 '' '' convert --tensor a --tensor c --to 'u8{1,0}' out/n.safetensors.index.json \
  all.safetensors
holds all.safetensors '"part":"1"' 'abcdef12ghij'
holds all.safetensors '"c":{"dtype":"U8","shape":[2,2],"data_offsets":[8,12]}' 'abcdef12ghij'
check 0 gihj '' convert --tensor c --to '{0,1}' $i -
check 0 '' '' convert --tensor a --to '{0,1}' $i $i.npy
rm -rf out all.safetensors end $i.npy

# ---- What is refused, with nothing written ----
mkdir out
o=out/n.safetensors.index.json
# refused EXIT MESSAGE WEIGHT_MAP
refused() {
  index "$3" >$set/x.safetensors.index.json
  check "$1" '' "$2" convert --tensor a --to '{0,1}' $set/x.safetensors.index.json $o
}
refused 1 'cannot open ../logs/set/m-3.safetensors: ' '"a":"m-1.safetensors","z":"m-3.safetensors"'
refused 4 "m-1.safetensors has tensor 'b', which ../logs/set/x.safetensors.index.json does not" \
  '"a":"m-1.safetensors"'
refused 4 "m-2.safetensors has no tensor 'z', which ../logs/set/x.safetensors.index.json lists" \
  '"a":"m-1.safetensors","b":"m-1.safetensors","c":"m-2.safetensors","z":"m-2.safetensors"'
refused 4 "m-1.safetensors has tensor 'b', which" \
  '"a":"m-1.safetensors","b":"m-2.safetensors","c":"m-2.safetensors"'
for name in ../m-1.safetensors /etc/passwd a/../m-1.safetensors .. . ''; do
  refused 4 "tensor 'a' in '$name', which is not the name of a file beside the index" \
    "\"a\":\"$name\""
done
refused 4 "weight_map names no file for tensor 'a'" '"a":["m-1.safetensors"]'
printf '{"weight_map":[]}' >$set/x.safetensors.index.json
check 4 '' 'is not an index of a model: its weight_map is not a JSON object' \
  convert --tensor a --to '{0,1}' \
  $set/x.safetensors.index.json $o
printf '{"weight_map":{},"metadata":1}' >$set/x.safetensors.index.json
check 4 '' 'is not an index of a model: its metadata is not a JSON object' \
  convert --tensor a --to '{0,1}' \
  $set/x.safetensors.index.json $o
printf '{"weight_map"' >$set/x.safetensors.index.json
check 4 '' 'x.safetensors.index.json: ' convert --tensor a --to '{0,1}' \
  $set/x.safetensors.index.json $o
check 2 '' 'is an index, so IN must be one too' convert --tensor a --to '{0,1}' \
  $set/m-1.safetensors $o
check 2 '' 'is an index, so IN must be one too' convert --tensor a --to '{0,1}' in.npy $o
check 2 '' 'would replace those of IN ../logs/set/m.safetensors.index.json: put it into another' \
  convert --tensor a --to '{0,1}' $i $set/other.safetensors.index.json
[ ! -e $set/other.safetensors.index.json ] || fail 'an index beside the other was written'
check 4 '' "tensor 'a': --to: padded_dimensions" convert --tensor a --tensor c \
  --to '{1,0:PD(2,2)}' $i $o
printf 'abcdefgh' | cmp -s - "$set/m-1.safetensors" && fail 'the set was changed'
rmdir out || fail "files that nobody asked for: $(ls -A out)"

# In place.
cp -r $set in_place
check 0 '' '' convert --tensor a --to '{0,1}' in_place/m.safetensors.index.json \
  in_place/m.safetensors.index.json
holds in_place/m-1.safetensors '"relayout.layout.a":"u8[2,3]{0,1}"' adbecf12
holds in_place/m-2.safetensors '"part":"2"' ghij
rm -rf in_place

# ---- Lists ----
check 0 "name         bytes  shape
a                6  u8[2,3]{1,0}
b                2  u8[2]{0}
c                4  u8[2,2]{1,0}
3 tensors, 12 bytes" '' shape $i
check 0 '{"tensors":[{"name":"c","text":"u8[2,2]{1,0}","bytes":4}]}' '' shape --json \
  $set/m-2.safetensors
check 0 '' '' convert --tensor c --to '{0,1:PD(4,4)}' $set/m-2.safetensors p.safetensors
check 0 '{"tensors":[{"name":"c","text":"u8[2,2]{0,1:PD(4,4)}","bytes":16}]}' '' shape --json \
  p.safetensors
model '{"q":{"dtype":"Q3","shape":[2,3],"data_offsets":[0,1]}}' x >q.safetensors
check 0 '{"tensors":[{"name":"q","text":null,"bytes":1}]}' '' shape q.safetensors --json
check 0 "name         bytes  shape
q                1  Q3[2,3]
1 tensor, 1 bytes" '' shape q.safetensors
model '{"\u001b[2J\u009b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}' x >q.safetensors
"$RELAYOUT" shape q.safetensors >../logs/out
checks=$((checks + 1))
case $(cat ../logs/out) in
*"$(printf '\033')"*) fail 'a name reached the terminal as it is' ;;
esac
check 1 '' 'cannot open none.safetensors' shape none.safetensors
printf 12345678 >q.safetensors
check 4 '' 'q.safetensors: this is not a .safetensors file' shape q.safetensors
rm -f p.safetensors q.safetensors
check_no_files 'sets'

finish
