/* element_type.c: the table of element types, and elements as integers.
 *
 * Depends on base/ alone.
 */
#include "relayout/element_type.h"

#include <string.h>

#include "base/error.h"
#include "metadata/type_hint.h"
#include "metadata/type_table.h"

static const rlt_type_row rows[] = {
#define ROW(name, value, text, bits, kind, one, lowest, highest)                                   \
  [value] = {RELAYOUT_##name, text, bits, RELAYOUT_KIND_##kind, one, lowest, highest},
    RELAYOUT_ELEMENT_TYPE_TABLE(ROW)
#undef ROW
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static bool is_named(const char *name, size_t length, const char *text) {
  return strlen(text) == length && memcmp(name, text, length) == 0;
}

const rlt_type_row *rlt_type_find(relayout_element_type type) {
  const int64_t number = (int64_t)type;
  if (number < 0 || number >= ROW_COUNT || rows[number].name == NULL) {
    return NULL;
  }
  return &rows[number];
}

const rlt_type_row *rlt_type_find_name(const char *name, size_t length) {
  for (size_t i = 0; i < ROW_COUNT; ++i) {
    if (rows[i].name != NULL && is_named(name, length, rows[i].name)) {
      return &rows[i];
    }
  }
  return NULL;
}

bool rlt_type_is_no_element(const char *name, size_t length) {
  return is_named(name, length, "tuple") || is_named(name, length, "token") ||
         is_named(name, length, "opaque");
}

int32_t rlt_type_part_bits(const rlt_type_row *row) {
  return row->kind == RELAYOUT_KIND_COMPLEX ? row->bits / 2 : row->bits;
}

static size_t bytes_of_bits(int32_t bits) {
  return ((size_t)bits + 7) / 8;
}

void rlt_part_store(uint64_t part, size_t size, uint8_t *bytes) {
  switch (size) {
  case 1:
    *bytes = (uint8_t)part;
    return;
  case 2:
    memcpy(bytes, &(uint16_t){(uint16_t)part}, sizeof(uint16_t));
    return;
  case 4:
    memcpy(bytes, &(uint32_t){(uint32_t)part}, sizeof(uint32_t));
    return;
  default:
    memcpy(bytes, &part, sizeof part);
  }
}

uint64_t rlt_part_load(size_t size, const uint8_t *bytes) {
  uint16_t as16;
  uint32_t as32;
  uint64_t as64;
  switch (size) {
  case 1:
    return *bytes;
  case 2:
    memcpy(&as16, bytes, sizeof as16);
    return as16;
  case 4:
    memcpy(&as32, bytes, sizeof as32);
    return as32;
  default:
    memcpy(&as64, bytes, sizeof as64);
    return as64;
  }
}

void rlt_element_store(const rlt_type_row *row, rlt_element element,
                       uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE]) {
  const size_t size = bytes_of_bits(rlt_type_part_bits(row));
  memset(bytes, 0, RELAYOUT_MAX_ELEMENT_SIZE);
  rlt_part_store(element.real, size, bytes);
  if (row->kind == RELAYOUT_KIND_COMPLEX) {
    rlt_part_store(element.imaginary, size, bytes + size);
  }
}

rlt_element rlt_element_load(const rlt_type_row *row,
                             const uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE]) {
  const size_t size = bytes_of_bits(rlt_type_part_bits(row));
  rlt_element element = {.real = rlt_part_load(size, bytes)};
  if (row->kind == RELAYOUT_KIND_COMPLEX) {
    element.imaginary = rlt_part_load(size, bytes + size);
  }
  return element;
}

const char *relayout_element_type_name(relayout_element_type type) {
  const rlt_type_row *row = rlt_type_find(type);
  return row == NULL ? "invalid" : row->name;
}

relayout_status relayout_element_type_parse(const char *text, relayout_element_type *type,
                                            relayout_error *error) {
  if (text == NULL || type == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL", text == NULL ? "text" : "type");
  }
  const size_t length = strlen(text);
  if (rlt_type_is_no_element(text, length)) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "%s is not the type of an array's elements",
                    text);
  }
  const rlt_type_row *row = rlt_type_find_name(text, length);
  if (row == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "%s", rlt_unknown_type_of(text, length).text);
  }
  *type = row->type;
  return RELAYOUT_OK;
}

int32_t relayout_element_type_bits(relayout_element_type type) {
  const rlt_type_row *row = rlt_type_find(type);
  return row == NULL ? 0 : row->bits;
}

size_t relayout_element_type_byte_size(relayout_element_type type) {
  const rlt_type_row *row = rlt_type_find(type);
  return row == NULL ? 0 : bytes_of_bits(row->bits);
}

relayout_element_kind relayout_element_type_kind(relayout_element_type type) {
  const rlt_type_row *row = rlt_type_find(type);
  return row == NULL ? RELAYOUT_KIND_INVALID : row->kind;
}
