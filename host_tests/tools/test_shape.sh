#!/bin/sh
# test_shape.sh: `relayout shape` and `relayout index`.
. "$(dirname "$0")/check.sh"

# The example of XLA's documentation, padded.
check 0 'f32[2,3]{0,1:PD(3,5)}

element type     f32, 4 bytes an element
rank             2, true rank 2
dimensions       2, 3
minor to major   0, 1
padded to        3, 5
padding value    zero
elements         6, 15 with padding
bytes            60
of them padding  36 (60.0 %)
strides          1, 3

the array, with its padding:
        x
      +----------
    y | a b c 0 0
      | d e f 0 0
      | 0 0 0 0 0

its memory:
    a d 0 b e 0 c f 0 0 0 0 0 0 0' '' shape ' f32 [2, 3] {0, 1: PD(3, 5)} '

check 0 '{"text":"f32[2,3]{0,1:PD(3,5)}","element_type":"f32","rank":2,"true_rank":2,'\
'"dimensions":[2,3],"minor_to_major":[0,1],"padded_dimensions":[3,5],'\
'"physical_dimensions":[5,3],"padding_value":"zero","tiles":[],"tail_alignment":1,'\
'"element_bits":32,"packing_order":"low","memory_space":0,"elements":6,"physical_elements":15,'\
'"byte_size":60,'\
'"padding_byte_size":36,"strides":[1,3]}' '' shape --json 'f32[2,3]{0,1:PD(3,5)}'
check 0 '{"text":"bf16[1,7,1]{2,1,0}","element_type":"bf16","rank":3,"true_rank":1,'\
'"dimensions":[1,7,1],"minor_to_major":[2,1,0],"padded_dimensions":[1,7,1],'\
'"physical_dimensions":[1,7,1],"padding_value":"zero","tiles":[],"tail_alignment":1,'\
'"element_bits":16,"packing_order":"low","memory_space":0,"elements":7,"physical_elements":7,'\
'"byte_size":14,'\
'"padding_byte_size":0,"strides":[7,1,1]}' '' shape 'bf16[1,7,1]' --json
check 0 '{"text":"u8[]","element_type":"u8","rank":0,"true_rank":0,'\
'"dimensions":[],"minor_to_major":[],"padded_dimensions":[],'\
'"physical_dimensions":[],"padding_value":"zero","tiles":[],"tail_alignment":1,'\
'"element_bits":8,"packing_order":"low","memory_space":0,"elements":1,"physical_elements":1,'\
'"byte_size":1,'\
'"padding_byte_size":0,"strides":[]}' '' shape 'u8[]' --json

# Whatever a text can say, the object says.
check_printed 0 '"padded_dimensions":[16,256],"physical_dimensions":[2,2,4,128,2,1],'\
'"padding_value":"zero","tiles":[[8,128],[2,1]],"tail_alignment":1,"element_bits":16,'\
'"packing_order":"low","memory_space":1,' shape --json 'bf16[16,256]{1,0:T(8,128)(2,1)S(1)}'
check_printed 0 '"padded_dimensions":[2,5,4],"physical_dimensions":[4,2,8],'\
'"padding_value":"highest","tiles":[[null,8]],"tail_alignment":64,"element_bits":4,'\
'"packing_order":"low","memory_space":0,' \
  shape --json 'u4[2,3,4]{1,0,2:PD(2,5,4)PV(highest)T(*,8)L(64)E(4)}'
check_printed 0 '"tiles":[],"tail_alignment":1,"element_bits":32,' shape --json 's8[3]{0:E(32)}'

# memory SHAPE CELLS: what is drawn as the memory.
memory() {
  check_printed 0 "
its memory:
    $2" shape "$1"
  last=$(tail -n 1 ../logs/out)
  [ "$last" = "    $2" ] || fail "relayout shape $1: more memory than '$2': '$last'"
}
memory 'f32[2,3]{1,0}' 'a b c d e f'
memory 'f32[2,3]' 'a b c d e f'
memory 'f32[2,3]{0,1}' 'a d b e c f'
memory 'f32[]' 'a'
memory 'f32[3]{0:PD(5)PV(one)}' 'a b c 1 1'
memory 'f32[3]{0:PD(5)PV(lowest)}' 'a b c lowest lowest'
memory 'f32[3]{0:PD(5)PV(highest)}' 'a b c highest highest'
memory 'f32[3]{0:PD(5)PV(unknown)}' 'a b c ? ?'
memory 'f32[3]{0:PD(5)PV(-1.5)}' 'a b c -1.5 -1.5'
memory 's32[0]{0:PD(2)PV(7)}' '7 7'
memory 'f32[2,2,2]{0,1,2}' 'a e c g b f d h'
memory 'f32[1,2,1,2,2]{0,3,2,4,1}' 'a c b d e g f h'
memory 'u8[26]' 'a b c d e f g h i j k l m n o p q r s t u v w x y z'
check_printed 0 '
    z aa' shape 'u8[27]'

