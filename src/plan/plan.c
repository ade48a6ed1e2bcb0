/* plan.c: makes plans from two views, and executes them. */
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/float_control.h"
#include "base/memory.h"
#include "metadata/packed_view.h"
#include "metadata/widths.h"
#include "plan/cache.h"
#include "plan/chunks.h"
#include "plan/many.h"
#include "plan/sharing.h"
#include "plan/verbose.h"
#include "problem/lower.h"
#include "schedule/schedule_text.h"
#include "search/choose.h"
#include "search/learner.h"
#include "search/measure.h"
#include "search/method.h"
#include "search/target.h"

/* Chooses every part's schedules, or takes those of the texts, and has the backend compile them.
 * Measured schedules are remembered, so that plans in the cache may be outdated. */
static relayout_status finish(relayout_plan *plan, rlt_texts schedules, relayout_error *error) {
  const int32_t count = plan->work.part_count;
  if (schedules.count != 0 && schedules.count != count) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "options->schedule_count is %" PRId32 ", but the plan has %" PRId32 " part%s",
                    schedules.count, count, count == 1 ? "" : "s");
  }
  relayout_status status = RELAYOUT_OK;
  double seconds_left = RLT_MEASURE_SECONDS;
  plan->work.fits_anywhere = true;
  for (int32_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    rlt_part *const part = &plan->work.parts[i];
    const char *const text = schedules.count > 0 ? schedules.of[i] : NULL;
    status =
        rlt_choose(rlt_planner_of(plan->device), &plan->request, text, &seconds_left, part, error);
    if (part->choice == RLT_CHOICE_MEASURED) {
      rlt_plan_cache_clear(plan->device->cache);
    }
    plan->work.fits_anywhere =
        plan->work.fits_anywhere && status == RELAYOUT_OK && rlt_part_fits_anywhere(part);
  }
  return status;
}

/* 0 if counting would need a full scan (index programs). */
static int64_t bits_written(const rlt_problem *problem) {
  return problem->index_program != NULL && !problem->fills
             ? 0
             : rlt_problem_written(problem) * rlt_problem_destination_bits(problem);
}

/* The largest first. */
static void sort_problems(rlt_lowered *lowered) {
  for (int32_t i = 1; i < lowered->count; ++i) {
    const rlt_problem problem = lowered->problems[i];
    const int64_t bits = bits_written(&problem);
    int32_t at = i;
    for (; at > 0 && bits_written(&lowered->problems[at - 1]) < bits; --at) {
      lowered->problems[at] = lowered->problems[at - 1];
    }
    lowered->problems[at] = problem;
  }
}

/* Makes the plan's parts of the lowered problems. No two write the same element, so counting tells
 * whether all are written. */
static relayout_status take_parts(relayout_plan *plan, rlt_lowered *lowered,
                                  relayout_error *error) {
  rlt_work *const work = &plan->work;
  work->source_size = (size_t)lowered->source_bytes;
  work->destination_size = (size_t)lowered->destination_bytes;
  plan->work.source_taken = (rlt_bytes){0, lowered->source_bytes};
  plan->work.destination_taken = (rlt_bytes){0, lowered->destination_bytes};
  plan->source_lowest = -lowered->source_before;
  plan->destination_lowest = -lowered->destination_before;
  plan->index_program = lowered->index_program;
  lowered->index_program = NULL;
  if (lowered->count == 0) {
    return RELAYOUT_OK;
  }
  work->parts = rlt_calloc((size_t)lowered->count, sizeof *work->parts);
  if (work->parts == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's parts");
  }
  sort_problems(lowered);
  work->part_count = lowered->count;
  int64_t all = 0;
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < lowered->count && status == RELAYOUT_OK; ++i) {
    const rlt_problem *const problem = &lowered->problems[i];
    status = rlt_forms_make(&plan->device->facts, problem, &work->parts[i].forms, error);
    all += bits_written(problem);
  }
  work->writes_all = rlt_divide_up(all, 8) >= lowered->destination_bytes;
  return status;
}

