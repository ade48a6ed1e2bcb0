/* Running the cases on a device and holding each result against the oracle. */
#include "conformance/conformance.h"

#include <stdio.h>
#include <string.h>

#include "conformance/cases.h"
#include "conformance/failure.h"
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
static size_t draw_offset(suite *s, const relayout_shape *shape, path way) {
  const size_t own = oracle_element_size(shape->element_type);
  const size_t taken = (size_t)oracle_element_bits(shape) / 8;
  const size_t element_size = taken > own ? taken : own;
  return way == PATH_HOST ? (size_t)random_below(&s->random, 20)
                          : (size_t)random_below(&s->random, 6) * element_size;
}

static void run_path(suite *s, const trial *t, const relayout_plan *plan, path way) {
  guarded_buffer source;
  guarded_buffer destination;
  if (!guarded_buffer_make(t->source, t->source_size, draw_offset(s, t->asked->from, way),
                           t->source_origin, &source)) {
    fail_out_of_memory(s);
    return;
  }
  if (guarded_buffer_make(t->before, t->destination_size, draw_offset(s, t->asked->to, way),
                          t->destination_origin, &destination)) {
    run_between(s, t, plan, way, &source, &destination);
    guarded_buffer_free(&destination);
  } else {
    fail_out_of_memory(s);
  }
  guarded_buffer_free(&source);
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
  if (s->opencl != NULL) {
    run_path(s, t, plan, PATH_BUFFERS);
  }
  /* On an OpenCL device host memory is staged through the same kernels. */
  if (s->opencl == NULL || wanted == RELAYOUT_STRATEGY_AUTO) {
    run_path(s, t, plan, PATH_HOST);
  }
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
  cases_visit(level, compiles, seed, run_request, &s);
  opencl_mover_destroy(s.opencl);
  return s.status;
}
