# Prints an option a line, of what `relayout COMMAND --help` says: its name, what it takes or
# nothing, and what it is for, with tabs between them. Options stand in the usage, up to the first
# empty line, and at the beginning of lines of their own.
function note(text, about, word) {
  split(text, word, " ")
  if (takes[word[1]] == "") takes[word[1]] = word[2]
  if (about != "") purpose[word[1]] = about
}
NR == 1 { in_usage = 1 }
in_usage || /^  --/ {
  line = $0
  about = ""
  if (!in_usage) {
    sub(/^  /, "", line)
    match(line, /  +/)
    about = substr(line, RSTART + RLENGTH)
    line = substr(line, 1, RSTART)
  }
  while (match(line, /--[a-z-]+( [A-Z][A-Z,.]*)?/)) {
    note(substr(line, RSTART, RLENGTH), about)
    line = substr(line, RSTART + RLENGTH)
  }
}
/^$/ { in_usage = 0 }
END {
  for (name in takes) print name "\t" takes[name] "\t" purpose[name]
  print "--help\t\tprint all that there is to say of the command"
}
