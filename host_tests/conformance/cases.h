/* cases.h: what every device must relay out.
 *
 * They come in families, each after one thing that can go wrong. A level takes a sample of each
 * family, FULL all of most. Depends on random.h, trial.h and the oracle.
 */
#ifndef CONFORMANCE_CASES_H
#define CONFORMANCE_CASES_H

#include <stdbool.h>
#include <stdint.h>

#include "conformance/conformance.h"
#include "conformance/trial.h"

typedef void (*cases_visitor)(void *context, const request *asked);

/* Visits the level's requests in an order of their own. The seed decides which are sampled and how
 * the free choices (element type, padding) of each fall. Where the device compiles a kernel for
 * each pair of element types, only some pairs are visited. */
void cases_visit(conformance_level level, bool compiles, uint64_t seed, cases_visitor visit,
                 void *context);

#endif
