/* many_steps.c: what a plan of several destinations does by work-group kernels, step by step, for
 * queues and for command buffers. */
#include "base/checked.h"
#include "opencl/calls.h"
#include "opencl/many.h"
#include "opencl/transfer.h"

/* Who is told of the steps, and with what. */
typedef struct visit {
  const rlt_many_launch *launch;
  const rlt_many_buffers *at;
  cl_mem temporary;
  rlt_many_take_step *take;
  void *context;
} visit;

/* ---- Moves ---------------------------------------------------------------------------------- */

static relayout_status move(const visit *of, const relayout_plan *plan, rlt_address source,
                            rlt_address destination, relayout_error *error) {
  const rlt_many_step step = {
      .kind = RLT_STEP_MOVE, .plan = plan, .source = source, .destination = destination};
  return plan->work.part_count == 0 ? RELAYOUT_OK : of->take(of->context, &step, error);
}

/* Between the caller's memory and temporary memory; `written` says which way. */
static relayout_status move_temporaries(const visit *of, bool written, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int32_t s = 0; s < of->launch->side_count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++t) {
      const rlt_many_tensor *const tensor = &of->launch->tensors[s][t];
      const relayout_plan *const plan = tensor->plan;
      if (!tensor->by_kernel || plan == NULL || tensor->used.is_written != written) {
        continue;
      }
      const rlt_address temporary = {.buffer = of->temporary, .offset = tensor->temporary};
      status = written ? move(of, plan, temporary,
                              rlt_many_address(of->at, s, t, plan->destination_lowest), error)
                       : move(of, plan, rlt_many_address(of->at, s, t, plan->source_lowest),
                              temporary, error);
    }
  }
  return status;
}

/* Destinations that plans make from the source. */
static relayout_status make_alone(const visit *of, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int32_t s = 1; s < of->launch->side_count && status == RELAYOUT_OK; ++s) {
    const rlt_many_tensor *const tensor = &of->launch->tensors[s][0];
    const relayout_plan *const plan = tensor->plan;
    if (!tensor->by_kernel) {
      status = move(of, plan, rlt_many_address(of->at, 0, 0, plan->source_lowest),
                    rlt_many_address(of->at, s, 0, plan->destination_lowest), error);
    }
  }
  return status;
}

/* ---- Kernels -------------------------------------------------------------------------------- */

/* `groups` work-groups, in as few launches as the device allows. */
static relayout_status pass(const visit *of, rlt_many_pass number, int64_t groups,
                            relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  rlt_many_step step = {.kind = RLT_STEP_PASS, .pass = number};
  for (; step.first < groups && status == RELAYOUT_OK; step.first += step.count) {
    step.count = rlt_min(groups - step.first, of->launch->most_groups);
    status = of->take(of->context, &step, error);
  }
  return status;
}

/* Scales of groups that lie in several boxes. */
static relayout_status find_scales(const visit *of, int64_t boxes, relayout_error *error) {
  const rlt_many_launch *const launch = of->launch;
  const rlt_many_step step = {.kind = RLT_STEP_CLEAR};
  relayout_status status = of->take(of->context, &step, error);
  if (status == RELAYOUT_OK) {
    status = pass(of, RLT_PASS_FIND, boxes, error);
  }
  return status == RELAYOUT_OK ? pass(of, RLT_PASS_SCALES,
                                      rlt_divide_up(launch->all_groups, launch->group_size), error)
                               : status;
}

static relayout_status run_kernels(const visit *of, int64_t boxes, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  if (of->launch->kernels[RLT_PASS_WRITE] == NULL) {
    return RELAYOUT_OK;
  }
  if (of->launch->all_groups > 0) {
    status = find_scales(of, boxes, error);
  }
  return status == RELAYOUT_OK ? pass(of, RLT_PASS_WRITE, boxes, error) : status;
}

relayout_status rlt_many_visit_steps(const relayout_plan *plan, const rlt_many_buffers *at,
                                     cl_mem temporary, rlt_many_take_step *take, void *context,
                                     relayout_error *error) {
  const visit of = {plan->many->on_device, at, temporary, take, context};
  relayout_status status = move_temporaries(&of, false, error);
  if (status == RELAYOUT_OK) {
    status = run_kernels(&of, plan->many->boxes.count, error);
  }
  if (status == RELAYOUT_OK) {
    status = move_temporaries(&of, true, error);
  }
  return status == RELAYOUT_OK ? make_alone(&of, error) : status;
}

/* ---- What steps need ------------------------------------------------------------------------ */

void rlt_many_find_arguments(const rlt_many_launch *launch, const rlt_many_buffers *at,
                             cl_mem temporary, rlt_many_arguments *made) {
  made->count = 0;
  for (int32_t s = 0; s < launch->side_count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      const rlt_many_tensor *const tensor = &launch->tensors[s][t];
      if (tensor->by_kernel) {
        const bool is_elsewhere = tensor->plan != NULL;
        made->buffers[made->count] = is_elsewhere ? temporary : at->buffers[s][t];
        made->starts[made->count] = is_elsewhere
                                        ? tensor->temporary
                                        : (cl_ulong)(at->offsets[s][t] + (size_t)tensor->start);
        made->count += 1;
      }
    }
  }
}

cl_int rlt_many_set_arguments(const rlt_many_launch *launch, const rlt_many_step *step,
                              const rlt_many_arguments *tensors, cl_mem temporary,
                              cl_kernel kernel) {
  const cl_mem found = launch->all_groups > 0 ? temporary : NULL;
  const cl_ulong place = launch->found / sizeof(cl_uint), first = (cl_ulong)step->first;
  const cl_uint last = 2 * tensors->count;
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < tensors->count && code == CL_SUCCESS; ++i) {
    code = clSetKernelArg(kernel, 2 * i, sizeof tensors->buffers[i], &tensors->buffers[i]);
    if (code == CL_SUCCESS) {
      code = clSetKernelArg(kernel, 2 * i + 1, sizeof tensors->starts[i], &tensors->starts[i]);
    }
  }
  code = code == CL_SUCCESS ? clSetKernelArg(kernel, last, sizeof found, &found) : code;
  code = code == CL_SUCCESS ? clSetKernelArg(kernel, last + 1, sizeof place, &place) : code;
  return code == CL_SUCCESS ? clSetKernelArg(kernel, last + 2, sizeof first, &first) : code;
}

rlt_nd_range rlt_many_step_range(const rlt_many_launch *launch, const rlt_many_step *step) {
  const size_t group_size = (size_t)launch->group_size;
  rlt_nd_range made = {.rank = (cl_uint)launch->grid_axis + 1,
                       .global_size = {group_size, 1, 1},
                       .local_size = {group_size, 1, 1}};
  made.global_size[launch->grid_axis] *= (size_t)step->count;
  return made;
}

relayout_status rlt_many_make_temporary(const relayout_plan *plan, cl_mem *temporary,
                                        relayout_error *error) {
  const rlt_many_launch *const launch = plan->many->on_device;
  return launch->temporary_bytes == 0
             ? RELAYOUT_OK
             : rlt_buffer_make(rlt_opencl_device_of(plan->device), "temporary memory",
                               launch->temporary_bytes, temporary, error);
}
