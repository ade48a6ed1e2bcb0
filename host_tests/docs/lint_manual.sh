#!/bin/sh
# lint_manual.sh SOURCE_DIR: mandoc finds nothing to warn of in the manual, or else groff, by way of
# man. 77: neither is here.
set -eu
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning "$1"/docs/man/*.1
elif command -v man >/dev/null && command -v groff >/dev/null; then
  for page in "$1"/docs/man/*.1; do
    said=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    if [ -n "$said" ]; then
      printf '%s: %s\n' "$page" "$said"
      exit 1
    fi
  done
else
  echo "no mandoc and no groff found; Debian has packages of these names"
  exit 77
fi
