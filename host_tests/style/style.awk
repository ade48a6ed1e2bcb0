# style.awk: what is wrong with the style of the files, a line each; see check_style.sh.
# A definition begins at the first column, is open from a { at the end of a line, and ends with
# a } at the first column, as clang-format leaves it.
BEGIN {
  narrow_local = "__local (const )?(u?char|u?short|word|source_word) \\*"
}

FNR == 1 {
  is_c = FILENAME ~ /\.(c|h|cl|cpp)$/
  start = is_open = 0
  if (is_c && $0 !~ /^\/[*\/]/) {
    print FILENAME ": does not begin with a comment"
  }
}

{
  columns = $0
  gsub(/[\200-\277]/, "", columns)
  if (length(columns) > longest_line) {
    print FILENAME ":" FNR ": has " length(columns) " columns"
  }
}

!is_c || FILENAME ~ /(^|\/)host_tests\// {
  next
}

/^[A-Za-z_]/ && !is_open {
  start = FNR
  head = ""
}

start && !is_open {
  head = head $0
  is_open = /\{$/
  if (is_open && head ~ /^(__kernel |ENTRY\()/ && head ~ narrow_local) {
    print FILENAME ":" start ": a kernel has local memory that may begin at any byte"
  }
  if (/[;}]$/) {
    start = 0
  }
}

/^\}/ && is_open {
  if (head ~ /\(.*\) *\{$/ && head !~ /=/ && FNR - start + 1 > longest_function) {
    match(head, /[A-Za-z_0-9]+\(/)
    name = substr(head, RSTART, RLENGTH - 1)
    print FILENAME ":" start ": " name " has " FNR - start + 1 " lines"
  }
  start = is_open = 0
}
