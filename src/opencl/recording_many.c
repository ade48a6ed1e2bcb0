/* recording_many.c: plans of several destinations in command buffers: the steps of many_steps.c as
 * commands, with temporary memory that belongs to the recording. */
#include "base/error.h"
#include "base/memory.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/endpoint.h"
#include "opencl/many.h"
#include "opencl/parts.h"
#include "opencl/recorded.h"

static const rlt_many_launch *launch_of(const relayout_recording *recording) {
  return recording->plan->many->on_device;
}

/* ---- How many there are --------------------------------------------------------------------- */

static relayout_status count_step(void *context, const rlt_many_step *step, relayout_error *error) {
  int32_t *const count = context;
  (void)error;
  *count += step->kind == RLT_STEP_MOVE ? step->plan->work.part_count : 1;
  return RELAYOUT_OK;
}

int32_t rlt_recorded_many_count(const relayout_plan *plan) {
  const rlt_many_buffers nowhere = {.buffers = {{NULL}}};
  int32_t count = 0;
  (void)rlt_many_visit_steps(plan, &nowhere, NULL, count_step, &count, NULL); /* cannot fail */
  return count;
}

/* ---- Making --------------------------------------------------------------------------------- */

typedef struct making {
  relayout_recording *recording;
  const rlt_many_arguments *tensors;
  int32_t next; /* command */
} making;

static relayout_status make_move(making *of, const rlt_many_step *step, relayout_error *error) {
  const rlt_work *const work = &step->plan->work;
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < work->part_count && status == RELAYOUT_OK; ++i) {
    status = rlt_recorded_part_make(&of->recording->commands[of->next++], work, i, step->source,
                                    step->destination, error);
  }
  return status;
}

static relayout_status make_pass(making *of, const rlt_many_step *step, relayout_error *error) {
  const rlt_many_launch *const launch = launch_of(of->recording);
  rlt_recorded_command *const made = &of->recording->commands[of->next++];
  const relayout_status status =
      rlt_opencl_many_make_kernel(launch, step->pass, &made->kernel, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->range = rlt_many_step_range(launch, step);
  const cl_int code =
      rlt_many_set_arguments(launch, step, of->tensors, of->recording->temporary, made->kernel);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clSetKernelArg");
}

static relayout_status make_step(void *context, const rlt_many_step *step, relayout_error *error) {
  making *const of = context;
  if (step->kind == RLT_STEP_MOVE) {
    return make_move(of, step, error);
  }
  if (step->kind == RLT_STEP_PASS) {
    return make_pass(of, step, error);
  }
  const rlt_many_launch *const launch = launch_of(of->recording);
  rlt_recorded_command *const made = &of->recording->commands[of->next++];
  made->cleared = launch->found;
  made->cleared_bytes = (size_t)launch->all_groups * sizeof(cl_uint);
  return RELAYOUT_OK;
}

relayout_status rlt_recorded_many_make(relayout_recording *recording,
                                       const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, relayout_error *error) {
  const relayout_plan *const plan = recording->plan;
  rlt_many_buffers at;
  rlt_many_arguments tensors;
  relayout_status status = rlt_check_queue_and_list(rlt_opencl_device_of(plan->device),
                                                    recording->queue, 0, NULL, error);
  if (status == RELAYOUT_OK) {
    status = rlt_many_check_buffers(plan, from, to, &at, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_many_make_temporary(plan, &recording->temporary, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_many_find_arguments(launch_of(recording), &at, recording->temporary, &tensors);
  making of = {recording, &tensors, 0};
  return rlt_many_visit_steps(plan, &at, recording->temporary, make_step, &of, error);
}

/* ---- Other buffers -------------------------------------------------------------------------- */

typedef struct moving {
  const relayout_recording *recording;
  /* Of passes, whose arguments for tensors are the same. */
  const rlt_mutable_argument *tensors;
  cl_uint tensor_count;
  int32_t next; /* command */
  int32_t mutation_count;
  rlt_mutation *mutations;
  rlt_part_arguments *parts; /* as many as commands */
} moving;

static relayout_status move_step(void *context, const rlt_many_step *step, relayout_error *error) {
  moving *const of = context;
  const int32_t count = step->kind == RLT_STEP_MOVE ? step->plan->work.part_count : 1;
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    const rlt_recorded_command *const command = &of->recording->commands[of->next];
    rlt_mutation *const made = &of->mutations[of->mutation_count];
    if (step->kind == RLT_STEP_MOVE) {
      status = rlt_recorded_part_move(command, step->source, step->destination,
                                      &of->parts[of->next], made, error);
    } else {
      *made = (rlt_mutation){command->command, of->tensor_count, of->tensors};
    }
    of->mutation_count += step->kind != RLT_STEP_CLEAR; /* which knows temporary memory alone */
    of->next += 1;
  }
  return status;
}

static relayout_status update(moving *of, const rlt_many_buffers *at, relayout_error *error) {
  const relayout_recording *const recording = of->recording;
  const relayout_status status =
      rlt_many_visit_steps(recording->plan, at, recording->temporary, move_step, of, error);
  return status == RELAYOUT_OK && of->mutation_count > 0
             ? rlt_command_buffers_update(&recording->with, recording->buffer, of->mutation_count,
                                          of->mutations, error)
             : status;
}

/* Two for each tensor. */
static cl_uint list_arguments(const rlt_many_arguments *tensors, rlt_mutable_argument *made) {
  for (cl_uint i = 0; i < tensors->count; ++i) {
    made[2 * i] = (rlt_mutable_argument){2 * i, sizeof tensors->buffers[i], &tensors->buffers[i]};
    made[2 * i + 1] =
        (rlt_mutable_argument){2 * i + 1, sizeof tensors->starts[i], &tensors->starts[i]};
  }
  return 2 * tensors->count;
}

relayout_status rlt_recorded_many_move(const relayout_recording *recording,
                                       const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, relayout_error *error) {
  const size_t count = (size_t)recording->command_count;
  rlt_many_buffers at;
  rlt_many_arguments tensors;
  rlt_mutable_argument arguments[2 * RLT_MOST_SIDES * RLT_SIDE_TENSORS];
  relayout_status status = rlt_many_check_buffers(recording->plan, from, to, &at, error);
  if (status != RELAYOUT_OK || count == 0) {
    return status;
  }
  rlt_many_find_arguments(launch_of(recording), &at, recording->temporary, &tensors);
  moving of = {.recording = recording,
               .tensors = arguments,
               .tensor_count = list_arguments(&tensors, arguments),
               .mutations = rlt_calloc(count, sizeof *of.mutations),
               .parts = rlt_calloc(count, sizeof *of.parts)};
  status =
      of.mutations != NULL && of.parts != NULL
          ? update(&of, &at, error)
          : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu changed kernels", count);
  rlt_free(of.parts);
  rlt_free(of.mutations);
  return status;
}
