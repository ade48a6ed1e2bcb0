/* view_of.h: a view of any shape and strides, valid or not; without strides where they are NULL.
 *
 * Depends on the public views.
 */
#ifndef HOST_TESTS_VIEW_OF_H
#define HOST_TESTS_VIEW_OF_H

#include "relayout/view.h"

static inline relayout_view view_of(const relayout_shape *shape, const int64_t *byte_strides) {
  relayout_view made = {.shape = *shape, .is_strided = byte_strides != NULL};
  for (int32_t d = 0; d < shape->rank && byte_strides != NULL; ++d) {
    made.byte_strides[d] = byte_strides[d];
  }
  return made;
}

#endif
