#!/bin/sh
# with_empty_log.sh LOG COMMAND...: runs the command, which must succeed and leave nothing in the
# log. For Oclgrind, which writes what it finds there and lets the program end well.
log=$1
shift
rm -f "$log"
"$@" || exit
if [ -s "$log" ]; then
  cat "$log" >&2
  exit 1
fi
