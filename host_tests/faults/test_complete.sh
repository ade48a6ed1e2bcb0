#!/bin/sh
# test_complete.sh LISTS FILES...: every function that these archives and objects take from
# elsewhere is wrapped or known to be unable to fail. LISTS is the directory of both lists. What
# begins with an underscore is the compiler's.
lists=$1
shift
command -v nm >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
nm -u "$@" 2>/dev/null | awk '($1 == "U" || $1 == "w") && $2 !~ /^_/ {print $2}' |
  sort -u >"$work/wanted"
nm --defined-only "$@" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u >"$work/own"
grep -hv '^#' "$lists"/wrapped_*.txt "$lists/cannot_fail.txt" |
  tr ' ' '\n' | sort -u >"$work/known"
[ -s "$work/wanted" ] || { echo "no function found in $*"; exit 1; }
unknown=$(comm -23 "$work/wanted" "$work/own" | comm -23 - "$work/known" |
  grep -v '^oracle_\|^command_')
[ -z "$unknown" ] && exit 0
printf 'in neither wrapped_*.txt nor cannot_fail.txt of %s:\n%s\n' "$lists" "$unknown"
exit 1
