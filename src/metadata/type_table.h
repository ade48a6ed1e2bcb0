/* type_table.h: the table of element types as data, and elements as integers.
 *
 * Depends on the public element types alone.
 */
#ifndef RLT_METADATA_TYPE_TABLE_H
#define RLT_METADATA_TYPE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/element_type.h"

typedef struct rlt_type_row {
  relayout_element_type type;
  const char *name;
  int32_t bits;
  relayout_element_kind kind;
  uint64_t one;
  uint64_t lowest;
  uint64_t highest;
} rlt_type_row;

/* The type's row; NULL for a number outside the table. */
const rlt_type_row *rlt_type_find(relayout_element_type type);

/* The row of exactly this name, which need not end in a NUL; NULL when there is none. */
const rlt_type_row *rlt_type_find_name(const char *name, size_t length);

/* XLA has a type of this name, and it is no array element: tuple, token, opaque. */
bool rlt_type_is_no_element(const char *name, size_t length);

/* The bits of one element. Complex elements have two parts, of which the real one comes first in
 * memory; all others have the first part alone. */
typedef struct rlt_element {
  uint64_t real;
  uint64_t imaginary;
} rlt_element;

/* Bits of the real part: all of them but for complex types. */
int32_t rlt_type_part_bits(const rlt_type_row *row);

/* To and from the 1, 2, 4 or 8 bytes of a part, in the host's order. */
void rlt_part_store(uint64_t part, size_t size, uint8_t *bytes);
uint64_t rlt_part_load(size_t size, const uint8_t *bytes);

/* To and from an element's bytes in the host's order. Storing sets all bytes past the element to
 * zero. */
void rlt_element_store(const rlt_type_row *row, rlt_element element,
                       uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE]);
rlt_element rlt_element_load(const rlt_type_row *row,
                             const uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE]);

#endif
