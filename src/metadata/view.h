/* view.h: one side of a relayout as the library hands it on: a caller's view, or a shape alone, of
 * which nothing is copied.
 *
 * Depends on the public views.
 */
#ifndef RLT_METADATA_VIEW_H
#define RLT_METADATA_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/view.h"

typedef struct rlt_view {
  const relayout_shape *shape;
  const int64_t *byte_strides; /* NULL: lies as its layout says */
  int64_t byte_offset;
  bool is_read_only;
} rlt_view;

static inline rlt_view rlt_view_of_shape(const relayout_shape *shape) {
  return (rlt_view){.shape = shape};
}

static inline rlt_view rlt_view_of(const relayout_view *view) {
  return (rlt_view){&view->shape, view->is_strided ? view->byte_strides : NULL, view->byte_offset,
                    view->is_read_only};
}

/* The largest distance from 0 of an offset that a view may have. */
int64_t rlt_view_most_offset(void);

/* No offset is so large that sums of it and of sizes do not fit. `name` is the view's in messages.
 * RELAYOUT_SIZE_OVERFLOW. */
relayout_status rlt_view_check_offset(int64_t byte_offset, const char *name, relayout_error *error);

#endif
