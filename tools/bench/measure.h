/* measure.h: one case of a benchmark on one device: is there room, is the result right, how long
 * does it take, and how long do a plain copy of as many bytes and the target's peers. Depends on
 * room.h, target.h and verify.h. */
#ifndef TOOLS_BENCH_MEASURE_H
#define TOOLS_BENCH_MEASURE_H

#include <stdbool.h>

#include "report.h"
#include "results.h"
#include "target.h"

/* Measures a case, which is shrunk when there is no room and it may be. Whatever keeps it from
 * being measured is in result->skipped, and tells by the exit code how bad it is:
 * EXIT_CODE_DIFFERENT when the result is not what the oracle says, which is reported too. */
exit_code bench_measure(bench_target *target, const bench_case *of, bool is_hot,
                        bench_result *result);

#endif
