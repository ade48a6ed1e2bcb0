/* Making CPU devices: options good and bad, what they say of themselves, what a program says. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "child.h"
#include "cmocka_all.h"
#include "cpu/cpu.h"
#include "cpu/instruction_sets.h"
#include "cpu/target.h"
#include "cpu/trial.h"
#include "machine/processors.h"
#include "plan/plan.h"
#include "relayout/relayout.h"

static void run_in_turn(void *context, size_t count, void (*task)(void *data, size_t i),
                        void *data) {
  (void)context;
  for (size_t i = 0; i < count; ++i) {
    task(data, i);
  }
}

typedef struct bad_options {
  relayout_cpu_options options;
  const char *named; /* argument and value, as the message has them */
} bad_options;

static void test_bad_options(void **state) {
  (void)state;
  const bad_options cases[] = {
      {{.struct_size = 0}, "options->struct_size is 0"},
      {{.struct_size = 7, .threads = 1}, "options->struct_size is 7"},
      {{.struct_size = sizeof(relayout_cpu_options), .threads = -1}, "options->threads is -1"},
      {{.struct_size = sizeof(relayout_cpu_options),
        .threads = INT32_MIN,
        .parallel_for = run_in_turn},
       "options->threads is -2147483648"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    relayout_device *device = NULL;
    relayout_error error = {0};
    assert_int_equal(relayout_cpu_device_create(&cases[i].options, &device, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_int_equal(error.status, RELAYOUT_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, cases[i].named));
    assert_null(device);
  }
  relayout_error error = {0};
  assert_int_equal(relayout_cpu_device_create(NULL, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is NULL");
}

static uint32_t compute_units(const relayout_cpu_options *options) {
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(options, &device, NULL), RELAYOUT_OK);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
  return info.compute_units;
}

static void test_thread_counts(void **state) {
  (void)state;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  assert_int_equal(compute_units(&options), 1);
  options.parallel_for = run_in_turn;
  options.threads = 7;
  assert_int_equal(compute_units(&options), 7);
  options.threads = 0;
  assert_int_equal(compute_units(&options), rlt_cpu_processors());
}

/* Whoever sets no limit pays for none: 4096 threads are two lines of 64 bytes each. */
static void test_thread_counts_without_limit(void **state) {
  (void)state;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.parallel_for = run_in_turn;
  static const int32_t asked[] = {4095, 4096, 4097, 1 << 24, INT32_MAX};
  for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
    options.threads = asked[i];
    assert_int_equal(compute_units(&options), asked[i] < 4096 ? asked[i] : 4096);
  }
}

/* The library has as many threads as there are processors, and no more. */
static void test_thread_counts_without_parallel_for(void **state) {
  (void)state;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  assert_int_equal(compute_units(&options), rlt_cpu_processors());
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  options.threads = (int32_t)online;
  assert_int_equal(compute_units(&options), online);
  options.threads = INT32_MAX;
  assert_true(compute_units(&options) >= online);
  assert_true(compute_units(&options) <= sysconf(_SC_NPROCESSORS_CONF));
}

/* A process that may run on one processor only, of several: so many are what there is by default,
 * and who asks for more gets as many as are there. */
static int be_kept_to_one_processor(void) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return 77;
  }
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) {
    ++first;
  }
  CPU_SET(first, &one);
  if (online < 2 || sched_setaffinity(0, sizeof one, &one) != 0) {
    return 77;
  }
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  const bool is_one = compute_units(&options) == 1;
  options.threads = INT32_MAX;
  const bool are_all = compute_units(&options) == (uint32_t)online;
  options.threads = 2;
  return is_one && are_all && compute_units(&options) == 2 ? 0 : 1;
}

static void test_thread_counts_on_one_processor(void **state) {
  (void)state;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    _exit(be_kept_to_one_processor());
  }
  const int code = child_code(child);
  if (code == 77) {
    skip();
  }
  assert_int_equal(code, 0);
}

enum { DESCRIPTION_SIZE = sizeof((relayout_device_info *)NULL)->description };
_Static_assert(DESCRIPTION_SIZE == 128, "what is scanned below");

