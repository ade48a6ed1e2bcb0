/* schedules.h: every schedule that is offered for a plan's parts, as texts. */
#ifndef CONFORMANCE_SCHEDULES_H
#define CONFORMANCE_SCHEDULES_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/relayout.h"

/* Every text fits, with its NUL. */
enum { SCHEDULES_MOST_PARTS = 64, SCHEDULES_TEXT_SIZE = 4096 };

typedef struct schedules {
  int32_t part_count;
  size_t count;                        /* of the part that has the most: so many rounds run all */
  size_t counts[SCHEDULES_MOST_PARTS]; /* of each part */
  char **texts[SCHEDULES_MOST_PARTS];
} schedules;

/* False without memory; what is there is freed with schedules_free all the same. */
bool schedules_of(const relayout_plan *plan, schedules *made);
void schedules_free(schedules *used);

/* One for each part, which has as many: those with the fewest come round again. */
void schedules_of_round(const schedules *of, size_t round, const char **texts);

/* What both sides' places must be multiples of, in bytes, for these texts. */
void schedules_alignment(const char *const *texts, int32_t count, size_t *source,
                         size_t *destination);

/* Whether two texts are the same but for the work-items of a work-group, as a kernel may run with
 * fewer than the device, and for whether the kernel is specialised, which options say too. */
bool schedules_are_same(const char *a, const char *b);

#endif
