/* many_search.c: the schedules that a plan of several destinations could have, which of them is the
 * fastest, and remembering that. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "metadata/shape_text.h"
#include "plan/many.h"
#include "search/measure.h"
#include "search/turns.h"
#include "search/wisdom.h"
#include "search/wisdom_lines.h"

/* ---- Candidates ----------------------------------------------------------------------------- */

/* Orders of all sides, by sizes and runs that are parts and multiples of what would be chosen, and
 * what a kernel's work-groups vary in. */
enum {
  ELEMENT_SHARES = 4,
  RUN_LENGTHS = 4,
  MOST_BOXES = RLT_MOST_SIDES * ELEMENT_SHARES * RUN_LENGTHS + 1,
  GROUP_SHARES = 3,
  WIDTH_SHARES = 2,
  MOST_VARIED = 2 * GROUP_SHARES + 2 * WIDTH_SHARES,
  MOST_CANDIDATES = MOST_BOXES + MOST_VARIED
};

/* What candidates are made of, and those that are there. */
typedef struct candidate_list {
  const rlt_plan_request *asked;
  relayout_device *device;
  rlt_many_sides of;
  relayout_scaled_view *views;
  int32_t count;
  rlt_many_candidate all[MOST_CANDIDATES];
} candidate_list;

static bool is_listed(const candidate_list *list, const rlt_many_schedule *schedule) {
  bool is = false;
  for (int32_t i = 0; i < list->count; ++i) {
    is = is || rlt_many_schedules_equal(&list->all[i].schedule, schedule);
  }
  return is;
}

static void add(candidate_list *list, const rlt_many *many) {
  rlt_cost cost;
  if (list->count < MOST_CANDIDATES && !is_listed(list, &many->schedule)) {
    rlt_many_estimate(many, &cost);
    list->all[list->count++] = (rlt_many_candidate){many->schedule, cost.fraction};
  }
}

/* What this schedule comes to, unless the plan cannot have it. */
static relayout_status add_asked(candidate_list *list, const rlt_many_schedule *schedule,
                                 relayout_error *error) {
  rlt_many *made = NULL;
  relayout_error cause;
  relayout_status status =
      rlt_many_make(list->device, &list->of, list->asked, schedule, true, &made, &cause);
  if (status == RELAYOUT_OK) {
    add(list, made);
  }
  rlt_many_free(made);
  return status == RELAYOUT_OUT_OF_MEMORY ? rlt_fail(error, status, "%s", cause.message)
                                          : RELAYOUT_OK;
}

/* Boxes of other limits, in rows of this order. */
static relayout_status add_order(candidate_list *list, const rlt_many *many, const int32_t *order,
                                 relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int n = 0; n < ELEMENT_SHARES * RUN_LENGTHS && status == RELAYOUT_OK; ++n) {
    rlt_boxes boxes;
    rlt_box_limits limits = {rlt_max(many->limits.elements * 2 >> n % ELEMENT_SHARES, 1),
                             rlt_max(many->limits.run_bytes * 4 >> 2 * (n / ELEMENT_SHARES), 1)};
    rlt_boxes_begin(&many->from.elements.shape, list->of.range, &boxes);
    rlt_boxes_choose(&many->from, list->views, many->count, order, limits, &boxes);
    rlt_many_schedule schedule = {
        .rank = boxes.rank, .has_order = boxes.rank > 0, .has_sizes = boxes.rank > 0};
    memcpy(schedule.order, order, sizeof schedule.order);
    memcpy(schedule.sizes, boxes.sizes, sizeof schedule.sizes);
    status = is_listed(list, &schedule) ? RELAYOUT_OK : add_asked(list, &schedule, error);
  }
  return status;
}

/* A kernel reads its source in the order in which that lies in memory. */
static relayout_status add_orders(candidate_list *list, const rlt_many *many,
                                  relayout_error *error) {
  relayout_status status = add_order(list, many, many->order, error);
  for (int32_t s = 0; s <= many->count && status == RELAYOUT_OK && many->on_device == NULL; ++s) {
    int32_t order[RELAYOUT_MAX_RANK] = {0};
    rlt_order_of(s == 0 ? &many->from : &list->views[s - 1], order);
    if (many->boxes.rank > 0 && memcmp(order, many->order, sizeof order) != 0) {
      status = add_order(list, many, order, error);
    }
  }
  return status;
}

