/* verbose.c: writes what was done as a command that does the same, and how long it took. */
#include "plan/verbose.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "schedule/schedule_text.h"
#include "search/learner.h"

/* ---- Whether anything is told ---- */

enum { UNKNOWN, SILENT, VERBOSE };

/* Read once; threads that read it at the same time find the same. */
static atomic_int state = UNKNOWN;

static bool is_verbose(void) {
  int known = atomic_load_explicit(&state, memory_order_relaxed);
  if (known == UNKNOWN) {
    const char *const value = rlt_environment("RELAYOUT_VERBOSE");
    const bool is_on = value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
    known = is_on ? VERBOSE : SILENT;
    atomic_store_explicit(&state, known, memory_order_relaxed);
  }
  return known == VERBOSE;
}

double rlt_verbose_begin(void) {
  return is_verbose() ? rlt_seconds() : 0;
}

/* ---- The line ---- */

/* What a command cannot express: strides, a box, or a device without a name. */
static bool has_command(const relayout_plan *plan, const rlt_plan_views *views) {
  return !views->from.is_strided && !views->to.is_strided && plan->box == NULL &&
         plan->device->info.name[0] != '\0';
}

static void add_shape(rlt_text *text, const char *before, const relayout_view *view) {
  char shape[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(&view->shape, shape, sizeof shape);
  rlt_text_add(text, "%s'%s'", before, shape);
}

static bool is_asked_for(const relayout_plan *plan) {
  return plan->work.part_count > 0 && plan->work.parts[0].choice == RLT_CHOICE_ASKED_FOR;
}

static void add_command(rlt_text *text, const relayout_plan *plan, const rlt_plan_views *views) {
  add_shape(text, "relayout bench --from ", &views->from);
  add_shape(text, " --to ", &views->to);
  rlt_text_add(text, " --device %s", plan->device->info.name);
  if (plan->request.changes.scale != 1) {
    rlt_text_add(text, " --scale ");
    rlt_text_add_double(text, "%.17g", plan->request.changes.scale);
  }
  if (plan->request.changes.rounds_to_nearest) {
    rlt_text_add(text, " --round nearest");
  }
  if (plan->request.changes.wraps) {
    rlt_text_add(text, " --wrap");
  }
  if (plan->request.specialize) {
    rlt_text_add(text, " --specialize");
  }
  for (int32_t i = 0; i < plan->work.part_count && is_asked_for(plan); ++i) {
    rlt_text_add(text, " --schedule '");
    rlt_schedule_add_text(&rlt_variant_now(&plan->work.parts[i].variants[0])->candidate.schedule,
                          text);
    rlt_text_add(text, "'");
  }
}

/* What happens to values that a command cannot express. */
static void add_changes(rlt_text *text, const relayout_plan *plan) {
  if (plan->request.changes.scale != 1) {
    rlt_text_add(text, ", scaled by ");
    rlt_text_add_double(text, "%.9g", plan->request.changes.scale);
  }
  if (plan->request.changes.wraps) {
    rlt_text_add(text, ", wrapping");
  }
}

static void add_view(rlt_text *text, const relayout_view *view) {
  add_shape(text, view->is_strided ? "a strided " : "", view);
}

static void add_description(rlt_text *text, const relayout_plan *plan,
                            const rlt_plan_views *views) {
  add_view(text, &views->from);
  rlt_text_add(text, " to ");
  add_view(text, &views->to);
  if (plan->box != NULL) {
    rlt_text_add(text, ", a range of it,");
  }
  rlt_text_add(text, " on %s",
               plan->device->info.name[0] != '\0' ? plan->device->info.name
                                                  : plan->device->info.description);
  add_changes(text, plan);
}

static void add_move(rlt_text *text, const relayout_plan *plan, size_t count, double seconds) {
  const rlt_totals bytes = rlt_plan_totals(plan);
  const double moved = (double)count * ((double)bytes.read + (double)bytes.written);
  rlt_text_add(text, ", ");
  if (count != 1) {
    rlt_text_add(text, "%zu times ", count);
  }
  rlt_text_add(text, "%" PRId64 " bytes read and %" PRId64 " written", bytes.read, bytes.written);
  if (seconds > 0) {
    rlt_text_add(text, ", ");
    rlt_text_add_double(text, "%.2f", 1e-9 * moved / seconds);
    rlt_text_add(text, " GB/s");
  }
}

void rlt_verbose_add_line(rlt_told what, const relayout_plan *plan, size_t count, double seconds,
                          rlt_text *text) {
  rlt_plan_views views;
  rlt_plan_get_views(plan, &views);
  if (has_command(plan, &views)) {
    add_command(text, plan, &views);
    rlt_text_add(text, " # ");
  } else {
    rlt_text_add(text, "# ");
    add_description(text, plan, &views);
    rlt_text_add(text, ": ");
  }
  rlt_text_add(text, "%s in ",
               what == RLT_TOLD_PLAN      ? "plan made"
               : what == RLT_TOLD_EXECUTE ? "executed"
                                          : "enqueued");
  rlt_text_add_double(text, "%.4f", 1e3 * seconds);
  rlt_text_add(text, " ms");
  if (what == RLT_TOLD_PLAN) {
    rlt_text_add(text, ", %s, predicted ", relayout_plan_get_method(plan));
    rlt_text_add_double(text, "%.2f", relayout_plan_get_predicted_fraction(plan));
    rlt_text_add(text, " of a plain copy");
  } else {
    add_move(text, plan, count, what == RLT_TOLD_EXECUTE ? seconds : 0);
  }
  rlt_text_add(text, "%s\n", what == RLT_TOLD_ENQUEUE ? "; the time is that of the call" : "");
}

/* ---- Telling ---- */

/* Each line is written by one call, so that the lines of threads do not mix. */
static void tell(rlt_told what, const relayout_plan *plan, size_t count, double seconds) {
  rlt_text counted = rlt_text_in(NULL, 0);
  rlt_verbose_add_line(what, plan, count, seconds, &counted);
  char *const line = rlt_malloc(counted.length + 1);
  if (line == NULL) {
    return;
  }
  rlt_text text = rlt_text_in(line, counted.length + 1);
  rlt_verbose_add_line(what, plan, count, seconds, &text);
  const ssize_t written = write(STDERR_FILENO, line, text.length);
  (void)written; /* the line is lost then */
  rlt_free(line);
}

void rlt_verbose_end(double begun, rlt_told what, const relayout_plan *plan, size_t count) {
  if (begun > 0) {
    tell(what, plan, count, rlt_seconds() - begun);
  }
}
