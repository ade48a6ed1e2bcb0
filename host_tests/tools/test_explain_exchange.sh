#!/bin/sh
# test_explain_exchange.sh: `relayout explain` between two shardings.
. "$(dirname "$0")/check.sh"

# Rows on two devices become columns on the same two: each keeps a quarter and sends one, as bf16.
rows='{devices=[2,1]<=[2]}'
columns='{devices=[1,2]<=[2]}'
check 0 'sent: 32 bytes, in messages: 2
kept: 32 bytes, which stay on their devices
a peer sends at most 16 bytes, and receives at most 16 bytes
messages hold bf16{0,1}

  peer           sends        receives           keeps  messages  messages
                 bytes           bytes           bytes      sent  received
     0              16              16              16         1         1
     1              16              16              16         1         1

  from      to           bytes  sizes at start
     0       1              16  2,4 at 0,4
     1       0              16  2,4 at 2,0' '' \
  explain 'f32[4,8]' 'bf16{0,1}' --from-sharding "$rows" --to-sharding "$columns"

# On other devices nothing is kept; a message holds 16 bytes, and thus a row of a shard.
check 0 '{"from":"u8[2,32]{1,0}","from_sharding":"{devices=[1,2]<=[2]}","to":"u8[2,32]{1,0}",'\
'"to_sharding":"{maximal device=0}","wire":"u8{1,0}","peers":['\
'{"peer":0,"sent":32,"received":0,"kept":0,"messages_sent":2,"messages_received":0},'\
'{"peer":1,"sent":32,"received":0,"kept":0,"messages_sent":2,"messages_received":0},'\
'{"peer":2,"sent":0,"received":64,"kept":0,"messages_sent":0,"messages_received":4}],"messages":['\
'{"from":0,"to":2,"tag":0,"bytes":16,"boxes":1,"start":[0,0],"sizes":[1,16]},'\
'{"from":0,"to":2,"tag":1,"bytes":16,"boxes":1,"start":[1,0],"sizes":[1,16]},'\
'{"from":1,"to":2,"tag":0,"bytes":16,"boxes":1,"start":[0,16],"sizes":[1,16]},'\
'{"from":1,"to":2,"tag":1,"bytes":16,"boxes":1,"start":[1,16],"sizes":[1,16]}]}' '' \
  explain 'u8[2,32]' u8 --from-sharding "$columns" --to-first-peer 2 --message-bytes 16 --json

# A replicated side has as many devices as the other, or as --devices says.
peers() {
  "$RELAYOUT" explain "$@" --json | tr '{' '\n' | grep -c '"peer":'
}
[ "$(peers 'f32[8]' f32 --from-sharding '{devices=[4]<=[4]}' --to-sharding '{replicated}')" = 4 ] ||
  failures=1
[ "$(peers 'f32[8]' f32 --to-sharding '{replicated}' --devices 7)" = 7 ] || failures=1
[ "$(peers 'f32[8]' f32 --to-sharding '{devices=[2]3,5}')" = 6 ] || failures=1

# Devices 1 and 3 hold what device 4 wants: on nodes of three, 3 is its neighbour.
sent_by() {
  peer=$1
  shift
  "$RELAYOUT" explain "$@" --json | tr '{' '\n' |
    sed -n "s/^\"peer\":$peer,\"sent\":\([0-9]*\),.*/\1/p"
}
holders='{devices=[2,2]0,2,1,3 last_tile_dim_replicate}'
four='{maximal device=4}'
[ "$(sent_by 3 'u8[4]' u8 --from-sharding "$holders" --to-sharding "$four" \
  --devices-per-node 3)" = 2 ] || failures=1
[ "$(sent_by 3 'u8[4]' u8 --from-sharding "$holders" --to-sharding "$four")" = 0 ] || failures=1
[ "$(sent_by 1 'u8[4]' u8 --from-sharding "$holders" --to-sharding "$four")" = 2 ] || failures=1

# As f32, and row by row: twice as many bytes.
wire_of() {
  "$RELAYOUT" explain 'f32[4,8]' 'bf16{0,1}' --from-sharding "$rows" --to-sharding "$columns" "$@" |
    sed -n 's/^messages hold //p; s/^sent: //p' | tr '\n' ' '
}
[ "$(wire_of --wire f32)" = '64 bytes, in messages: 2 f32{0,1} ' ] || failures=1
[ "$(wire_of --wire '{1,0}')" = '32 bytes, in messages: 2 bf16{1,0} ' ] || failures=1
[ "$(wire_of --wire 'f32{1,0}')" = '64 bytes, in messages: 2 f32{1,0} ' ] || failures=1

# Nothing to send, and too many messages to print.
check 0 'sent: 0 bytes, in messages: 0
kept: 128 bytes, which stay on their devices
a peer sends at most 0 bytes, and receives at most 0 bytes
messages hold f32{1,0}

  peer           sends        receives           keeps  messages  messages
                 bytes           bytes           bytes      sent  received
     0               0               0              64         0         0
     1               0               0              64         0         0' '' \
  explain 'f32[4,8]' f32 --from-sharding "$rows" --to-sharding "$rows"
lines() {
  "$RELAYOUT" explain "$@" | wc -l
}
one='{maximal device=0}'
[ "$(lines 'u8[64]' u8 --to-sharding "$one" --to-first-peer 1 --message-bytes 1)" = \
  $((4 + 3 + 2 + 2 + 64)) ] || failures=1
[ "$(lines 'u8[65]' u8 --to-sharding "$one" --to-first-peer 1 --message-bytes 1)" = \
  $((4 + 3 + 2)) ] || failures=1

check 4 '' 'at most 4096 are explained' \
  explain 'u8[4]' u8 --to-sharding '{devices=[4097]<=[4097]}'
check 4 '' '--to-sharding: column' explain 'u8[4]' u8 --to-sharding '{devices=[2'
check 4 '' 'shards along 2 dimensions' explain 'u8[4]' u8 --from-sharding "$rows"
check 2 '' '--devices is for an exchange: it needs --from-sharding or --to-sharding' \
  explain 'u8[4]' u8 --devices 3
check 2 '' '--message-bytes is for an exchange' explain 'u8[4]' u8 --message-bytes 3
check 2 '' '--wire is for an exchange' explain 'u8[4]' u8 --wire u8
check 4 '' 'wire is of u8' explain 'f32[4,8]' f32 --to-sharding "$rows" --wire u8
check 2 '' '--device is not for an exchange' \
  explain 'f32[4,8]' f32 --to-sharding "$rows" --device cpu
check 2 '' '--schedules is not for an exchange' \
  explain 'f32[4,8]' f32 --to-sharding "$rows" --schedules
check 2 '' '--message-bytes' explain 'f32[4,8]' f32 --to-sharding "$rows" --message-bytes 0
check 2 '' '--to-first-peer' explain 'f32[4,8]' f32 --to-sharding "$rows" --to-first-peer x

finish
