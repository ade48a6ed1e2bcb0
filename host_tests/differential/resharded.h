/* resharded.h: a relayout whose sides are spread over devices: what each holds at the end is its
 * part of what the definition says.
 *
 * Depends on drawn_case.h and the suite's shards.h.
 */
#ifndef DIFFERENTIAL_RESHARDED_H
#define DIFFERENTIAL_RESHARDED_H

#include "differential/drawn_case.h"

typedef enum resharded_outcome {
  RESHARDED_RIGHT, /* or refused: boxes that share bytes, tiles without a common divisor */
  RESHARDED_WRONG,
  RESHARDED_NO_MEMORY
} resharded_outcome;

enum { RESHARDED_TEXT_SIZE = 1024 };

/* Draws two shardings from the case's number for them, and moves the trial's source from one to the
 * other, by way of messages. `wrong`, of RESHARDED_TEXT_SIZE bytes, gets what is wrong. */
resharded_outcome resharded_try(relayout_device *device, const drawn_case *what, const trial *bytes,
                                const relayout_plan_options *options, char *wrong);

#endif
