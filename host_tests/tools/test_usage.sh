#!/bin/sh
# test_usage.sh: words that the command cannot understand, help, and output that goes nowhere.
. "$(dirname "$0")/check.sh"

check_printed 0 'usage: relayout COMMAND' --help
check_printed 0 'usage: relayout COMMAND' -h
check_printed 0 'relayout 0.' --version
for command in devices shape index explain convert bench selftest tune; do
  check_printed 0 "  $command " --help
  check_printed 0 "usage: relayout $command" "$command" --help
  check_printed 0 'example: relayout ' "$command" -h
  check 2 '' "relayout: $command: unknown option '--frobnicate'; try 'relayout $command --help'" \
    "$command" --frobnicate
  check 2 '' "relayout: $command: unknown option '-x'" "$command" -x
done

check 2 '' 'usage: relayout COMMAND'
check_printed 0 'usage: relayout COMMAND' help
check_printed 0 'usage: relayout COMMAND' help help
check_printed 0 'usage: relayout COMMAND' help --help
check_printed 0 'usage: relayout shape SHAPE' help shape
check 2 '' "one argument too many: 'index'" help shape index
check 2 '' "unknown command 'shap'; did you mean 'shape'?" help shap

# What is nearly a word is answered with that word, and what is near none is not.
check 2 '' "relayout: unknown command 'shpe'; did you mean 'shape'?" shpe
check 2 '' "unknown command 'covnert'; did you mean 'convert'?" covnert
check 2 '' "unknown command 'Bench'; did you mean 'bench'?" Bench
check 2 '' "unknown command 'tunes'; did you mean 'tune'?" tunes
check 2 '' "unknown command 'version'; did you mean '--version'?" version
check 2 '' "unknown option '--versoin'; did you mean '--version'?" --versoin
check 2 '' "relayout: shape: unknown option '--jsno'; did you mean '--json'?" shape --jsno
check 2 '' "unknown option '-json'; did you mean '--json'?" shape -json
check 2 '' "unknown option '--devise=cpu'; did you mean '--device'?" explain --devise=cpu
check 2 '' "unknown option '-v': no option but -h is one letter; try 'relayout convert --help'" \
  convert -v --to bf16 in.npy out.npy
check 2 '' "unknown option '--hepl'; did you mean '--help'?" shape --hepl
check 2 '' "unknown command 'x'; try 'relayout --help'" x
check 4 '' "'float32' is not an element type; did you mean 'f32'?" shape 'float32[2]'
check 2 '' "relayout: unknown command 'frobnicate'; try 'relayout --help'" frobnicate
check 2 '' "relayout: unknown option '--frobnicate'; try 'relayout --help'" --frobnicate
check 2 '' "unknown command ''" ''
check 2 '' "SHAPE is missing; try 'relayout shape --help'" shape
check 2 '' "one argument too many: 'f32[3]'" shape 'f32[2]' 'f32[3]'
check 2 '' "--json takes no value, but is given as '--json=yes'" shape --json=yes 'f32[2]'
check 2 '' "one argument too many: '--json'" shape 'f32[2]' -- --json
check 2 '' "one argument too many: 'cpu'" devices cpu
check 2 '' 'TO is missing' explain 'f32[2]'
check 2 '' "--device needs a value, but nothing follows it; try 'relayout explain" \
  explain 'f32[2]' 'f32[2]' --device
check 2 '' "--device needs a value, but '--json' follows it" \
  explain --device --json 'f32[2]' 'f32[2]'
check 2 '' "--device is given twice; give it once" \
  explain --device cpu --device=cpu 'f32[2]' 'f32[2]'
check 2 '' '--scale takes a finite number other than 0' explain 'f32[2]' s8 --scale inf
check_printed 0 'converted from f32 to s8, times 0.5, to nearest, wrapping' \
  explain 'f32[64]' s8 --scale 0.5 --round nearest --wrap --device cpu
check 4 '' "'model.safetensor' is neither a shape, as f32[2,3] is, nor the name of a .safetensors" \
  shape model.safetensor
check 4 '' "'./m.bin' is neither a shape" shape ./m.bin
check 2 '' 'IN is missing' convert --to 'f32[2]'
check 2 '' 'OUT is missing' convert --to 'f32[2]' in
check 2 '' '--to is missing' convert --from 'f32[2]' in out
check 2 '' 'give one of --at and --linear' index 'f32[2]'
check 2 '' 'give one of --at and --linear' index 'f32[2]' --at 1 --linear 1
check 2 '' '--seed takes a number' selftest --seed later
check 2 '' '--cases takes a number' selftest --cases all
check 2 '' '--seconds takes a number' selftest --forever --seconds -1
check 2 '' '--case takes a number' selftest --case first
check 2 '' '--case runs one case, so only --device goes with it' selftest --case 17 --cases 100
check 2 '' '--case runs one case, so only --device goes with it' selftest --seed 1 --case 17
check 0 'cpu: ok, case 0x0000000000000011' '' selftest --case 17
check_printed 0 'cpu: ok, 100 cases, 0 refused, seed 3, ' selftest --cases 100 --seed 3
check_printed 0 'cpu: ok, 0 cases, 0 refused, seed 3, ' selftest --forever --seconds 0 --seed 3

# An interrupt ends it with the sum. Until it listens it hears none, as shells start such a process.
checks=$((checks + 1))
"$RELAYOUT" selftest --forever --seed 3 >../logs/out 2>../logs/err &
while sleep 1 && kill -INT $! 2>/dev/null; do :; done
wait $! || fail "selftest --forever, interrupted: exit code $?"
grep -q '^cpu: ok, [1-9][0-9]* cases, 0 refused, seed 3, ' ../logs/out ||
  fail "selftest --forever, interrupted: printed '$(cat ../logs/out)'"

# What cannot be written is a failure, however little it is.
if [ -w /dev/full ]; then
  for words in --help --version 'shape f32[2]' 'shape f32[2] --json' 'index f32[2] --at 1' \
    'devices' 'devices --json' 'explain f32[2] f32[2] --device cpu' 'shape --help'; do
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$RELAYOUT" $words >/dev/full 2>../logs/err
    [ $? -eq 1 ] || fail "relayout $words >/dev/full: no exit code 1"
    grep -q 'cannot write to standard output: No space' ../logs/err ||
      fail "relayout $words >/dev/full: said '$(cat ../logs/err)'"
  done
fi

checks=$((checks + 1))
"$RELAYOUT" --help >&- 2>../logs/err
[ $? -eq 1 ] || fail 'relayout --help >&-: no exit code 1'

finish
