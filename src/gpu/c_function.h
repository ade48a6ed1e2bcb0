/* c_function.h: what a plan does as a function in C, for processors without the library.
 *
 * Depends on kernel_text.h and the plan.
 */
#ifndef RLT_GPU_C_FUNCTION_H
#define RLT_GPU_C_FUNCTION_H

#include "emit/source.h"
#include "plan/plan.h"

/* `void name(const void *source, void *destination)`, without any comment. RELAYOUT_OUT_OF_MEMORY.
 */
relayout_status rlt_c_function_make(const relayout_plan *plan, const char *name, rlt_source *made,
                                    relayout_error *error);

#endif
