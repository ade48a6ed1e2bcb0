#!/bin/sh
# test_shard.sh: `relayout shard`.
. "$(dirname "$0")/check.sh"

check 0 'f32[8192,8192]{1,0}, {devices=[2,2]<=[4]}

device  start      sizes               bytes  replica  shape
     0  0,0        4096,4096        67108864        0  f32[4096,4096]{1,0}
     1  0,4096     4096,4096        67108864        0  f32[4096,4096]{1,0}
     2  4096,0     4096,4096        67108864        0  f32[4096,4096]{1,0}
     3  4096,4096  4096,4096        67108864        0  f32[4096,4096]{1,0}

               0      4096
           0 | 0    | 1    |
        4096 | 2    | 3    |' '' shard 'f32[8192,8192]' '{ devices=[2,2] <= [4] }'

# Replicas, an uneven end, and nothing.
check 0 'u8[5]{0}, {devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}

device  start   sizes            bytes  replica  shape
     0  0       2                    2        0  u8[2]{0}
     1  2       2                    2        0  u8[2]{0}
     2  4       1                    1        0  u8[1]{0}
     3  5       0                    0        0  u8[0]{0}
     4  0       2                    2        1  u8[2]{0}
     5  2       2                    2        1  u8[2]{0}
     6  4       1                    1        1  u8[1]{0}
     7  5       0                    0        1  u8[0]{0}
     8  holds nothing

               0
           0 | 0 4 |
           2 | 1 5 |
           4 | 2 6 |' '' \
  shard 'u8[5]' '{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}' --devices 9

# Blocks that are dealt out.
check 0 'f32[4,6]{1,0}, {devices=[2,2]<=[4] block=[1,2]}

device  start   sizes            bytes  replica  shape
     0  blocks  2,4                 32        -  f32[2,4]{1,0}
     1  blocks  2,2                 16        -  f32[2,2]{1,0}
     2  blocks  2,4                 32        -  f32[2,4]{1,0}
     3  blocks  2,2                 16        -  f32[2,2]{1,0}

               0   2   4
           0 | 0 | 1 | 0 |
           1 | 2 | 3 | 2 |
           2 | 0 | 1 | 0 |
           3 | 2 | 3 | 2 |' '' shard 'f32[4,6]' '{devices=[2,2]<=[4] block=[1,2]}'

# Too much for a picture: three dimensions; more than 16 parts; cells of many devices.
check 0 'f32[2,2,2]{2,1,0}, {devices=[2,1,1]<=[2]}

device  start   sizes            bytes  replica  shape
     0  0,0,0   1,2,2               16        0  f32[1,2,2]{2,1,0}
     1  1,0,0   1,2,2               16        0  f32[1,2,2]{2,1,0}' '' \
  shard 'f32[2,2,2]' '{mesh[x=2], [{x}, {}, {}]}'
lines() {
  "$RELAYOUT" shard "$@" | wc -l
}
[ "$(lines 'f32[64]' '{devices=[16]<=[16]}')" = $((3 + 16 + 2 + 16)) ] || failures=1
[ "$(lines 'f32[68]' '{devices=[17]<=[17]}')" = $((3 + 17)) ] || failures=1
[ "$(lines 'f32[64]' '{replicated}' --devices 9)" = $((3 + 9)) ] || failures=1
[ "$(lines 'f32[64]' '{devices=[65536]<=[65536]}')" = $((3 + 65536)) ] || failures=1

# No picture of no elements.
[ "$(lines 'f32[0,3]' '{devices=[2,1]<=[2]}')" = $((3 + 2)) ] || failures=1

# For programs.
check 0 '{"text":"s4[7,3]{1,0:E(4)}","sharding":"{devices=[2,1]1,0}","devices":['\
'{"device":0,"start":[4,0],"sizes":[3,3],"bytes":5,"replica":0,"text":"s4[3,3]{1,0:E(4)}"},'\
'{"device":1,"start":[0,0],"sizes":[4,3],"bytes":6,"replica":0,"text":"s4[4,3]{1,0:E(4)}"}]}' '' \
  shard 's4[7,3]{1,0:E(4)}' '{devices=[2,1]1,0}' --json
check 0 '{"text":"f32[3]{0}","sharding":"{maximal device=1}","devices":['\
'{"device":0,"start":[0],"sizes":[0],"bytes":0,"replica":null,"text":"f32[0]{0}"},'\
'{"device":1,"start":[0],"sizes":[3],"bytes":12,"replica":0,"text":"f32[3]{0}"}]}' '' \
  shard 'f32[3]' '{maximal device=1}' --json --devices 2
check 0 '{"text":"f32[3]{0}","sharding":"{replicated}","devices":['\
'{"device":0,"start":[0],"sizes":[3],"bytes":12,"replica":0,"text":"f32[3]{0}"}]}' '' \
  shard 'f32[3]' '{replicated}' --json
check 0 '{"text":"f32[5]{0}","sharding":"{devices=[2]<=[2] block=[1]}","devices":['\
'{"device":0,"start":null,"sizes":[3],"bytes":12,"replica":null,"text":"f32[3]{0}"},'\
'{"device":1,"start":null,"sizes":[2],"bytes":8,"replica":null,"text":"f32[2]{0}"}]}' '' \
  shard 'f32[5]' '{devices=[2]<=[2] block=[1]}' --json

check 4 '' 'SHARDING: column 20' shard 'f32[3]' '{devices=[2,1]<=[2]'
check 4 '' 'shards along 2 dimensions, but the shape has 1' shard 'f32[3]' '{devices=[2,1]<=[2]}'
check 4 '' '{manual}, which does not say' shard 'f32[3]' '{manual}'
check 4 '' 'dimension 0 is padded to 4' shard 'f32[3]{0:PD(4)}' '{devices=[2]<=[2]}'
check 4 '' 'SHAPE' shard 'f32[3' '{replicated}'
check 2 '' '--devices' shard 'f32[3]' '{replicated}' --devices 0
check 2 '' '--devices' shard 'f32[3]' '{replicated}' --devices x
check 2 '' 'SHARDING' shard 'f32[3]'

finish
