/* log.h: messages for whom relayout_set_log named. Depends on hooks.h. */
#ifndef RLT_BASE_LOG_H
#define RLT_BASE_LOG_H

#include "relayout/hooks.h"

/* Costs little where nobody hears it. A message that there is no memory for is cut. */
void rlt_log(relayout_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
