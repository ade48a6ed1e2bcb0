/* json_writer.c: writes JSON values with their keys, commas and escapes. */
#include "json_writer.h"

#include <inttypes.h>
#include <math.h>

static void print_quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') {
      fprintf(file, "\\%c", *c);
    } else if ((unsigned char)*c < 0x20) {
      fprintf(file, "\\u%04x", (unsigned)*c);
    } else {
      fputc(*c, file);
    }
  }
  fputc('"', file);
}

/* Prints what precedes a value: a comma behind the previous one, and its key. */
static void begin_value(json_writer *json, const char *key) {
  if (json->needs_comma) {
    fputc(',', json->file);
  }
  json->needs_comma = 1;
  if (key != NULL) {
    print_quoted(json->file, key);
    fputc(':', json->file);
  }
}

static void open_bracket(json_writer *json, const char *key, char bracket) {
  begin_value(json, key);
  fputc(bracket, json->file);
  json->needs_comma = 0;
}

static void close_bracket(json_writer *json, char bracket) {
  fputc(bracket, json->file);
  json->needs_comma = 1;
}

json_writer json_writer_begin(FILE *file) {
  return (json_writer){.file = file, .needs_comma = 0};
}

void json_writer_end(json_writer *json) {
  fputc('\n', json->file);
}

void json_writer_open_object(json_writer *json, const char *key) {
  open_bracket(json, key, '{');
}

void json_writer_close_object(json_writer *json) {
  close_bracket(json, '}');
}

void json_writer_open_array(json_writer *json, const char *key) {
  open_bracket(json, key, '[');
}

void json_writer_close_array(json_writer *json) {
  close_bracket(json, ']');
}

void json_writer_null(json_writer *json, const char *key) {
  begin_value(json, key);
  fputs("null", json->file);
}

void json_writer_boolean(json_writer *json, const char *key, bool value) {
  begin_value(json, key);
  fputs(value ? "true" : "false", json->file);
}

void json_writer_text(json_writer *json, const char *key, const char *text) {
  begin_value(json, key);
  print_quoted(json->file, text);
}

void json_writer_integer(json_writer *json, const char *key, int64_t number) {
  begin_value(json, key);
  fprintf(json->file, "%" PRId64, number);
}

void json_writer_unsigned(json_writer *json, const char *key, uint64_t number) {
  begin_value(json, key);
  fprintf(json->file, "%" PRIu64, number);
}

void json_writer_number(json_writer *json, const char *key, double number) {
  if (!isfinite(number)) {
    json_writer_null(json, key);
    return;
  }
  begin_value(json, key);
  fprintf(json->file, "%.9g", number);
}

void json_writer_integers(json_writer *json, const char *key, size_t count,
                          const int64_t *numbers) {
  json_writer_open_array(json, key);
  for (size_t i = 0; i < count; i++) {
    json_writer_integer(json, NULL, numbers[i]);
  }
  json_writer_close_array(json);
}
