/* quote.h: a caller's text, made fit for a message. Depends on nothing. */
#ifndef RLT_METADATA_QUOTE_H
#define RLT_METADATA_QUOTE_H

#include <stddef.h>

enum { RLT_QUOTE_SIZE = 40 };

typedef struct rlt_quote {
  char text[RLT_QUOTE_SIZE];
} rlt_quote;

/* The first characters in quotation marks, what is not printable ASCII as `?`, with `...` where
 * it was cut. */
rlt_quote rlt_quote_text(const char *text, size_t length);

/* The same without the quotation marks. */
rlt_quote rlt_quote_printable(const char *text, size_t length);

#endif
