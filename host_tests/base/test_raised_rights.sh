#!/bin/sh
# test_raised_rights.sh PROGRAM: a program with file capabilities, and a set-user-ID program after
# setuid(0), obey no variable of their caller: they write no file where it says and read none that
# it may not read. Needs root, setcap and setpriv, and a temporary directory where set-user-ID
# counts.
program=$1
[ "$(id -u)" = 0 ] || exit 77
command -v setcap >/dev/null && command -v setpriv >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/writable" "$work/target"
chmod 777 "$work/writable"
for copy in plain capable suid; do
  cp "$program" "$work/$copy" || exit 1
done
chmod 755 "$work/plain" "$work/capable"
chmod 4755 "$work/suid"
setcap cap_dac_read_search+ep "$work/capable" 2>/dev/null || exit 77
printf 'secret words\n' >"$work/secret"
chmod 600 "$work/secret"
failed=0

as_nobody() {
  setpriv --reuid=65534 --regid=65534 --clear-groups \
    env -u RELAYOUT_CACHE HOME="$work/writable" "$@" 2>&1
}

# A line of the output, whether it is there.
expect() {
  printf '%s\n' "$output" | grep -q "$1" && return
  printf 'expected "%s" in:\n%s\n' "$1" "$output"
  failed=1
}

# With no more rights than its caller it obeys.
output=$(as_nobody RELAYOUT_TUNING="$work/secret" "$work/plain")
expect 'AT_SECURE 0'
expect 'open: .*RELAYOUT_TUNING'

for variable in RELAYOUT_TUNING="$work/secret" RELAYOUT_CPU_FACTS=wrong \
  RELAYOUT_CPU_INSTRUCTIONS=wrong XDG_CACHE_HOME="$work/writable"; do
  for run in "$work/capable" "$work/suid set"; do
    # shellcheck disable=SC2086 # the argument is a word of its own
    output=$(as_nobody "$variable" $run)
    printf '%s\n' "$output" | grep -q 'AT_SECURE 1' || exit 77
    expect 'open: ok'
    expect 'keep: .*no file'
    ! printf '%s\n' "$output" | grep 'secret' || failed=1
  done
done
rm -rf "$work/writable/relayout"
as_nobody ln -s "$work/target" "$work/writable/relayout"
as_nobody XDG_CACHE_HOME="$work/writable" "$work/suid" set >/dev/null
found=$(find "$work/writable" "$work/target" -type f)
[ -z "$found" ] || { printf 'written: %s\n' "$found"; failed=1; }
exit $failed
