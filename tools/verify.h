/* verify.h: checks a relayout against the definition. Depends on the oracle, which shares no code
 * with the library. */
#ifndef TOOLS_VERIFY_H
#define TOOLS_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/plan.h"
#include "relayout/view.h"
#include "report.h"

/* Whether `result`, of `size` bytes that were zero before the relayout of `source` under these
 * options, is what it must be. Reports the first byte that is not. */
exit_code verify_relayout(const relayout_shape *from, const relayout_shape *to,
                          const relayout_plan_options *options, const uint8_t *source,
                          const uint8_t *result, size_t size);

/* The same between views that are not strided, which may have byte orders of their own. */
exit_code verify_views(const relayout_view *from, const relayout_view *to,
                       const relayout_plan_options *options, const uint8_t *source,
                       const uint8_t *result, size_t size);

#endif
