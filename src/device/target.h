/* target.h: what a backend offers to plans. A plan never names a backend; its device brings one.
 *
 * Depends on part.h, facts.h, tuning.h and base/text.h.
 */
#ifndef RLT_DEVICE_TARGET_H
#define RLT_DEVICE_TARGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "plan/part.h"
#include "problem/problem.h"
#include "relayout/device.h"
#include "relayout/plan.h"
#include "relayout/scaled.h"
#include "schedule/schedule.h"

struct rlt_many;
struct rlt_plan_cache;
struct rlt_plan_request;
struct rlt_wisdom;

/* Bytes from the start of either side of scratch memory. */
typedef struct rlt_offsets {
  size_t source;
  size_t destination;
} rlt_offsets;

/* What crosses between the host's memory and a device's when both sides are the host's. */
typedef struct rlt_host_transfers {
  int64_t boxes; /* of the index space, one behind the other; 0: the device works in place */
  int64_t bytes_up;
  int64_t bytes_down;
} rlt_host_transfers;

typedef struct rlt_backend {
  relayout_backend id;
  bool has_staging;        /* sides may go through memory of the device, chunk by chunk */
  bool learns;             /* calls run the schedules whose turn it is (learner.h) */
  bool copies_host_memory; /* execute may move copies, which begin at multiples of any alignment */

  /* Compiles a schedule, which outlives the executable and was made for this device's facts. Never
   * called for an empty problem. RELAYOUT_UNSUPPORTED, with `*most_group_size` lowered, if the
   * schedule's work-groups have more work-items than its kernel can. */
  relayout_status (*executable_create)(relayout_device *device, const rlt_schedule *schedule,
                                       void **executable, int64_t *most_group_size,
                                       relayout_error *error);
  void (*executable_destroy)(relayout_device *device, void *executable);

  /* Moves host memory by a plan of this device's that has parts, from and to these lowest bytes of
   * its sides. Sizes and overlap are checked already, and every part has a variant for these
   * pointers, or for copies. May be called from several threads for the same plan. */
  relayout_status (*execute)(const relayout_plan *plan, const void *source, void *destination,
                             relayout_error *error);

  /* Makes what the device runs a plan of several destinations by, of views that have been checked:
   * `many->on_device`, which many_destroy frees, after a failure too. NULL: such plans go by boxes
   * and rows (plan/many.h). */
  relayout_status (*many_create)(relayout_device *device, const struct rlt_plan_request *asked,
                                 struct rlt_many *many, relayout_error *error);
  void (*many_destroy)(void *on_device);
  /* Makes a converter for plans that go by rows: it copies a row of elements that lie side by side,
   * of `element_bytes` each, and converts them. RELAYOUT_OUT_OF_MEMORY. */
  relayout_status (*converter_create)(const relayout_device *device, int64_t element_bytes,
                                      const rlt_conversion *conversion, void **converter,
                                      relayout_error *error);
  void (*converter_destroy)(void *converter);
  /* Does all that a plan of several destinations does with host memory; sizes and overlap are
   * checked. */
  relayout_status (*execute_many)(const relayout_plan *plan, const relayout_source_memory *from,
                                  const relayout_destination_memory *to, relayout_error *error);

  /* Memory to time such plans of these sides in, every page of it touched: RELAYOUT_OUT_OF_MEMORY,
   * RELAYOUT_OPENCL_ERROR. And running one there once, and how long that took. */
  relayout_status (*many_scratch_create)(const struct rlt_many *many, void **scratch,
                                         relayout_error *error);
  void (*many_scratch_destroy)(relayout_device *device, void *scratch);
  relayout_status (*many_time)(const relayout_plan *plan, void *scratch, double *seconds,
                               relayout_error *error);

  /* How execute, or a submission by a plan that has chunks, transfers such sides; of a plan that
   * has parts. NULL where host memory is all. */
  rlt_host_transfers (*host_transfers)(const relayout_plan *plan);

  /* Memory of the device's own to time executables in, every page of it touched, of at least these
   * sizes in bytes, at the start of a page. RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
  relayout_status (*scratch_create)(relayout_device *device, size_t source_size,
                                    size_t destination_size, void **scratch, relayout_error *error);
  void (*scratch_destroy)(relayout_device *device, void *scratch);

  /* Runs an executable there once and says how long the device took. */
  relayout_status (*executable_time)(relayout_device *device, const void *executable, void *scratch,
                                     rlt_offsets offsets, double *seconds, relayout_error *error);

  /* Says what the device will run: one line of English without a full stop. */
  void (*executable_describe)(const relayout_device *device, const void *executable,
                              rlt_text *text);

  /* Kernels that each executable enqueues, and that a plan enqueues beside them; 0 if the device
   * has no queues. */
  int32_t kernels_of_executable;
  int32_t kernels_of_plan;
  /* Memory of a device that an executable holds beside its code; NULL where host memory is all. */
  size_t (*executable_bytes)(const void *executable);
  /* Memory of the host's that it takes. */
  size_t (*executable_host_bytes)(const void *executable);

  /* Lets go of what the device keeps for later. Other calls may be under way. */
  void (*trim)(relayout_device *device);
  /* Programs that it keeps; NULL where none are compiled. */
  uint64_t (*count_programs)(relayout_device *device);

  /* Frees the device, all but its plan cache. */
  void (*destroy)(relayout_device *device);
} rlt_backend;

/* Every device starts with this; a backend appends its own. */
struct relayout_device {
  const rlt_backend *backend;
  atomic_int openers; /* who opened or retained it, and has not let go yet */
  atomic_int holders; /* all these as one, and the plans */
  rlt_facts facts;
  relayout_device_info info;        /* read once: wisdom is known by it */
  const rlt_tuning *tuning;         /* static, or the device's own */
  rlt_tuning *own_tuning;           /* read from a file; NULL: none was */
  relayout_device *for_host_memory; /* moves what lies there instead; NULL: the device does */
  relayout_device *planner; /* chooses and compiles schedules instead, of the same facts; or NULL */
  struct rlt_plan_cache *cache;
  struct rlt_wisdom *wisdom;
};

/* The device whose tuning and wisdom choose this one's schedules, and whose target compiles them:
 * mostly the device itself. */
static inline relayout_device *rlt_planner_of(relayout_device *device) {
  return device->planner == NULL ? device : device->planner;
}

/* Entry number `i` of a caller's infos, which all are of their struct_size. */
static inline relayout_device_info *rlt_info_at(relayout_device_info *infos, size_t i) {
  return (relayout_device_info *)(void *)((unsigned char *)infos + i * infos->struct_size);
}

/* Fills in what an info says of the machine, all but the instructions. */
void rlt_device_info_add_facts(const rlt_machine *facts, relayout_device_info *info);

/* Compiles a schedule by the device's backend, with smaller work-groups where its
 * kernel cannot have as large ones. */
relayout_status rlt_executable_create(relayout_device *device, rlt_schedule *schedule,
                                      void **executable, relayout_error *error);

/* Sets up the common part, all but the facts and the info, which are there: one holder, the tuning
 * for these facts, an empty cache, no wisdom. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_device_initialize(relayout_device *device, const rlt_backend *backend,
                                      relayout_error *error);
void rlt_device_retain(relayout_device *device);
/* Destroys the device with its last holder. */
void rlt_device_release(relayout_device *device);

#endif
