/* trial.h: one relayout, what its buffers hold before it and what they must hold after.
 *
 * The source's padding, the destination and the guards around both are poisoned, to the bit: each
 * with a byte that no element holds, unless elements are packed or change their type, so that what
 * strays shows. Depends on random.h, values.h and the oracle.
 */
#ifndef CONFORMANCE_TRIAL_H
#define CONFORMANCE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/oracle.h"
#include "relayout/plan.h"

enum {
  TRIAL_ELEMENT_BYTES = 0xf0, /* every byte of an element of a source is below this */
  TRIAL_SOURCE_POISON = 0xf3,
  TRIAL_DESTINATION_POISON = 0xf6 /* GUARD_BYTE is another one */
};

/* What is asked for. Shapes and strides belong to whoever asks. */
typedef struct request {
  const relayout_shape *from;
  const relayout_shape *to;
  oracle_options options;
  bool as_chosen; /* with the schedule that the library chooses, and no other */
} request;

/* Whether elements are converted, not moved as they are. */
bool request_converts(const request *asked);

/* What a plan of it is made with, beside the sides. */
relayout_plan_options request_plan_options(const request *asked);

typedef struct trial {
  const request *asked;
  size_t source_size; /* of a strided side: from its first element in memory to its last */
  size_t destination_size;
  size_t source_origin; /* bytes up to the element at index 0, ..., 0 */
  size_t destination_origin;
  unsigned char *source;
  unsigned char *before; /* the destination */
  unsigned char *after;
} trial;

/* False when memory runs out. The request must outlive the trial. */
bool trial_make(const request *asked, trial *made);
void trial_free(trial *made);

#endif
