#!/bin/sh
# where_installed.sh MACHINE COMMAND...: runs a command that needs the cross compiler and the
# emulator for this kind of processor. Exits with 77 where one is not installed.
machine=$1
shift
for program in "$machine-linux-gnu-gcc" "qemu-$machine"; do
  if ! command -v "$program" >/dev/null; then
    echo "$program is not installed"
    exit 77
  fi
done
exec "$@"
