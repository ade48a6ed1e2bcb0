/* instruction_sets.c: the instruction sets that the library is built for, and choosing one. */
#include "cpu/instruction_sets.h"

#include <string.h>

#include "base/environment.h"
#include "base/error.h"

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

static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_sse41(void) {
  return __builtin_cpu_supports("sse4.1");
}
#endif

#define KERNELS(set, bytes) rlt_cpu_kernels_##set##_##bytes
#define DECLARE(set)                                                                               \
  extern const rlt_cpu_kernels KERNELS(set, 1), KERNELS(set, 2), KERNELS(set, 4), KERNELS(set, 8), \
      KERNELS(set, 16);                                                                            \
  extern const rlt_cpu_row_stages rlt_cpu_row_stages_##set;
#define ALL_OF(set)                                                                                \
  {&KERNELS(set, 1), &KERNELS(set, 2), &KERNELS(set, 4), &KERNELS(set, 8), &KERNELS(set, 16)},     \
      &rlt_cpu_row_stages_##set

#if defined(__x86_64__)
DECLARE(avx512vbmi)
DECLARE(avx512)
DECLARE(avx2)
DECLARE(sse41)
DECLARE(sse2)
#elif defined(__aarch64__)
DECLARE(neon)
#endif
DECLARE(plain)

const rlt_cpu_instruction_set rlt_cpu_instruction_sets[] = {
#if defined(__x86_64__)
    {"avx512vbmi", has_avx512vbmi, ALL_OF(avx512vbmi)},
    {"avx512", has_avx512, ALL_OF(avx512)},
    {"avx2", has_avx2, ALL_OF(avx2)},
    {"sse41", has_sse41, ALL_OF(sse41)},
    {"sse2", always, ALL_OF(sse2)},
#elif defined(__aarch64__)
    {"neon", always, ALL_OF(neon)},
#endif
    {"plain", always, ALL_OF(plain)},
    {NULL, NULL, {NULL}, NULL},
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
