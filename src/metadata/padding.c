/* padding.c: padding values, their names and their bytes. Depends on the type table and base/. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "metadata/padding_names.h"
#include "metadata/type_table.h"
#include "relayout/layout.h"

static const char *const names[] = {
    [RELAYOUT_PADDING_ZERO] = "zero",       [RELAYOUT_PADDING_ONE] = "one",
    [RELAYOUT_PADDING_LOWEST] = "lowest",   [RELAYOUT_PADDING_HIGHEST] = "highest",
    [RELAYOUT_PADDING_UNKNOWN] = "unknown",
};

enum { NAME_COUNT = sizeof names / sizeof names[0] };

const char *rlt_padding_value_name(relayout_padding_value value) {
  return (size_t)value < NAME_COUNT ? names[value] : NULL;
}

bool rlt_padding_value_find(const char *name, size_t length, relayout_padding_value *value) {
  for (size_t i = 0; i < NAME_COUNT; ++i) {
    if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
      *value = (relayout_padding_value)i;
      return true;
    }
  }
  return false;
}

static relayout_status has_no(relayout_padding_value value, const rlt_type_row *row,
                              relayout_error *error) {
  return rlt_fail(error, RELAYOUT_INVALID_SHAPE, "padding_value is %s, which type %s does not have",
                  names[value], row->name);
}

relayout_status relayout_layout_padding_bytes(const relayout_layout *layout,
                                              relayout_element_type type,
                                              uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE],
                                              relayout_error *error) {
  if (layout == NULL || bytes == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    layout == NULL ? "layout" : "bytes");
  }
  const rlt_type_row *row = rlt_type_find(type);
  if (row == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "type is %" PRId64 ", which is not an element type", (int64_t)type);
  }
  const relayout_padding_value value = layout->padding_value;
  rlt_element element = {0};
  switch (value) {
  case RELAYOUT_PADDING_ZERO:
  case RELAYOUT_PADDING_UNKNOWN:
    break;
  case RELAYOUT_PADDING_ONE:
    if (row->one == 0) {
      return has_no(value, row, error);
    }
    element.real = row->one;
    break;
  case RELAYOUT_PADDING_LOWEST:
  case RELAYOUT_PADDING_HIGHEST:
    if (row->kind == RELAYOUT_KIND_COMPLEX) {
      return has_no(value, row, error);
    }
    element.real = value == RELAYOUT_PADDING_LOWEST ? row->lowest : row->highest;
    break;
  case RELAYOUT_PADDING_LITERAL:
    element = rlt_element_load(row, layout->padding_literal);
    break;
  default:
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "padding_value is %" PRId64 "; expected %d to %d", (int64_t)value,
                    RELAYOUT_PADDING_ZERO, RELAYOUT_PADDING_LITERAL);
  }
  rlt_element_store(row, element, bytes);
  return RELAYOUT_OK;
}
