#!/bin/sh
# test_command.sh little|big NATIVE COMMAND...: the relayout command of another processor, which
# COMMAND runs, against NATIVE, this machine's own. Layouts move bytes alike everywhere; numbers
# have their bytes in the processor's order.
byte_order=$1 native=$2
shift 2
here=$(dirname "$0")
emulated=$(printf "'%s' " "$@")
. "$here/../tools/check.sh"
printf '#!/bin/sh\nexec %s "$@"\n' "$emulated" >../relayout
chmod +x ../relayout
RELAYOUT=$work/relayout
RELAYOUT_CACHE=off
export RELAYOUT_CACHE

case $byte_order in
little) order='<' other_order='>' other=big ;;
big) order='>' other_order='<' other=little ;;
*) fail "byte order '$byte_order'" ;;
esac

# numbers SIZE TEXT: prints numbers of 2 or 4 bytes, lowest byte first, as the processor has them.
numbers() {
  case $byte_order$1 in
  big2) printf %s "$2" | LC_ALL=C sed 's/\(.\)\(.\)/\2\1/g' ;;
  big4) printf %s "$2" | LC_ALL=C sed 's/\(.\)\(.\)\(.\)\(.\)/\4\3\2\1/g' ;;
  *) printf %s "$2" ;;
  esac
}

# ---- The same bytes as on this machine -----------------------------------------------------------

# same FROM TO BYTES: both commands make the same file of one of so many bytes.
same() {
  head -c "$3" ../noise >in
  check 0 '' '' convert --device cpu --verify --from "$1" --to "$2" in emulated
  checks=$((checks + 1))
  "$native" convert --device cpu --from "$1" --to "$2" in native || fail "$native, $1 to $2"
  cmp emulated native || fail "$1 to $2"
}
seq 1 400000 | od -An -v -t x1 | tr -d ' \n' | head -c 1000000 >../noise
same 'u8[160,192,3]' '{1,0,2:PD(160,256,4)}' 92160
same 'u8[160,192,3]{1,0,2}' '{2,1,0}' 92160
same 'u8[100,77,2]' '{1,0,2}' 15400
same 'bf16[300,500]' '{1,0:T(8,128)(2,1)}' 300000
same 'f16[123,457]' '{0,1}' 112422
same 'f32[211,307]' '{0,1:PD(224,320)}' 259108
same 'f32[300,500]{1,0:T(8,128)}' '{0,1}' 622592
same 'f64[8,300]{1,0:T(8,128)}' '{1,0}' 24576
same 'f64[111,113]' '{0,1:PD(112,128)PV(unknown)}' 100344
same 'c64[31,29,7]' '{0,1,2}' 50344
same 'c128[31,29,7]' '{1,2,0}' 100688
same 's4[128,100]{1,0:E(4)}' '{0,1:E(4)}' 6400
same 'pred[99,101]{1,0:E(1)}' '{0,1}' 1250
same 'u2[64,64]' '{1,0:T(8,32)E(2)}' 4096
same 'u8[50,60]' '{0,1:E(32)}' 3000
same 'u8[50,60]{1,0:E(16)}' '{0,1:E(32)}' 6000
same 'f8e4m3fn[40,50]' 's4[40,50]{0,1:E(4)}' 2000
rm -f in emulated native

# ---- Numbers ---------------------------------------------------------------------------------

# number FROM TO BYTES RESULT: as same, but of few bytes, and what they become is known.
number() {
  printf %s "$3" >in
  check 0 "$4" '' convert --device cpu --verify --from "$1" --to "$2" in -
}
number 'u8[2,3]' 'u16[2,3]{0,1}' abcdef "$(numbers 2 a.d.b.e.c.f.)"
number 'u8[2,3]' 'u32[2,3]{0,1}' abcdef "$(numbers 4 a...d...b...e...c...f...)"
number 'u16[2]' 'u8[2]' aabb "$(printf '\377\377')"
number 'u8[2]' '{0:E(32)}' ab a...b...
number 'u8[2]{0:E(32)}' '{0}' aXYZbXYZ ab
# 97 is 0x42c2 as bf16 and 0x5610 as f16; -1.5 is 0xbfc0 as bf16.
number 'u8[1]' 'bf16[1]' a "$(numbers 2 "$(printf '\302B')")"
number 'bf16[1]' 'u8[1]' "$(numbers 2 "$(printf '\302B')")" a
number 'bf16[1]' 'f16[1]' "$(numbers 2 "$(printf '\302B')")" "$(numbers 2 "$(printf '\020V')")"
number 'u8[1]' '{0:PD(3)PV(98)}' a abb
number 'bf16[1]' '{0:PD(2)PV(-1.5)}' "$(numbers 2 "$(printf '\302B')")" \
  "$(numbers 2 "$(printf '\302B\300\277')")"

# ---- .npy files --------------------------------------------------------------------------------

# There and back through tiles and another file, whose header says the processor's order.
{ npy "${order}f4" False '(40, 50)' && head -c 8000 ../noise; } >in.npy
check 0 '' '' convert --to '{1,0:T(8,128)}' in.npy tiled.npy
check 0 '' '' convert --from 'f32[40,50]{1,0:T(8,128)}' --to '{1,0}' tiled.npy back.npy
for file in tiled back; do
  checks=$((checks + 1))
  head -c 40 $file.npy | grep -q "'${order}f4'" || fail "$file.npy: not of '${order}f4'"
  tail -c 8000 $file.npy >$file
done
checks=$((checks + 1))
tail -c 8000 in.npy | cmp - back || fail 'there and back through tiles'
{ npy "${other_order}f4" False '(1,)' && printf abcd; } >in.npy
check 0 '' '' convert --verify --to '{0}' in.npy out.npy
tail -c 4 out.npy >out
check_bytes out dcba
check 0 '' '' convert --verify --byte-order "$other" --to '{0}' in.npy out.npy
tail -c 4 out.npy >out
check_bytes out abcd

finish