/* Takes the index program of what was lowered, if it has one. */
static relayout_status make(relayout_device *device, const rlt_plan_request *request,
                            rlt_lowered *lowered, rlt_texts schedules, relayout_plan **plan,
                            relayout_error *error) {
  relayout_plan *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu bytes",
                    sizeof *made);
  }
  atomic_init(&made->holders, 1);
  atomic_init(&made->elsewhere, NULL);
  rlt_device_retain(device);
  made->device = device;
  made->request = *request;
  relayout_status status = take_parts(made, lowered, error);
  if (status == RELAYOUT_OK) {
    status = finish(made, schedules, error);
  }
  if (status != RELAYOUT_OK) {
    relayout_plan_destroy(made);
    return status;
  }
  *plan = made;
  return RELAYOUT_OK;
}

/* What is moved: a tensor from view to view, or a box of it. */
typedef struct sides {
  const rlt_view *from;
  const rlt_view *to;
  const rlt_index_box *box; /* NULL: all */
} sides;

/* Plans that write nothing ask for no alignment; those that read nothing are of the destination's
 * words alone. */
static size_t element_size_of(const relayout_plan *plan, const relayout_shape *shape,
                              bool is_source) {
  if (plan->work.part_count == 0) {
    return 1;
  }
  const rlt_problem *const problem = rlt_part_problem(&plan->work.parts[0]);
  const int64_t size = (int64_t)relayout_element_type_byte_size(shape->element_type);
  const int64_t container = rlt_custom_bits(shape) / 8;
  const int64_t word = !is_source ? rlt_problem_destination_bytes(problem)
                       : rlt_problem_is_fill(problem) && size > 0 ? size
                                                                  : problem->element_bytes;
  return (size_t)rlt_max(container, word);
}

/* The views are valid: they have been lowered. */
static relayout_status keep_views(const sides *of, relayout_plan *plan, relayout_error *error) {
  int64_t numbers[2 * RLT_MOST_VIEW_NUMBERS];
  const int32_t count = rlt_view_pack(of->from, numbers);
  plan->packed_count = count + rlt_view_pack(of->to, numbers + count);
  plan->packed_views = rlt_malloc((size_t)plan->packed_count * sizeof numbers[0]);
  if (plan->packed_views == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's views");
  }
  memcpy(plan->packed_views, numbers, (size_t)plan->packed_count * sizeof numbers[0]);
  return RELAYOUT_OK;
}

void rlt_plan_get_views(const relayout_plan *plan, rlt_plan_views *views) {
  if (plan->packed_views == NULL) {
    memset(views, 0, sizeof *views);
    return;
  }
  const int32_t count = rlt_view_unpack(plan->packed_views, &views->from);
  rlt_view_unpack(plan->packed_views + count, &views->to);
}

static void find_taken(relayout_plan *plan) {
  plan->work.source_taken = plan->work.destination_taken = (rlt_bytes){0, 0};
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const rlt_problem *const problem = rlt_part_problem(&plan->work.parts[i]);
    plan->work.source_taken =
        rlt_bytes_join(plan->work.source_taken, rlt_problem_bytes_read(problem));
    plan->work.destination_taken =
        rlt_bytes_join(plan->work.destination_taken, rlt_problem_bytes_written(problem));
  }
}

static relayout_status keep_sides(const sides *of, relayout_plan *plan, relayout_error *error) {
  const relayout_status status = keep_views(of, plan, error);
  plan->source_lowest += of->from->byte_offset;
  plan->destination_lowest += of->to->byte_offset;
  plan->source_element_size = element_size_of(plan, of->from->shape, true);
  plan->destination_element_size = element_size_of(plan, of->to->shape, false);
  if (status != RELAYOUT_OK || of->box == NULL) {
    return status;
  }
  plan->box = rlt_malloc(sizeof *plan->box);
  if (plan->box == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's box");
  }
  *plan->box = *of->box;
  find_taken(plan);
  return RELAYOUT_OK;
}

