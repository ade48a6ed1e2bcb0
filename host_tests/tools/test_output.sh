#!/bin/sh
# test_output.sh: what becomes of the output of `relayout convert`: a file is there whole or as it
# was, with its links and its permissions, and nothing is left beside it, whatever happens. With an
# argument, all of it on a file system that has no files without names.
. "$(dirname "$0")/check.sh"
if [ "$1" = named ]; then
  export NO_UNNAMED_FILES=yes
fi
OCL_ICD_VENDORS=$work/logs/none
export OCL_ICD_VENDORS
# shellcheck disable=SC3045
ulimit -c 0
words='--from u8[2,3] --to {0,1}'
printf abcdef >../logs/in

# to CODE MESSAGE OUT: abcdef becomes adbecf in this file.
to() {
  # shellcheck disable=SC2086
  check "$1" '' "$2" convert $words ../logs/in "$3"
}

# want WHAT FOUND WANTED
want() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] || fail "$1: '$2' and not '$3'"
}

# want_alone FILE...: the directory holds these and nothing else.
want_alone() {
  # shellcheck disable=SC2012
  want 'the files afterwards' "$(ls -A | tr '\n' ' ')" "$*${1:+ }"
}

# ---- Permissions --------------------------------------------------------------------------------

for mode in 600 640 604 660 755 777; do
  printf old >out
  chmod "$mode" out
  to 0 '' out
  check_bytes out adbecf
  want 'the mode of a file that is replaced' "$(stat -c %a out)" "$mode"
  want_alone out
  rm out
done
for mask in 022 077 137; do
  (umask "$mask" && to 0 '' out && [ "$failures" -eq 0 ]) || failures=$((failures + 1))
  want "a new file's mode under umask $mask" "$(stat -c %a out)" \
    "$(printf %o $((0666 & ~0$mask)))"
  rm out
done
if [ "$(id -u)" -eq 0 ]; then
  printf old >out
  chown 12:34 out
  chmod 620 out
  to 0 '' out
  want 'owner, group and mode' "$(stat -c %u:%g:%a out)" 12:34:620
  want_alone out
  rm out
else
  printf old >out
  chmod 400 out
  to 1 'cannot write out: Permission denied' out
  check_bytes out old
  want_alone out
  mkdir shut
  mv out shut
  chmod 600 shut/out
  chmod 500 shut
  to 1 'cannot write shut/out: Permission denied' shut/out
  to 1 'cannot write shut/new: Permission denied' shut/new
  chmod 300 shut # files can be made in it, though it cannot be listed
  to 0 '' shut/out
  chmod 700 shut
  check_bytes shut/out adbecf
  rm -r shut
fi

# ---- Links --------------------------------------------------------------------------------------

