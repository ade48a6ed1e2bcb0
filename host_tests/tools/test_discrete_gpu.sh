#!/bin/sh
# test_discrete_gpu.sh: which device the command opens for auto, beside a GPU with memory of its own
# and one that shares the host's. What the GPU writes counts for nothing: it moves nothing.
. "$(dirname "$0")/check.sh"

printf abcdef >../logs/in
# opens DEVICE WORD...: convert says that it moved the tensor there.
opens() {
  device=$1
  shift
  checks=$((checks + 1))
  "$RELAYOUT" convert --verbose --from 'u8[2,3]' --to '{0,1}' "$@" ../logs/in out \
    >../logs/out 2>../logs/err || fail "convert $*: exit code $?; it said: $(cat ../logs/err)"
  grep -q " on $device (" ../logs/err || fail "convert $* on $TEST_GPU: $(cat ../logs/err)"
}

TEST_GPU=discrete
export TEST_GPU
"$RELAYOUT" devices >../logs/out 2>../logs/err
checks=$((checks + 1))
grep -q '^opencl:0:0 ' ../logs/out || fail "no GPU among $(cat ../logs/out ../logs/err)"
opens cpu
check_bytes out adbecf
opens cpu --device auto
opens opencl:0:0 --device opencl
opens opencl:0:0 --device opencl:0:0
check_printed 0 ' on opencl:0:0, ' explain 'u8[64,48]' '{0,1}'

TEST_GPU=shared
opens opencl:0:0
opens opencl:0:0 --device auto
opens cpu --device cpu

finish
