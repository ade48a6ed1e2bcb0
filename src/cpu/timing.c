/* timing.c: how long an executable takes on memory of its own. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cpu/executable.h"

enum { ALIGNMENT = 4096 };

typedef struct scratch {
  void *source;
  void *destination;
} scratch;

/* Every page is touched: what was never written is one page of zeros to the system. */
static void *touched(size_t size) {
  void *const made = rlt_aligned_alloc(ALIGNMENT, size > 0 ? size : 1);
  return made == NULL ? NULL : memset(made, 1, size);
}

relayout_status rlt_cpu_scratch_create(relayout_device *device, size_t source_size,
                                       size_t destination_size, void **made_scratch,
                                       relayout_error *error) {
  scratch *const made = rlt_calloc(1, sizeof *made);
  if (made != NULL) {
    made->source = touched(source_size);
    made->destination = touched(destination_size);
  }
  if (made == NULL || made->source == NULL || made->destination == NULL) {
    rlt_cpu_scratch_destroy(device, made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory to time a relayout of %zu bytes",
                    destination_size);
  }
  *made_scratch = made;
  return RELAYOUT_OK;
}

void rlt_cpu_scratch_destroy(relayout_device *device, void *made_scratch) {
  (void)device;
  scratch *const made = made_scratch;
  if (made != NULL) {
    rlt_free(made->source);
    rlt_free(made->destination);
    rlt_free(made);
  }
}

relayout_status rlt_cpu_executable_time(relayout_device *device, const void *executable,
                                        void *made_scratch, rlt_offsets offsets, double *seconds,
                                        relayout_error *error) {
  const scratch *const made = made_scratch;
  const double begin = rlt_seconds();
  const relayout_status status =
      rlt_cpu_executable_run(device, executable, (const uint8_t *)made->source + offsets.source,
                             (uint8_t *)made->destination + offsets.destination, error);
  *seconds = rlt_seconds() - begin;
  return status;
}
