/* box.c: a box of one tensor moved to a box of another: one of them is seen as a part of a tensor
 * with the other's dimensions, which lies where the boxes meet. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/view.h"
#include "relayout/plan.h"

/* One side, with the words of its arguments. */
typedef struct box_side {
  const relayout_view *view;
  const int64_t *start;
  const char *name;
} box_side;

static relayout_status check_arguments(box_side from, box_side to, const int64_t *sizes,
                                       relayout_error *error) {
  if (from.view == NULL || to.view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    from.view == NULL ? from.name : to.name);
  }
  const int32_t rank = from.view->shape.rank;
  if (rank != to.view->shape.rank) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "the rank of `from` is %" PRId32 ", that of `to` is %" PRId32, rank,
                    to.view->shape.rank);
  }
  if (rank > 0 && (from.start == NULL || to.start == NULL || sizes == NULL)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    from.start == NULL ? "from_start"
                    : to.start == NULL ? "to_start"
                                       : "sizes");
  }
  return RELAYOUT_OK;
}

/* That the view is valid and has all of the box. */
static relayout_status check_side(box_side of, const int64_t *sizes, relayout_error *error) {
  relayout_error found;
  const relayout_status status = relayout_view_validate(of.view, &found);
  if (status != RELAYOUT_OK) {
    return rlt_fail(error, status, "`%s`: %s", of.name, found.message);
  }
  const relayout_shape *const shape = &of.view->shape;
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t size = shape->dimensions[d];
    if (of.start[d] < 0 || sizes[d] < 0 || sizes[d] > size || of.start[d] > size - sizes[d]) {
      return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                      "%s_start[%" PRId32 "] is %" PRId64 " and sizes[%" PRId32 "] is %" PRId64
                      ", beyond a dimension of size %" PRId64,
                      of.name, d, of.start[d], d, sizes[d], size);
    }
  }
  return RELAYOUT_OK;
}

/* Whether a box of one is the same box of the other. */
static bool are_in_place(box_side from, box_side to) {
  bool are = relayout_shape_same_dimensions(&from.view->shape, &to.view->shape);
  for (int32_t d = 0; d < from.view->shape.rank; ++d) {
    are = are && from.start[d] == to.start[d];
  }
  return are;
}

/* The side as a part of a tensor with the dimensions of `frame`, in which its box begins where that
 * of `frame` does. RELAYOUT_UNSUPPORTED if it cannot be moved. */
static relayout_status move_into(box_side frame, box_side of, relayout_view *made,
                                 relayout_error *error) {
  const relayout_status status = rlt_view_as_strided(of.view, made, error);
  for (int32_t d = 0; d < of.view->shape.rank && status == RELAYOUT_OK; ++d) {
    int64_t bytes = 0;
    made->shape.dimensions[d] = frame.view->shape.dimensions[d];
    if (!rlt_multiply(of.start[d] - frame.start[d], made->byte_strides[d], &bytes) ||
        !rlt_add(made->byte_offset, bytes, &made->byte_offset)) {
      return rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                      "%s_start[%" PRId32 "] is %" PRId64 ", where byte offsets overflow 64 bits",
                      of.name, d, of.start[d]);
    }
  }
  return status;
}

relayout_status relayout_plan_create_box(relayout_device *device, const relayout_view *from,
                                         const int64_t *from_start, const relayout_view *to,
                                         const int64_t *to_start, const int64_t *sizes,
                                         const relayout_plan_options *options, relayout_plan **plan,
                                         relayout_error *error) {
  const box_side source = {from, from_start, "from"}, destination = {to, to_start, "to"};
  relayout_view moved;
  relayout_error cause;
  relayout_status status = check_arguments(source, destination, sizes, error);
  if (status == RELAYOUT_OK) {
    status = check_side(source, sizes, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_side(destination, sizes, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (are_in_place(source, destination)) {
    return relayout_plan_create_range(device, from, to, to_start, sizes, options, plan, error);
  }
  status = move_into(destination, source, &moved, &cause);
  if (status == RELAYOUT_OK) {
    return relayout_plan_create_range(device, &moved, to, to_start, sizes, options, plan, error);
  }
  if (status == RELAYOUT_UNSUPPORTED && !rlt_view_has_padding(to)) {
    status = move_into(source, destination, &moved, &cause);
  }
  if (status == RELAYOUT_OK) {
    return relayout_plan_create_range(device, from, &moved, from_start, sizes, options, plan,
                                      error);
  }
  return status != RELAYOUT_UNSUPPORTED
             ? rlt_fail(error, status, "%s", cause.message)
             : rlt_fail(error, status,
                        "from_start and to_start are different places, and neither side can be "
                        "moved to the other's: both have tiles, packed elements or wider "
                        "containers, or `to` has padding");
}