static relayout_status lower_for(const relayout_device *device, const sides *of,
                                 const rlt_plan_request *request, rlt_lowered *made,
                                 relayout_error *error) {
  rlt_changes changes = request->changes;
  changes.packing = device->facts.target->packing;
  return rlt_lower(of->from, of->to, of->box, &changes, made, error);
}

static relayout_status create_anew(relayout_device *device, const sides *of,
                                   const rlt_plan_request *request, rlt_texts schedules,
                                   relayout_plan **plan, relayout_error *error) {
  rlt_lowered lowered;
  relayout_plan *made = NULL;
  relayout_status status = lower_for(device, of, request, &lowered, error);
  if (status == RELAYOUT_OK) {
    status = make(device, request, &lowered, schedules, &made, error);
  }
  rlt_lowered_free(&lowered);
  if (status == RELAYOUT_OK) {
    status = keep_sides(of, made, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_chunks_make(made, error);
  }
  if (status != RELAYOUT_OK) {
    relayout_plan_destroy(made);
    return status;
  }
  *plan = made;
  return RELAYOUT_OK;
}

relayout_status rlt_plan_lower_box(const relayout_plan *whole, const rlt_index_box *box,
                                   rlt_lowered *made, relayout_error *error) {
  rlt_plan_views views;
  rlt_plan_get_views(whole, &views);
  const rlt_view from = rlt_view_of(&views.from);
  const rlt_view to = rlt_view_of(&views.to);
  const relayout_status status =
      lower_for(whole->device, &(sides){&from, &to, box}, &whole->request, made, error);
  sort_problems(made);
  return status;
}

relayout_status rlt_plan_create_box(const relayout_plan *whole, const rlt_index_box *box,
                                    relayout_plan **plan, relayout_error *error) {
  rlt_plan_views views;
  rlt_plan_get_views(whole, &views);
  const rlt_view from = rlt_view_of(&views.from);
  const rlt_view to = rlt_view_of(&views.to);
  const sides of = {&from, &to, box};
  rlt_plan_request request = whole->request;
  request.stages_destination = request.chunks.destination > 0;
  request.chunks = (rlt_chunk_limits){0, 0};
  return create_anew(whole->device, &of, &request, (rlt_texts){0, NULL}, plan, error);
}

relayout_status rlt_plan_create(relayout_device *device, const relayout_shape *from,
                                const relayout_shape *to, const rlt_plan_request *request,
                                rlt_texts schedules, relayout_plan **plan, relayout_error *error) {
  const rlt_view source = rlt_view_of_shape(from);
  const rlt_view destination = rlt_view_of_shape(to);
  const sides of = {&source, &destination, NULL};
  return create_anew(device, &of, request, schedules, plan, error);
}

relayout_status rlt_plan_create_in(relayout_device *device, const rlt_view *from,
                                   const rlt_view *to, const rlt_index_box *box,
                                   const rlt_plan_request *request, relayout_plan **plan,
                                   relayout_error *error) {
  return create_anew(device, &(sides){from, to, box}, request, (rlt_texts){0, NULL}, plan, error);
}

relayout_status rlt_plan_create_for_many(relayout_device *device, const rlt_plan_request *request,
                                         struct rlt_many *many, relayout_plan **plan,
                                         relayout_error *error) {
  rlt_lowered nothing = {.count = 0};
  const relayout_status status = make(device, request, &nothing, (rlt_texts){0, NULL}, plan, error);
  if (status == RELAYOUT_OK) {
    (*plan)->many = many;
  }
  return status;
}

relayout_status rlt_plan_check_single(const relayout_plan *plan, relayout_error *error) {
  if (plan == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "plan is NULL");
  }
  return plan->many == NULL ? RELAYOUT_OK
                            : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                                       "plan is one of relayout_plan_create_many, which "
                                       "relayout_plan_execute_many executes");
}

