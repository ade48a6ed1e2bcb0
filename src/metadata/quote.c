/* quote.c: a caller's text, made fit for a message. Depends on nothing. */
#include "metadata/quote.h"

#include <string.h>

rlt_quote rlt_quote_text(const char *text, size_t length) {
  static const char ellipsis[] = "...";
  const size_t room = RLT_QUOTE_SIZE - sizeof ellipsis - 2; /* the quotation marks */
  const size_t shown = length < room ? length : room;
  rlt_quote quote;
  char *at = quote.text;
  *at++ = '\'';
  for (size_t i = 0; i < shown; ++i) {
    *at++ = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
  }
  *at++ = '\'';
  strcpy(at, shown < length ? ellipsis : "");
  return quote;
}
