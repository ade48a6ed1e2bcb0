# sentences.awk: cuts text into sentences, for the scripts beside it.

# Calls take_sentence for each sentence of the text, with white space made single blanks. A sentence
# ends at a full stop, in brackets or not, before something that can begin another.
function cut_sentences(text,    end) {
  gsub(/[ \t]+/, " ", text)
  while (match(text, /[^.]\.\)? ["`({A-Z0-9]/)) {
    end = RSTART + RLENGTH - 2
    take_trimmed(substr(text, 1, end))
    text = substr(text, end + 1)
  }
  take_trimmed(text)
}

function take_trimmed(text) {
  gsub(/^ | $/, "", text)
  if (text != "") take_sentence(text)
}