/* Takes the plan from the cache, unless schedules or a box are given. The options are checked. */
static relayout_status create(relayout_device *device, const sides *of,
                              const relayout_plan_options *options, relayout_plan **plan,
                              relayout_error *error) {
  const rlt_plan_request request = rlt_plan_request_of(options);
  const rlt_texts schedules = {options->schedule_count, options->schedules};
  const bool is_cached = of->box == NULL && schedules.count == 0;
  relayout_plan *const found =
      is_cached ? rlt_plan_cache_find(device->cache, of->from, of->to, &request) : NULL;
  if (found != NULL) {
    *plan = found;
    return RELAYOUT_OK;
  }
  const double begun = rlt_verbose_begin();
  const relayout_status status = create_anew(device, of, &request, schedules, plan, error);
  if (status == RELAYOUT_OK) {
    rlt_verbose_end(begun, RLT_TOLD_PLAN, *plan, 1);
  }
  if (status == RELAYOUT_OK && is_cached) {
    rlt_plan_cache_add(device->cache, *plan);
  }
  return status;
}

relayout_status rlt_plan_check_arguments(const relayout_device *device, const void *from,
                                         const void *to, relayout_plan *const *plan,
                                         relayout_error *error) {
  if (device == NULL || from == NULL || to == NULL || plan == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device"
                    : from == NULL ? "from"
                    : to == NULL   ? "to"
                                   : "plan");
  }
  return RELAYOUT_OK;
}

relayout_status rlt_plan_read_box(const relayout_shape *shape, const int64_t *start,
                                  const int64_t *sizes, rlt_index_box *box, relayout_error *error) {
  const int32_t rank = (int32_t)rlt_min(rlt_max(shape->rank, 0), RELAYOUT_MAX_RANK);
  *box = (rlt_index_box){{0}, {0}};
  if (rank > 0 && (start == NULL || sizes == NULL)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    start == NULL ? "start" : "sizes");
  }
  for (int32_t d = 0; d < rank; ++d) {
    box->start[d] = start[d];
    box->sizes[d] = sizes[d];
  }
  return RELAYOUT_OK;
}

/* Sides made of shapes take the strides of options of 0.1, if there are any; views have their
 * own. */
