/* text.h: building text of unknown length in a caller's buffer, as snprintf counts it. Depends on
 * nothing. */
#ifndef RLT_BASE_TEXT_H
#define RLT_BASE_TEXT_H

#include <stddef.h>

/* `length` is that of the whole text so far, also where the buffer could not hold it. */
typedef struct rlt_text {
  char *buffer;
  size_t capacity;
  size_t length;
} rlt_text;

/* Starts with the empty text; buffer may be NULL when capacity is 0. */
rlt_text rlt_text_in(char *buffer, size_t capacity);

/* Appends. What does not fit is cut; the buffer, when it has any room, stays NUL-terminated. */
void rlt_text_add(rlt_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a number as printf's conversion, which stands alone in `format`, prints it in the C
 * locale, whatever the process's. Below 10^40. */
void rlt_text_add_double(rlt_text *text, const char *format, double number)
    __attribute__((format(printf, 2, 0)));

/* Appends a JSON string with its quotes, escaping what JSON wants escaped. */
void rlt_text_add_json_string(rlt_text *text, const char *string);

#endif
