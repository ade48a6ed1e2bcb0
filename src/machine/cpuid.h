/* cpuid.h: what an x86 processor answers about its caches and TLB's. Depends on machine/facts.h. */
#ifndef RLT_MACHINE_CPUID_H
#define RLT_MACHINE_CPUID_H

#include "machine/facts.h"

/* The four registers of an answer; all 0 for a leaf that the processor does not have. */
typedef struct rlt_cpuid_answer {
  uint32_t eax;
  uint32_t ebx;
  uint32_t ecx;
  uint32_t edx;
} rlt_cpuid_answer;

typedef rlt_cpuid_answer rlt_cpuid(uint32_t leaf, uint32_t subleaf);

/* Asks the processor that the thread runs on; one that is no x86 has no leaf at all. */
rlt_cpuid_answer rlt_cpuid_ask(uint32_t leaf, uint32_t subleaf);

/* Fills in line_bytes and all caches, and the TLB's of data and ordinary pages. 0: unknown. */
void rlt_cpuid_read_caches(rlt_cpuid *ask, rlt_machine *facts);
void rlt_cpuid_read_tlbs(rlt_cpuid *ask, rlt_machine *facts);

#endif
