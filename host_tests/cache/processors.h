/* processors.h: the caches of processors that schedules run on, and CPU devices that have the facts
 * of one. Depends on simulator.h and plan/. */
#ifndef HOST_TESTS_CACHE_PROCESSORS_H
#define HOST_TESTS_CACHE_PROCESSORS_H

#include "cache/simulator.h"
#include "device/target.h"

enum { PROCESSORS = 12 };

typedef struct processor {
  const char *name;
  int32_t vector_bytes;
  simulator_geometry geometry;
} processor;

extern const processor processors[PROCESSORS];

/* The CPU device that this processor would have, of one thread, with the tuning for its facts and
 * without wisdom. Its plans are not for running. Fails the program where there is no memory. */
relayout_device *processor_device(const processor *of);

#endif
