#!/bin/sh
# check_manual.sh SOURCE_DIR: the manual and the command's help name the same commands, options and
# values; what --json prints is named too. RELAYOUT is the command.
set -eu
source=$1
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# same WHAT: the lists in `help` and `manual` are the same.
same() {
  sort -u "$scratch/help" -o "$scratch/help"
  sort -u "$scratch/manual" -o "$scratch/manual"
  if ! diff "$scratch/help" "$scratch/manual" >"$scratch/difference"; then
    echo "FAILED: $1: < is said by --help alone, > by the manual alone"
    cat "$scratch/difference"
    failures=$((failures + 1))
  fi
}

# options_of PATTERN: the options on such lines of mdoc, with what they take: "--at I,J,...".
options_of() {
  grep -E "$1" | sed 's/ [|,]/\n/g; s/Fl -/\n--/g' |
    sed -n 's/ Ar / /; s/^\(--[a-z].*[a-zA-Z.]\) *$/\1/p'
}

commands=$("$RELAYOUT" --help | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p')
echo "$commands" >"$scratch/help"
sed -n 's/^\.It Ic //p' "$source/docs/man/relayout.1" >"$scratch/manual"
same 'commands'
[ -n "$commands" ] || failures=$((failures + 1))

for command in $commands; do
  page=$source/docs/man/relayout-$command.1
  "$RELAYOUT" "$command" --help | awk -f "$source/tools/completion/options.awk" |
    awk -F '\t' '$1 != "--help" { print $1 ($2 == "" ? "" : " " $2) }' >"$scratch/help"
  options_of '^\.It Fl' <"$page" >"$scratch/manual"
  same "options of $command"
  sed '/^\.Sh DESCRIPTION/,$d' "$page" | options_of '^\.(Op )?Fl' >"$scratch/manual"
  same "synopsis of $command"
done

# keys COMMAND WORD...: every key of the JSON that this prints stands in the command's page.
keys() {
  command=$1
  shift
  "$RELAYOUT" "$command" "$@" | grep -o '"[a-z_]*":' | tr -d '":' | sort -u >"$scratch/keys"
  [ -s "$scratch/keys" ] || echo nothing >"$scratch/keys"
  while read -r key; do
    if ! grep -qE "^\.Li $key( [,.:]|$)" "$source/docs/man/relayout-$command.1"; then
      echo "FAILED: relayout-$command.1 does not name the key $key of --json"
      failures=$((failures + 1))
    fi
  done <"$scratch/keys"
}
keys shape --json 'f32[2,3]{0,1:PD(3,5)}'
keys index --json 'f32[2,3]' --at 1,2
printf abc | "$RELAYOUT" convert --tensor w --from 'u8[3]' --to '{0}' - "$scratch/m.safetensors"
keys shape --json "$scratch/m.safetensors"
keys devices --json
keys explain --json --schedules --device cpu 'f32[8,300]' '{1,0:T(8,128)}'
keys bench --json - --hot --unverified --device cpu --from 'f32[2,3]' --to '{0,1}'

echo "$failures failures"
[ "$failures" -eq 0 ]
