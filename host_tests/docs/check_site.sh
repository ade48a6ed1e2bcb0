#!/bin/sh
# check_site.sh SOURCE_DIR FOLDER: scripts/docs builds the site into FOLDER, and everything public
# is in it. RELAYOUT is the command. 77: what builds it is not here.
set -eu
RELAYOUT_DOCS_INSTALL=no "$1/scripts/docs" "$2"
python3 "$(dirname "$0")/check_site.py" "$1" "$2"
