/* strides.h: a tensor that lies by byte strides instead of its layout.
 *
 * Depends on the public shapes and base/.
 */
#ifndef RLT_METADATA_STRIDES_H
#define RLT_METADATA_STRIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

/* The bytes from the lowest that belongs to an element to the highest, and how many lie before the
 * element at index 0, ..., 0. */
typedef struct rlt_span {
  int64_t bytes;
  int64_t before;
} rlt_span;

/* The shape of what has these strides, called `name` in messages, has the default layout, and its
 * bytes can be counted.
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_SIZE_OVERFLOW. */
relayout_status rlt_strides_check(const relayout_shape *shape, const int64_t *byte_strides,
                                  const char *name, rlt_span *span, relayout_error *error);

/* No two elements have a byte in common. RELAYOUT_INVALID_ARGUMENT;
 * RELAYOUT_UNSUPPORTED for very many elements that lie between each other, and
 * RELAYOUT_OUT_OF_MEMORY. The strides have been checked. */
relayout_status rlt_strides_check_apart(const relayout_shape *shape, const int64_t *byte_strides,
                                        const char *name, relayout_error *error);

/* The largest number of bytes that divides `bytes` and every stride that is ever taken. */
int64_t rlt_strides_common_bytes(const relayout_shape *shape, const int64_t *byte_strides,
                                 int64_t bytes);

#endif
