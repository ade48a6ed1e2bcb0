/* processors.c: how many processors the calling thread may run on. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "cpu/processors.h"

#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#ifdef __linux__
enum { MOST_PROCESSORS = 1 << 16 };

/* 0 where the system does not say. It refuses a set that is smaller than its own. */
static int32_t allowed_processors(void) {
  for (int size = 1024; size <= MOST_PROCESSORS; size *= 2) {
    cpu_set_t *const set = CPU_ALLOC(size);
    if (set == NULL) {
      return 0;
    }
    const size_t bytes = CPU_ALLOC_SIZE(size);
    const int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) {
      return count;
    }
  }
  return 0;
}
#else
static int32_t allowed_processors(void) {
  return 0;
}
#endif

int32_t rlt_cpu_processors(void) {
  const int32_t allowed = allowed_processors();
  if (allowed > 0) {
    return allowed;
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int32_t)online : 1;
}
