/* run_kernels.c: runs the texts of kernel_cases that compile as C or C++ on their relayouts, and
 * compares all bytes. The text's path is EMITTED; that of CUDA runs by cuda_emulation.h. */
#include <stdbool.h>
#include <string.h>

#include "kernel_case.h"

typedef void (*call)(unsigned char *to, unsigned long long to_offset, const unsigned char *from,
                     unsigned long long from_offset);

#ifdef __cplusplus
#include "cuda_emulation.h"
#endif
#include EMITTED
#include "calls.inc"

/* The launch under way. */
static call called;
static case_memory memory;

static void call_it(void) {
  called(memory.destination, memory.destination_offset, memory.source, memory.source_offset);
}

static void launch(const case_kernel *of) {
#ifdef __cplusplus
  emulated_launch(call_it, (unsigned)(of->global / of->local), (unsigned)of->local);
#else
  (void)of;
  call_it();
#endif
}

static uint64_t run_case(FILE *cases, uint64_t number, uint64_t count, size_t first) {
  enum { MOST_KERNELS = 64 };
  case_kernel kernels[MOST_KERNELS];
  for (uint64_t i = 0; i < count; ++i) {
    kernels[i] = case_read_kernel(cases);
    free(kernels[i].text);
  }
  memory = case_read_memory(cases);
  for (uint64_t i = 0; i < count; ++i) {
    called = all[first + i];
    launch(&kernels[i]);
  }
  const uint64_t differences = case_compare(number, &memory);
  case_free_memory(&memory);
  return differences;
}

int main(int argument_count, char **arguments) {
  FILE *const cases = argument_count == 2 ? fopen(arguments[1], "rb") : NULL;
  if (cases == NULL) {
    fprintf(stderr, "usage: run_kernels CASES\n");
    return 1;
  }
  uint64_t differences = 0, number = 0;
  size_t first = 0;
  for (uint64_t count; fread(&count, sizeof count, 1, cases) == 1; ++number) {
    differences += run_case(cases, number, count, first);
    first += count;
  }
  fclose(cases);
  printf("%llu relayouts\n", (unsigned long long)number);
  return differences == 0 && number > 0 ? 0 : 1;
}
