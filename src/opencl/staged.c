/* staged.c: the shapes that the STAGED kernels want their tiles in. */
#include "opencl/staged.h"

#include "base/checked.h"

int64_t rlt_staged_transpose_side(const rlt_opencl_device *device, int64_t element_bytes) {
  /* Lines of at least 64 bytes on both sides, and some words for each work-item. */
  int64_t side = element_bytes <= 2 ? 64 : 32;
  while (side > 1 && element_bytes * side * (side + 1) > (int64_t)device->local_bytes) {
    side /= 2;
  }
  return side;
}

/* A work-group shares a tile. Four 16-byte words a work-item make a run. Packed tiles stay small in
 * elements too, since a look-up goes with each. */
rlt_traits rlt_staged_traits(const rlt_opencl_device *device, int64_t element_bytes) {
  const int64_t side = rlt_staged_transpose_side(device, element_bytes);
  const int64_t local = (int64_t)(device->local_bytes / 2);
  return (rlt_traits){.line_bytes = 64,
                      .run_columns_bytes = 16 << 10,
                      .run_tile_bytes = 16 << 10,
                      .transpose_rows = side,
                      .transpose_columns = side,
                      .packed_tile_bytes = rlt_min(local, rlt_min(16 << 10, element_bytes << 12)),
                      .rates = {.line_again = 0.1, .line_in_parts = 0.5, .element = 0.02}};
}

int64_t rlt_staged_local_bytes(const rlt_build_options *options, const rlt_strategy *strategy) {
  switch (strategy->kind) {
  case RELAYOUT_STRATEGY_TRANSPOSE:
    return (int64_t)options->word_bytes * options->transpose_side * (options->transpose_side + 1);
  case RELAYOUT_STRATEGY_PACKED:
    return options->word_bytes * rlt_group_length(&strategy->rows) *
           (rlt_group_length(&strategy->columns) | 1);
  default:
    return 0;
  }
}
