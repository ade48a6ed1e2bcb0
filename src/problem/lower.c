#include "problem/lower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static relayout_status check_supported(const relayout_layout *layout, const char *side,
                                       relayout_error *error) {
  if (layout->tile_count > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "the layout of `%s` has tiles (T), not supported yet", side);
  }
  if (layout->element_size_in_bits != 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "the layout of `%s` has element_size_in_bits (E) %" PRId64
                    ", not supported yet",
                    side, layout->element_size_in_bits);
  }
  if (layout->tail_padding_alignment_in_elements > 1) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "the layout of `%s` has tail_padding_alignment_in_elements (L) %" PRId64
                    ", not supported yet",
                    side, layout->tail_padding_alignment_in_elements);
  }
  return RELAYOUT_OK;
}

static relayout_status check_same_tensor(const relayout_shape *from, const relayout_shape *to,
                                         relayout_error *error) {
  if (from->element_type != to->element_type) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "the element type of `from` is %s, that of `to` is %s",
                    relayout_element_type_name(from->element_type),
                    relayout_element_type_name(to->element_type));
  }
  if (from->rank != to->rank) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "the rank of `from` is %" PRId32 ", that of `to` is %" PRId32, from->rank,
                    to->rank);
  }
  for (int32_t d = 0; d < from->rank; ++d) {
    if (from->dimensions[d] != to->dimensions[d]) {
      return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                      "dimensions[%" PRId32 "] of `from` is %" PRId64 ", that of `to` is %" PRId64,
                      d, from->dimensions[d], to->dimensions[d]);
    }
  }
  return RELAYOUT_OK;
}

/* An error of one side says which side it is. */
static relayout_status check_side(const relayout_shape *shape, const char *side,
                                  relayout_error *error) {
  relayout_error found;
  const relayout_status status = relayout_shape_validate(shape, &found);
  if (status != RELAYOUT_OK) {
    return rlt_fail(error, status, "`%s`: %s", side, found.message);
  }
  return check_supported(&shape->layout, side, error);
}

static relayout_status lower_axes(const relayout_shape *from, const relayout_shape *to,
                                  rlt_problem *problem, relayout_error *error) {
  relayout_status status = check_side(from, "from", error);
  if (status == RELAYOUT_OK) {
    status = check_side(to, "to", error);
  }
  if (status == RELAYOUT_OK) {
    status = check_same_tensor(from, to, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }

  int64_t source_strides[RELAYOUT_MAX_RANK];
  int64_t destination_strides[RELAYOUT_MAX_RANK];
  memset(problem, 0, sizeof *problem);
  problem->element_bytes = (int64_t)relayout_element_type_byte_size(from->element_type);
  if ((status = relayout_shape_strides(from, source_strides, error)) != RELAYOUT_OK ||
      (status = relayout_shape_strides(to, destination_strides, error)) != RELAYOUT_OK ||
      (status = relayout_shape_physical_element_count(from, &problem->source_elements, error)) !=
          RELAYOUT_OK ||
      (status = relayout_shape_physical_element_count(to, &problem->destination_elements, error)) !=
          RELAYOUT_OK ||
      (status = relayout_layout_padding_bytes(&to->layout, to->element_type, problem->fill,
                                              error)) != RELAYOUT_OK) {
    return status;
  }

  problem->fills =
      relayout_shape_is_padded(to) && to->layout.padding_value != RELAYOUT_PADDING_UNKNOWN;
  problem->axis_count = from->rank;
  for (int32_t d = 0; d < from->rank; ++d) {
    problem->axes[d] = (rlt_axis){
        .extent = problem->fills ? relayout_shape_padded_dimension(to, d) : to->dimensions[d],
        .valid = to->dimensions[d],
        .source_stride = source_strides[d],
        .destination_stride = destination_strides[d],
    };
  }
  return RELAYOUT_OK;
}

relayout_status rlt_lower(const relayout_shape *from, const relayout_shape *to,
                          const rlt_changes *changes, rlt_lowered *made, relayout_error *error) {
  (void)changes;
  *made = (rlt_lowered){.problems = calloc(1, sizeof(rlt_problem))};
  if (made->problems == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a problem");
  }
  const relayout_status status = lower_axes(from, to, made->problems, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->source_bytes = made->problems->source_elements * made->problems->element_bytes;
  made->destination_bytes = made->problems->destination_elements * made->problems->element_bytes;
  rlt_problem_simplify(made->problems);
  made->count = rlt_problem_is_empty(made->problems) ? 0 : 1;
  return RELAYOUT_OK;
}

void rlt_lowered_free(rlt_lowered *made) {
  free(made->problems);
  free(made->steps);
  *made = (rlt_lowered){.count = 0};
}
