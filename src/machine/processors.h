/* processors.h: what there is to run on. Depends on nothing. */
#ifndef RLT_MACHINE_PROCESSORS_H
#define RLT_MACHINE_PROCESSORS_H

#include <stdint.h>

typedef struct rlt_processors {
  int32_t count; /* at least 1 */
  int32_t first; /* by the system's numbers */
  int32_t last;
} rlt_processors;

/* Those that the calling thread may run on. */
rlt_processors rlt_allowed_processors(void);

/* How many there are of these. */
int32_t rlt_cpu_processors(void);

/* Lets the processor rest for a moment while its thread waits for another one's. */
static inline void rlt_cpu_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
