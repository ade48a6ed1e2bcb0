/* json_writer.h: writes one JSON value to a stream, on one line. Depends on stdio alone.
 *
 * Inside an object every call names its key; inside an array, and for the outermost value, `key` is
 * NULL. Brackets must pair up: that is the caller's affair. */
#ifndef TOOLS_JSON_WRITER_H
#define TOOLS_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_writer {
  FILE *file;
  int needs_comma;
} json_writer;

json_writer json_writer_begin(FILE *file);
/* Ends the line. */
void json_writer_end(json_writer *json);

void json_writer_open_object(json_writer *json, const char *key);
void json_writer_close_object(json_writer *json);
void json_writer_open_array(json_writer *json, const char *key);
void json_writer_close_array(json_writer *json);

void json_writer_null(json_writer *json, const char *key);
void json_writer_boolean(json_writer *json, const char *key, bool value);
void json_writer_text(json_writer *json, const char *key, const char *text);
void json_writer_integer(json_writer *json, const char *key, int64_t number);
void json_writer_unsigned(json_writer *json, const char *key, uint64_t number);
/* Nine digits; null for what JSON has no number for: infinities and NaN. */
void json_writer_number(json_writer *json, const char *key, double number);
void json_writer_integers(json_writer *json, const char *key, size_t count, const int64_t *numbers);

#endif
