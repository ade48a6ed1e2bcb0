#!/bin/sh
# check_imports.sh NM LIBRARY
# The shared library prints nothing and ends no process: it imports no function that could.
set -eu
nm=$1 library=$2
ends='_*exit|_Exit|quick_exit|abort|__assert(_perror)?_fail|raise|kill|tgkill|pthread_(kill|exit)'
prints='(__)?v?[fd]?printf(_chk)?|f?put[sc]|putchar|fwrite|perror|psignal|v?(err|warn)x?|v?syslog'
prints="$prints|std(out|err)"

# names: those of standard input that are among them.
names() {
  grep -xE "$ends|$prints"
}

known=$(printf 'abort\nstderr\n__printf_chk\n_exit\nputs\nsnprintf\n' | names | wc -l)
if [ "$known" -ne 5 ]; then
  echo "the patterns miss what they are for"
  exit 1
fi
imported=$("$nm" -D --undefined-only "$library" | sed 's/.* //; s/@.*//' | sort -u)
if ! echo "$imported" | grep -qx malloc; then
  echo "no imports found in $library"
  exit 1
fi
if found=$(echo "$imported" | names); then
  echo "$library imports:"
  echo "$found"
  exit 1
fi