/* Other work-groups and vectors for the same boxes. */
static relayout_status add_varied(candidate_list *list, const rlt_many_schedule *base,
                                  relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int n = 1; n <= GROUP_SHARES && status == RELAYOUT_OK && base->group_size > 0; ++n) {
    rlt_many_schedule varied = *base;
    varied.group_size = base->group_size >> n;
    status = varied.group_size > 0 ? add_asked(list, &varied, error) : status;
    varied.group_size = base->group_size << n;
    status = status == RELAYOUT_OK ? add_asked(list, &varied, error) : status;
  }
  for (int n = 1; n <= WIDTH_SHARES && status == RELAYOUT_OK && base->group_size > 0; ++n) {
    rlt_many_schedule varied = *base;
    varied.loads = rlt_max(base->loads >> n, 1);
    status = add_asked(list, &varied, error);
    varied = *base;
    for (int32_t i = 0; i < varied.store_count; ++i) {
      varied.stores[i] = rlt_max(base->stores[i] >> n, 1);
    }
    status = status == RELAYOUT_OK ? add_asked(list, &varied, error) : status;
  }
  return status;
}

static void sort(candidate_list *list) {
  for (int32_t i = 1; i < list->count; ++i) {
    const rlt_many_candidate moved = list->all[i];
    int32_t at = i;
    for (; at > 0 && list->all[at - 1].fraction < moved.fraction; --at) {
      list->all[at] = list->all[at - 1];
    }
    list->all[at] = moved;
  }
}

static void free_list(candidate_list *list) {
  if (list != NULL) {
    rlt_free(list->views);
    rlt_free(list);
  }
}

/* A list that has the plan's own schedule alone. */
static relayout_status begin_list(const rlt_many *many, const rlt_plan_request *asked,
                                  candidate_list **made, relayout_error *error) {
  candidate_list *const list = rlt_calloc(1, sizeof *list);
  *made = list;
  if (list != NULL) {
    list->views = rlt_malloc((size_t)many->count * sizeof *list->views);
  }
  if (list == NULL || list->views == NULL) {
    free_list(list);
    *made = NULL;
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory for the schedules of %" PRId32 " destinations", many->count);
  }
  for (int32_t i = 0; i < many->count; ++i) {
    list->views[i] = many->to[i].view;
  }
  list->asked = asked;
  list->device = many->device;
  list->of = (rlt_many_sides){&many->from, list->views, many->count, &many->boxes.all};
  add(list, many);
  return RELAYOUT_OK;
}

static relayout_status make_list(const rlt_many *many, const rlt_plan_request *asked,
                                 candidate_list **made, relayout_error *error) {
  relayout_status status = begin_list(many, asked, made, error);
  if (status == RELAYOUT_OK) {
    status = add_orders(*made, many, error);
  }
  if (status == RELAYOUT_OK) {
    sort(*made);
  }
  return status;
}

relayout_status rlt_many_candidates(const rlt_many *many, const rlt_plan_request *asked,
                                    rlt_many_candidate **made, int32_t *count,
                                    relayout_error *error) {
  candidate_list *list = NULL;
  relayout_status status = make_list(many, asked, &list, error);
  *made = NULL;
  *count = 0;
  if (status == RELAYOUT_OK) {
    status = add_varied(list, &many->schedule, error);
  }
  if (status == RELAYOUT_OK) {
    sort(list);
    *made = rlt_malloc((size_t)list->count * sizeof **made);
    status = *made == NULL ? rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                                      "no memory for %" PRId32 " schedules", list->count)
                           : RELAYOUT_OK;
  }
  if (status == RELAYOUT_OK) {
    *count = list->count;
    memcpy(*made, list->all, (size_t)list->count * sizeof **made);
  }
  free_list(list);
  return status;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

enum { REPETITIONS = 5 /* after one that warms up */ };

/* As search/measure.c has it. */
static const double most_seconds_each = 0.25;
static const double hopeless = 4;

typedef struct comparison {
  relayout_device *device;
  candidate_list *list;
  void *scratch;
  int32_t most;
  int32_t count;
  relayout_plan **plans;
  rlt_timed *times;
  double seconds_left;
} comparison;

/* Takes part, unless it cannot be made: the device may lack memory for it. */
static void enter(comparison *held, const rlt_many_schedule *schedule) {
  rlt_many *made = NULL;
  relayout_plan *plan = NULL;
  relayout_status status =
      rlt_many_make(held->device, &held->list->of, held->list->asked, schedule, false, &made, NULL);
  if (status == RELAYOUT_OK) {
    status = rlt_plan_create_for_many(held->device, held->list->asked, made, &plan, NULL);
  }
  if (status == RELAYOUT_OK) {
    held->plans[held->count++] = plan;
  } else {
    rlt_many_free(made);
  }
}

