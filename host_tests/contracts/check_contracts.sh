#!/bin/sh
# check_contracts.sh SOURCE_DIR CTEST BUILD_DIR [TABLE]
# Holds the comments of include/relayout/ against contracts.txt, which says how to read it:
#   * every sentence of them has an entry; but for titles, and for labels without a full stop that
#     promise nothing: they have none of the words below and no status;
#   * every sentence of the table still stands in its header;
#   * every test of the table is one of this build, with the functions or the words that it names.
set -eu
source_dir=$1 ctest=$2 build_dir=$3
here=$source_dir/host_tests/contracts
table=${4:-$here/contracts.txt}
headers=$source_dir/include/relayout
promise_words='never|only|nothing|may|must|always'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tab=$(printf '\t')

awk -f "$here/sentences.awk" -f "$here/header_sentences.awk" "$headers"/*.h >"$scratch/stands"
awk -f "$here/sentences.awk" -f "$here/table_entries.awk" "$table" >"$scratch/table"
statuses=$(sed -n 's/^ *X(\(RELAYOUT_[A-Z_]*\), [0-9]*, ".*/\1/p' "$headers/status.h" | tr '\n' '|')
if [ ! -s "$scratch/stands" ] || [ -z "$statuses" ]; then
  echo "no sentence, or no status, found in $headers"
  exit 1
fi

# ---- Sentences, each as often as it stands ----
awk -F '\t' -v words="(^|[^a-z_])($promise_words)([^a-z_]|\$)" \
  -v statuses="(${statuses%|})([^A-Z_]|\$)" '
  function promises(text) { return tolower(text) ~ words || text ~ statuses }
  $1 == "sentence" { ++named[$3 FS $4] }
  NF == 2 {
    if (named[$0]-- > 0) next
    if ($2 ~ /^[a-z_]+\.h: / || $2 ~ /^----/) next
    if ($2 ~ /[.:]\)?$/ || promises($2)) print
  }
' "$scratch/table" "$scratch/stands" >"$scratch/missing"

awk -F '\t' '
  NF == 2 { ++standing[$0] }
  $1 == "sentence" && standing[$3 FS $4]-- <= 0 { print "line " $2 ": " $3 " does not say: " $4 }
  $1 == "mistake" { print "line " $2 ": " $3 }
' "$scratch/stands" "$scratch/table" >"$scratch/wrong"

# ---- Tests ----
"$ctest" -N --test-dir "$build_dir" 2>/dev/null |
  sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p' >"$scratch/tests"

# A test's source is test_SUBJECT.c or .sh in the folder of its layer, or any file there.
grep -rE '^static void [a-z0-9_]+\(void \*\*' "$source_dir/host_tests" --include='*.c' |
  sed "s|^$source_dir/host_tests/||; s|:static void |$tab|; s|(void.*||" >"$scratch/functions"
find "$source_dir/host_tests/" -name 'test_*' | sed "s|^$source_dir/host_tests/||" >"$scratch/files"

awk -F '\t' '
  function source_of(test,    layer, file) {
    layer = test
    sub(/\..*/, "", layer)
    file = test
    sub(/^[^.]*\./, "test_", file)
    if (layer == "properties") layer = "conformance"
    file = layer "/" file
    return file ".c" in files ? file ".c" : file ".sh" in files ? file ".sh" : layer
  }
  FILENAME ~ /files$/ { files[$0]; next }
  FILENAME ~ /tests$/ { tests[$0]; next }
  FILENAME ~ /functions$/ {
    functions[$1, $2]
    sub(/\/.*/, "", $1)
    functions[$1, $2]
    next
  }
  $1 != "test" { next }
  !($3 in tests) { print "line " $2 ": this build has no test " $3; next }
  $4 ~ /^".*"$/ {
    print "words\t" $2 "\t" $3 "\t" source_of($3) "\t" substr($4, 2, length($4) - 2)
    next
  }
  {
    count = split($4, names, " ")
    for (n = 1; n <= count; ++n) {
      if (!((source_of($3), names[n]) in functions)) print "line " $2 ": " $3 " has no " names[n]
    }
  }
' "$scratch/files" "$scratch/tests" "$scratch/functions" "$scratch/table" >"$scratch/verdicts"

sed -n "s/^words$tab//p" "$scratch/verdicts" | while IFS=$tab read -r line name source words; do
  grep -rqF -e "$words" "$source_dir/host_tests/$source" || echo "line $line: $name has no '$words'"
done >>"$scratch/wrong"
grep '^line' "$scratch/verdicts" >>"$scratch/wrong" || true

# ---- What was found ----
if [ -s "$scratch/wrong" ]; then
  echo "$table:"
  sort -k 2n "$scratch/wrong"
fi
if [ -s "$scratch/missing" ]; then
  echo "$table lacks these entries. Name the tests that hold them, or write them first:"
  awk -F '\t' '
    $1 != header { print "\n[" $1 "]"; header = $1 }
    { print "\n" $2 "\n  LAYER.SUBJECT test_function" }
  ' "$scratch/missing" | fold -s -w 100 | sed 's/ *$//'
fi
entries=$(grep -c "^sentence$tab" "$scratch/table" || true)
echo "$entries sentences, $(grep -c "^test$tab" "$scratch/table" || true) times a test"
[ ! -s "$scratch/wrong" ] && [ ! -s "$scratch/missing" ] && [ "$entries" -gt 0 ]
