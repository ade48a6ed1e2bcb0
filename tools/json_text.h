/* json_text.h: JSON text as jansson's values, and back. One thread at a time. Depends on fail.h and
 * jansson. */
#ifndef TOOLS_JSON_TEXT_H
#define TOOLS_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "relayout/status.h"

/* Reads an object or an array, behind which nothing but white space may come. What jansson refuses
 * is refused: a key that is there twice, bytes that are no UTF-8, NULs, deep nesting. So are
 * numbers of more than 40 characters, and a text of which more than an eighth opens objects and
 * arrays: values take at most fifty times its size. The caller gives the value back. NULL:
 * `*problem` says where and why, with no words without memory. */
json_t *json_text_load(const char *text, size_t size, json_error_t *problem);

/* The same, with the problem as an error: RELAYOUT_INVALID_TEXT with the place,
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status json_text_read(const char *text, size_t size, json_t **json, relayout_error *error);

/* The value on one line, its real numbers with so many digits (0: as many as tell them apart), for
 * the caller to free; NULL without memory, and for NULL. */
char *json_text_write(const json_t *json, int digits);

/* The same on many lines, indented, for people to read. */
char *json_text_write_lines(const json_t *json);

/* Copies a string, cut to fit; "" for NULL, a member that is not there. False for another kind of
 * value. */
bool json_text_copy(const json_t *value, size_t capacity, char *text);

/* Reads a number; 0 for NULL, a member that is not there. False for another kind of value. */
bool json_text_number(const json_t *value, double *number);

#endif
