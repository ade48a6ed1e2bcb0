#!/bin/sh
# under_valgrind.sh PROGRAM ARGUMENTS...: runs a program under valgrind's memcheck and fails where
# it finds anything. Exits with 77 where valgrind is not installed.
if ! command -v valgrind > /dev/null; then
  echo "valgrind is not installed"
  exit 77
fi
exec valgrind --quiet --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite "$@"