# A link is followed, whether there is something behind it or not.
mkdir here there
for old in no yes; do
  ln -s ../there/second here/first
  ln -s third there/second
  if [ "$old" = yes ]; then
    printf old >there/third
    chmod 640 there/third
  fi
  to 0 '' here/first
  want 'the first link' "$(readlink here/first)" ../there/second
  want 'the second link' "$(readlink there/second)" third
  check_bytes there/third adbecf
  # shellcheck disable=SC2012
  want 'the files behind links' "$(ls -A here there | tr '\n' ' ')" \
    'here: first  there: second third '
  [ "$old" = no ] || want 'the mode of a file behind links' "$(stat -c %a there/third)" 640
  rm here/* there/*
done
ln -s "$(pwd)/there/file" link
to 0 '' link
check_bytes there/file adbecf
rm -r here there link

# A link that leads nowhere is an error, and stays.
ln -s none/file link
to 1 'cannot write link: No such file or directory' link
ln -s b a
ln -s a b
to 1 'cannot write a: Too many levels of symbolic links' a
want_alone a b link
rm a b link
to 1 'cannot write none/: No such file or directory' none/
to 1 'cannot write : No such file or directory' ''
want_alone

# ---- What is no regular file, or open already ---------------------------------------------------

mkfifo pipe
cat pipe >../logs/got &
to 0 '' pipe
wait $!
check_bytes ../logs/got adbecf
checks=$((checks + 1))
[ -p pipe ] || fail 'a named pipe was replaced'
rm pipe
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 -; do
  # shellcheck disable=SC2086
  { printf 1; "$RELAYOUT" convert $words ../logs/in "$name"; printf 2; } >out
  check_bytes out 1adbecf2
done
want_alone out
rm out
# shellcheck disable=SC2086
check 1 '' 'cannot write /dev/fd/77: Bad file descriptor' convert $words ../logs/in /dev/fd/77
if perl -MFcntl -e 1 2>/dev/null; then # pipes that do not wait, at either end
  checks=$((checks + 1))
  head -c 1000000 /dev/zero >../logs/zeros
  { sleep 0.1; cat ../logs/zeros; } |
    perl -MFcntl -e 'fcntl(STDIN, F_SETFL, O_NONBLOCK);
                     fcntl(STDOUT, F_SETFL, O_NONBLOCK | O_WRONLY);
                     exec @ARGV' "$RELAYOUT" convert --from 'u8[1000000]' --to '{0}' - - |
    { sleep 0.1; cat; } | cmp - ../logs/zeros || fail 'pipes that do not wait'
fi
want_alone

# ---- Limits -------------------------------------------------------------------------------------

# limited OUT: 4096 bytes do not go into files of 512.
head -c 4096 /dev/zero >../logs/zeros
limited() {
  checks=$((checks + 1))
  (ulimit -f 1 && exec "$RELAYOUT" convert --from 'u8[4096]' --to '{0}' ../logs/zeros "$1") \
    2>../logs/err >../logs/out
  code=$?
  [ "$code" -eq 1 ] || fail "convert to $1 under ulimit -f: exit code $code"
  grep -q 'cannot write .*: File too large' ../logs/err ||
    fail "convert to $1 under ulimit -f: said '$(cat ../logs/err)'"
}
limited out
want_alone
printf old >out
limited out
check_bytes out old
want_alone out
limited -
rm out

# ---- Signals ------------------------------------------------------------------------------------

# The shell has its children in the background ignore two signals.
default='env --default-signal=INT,QUIT'
$default true 2>/dev/null || default=''

# A file that is replaced has a name of its own for a moment: one that goes with the process.
printf old >out
numbers='1 6 10 14 15'
[ -z "$default" ] || numbers="$numbers 2 3"
for number in $numbers; do
  checks=$((checks + 1))
  # shellcheck disable=SC2086
  SIGNAL_AT_RENAME=$number $default "$RELAYOUT" convert $words ../logs/in out &
  wait $! 2>/dev/null
  code=$?
  [ "$code" -eq $((128 + number)) ] || fail "signal $number at rename(): exit code $code"
  check_bytes out old
  want_alone out
done
rm out

# A model in several files: a signal leaves all of them as they were, and none beside them.
"$RELAYOUT" convert --tensor a --from 'u8[2,3]' --to '{1,0}' ../logs/in ../logs/m-1.safetensors
"$RELAYOUT" convert --tensor b --from 'u8[3,2]' --to '{1,0}' ../logs/in ../logs/m-2.safetensors
printf '{"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}}' \
  >../logs/m.safetensors.index.json
# set_to CODE LAYOUT [VARIABLE]
set_to() {
  env ${3:+"$3"} "$RELAYOUT" convert --tensor '*' --to "$2" ../logs/m.safetensors.index.json \
    m.safetensors.index.json 2>../logs/err
  want "a model in several files: $3" "$?" "$1"
}
set_to 0 '{0,1}'
cat ./* >../logs/before
set_to 143 '{1,0:T(2,2)}' SIGNAL_AT_RENAME=15
want_alone m-1.safetensors m-2.safetensors m.safetensors.index.json
cat ./* | cmp -s - ../logs/before || fail 'a signal changed a model in several files'
rm ./*
if [ -n "$NO_UNNAMED_FILES" ]; then
  set_to 143 '{0,1}' SIGNAL_AT_RENAME=15
  want_alone
fi

[ -d "/proc/$$/fd" ] || finish # the rest must know what a command has open

# begin: starts a conversion and waits until it has its output open, under a name or none. It goes
# on waiting for the second half of its input, in a named pipe that is held open.
begin() {
  mkfifo ../logs/pipe
  $default "$RELAYOUT" convert --from 'u8[4,6]' --to '{0,1}' ../logs/pipe out &
  pid=$!
  exec 3>../logs/pipe
  printf abcdefghijkl >&3
  tries=0
  # shellcheck disable=SC2010
  while ! ls -l "/proc/$pid/fd" 2>/dev/null | grep -qF " $(pwd -P)/" && [ "$tries" -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  checks=$((checks + 1))
  [ "$tries" -lt 600 ] || fail 'there was no output to leave unfinished'
}

# end SIGNAL
end() {
  kill -"$1" "$pid"
  wait "$pid" 2>/dev/null
  code=$?
  exec 3>&-
  rm ../logs/pipe
  checks=$((checks + 1))
  [ "$code" -gt 128 ] || fail "stopped by SIG$1: exit code $code"
}

signals='HUP TERM ABRT ALRM USR1 USR2 VTALRM PROF XCPU SYS'
[ -z "$default" ] || signals="$signals INT QUIT"
for signal in $signals KILL; do
  begin
  if [ "$signal" = KILL ] && [ -n "$(ls -A)" ]; then
    end KILL
    rm .relayout-* # nobody is told of that signal
    continue
  fi
  end "$signal"
  want_alone
  printf old >out
  chmod 640 out
  begin
  end "$signal"
  check_bytes out old
  want 'the mode of the file that was there' "$(stat -c %a out)" 640
  want_alone out
  rm out
done

# What ignores a signal goes on ignoring it.
trap '' HUP
begin
kill -HUP "$pid"
printf mnopqrstuvwx >&3
exec 3>&-
checks=$((checks + 1))
wait "$pid" || fail 'the conversion was stopped by a signal that it should ignore'
trap - HUP
check_bytes out agmsbhntcioudjpvekqwflrx
rm out ../logs/pipe

finish
