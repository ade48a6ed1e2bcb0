/* record_form.c: see record_form.h. */
#include "record_form.h"

#include <stdio.h>
#include <string.h>

/* Takes "_4" or "_8" from the end of a name of so many bytes; 0: it has another end. */
static int32_t take_number(const char *name, size_t *length) {
  const char *const end = name + *length;
  if (*length < 2 || end[-2] != '_' || (end[-1] != '4' && end[-1] != '8')) {
    return 0;
  }
  *length -= 2;
  return end[-1] - '0';
}

/* The library's text form knows such names too, but reading that takes memory, and without any a
 * name would be no name. */
bool record_form_parse(const char *name, size_t length, record_form *made) {
  static const int64_t dimensions[] = {8, RELAYOUT_BLOCK_ELEMENTS}; /* which suit all forms */
  char format[RECORD_FORM_NAME_SIZE];
  relayout_scaled_view view;
  record_form form = {.format = RELAYOUT_BLOCK_FORMAT_NONE};
  *made = form;
  form.bytes = take_number(name, &length);
  form.rows = form.bytes > 0 ? take_number(name, &length) : 0;
  if (length >= sizeof format || (form.bytes > 0 && form.rows == 0)) {
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
