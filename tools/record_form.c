/* record_form.c: see record_form.h. */
#include "record_form.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Takes a number of at most two digits, with a '_' before it, from the end of a name; 0: it ends
 * otherwise. */
static int32_t take_number(const char *name, size_t *length) {
  size_t digits = 0;
  int32_t number = 0;
  while (digits < 2 && digits < *length && isdigit((unsigned char)name[*length - 1 - digits])) {
    digits += 1;
  }
  if (digits == *length || name[*length - 1 - digits] != '_') {
    return 0;
  }
  for (size_t i = *length - digits; i < *length; i++) {
    number = 10 * number + (name[i] - '0');
  }
  *length -= number > 0 ? digits + 1 : 0;
  return number;
}

/* The library's text form knows such names too, but reading that takes memory, and without any a
 * name would be no name. */
bool record_form_parse(const char *name, size_t length, record_form *made) {
  static const int64_t dimensions[] = {64, RELAYOUT_BLOCK_ELEMENTS}; /* which suit all forms */
  char format[RECORD_FORM_NAME_SIZE];
  relayout_scaled_view view;
  record_form form = {.format = RELAYOUT_BLOCK_FORMAT_NONE};
  *made = form;
  const size_t whole = length;
  form.bytes = take_number(name, &length);
  form.rows = form.bytes > 0 ? take_number(name, &length) : 0;
  if (form.rows == 0) { /* as in q4_1 */
    form.bytes = 0;
    length = whole;
  }
  if (length >= sizeof format) {
    return false;
  }
  memcpy(format, name, length);
  format[length] = '\0';
  if (relayout_block_format_parse(format, &form.format, NULL) != RELAYOUT_OK ||
      record_form_view(&form, 2, dimensions, &view, NULL) != RELAYOUT_OK) {
    return false;
  }
  *made = form;
  return true;
}

void record_form_name(const record_form *form, char text[RECORD_FORM_NAME_SIZE]) {
  const char *const format = relayout_block_format_name(form->format);
  if (form->rows > 0) {
    snprintf(text, RECORD_FORM_NAME_SIZE, "%s_%d_%d", format, (int)form->rows, (int)form->bytes);
  } else {
    snprintf(text, RECORD_FORM_NAME_SIZE, "%s", format);
  }
}

relayout_status record_form_view(const record_form *form, int32_t rank, const int64_t *dimensions,
                                 relayout_scaled_view *made, relayout_error *error) {
  const relayout_status status =
      relayout_scaled_view_make_blocks(form->format, rank, dimensions, NULL, made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->interleaved_rows = form->rows;
  made->interleaved_bytes = form->bytes;
  return relayout_scaled_view_validate(made, error);
}
