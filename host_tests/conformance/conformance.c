/* Running the cases on a device and holding each result against the oracle. */
#include "conformance/conformance.h"

#include <stdio.h>
#include <string.h>

#include "conformance/cases.h"
#include "conformance/failure.h"
#include "conformance/fault.h"
#include "conformance/mover.h"
#include "conformance/random.h"
#include "conformance/trial.h"
#include "oracle/oracle.h"

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
} suite;

/* ---- One relayout --------------------------------------------------------------------------- */

typedef enum path { PATH_HOST, PATH_BUFFERS } path;

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

static void run_between(suite *s, const trial *t, const relayout_plan *plan, path way,
                        const guarded_buffer *source, const guarded_buffer *destination) {
  char words[160];
  snprintf(words, sizeof(words), "strategy %s, %s at byte offsets %zu and %zu",
           relayout_strategy_name(relayout_plan_get_strategy(plan)),
           way == PATH_HOST ? "host pointers" : "buffers", source->origin, destination->origin);
  fault_expect(words, source, destination);
  relayout_error error;
  const relayout_status status =
      way == PATH_HOST ? mover_execute(plan, source, destination, &error)
                       : opencl_mover_enqueue(s->opencl, plan, source, destination, &error);
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
static bool make_buffer(suite *s, const relayout_shape *shape, path way, buffer_place place,
                        const unsigned char *content, size_t size, size_t origin,
                        fenced_pages *pages, guarded_buffer *made) {
  const size_t own = oracle_element_size(shape->element_type);
  const size_t taken = (size_t)oracle_element_bits(shape) / 8;
  const size_t element_size = way == PATH_HOST ? 1 : taken > own ? taken : own;
  const size_t offset = element_size * (size_t)random_below(&s->random, way == PATH_HOST ? 20 : 6);
  if (place == PLACE_BEFORE_FENCE && size % element_size != 0) {
    place = PLACE_BETWEEN;
  }
  return guarded_buffer_make(pages, content, size, place, offset, origin, made);
}

static buffer_place draw_place(suite *s) {
  return (buffer_place)random_below(&s->random, BUFFER_PLACES);
}

static void run_path(suite *s, const trial *t, const relayout_plan *plan, path way,
                     buffer_place source_place) {
  const request *asked = t->asked;
  guarded_buffer source;
  guarded_buffer destination;
  if (!make_buffer(s, asked->from, way, source_place, t->source, t->source_size, t->source_origin,
                   &s->source_pages, &source) ||
      !make_buffer(s, asked->to, way, draw_place(s), t->before, t->destination_size,
                   t->destination_origin, &s->destination_pages, &destination)) {
    fail_out_of_memory(s);
    return;
  }
  run_between(s, t, plan, way, &source, &destination);
}

/* On the CPU the plan that the library chooses moves what lies in each place, and others what lies
 * in two of them. On an OpenCL device host memory is staged through the kernels that move buffers. */
static void run_plan(suite *s, const trial *t, const relayout_plan *plan, bool is_chosen) {
  if (s->opencl != NULL) {
    run_path(s, t, plan, PATH_BUFFERS, draw_place(s));
    if (is_chosen) {
      run_path(s, t, plan, PATH_HOST, draw_place(s));
    }
    return;
  }
  const buffer_place left_out = draw_place(s);
  for (int place = 0; place < BUFFER_PLACES; ++place) {
    if (is_chosen || place != (int)left_out) {
      run_path(s, t, plan, PATH_HOST, (buffer_place)place);
    }
  }
}

/* ---- One request --------------------------------------------------------------------- */

/* A relayout that writes nothing needs no strategy, whichever is asked for. */
static bool writes(const trial *t) {
  return memcmp(t->before, t->after, t->destination_size) != 0;
}

static void check_plan(suite *s, const trial *t, const relayout_plan *plan,
                       relayout_strategy wanted) {
  if (relayout_plan_source_size(plan) != t->source_size ||
      relayout_plan_destination_size(plan) != t->destination_size) {
    failure_add(s->report, s->device, t->asked, "plan's sizes are %zu and %zu, not %zu and %zu",
                relayout_plan_source_size(plan), relayout_plan_destination_size(plan),
                t->source_size, t->destination_size);
  }
  const relayout_strategy strategy = relayout_plan_get_strategy(plan);
  if (strategy == RELAYOUT_STRATEGY_AUTO ||
      (wanted != RELAYOUT_STRATEGY_AUTO && strategy != wanted && writes(t))) {
    failure_add(s->report, s->device, t->asked, "plan's strategy is %s, asked for was %s",
                relayout_strategy_name(strategy), relayout_strategy_name(wanted));
  }
}

static relayout_plan_options plan_options(const request *asked, relayout_strategy strategy) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.strategy = strategy;
  options.overflow = asked->options.wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  options.scale = asked->options.scale;
  options.source_byte_strides = asked->options.source_byte_strides;
  options.destination_byte_strides = asked->options.destination_byte_strides;
  return options;
}

/* Runs one strategy, unless it is the one to skip or cannot carry out the relayout. Returns the one
 * that ran. */
static relayout_strategy run_strategy(suite *s, const trial *t, relayout_strategy wanted) {
  const relayout_plan_options options = plan_options(t->asked, wanted);
  fault_expect("while it is planned", NULL, NULL);
  relayout_error error;
  relayout_plan *plan;
  const relayout_status status =
      relayout_plan_create(s->device, t->asked->from, t->asked->to, &options, &plan, &error);
  if (status == RELAYOUT_UNSUPPORTED && wanted != RELAYOUT_STRATEGY_AUTO) {
    return wanted;
  }
  if (status != RELAYOUT_OK) {
    failure_add(s->report, s->device, t->asked, "strategy %s, no plan: %s: %s",
                relayout_strategy_name(wanted), relayout_status_text(status), error.message);
    return wanted;
  }
  check_plan(s, t, plan, wanted);
  const relayout_strategy strategy = relayout_plan_get_strategy(plan);
  run_plan(s, t, plan, wanted == RELAYOUT_STRATEGY_AUTO);
  relayout_plan_destroy(plan);
  return strategy;
}

static void run_request(void *context, const request *asked) {
  static const relayout_strategy all[] = {
#define STRATEGY(name, ...) RELAYOUT_STRATEGY_##name,
      RELAYOUT_STRATEGY_TABLE(STRATEGY)
#undef STRATEGY
  };
  suite *s = context;
  if (s->status != RELAYOUT_OK) {
    return;
  }
  trial t;
  if (!trial_make(asked, &t)) {
    fail_out_of_memory(s);
    return;
  }
  fault_expect_request(s->device, asked);
  const relayout_strategy chosen = run_strategy(s, &t, RELAYOUT_STRATEGY_AUTO);
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !asked->as_chosen; ++i) {
    if (all[i] != RELAYOUT_STRATEGY_AUTO && all[i] != chosen) {
      run_strategy(s, &t, all[i]);
    }
  }
  trial_free(&t);
  s->done += 1;
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
