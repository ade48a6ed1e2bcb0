/* conformance.c: running the cases on a device, by every schedule that is offered for them, and
 * holding each result against the oracle. */
#include "conformance/conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/cases.h"
#include "conformance/failure.h"
#include "conformance/fault.h"
#include "conformance/mover.h"
#include "conformance/random.h"
#include "conformance/reordered.h"
#include "conformance/schedules.h"
#include "conformance/trial.h"
#include "oracle/oracle.h"
#include "view_of.h"

typedef struct suite {
  relayout_device *device;
  opencl_mover *opencl; /* NULL on other devices */
  conformance_progress progress;
  void *context;
  conformance_report *report;
  relayout_error *error;
  relayout_status status; /* OK while the suite can go on */
  fenced_pages source_pages;
  fenced_pages destination_pages;
  uint64_t random;
  size_t done;
  size_t total;
  uint64_t specialized; /* N: every N-th request is tried, by specialised kernels; 0: every request,
                           by general ones */
} suite;

/* ---- One relayout --------------------------------------------------------------------------- */

typedef enum path { PATH_HOST, PATH_BUFFERS } path;

/* A plan, and what its schedules ask of places beyond what elements do. */
typedef struct attempt {
  const relayout_plan *plan;
  const char *words; /* how it came about */
  bool is_chosen;    /* the library chose the schedules */
  size_t source_alignment;
  size_t destination_alignment;
} attempt;

static void fail_out_of_memory(suite *s) {
  s->status = RELAYOUT_OUT_OF_MEMORY;
  if (s->error != NULL) {
    s->error->status = s->status;
    s->error->cl_status = 0;
    snprintf(s->error->message, sizeof(s->error->message), "no memory for a case's buffers");
  }
}

/* Checks the buffer; `words` say how it came about, `name` which it is. */
static bool is_as_expected(suite *s, const trial *t, const char *words, const char *name,
                           const guarded_buffer *buffer, const unsigned char *expected) {
  difference first;
  if (!guarded_buffer_differs(buffer, expected, &first)) {
    return true;
  }
  failure_add(s->report, s->device, t->asked, "%s: byte %lld of the %s's %zu is 0x%02x, not 0x%02x",
              words, (long long)first.position, name, buffer->size, first.found, first.expected);
  return false;
}

static void run_between(suite *s, const trial *t, const attempt *by, path way,
                        const guarded_buffer *source, const guarded_buffer *destination) {
  char words[512];
  snprintf(words, sizeof(words), "%.400s, %s at byte offsets %zu and %zu", by->words,
           way == PATH_HOST ? "host pointers" : "buffers", source->origin, destination->origin);
  fault_expect(words, source, destination);
  relayout_error error;
  const relayout_status status =
      way == PATH_HOST ? mover_execute(by->plan, source, destination, &error)
                       : opencl_mover_enqueue(s->opencl, by->plan, source, destination, &error);
  s->report->cases += 1;
  if (status != RELAYOUT_OK) {
    failure_add(s->report, s->device, t->asked, "%s: %s: %s", words, relayout_status_text(status),
                error.message);
    return;
  }
  if (is_as_expected(s, t, words, "destination", destination, t->after)) {
    is_as_expected(s, t, words, "source", source, t->source);
  }
}

/* Host pointers may lie anywhere; offsets into buffers are multiples of the element size, or of its
 * container's. */
static bool make_buffer(suite *s, const relayout_shape *shape, path way, size_t alignment,
                        buffer_place place, const unsigned char *content, size_t size,
                        size_t origin, fenced_pages *pages, guarded_buffer *made) {
  const size_t own = oracle_element_size(shape->element_type);
  const size_t taken = (size_t)oracle_element_bits(shape) / 8;
  const size_t asked = way == PATH_HOST ? 1 : taken > own ? taken : own;
  const size_t element_size = asked > alignment ? asked : alignment;
  const size_t offset = element_size * (size_t)random_below(&s->random, way == PATH_HOST ? 20 : 6);
  if (place == PLACE_BEFORE_FENCE && size % element_size != 0) {
    place = PLACE_BETWEEN;
  }
  return guarded_buffer_make(pages, content, size, place, offset, origin, made);
}

