/* row.c: finds a line by its beginning, and a field by its name. */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tune_row_read(const relayout_device *device, tune_row *made) {
  return relayout_device_get_tuning(device, made->text, sizeof made->text) < sizeof made->text;
}

/* Where the line begins that begins like this; NULL: nowhere. */
static const char *find_line(const tune_row *row, const char *line, size_t length) {
  const char *at = row->text;
  while (at != NULL && strncmp(at, line, length) != 0) {
    at = strchr(at, '\n');
    at = at == NULL ? NULL : at + 1;
  }
  return at;
}

/* A field's value in the text, and its length; NULL: there is none. */
static const char *find_value(const tune_row *row, const char *line, const char *field,
                              size_t *length) {
  char begin[TUNE_VALUE_SIZE];
  const size_t size = (size_t)snprintf(begin, sizeof begin, "%s=", field);
  const char *at =
      line[0] == '\0' ? find_line(row, begin, size) : find_line(row, line, strlen(line));
  at = at == NULL ? NULL : at + strlen(line);
  while (at != NULL && strncmp(at, begin, size) != 0) {
    at += strcspn(at, " \n");
    at = *at == ' ' ? at + 1 : NULL;
  }
  if (at == NULL) {
    return NULL;
  }
  *length = strcspn(at + size, " \n");
  return at + size;
}

void tune_row_get(const tune_row *row, const char *line, const char *field,
                  char value[TUNE_VALUE_SIZE]) {
  size_t length = 0;
  const char *const found = find_value(row, line, field, &length);
  snprintf(value, TUNE_VALUE_SIZE, "%.*s", (int)length, found != NULL ? found : "");
}

double tune_row_get_number(const tune_row *row, const char *line, const char *field) {
  char value[TUNE_VALUE_SIZE];
  tune_row_get(row, line, field, value);
  return strtod(value, NULL);
}

/* Puts a text in the place of so many bytes of the row. */
static bool replace(tune_row *row, const char *at, size_t length, const char *text) {
  const size_t begin = (size_t)(at - row->text);
  const size_t added = strlen(text);
  const size_t rest = strlen(at + length) + 1;
  if (begin + added + rest > sizeof row->text) {
    return false;
  }
  memmove(row->text + begin + added, at + length, rest);
  memcpy(row->text + begin, text, added);
  return true;
}

bool tune_row_set(tune_row *row, const char *line, const char *field, const char *value) {
  size_t length = 0;
  const char *const found = find_value(row, line, field, &length);
  return found != NULL && replace(row, found, length, value);
}

bool tune_row_set_words(tune_row *row, const char *line, const char *words) {
  const char *const found = find_line(row, line, strlen(line));
  const char *const value = found == NULL ? NULL : found + strlen(line);
  return value != NULL && replace(row, value, strcspn(value, "\n"), words);
}
