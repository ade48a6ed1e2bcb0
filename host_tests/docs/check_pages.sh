#!/bin/sh
# check_pages.sh SOURCE_DIR: what the site's pages say is code that tests run, and nothing that the
# headers, the library and the command have is left out.
#
#   * A block is ```text, a picture or a list; ```console, which run_console.sh runs; or C that is
#     included from a file that CMake compiles. What is ```sh is run by nobody: the line above says
#     "Not run by the tests:" and why. The package's own tests run ```python.
#   * Pages with console blocks are named in CMakeLists.txt, which has them run.
#   * Every header has a page, every status a section, every variable of the environment an entry.
set -eu
cd "$1"
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

pages=$(find docs -name '*.md' | sort)
# shellcheck disable=SC2086 # paths are words
blocks=$(awk '
  FNR == 1 { inside = 0; above = "" }
  /^```/ {
    if (!inside) {
      word = substr($0, 4)
      if (word == "sh" && above !~ /Not run by the tests: .*[.]/) {
        print FILENAME ":" FNR ": ```sh without \"Not run by the tests: ...\" above it"
      } else if (word !~ /^(sh|text|console|python)$/ &&
                 word !~ /^\{(eval-rst|include|toctree|memory|doxygenfile|manual_page)\}/ &&
                 word !~ /^\{literalinclude\} /) {
        print FILENAME ":" FNR ": a block that no test looks at: " $0
      }
      is_text = word == "text"
    }
    inside = !inside
  }
  inside && is_text && /^\$ / { print FILENAME ":" FNR ": a command in a block of text" }
  /[^ ]/ { above = $0 }' $pages)
[ -z "$blocks" ] || fail "$blocks"

# Whatever is included is compiled: by the tests, or with the samples.
missing=$(for page in $pages; do
  sed -n 's/^```{literalinclude} *//p' "$page" | while read -r file; do
    [ -f "$(dirname "$page")/$file" ] || echo "$page includes $file, which is not there"
    grep -qw "$(basename "$file" .c)" host_tests/docs/CMakeLists.txt samples/CMakeLists.txt ||
      echo "$page includes $file, which nobody compiles"
  done
done)
[ -z "$missing" ] || fail "$missing"
# shellcheck disable=SC2086
for page in $(grep -l '^```console$' $pages || true); do
  grep -q "${page#docs/}" host_tests/docs/CMakeLists.txt || fail "nobody runs $page"
done

for header in include/relayout/*.h; do
  name=$(basename "$header")
  case $name in
  relayout.h | export.h) ;; # one includes the others, one declares how symbols leave the library
  *) grep -rqx "\`\`\`{doxygenfile} $name" docs/reference/api || fail "no page shows $name" ;;
  esac
done
for status in $(sed -n 's/^  X(\(RELAYOUT_[A-Z_]*\),.*/\1/p' include/relayout/status.h); do
  grep -q "^## $status\$" docs/howto/troubleshooting.md || fail "no section on $status"
done
variables='"RELAYOUT_(CACHE|TUNING|VERBOSE|CPU_[A-Z]+)"'
for variable in $(grep -rhoE "$variables" src | sort -u | tr -d '"'); do
  grep -q "^\`$variable\`\$" docs/reference/environment.md || fail "no entry for $variable"
  grep -q "^\.It Ev $variable\$" docs/man/relayout.1 || fail "relayout.1 has no entry for $variable"
done
for page in docs/man/*.1; do
  name=$(basename "$page" .1)
  grep -qx "\`\`\`{manual_page} $name" "docs/reference/command/$name.md" || fail "no page $name"
done

echo "$failures failures"
[ "$failures" -eq 0 ]
