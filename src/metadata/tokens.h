/* tokens.h: reading a text form token by token. Space between tokens is skipped.
 *
 * A rule of a grammar is a function that is false where the text does not follow it, and has failed
 * then: `status` says how, and the message begins with the column.
 *
 * Depends on base/ and on the public status.
 */
#ifndef RLT_METADATA_TOKENS_H
#define RLT_METADATA_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/status.h"

typedef struct rlt_tokens {
  const char *text;
  const char *at;         /* what has not been read */
  relayout_status status; /* of what failed */
  relayout_error *error;
} rlt_tokens;

/* The tokens of a text that ends with NUL. */
rlt_tokens rlt_tokens_of(const char *text, relayout_error *error);

/* Fails at a place of the text. Always false. */
bool rlt_tokens_fail(rlt_tokens *in, const char *where, relayout_status status, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* Fails with RELAYOUT_INVALID_TEXT, as something else stands there than was expected. Always false.
 */
bool rlt_tokens_fail_expected(rlt_tokens *in, const char *expected);

void rlt_tokens_skip_space(rlt_tokens *in);

/* The character that the next token starts with; NUL at the end. */
char rlt_tokens_peek(rlt_tokens *in);

/* Moves behind this character if it comes next; fails otherwise (expect). */
bool rlt_tokens_take(rlt_tokens *in, char c);
bool rlt_tokens_expect(rlt_tokens *in, char c);

bool rlt_is_letter(char c); /* or an underscore */

/* How many letters and digits come next; and moving behind them if they are this word. */
size_t rlt_tokens_word(const rlt_tokens *in);
bool rlt_tokens_take_word(rlt_tokens *in, const char *word);

/* A decimal number, with or without a minus; `expected` says in a message what the number is.
 * RELAYOUT_SIZE_OVERFLOW where it does not fit. */
bool rlt_tokens_at_integer(rlt_tokens *in);
bool rlt_tokens_integer(rlt_tokens *in, const char *expected, int64_t *value);

/* The same from `least` to `most`, which is `what`. RELAYOUT_INVALID_TEXT for others. */
bool rlt_tokens_number(rlt_tokens *in, const char *what, int64_t least, int64_t most,
                       int64_t *number);

#endif