static relayout_status create_by_options(relayout_device *device, rlt_view from, rlt_view to,
                                         const rlt_index_box *box, bool are_shapes,
                                         const relayout_plan_options *options, relayout_plan **plan,
                                         relayout_error *error) {
  relayout_plan_options copy;
  const relayout_plan_options *read = NULL;
  const relayout_status status = rlt_options_read(options, &copy, &read, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int64_t *const source = read->former_source_byte_strides;
  const int64_t *const destination = read->former_destination_byte_strides;
  if (are_shapes) {
    from.byte_strides = source;
    to.byte_strides = destination;
  } else if (source != NULL || destination != NULL) {
    return rlt_fail(
        error, RELAYOUT_INVALID_ARGUMENT,
        "options->former_%s_byte_strides are given; expected NULL, as views have their own strides",
        source != NULL ? "source" : "destination");
  }
  const sides of = {&from, &to, box};
  return create(device, &of, read, plan, error);
}

/* Sets the processor's floating-point mode that the library needs: options have a scale. */
static relayout_status create_with_floats(relayout_device *device, rlt_view from, rlt_view to,
                                          const rlt_index_box *box, bool are_shapes,
                                          const relayout_plan_options *options,
                                          relayout_plan **plan, relayout_error *error) {
  const rlt_float_control was = rlt_floats_enter();
  const relayout_status status =
      create_by_options(device, from, to, box, are_shapes, options, plan, error);
  rlt_floats_leave(was);
  return status;
}

/* ---- For callers ---- */

relayout_status relayout_plan_create_between(relayout_device *device, const relayout_view *from,
                                             const relayout_view *to,
                                             const relayout_plan_options *options,
                                             relayout_plan **plan, relayout_error *error) {
  const relayout_status status = rlt_plan_check_arguments(device, from, to, plan, error);
  return status == RELAYOUT_OK ? create_with_floats(device, rlt_view_of(from), rlt_view_of(to),
                                                    NULL, false, options, plan, error)
                               : status;
}

relayout_status relayout_plan_create_range(relayout_device *device, const relayout_view *from,
                                           const relayout_view *to, const int64_t *start,
                                           const int64_t *sizes,
                                           const relayout_plan_options *options,
                                           relayout_plan **plan, relayout_error *error) {
  rlt_index_box box;
  relayout_status status = rlt_plan_check_arguments(device, from, to, plan, error);
  if (status == RELAYOUT_OK) {
    status = rlt_plan_read_box(&from->shape, start, sizes, &box, error);
  }
  return status == RELAYOUT_OK ? create_with_floats(device, rlt_view_of(from), rlt_view_of(to),
                                                    &box, false, options, plan, error)
                               : status;
}

relayout_status relayout_plan_create(relayout_device *device, const relayout_shape *from,
                                     const relayout_shape *to, const relayout_plan_options *options,
                                     relayout_plan **plan, relayout_error *error) {
  const relayout_status status = rlt_plan_check_arguments(device, from, to, plan, error);
  return status == RELAYOUT_OK
             ? create_with_floats(device, rlt_view_of_shape(from), rlt_view_of_shape(to), NULL,
                                  true, options, plan, error)
             : status;
}

relayout_status rlt_plan_create_for_problem(relayout_device *device, const rlt_problem *problem,
                                            const rlt_plan_request *request, rlt_texts schedules,
                                            relayout_plan **plan, relayout_error *error) {
  rlt_problem simple = *problem;
  rlt_problem_simplify(&simple);
  rlt_lowered lowered = {.count = rlt_problem_is_empty(&simple) ? 0 : 1,
                         .problems = &simple,
                         .source_bytes = (int64_t)rlt_problem_source_size(problem),
                         .destination_bytes = (int64_t)rlt_problem_destination_size(problem)};
  const relayout_status status = make(device, request, &lowered, schedules, plan, error);
  if (status == RELAYOUT_OK) {
    static const relayout_shape none;
    (*plan)->source_element_size = element_size_of(*plan, &none, true);
    (*plan)->destination_element_size = element_size_of(*plan, &none, false);
  }
  return status;
}

void relayout_plan_retain(relayout_plan *plan) {
  if (plan != NULL) {
    atomic_fetch_add(&plan->holders, 1);
  }
}

void relayout_plan_destroy(relayout_plan *plan) {
  if (plan == NULL || atomic_fetch_sub(&plan->holders, 1) > 1) {
    return;
  }
  relayout_device *const planner = rlt_planner_of(plan->device);
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    rlt_part *const part = &plan->work.parts[i];
    for (int32_t w = 0; w < part->variant_count; ++w) {
      rlt_learner_destroy(planner, part->variants[w].learner);
      planner->backend->executable_destroy(planner, part->variants[w].executable);
    }
    rlt_free(part->variants);
    rlt_forms_free(&part->forms);
  }
  rlt_chunks_free(plan);
  rlt_many_free(plan->many);
  relayout_plan_destroy(atomic_load(&plan->elsewhere));
  rlt_free(plan->work.parts);
  rlt_free(plan->index_program);
  rlt_free(plan->box);
  rlt_free(plan->packed_views);
  rlt_device_release(plan->device);
  rlt_free(plan);
}

size_t relayout_plan_source_size(const relayout_plan *plan) {
  return plan == NULL ? 0 : plan->work.source_size;
}

size_t relayout_plan_destination_size(const relayout_plan *plan) {
  return plan == NULL ? 0 : plan->work.destination_size;
}

static bool has_boxes(const relayout_plan *plan) {
  return plan != NULL && plan->many != NULL && rlt_many_has_schedule(plan->many);
}

int32_t relayout_plan_part_count(const relayout_plan *plan) {
  return plan == NULL ? 0 : has_boxes(plan) ? 1 : plan->work.part_count;
}

const char *relayout_plan_get_method(const relayout_plan *plan) {
  return has_boxes(plan) ? RLT_MANY_METHOD
         : plan == NULL || plan->work.part_count == 0
             ? "none"
             : rlt_variant_now(&plan->work.parts[0].variants[0])->candidate.schedule.method->name;
}

