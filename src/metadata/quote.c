/* quote.c: a caller's text, made fit for a message. Depends on nothing. */
#include "metadata/quote.h"

#include <string.h>

/* Between two of these marks, if there are any. */
static rlt_quote quote_between(const char *mark, const char *text, size_t length) {
  static const char ellipsis[] = "...";
  const size_t room = RLT_QUOTE_SIZE - sizeof ellipsis - 2 * strlen(mark);
  const size_t shown = length < room ? length : room;
  rlt_quote quote;
  strcpy(quote.text, mark);
  char *at = quote.text + strlen(mark);
  for (size_t i = 0; i < shown; ++i) {
    *at++ = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
  }
  strcpy(at, mark);
  strcpy(at + strlen(mark), shown < length ? ellipsis : "");
  return quote;
}

rlt_quote rlt_quote_text(const char *text, size_t length) {
  return quote_between("'", text, length);
}

rlt_quote rlt_quote_printable(const char *text, size_t length) {
  return quote_between("", text, length);
}
