/* fuzz_cpuid.c: whatever a processor answers to cpuid becomes facts that a machine can have. The
 * input is the answers' registers, one after the other. */
#include "facts_round.h"
#include "fuzz_target.h"
#include "input.h"
#include "machine/cpuid.h"

static input answers;

static uint32_t take_register(void) {
  uint32_t made = 0;
  for (int i = 0; i < 4; ++i) {
    made = made << 8 | take(&answers);
  }
  return made;
}

/* Zeros behind the input's end, as of leaves that there are not. */
static rlt_cpuid_answer answer(uint32_t leaf, uint32_t subleaf) {
  (void)leaf;
  (void)subleaf;
  rlt_cpuid_answer made;
  made.eax = take_register();
  made.ebx = take_register();
  made.ecx = take_register();
  made.edx = take_register();
  return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rlt_machine facts = {0};
  answers = (input){data, size};
  rlt_cpuid_read_caches(answer, &facts);
  rlt_cpuid_read_tlbs(answer, &facts);
  check_facts_round(&facts);
  return 0;
}
