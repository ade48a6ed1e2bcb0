/* suggestion.h: which word somebody means who has misspelt one. Depends on nothing. */
#ifndef TOOLS_SUGGESTION_H
#define TOOLS_SUGGESTION_H

#include <stddef.h>

/* Words that could have been meant are handed in one after the other. */
typedef struct suggestion {
  const char *word; /* that was written */
  size_t length;    /* of it; it need not end in a NUL */
  const char *best; /* the nearest so far; NULL: none is near */
  size_t distance;
} suggestion;

suggestion suggestion_for(const char *word, size_t length);

/* Letters that are missing, too many, wrong or swapped are counted: one for three of the word's at
 * most. At a tie the first stays; `word` is kept as a pointer. */
void suggestion_try(suggestion *of, const char *word);

enum { SUGGESTION_TEXT_SIZE = 80 };

/* "; did you mean '--json'?" with these dashes; nothing where no word is near. Returns `text`. */
const char *suggestion_text(const suggestion *of, const char *dashes,
                            char text[SUGGESTION_TEXT_SIZE]);

#endif