static bool run_once(void *context, int32_t number, int32_t round, rlt_run_time *time) {
  const comparison *const held = context;
  double seconds = 0;
  (void)round;
  const bool ran = held->device->backend->many_time(held->plans[number], held->scratch, &seconds,
                                                    NULL) == RELAYOUT_OK;
  *time = (rlt_run_time){.counted = seconds, .taken = seconds};
  return ran;
}

/* The fastest of those that take part, which leave; NULL where none could run. The caller has what
 * it returns. */
static rlt_many *take_fastest(comparison *held) {
  const rlt_turns turns = {.count = held->count,
                           .least_rounds = 1,
                           .most_rounds = 1 + REPETITIONS,
                           .warms_up = true,
                           .seconds = held->seconds_left,
                           .seconds_each = most_seconds_each,
                           .run = run_once,
                           .context = held};
  int32_t best = -1;
  rlt_many *won = NULL;
  held->seconds_left -= rlt_take_turns(&turns, held->times);
  for (int32_t i = 0; i < held->count; ++i) {
    const bool counts = !held->times[i].is_out && held->times[i].runs > 0;
    best = counts && (best < 0 || held->times[i].least < held->times[best].least) ? i : best;
  }
  if (best >= 0) {
    won = held->plans[best]->many;
    held->plans[best]->many = NULL;
  }
  for (int32_t i = 0; i < held->count; ++i) {
    relayout_plan_destroy(held->plans[i]);
  }
  held->count = 0;
  return won;
}

/* What is chosen, and the best predicted; of a kernel then the fastest with other work-groups. */
static rlt_many *compare(comparison *held, const rlt_many_schedule *chosen) {
  const candidate_list *const list = held->list;
  const double best = list->all[0].fraction;
  enter(held, chosen);
  for (int32_t i = 0; i < list->count && held->count < held->most; ++i) {
    if (list->all[i].fraction >= best / hopeless &&
        !rlt_many_schedules_equal(&list->all[i].schedule, chosen)) {
      enter(held, &list->all[i].schedule);
    }
  }
  rlt_many *const first = take_fastest(held);
  const int32_t before = list->count;
  if (first == NULL || first->schedule.group_size == 0 || held->seconds_left <= 0 ||
      add_varied(held->list, &first->schedule, NULL) != RELAYOUT_OK || list->count == before) {
    return first;
  }
  enter(held, &first->schedule);
  for (int32_t i = before; i < list->count && held->count < held->most; ++i) {
    enter(held, &list->all[i].schedule);
  }
  rlt_many *const second = take_fastest(held);
  if (second == NULL) {
    return first;
  }
  rlt_many_free(first);
  return second;
}

/* Whether scratch memory for all tensors is little enough. */
static bool fits_scratch(const rlt_many *many) {
  int64_t largest = 0;
  const int64_t room = rlt_scratch_room(&many->device->info, &largest);
  int64_t all = 0;
  for (int32_t s = 0; s <= many->count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      const rlt_used_bytes *const used = &many->bytes[s][t];
      const size_t bytes = used->is_used ? used->bytes : 0;
      if (bytes > (size_t)largest) {
        return false;
      }
      all += (int64_t)bytes;
    }
  }
  return all <= room;
}

/* The fastest in place of what was chosen; that stays where nothing can be run. */
static void measure(const rlt_plan_request *asked, rlt_many **made) {
  rlt_many *const chosen = *made;
  const rlt_backend *const backend = chosen->device->backend;
  comparison held = {
      .device = chosen->device, .most = asked->measured, .seconds_left = RLT_MEASURE_SECONDS};
  rlt_many *won = NULL;
  if (asked->measured < 2 || !rlt_many_has_schedule(chosen) || !fits_scratch(chosen)) {
    return;
  }
  held.plans = rlt_calloc((size_t)held.most, sizeof(relayout_plan *));
  held.times = rlt_calloc((size_t)held.most, sizeof *held.times);
  if (held.plans != NULL && held.times != NULL &&
      make_list(chosen, asked, &held.list, NULL) == RELAYOUT_OK &&
      backend->many_scratch_create(chosen, &held.scratch, NULL) == RELAYOUT_OK) {
    won = compare(&held, &chosen->schedule);
    backend->many_scratch_destroy(chosen->device, held.scratch);
  }
  free_list(held.list);
  rlt_free((void *)held.plans);
  rlt_free(held.times);
  if (won != NULL) {
    won->choice = RLT_CHOICE_MEASURED;
    rlt_many_free(chosen);
    *made = won;
  }
}

