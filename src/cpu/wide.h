/* wide.h: rows of elements with scales, some of which f32 does not hold: of integers of 32 bits and
 * more, and of f64.
 *
 * Depends on scale_passes.h.
 */
#ifndef RLT_CPU_WIDE_H
#define RLT_CPU_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/scale_passes.h"
#include "relayout/element_type.h"

/* What becomes of a row, of which `scales` says the scales of both sides alone. */
typedef struct rlt_wide_rescaling {
  relayout_element_type from;
  relayout_element_type to;
  bool rounds_to_nearest; /* what becomes an integer */
  const rlt_rescaling *scales;
} rlt_wide_rescaling;

/* ((element - point) * scale) / scale + point of elements first .. first + count - 1 of a row, of
 * which the first is given: exact, and rounded once. */
void rlt_cpu_rescale_wide(const rlt_wide_rescaling *of, const void *elements, int64_t first,
                          int64_t count, void *to);

#endif