static buffer_place draw_place(suite *s) {
  return (buffer_place)random_below(&s->random, BUFFER_PLACES);
}

static void run_path(suite *s, const trial *t, const attempt *by, path way,
                     buffer_place source_place) {
  const request *asked = t->asked;
  guarded_buffer source;
  guarded_buffer destination;
  if (!make_buffer(s, asked->from, way, by->source_alignment, source_place, t->source,
                   t->source_size, t->source_origin, &s->source_pages, &source) ||
      !make_buffer(s, asked->to, way, by->destination_alignment, draw_place(s), t->before,
                   t->destination_size, t->destination_origin, &s->destination_pages,
                   &destination)) {
    fail_out_of_memory(s);
    return;
  }
  run_between(s, t, by, way, &source, &destination);
}

/* Whether Oclgrind looks for values that nobody wrote: version 21.10 takes the first bytes that are
 * written to a buffer for all of it then, and does not see rectangles. Staging has both. */
static bool loses_uploads(void) {
  return getenv("OCLGRIND_UNINITIALIZED") != NULL;
}

/* On the CPU the plan that the library chooses moves what lies in each place, and
 * others what lies in one of them. On an OpenCL device host memory is staged through
 * the kernels that move buffers. */
static void run_plan(suite *s, const trial *t, const attempt *by) {
  if (s->opencl != NULL) {
    run_path(s, t, by, PATH_BUFFERS, draw_place(s));
    if (by->is_chosen && !loses_uploads()) {
      run_path(s, t, by, PATH_HOST, draw_place(s));
    }
    return;
  }
  const buffer_place taken = draw_place(s);
  for (int place = 0; place < BUFFER_PLACES; ++place) {
    if (by->is_chosen || place == (int)taken) {
      run_path(s, t, by, PATH_HOST, (buffer_place)place);
    }
  }
}

/* ---- One request --------------------------------------------------------------------- */

static void check_sizes(suite *s, const trial *t, const relayout_plan *plan) {
  if (relayout_plan_source_size(plan) != t->source_size ||
      relayout_plan_destination_size(plan) != t->destination_size) {
    failure_add(s->report, s->device, t->asked, "plan's sizes are %zu and %zu, not %zu and %zu",
                relayout_plan_source_size(plan), relayout_plan_destination_size(plan),
                t->source_size, t->destination_size);
  }
}

/* A plan runs by the schedules that it was asked for. */
static void check_schedules(suite *s, const trial *t, const relayout_plan *plan,
                            const char *const *texts) {
  for (int32_t part = 0; part < relayout_plan_part_count(plan); ++part) {
    for (int use = 0; use < 2; ++use) {
      char found[SCHEDULES_TEXT_SIZE];
      relayout_plan_get_schedule(plan, part, (relayout_schedule_use)use, found, sizeof found);
      if (!schedules_are_same(found, texts[part])) {
        failure_add(s->report, s->device, t->asked, "part %d has schedule `%s`, asked for was `%s`",
                    (int)part, found, texts[part]);
      }
    }
  }
}

/* NULL after a failure. */
static relayout_plan *make_plan(suite *s, const trial *t, const relayout_plan_options *options,
                                const char *words) {
  fault_expect("while it is planned", NULL, NULL);
  const oracle_options *const lie = &t->asked->options;
  const relayout_view from = view_of(t->asked->from, lie->source_byte_strides);
  const relayout_view to = view_of(t->asked->to, lie->destination_byte_strides);
  relayout_error error;
  relayout_plan *plan = NULL;
  const relayout_status status =
      relayout_plan_create_between(s->device, &from, &to, options, &plan, &error);
  if (status != RELAYOUT_OK) {
    failure_add(s->report, s->device, t->asked, "%s, no plan: %s: %s", words,
                relayout_status_text(status), error.message);
  }
  return plan;
}

static relayout_plan_options options_of(const suite *s, const trial *t) {
  relayout_plan_options options = request_plan_options(t->asked);
  options.specialize = s->specialized > 0;
  return options;
}

