#!/bin/sh
# with_comma_locale.sh FOLDER PROGRAM: runs a program where de_DE.UTF-8, which writes 1.5 as 1,5,
# can be found: in the folder, where it is made if the machine can.
set -u
mkdir -p "$1"
[ -d "$1/de_DE.UTF-8" ] || localedef -i de_DE -f UTF-8 "$1/de_DE.UTF-8" >/dev/null 2>&1
if [ ! -d "$1/de_DE.UTF-8" ] && ! locale -a 2>/dev/null | grep -q '^\(de_DE\|fr_FR\)'; then
  echo 'localedef cannot make de_DE.UTF-8: what depends on it is skipped'
fi
LOCPATH=$1 exec "$2"
