/* recorder.c: a backend that counts. */
#include "plan/recorder.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "plan/devices.h"
#include "plan/plan.h"

typedef struct recorder_device_state {
  relayout_device common;
  recorder *record;
} recorder_device_state;

static recorder *record_of(const relayout_device *device) {
  return ((const recorder_device_state *)device)->record;
}

static relayout_status program_create(relayout_device *device, const rlt_schedule *schedule,
                                      void **program, int64_t *most_group_size,
                                      relayout_error *error) {
  recorder *record = record_of(device);
  if (record->next_program != RELAYOUT_OK) {
    return rlt_fail(error, record->next_program, "the recorder was told to fail");
  }
  if (record->most_group_size > 0 && schedule->group_size > record->most_group_size) {
    *most_group_size = record->most_group_size;
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "the recorder was told to refuse groups");
  }
  rlt_problem_copy(schedule->problem, &record->problem);
  ++record->programs_made;
  ++record->programs_alive;
  rlt_schedule *const made = malloc(sizeof *made);
  *made = *schedule;
  *program = made;
  return RELAYOUT_OK;
}

static void program_destroy(relayout_device *device, void *program) {
  free(program);
  --record_of(device)->programs_alive;
}

static size_t program_host_bytes(const void *program) {
  return sizeof *(const rlt_schedule *)program;
}

static relayout_status execute(const relayout_plan *plan, const void *source, void *destination,
                               relayout_error *error) {
  (void)source;
  (void)destination;
  (void)error;
  ++record_of(plan->device)->executions;
  return RELAYOUT_OK;
}

static void trim(relayout_device *device) {
  ++record_of(device)->trims;
}

static relayout_status scratch_create(relayout_device *device, size_t source_size,
                                      size_t destination_size, void **scratch,
                                      relayout_error *error) {
  recorder *record = record_of(device);
  if (record->next_scratch != RELAYOUT_OK) {
    return rlt_fail(error, record->next_scratch, "the recorder was told to fail");
  }
  ++record->scratches_alive;
  record->scratch_source = source_size;
  record->scratch_destination = destination_size;
  *scratch = record;
  return RELAYOUT_OK;
}

static void scratch_destroy(relayout_device *device, void *scratch) {
  (void)device;
  --((recorder *)scratch)->scratches_alive;
}

static relayout_status program_time(relayout_device *device, const void *program, void *scratch,
                                    rlt_offsets offsets, double *seconds, relayout_error *error) {
  (void)device;
  recorder *record = scratch;
  const recorded_run run = {program, offsets, record->programs_timed};
  *seconds = record->seconds == NULL ? 1 : record->seconds(&run);
  ++record->programs_timed;
  return *seconds < 0 ? rlt_fail(error, RELAYOUT_OPENCL_ERROR, "the recorder was told to fail")
                      : RELAYOUT_OK;
}

static void program_describe(const relayout_device *device, const void *program, rlt_text *text) {
  (void)device;
  (void)program;
  rlt_text_add(text, "nothing at all");
}

static void destroy(relayout_device *device) {
  record_of(device)->device_alive = false;
  free(device);
}

static const rlt_backend backend = {.id = RELAYOUT_BACKEND_CPU,
                                    .executable_create = program_create,
                                    .executable_destroy = program_destroy,
                                    .executable_host_bytes = program_host_bytes,
                                    .has_staging = true,
                                    .execute = execute,
                                    .trim = trim,
                                    .scratch_create = scratch_create,
                                    .scratch_destroy = scratch_destroy,
                                    .executable_time = program_time,
                                    .executable_describe = program_describe,
                                    .destroy = destroy};

relayout_device *recorder_device(recorder *record) {
  recorder_device_state *device = calloc(1, sizeof *device);
  *record =
      (recorder){.device_alive = true, .next_program = RELAYOUT_OK, .next_scratch = RELAYOUT_OK};
  device->record = record;
  device->common.facts = work_group_facts;
  device->common.info = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  snprintf(device->common.info.name, sizeof device->common.info.name, "recorder");
  snprintf(device->common.info.description, sizeof device->common.info.description,
           "a \"recording\" device");
  rlt_device_initialize(&device->common, &backend, NULL);
  device->common.tuning = &work_group_tuning;
  return &device->common;
}

relayout_device *recorder_cpu_device(recorder *record) {
  relayout_device *const device = recorder_device(record);
  device->facts = cpu_facts;
  device->tuning = &cpu_tuning;
  return device;
}
