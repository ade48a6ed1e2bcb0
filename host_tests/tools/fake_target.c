/* fake_target.c: runs that a test's function times. */
#include "fake_target.h"

#include "cmocka_all.h"

#include "base/clock.h"
#include "plan/fake_clock.h"
#include "plan/plan.h"

double bench_now(void) {
  return rlt_seconds();
}

static relayout_status reserve(bench_target *target, size_t source, size_t destination,
                               relayout_error *error) {
  (void)error;
  target->source_capacity = source;
  target->destination_capacity = destination;
  return ((fake_target *)target)->next_reserve;
}

/* All of a run lies within what was reserved. */
static relayout_status move(bench_target *target, const relayout_plan *plan, size_t source_offset,
                            size_t destination_offset, bench_time *time, relayout_error *error) {
  (void)error;
  fake_target *const own = (fake_target *)target;
  const recorded_run run = {&plan->work.parts[0].variants[0].candidate.schedule,
                            {source_offset, destination_offset},
                            own->moves++};
  assert_int_equal(relayout_plan_part_count(plan), 1);
  assert_true(source_offset + relayout_plan_source_size(plan) <= target->source_capacity);
  assert_true(destination_offset + relayout_plan_destination_size(plan) <=
              target->destination_capacity);
  const double seconds = own->record.seconds == NULL ? 1e-3 : own->record.seconds(&run);
  *time = (bench_time){.counted = seconds, .wall = seconds};
  return seconds < 0 ? RELAYOUT_OPENCL_ERROR : RELAYOUT_OK;
}

void fake_target_create(fake_target *made) {
  *made = (fake_target){.base = {.reserve = reserve, .move = move}};
  relayout_device *const device = recorder_cpu_device(&made->record);
  device->info.compute_units = 2;
  device->info.memory_bytes = UINT64_C(1) << 40;
  made->base.device = device;
  made->base.info = device->info;
  fake_clock_reset();
}

void fake_target_destroy(fake_target *dropped) {
  relayout_device_destroy(dropped->base.device);
  assert_int_equal(dropped->record.programs_alive, 0);
  assert_false(dropped->record.device_alive);
}

bool fake_target_is_copy(const recorded_run *run) {
  return run->schedule->move == RLT_MOVE_COPY && run->schedule->problem->axis_count == 1;
}
