/* processors.h: what there is to run on. Depends on nothing. */
#ifndef RLT_CPU_PROCESSORS_H
#define RLT_CPU_PROCESSORS_H

#include <stdint.h>

/* How many processors the calling thread may run on, at least 1. */
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
