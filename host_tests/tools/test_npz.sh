#!/bin/sh
# test_npz.sh: arrays of .npz files, by archives that Python's zipfile packs, as NumPy has it pack
# them. Exits with 77 where there is no Python.
. "$(dirname "$0")/check.sh"

python=${PYTHON:-python3}
"$python" -c 'import zipfile, zlib' 2>/dev/null || exit 77

# npz FILE PACKING MEMBER...: packs these files, STORED or DEFLATED, under their own names.
npz() {
  "$python" -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", getattr(zipfile, "ZIP_" + sys.argv[2])) as archive:
    for name in sys.argv[3:]:
        archive.write(name)' "$@"
}

# Members that are packed have runs, so that deflating them makes them smaller.
mkdir ../logs/arrays
cd ../logs/arrays || exit 1
(npy '|u1' False '(2, 3)' && printf abcdef) >a.npy
(npy '<u2' True '(2, 2)' && printf 'a.b.c.d.' | tr . '\000') >b.npy
(npy '|u1' False '(256,)' && printf %256s '' | tr ' ' x) >runs.npy
printf 'no array' >notes.txt
npz ../stored.npz STORED a.npy b.npy runs.npy notes.txt
npz ../deflated.npz DEFLATED a.npy b.npy runs.npy notes.txt
npz ../single.npz STORED a.npy notes.txt
npz ../none.npz STORED notes.txt
cd ../../files || exit 1
archives=stored
"$RELAYOUT" convert --tensor runs --to '{0}' ../logs/deflated.npz - >../logs/out 2>../logs/err &&
  archives='stored deflated'
case $archives in
stored) grep -q 'built without zlib' ../logs/err || fail "a deflated array: $(cat ../logs/err)" ;;
esac

listing='name         bytes  shape
a                6  u8[2,3]{1,0}
b                8  u16[2,2]{0,1}
runs           256  u8[256]{0}
3 tensors, 270 bytes'
objects='{"tensors":[{"name":"a","text":"u8[2,3]{1,0}","bytes":6},'\
'{"name":"b","text":"u16[2,2]{0,1}","bytes":8},{"name":"runs","text":"u8[256]{0}","bytes":256}]}'

printf '\000\000\200\077' >../logs/one # as f32
for of in $archives; do
  in=../logs/$of.npz
  check 0 adbecf '' convert --tensor a --to '{0,1}' --verify "$in" /dev/stdout
  check 0 '' '' convert --tensor a --to '{0,1}' "$in" out.npy
  check 0 abcdef '' convert --from '{0,1}' --to '{1,0}' out.npy /dev/stdout
  check 0 '' '' convert --tensor b --to '{1,0}' "$in" out
  check_bytes out a.c.b.d.
  check 0 '' '' convert --tensor 'r*' --to '{0}' "$in" out
  check_bytes out "$(printf %256s '' | tr ' ' x)"
  check 0 '' '' convert --tensor '*' --except b --except runs --to '{1,0}' "$in" out
  check_bytes out abcdef
  check 0 adbecf '' convert --tensor a --from 'u8[2,3] * f32[1,1]' --from-scales ../logs/one \
    --to '{0,1}' "$in" /dev/stdout
  check 0 '' '' convert --tensor a --to '{1,0}' "$in" out.safetensors
  check 0 'name         bytes  shape
a                6  u8[2,3]{1,0}
1 tensor, 6 bytes' '' shape out.safetensors
  tail -c 6 out.safetensors >out
  check_bytes out abcdef
  check 0 "$listing" '' shape "$in"
  check 0 "$objects" '' shape --json "$in"
  rm -f out out.npy out.safetensors

  check 4 '' "--tensor and --except choose none of the 3 arrays of $in: a, b, runs" \
    convert --tensor c --to '{0,1}' "$in" out
  check 4 '' 'choose none of the 3 arrays' convert --tensor notes.txt --to '{0}' "$in" out
  check 4 '' 'choose none of the 3 arrays' convert --tensor a.npy --to '{0}' "$in" out
  check 2 '' "--tensor is missing: $in holds 3 arrays: a, b, runs" convert --to '{0,1}' "$in" out
  check 2 '' "2 of the 3 arrays of $in are chosen, but OUT holds one: a, b, runs" \
    convert --tensor '?' --to '{0,1}' "$in" out
  check 2 '' '--rank needs an IN' convert --rank 2 --to '{0,1}' "$in" out
  check 4 '' "$in: a: the array is" convert --tensor a --from 'u8[3,2]' --to '{0,1}' "$in" out
  check_no_files "$in"
done

# Without --tensor, an array that is alone is meant.
check 0 adbecf '' convert --to '{0,1}' ../logs/single.npz /dev/stdout
check 4 '' '../logs/none.npz holds no arrays' convert --to '{0,1}' ../logs/none.npz out

# What is no archive, or a hostile one: cut anywhere, or with any byte another. Such a file is
# refused, or read as it was where the byte stands for nothing that counts.
printf 'an array, so to say, of letters' >../logs/bad.npz
check 4 '' ../logs/bad.npz shape ../logs/bad.npz
size=$(wc -c <../logs/single.npz)
at=0
while [ "$at" -lt "$size" ]; do
  head -c "$at" ../logs/single.npz >../logs/bad.npz
  check 4 '' ../logs/bad.npz convert --tensor a --to '{0,1}' ../logs/bad.npz out
  (head -c "$at" ../logs/single.npz && printf '\377' &&
    tail -c +$((at + 2)) ../logs/single.npz) >../logs/bad.npz
  checks=$((checks + 1))
  "$RELAYOUT" convert --tensor a --to '{0,1}' ../logs/bad.npz out >../logs/out 2>../logs/err
  case $? in
  0) check_bytes out adbecf ;;
  4) grep -q bad.npz ../logs/err || fail "byte $at: said '$(cat ../logs/err)'" ;;
  *) fail "byte $at is 255: exit code other than 0 and 4; it said: $(cat ../logs/err)" ;;
  esac
  rm -f out
  at=$((at + 11))
done
check_no_files 'hostile archives'

finish