static void run_texts(suite *s, const trial *t, const schedules *all, const char *const *texts) {
  relayout_plan_options options = options_of(s, t);
  options.schedules = texts;
  options.schedule_count = all->part_count;
  relayout_plan *const plan = make_plan(s, t, &options, texts[0]);
  if (plan != NULL) {
    attempt by = {.plan = plan, .words = texts[0]};
    schedules_alignment(texts, all->part_count, &by.source_alignment, &by.destination_alignment);
    check_schedules(s, t, plan, texts);
    run_plan(s, t, &by);
    relayout_plan_destroy(plan);
  }
}

static void run_schedules(suite *s, const trial *t, const schedules *all, size_t round) {
  const char *texts[SCHEDULES_MOST_PARTS];
  schedules_of_round(all, round, texts);
  run_texts(s, t, all, texts);
}

/* One of them with its tiles in another order, which nobody offers. */
static void run_reordered(suite *s, const trial *t, const schedules *all) {
  static char made[SCHEDULES_MOST_PARTS][SCHEDULES_TEXT_SIZE];
  const char *texts[SCHEDULES_MOST_PARTS];
  const size_t round = (size_t)random_below(&s->random, (int64_t)all->count);
  bool is_new = false;
  schedules_of_round(all, round, texts);
  for (int32_t part = 0; part < all->part_count; ++part) {
    if (schedules_reorder(texts[part], &s->random, made[part])) {
      texts[part] = made[part];
      is_new = true;
    }
  }
  if (is_new) {
    run_texts(s, t, all, texts);
  }
}

/* By the schedules that the library chooses, by each of those that are offered, and by one that is
 * not. */
static void run_trial(suite *s, const trial *t) {
  const relayout_plan_options options = options_of(s, t);
  relayout_plan *const plan = make_plan(s, t, &options, "as the library chooses");
  if (plan == NULL) {
    return;
  }
  check_sizes(s, t, plan);
  const attempt chosen = {plan, "as the library chooses", true, 1, 1};
  run_plan(s, t, &chosen);
  schedules all;
  if (!schedules_of(plan, &all)) {
    fail_out_of_memory(s);
  }
  for (size_t round = 0; round < all.count && !t->asked->as_chosen && s->status == RELAYOUT_OK;
       ++round) {
    run_schedules(s, t, &all, round);
  }
  if (all.count > 0 && !t->asked->as_chosen && s->status == RELAYOUT_OK) {
    run_reordered(s, t, &all);
  }
  schedules_free(&all);
  relayout_plan_destroy(plan);
}

static void run_request(void *context, const request *asked) {
  suite *s = context;
  s->done += 1;
  if (s->status != RELAYOUT_OK || (s->specialized > 0 && s->done % s->specialized != 0)) {
    return;
  }
  trial t;
  if (!trial_make(asked, &t)) {
    fail_out_of_memory(s);
    return;
  }
  fault_expect_request(s->device, asked);
  run_trial(s, &t);
  trial_free(&t);
  if (s->progress != NULL && (s->done % 64 == 0 || s->done == s->total)) {
    s->progress(s->context, s->done, s->total);
  }
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void count_request(void *context, const request *asked) {
  (void)asked;
  *(size_t *)context += 1;
}

relayout_status conformance_run(relayout_device *device, conformance_level level, uint64_t seed,
                                conformance_progress progress, void *context,
                                conformance_report *report, relayout_error *error) {
  memset(report, 0, sizeof(*report));
  report->seed = seed;
  suite s = {.device = device,
             .progress = progress,
             .context = context,
             .report = report,
             .error = error,
             .random = seed};
  const char *const specialized = getenv("RELAYOUT_SPECIALIZED");
  s.specialized = specialized == NULL ? 0 : strtoull(specialized, NULL, 10);
  s.status = opencl_mover_create(device, &s.opencl, error);
  if (s.status != RELAYOUT_OK) {
    return s.status;
  }
  const bool compiles = s.opencl != NULL;
  cases_visit(level, compiles, seed, count_request, &s.total);
  fault_watch();
  cases_visit(level, compiles, seed, run_request, &s);
  fault_unwatch();
  fenced_pages_free(&s.source_pages);
  fenced_pages_free(&s.destination_pages);
  opencl_mover_destroy(s.opencl);
  return s.status;
}
