/* cases.h: what threads move at random: the conformance suite's least level, made once.
 *
 * Depends on the suite's cases.h and trial.h.
 */
#ifndef STRESS_CASES_H
#define STRESS_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "conformance/trial.h"
#include "relayout/relayout.h"

/* A relayout, and what its buffers hold before and behind it, by the oracle. */
typedef struct stress_case {
  relayout_shape from_shape;
  relayout_shape to_shape;
  int64_t source_byte_strides[RELAYOUT_MAX_RANK];
  int64_t destination_byte_strides[RELAYOUT_MAX_RANK];
  request asked; /* of what stands above */
  relayout_view from;
  relayout_view to;
  trial bytes;
} stress_case;

typedef struct stress_cases {
  size_t count;
  size_t small_count; /* the first ones; the others are large enough for several threads */
  stress_case *of;
} stress_cases;

/* For a device that compiles programs, whose kinds are kept few, and which gets no large ones; or
 * for the CPU backend. False when memory runs out. */
bool stress_cases_make(bool compiles, stress_cases *made);
void stress_cases_free(stress_cases *made);

#endif
