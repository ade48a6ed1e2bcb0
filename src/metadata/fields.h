/* fields.h: structs of numbers as text. A table says what is in a struct, and one reader and one
 * writer go by it:
 *
 *     line=64 l1=32768:8:2 tlb=64:2048
 *
 * are three fields. Words are parted by spaces, a field's numbers by colons.
 *
 * Depends on literal.h, quote.h and base/.
 */
#ifndef RLT_METADATA_FIELDS_H
#define RLT_METADATA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "metadata/quote.h"
#include "relayout/status.h"

enum { RLT_MOST_FIELDS = 64 }; /* of a table */

/* Numbers that lie one behind the other in a struct. */
typedef struct rlt_field {
  const char *name;
  const char *types; /* a letter for each number: q int64_t, i int32_t, ? bool, d double */
  size_t offset;     /* of the first */
  int64_t least;     /* that any of them may be */
  int64_t most;      /* that the first may be, */
  int64_t most_of_others;
  bool is_power; /* each is 0 or a power of two */
  bool may_end;  /* numbers at its end may be left out, and are 0 then */
} rlt_field;

/* A part of a text. */
typedef struct rlt_word {
  const char *at;
  size_t length;
} rlt_word;

/* What stands before the next space, of no length at the end; `*at` moves behind it. */
rlt_word rlt_word_next(const char **at, const char *end);

/* What stands before the first `mark` of a word, which becomes what stands behind it; all of it,
 * with nothing left, where there is no mark. */
rlt_word rlt_word_cut(rlt_word *word, char mark);

bool rlt_word_is(rlt_word word, const char *text);

/* For messages. */
static inline rlt_quote rlt_word_shown(rlt_word word) {
  return rlt_quote_printable(word.at, word.length);
}

/* A decimal number of digits alone, from `least` to `most`. */
bool rlt_word_number(rlt_word word, int64_t least, int64_t most, int64_t *number);

/* Appends all fields of the struct, in the table's order with a space between two of them. */
void rlt_fields_add(const rlt_field *fields, int count, const void *in, rlt_text *text);

/* Reads the words up to `end` into the struct, in any order; bit f of `*given` says whether field f
 * is among them. RELAYOUT_INVALID_TEXT, after some may have been read, names the field and its
 * value, behind `whose` and a colon: for what is no field, one that is given twice, and numbers
 * out of their limits. */
relayout_status rlt_fields_read(const char *whose, const rlt_field *fields, int count,
                                const char *at, const char *end, void *in, uint64_t *given,
                                relayout_error *error);

#endif