/* What the system calls the processor: Linux tells of some by name, else of their kind. */
static void find_processor(char *name) {
  struct utsname system;
  assert_true(uname(&system) >= 0);
  snprintf(name, DESCRIPTION_SIZE, "%s", system.machine);
  FILE *const file = fopen("/proc/cpuinfo", "r");
  char line[512];
  bool is_found = false;
  while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL) {
    is_found = sscanf(line, "model name : %127[^\n]", name) == 1;
  }
  if (file != NULL) {
    fclose(file);
  }
}

static void test_info(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.struct_size, sizeof info);
  assert_int_equal(info.backend, RELAYOUT_BACKEND_CPU);
  assert_int_equal(info.device_class, RELAYOUT_DEVICE_CLASS_CPU);
  assert_string_equal(info.name, "cpu");
  char processor[DESCRIPTION_SIZE];
  find_processor(processor);
  assert_string_equal(info.description, processor);
  assert_string_equal(info.platform, "");
  assert_string_equal(info.driver, "");
  assert_true(info.compute_units >= 1);
  assert_true(info.memory_bytes ==
              (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
  assert_true(info.allocation_bytes == 0);

  relayout_device_info listed = RELAYOUT_DEVICE_INFO_INIT;
  listed.backend = RELAYOUT_BACKEND_OPENCL;
  listed.device_class = RELAYOUT_DEVICE_CLASS_GPU;
  listed.compute_units = 0;
  rlt_cpu_default_info(&listed);
  assert_memory_equal(&listed, &info, sizeof info);
  relayout_device_destroy(device);
}

/* ---- What the machine is ---- */

static const char variable[] = "RELAYOUT_CPU_FACTS";

static relayout_device_info info_of(const char *facts, int64_t *cache_bytes) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 2;
  options.parallel_for = run_in_turn;
  relayout_device *device = NULL;
  if (facts == NULL) {
    unsetenv(variable);
  } else {
    setenv(variable, facts, 1);
  }
  assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
  unsetenv(variable);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  /* Kernels are built for lines of so many bytes, whatever the machine's are. */
  assert_int_equal(device->facts.line_bytes, RLT_CPU_LINE_BYTES);
  *cache_bytes = device->facts.cache_bytes;
  relayout_device_destroy(device);
  return info;
}

static void assert_cache(const relayout_cache_info *cache, uint64_t bytes, uint32_t ways,
                         uint32_t processors) {
  assert_int_equal(cache->bytes, bytes);
  assert_int_equal(cache->ways, ways);
  assert_int_equal(cache->processors, processors);
}

static void test_facts_of_the_environment(void **state) {
  (void)state;
  int64_t cache_bytes = 0;
  relayout_device_info info = info_of("line=128 l1=131072:8:1 l2=12582912:12:4 l3=0 page=16384 "
                                      "tlb=160:3000 vector=8 streams=0",
                                      &cache_bytes);
  assert_int_equal(info.line_bytes, 128);
  assert_cache(&info.caches[0], 131072, 8, 1);
  assert_cache(&info.caches[1], 12582912, 12, 4);
  assert_cache(&info.caches[2], 0, 0, 0);
  assert_int_equal(info.page_bytes, 16384);
  assert_int_equal(info.tlb_pages[0], 160);
  assert_int_equal(info.tlb_pages[1], 3000);
  assert_int_equal(info.vector_bytes, 8);
  assert_int_equal(info.streaming_stores, 0);
  assert_int_equal(cache_bytes, 2 * 12582912); /* twice the half of each of two threads */

  info = info_of("l1=0 streams=1", &cache_bytes);
  assert_cache(&info.caches[0], 0, 0, 0);
  assert_int_equal(info.streaming_stores, 1);
  assert_int_equal(info.page_bytes, sysconf(_SC_PAGESIZE));
  assert_int_equal(cache_bytes, 2 * (4 << 20)); /* a guess */
}

