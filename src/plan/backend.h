/* backend.h: what a backend offers to plans. A plan never names a backend; its device brings one.
 *
 * Depends on part.h, strategy.h and base/text.h.
 */
#ifndef RLT_PLAN_BACKEND_H
#define RLT_PLAN_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "plan/part.h"
#include "plan/strategy.h"
#include "problem/problem.h"
#include "relayout/device.h"
#include "relayout/plan.h"

struct rlt_plan_cache;
struct rlt_winners;

typedef struct rlt_backend {
  relayout_backend id;
  bool merges_bytes; /* puts packed elements into bytes that others write too, even at once */

  void (*get_info)(const relayout_device *device, relayout_device_info *info);

  /* The tiles this device likes for elements of these bytes. */
  rlt_traits (*traits)(const relayout_device *device, int64_t element_bytes);

  /* Makes whatever carries out this strategy on this device; never called for an empty problem. The
   * problem and the strategy outlive the program. */
  relayout_status (*program_create)(relayout_device *device, const rlt_problem *problem,
                                    const rlt_strategy *strategy, void **program,
                                    relayout_error *error);
  void (*program_destroy)(relayout_device *device, void *program);

  /* Moves host memory, with the programs of all parts. Pointers, sizes and overlap are checked already.
   * May be called from several threads for the same work. */
  relayout_status (*execute)(relayout_device *device, const rlt_work *work, const void *source,
                             void *destination, relayout_error *error);

  /* Memory of the device's own to time programs in, every page of it touched, of at least these
   * sizes in bytes. RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
  relayout_status (*scratch_create)(relayout_device *device, size_t source_size,
                                    size_t destination_size, void **scratch, relayout_error *error);
  void (*scratch_destroy)(relayout_device *device, void *scratch);

  /* Runs a program there once and says how long the device took. */
  relayout_status (*program_time)(relayout_device *device, const void *program, void *scratch,
                                  double *seconds, relayout_error *error);

  /* Whether two programs of one problem are the same to program_time. NULL: those of strategies
   * that differ never are. */
  bool (*programs_match)(const relayout_device *device, const void *a, const void *b);

  /* Says what the device will run: one line of English without a full stop. */
  void (*program_describe)(const relayout_device *device, const void *program, rlt_text *text);

  /* Frees the device, all but its plan cache. */
  void (*destroy)(relayout_device *device);
} rlt_backend;

/* Every device starts with this; a backend appends its own. */
struct relayout_device {
  const rlt_backend *backend;
  atomic_int holders; /* the opener and the plans */
  struct rlt_plan_cache *cache;
  struct rlt_winners *winners;
};

/* Sets up the common part: one holder, an empty cache, no winners. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_device_initialize(relayout_device *device, const rlt_backend *backend,
                                      relayout_error *error);
void rlt_device_retain(relayout_device *device);
/* Destroys the device with its last holder. */
void rlt_device_release(relayout_device *device);

#endif
