/* check.c: a relayout by a plan that the library chooses, and the checks beside it. */
#include "differential/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/failure.h"
#include "conformance/fault.h"
#include "conformance/schedules.h"
#include "differential/resharded.h"
#include "oracle/oracle.h"
#include "view_of.h"

/* ---- Devices -------------------------------------------------------------------------------- */

/* A caller's threads: one, which begins with the last task. */
static void run_backwards(void *context, size_t count, void (*task)(void *task_data, size_t i),
                          void *task_data) {
  (void)context;
  for (size_t i = count; i > 0; --i) {
    task(task_data, i - 1);
  }
}

static relayout_status open_cpu(relayout_device **of, relayout_error *error) {
  static const relayout_cpu_options all[DRAWN_THREADS] = {
      {sizeof(all[0]), 1, NULL, NULL},
      {sizeof(all[0]), 2, NULL, NULL},
      {sizeof(all[0]), 3, NULL, NULL},
      {sizeof(all[0]), 4, run_backwards, NULL},
  };
  relayout_status status = RELAYOUT_OK;
  for (int i = 0; i < DRAWN_THREADS && status == RELAYOUT_OK; ++i) {
    status = relayout_cpu_device_create(&all[i], &of[i], error);
  }
  return status;
}

static relayout_status open_device(const char *name, checked_device *made, relayout_error *error) {
  *made = (checked_device){.name = name};
  if (strcmp(name, "cpu") == 0) {
    return open_cpu(made->of, error);
  }
  relayout_device *device;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_status status = relayout_device_open(name, &device, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  for (int i = 0; i < DRAWN_THREADS; ++i) {
    relayout_device_retain(device);
    made->of[i] = device;
  }
  relayout_device_destroy(device);
  status = relayout_device_get_info(device, &info, error);
  made->backend = info.backend;
  return status == RELAYOUT_OK ? opencl_mover_create(device, &made->opencl, error) : status;
}

relayout_status checker_open(const differential_options *options, checker *made,
                             relayout_error *error) {
  *made = (checker){.spoils = options->spoils};
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < options->device_count && status == RELAYOUT_OK; ++i) {
    made->device_count = i + 1;
    status = open_device(options->devices[i], &made->devices[i], error);
  }
  return status;
}

void checker_close(checker *used) {
  for (size_t i = 0; i < used->device_count; ++i) {
    opencl_mover_destroy(used->devices[i].opencl);
    for (int j = 0; j < DRAWN_THREADS; ++j) {
      relayout_device_destroy(used->devices[i].of[j]);
    }
  }
  fenced_pages_free(&used->source_pages);
  fenced_pages_free(&used->destination_pages);
}

bool checker_is_of_cpu(const checker *of) {
  bool is_of_cpu = true;
  for (size_t i = 0; i < of->device_count; ++i) {
    is_of_cpu = is_of_cpu && of->devices[i].backend == RELAYOUT_BACKEND_CPU;
  }
  return is_of_cpu;
}

void checker_describe(const relayout_device *device, const drawn_case *what, const char *wrong,
                      char *found) {
  char details[RELAYOUT_SHAPE_TEXT_SIZE + 512];
  const request asked = drawn_case_request(what);
  failure_describe(device, &asked, found, DIFFERENTIAL_TEXT_SIZE);
  drawn_case_describe(what, details, sizeof(details));
  const size_t length = strlen(found);
  snprintf(found + length, DIFFERENTIAL_TEXT_SIZE - length, "%s: %s", details, wrong);
}

/* ---- One case on one device ----------------------------------------------------------------- */

typedef struct attempt {
  checker *by;
  const checked_device *on;
  relayout_device *device;
  const drawn_case *what;
  trial bytes; /* of both sides */
  relayout_view from;
  relayout_view to;
  relayout_plan_options options;
  guarded_buffer source; /* as placed last */
  guarded_buffer destination;
  check_outcome outcome;
  char *found;
} attempt;

/* A side as bytes and what a plan is given. */
typedef struct content {
  const relayout_shape *shape;
  const unsigned char *bytes;
  size_t size;
  size_t origin;
  size_t offset;
  size_t alignment;
} content;

static bool is_checked(const attempt *a, drawn_check check) {
  return (a->what->checks & (unsigned)check) != 0;
}