/* The same without a variable and with an empty one: as the instruction set has it. */
static void test_facts_of_the_machine(void **state) {
  (void)state;
  int64_t cache_bytes = 0;
  const relayout_device_info info = info_of(NULL, &cache_bytes);
  const relayout_device_info again = info_of("", &cache_bytes);
  assert_memory_equal(&info, &again, sizeof info);
  assert_int_equal(info.page_bytes, sysconf(_SC_PAGESIZE));
  const rlt_cpu_instruction_set *instructions = NULL;
  assert_int_equal(rlt_cpu_instruction_set_choose(&instructions, NULL), RELAYOUT_OK);
  assert_string_equal(info.instructions, instructions->name);
  assert_int_equal(info.vector_bytes, instructions->lines->vector_bytes);
  assert_int_equal(info.streaming_stores, instructions->lines->streams);
  assert_true(cache_bytes >= 2 * (1 << 20));
}

static void test_bad_facts(void **state) {
  (void)state;
  setenv(variable, "page=4096 l1=32K", 1);
  relayout_device *device = NULL;
  relayout_error error = {0};
  assert_int_equal(relayout_cpu_device_create(NULL, &device, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(error.status, RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(
      error.message,
      "RELAYOUT_CPU_FACTS is 'page=4096 l1=32K': facts: `l1=32K` has an invalid value; "
      "expected up to 3 numbers from 0 to 1125899906842624, the others to 1048576");
  assert_null(device);
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_INVALID_ARGUMENT);
  /* A list says what the machine is by itself. */
  relayout_device_info listed = RELAYOUT_DEVICE_INFO_INIT;
  rlt_cpu_default_info(&listed);
  assert_int_equal(listed.page_bytes, sysconf(_SC_PAGESIZE));
  unsetenv(variable);
}

/* Machines such as there are, and some that there are not: relayouts stay right. */
static void test_relayouts_by_any_facts(void **state) {
  (void)state;
  static const char *const machines[] = {
      "line=128 l1=131072:8:1 l2=12582912:12:4 l3=0 page=16384 tlb=160:3000 vector=16 streams=0",
      "line=64 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 tlb=64:2048 vector=32",
      "line=32 l1=0 page=65536 tlb=0 vector=0 streams=0",
      "line=4096 l1=1:1:1 l2=1:1:1 l3=1:1:1 page=1 tlb=1:1 vector=1 streams=1",
      "l1=1125899906842624:1048576:1048576 l2=1125899906842624 page=1073741824 tlb=1048576:1048576",
  };
  enum { ROWS = 517, COLUMNS = 1031 };
  relayout_shape from;
  relayout_shape to;
  assert_int_equal(relayout_shape_parse("u16[517,1031]", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("u16[517,1031]{0,1}", &to, NULL), RELAYOUT_OK);
  uint16_t *const source = malloc(sizeof(uint16_t) * ROWS * COLUMNS);
  uint16_t *const destination = malloc(sizeof(uint16_t) * ROWS * COLUMNS);
  assert_true(source != NULL && destination != NULL);
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    source[i] = (uint16_t)(i * 40503);
  }
  for (size_t m = 0; m < sizeof machines / sizeof *machines; ++m) {
    setenv(variable, machines[m], 1);
    relayout_device *device = NULL;
    assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
    unsetenv(variable);
    memset(destination, 0x5a, sizeof(uint16_t) * ROWS * COLUMNS);
    assert_int_equal(relayout_copy(device, &from, &to, source, destination, NULL), RELAYOUT_OK);
    for (int r = 0; r < ROWS; ++r) {
      for (int c = 0; c < COLUMNS; ++c) {
        assert_int_equal(destination[c * ROWS + r], source[r * COLUMNS + c]);
      }
    }
    relayout_device_destroy(device);
  }
  free(source);
  free(destination);
}

/* Half of the second cache, which is told here: no less than 64 KiB, and no more than there are. */
static void test_room_for_tiles(void **state) {
  (void)state;
  static const struct {
    const char *facts;
    int64_t bytes;
  } cases[] = {{"l1=32768:8:1 l2=0", 64 << 10},
               {"l1=32768:8:1 l2=65536:8:1", 64 << 10},
               {"l1=32768:8:1 l2=262144:8:1", 128 << 10},
               {"l1=32768:8:1 l2=524288:8:1", 256 << 10},
               {"l1=32768:8:1 l2=2097152:16:1", 256 << 10}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_device *device = NULL;
    setenv("RELAYOUT_CPU_FACTS", cases[i].facts, 1);
    assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
    unsetenv("RELAYOUT_CPU_FACTS");
    assert_int_equal(device->facts.staging_bytes, cases[i].bytes);
    /* A tile of bytes, each a segment of its own with a line behind it. */
    assert_int_equal(device->facts.most_segments, cases[i].bytes / 65);
    relayout_device_destroy(device);
  }
}

/* What the kernels can do is the same on all machines, but for their blocks and registers. */
static void test_facts_of_the_kernels(void **state) {
  (void)state;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 3;
  options.parallel_for = run_in_turn;
  relayout_device *device = NULL;
  setenv("RELAYOUT_CPU_INSTRUCTIONS", "plain", 1);
  assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
  unsetenv("RELAYOUT_CPU_INSTRUCTIONS");
  const rlt_facts *const facts = &device->facts;
  assert_int_equal(facts->threads, 3);
  assert_ptr_equal(facts->target, &rlt_cpu_target);
  /* Rows of bits that are transposed have a line each. */
  assert_int_equal(facts->bit_transposed_rows, 512);
  assert_int_equal(facts->group_size, 1);
  assert_true(facts->most_groups == INT64_MAX);
  for (int32_t i = 0; i < RLT_WORD_SIZES; ++i) { /* registers are of 16 bytes */
    assert_int_equal(facts->words[i].block_rows, 16 >> i);
    assert_int_equal(facts->words[i].block_columns, 16 >> i);
    assert_int_equal(facts->words[i].channels, i < 2 ? 8 : 4);
    assert_int_equal(facts->words[i].channels_in_lanes, 0);
  }
  relayout_device_destroy(device);
}

/* ---- Programs ---- */

typedef struct description {
  rlt_problem problem;
  const char *text;
} description;

static void test_descriptions(void **state) {
  (void)state;
  static const description cases[] = {
      {{.element_bytes = 4,
        .source_elements = 1 << 20,
        .destination_elements = 1 << 20,
        .axis_count = 2,
        .axes = {{1024, 1024, 1024, 1}, {1024, 1024, 1, 1024}}},
       "transpose of 4-byte words in 256 tiles of 32 x 128, 32 blocks on 3 threads with plain"},
      {{.element_bytes = 1,
        .source_elements = 1000,
        .destination_elements = 1000,
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       "copy of 1-byte words in 1 tile of 1 x 1000, 1 block on 1 thread with plain"},
  };
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 3;
  options.parallel_for = run_in_turn;
  relayout_device *device = NULL;
  setenv("RELAYOUT_CPU_INSTRUCTIONS", "plain", 1);
  /* The destination is within the cache: twice each thread's second level. */
  setenv(variable, "line=64 l1=49152:12:1 l2=1048576:16:1 l3=33554432:16:16 tlb=64:2048", 1);
  assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
  unsetenv(variable);
  unsetenv("RELAYOUT_CPU_INSTRUCTIONS");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    relayout_plan *const plan = trial_plan(device, &cases[i].problem);
    char buffer[256];
    rlt_text text = rlt_text_in(buffer, sizeof buffer);
    rlt_cpu_backend.executable_describe(device, plan->work.parts[0].variants[0].executable, &text);
    assert_string_equal(buffer, cases[i].text);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_thread_counts),
      cmocka_unit_test(test_thread_counts_without_limit),
      cmocka_unit_test(test_thread_counts_without_parallel_for),
      cmocka_unit_test(test_thread_counts_on_one_processor),
      cmocka_unit_test(test_info),
      cmocka_unit_test(test_facts_of_the_environment),
      cmocka_unit_test(test_facts_of_the_machine),
      cmocka_unit_test(test_bad_facts),
      cmocka_unit_test(test_relayouts_by_any_facts),
      cmocka_unit_test(test_room_for_tiles),
      cmocka_unit_test(test_facts_of_the_kernels),
      cmocka_unit_test(test_descriptions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