size_t relayout_plan_get_schedule(const relayout_plan *plan, int32_t part,
                                  relayout_schedule_use use, char *buffer, size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (part < 0 || part >= relayout_plan_part_count(plan)) {
    return 0;
  }
  if (has_boxes(plan)) {
    rlt_many_schedule_add_text(&plan->many->schedule, &text);
    return text.length;
  }
  const rlt_part *const of = &plan->work.parts[part];
  const int32_t number = use == RELAYOUT_SCHEDULE_AT_ANY_OFFSET ? of->variant_count - 1 : 0;
  rlt_schedule_add_text(&rlt_variant_now(&of->variants[number])->candidate.schedule, &text);
  return text.length;
}

relayout_status rlt_plan_candidates(const relayout_plan *plan, int32_t part,
                                    rlt_candidates *candidates, relayout_error *error) {
  const relayout_device *const device = rlt_planner_of(plan->device);
  const rlt_candidates_request asked = rlt_plan_request_candidates(&plan->request);
  const relayout_status status = rlt_candidates_make(&plan->work.parts[part].forms, &device->facts,
                                                     device->tuning, &asked, candidates, error);
  rlt_candidates_sort(candidates);
  return status;
}

/* The schedules of a plan of several destinations. */
static relayout_status visit_boxes(const relayout_plan *plan, relayout_schedule_visitor visitor,
                                   void *context, relayout_error *error) {
  rlt_many_candidate *candidates = NULL;
  int32_t count = 0;
  const relayout_status status =
      rlt_many_candidates(plan->many, &plan->request, &candidates, &count, error);
  for (int32_t i = 0; i < count; ++i) {
    char name[RLT_MANY_TEXT_SIZE];
    rlt_text text = rlt_text_in(name, sizeof name);
    rlt_many_schedule_add_text(&candidates[i].schedule, &text);
    const relayout_schedule_info info = {.struct_size = sizeof info,
                                         .text = name,
                                         .method = RLT_MANY_METHOD,
                                         .predicted_fraction = candidates[i].fraction};
    visitor(context, &info);
  }
  rlt_free(candidates);
  return status;
}

relayout_status relayout_plan_visit_schedules(const relayout_plan *plan, int32_t part,
                                              relayout_schedule_visitor visitor, void *context,
                                              relayout_error *error) {
  if (plan == NULL || visitor == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    plan == NULL ? "plan" : "visitor");
  }
  if (part < 0 || part >= relayout_plan_part_count(plan)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "part is %" PRId32 ", out of range for a plan of %" PRId32 " parts", part,
                    relayout_plan_part_count(plan));
  }
  const rlt_float_control was = rlt_floats_enter();
  if (has_boxes(plan)) {
    const relayout_status status = visit_boxes(plan, visitor, context, error);
    rlt_floats_leave(was);
    return status;
  }
  rlt_candidates candidates;
  const relayout_status status = rlt_plan_candidates(plan, part, &candidates, error);
  for (int32_t i = 0; i < candidates.count; ++i) {
    char name[RLT_SCHEDULE_TEXT_SIZE];
    rlt_text text = rlt_text_in(name, sizeof name);
    rlt_schedule_add_text(&candidates.of[i].schedule, &text);
    const relayout_schedule_info info = {.struct_size = sizeof info,
                                         .text = name,
                                         .method = candidates.of[i].schedule.method->name,
                                         .predicted_fraction = candidates.of[i].cost.fraction};
    visitor(context, &info);
  }
  rlt_candidates_free(&candidates);
  rlt_floats_leave(was);
  return status;
}

/* Parts run one after the other. Each counts by all elements that its destination digits reach,
 * written or not. */
