# header_sentences.awk, behind sentences.awk: prints the sentences of the comments of C headers,
# each as HEADER<tab>SENTENCE. A comment's sentences end with it and at its empty lines.

FNR == 1 {
  header = FILENAME
  sub(/.*\//, "", header)
}

{
  line = $0
  while (line != "") {
    if (!inside) {
      start = index(line, "/*")
      if (start == 0) break
      line = substr(line, start + 2)
      inside = 1
      paragraph = ""
    } else {
      sub(/^ *\*( |$)/, " ", line)
    }
    end = index(line, "*/")
    if (end == 0) break
    cut_sentences(paragraph " " substr(line, 1, end - 1))
    line = substr(line, end + 2)
    inside = 0
  }
  if (inside && line ~ /^ *$/) {
    cut_sentences(paragraph)
    paragraph = ""
  } else if (inside) {
    paragraph = paragraph " " line
  }
}

function take_sentence(sentence) {
  print header "\t" sentence
}
