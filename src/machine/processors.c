/* processors.c: which processors the calling thread may run on. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "machine/processors.h"

#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#ifdef __linux__
enum { MOST_PROCESSORS = 1 << 16 };

static rlt_processors processors_in(const cpu_set_t *set, int size) {
  const size_t bytes = CPU_ALLOC_SIZE(size);
  rlt_processors found = {0};
  for (int i = 0; i < size; ++i) {
    if (CPU_ISSET_S(i, bytes, set)) {
      found.first = found.count == 0 ? i : found.first;
      found.last = i;
      ++found.count;
    }
  }
  return found;
}

/* None where the system does not say. It refuses a set that is smaller than its own. */
static rlt_processors allowed_processors(void) {
  rlt_processors allowed = {0};
  for (int size = 1024; size <= MOST_PROCESSORS && allowed.count == 0; size *= 2) {
    cpu_set_t *const set = CPU_ALLOC(size);
    if (set == NULL) {
      break;
    }
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(size), set) == 0) {
      allowed = processors_in(set, size);
    }
    CPU_FREE(set);
  }
  return allowed;
}
#else
static rlt_processors allowed_processors(void) {
  return (rlt_processors){0};
}
#endif

rlt_processors rlt_allowed_processors(void) {
  const rlt_processors allowed = allowed_processors();
  if (allowed.count > 0) {
    return allowed;
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const int32_t count = online > 0 ? (int32_t)online : 1;
  return (rlt_processors){.count = count, .first = 0, .last = count - 1};
}

int32_t rlt_cpu_processors(void) {
  return rlt_allowed_processors().count;
}
