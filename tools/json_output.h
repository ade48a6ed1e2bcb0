/* json_output.h: JSON values put together from members, with jansson, and printed on one line.
 *
 * Every function that makes a value returns NULL without memory, and takes NULL for the value of
 * another that failed: so a whole tree is put together without a question in between, and
 * json_print_line asks once, at the end. Values that are handed over belong to the tree from then
 * on, also on failure. Depends on report.h alone; jansson.h is for those who read JSON. */
#ifndef TOOLS_JSON_OUTPUT_H
#define TOOLS_JSON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report.h"

typedef struct json_t json_t; /* jansson's */

/* ---- Values ---- */

/* Bytes of what is no UTF-8 become `?`. */
json_t *json_of_text(const char *text);
json_t *json_of_integer(int64_t number);
/* Beyond the integers of JSON's readers, a real number near it. */
json_t *json_of_size(uint64_t number);
/* Nine digits; null for what JSON has no number for: infinities and NaN. */
json_t *json_of_number(double number);
json_t *json_of_boolean(bool value);
json_t *json_of_nothing(void);
json_t *json_of_integers(size_t count, const int64_t *numbers);

/* ---- Objects and arrays ---- */

typedef struct json_member {
  const char *key;
  json_t *value;
} json_member;

/* An object of members, which end with one that has no key. They are printed in order. */
json_t *json_of_members(const json_member *members);
/* Adds members behind those that the object has; returns it. */
json_t *json_with_members(json_t *object, const json_member *members);
json_t *json_with_member(json_t *object, const char *key, json_t *value);

json_t *json_of_no_elements(void);
/* Adds an element at the end; returns the array. */
json_t *json_with_element(json_t *array, json_t *element);

/* ---- Output ---- */

/* Prints the value, which is over then, and ends the line. Whether the file took it the file tells:
 * only missing memory is reported here. */
exit_code json_print_line(json_t *value, FILE *file);

#endif