# Tiles, one after the other; the tail; packed elements.
memory 'f32[3,5]{1,0:T(2,2)}' 'a b f g | c d h i | e 0 j 0 | k l 0 0 | m n 0 0 | o 0 0 0'
memory 'f32[3,5]{1,0:T(2,2)(2,1)}' \
  'a f | b g | c h | d i | e j | 0 0 | k 0 | l 0 | m 0 | n 0 | o 0 | 0 0'
memory 'f32[3,5]{1,0:PD(3,6)PV(one)T(2,2)}' \
  'a b f g | c d h i | e 1 j 1 | k l 1 1 | m n 1 1 | o 1 1 1'
memory 'f32[2,2]{1,0:T(1)}' 'a b c d'
memory 'f32[6]{0:T(4)L(16)}' 'a b c d | e f 0 0 | 0 0 0 0 | 0 0 0 0'
memory 'f32[]{:PV(one)T(2)L(4)}' 'a 1 | 1 1'
memory 'u4[5]{0:PV(unknown)L(8)E(4)}' 'a b c d e ? ? ?'
check_printed 0 '
    a b c d e f g h i j k l m n o p q r s t u v w x y
    z aa ab ' shape 'u8[48]{0:T(48)}'

# The planes of 3- and 4-D arrays; wide padding lines up.
check_printed 0 'the array, with its padding:
  z = 0
        x
      +--------------
    y | a      lowest
      | b      lowest
' shape 'f32[1,2,1]{2,1,0:PD(2,2,2)PV(lowest)}'
check_printed 0 'the array:
  p = 0, z = 0
        x
      +----
    y | a b
      | c d
  p = 0, z = 1
        x
      +----
    y | e f
      | g h
  p = 1, z = 0
        x
      +----
    y | i j
      | k l
  p = 1, z = 1
        x
      +----
    y | m n
      | o p
' shape 'f32[2,2,2,2]'

# no_picture SHAPE: too large, or nothing to draw.
no_picture() {
  check_printed 0 'elements  ' shape "$1"
  ! grep -q memory ../logs/out || fail "relayout shape $1: drew a picture"
}
no_picture 'f32[1024,1024]'
no_picture 'f32[2,60]'
no_picture 'f32[100,1]'
no_picture 'f32[0,3]'

check_printed 0 'bytes            4194304 (4.0 MiB)' shape 'f32[1024,1024]'

# Tiled layouts have no strides, and their padding is told; only what is wider is shown as padded.
check 0 'bf16[16,300]{1,0:T(8,128)(2,1)}

element type     bf16, 2 bytes an element
rank             2, true rank 2
dimensions       16, 300
minor to major   1, 0
padding value    zero
elements         4800, 6144 with padding
bytes            12288 (12.0 KiB)
of them padding  2688 (21.9 %)
strides          none: the layout is tiled' '' shape 'bf16[16,300]{1,0:T(8,128)(2,1)}'
check_printed 0 'element type     s4, 4 bits an element
' shape 's4[9]{0:E(4)}'
check_printed 0 'element type     pred, 1 bit an element
' shape 'pred[9]{0:E(1)}'
check_printed 0 'element type     u4, 4 bits an element, high bits first
' shape 'u4[4,6]{1,0:PO(high)E(4)}'
check_printed 0 '"element_bits":4,"packing_order":"high","memory_space":0,' \
  shape --json 'u4[4,6]{1,0:PO(high)E(4)}'
check_printed 0 'element type     pred, 4 bytes an element
' shape 'pred[9]{0:E(32)}'
check_printed 0 '"byte_size":32768,"padding_byte_size":30720,"strides":null}' \
  shape --json 'pred[8,8,8]{0,2,1:T(8,128)E(32)}'
check_printed 0 \
  '"physical_elements":6144,"byte_size":12288,"padding_byte_size":2688,"strides":null}' \
  shape --json 'bf16[16,300]{1,0:T(8,128)(2,1)}'
check_printed 0 '"physical_elements":56623104,"byte_size":28311552,"padding_byte_size":0,' \
  shape --json 's4[9216,6144]{1,0:T(64,128)(8,1)E(4)}'
check_printed 0 '"byte_size":5,"padding_byte_size":2,"strides":[3,1]}' \
  shape --json 'u4[2,3]{1,0:L(10)E(4)}'
check_printed 0 '"text":"bf16[16,256]{1,0:T(8,128)(2,1)}"' \
  shape --json 'bf16[16,256]{1,0:T(8,128)(2,1)}'

