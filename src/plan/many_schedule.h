/* many_schedule.h: how a plan of several destinations goes through its boxes, as one line of text:
 *
 *     boxes order=1,0 sizes=64,512 group=256 loads=4 stores=4,8
 *
 * where
 *
 *     order          the dimensions in which rows of values run in a box, minor to major
 *     sizes          of a box, along each dimension
 *     group          work-items of a work-group
 *     loads, stores  how many elements a work-item loads at once, and how many of each destination
 *                    of the kernel's it stores at once
 *
 * The first two are not printed for scalars, and the last three for work-group kernels alone.
 *
 * Depends on metadata/fields.h and base/. */
#ifndef RLT_PLAN_MANY_SCHEDULE_H
#define RLT_PLAN_MANY_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "relayout/layout.h"
#include "relayout/status.h"

enum { RLT_MOST_DESTINATIONS = 16, RLT_MOST_SIDES = RLT_MOST_DESTINATIONS + 1 };

/* The name of the method. */
#define RLT_MANY_METHOD "boxes"

/* One that is asked for may leave out any of it, which the plan then chooses. */
typedef struct rlt_many_schedule {
  int32_t rank;
  bool has_order;
  bool has_sizes;
  int32_t order[RELAYOUT_MAX_RANK];
  int64_t sizes[RELAYOUT_MAX_RANK];
  int64_t group_size;  /* 0: left out, or there is no kernel; so are the next two */
  int64_t loads;       /* elements */
  int32_t store_count; /* destinations */
  int64_t stores[RLT_MOST_DESTINATIONS];
} rlt_many_schedule;

/* Room for any schedule's text, with a NUL: each size has 19 digits at most. */
enum { RLT_MANY_TEXT_SIZE = 2 << 10 };

void rlt_many_schedule_add_text(const rlt_many_schedule *schedule, rlt_text *text);

bool rlt_many_schedules_equal(const rlt_many_schedule *a, const rlt_many_schedule *b);

/* Reads a text, for tensors of this rank. RELAYOUT_INVALID_TEXT, with the column, if it is not a
 * schedule's. */
relayout_status rlt_many_schedule_read(const char *text, int32_t rank, rlt_many_schedule *made,
                                       relayout_error *error);

#endif
