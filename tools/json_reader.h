/* json_reader.h: reads a JSON text piece by piece, without building anything.
 * Depends on libc alone.
 *
 * The caller says what it expects; what it does not know it skips. The first thing that is not as
 * expected stops the reader: from then on every call returns false, and `failed` is set. */
#ifndef TOOLS_JSON_READER_H
#define TOOLS_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct json_reader {
  const char *text; /* NUL-terminated */
  size_t at;        /* how far it has been read; where it failed */
  bool failed;
} json_reader;

json_reader json_reader_begin(const char *text);

/* Takes `{` or `[`. */
bool json_reader_open(json_reader *json, char bracket);

/* Whether another member or element follows; takes the comma before it, or the closing bracket
 * behind the last one, which belongs to `bracket`. */
bool json_reader_next(json_reader *json, char bracket, bool *is_first);

/* Takes a member's key and its colon; a key that does not fit is cut. */
bool json_reader_key(json_reader *json, size_t capacity, char *key);

/* Takes a value. A text that does not fit is cut; \u escapes beyond ASCII become `?`. */
bool json_reader_text(json_reader *json, size_t capacity, char *text);
bool json_reader_number(json_reader *json, double *number);

/* Takes a value of any kind. */
bool json_reader_skip(json_reader *json);

/* Whether nothing but white space is left. */
bool json_reader_end(json_reader *json);

#endif
