# table_entries.awk, behind sentences.awk: takes contracts.txt apart. Prints
#   sentence<tab>LINE<tab>HEADER<tab>SENTENCE    for each sentence of an entry
#   test<tab>LINE<tab>NAME<tab>WHERE             for each test of an entry
#   mistake<tab>LINE<tab>WHAT                    for what is no entry

/^#/ { next }

/^\[.*\]$/ {
  end_entry()
  header = substr($0, 2, length($0) - 2)
  next
}

/^[ \t]*$/ {
  end_entry()
  next
}

/^  / {
  sub(/^ */, "")
  if (text == "") {
    print "mistake\t" FNR "\ta test without a sentence: " $0
  } else if ($1 == "definition:") {
    if (NF < 2) print "mistake\t" FNR "\ta definition without a reason"
    ++held
  } else {
    name = $1
    sub(/^[^ ]+ */, "")
    print "test\t" FNR "\t" name "\t" $0
    ++held
  }
  next
}

{
  if (held) end_entry()
  if (text == "") first = FNR
  text = text " " $0
}

END { end_entry() }

function end_entry() {
  if (text != "") {
    if (!held) print "mistake\t" first "\tno test behind the sentence"
    if (header == "") print "mistake\t" first "\tno [header.h] above the sentence"
    cut_sentences(text)
  }
  text = ""
  held = 0
}

function take_sentence(sentence) {
  print "sentence\t" first "\t" header "\t" sentence
}
