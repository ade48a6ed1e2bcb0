/* instruction_sets.c: the instruction sets that the library is built for, and choosing one. */
#include "cpu/instruction_sets.h"

#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "machine/cpuid.h"

static bool always(void) {
  return true;
}

#if defined(__x86_64__)
/* What src/CMakeLists.txt lets the compiler use for these. */
static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

static bool has_avx512vbmi(void) {
  return has_avx512() && __builtin_cpu_supports("avx512vbmi");
}

/* Of f16c compilers do not know by name. */
static bool has_avx2(void) {
  enum { FEATURES = 1, F16C = 29 };
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         (rlt_cpuid_ask(FEATURES, 0).ecx >> F16C & 1) != 0;
}

static bool has_sse41(void) {
  return __builtin_cpu_supports("sse4.1");
}
#endif

/* What src/CMakeLists.txt compiles. Where two instruction sets made the same of a source, one of
 * them has the other's. */
#define LINES(set)          rlt_cpu_line_kernels_##set
#define KERNELS(set, bytes) rlt_cpu_kernels_##set##_##bytes
#define ROWS(set)           rlt_cpu_row_passes_##set
#define SCALES(set)         rlt_cpu_scale_passes_##set

extern const rlt_cpu_line_kernels LINES(plain);
extern const rlt_cpu_kernels KERNELS(plain, 4), KERNELS(plain, 8);
extern const rlt_cpu_row_passes ROWS(plain);
extern const rlt_cpu_scale_passes SCALES(plain);
#if defined(__x86_64__)
extern const rlt_cpu_line_kernels LINES(avx512), LINES(avx2), LINES(sse2);
extern const rlt_cpu_kernels KERNELS(avx512vbmi, 1), KERNELS(avx512, 1), KERNELS(avx512, 2),
    KERNELS(avx512, 4), KERNELS(avx512, 8), KERNELS(avx512, 16), KERNELS(avx2, 1), KERNELS(avx2, 2),
    KERNELS(avx2, 4), KERNELS(avx2, 8), KERNELS(avx2, 16), KERNELS(sse41, 1), KERNELS(sse41, 2),
    KERNELS(sse41, 4), KERNELS(sse41, 8), KERNELS(sse2, 1), KERNELS(sse2, 2), KERNELS(sse2, 4),
    KERNELS(sse2, 8), KERNELS(sse2, 16);
extern const rlt_cpu_row_passes ROWS(avx512), ROWS(avx2), ROWS(sse41), ROWS(sse2);
extern const rlt_cpu_scale_passes SCALES(avx512), SCALES(avx2), SCALES(sse41), SCALES(sse2);
extern rlt_cpu_pass *const rlt_cpu_bytes_avx512vbmi[4];
#else
extern const rlt_cpu_kernels KERNELS(plain, 1), KERNELS(plain, 2), KERNELS(plain, 16);
#endif
#if defined(__aarch64__)
extern const rlt_cpu_line_kernels LINES(neon);
extern const rlt_cpu_kernels KERNELS(neon, 1), KERNELS(neon, 2), KERNELS(neon, 4), KERNELS(neon, 8),
    KERNELS(neon, 16);
extern const rlt_cpu_row_passes ROWS(neon);
extern const rlt_cpu_scale_passes SCALES(neon);
#endif

const rlt_cpu_instruction_set rlt_cpu_instruction_sets[] = {
#if defined(__x86_64__)
    {"avx512vbmi",
     has_avx512vbmi,
     &LINES(avx512),
     {&KERNELS(avx512vbmi, 1), &KERNELS(avx512, 2), &KERNELS(avx512, 4), &KERNELS(avx512, 8),
      &KERNELS(avx512, 16)},
     &ROWS(avx512),
     &SCALES(avx512),
     rlt_cpu_bytes_avx512vbmi},
    {"avx512",
     has_avx512,
     &LINES(avx512),
     {&KERNELS(avx512, 1), &KERNELS(avx512, 2), &KERNELS(avx512, 4), &KERNELS(avx512, 8),
      &KERNELS(avx512, 16)},
     &ROWS(avx512),
     &SCALES(avx512),
     NULL},
    {"avx2",
     has_avx2,
     &LINES(avx2),
     {&KERNELS(avx2, 1), &KERNELS(avx2, 2), &KERNELS(avx2, 4), &KERNELS(avx2, 8),
      &KERNELS(avx2, 16)},
     &ROWS(avx2),
     &SCALES(avx2),
     NULL},
    {"sse41",
     has_sse41,
     &LINES(sse2),
     {&KERNELS(sse41, 1), &KERNELS(sse41, 2), &KERNELS(sse41, 4), &KERNELS(sse41, 8),
      &KERNELS(sse2, 16)},
     &ROWS(sse41),
     &SCALES(sse41),
     NULL},
    {"sse2",
     always,
     &LINES(sse2),
     {&KERNELS(sse2, 1), &KERNELS(sse2, 2), &KERNELS(sse2, 4), &KERNELS(sse2, 8),
      &KERNELS(sse2, 16)},
     &ROWS(sse2),
     &SCALES(sse2),
     NULL},
    /* Plain C differs by the channels that it does without: words of 4 and 8 bytes. */
    {"plain",
     always,
     &LINES(plain),
     {&KERNELS(sse2, 1), &KERNELS(sse2, 2), &KERNELS(plain, 4), &KERNELS(plain, 8),
      &KERNELS(sse2, 16)},
     &ROWS(plain),
     &SCALES(plain),
     NULL},
#else
#if defined(__aarch64__)
    {"neon",
     always,
     &LINES(neon),
     {&KERNELS(neon, 1), &KERNELS(neon, 2), &KERNELS(neon, 4), &KERNELS(neon, 8),
      &KERNELS(neon, 16)},
     &ROWS(neon),
     &SCALES(neon),
     NULL},
#endif
    {"plain",
     always,
     &LINES(plain),
     {&KERNELS(plain, 1), &KERNELS(plain, 2), &KERNELS(plain, 4), &KERNELS(plain, 8),
      &KERNELS(plain, 16)},
     &ROWS(plain),
     &SCALES(plain),
     NULL},
#endif
    {.name = NULL},
};

static const char variable[] = "RELAYOUT_CPU_INSTRUCTIONS";

relayout_status rlt_cpu_instruction_set_choose(const rlt_cpu_instruction_set **chosen,
                                               relayout_error *error) {
  const char *const wanted = rlt_environment(variable);
  const bool any = wanted == NULL || wanted[0] == '\0';
  for (const rlt_cpu_instruction_set *set = rlt_cpu_instruction_sets; set->name != NULL; ++set) {
    if (any ? set->is_there() : strcmp(set->name, wanted) == 0) {
      if (!set->is_there()) {
        return rlt_fail(error, RELAYOUT_UNSUPPORTED, "%s: '%s' is not supported by this processor",
                        variable, wanted);
      }
      *chosen = set;
      return RELAYOUT_OK;
    }
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                  "%s: '%s' is not an instruction set of this build", variable, wanted);
}
