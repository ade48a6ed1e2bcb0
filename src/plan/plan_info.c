/* plan_info.c: a plan's figures. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structs.h"
#include "plan/many.h"
#include "search/learner.h"

/* Elements that a part reads. For an index program this is every element of the source's shape, an
 * upper bound. */
static int64_t elements_read(const relayout_plan *plan, const rlt_problem *problem) {
  if (problem->index_program == NULL) {
    return rlt_problem_sources(problem);
  }
  rlt_plan_views views;
  rlt_plan_get_views(plan, &views);
  return relayout_shape_element_count(&views.from.shape);
}

/* All bytes of elements, scales and zero points that a plan of several destinations uses; padding
 * is not told apart. */
static rlt_totals many_totals(const rlt_many *many) {
  rlt_totals bytes = {0, 0, 0};
  for (int32_t i = 0; i < (many->count + 1) * RLT_SIDE_TENSORS; ++i) {
    const rlt_used_bytes *const used = &many->bytes[i / RLT_SIDE_TENSORS][i % RLT_SIDE_TENSORS];
    if (used->is_used) {
      bytes.read += used->is_written ? 0 : (int64_t)used->bytes;
      bytes.written += used->is_written ? (int64_t)used->bytes : 0;
    }
  }
  return bytes;
}

rlt_totals rlt_plan_totals(const relayout_plan *plan) {
  if (plan->many != NULL) {
    return many_totals(plan->many);
  }
  rlt_totals bits = {0, 0, 0};
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const rlt_problem *const problem = rlt_part_problem(&plan->work.parts[i]);
    const int64_t read = elements_read(plan, problem);
    const int64_t written = problem->fills ? rlt_problem_digit_lists(problem) : read;
    bits.read += read * rlt_problem_source_bits(problem);
    bits.written += written * rlt_problem_destination_bits(problem);
    bits.padding += (written - read) * rlt_problem_destination_bits(problem);
  }
  return (rlt_totals){rlt_divide_up(bits.read, 8), rlt_divide_up(bits.written, 8),
                      rlt_divide_up(bits.padding, 8)};
}

/* True if a part's elements keep their places and their bits. */
static bool keeps_places(const rlt_problem *problem) {
  bool keeps = problem->index_program == NULL && !problem->fills && !problem->shuffles &&
               rlt_problem_keeps_elements(problem) && rlt_problem_packs_alike(problem) &&
               problem->source_start == problem->destination_start;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    keeps = keeps && axis->source_stride == axis->destination_stride;
  }
  return keeps;
}

static bool is_bitcast(const relayout_plan *plan) {
  bool is = true;
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    is = is && keeps_places(rlt_part_problem(&plan->work.parts[i]));
  }
  return is;
}

uint64_t rlt_plan_device_bytes(const relayout_plan *plan) {
  const rlt_backend *const backend = rlt_planner_of(plan->device)->backend;
  uint64_t bytes = 0;
  for (size_t i = 0; i < plan->chunk_plan_count; ++i) {
    bytes += rlt_plan_device_bytes(plan->chunk_plans[i]);
  }
  for (int32_t i = 0; i < plan->work.part_count && backend->executable_bytes != NULL; ++i) {
    const rlt_part *const part = &plan->work.parts[i];
    for (int32_t w = 0; w < part->variant_count; ++w) {
      bytes += backend->executable_bytes(part->variants[w].executable);
    }
  }
  return bytes;
}

uint64_t rlt_plan_host_bytes(const relayout_plan *plan) {
  const rlt_backend *const backend = rlt_planner_of(plan->device)->backend;
  uint64_t bytes =
      sizeof *plan + plan->chunk_count * sizeof plan->chunks[0] +
      plan->chunk_plan_count * sizeof(relayout_plan *) +
      (uint64_t)plan->packed_count * sizeof plan->packed_views[0] +
      (plan->box == NULL ? 0 : sizeof *plan->box) +
      (plan->index_program == NULL ? 0 : rlt_index_program_bytes(plan->index_program)) +
      (uint64_t)plan->work.part_count * sizeof plan->work.parts[0];
  for (size_t i = 0; i < plan->chunk_plan_count; ++i) {
    bytes += rlt_plan_host_bytes(plan->chunk_plans[i]);
  }
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const rlt_part *const part = &plan->work.parts[i];
    for (int32_t f = 0; f < part->forms.count; ++f) {
      bytes += rlt_problem_bytes(part->forms.of[f]);
    }
    for (int32_t w = 0; w < part->variant_count; ++w) {
      bytes += sizeof part->variants[w] +
               backend->executable_host_bytes(part->variants[w].executable) +
               rlt_learner_bytes(rlt_planner_of(plan->device), part->variants[w].learner);
    }
  }
  return bytes;
}

relayout_status relayout_plan_get_info(const relayout_plan *plan, relayout_plan_info *info,
                                       relayout_error *error) {
  if (plan == NULL || info == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "info");
  }
  const relayout_status status = rlt_struct_check(info, "info->", sizeof *info, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const rlt_totals totals = rlt_plan_totals(plan);
  const rlt_work *const work = &plan->work;
  const rlt_backend *const backend = plan->device->backend;
  const relayout_plan_info told = {
      .source_bytes = work->source_size,
      .destination_bytes = work->destination_size,
      .bytes_read = (uint64_t)totals.read,
      .bytes_written = (uint64_t)totals.written,
      .bytes_left_alone = (uint64_t)rlt_max((int64_t)work->destination_size - totals.written, 0),
      .padding_bytes = (uint64_t)totals.padding,
      .device_bytes = rlt_plan_device_bytes(plan),
      .predicted_fraction = relayout_plan_get_predicted_fraction(plan),
      .part_count = relayout_plan_part_count(plan),
      .kernel_count = work->part_count * backend->kernels_of_executable +
                      (work->part_count > 0 ? backend->kernels_of_plan : 0),
      .moves_nothing = plan->many != NULL ? totals.written == 0 : work->part_count == 0,
      .is_bitcast = plan->many == NULL && is_bitcast(plan),
      .host_bytes = rlt_plan_host_bytes(plan)};
  rlt_struct_write(&told, sizeof told, info);
  return RELAYOUT_OK;
}
