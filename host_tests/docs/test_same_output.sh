#!/bin/sh
# test_same_output.sh: whether same_output.awk and blocks.awk see what they are there for.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0

# expect ANSWER EXPECTED FOUND: both are printf's formats.
expect() {
  # shellcheck disable=SC2059
  printf "$2" >expected
  # shellcheck disable=SC2059
  printf "$3" >found
  answer=same
  awk -f "$here/same_output.awk" expected found >said || answer=differs
  if [ "$answer" != "$1" ]; then
    printf "FAILED: '%s' %s '%s'\n" "$2" "$answer" "$3"
    failures=$((failures + 1))
  fi
}
expect same '' ''
expect same 'a\nb\n' 'a\nb\n'
expect differs 'a\nb\n' 'a\nc\n'
expect differs 'a\n' 'a\nb\n'
expect differs 'a\nb\n' 'a\n'
expect differs '' 'a\n'
expect differs 'a\n' ''
expect same '...\n' ''
expect same '...\n' 'a\nb\n'
expect same 'a\n...\n' 'a\nb\n'
expect same 'a\n...\n' 'a\n'
expect differs 'a\n...\n' 'b\na\n'
expect same '...\nb\n' 'a\nb\n'
expect same '...\nb\n' 'b\na\nb\n'
expect differs '...\nb\n' 'b\na\n'
expect same 'a\n...\nc\nd\n...\n' 'a\nb\nc\nc\nd\n'
expect differs 'a\n...\nc\nd\n...\n' 'a\nb\nc\ne\nd\n'
expect differs 'a\n...\nb\n...\na\n' 'a\nb\n'

cat >page.md <<'END'
Text.
```console
$ first word
its output
$ second \
  word
```
$ not one
```text
$ nor this
```
END
mkdir blocks
awk -v into=blocks -f "$here/blocks.awk" page.md
found=$(tail -n +1 blocks/*)
wanted=$(cat <<'END'
==> blocks/1.command <==
first word

==> blocks/1.expected <==
its output

==> blocks/1.place <==
page.md:3

==> blocks/2.command <==
second \
  word

==> blocks/2.expected <==

==> blocks/2.place <==
page.md:5
END
)
if [ "$found" != "$wanted" ]; then
  printf 'FAILED: found these blocks\n%s\n' "$found"
  failures=$((failures + 1))
fi
echo "$failures failures"
[ "$failures" -eq 0 ]