# Shapes that cannot be.
for shape in '' 'f32' 'f32[2' 'f32[2]{0' 'f32[2]x' 'f32[-2]' 'f32[2,3]{0}' 'f32[2,3]{0,0}' \
  'f32[2,3]{0,2}' 'f32[5]{0:PD(3)}' 'q32[2]' 'token[]' '(f32[2])' 'f32[<=2]' '{0,1}' \
  'f32[9223372036854775807,9223372036854775807]' 'f32[2]{0:PD(3)PV(blue)}' 's8[2]{0:PV(300)}' \
  'f32[99999999999999999999999999999999]' 'c64[2]{0:PD(3)PV(lowest)}' \
  'f32[2]{0:T(0)}' 'f32[2]{0:T()}' 'f32[2]{0:T(-2)}' 'f32[2]{0:T(*)}' 'f32[2]{0:L(0)}' \
  'f32[2]{0:E(4)}' 's4[2]{0:E(3)}' 'f32[2]{0:T(9223372036854775807)}'; do
  check 4 '' 'relayout: shape: SHAPE: ' shape "$shape"
  check 4 '' 'relayout: shape: SHAPE: ' shape --json "$shape"
done

# index: there and back.
index() {
  check 0 "$3" '' index "$1" --at "$2"
  check 0 "$2" '' index "$1" --linear "$3"
}
index 'f32[2,3]{0,1:PD(3,5)}' 1,2 7
index 'f32[2,3]{0,1:PD(3,5)}' 2,4 14
index 'f32[2,3]{0,1:PD(3,5)}' 0,0 0
index 'f32[2,3]' 1,2 5
index 'f32[2,3]{0,1}' 1,2 5
index 'f32[2,3]{0,1}' 1,1 3
index 'f32[2,3,4]{1,0,2}' 1,2,3 23
index 'f32[]' '' 0
index 'f32[3,5]{1,0:T(2,2)}' 2,3 17
index 'f32[8]{0:T(2,2)}' 5 9
index 'bf16[2048]{0:T(1024)(128)(2,1)}' 128 1
index 's4[9216,6144]{1,0:T(64,128)(8,1)E(4)}' 9215,6143 56623103
index 'u8[3000000000,3]{0,1}' 2999999999,2 8999999999
check 0 7 '' index --at=1,2 -- 'f32[2,3]{0,1:PD(3,5)}'
check 0 7 '' index 'f32[2,3]{0,1:PD(3,5)}' --at '1, 2'

check 4 '' 'dimension 1' index 'f32[2,3]' --at 1,3
check 4 '' 'dimension 0' index 'f32[2,3]' --at 2,2
check 4 '' 'dimension 0' index 'f32[2,3]' --at -1,2
check 4 '' 'dimension 1' index 'f32[2,3]{0,1:PD(3,5)}' --at 2,5
check 4 '' '--at has 1 numbers, but the shape has rank 2' index 'f32[2,3]' --at 1
check 4 '' '--at has 3 numbers, but the shape has rank 2' index 'f32[2,3]' --at 1,2,3
check 4 '' '64 bits' index 'f32[2,3]' --at 1,99999999999999999999
check 4 '' '15' index 'f32[2,3]{0,1:PD(3,5)}' --linear 15
check 4 '' '-1' index 'f32[2,3]' --linear -1
check 4 '' '0' index 'f32[0]' --linear 0
check 4 '' 'SHAPE' index 'f32[2' --at 1
check 4 '' 'out of range for an array of 24 elements' index 'f32[3,5]{1,0:T(2,2)}' --linear 24
check 0 '-1,-1' '' index 'f32[3,5]{1,0:T(2,2)}' --linear 23
check 0 '2,2' '' index 'f32[2,3]{0,1:PD(3,5)T(2,2)}' --linear 12

# The same for programs; padding is what no element of the array lies at.
check 0 '{"text":"f32[2,3]{0,1:PD(3,5)}","index":[1,2],"linear":7,"padding":false}' '' \
  index --json 'f32[2,3]{0,1:PD(3,5)}' --at 1,2
check 0 '{"text":"f32[2,3]{0,1:PD(3,5)}","index":[2,2],"linear":8,"padding":true}' '' \
  index 'f32[2,3]{0,1:PD(3,5)}' --linear 8 --json
check 0 '{"text":"f32[3,5]{1,0:T(2,2)}","index":[-1,-1],"linear":23,"padding":true}' '' \
  index --json 'f32[3,5]{1,0:T(2,2)}' --linear 23
check 0 '{"text":"u8[]","index":[],"linear":0,"padding":false}' '' index --json 'u8[]' --at ''
check 4 '' 'dimension 1' index --json 'f32[2,3]' --at 1,3
for numbers in x 1,x '1,' ,1 1,,2 1.5 0x1; do
  check 2 '' '--at takes numbers' index 'f32[2,3]' --at "$numbers"
done
check 2 '' '--linear takes' index 'f32[2,3]' --linear ''
check 2 '' '--linear takes' index 'f32[2,3]' --linear x
check 4 '' '--linear takes at most 1 number, not' index 'f32[2,3]' --linear 1,2

finish
