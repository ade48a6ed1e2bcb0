/* record_form.h: how a tensor's elements lie in records: a block format, and whether the records of
 * several rows are interleaved, as a name such as q8_0 or q4_0_4_8 says. Depends on
 * relayout/scaled.h. */
#ifndef TOOLS_RECORD_FORM_H
#define TOOLS_RECORD_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/scaled.h"

typedef struct record_form {
  relayout_block_format format; /* NONE: the elements lie in no records */
  int32_t rows;                 /* interleaved_rows of relayout_scaled_view */
  int32_t bytes;                /* interleaved_bytes */
} record_form;

enum { RECORD_FORM_NAME_SIZE = 32 };

static inline bool record_form_is(const record_form *form) {
  return form->format != RELAYOUT_BLOCK_FORMAT_NONE;
}

/* Reads the name of a form, which is `length` bytes long; false, and a form that is none, for any
 * other text. */
bool record_form_parse(const char *name, size_t length, record_form *made);

/* The name; "none" for what is none. */
void record_form_name(const record_form *form, char text[RECORD_FORM_NAME_SIZE]);

/* A side in such records, the last dimension the minor one. */
relayout_status record_form_view(const record_form *form, int32_t rank, const int64_t *dimensions,
                                 relayout_scaled_view *made, relayout_error *error);

#endif
