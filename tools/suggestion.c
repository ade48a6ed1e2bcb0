/* suggestion.c: the distance of Damerau and Levenshtein, with neighbours swapped once at most. */
#include "suggestion.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LETTERS = 32, LETTERS_A_MISTAKE = 3 };

static size_t least_of(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Both words have MOST_LETTERS at most. Three rows of the table are kept: that of row i is
 * rows[i % 3], whose entry j is the distance of i letters of one word and j of the other. */
static size_t distance_of(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t rows[3][MOST_LETTERS + 1];
  for (size_t j = 0; j <= b_length; j++) {
    rows[0][j] = j;
  }
  for (size_t i = 1; i <= a_length; i++) {
    size_t *const row = rows[i % 3];
    const size_t *const before = rows[(i + 2) % 3];
    const size_t *const twice_before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      const size_t changed = before[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = least_of(changed, least_of(before[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = least_of(row[j], twice_before[j - 2] + 1);
      }
    }
  }
  return rows[a_length % 3][b_length];
}

suggestion suggestion_for(const char *word, size_t length) {
  return (suggestion){word, length, NULL, length / LETTERS_A_MISTAKE + 1};
}

void suggestion_try(suggestion *of, const char *word) {
  const size_t length = strlen(word);
  if (length > MOST_LETTERS || of->length > MOST_LETTERS) {
    return;
  }
  const size_t distance = distance_of(of->word, of->length, word, length);
  if (distance < of->distance) {
    of->best = word;
    of->distance = distance;
  }
}

const char *suggestion_text(const suggestion *of, const char *dashes,
                            char text[SUGGESTION_TEXT_SIZE]) {
  text[0] = '\0';
  if (of->best != NULL) {
    snprintf(text, SUGGESTION_TEXT_SIZE, "; did you mean '%s%s'?", dashes, of->best);
  }
  return text;
}
