/* tokens.c: the tokens of the text forms, and the failures that carry a column. */
#include "metadata/tokens.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "metadata/quote.h"

rlt_tokens rlt_tokens_of(const char *text, relayout_error *error) {
  return (rlt_tokens){.text = text, .at = text, .error = error};
}

/* ---- Failing -------------------------------------------------------------------------------- */

bool rlt_tokens_fail(rlt_tokens *in, const char *where, relayout_status status, const char *format,
                     ...) {
  char message[RELAYOUT_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  in->status = rlt_fail(in->error, status, "column %td: %s", where - in->text + 1, message);
  return false;
}

bool rlt_tokens_fail_expected(rlt_tokens *in, const char *expected) {
  if (*in->at == '\0') {
    return rlt_tokens_fail(in, in->at, RELAYOUT_INVALID_TEXT, "expected %s, but the text ends",
                           expected);
  }
  return rlt_tokens_fail(in, in->at, RELAYOUT_INVALID_TEXT, "expected %s, found %s", expected,
                         rlt_quote_text(in->at, strlen(in->at)).text);
}

/* ---- Tokens --------------------------------------------------------------------------------- */

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool rlt_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void rlt_tokens_skip_space(rlt_tokens *in) {
  while (is_space(*in->at)) {
    ++in->at;
  }
}

char rlt_tokens_peek(rlt_tokens *in) {
  rlt_tokens_skip_space(in);
  return *in->at;
}

bool rlt_tokens_take(rlt_tokens *in, char c) {
  if (rlt_tokens_peek(in) != c) {
    return false;
  }
  ++in->at;
  return true;
}

bool rlt_tokens_expect(rlt_tokens *in, char c) {
  const char expected[] = {'\'', c, '\'', '\0'};
  return rlt_tokens_take(in, c) || rlt_tokens_fail_expected(in, expected);
}

size_t rlt_tokens_word(const rlt_tokens *in) {
  size_t length = 0;
  while (rlt_is_letter(in->at[length]) || is_digit(in->at[length])) {
    ++length;
  }
  return length;
}

bool rlt_tokens_take_word(rlt_tokens *in, const char *word) {
  rlt_tokens_skip_space(in);
  const size_t length = rlt_tokens_word(in);
  if (length != strlen(word) || memcmp(in->at, word, length) != 0) {
    return false;
  }
  in->at += length;
  return true;
}

bool rlt_tokens_at_integer(rlt_tokens *in) {
  const char c = rlt_tokens_peek(in);
  return is_digit(c) || (c == '-' && is_digit(in->at[1]));
}

bool rlt_tokens_integer(rlt_tokens *in, const char *expected, int64_t *value) {
  if (!rlt_tokens_at_integer(in)) {
    return rlt_tokens_fail_expected(in, expected);
  }
  const char *const start = in->at;
  const bool negative = *in->at == '-';
  bool fits = true;
  int64_t result = 0;
  for (in->at += negative; is_digit(*in->at); ++in->at) {
    const int64_t digit = *in->at - '0';
    fits = fits && !__builtin_mul_overflow(result, 10, &result) &&
           !__builtin_add_overflow(result, negative ? -digit : digit, &result);
  }
  if (!fits) {
    return rlt_tokens_fail(in, start, RELAYOUT_SIZE_OVERFLOW, "%s does not fit 64 bits",
                           rlt_quote_text(start, (size_t)(in->at - start)).text);
  }
  *value = result;
  return true;
}

bool rlt_tokens_number(rlt_tokens *in, const char *what, int64_t least, int64_t most,
                       int64_t *number) {
  rlt_tokens_skip_space(in);
  const char *const start = in->at;
  if (!rlt_tokens_integer(in, what, number)) {
    return false;
  }
  return (*number >= least && *number <= most) ||
         rlt_tokens_fail(in, start, RELAYOUT_INVALID_TEXT,
                         "%s is %" PRId64 "; expected %" PRId64 " to %" PRId64, what, *number,
                         least, most);
}
