/* json_output.c: jansson's values, of which any may be missing, and its text. */
#include "json_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"

enum { REAL_DIGITS = 9 };

/* ---- Values --------------------------------------------------------------------------------- */

json_t *json_of_text(const char *text) {
  json_t *const made = json_string(text);
  char *const plain = made == NULL ? strdup(text) : NULL;
  if (plain == NULL) {
    return made;
  }
  for (char *c = plain; *c != '\0'; c++) {
    *c = (unsigned char)*c < 0x80 ? *c : '?';
  }
  json_t *const made_plain = json_string(plain);
  free(plain);
  return made_plain;
}

json_t *json_of_integer(int64_t number) {
  return json_integer(number);
}

json_t *json_of_size(uint64_t number) {
  return number <= INT64_MAX ? json_integer((json_int_t)number) : json_real((double)number);
}

json_t *json_of_number(double number) {
  if (!isfinite(number)) {
    return json_null();
  }
  char text[32];
  snprintf(text, sizeof text, "%.*g", REAL_DIGITS, number);
  /* Integers, so that jansson puts no .0 behind them. */
  return strpbrk(text, ".e") == NULL ? json_integer(strtoll(text, NULL, 10)) : json_real(number);
}

json_t *json_of_boolean(bool value) {
  return json_boolean(value);
}

json_t *json_of_nothing(void) {
  return json_null();
}

json_t *json_of_integers(size_t count, const int64_t *numbers) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    array = json_with_element(array, json_integer(numbers[i]));
  }
  return array;
}

/* ---- Objects and arrays --------------------------------------------------------------------- */

/* What has taken all that was handed to it, or NULL. */
static json_t *whole_or_none(json_t *value, bool is_whole) {
  if (!is_whole) {
    json_decref(value);
  }
  return is_whole ? value : NULL;
}

json_t *json_with_members(json_t *object, const json_member *members) {
  bool is_whole = object != NULL;
  for (; members->key != NULL; members++) {
    is_whole &= json_object_set_new(object, members->key, members->value) == 0;
  }
  return whole_or_none(object, is_whole);
}

json_t *json_with_member(json_t *object, const char *key, json_t *value) {
  return whole_or_none(object, json_object_set_new(object, key, value) == 0);
}

json_t *json_of_members(const json_member *members) {
  return json_with_members(json_object(), members);
}

json_t *json_of_no_elements(void) {
  return json_array();
}

json_t *json_with_element(json_t *array, json_t *element) {
  return whole_or_none(array, json_array_append_new(array, element) == 0);
}

/* ---- Output --------------------------------------------------------------------------------- */

exit_code json_print_line(json_t *value, FILE *file) {
  char *const text = json_text_write(value, REAL_DIGITS);
  json_decref(value);
  if (text == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for the JSON");
  }
  fputs(text, file);
  fputc('\n', file);
  free(text);
  return EXIT_CODE_OK;
}
