# same_output.awk EXPECTED FOUND: whether the second file has the lines of the first, in which a
# line `...` stands for any lines, none included. Says the first that is missing.

FNR == NR {
  expected[++expected_count] = $0
  next
}
{
  found[++found_count] = $0
}

# Whether the lines from `first` up to the next `...` stand in what was found, from `at` on.
function stand_at(first, at,    i) {
  for (i = first; i <= expected_count && expected[i] != "..."; i++) {
    if (at + i - first > found_count || found[at + i - first] != expected[i]) return 0
  }
  return i <= expected_count || at + i - first == found_count + 1
}

END {
  at = 1
  may_skip = 0
  for (first = 1; first <= expected_count || !may_skip;) {
    while (first <= expected_count && expected[first] == "...") {
      may_skip = 1
      first++
    }
    if (first > expected_count && may_skip) exit 0
    start = at
    while (!stand_at(first, at)) {
      at++
      if (!may_skip || at > found_count + 1) {
        print "no such lines from line " start " on: " expected[first]
        exit 1
      }
    }
    for (; first <= expected_count && expected[first] != "..."; first++) at++
    if (first > expected_count) exit 0
    may_skip = 0
  }
}
