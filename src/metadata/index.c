/* index.c: multi-indices and linear indices. Depends on index_program.h and on base/. */
#include "relayout/index.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "metadata/index_program.h"
#include "metadata/widths.h"

bool relayout_index_in_bounds(const relayout_shape *shape, const int64_t *index) {
  if (relayout_shape_validate(shape, NULL) != RELAYOUT_OK || (shape->rank > 0 && index == NULL)) {
    return false;
  }
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (index[d] < 0 || index[d] >= shape->dimensions[d]) {
      return false;
    }
  }
  return true;
}

/* An empty program, which is too large for a stack. */
static relayout_status new_program(rlt_index_program **program, relayout_error *error) {
  *program = rlt_malloc(sizeof **program);
  if (*program == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the index program of a layout");
  }
  (*program)->count = 0;
  return RELAYOUT_OK;
}

relayout_status relayout_index_to_linear(const relayout_shape *shape, const int64_t *index,
                                         int64_t *linear, relayout_error *error) {
  if (linear == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "linear is NULL");
  }
  relayout_status status = relayout_shape_validate(shape, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (shape->rank > 0 && index == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "index is NULL");
  }
  int64_t numbers[RLT_MOST_NUMBERS] = {0};
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t width = rlt_padded_width(shape, d);
    if (index[d] < 0 || index[d] >= width) {
      return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                      "index[%d] is %" PRId64 ", out of range for dimension %d of size %" PRId64, d,
                      index[d], d, width);
    }
    numbers[d] = index[d];
  }
  rlt_index_program *program = NULL;
  status = new_program(&program, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_index_program_to_linear(shape, program);
  rlt_index_program_run(program, numbers);
  *linear = numbers[program->result];
  rlt_free(program);
  return RELAYOUT_OK;
}

relayout_status relayout_index_from_linear(const relayout_shape *shape, int64_t linear,
                                           int64_t *index, relayout_error *error) {
  int64_t count = 0;
  relayout_status status = relayout_shape_physical_element_count(shape, &count, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (linear < 0 || linear >= count) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "linear is %" PRId64 ", out of range for an array of %" PRId64 " elements",
                    linear, count);
  }
  if (shape->rank > 0 && index == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "index is NULL");
  }
  rlt_index_program *program = NULL;
  status = new_program(&program, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_index_program_from_linear(shape, program);
  int64_t numbers[RLT_MOST_NUMBERS] = {linear};
  const bool is_found = rlt_index_program_run(program, numbers);
  for (int32_t d = 0; d < shape->rank; ++d) {
    index[d] = is_found ? numbers[d] : -1;
  }
  rlt_free(program);
  return RELAYOUT_OK;
}

bool relayout_index_bump(const relayout_shape *shape, int64_t *index) {
  if (relayout_shape_element_count(shape) == 0 || index == NULL) {
    return false;
  }
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    if (index[d] < shape->dimensions[d] - 1) {
      ++index[d];
      return true;
    }
    index[d] = 0;
  }
  return false;
}

relayout_status relayout_index_dimension_stride(const relayout_shape *shape, int64_t number,
                                                int64_t *stride, relayout_error *error) {
  if (stride == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "stride is NULL");
  }
  int64_t strides[RELAYOUT_MAX_RANK];
  int32_t dimension = 0;
  relayout_status status = relayout_shape_strides(shape, strides, error);
  if (status == RELAYOUT_OK) {
    status = relayout_shape_dimension_number(shape, number, &dimension, error);
  }
  if (status == RELAYOUT_OK) {
    *stride = strides[dimension];
  }
  return status;
}
