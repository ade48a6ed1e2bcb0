/* comparison.h: what got slower and what got faster since another benchmark. Depends on results.h
 * and json_text.h.
 *
 * Fractions of the copy are compared, not times: what makes the whole machine slower leaves them as
 * they are. A fraction has changed when it has by more than a tenth, and by more than it spread
 * from repetition to repetition in either run. */
#ifndef TOOLS_BENCH_COMPARISON_H
#define TOOLS_BENCH_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "results.h"

/* One case of the other benchmark. */
typedef struct comparison_case {
  char name[BENCH_NAME_SIZE];
  char *from;
  char *to;
  double fraction;
  double spread; /* 0 where it is not told */
} comparison_case;

typedef struct comparison {
  char device[32];
  double geomean; /* 0 where it is not told */
  comparison_case *cases;
  size_t count;
} comparison;

/* Reads what results_json_write wrote, now or earlier. RELAYOUT_INVALID_TEXT with the place,
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status comparison_parse(const char *text, comparison *old, relayout_error *error);
void comparison_free(comparison *old);

typedef enum comparison_verdict {
  COMPARISON_SAME,
  COMPARISON_SLOWER,
  COMPARISON_FASTER,
  COMPARISON_NEW /* the other benchmark lacks the case: name and both shapes must be the same */
} comparison_verdict;

/* `*matching` becomes the other benchmark's case, or NULL. */
comparison_verdict comparison_judge(const comparison *old, const bench_result *result,
                                    const comparison_case **matching);

/* Says what changed, the worst first. False without memory. */
bool comparison_print(const comparison *old, const bench_results *results, FILE *file);

#endif
