/* strides.c: checks of what lies by byte strides. */
#include "metadata/strides.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "metadata/tiling.h"
#include "relayout/index.h"

static int64_t element_bytes(const relayout_shape *shape) {
  return (int64_t)relayout_element_type_byte_size(shape->element_type);
}

static bool has_default_layout(const relayout_shape *shape) {
  relayout_shape plain;
  return relayout_shape_make(shape->element_type, shape->rank, shape->dimensions, &plain, NULL) ==
             RELAYOUT_OK &&
         relayout_shape_equal(shape, &plain);
}

relayout_status rlt_strides_check(const relayout_shape *shape, const int64_t *byte_strides,
                                  const char *name, rlt_span *span, relayout_error *error) {
  if (!has_default_layout(shape)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s are given, but the layout of that side is not the default one", name);
  }
  *span = (rlt_span){0, 0};
  if (relayout_shape_element_count(shape) == 0) {
    return RELAYOUT_OK;
  }
  const int64_t most = rlt_min(RLT_MOST_BYTES, PTRDIFF_MAX);
  span->bytes = element_bytes(shape);
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t steps = shape->dimensions[d] - 1;
    const int64_t stride = byte_strides[d];
    int64_t reach = 0;
    if (!rlt_multiply(steps, stride, &reach) || reach < -most || reach > most ||
        llabs(reach) > most - span->bytes) {
      return rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                      "%s[%" PRId32 "] is %" PRId64 "; %" PRId64 " steps of it exceed %" PRId64
                      " bytes",
                      name, d, stride, steps, most);
    }
    span->bytes += llabs(reach);
    span->before += stride < 0 ? llabs(reach) : 0;
  }
  return RELAYOUT_OK;
}

/* ---- Overlaps ---- */

enum { MOST_LISTED = 1 << 22 };

/* The dimensions that move, by how far. */
static int32_t sort_dimensions(const relayout_shape *shape, const int64_t *byte_strides,
                               int32_t *order) {
  int32_t count = 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (shape->dimensions[d] <= 1) {
      continue;
    }
    int32_t at = count++;
    for (; at > 0 && llabs(byte_strides[order[at - 1]]) > llabs(byte_strides[d]); --at) {
      order[at] = order[at - 1];
    }
    order[at] = d;
  }
  return count;
}

/* Whether each dimension steps over all that those with shorter steps reach. */
static bool are_nested(const relayout_shape *shape, const int64_t *byte_strides,
                       const int32_t *order, int32_t count) {
  int64_t reach = element_bytes(shape);
  for (int32_t i = 0; i < count; ++i) {
    const int64_t stride = llabs(byte_strides[order[i]]);
    if (stride < reach) {
      return false;
    }
    reach += stride * (shape->dimensions[order[i]] - 1);
  }
  return true;
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Where every element begins, and whether the next one does so behind its end. */
static relayout_status check_each(const relayout_shape *shape, const int64_t *byte_strides,
                                  const char *name, relayout_error *error) {
  const int64_t count = relayout_shape_element_count(shape);
  if (count > MOST_LISTED) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "%s interleave %" PRId64 " elements, too many to check that none overlap", name,
                    count);
  }
  int64_t *const places = rlt_malloc((size_t)count * sizeof *places);
  if (places == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory to compare the addresses of %" PRId64 " elements", count);
  }
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  for (int64_t i = 0; i < count; ++i) {
    places[i] = 0;
    for (int32_t d = 0; d < shape->rank; ++d) {
      places[i] += index[d] * byte_strides[d];
    }
    relayout_index_bump(shape, index);
  }
  qsort(places, (size_t)count, sizeof *places, compare);
  relayout_status status = RELAYOUT_OK;
  for (int64_t i = 1; i < count && status == RELAYOUT_OK; ++i) {
    if (places[i] - places[i - 1] < element_bytes(shape)) {
      status = rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "%s make two elements overlap, at bytes %" PRId64 " and %" PRId64, name,
                        places[i - 1], places[i]);
    }
  }
  rlt_free(places);
  return status;
}

relayout_status rlt_strides_check_apart(const relayout_shape *shape, const int64_t *byte_strides,
                                        const char *name, relayout_error *error) {
  if (relayout_shape_element_count(shape) == 0) {
    return RELAYOUT_OK;
  }
  int32_t order[RELAYOUT_MAX_RANK];
  const int32_t count = sort_dimensions(shape, byte_strides, order);
  if (are_nested(shape, byte_strides, order, count)) {
    return RELAYOUT_OK;
  }
  if (llabs(byte_strides[order[0]]) < element_bytes(shape)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s[%" PRId32 "] is %" PRId64 "; elements of %" PRId64 " bytes would overlap",
                    name, order[0], byte_strides[order[0]], element_bytes(shape));
  }
  return check_each(shape, byte_strides, name, error);
}

int64_t rlt_strides_common_bytes(const relayout_shape *shape, const int64_t *byte_strides,
                                 int64_t bytes) {
  if (relayout_shape_element_count(shape) == 0) {
    return bytes;
  }
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (shape->dimensions[d] > 1) {
      bytes = rlt_common_factor(bytes, llabs(byte_strides[d]));
    }
  }
  return bytes;
}