/* ---- Remembering ---------------------------------------------------------------------------- */

static void add_view(const relayout_view *view, rlt_text *text) {
  for (int32_t d = 0; d < view->shape.rank && view->is_strided; ++d) {
    rlt_text_add(text, "%s%" PRId64, d == 0 ? " strides " : ",", view->byte_strides[d]);
  }
  rlt_text_add(text, " order %d", (int)view->byte_order);
}

static void add_side(const relayout_scaled_view *side, rlt_text *text) {
  rlt_text_add(text, " ");
  rlt_scaled_view_add_text(side, text);
  add_view(&side->elements, text);
  if (side->has_scales) {
    rlt_text_add(text, " rule %d", (int)side->rule);
    add_view(&side->scales, text);
  }
  if (side->has_zero_points) {
    add_view(&side->zero_points, text);
  }
  if (side->has_tensor_scale) {
    add_view(&side->tensor_scale, text);
  }
}

/* How the plan's sides are known. */
static void add_key(const rlt_many_sides *of, const rlt_plan_request *asked, rlt_text *text) {
  const int32_t rank = of->from->elements.shape.rank;
  rlt_text_add(text, RLT_WISDOM_OF_SIDES "%s%s", asked->changes.wraps ? "wrap " : "",
               asked->changes.rounds_to_nearest ? "nearest " : "");
  if ((float)asked->changes.scale != 1) {
    rlt_text_add_double(text, "times %.9g ", (double)(float)asked->changes.scale);
  }
  for (int32_t d = 0; d < rank && of->range != NULL; ++d) {
    rlt_text_add(text, "%s%" PRId64 ":%" PRId64, d == 0 ? "range " : ",", of->range->start[d],
                 of->range->sizes[d]);
  }
  rlt_text_add(text, "from");
  add_side(of->from, text);
  for (int32_t i = 0; i < of->count; ++i) {
    rlt_text_add(text, " to");
    add_side(&of->to[i], text);
  }
}

static void remember(const rlt_many_sides *of, const rlt_plan_request *asked,
                     const rlt_many *many) {
  char key[RLT_LONGEST_WISDOM_LINE], value[RLT_MANY_TEXT_SIZE];
  rlt_text text = rlt_text_in(key, sizeof key);
  add_key(of, asked, &text);
  rlt_text schedule = rlt_text_in(value, sizeof value);
  rlt_many_schedule_add_text(&many->schedule, &schedule);
  if (text.length < sizeof key) {
    rlt_wisdom_remember_text(many->device, key, value);
  }
}

/* NULL where nothing is remembered that can still be made. */
static rlt_many *make_remembered(relayout_device *device, const rlt_many_sides *of,
                                 const rlt_plan_request *asked) {
  char line[RLT_LONGEST_WISDOM_LINE];
  rlt_text text = rlt_text_in(line, sizeof line);
  rlt_many_schedule schedule;
  rlt_many *made = NULL;
  add_key(of, asked, &text);
  if (text.length >= sizeof line || !rlt_wisdom_find_text(device, line) ||
      rlt_many_schedule_read(line, of->from->elements.shape.rank, &schedule, NULL) != RELAYOUT_OK) {
    return NULL;
  }
  if (rlt_many_make(device, of, asked, &schedule, false, &made, NULL) != RELAYOUT_OK) {
    rlt_many_free(made);
    return NULL;
  }
  made->choice = RLT_CHOICE_REMEMBERED;
  return made;
}

relayout_status rlt_many_make_best(relayout_device *device, const rlt_many_sides *of,
                                   const rlt_plan_request *asked, rlt_many **made,
                                   relayout_error *error) {
  *made = rlt_wisdom_is_empty(device) ? NULL : make_remembered(device, of, asked);
  if (*made != NULL) {
    return RELAYOUT_OK;
  }
  const relayout_status status = rlt_many_make(device, of, asked, NULL, false, made, error);
  if (status == RELAYOUT_OK && asked->effort == RELAYOUT_PLAN_MEASURE) {
    measure(asked, made);
    if ((*made)->choice == RLT_CHOICE_MEASURED) {
      remember(of, asked, *made);
    }
  }
  return status;
}
