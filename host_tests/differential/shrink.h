/* shrink.h: making a case that fails smaller.
 *
 * Depends on check.h.
 */
#ifndef DIFFERENTIAL_SHRINK_H
#define DIFFERENTIAL_SHRINK_H

#include "differential/check.h"

/* Tries the case, and while it fails what is a step smaller, until no step fails any more: `what`
 * is the smallest then, `found` says what is wrong with it, and `tries` how many were tried. */
check_outcome shrink(checker *by, drawn_case *what, uint64_t *tries, char *found);

#endif