double relayout_plan_get_predicted_fraction(const relayout_plan *plan) {
  if (has_boxes(plan)) {
    rlt_cost cost;
    const rlt_float_control was = rlt_floats_enter();
    rlt_many_estimate(plan->many, &cost);
    rlt_floats_leave(was);
    return cost.fraction;
  }
  if (plan == NULL || plan->work.part_count == 0) {
    return 0;
  }
  if (plan->work.part_count == 1) {
    return rlt_variant_now(&plan->work.parts[0].variants[0])->candidate.cost.fraction;
  }
  const rlt_float_control was = rlt_floats_enter();
  double elements = 0;
  double times = 0;
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const rlt_part *const part = &plan->work.parts[i];
    const double moved = (double)rlt_problem_digit_lists(rlt_part_problem(part));
    elements += moved;
    times += moved / rlt_variant_now(&part->variants[0])->candidate.cost.fraction;
  }
  const double fraction = elements / times;
  rlt_floats_leave(was);
  return fraction;
}

relayout_status rlt_plan_check_places(const relayout_plan *plan, uintptr_t source,
                                      uintptr_t destination, relayout_error *error) {
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const rlt_part *const part = &plan->work.parts[i];
    if (rlt_part_variant(part, source, destination) == NULL) {
      return rlt_schedule_fail_alignment(&part->variants[0].candidate.schedule,
                                         "the schedule asked for", source, destination, error);
    }
  }
  return RELAYOUT_OK;
}

/* Checks that sides with these lowest bytes share no byte. On a device that moves whole ranges of
 * host memory, the ranges must not overlap either. */
static relayout_status check_sharing(const relayout_plan *plan, const uint8_t *lowest_source,
                                     const uint8_t *lowest_destination, relayout_error *error) {
  const rlt_work *const work = &plan->work;
  const uintptr_t source = (uintptr_t)lowest_source + (uintptr_t)work->source_taken.first;
  const uintptr_t destination =
      (uintptr_t)lowest_destination + (uintptr_t)work->destination_taken.first;
  const rlt_sharing sharing = rlt_plan_sharing(plan, source, destination);
  const bool are_ranges = plan->device->backend->copies_host_memory &&
                          rlt_plan_ranges_overlap(plan, source, destination);
  return sharing == RLT_SHARES_NOTHING && !are_ranges
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP,
                        "source (%zu bytes at %p) and destination (%zu bytes at %p) overlap%s",
                        rlt_bytes_size(work->source_taken), (const void *)source,
                        rlt_bytes_size(work->destination_taken), (const void *)destination,
                        rlt_sharing_text(sharing));
}

static relayout_status check_pointers(const relayout_plan *plan, const void *source,
                                      const void *destination, relayout_error *error) {
  if (source == NULL && rlt_bytes_size(plan->work.source_taken) > 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "source is NULL, but the plan reads %zu bytes",
                    rlt_bytes_size(plan->work.source_taken));
  }
  if (destination == NULL && rlt_bytes_size(plan->work.destination_taken) > 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "destination is NULL, but the plan writes %zu bytes",
                    rlt_bytes_size(plan->work.destination_taken));
  }
  return RELAYOUT_OK;
}

/* ---- Host memory of a device that has its own ---- */

bool rlt_plan_leaves_host_memory(const relayout_plan *plan) {
  const bool is_asked_for =
      plan->many != NULL
          ? plan->many->choice == RLT_CHOICE_ASKED_FOR
          : plan->work.part_count > 0 && plan->work.parts[0].choice == RLT_CHOICE_ASKED_FOR;
  return plan->device->for_host_memory != NULL && !is_asked_for;
}

/* An execution must not measure. */
static relayout_status make_elsewhere(const relayout_plan *plan, relayout_device *device,
                                      relayout_plan **made, relayout_error *error) {
  rlt_plan_views views;
  rlt_plan_get_views(plan, &views);
  const rlt_view from = rlt_view_of(&views.from);
  const rlt_view to = rlt_view_of(&views.to);
  const sides of = {&from, &to, plan->box};
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  request.effort =
      plan->request.effort == RELAYOUT_PLAN_ESTIMATE ? RELAYOUT_PLAN_ESTIMATE : RELAYOUT_PLAN_ADAPT;
  request.changes = plan->request.changes;
  request.for_batches = plan->request.for_batches;
  request.specialize = plan->request.specialize;
  const double begun = rlt_verbose_begin();
  const rlt_float_control was = rlt_floats_enter();
  const relayout_status status =
      plan->many != NULL
          ? rlt_many_create_again(plan->many, device, &plan->many->boxes.all, &request, made, error)
          : create_anew(device, &of, &request, (rlt_texts){0, NULL}, made, error);
  rlt_floats_leave(was);
  if (status == RELAYOUT_OK) {
    rlt_verbose_end(begun, RLT_TOLD_PLAN, *made, 1);
  }
  return status;
}

