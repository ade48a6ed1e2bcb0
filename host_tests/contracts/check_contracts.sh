#!/bin/sh
# check_contracts.sh SOURCE_DIR CTEST BUILD_DIR [TABLE]
# Holds the comments of include/relayout/ against contracts.txt, which says how to read it:
#   * every sentence of them has an entry, but for titles, and for labels without a full stop that hold
#     no promise: none of the words below and no status;
#   * every sentence of the table still stands in its header;
#   * every test of the table is one of this build, with the functions or the words that it names.
set -eu
source_dir=$1 ctest=$2 build_dir=$3
here=$source_dir/host_tests/contracts
table=${4:-$here/contracts.txt}
promise_words='never|only|nothing|may|must|always'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tab=$(printf '\t')

awk -f "$here/sentences.awk" -f "$here/header_sentences.awk" \
  "$source_dir"/include/relayout/*.h >"$scratch/stands"
awk -f "$here/sentences.awk" -f "$here/table_entries.awk" "$table" >"$scratch/table"
statuses=$(sed -n 's/^ *X(RELAYOUT_\([A-Z_]*\), [0-9]*, ".*/\1/p' "$source_dir/include/relayout/status.h" |
  tr '\n' '|')
if [ ! -s "$scratch/stands" ] || [ -z "$statuses" ]; then
  echo "no sentence, or no status, found in $source_dir/include/relayout"
  exit 1
fi

# ---- Sentences, each as often as it stands ----
awk -F '\t' -v promise="(^|[^a-z_])($promise_words)([^a-z_]|\$)|RELAYOUT_(${statuses%|})([^A-Z_]|\$)" '
  $1 == "sentence" { ++named[$3 FS $4] }
  NF == 2 {
    if (named[$0]-- > 0) next
    if ($2 ~ /^[a-z_]+\.h: / || $2 ~ /^----/) next
    if ($2 ~ /[.:]\)?$/ || tolower(substr($2, 1, 1)) substr($2, 2) ~ promise) print
  }
' "$scratch/table" "$scratch/stands" >"$scratch/missing"

awk -F '\t' '
  NF == 2 { ++standing[$0] }
  $1 == "sentence" && standing[$3 FS $4]-- <= 0 { print "line " $2 ": " $3 " does not say: " $4 }
  $1 == "mistake" { print "line " $2 ": " $3 }
' "$scratch/stands" "$scratch/table" >"$scratch/wrong"

# ---- Tests ----
"$ctest" -N --test-dir "$build_dir" | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p' >"$scratch/tests"

# The files of a test: test_SUBJECT.c or .sh of its layer where there is one, else all of the layer.
files_of() {
  layer=${1%%.*} subject=${1#*.}
  case $layer in
  properties) layer=conformance ;;
  esac
  for file in "$source_dir/host_tests/$layer/test_$subject".c "$source_dir/host_tests/$layer/test_$subject".sh; do
    if [ -f "$file" ]; then
      echo "$file"
      return
    fi
  done
  ls "$source_dir/host_tests/$layer"/*.c "$source_dir/host_tests/$layer"/*.sh 2>/dev/null || true
}

sed -n "s/^test$tab//p" "$scratch/table" | while IFS=$tab read -r line name where; do
  if ! grep -qxF -e "$name" "$scratch/tests"; then
    echo "line $line: this build has no test $name"
    continue
  fi
  files=$(files_of "$name")
  case $where in
  '"'*'"')
    where=${where#?} where=${where%?}
    # shellcheck disable=SC2086 # the files are words
    grep -qF -e "$where" $files || echo "line $line: $name has no '$where'"
    ;;
  *)
    for function in $where; do
      # shellcheck disable=SC2086
      grep -qE "^static void $function\(void \*\*" $files ||
        echo "line $line: $name has no $function"
    done
    ;;
  esac
done >>"$scratch/wrong"

# ---- What was found ----
if [ -s "$scratch/wrong" ]; then
  echo "$table:"
  sort -k2,2n "$scratch/wrong"
fi
if [ -s "$scratch/missing" ]; then
  echo "$table lacks the entries below. Put in the tests that hold each sentence; write those that are not there."
  awk -F '\t' '
    $1 != header { print "\n[" $1 "]"; header = $1 }
    { print "\n" $2 "\n  LAYER.SUBJECT test_function" }
  ' "$scratch/missing" | fold -s -w 100 | sed 's/ *$//'
fi
entries=$(grep -c "^sentence$tab" "$scratch/table" || true)
echo "$entries sentences, $(grep -c "^test$tab" "$scratch/table" || true) tests"
[ ! -s "$scratch/wrong" ] && [ ! -s "$scratch/missing" ] && [ "$entries" -gt 0 ]
