# as_doxygen.awk: prints a public header as Doxygen wants it, which takes no plain comment for
# documentation. The headers stay as they are; this is Doxygen's INPUT_FILTER.
#
#   /* name.h: text */       at the top tells of the file
#   /* ---- Title ---- */    begins a group of functions, up to the next title
#   /* text */               on lines of its own tells of what stands below, and of the functions
#                            that follow that one without an empty line or a comment between them
#   code; /* text */         tells of that code
#
# What a comment indents, by two blanks or more, stays as it is written. Comments in macros and in
# functions are left alone; but enums that a table X(NAME, value, "text", ...) makes are written
# out, with each row's text and comment.

# Outside of `code`: what Doxygen would take for its own, and names of the library's as links.
function escaped(text,    pieces, count, i, result) {
  count = split(text, pieces, "`")
  result = ""
  for (i = 1; i <= count; i++) {
    if (!in_code) {
      gsub(/[\\@<>&#%$]/, "\\\\&", pieces[i])
      gsub(/relayout_[a-z_]*[a-z]|RELAYOUT_[A-Z_0-9]*[A-Z0-9]/, "#&", pieces[i])
      gsub(/#RELAYOUT_(CACHE|TUNING|CPU_|VERBOSE)/, "@&", pieces[i]) # the environment's
      gsub(/@#/, "", pieces[i])
    }
    result = result (i > 1 ? "`" : "") pieces[i]
    if (i < count) in_code = !in_code
  }
  return result
}

# The lines of a comment as one of Doxygen's; `opening` is what that begins with.
function documentation(opening,    i, text, is_verbatim, blanks, indentation) {
  text = opening "\n"
  in_code = is_verbatim = 0
  blanks = ""
  for (i = 1; i <= line_count; i++) {
    if (lines[i] == "") {
      blanks = blanks "\n"
      continue
    }
    if ((lines[i] ~ /^  /) != is_verbatim) {
      text = text (is_verbatim ? "@endverbatim\n" blanks : blanks "@verbatim\n")
      is_verbatim = !is_verbatim
      match(lines[i], /^ */)
      indentation = RLENGTH
    } else {
      text = text blanks
    }
    blanks = ""
    text = text (is_verbatim ? substr(lines[i], indentation + 1) : escaped(lines[i])) "\n"
  }
  return text (is_verbatim ? "@endverbatim\n" : "") "*/"
}

function end_group() {
  if (in_group) print "/** @} */"
  in_group = 0
}

function print_comment() {
  if (!file_is_told) {
    file_is_told = 1
    sub(/^[a-z_]+\.h: /, "", lines[1])
    lines[1] = toupper(substr(lines[1], 1, 1)) substr(lines[1], 2)
    print documentation("/** @file")
  } else if (lines[1] ~ /^---- /) {
    end_group()
    gsub(/^-+ | -+$/, "", lines[1])
    print "/** @name " lines[1] " */\n/** @{ */"
    in_group = 1
  } else {
    last = documentation("/**")
    print last
    tells = 1
  }
}

# Takes one more line of a comment; says whether it is the last.
function take_line(text,    is_last) {
  is_last = sub(/ *\*\/.*$/, "", text)
  sub(/ +$/, "", text)
  if (text != "" || !is_last) lines[++line_count] = text
  return is_last
}

FNR == 1 {
  file_is_told = inside = in_function = in_macro = in_group = tells = repeats = opened = 0
  is_hidden = 0
  enumerators = ""
}

# A row of a table, and the enum that is made of all of them.
in_macro && /^  X\(/ {
  split($0, parts, /[(,"] */)
  name = parts[2]
  comment = $0
  if (!sub(/^.*\/\* */, ": ", comment)) comment = ""
  sub(/ *\*\/.*$/, "", comment)
  if (name !~ /^RELAYOUT_/) name = "RELAYOUT_" name
  split($0, quoted, "\"")
  enumerators = enumerators name " = " parts[3] ", /**< \"" quoted[2] "\"" comment " */\n"
}
/^#(define|undef) .*_ENUMERATOR/ {
  is_hidden = /\\$/
  next
}
is_hidden {
  is_hidden = /\\$/
  next
}
/^  RELAYOUT_[A-Z_]*_TABLE\(/ {
  printf "%s", enumerators
  next
}

# Macros, functions' bodies: no comment there tells of anything.
in_macro || (!inside && /^ *#/) {
  if (/^#endif/ || /^#ifdef __cplusplus/) tells = repeats = 0
  if (/^#ifdef __cplusplus/ && opened++ > 0) end_group()
  in_macro = /\\$/
  print
  next
}
in_function {
  in_function = !/^}/
  print
  next
}

inside == 1 {
  text = $0
  if (text !~ /^ *\*\/$/) sub(/^ *\* ?/, "", text)
  if (take_line(text)) {
    print_comment()
    inside = 0
  }
  next
}
inside == 2 {
  text = $0
  sub(/^ */, "", text)
  if (take_line(text)) {
    print documentation("/**<")
    inside = 0
  }
  next
}

/^ *\/\*/ {
  line_count = repeats = 0
  text = $0
  sub(/^ *\/\* ?/, "", text)
  if (take_line(text)) print_comment()
  else inside = 1
  next
}

/^$/ {
  tells = repeats = 0
  print
  next
}

# Code, perhaps with a comment behind it.
{
  if (repeats && /^RELAYOUT_API/) print last
  repeats = 0
  code = $0
  at = index(code, "/*")
  if (at > 0) {
    print substr(code, 1, at - 1)
    line_count = 0
    if (take_line(substr(code, at + 3))) print documentation("/**<")
    else inside = 2
    next
  }
  print
  if (/\{$/) tells = 0
  if (/;$/) repeats = tells
  in_function = /\) \{$/
}
