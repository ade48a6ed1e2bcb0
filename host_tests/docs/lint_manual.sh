#!/bin/sh
# lint_manual.sh SOURCE_DIR: mandoc finds nothing to warn of in the manual. 77: there is no mandoc.
set -eu
if ! command -v mandoc >/dev/null; then
  echo "no mandoc found; it is Debian's package mandoc"
  exit 77
fi
mandoc -T lint -W warning "$1"/docs/man/*.1
