#!/bin/sh
# where_installed.sh COMPILER EMULATOR COMMAND...: runs a command that needs this cross compiler and
# this emulator. Exits with 77 where one is not installed.
for program in "$1" "$2"; do
  if ! command -v "$program" >/dev/null; then
    echo "$program is not installed"
    exit 77
  fi
done
shift 2
exec "$@"