static void fail(attempt *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first thing that is wrong is kept. */
static void fail(attempt *a, const char *format, ...) {
  if (a->outcome != CHECK_PASSED) {
    return;
  }
  a->outcome = CHECK_FAILED;
  char wrong[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(wrong, sizeof(wrong), format, arguments);
  va_end(arguments);
  checker_describe(a->device, a->what, wrong, a->found);
}

static bool uses_buffers(const attempt *a) {
  return a->on->opencl != NULL && is_checked(a, CHECK_BUFFERS);
}

/* Host pointers may lie anywhere, offsets into buffers are multiples of what elements take. */
static bool place(attempt *a, const content *from, fenced_pages *pages, guarded_buffer *made) {
  const size_t own = oracle_element_size(from->shape->element_type);
  const size_t taken = (size_t)oracle_element_bits(from->shape) / 8;
  const size_t element = !uses_buffers(a) ? 1 : taken > own ? taken : own;
  const size_t unit = element > from->alignment ? element : from->alignment;
  buffer_place where = PLACE_BETWEEN;
  if (is_checked(a, CHECK_FENCES) && from->size % unit == 0) {
    where = from->offset % 2 == 0 ? PLACE_BEFORE_FENCE : PLACE_BEHIND_FENCE;
  }
  if (!guarded_buffer_make(pages, from->bytes, from->size, where, from->offset * unit, from->origin,
                           made)) {
    a->outcome = CHECK_NO_MEMORY;
    return false;
  }
  return true;
}

static bool place_both(attempt *a, const content *source, const content *destination) {
  return place(a, source, &a->by->source_pages, &a->source) &&
         place(a, destination, &a->by->destination_pages, &a->destination);
}

/* Between what was placed last. */
static bool run(attempt *a, const relayout_plan *plan, const char *words) {
  relayout_error error;
  relayout_status status;
  fault_expect(words, &a->source, &a->destination);
  if (uses_buffers(a)) {
    status = opencl_mover_enqueue(a->on->opencl, plan, &a->source, &a->destination, &error);
  } else if (is_checked(a, CHECK_FENCES)) {
    status = mover_execute(plan, &a->source, &a->destination, &error);
  } else {
    status = relayout_plan_execute(plan, a->source.bytes + a->source.origin,
                                   a->destination.bytes + a->destination.origin, &error);
  }
  if (status != RELAYOUT_OK) {
    fail(a, "%s: %s: %s", words, relayout_status_text(status), error.message);
  }
  return status == RELAYOUT_OK;
}

static void compare(attempt *a, const char *words, const char *side, const guarded_buffer *found,
                    const unsigned char *expected) {
  difference first;
  if (guarded_buffer_differs(found, expected, &first)) {
    fail(a, "%s: byte %lld of the %s's %zu is 0x%02x, not 0x%02x", words, (long long)first.position,
         side, found->size, first.found, first.expected);
  }
}

static void compare_both(attempt *a, const char *words, const content *source,
                         const unsigned char *expected) {
  compare(a, words, "destination", &a->destination, expected);
  compare(a, words, "source", &a->source, source->bytes);
}

static void move(attempt *a, const relayout_plan *plan, const char *words, const content *source,
                 const content *destination, const unsigned char *expected) {
  if (place_both(a, source, destination) && run(a, plan, words)) {
    compare_both(a, words, source, expected);
  }
}

static content source_of(const attempt *a) {
  return (content){&a->what->from.shape,   a->bytes.source,      a->bytes.source_size,
                   a->bytes.source_origin, a->what->from.offset, 1};
}

static content destination_of(const attempt *a) {
  return (content){&a->what->to.shape,          a->bytes.before,    a->bytes.destination_size,
                   a->bytes.destination_origin, a->what->to.offset, 1};
}

/* The destination as it is afterwards, to go on from. */
static content result_of(const attempt *a) {
  content result = destination_of(a);
  result.bytes = a->bytes.after;
  return result;
}

/* Whether the library may say that it has no way between these. */
static bool may_be_refused(const relayout_view *from, const relayout_view *to,
                           relayout_status status) {
  return status == RELAYOUT_UNSUPPORTED && (from->is_strided || to->is_strided);
}

/* NULL after a failure, and where there is no way that the library chooses. */
static relayout_plan *plan_between(attempt *a, relayout_device *device, const relayout_view *from,
                                   const relayout_view *to, const relayout_plan_options *options,
                                   const char *words) {
  relayout_plan *plan = NULL;
  relayout_error error;
  fault_expect(words, NULL, NULL);
  const relayout_status status =
      relayout_plan_create_between(device, from, to, options, &plan, &error);
  const bool is_chosen = options->schedule_count == 0;
  if (status != RELAYOUT_OK && !(is_chosen && may_be_refused(from, to, status))) {
    fail(a, "%s: no plan: %s: %s", words, relayout_status_text(status), error.message);
  }
  return plan;
}

/* ---- What is checked beside it -------------------------------------------------------------- */

static const relayout_plan_options unchanged = RELAYOUT_PLAN_OPTIONS_INIT;

/* By way of the destination to the third layout, and straight there. */
static void check_third(attempt *a) {
  static const char words[] = "the way through a third layout";
  const relayout_view third = view_of(&a->what->third, NULL);
  const size_t size = oracle_byte_size(&a->what->third);
  unsigned char *const straight = malloc(2 * size + 1);
  relayout_plan *const there = plan_between(a, a->device, &a->from, &third, &a->options, words);
  relayout_plan *const onwards = plan_between(a, a->device, &a->to, &third, &unchanged, words);
  if (straight == NULL) {
    a->outcome = CHECK_NO_MEMORY;
  } else if (there != NULL && onwards != NULL) {
    unsigned char *const poison = straight + size;
    memset(poison, TRIAL_DESTINATION_POISON, size);
    const content source = source_of(a);
    const content middle = result_of(a);
    const content end = {&a->what->third, poison, size, 0, a->what->to.offset, 1};
    if (place_both(a, &source, &end) && run(a, there, words)) {
      memcpy(straight, a->destination.bytes + a->destination.start, size);
      move(a, onwards, words, &middle, &end, straight);
    }
  }
  relayout_plan_destroy(there);
  relayout_plan_destroy(onwards);
  free(straight);
}

/* Onto the source as it was, whose padding stays. */
static void check_back(attempt *a) {
  static const char words[] = "there and back";
  relayout_view start = a->from;
  start.shape.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  relayout_plan *const back = plan_between(a, a->device, &a->to, &start, &unchanged, words);
  if (back != NULL) {
    const content there = result_of(a);
    const content here = source_of(a);
    move(a, back, words, &there, &here, a->bytes.source);
    relayout_plan_destroy(back);
  }
}

/* By these schedules, which are those that it then has. */
static void check_schedules(attempt *a, const char *const *texts, int32_t count,
                            const char *words) {
  relayout_plan_options options = a->options;
  options.schedules = texts;
  options.schedule_count = count;
  relayout_plan *const plan = plan_between(a, a->device, &a->from, &a->to, &options, words);
  if (plan == NULL) {
    return;
  }
  for (int32_t part = 0; part < count; ++part) {
    char found[SCHEDULES_TEXT_SIZE];
    relayout_plan_get_schedule(plan, part, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, found, sizeof(found));
    if (!schedules_are_same(found, texts[part])) {
      fail(a, "%s: part %d has `%.400s`, asked for was `%.400s`", words, (int)part, found,
           texts[part]);
    }
  }
  content source = source_of(a);
  content destination = destination_of(a);
  schedules_alignment(texts, count, &source.alignment, &destination.alignment);
  move(a, plan, words, &source, &destination, a->bytes.after);
  relayout_plan_destroy(plan);
}

static void check_shape_text(attempt *a, const relayout_shape *shape) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape again;
  relayout_error error;
  relayout_shape_format(shape, text, sizeof(text));
  if (relayout_shape_parse(text, &again, &error) != RELAYOUT_OK) {
    fail(a, "the text of a shape: %s: %s", text, error.message);
  } else if (!relayout_shape_equal(shape, &again)) {
    fail(a, "the text of a shape is parsed to another one: %s", text);
  }
}

static void check_texts(attempt *a, const relayout_plan *plan) {
  check_shape_text(a, &a->what->from.shape);
  check_shape_text(a, &a->what->to.shape);
  static char texts[SCHEDULES_MOST_PARTS][SCHEDULES_TEXT_SIZE];
  const char *asked[SCHEDULES_MOST_PARTS];
  const int32_t count = relayout_plan_part_count(plan);
  for (int use = 0; use < 2 && count > 0; ++use) {
    for (int32_t part = 0; part < count; ++part) {
      relayout_plan_get_schedule(plan, part, (relayout_schedule_use)use, texts[part],
                                 SCHEDULES_TEXT_SIZE);
      asked[part] = texts[part];
    }
    check_schedules(a, asked, count, "a plan's own schedules");
  }
}

static void check_offered(attempt *a, const relayout_plan *plan) {
  schedules all;
  if (!schedules_of(plan, &all)) {
    a->outcome = CHECK_NO_MEMORY;
  } else if (all.count > 0) {
    const char *texts[SCHEDULES_MOST_PARTS];
    schedules_of_round(&all, a->what->offered % all.count, texts);
    check_schedules(a, texts, all.part_count, texts[0]);
  }
  schedules_free(&all);
}

/* Whether there is a plan of the box; boxes that share bytes have none. */
static bool run_box(attempt *a, const int64_t *start, const int64_t *sizes, const char *words) {
  relayout_plan *plan = NULL;
  relayout_error error;
  fault_expect(words, NULL, NULL);
  const relayout_status status = relayout_plan_create_range(a->device, &a->from, &a->to, start,
                                                            sizes, &a->options, &plan, &error);
  if (status != RELAYOUT_OK && status != RELAYOUT_UNSUPPORTED) {
    fail(a, "%s: %s: %s", words, relayout_status_text(status), error.message);
  }
  const bool runs = status == RELAYOUT_OK && run(a, plan, words);
  relayout_plan_destroy(plan);
  return runs;
}

/* Two boxes beside each other do together what one plan does. */
static void check_boxes(attempt *a) {
  static const char words[] = "in two boxes";
  const drawn_case *const what = a->what;
  const relayout_shape *const shape = &what->from.shape;
  const int32_t d = what->box_dimension;
  const content source = source_of(a);
  const content destination = destination_of(a);
  int64_t start[RELAYOUT_MAX_RANK] = {0};
  int64_t sizes[RELAYOUT_MAX_RANK];
  memcpy(sizes, shape->dimensions, sizeof(sizes));
  sizes[d] = what->box_at;
  if (!place_both(a, &source, &destination) || !run_box(a, start, sizes, words)) {
    return;
  }
  start[d] = what->box_at;
  sizes[d] = shape->dimensions[d] - what->box_at;
  if (run_box(a, start, sizes, words)) {
    compare_both(a, words, &source, a->bytes.after);
  }
}

static void check_explained(attempt *a, const relayout_plan *plan) {
  static char text[1 << 20];
  fault_expect("while it is explained", NULL, NULL);
  for (int form = 0; form < 4; ++form) {
    const size_t length =
        relayout_plan_explain(plan, (relayout_explain_form)form, text, sizeof(text));
    if (length == 0 || (length < sizeof(text) && strlen(text) != length)) {
      fail(a, "explained in form %d: %zu bytes are said to be %zu", form, strlen(text), length);
    }
  }
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  relayout_error error;
  if (relayout_plan_get_info(plan, &info, &error) != RELAYOUT_OK) {
    fail(a, "what the plan comes to: %s", error.message);
  } else if (info.bytes_left_alone > info.destination_bytes ||
             info.bytes_written > info.destination_bytes ||
             info.padding_bytes > info.bytes_written) {
    fail(a, "of %llu bytes %llu are written, %llu of them padding, and %llu left alone",
         (unsigned long long)info.destination_bytes, (unsigned long long)info.bytes_written,
         (unsigned long long)info.padding_bytes, (unsigned long long)info.bytes_left_alone);
  }
}

/* On a device that forgets what it learned, since it chooses by that later. */
static void check_measured(attempt *a) {
  static const char words[] = "a measured plan";
  if (a->on->backend != RELAYOUT_BACKEND_CPU) {
    return;
  }
  relayout_error error;
  relayout_device *device;
  const relayout_cpu_options one_thread = {sizeof(one_thread), 1, NULL, NULL};
  if (relayout_cpu_device_create(&one_thread, &device, &error) != RELAYOUT_OK) {
    a->outcome = CHECK_NO_MEMORY;
    return;
  }
  relayout_plan_options options = a->options;
  options.effort = RELAYOUT_PLAN_MEASURE;
  options.measured = 2;
  relayout_plan *const plan = plan_between(a, device, &a->from, &a->to, &options, words);
  if (plan != NULL) {
    const content source = source_of(a);
    const content destination = destination_of(a);
    move(a, plan, words, &source, &destination, a->bytes.after);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

static void check_resharded(attempt *a) {
  char wrong[RESHARDED_TEXT_SIZE] = "";
  fault_expect("resharded", NULL, NULL);
  switch (resharded_try(a->device, a->what, &a->bytes, &a->options, wrong)) {
  case RESHARDED_RIGHT:
    break;
  case RESHARDED_WRONG:
    fail(a, "resharded %s", wrong);
    break;
  case RESHARDED_NO_MEMORY:
    a->outcome = CHECK_NO_MEMORY;
    break;
  }
}

static void check_beside(attempt *a, const relayout_plan *plan) {
  if (is_checked(a, CHECK_THIRD)) {
    check_third(a);
  }
  if (is_checked(a, CHECK_BACK)) {
    check_back(a);
  }
  if (is_checked(a, CHECK_TEXTS)) {
    check_texts(a, plan);
  }
  if (is_checked(a, CHECK_OFFERED)) {
    check_offered(a, plan);
  }
  if (is_checked(a, CHECK_BOXES)) {
    check_boxes(a);
  }
  if (is_checked(a, CHECK_EXPLAIN)) {
    check_explained(a, plan);
  }
  if (is_checked(a, CHECK_MEASURE)) {
    check_measured(a);
  }
  if (is_checked(a, CHECK_RESHARD)) {
    check_resharded(a);
  }
}

/* ---- The relayout itself -------------------------------------------------------------------- */

static void check_plan(attempt *a, const relayout_plan *plan) {
  static const char words[] = "as the library chooses";
  if (relayout_plan_source_size(plan) != a->bytes.source_size ||
      relayout_plan_destination_size(plan) != a->bytes.destination_size) {
    fail(a, "the plan's sizes are %zu and %zu, not %zu and %zu", relayout_plan_source_size(plan),
         relayout_plan_destination_size(plan), a->bytes.source_size, a->bytes.destination_size);
    return;
  }
  const content source = source_of(a);
  const content destination = destination_of(a);
  if (place_both(a, &source, &destination) && run(a, plan, words)) {
    if (a->by->spoils != NULL) {
      a->by->spoils(&a->what->from.shape, &a->what->to.shape,
                    a->destination.bytes + a->destination.start, a->destination.size);
    }
    compare_both(a, words, &source, a->bytes.after);
  }
}

static void try_on_device(attempt *a) {
  relayout_plan *plan = NULL;
  relayout_error error;
  fault_expect("while it is planned", NULL, NULL);
  const relayout_status status =
      relayout_plan_create_between(a->device, &a->from, &a->to, &a->options, &plan, &error);
  if (may_be_refused(&a->from, &a->to, status)) {
    a->outcome = CHECK_REFUSED;
    return;
  }
  if (status != RELAYOUT_OK) {
    fail(a, "no plan: %s: %s", relayout_status_text(status), error.message);
    return;
  }
  check_plan(a, plan);
  if (a->outcome == CHECK_PASSED) {
    check_beside(a, plan);
  }
  relayout_plan_destroy(plan);
}

check_outcome checker_try(checker *by, const drawn_case *what, char *found) {
  const request asked = drawn_case_request(what);
  attempt a = {.by = by, .what = what, .outcome = CHECK_PASSED, .found = found};
  a.options = unchanged;
  a.options.overflow = what->wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  a.options.scale = what->scale;
  a.options.rounding = what->to_nearest ? RELAYOUT_ROUNDING_NEAREST : RELAYOUT_ROUNDING_ZERO;
  a.from = drawn_side_view(&what->from);
  a.to = drawn_side_view(&what->to);
  if (!trial_make(&asked, &a.bytes)) {
    return CHECK_NO_MEMORY;
  }
  for (size_t i = 0; i < by->device_count && a.outcome == CHECK_PASSED; ++i) {
    a.on = &by->devices[i];
    a.device = a.on->of[what->threads];
    try_on_device(&a);
  }
  trial_free(&a.bytes);
  return a.outcome;
}