relayout_status rlt_plan_elsewhere(const relayout_plan *plan, relayout_device *device,
                                   relayout_plan **found, relayout_error *error) {
  /* The only field of a plan that is set while other threads use the plan; the first thread that
   * sets it wins. */
  relayout_plan *const own = (relayout_plan *)(uintptr_t)plan;
  relayout_plan *kept = atomic_load(&own->elsewhere);
  if (kept == NULL) {
    relayout_plan *made = NULL;
    const relayout_status status = make_elsewhere(plan, device, &made, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    if (atomic_compare_exchange_strong(&own->elsewhere, &kept, made)) {
      kept = made;
    } else {
      relayout_plan_destroy(made);
    }
  }
  *found = kept;
  return RELAYOUT_OK;
}

relayout_status rlt_plan_for_host_memory(const relayout_plan *plan, const relayout_plan **found,
                                         relayout_error *error) {
  *found = plan;
  if (!rlt_plan_leaves_host_memory(plan)) {
    return RELAYOUT_OK;
  }
  relayout_plan *made = NULL;
  const relayout_status status =
      rlt_plan_elsewhere(plan, plan->device->for_host_memory, &made, error);
  *found = status == RELAYOUT_OK ? made : plan;
  return status;
}

/* The lowest byte of a side at this pointer, which may point outside of the caller's memory. */
static uint8_t *lowest_of(uintptr_t pointer, int64_t lowest) {
  return pointer == 0 ? NULL : (uint8_t *)(pointer + (uintptr_t)lowest);
}

/* Executes from and to these lowest bytes; the sides share no byte. */
static relayout_status execute_checked(const relayout_plan *plan, const uint8_t *source,
                                       uint8_t *destination, relayout_error *error) {
  const rlt_backend *const backend = plan->device->backend;
  const double begun = rlt_verbose_begin();
  relayout_status status =
      plan->work.fits_anywhere || backend->copies_host_memory
          ? RELAYOUT_OK
          : rlt_plan_check_places(plan, (uintptr_t)source, (uintptr_t)destination, error);
  if (plan->work.part_count > 0 && status == RELAYOUT_OK) {
    status = backend->execute(plan, source, destination, error);
  }
  if (status == RELAYOUT_OK) {
    rlt_verbose_end(begun, RLT_TOLD_EXECUTE, plan, 1);
  }
  return status;
}

relayout_status relayout_plan_execute(const relayout_plan *plan, const void *source,
                                      void *destination, relayout_error *error) {
  relayout_status status = rlt_plan_check_single(plan, error);
  if (status == RELAYOUT_OK) {
    status = check_pointers(plan, source, destination, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  const uint8_t *const lowest_source = lowest_of((uintptr_t)source, plan->source_lowest);
  uint8_t *const lowest_destination = lowest_of((uintptr_t)destination, plan->destination_lowest);
  status = check_sharing(plan, lowest_source, lowest_destination, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const relayout_plan *runs = NULL;
  status = rlt_plan_for_host_memory(plan, &runs, error);
  return status == RELAYOUT_OK ? execute_checked(runs, lowest_source, lowest_destination, error)
                               : status;
}

relayout_status relayout_copy(relayout_device *device, const relayout_shape *from,
                              const relayout_shape *to, const void *source, void *destination,
                              relayout_error *error) {
  relayout_plan *plan = NULL;
  relayout_device *const runs =
      device != NULL && device->for_host_memory != NULL ? device->for_host_memory : device;
  relayout_status status = relayout_plan_create(runs, from, to, NULL, &plan, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = relayout_plan_execute(plan, source, destination, error);
  relayout_plan_destroy(plan);
  return status;
}
