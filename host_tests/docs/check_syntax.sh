#!/bin/sh
# check_syntax.sh SHELL FOLDER: the shell can read the file in FOLDER that completes words for it.
# 77: there is no such shell.
set -eu
if ! command -v "$1" >/dev/null; then
  echo "no $1 found"
  exit 77
fi
case $1 in
zsh) zsh -n "$2/_relayout" ;;
fish) fish --no-execute "$2/relayout.fish" ;;
esac
