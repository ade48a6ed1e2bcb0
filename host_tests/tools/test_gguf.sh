#!/bin/sh
# test_gguf.sh: what GGUF files list, by files that are put together byte by byte.
. "$(dirname "$0")/gguf_files.sh"
. "$(dirname "$0")/check.sh"

# Keys of all kinds stand before the tensors: a text, numbers of each width, lists, lists of lists.
pairs() {
  text general.architecture && number 4 8 && text bert
  text a.bool && number 4 7 && number 1 1
  text a.half && number 4 2 && number 2 7
  text a.wide && number 4 10 && number 8 7
  text tokens && number 4 9 && number 4 8 && number 8 2 && text one && text two
  text scores && number 4 9 && number 4 6 && number 8 3 && zeros 12
  text nested && number 4 9 && number 4 9 && number 8 2
  number 4 0 && number 8 3 && printf abc && number 4 8 && number 8 1 && text x
}

# 60 bytes of f32, 4 * 34 of q8_0, 2 * 210 of q6_k, a scalar, nothing, 17 of mxfp4: each begins at a
# multiple of 32.
{
  header 6 7
  pairs
  tensor weights 0 0 5 3
  tensor blk.0.q 8 64 64 2
  tensor blk.0.k 14 224 256 2 1
  tensor scalar 30 672
  tensor nothing 1 704 0 4
  tensor mx 39 704 32
} >list
size=$(wc -c <list)
{
  cat list
  zeros $(((32 - size % 32) % 32 + 721))
} >model.gguf
check 0 'name            bytes  shape
weights            60  f32[3,5]{1,0}
blk.0.q           136  q8_0[2,64]
blk.0.k           420  q6_k[1,2,256]
scalar              2  bf16[]
nothing             0  f16[4,0]{1,0}
mx                 17  mxfp4[32]
6 tensors, 635 bytes' '' shape model.gguf
check 0 '{"tensors":[{"name":"weights","text":"f32[3,5]{1,0}","bytes":60},'\
'{"name":"blk.0.q","text":"q8_0[2,64]","bytes":136},'\
'{"name":"blk.0.k","text":"q6_k[1,2,256]","bytes":420},'\
'{"name":"scalar","text":"bf16[]","bytes":2},'\
'{"name":"nothing","text":"f16[4,0]{1,0}","bytes":0},'\
'{"name":"mx","text":"mxfp4[32]","bytes":17}]}' '' shape model.gguf --json

# A byte less, and any part of the list.
head -c $(($(wc -c <model.gguf) - 1)) model.gguf >cut.gguf
check 4 '' 'cut.gguf is not a GGUF file that can be read: it ends before its tensors do' \
  shape cut.gguf
for bytes in 0 3 7 23 24 40 100 $((size - 1)); do
  head -c $bytes model.gguf >cut.gguf
  check 4 '' 'it ends early' shape cut.gguf
done

# Another alignment moves the tensors: 8 bytes behind the list's 8 * n.
{
  header 1 1
  text general.alignment && number 4 4 && number 4 8
  tensor a 24 8 3
} >list
size=$(wc -c <list)
(cat list && zeros $(((8 - size % 8) % 8 + 11))) >aligned.gguf
check 0 'name         bytes  shape
a                3  s8[3]{0}
1 tensor, 3 bytes' '' shape aligned.gguf

# refused MESSAGE: the file that stands there.
refused() {
  check 4 '' "$1" shape bad.gguf
}
(printf GGML && zeros 40) >bad.gguf
refused 'it does not begin with GGUF'
(printf GGUF && number 4 1 && zeros 40) >bad.gguf
refused 'it is of another version than 2 and 3'
(printf GGUF && printf '\000\000\000\003' && zeros 40) >bad.gguf
refused 'it is big-endian, and only little-endian files are read'
(header 0 1 && number 8 70000 && zeros 80000) >bad.gguf
refused 'a name is longer than 65536 bytes'
(header 0 1 && number 8 3 && zeros 20) >bad.gguf
refused 'a name has a zero byte'
(header 0 1 && text x && number 4 13 && zeros 20) >bad.gguf
refused 'a value is of no known type'
(header 0 1 && text x && number 4 9 && number 4 11 && number 8 4611686018427387904) >bad.gguf
refused 'a list is longer than the file'
(header 0 1 && text general.alignment && number 4 4 && number 4 24) >bad.gguf
refused 'general.alignment is no power of two'
(header 1 0 && tensor x 0 0 1 1 1 1 1 && zeros 64) >bad.gguf
refused 'bad.gguf: tensor x has more than 4 dimensions'
(header 1 0 && tensor x 4 0 32 && zeros 64) >bad.gguf
refused 'tensor x is of a type that is not known'
(header 1 0 && tensor x 8 0 33 && zeros 64) >bad.gguf
refused 'tensor x has a minor dimension that is no multiple of its blocks'
(header 1 0 && tensor x 0 4 1 && zeros 64) >bad.gguf
refused 'tensor x begins at no multiple of the alignment'
(header 1 0 && tensor x 0 0 4294967296 4294967296 && zeros 64) >bad.gguf
refused 'tensor x has more bytes than 64 bits count'
(header 1 0 && tensor x 0 9223372036854775776 64 && zeros 64) >bad.gguf
refused 'tensor x ends beyond what 63 bits count'
(header 2 0 && tensor x 0 0 16 && tensor y 0 32 16 && zeros 128) >bad.gguf
refused 'tensor y begins before another one ends'
(header 2 0 && tensor x 0 0 4 && tensor x 0 32 4 && zeros 128) >bad.gguf
refused 'bad.gguf has the tensor x twice'
(header 0 2 && text x && number 4 0 && printf a && text x && number 4 0 && printf b) >bad.gguf
refused 'bad.gguf has the key x twice'
check 1 '' 'cannot open none.gguf' shape none.gguf

finish
