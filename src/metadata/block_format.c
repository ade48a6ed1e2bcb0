/* block_format.c: the table of block formats. */
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "metadata/quote.h"
#include "metadata/scaled_view.h"
#include "relayout/scaled.h"

typedef struct format_row {
  relayout_block_format format;
  const char *name;
  size_t bytes;
} format_row;

static const format_row rows[] = {
#define ROW(name, value, text, bytes) {RELAYOUT_BLOCK_FORMAT_##name, text, bytes},
    RELAYOUT_BLOCK_FORMAT_TABLE(ROW)
#undef ROW
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static const format_row *find(relayout_block_format format) {
  for (size_t i = 0; i < ROW_COUNT; ++i) {
    if (rows[i].format == format) {
      return &rows[i];
    }
  }
  return NULL;
}

const char *relayout_block_format_name(relayout_block_format format) {
  const format_row *const row = find(format);
  return row != NULL ? row->name : "none";
}

size_t relayout_block_format_record_bytes(relayout_block_format format) {
  const format_row *const row = find(format);
  return row != NULL ? row->bytes : 0;
}

size_t rlt_block_scale_bytes(relayout_block_format format) {
  const size_t bytes = relayout_block_format_record_bytes(format);
  return bytes > RELAYOUT_BLOCK_ELEMENTS ? bytes - RELAYOUT_BLOCK_ELEMENTS
                                         : bytes - RELAYOUT_BLOCK_ELEMENTS / 2;
}

relayout_status relayout_block_format_parse(const char *text, relayout_block_format *format,
                                            relayout_error *error) {
  if (text == NULL || format == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    text == NULL ? "text" : "format");
  }
  for (size_t i = 0; i < ROW_COUNT; ++i) {
    if (strcmp(text, rows[i].name) == 0) {
      *format = rows[i].format;
      return RELAYOUT_OK;
    }
  }
  return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                  "%s is not a block format; expected q4_0, q4_1, q5_0, q5_1, q8_0 or mxfp4",
                  rlt_quote_text(text, strlen(text)).text);
}
