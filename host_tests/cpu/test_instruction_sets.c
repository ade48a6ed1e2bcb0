/* Choosing the kernels for a processor. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cpu/instruction_sets.h"
#include "relayout/device.h"
#include "schedule/facts.h"

static const char variable[] = "RELAYOUT_CPU_INSTRUCTIONS";

static void test_best_is_chosen(void **state) {
  (void)state;
  const char *const settings[] = {NULL, ""};
  for (int i = 0; i < 2; ++i) {
    if (settings[i] == NULL) {
      unsetenv(variable);
    } else {
      setenv(variable, settings[i], 1);
    }
    const rlt_cpu_instruction_set *chosen = NULL;
    assert_int_equal(rlt_cpu_instruction_set_choose(&chosen, NULL), RELAYOUT_OK);
    const rlt_cpu_instruction_set *best = rlt_cpu_instruction_sets;
    while (!best->is_there()) {
      ++best;
    }
    assert_ptr_equal(chosen, best);
  }
}

static void test_each_can_be_forced(void **state) {
  (void)state;
  for (const rlt_cpu_instruction_set *set = rlt_cpu_instruction_sets; set->name != NULL; ++set) {
    setenv(variable, set->name, 1);
    const rlt_cpu_instruction_set *chosen = NULL;
    relayout_error error = {0};
    const relayout_status status = rlt_cpu_instruction_set_choose(&chosen, &error);
    if (set->is_there()) {
      assert_int_equal(status, RELAYOUT_OK);
      assert_ptr_equal(chosen, set);
    } else {
      assert_int_equal(status, RELAYOUT_UNSUPPORTED);
      assert_non_null(strstr(error.message, set->name));
    }
  }
  unsetenv(variable);
}

static void test_unknown_name(void **state) {
  (void)state;
  setenv(variable, "sse9", 1);
  relayout_device *device = NULL;
  relayout_error error = {0};
  assert_int_equal(relayout_cpu_device_create(NULL, &device, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "RELAYOUT_CPU_INSTRUCTIONS: 'sse9' is not an instruction set of this build");
  assert_null(device);
  unsetenv(variable);
}

/* What a block has on either side follows from the size of a register's lanes,
 * and of a register. All but plain C have stores that go past the caches, on x86 at least. */
static void test_blocks(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int32_t bytes;
  } registers[] = {{"avx512vbmi", 64}, {"avx512", 64}, {"avx2", 32}, {"sse41", 16},
                   {"sse2", 16},       {"neon", 16},   {"plain", 16}};
  for (const rlt_cpu_instruction_set *set = rlt_cpu_instruction_sets; set->name != NULL; ++set) {
    size_t i = 0;
    while (strcmp(registers[i].name, set->name) != 0) {
      ++i;
    }
    const bool may_stream = strcmp(set->name, "plain") != 0;
    for (int32_t bytes = 1; bytes <= 16; bytes *= 2) {
      const rlt_cpu_kernels *const kernels = set->kernels[rlt_word_size_number(bytes)];
      assert_int_equal(kernels->block_rows, 16 / bytes);
      assert_int_equal(kernels->block_columns, registers[i].bytes / bytes);
      assert_int_equal(set->lines->vector_bytes, registers[i].bytes);
      assert_true(may_stream || !set->lines->streams);
#if defined(__x86_64__)
      assert_int_equal(set->lines->streams, may_stream);
#endif
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_best_is_chosen),
      cmocka_unit_test(test_each_can_be_forced),
      cmocka_unit_test(test_unknown_name),
      cmocka_unit_test(test_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
