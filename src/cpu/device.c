/* device.c: making CPU devices, and what they say of themselves. */
#include "cpu/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cache_folder.h"
#include "base/checked.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "cpu/cpu.h"
#include "cpu/executable.h"
#include "cpu/pool.h"
#include "cpu/target.h"
#include "machine/facts_text.h"
#include "machine/host.h"
#include "machine/processors.h"
#include "search/tuning_file.h"
#include "search/wisdom.h"

/* ---- Info ---- */

/* The model that Linux gives on a line "model name : ...", as it does for x86. */
static bool read_model_name(char *name, size_t capacity) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (file == NULL) {
    return false;
  }
  static const char key[] = "model name";
  char line[256];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, key, sizeof key - 1) != 0 || colon == NULL) {
      continue;
    }
    const char *model = colon + 1 + strspn(colon + 1, " \t");
    snprintf(name, capacity, "%.*s", (int)strcspn(model, "\n"), model);
    found = name[0] != '\0';
  }
  fclose(file);
  return found;
}

static void describe_processor(char *name, size_t capacity) {
  struct utsname system;
  if (read_model_name(name, capacity)) {
    return;
  }
  if (uname(&system) >= 0) {
    snprintf(name, capacity, "%s", system.machine);
  }
}

static uint64_t memory_bytes(void) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

/* Instructions may be NULL, where none are chosen. */
static void fill_info(const rlt_cpu_instruction_set *instructions, int32_t threads,
                      const rlt_machine *machine, relayout_device_info *info) {
  info->backend = RELAYOUT_BACKEND_CPU;
  info->device_class = RELAYOUT_DEVICE_CLASS_CPU;
  snprintf(info->name, sizeof info->name, "cpu");
  describe_processor(info->description, sizeof info->description);
  info->compute_units = (uint32_t)threads;
  info->memory_bytes = memory_bytes();
  rlt_device_info_add_facts(machine, info);
  snprintf(info->instructions, sizeof info->instructions, "%s",
           instructions == NULL ? "" : instructions->name);
}

/* ---- What the machine is ---- */

static const char facts_variable[] = "RELAYOUT_CPU_FACTS";

static relayout_status read_variable(rlt_machine *machine, relayout_error *error) {
  const char *const text = rlt_environment(facts_variable);
  relayout_error reason;
  if (text == NULL || rlt_facts_read_text(text, machine, &reason) == RELAYOUT_OK) {
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is '%.64s': %s", facts_variable, text,
                  reason.message);
}

/* The host's facts, the instruction set's, and those that the environment has instead. */
static relayout_status learn_machine(const rlt_cpu_instruction_set *instructions,
                                     rlt_machine *machine, relayout_error *error) {
  machine->shares_host_memory = true;
  rlt_host_add_facts(machine);
  if (instructions != NULL) {
    machine->vector_bytes = instructions->lines->vector_bytes;
    machine->streams = instructions->lines->streams;
  }
  return read_variable(machine, error);
}

void rlt_cpu_default_info(relayout_device_info *info) {
  const rlt_cpu_instruction_set *instructions = NULL;
  rlt_machine machine = {0};
  if (rlt_cpu_instruction_set_choose(&instructions, NULL) != RELAYOUT_OK) {
    instructions = NULL;
  }
  (void)learn_machine(instructions, &machine, NULL);
  fill_info(instructions, rlt_cpu_processors(), &machine, info);
}

/* ---- Making and freeing ---- */

static void trim(relayout_device *device) {
  rlt_cpu_kept_scratch_trim(((rlt_cpu_device *)device)->kept_scratch);
}

static void destroy(relayout_device *device) {
  rlt_cpu_kept_scratch_destroy(((rlt_cpu_device *)device)->kept_scratch);
  rlt_free(device);
  rlt_pool_close();
}

const rlt_backend rlt_cpu_backend = {
    .id = RELAYOUT_BACKEND_CPU,
    .executable_create = rlt_cpu_executable_create,
    .executable_destroy = rlt_cpu_executable_destroy,
    .executable_host_bytes = rlt_cpu_executable_host_bytes,
    .learns = true,
    .execute = rlt_cpu_execute,
    .converter_create = rlt_cpu_converter_create,
    .converter_destroy = rlt_cpu_converter_destroy,
    .execute_many = rlt_cpu_execute_many,
    .many_scratch_create = rlt_cpu_many_scratch_create,
    .many_scratch_destroy = rlt_cpu_many_scratch_destroy,
    .many_time = rlt_cpu_many_time,
    .scratch_create = rlt_cpu_scratch_create,
    .scratch_destroy = rlt_cpu_scratch_destroy,
    .executable_time = rlt_cpu_executable_time,
    .executable_describe = rlt_cpu_executable_describe,
    .trim = trim,
    .destroy = destroy,
};

static relayout_status read_options(const relayout_cpu_options *options, relayout_cpu_options *read,
                                    relayout_error *error) {
  *read = (relayout_cpu_options)RELAYOUT_CPU_OPTIONS_INIT;
  const relayout_status status =
      rlt_struct_read(options, "options->", sizeof *options, read, sizeof *read, error);
  if (status == RELAYOUT_OK && read->threads < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->threads is %" PRId32 "; expected 0 or more", read->threads);
  }
  return status;
}

/* More than any machine has processors. The device keeps a line of memory or two for each. */
enum { MOST_THREADS = 4096 };

static int32_t processors_there_are(void) {
  const int32_t allowed = rlt_cpu_processors();
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > allowed ? (int32_t)online : allowed;
}

/* How many tasks at once. A caller's own threads are taken as asked for, within reason; of the
 * library's, more than there are processors would only wait for each other. */
static int32_t thread_count(const relayout_cpu_options *options) {
  if (options->threads == 0) {
    return rlt_cpu_processors();
  }
  const int32_t most = options->parallel_for != NULL ? MOST_THREADS : processors_there_are();
  return options->threads < most ? options->threads : most;
}

/* No more threads than there are processors have a cache to work in. */
static int64_t cache_bytes(const rlt_machine *machine, int32_t threads) {
  const int32_t processors = processors_there_are();
  return rlt_facts_cache_bytes(machine, threads < processors ? threads : processors);
}

/* Of a tile: more do not fit its tile buffer with a line of each. */
enum { MOST_TRANSPOSED_ROWS = 512 };

/* What a tile may take. The second cache holds the tile, what it reads and what else is at work;
 * of a machine whose second cache is unknown nothing more is asked than of small ones. */
static int64_t most_tile_bytes(const rlt_machine *machine) {
  enum { LEAST = 64 << 10 };
  return rlt_max(LEAST, rlt_min(RLT_CPU_TILE_BUFFER_BYTES, machine->caches[1].bytes / 2));
}

/* What the kernels are, on whatever machine. */
static rlt_facts facts_of(const rlt_cpu_instruction_set *set, int32_t threads) {
  rlt_facts facts = {.target = &rlt_cpu_target,
                     .line_bytes = RLT_CPU_LINE_BYTES,
                     .bit_transposed_rows = MOST_TRANSPOSED_ROWS,
                     .threads = threads,
                     .group_size = 1,
                     .most_groups = INT64_MAX};
  for (int32_t i = 0; i < RLT_WORD_SIZES; ++i) {
    const rlt_cpu_kernels *const kernels = set->kernels[i];
    facts.words[i] = (rlt_word_facts){.block_rows = kernels->block_rows,
                                      .block_columns = kernels->block_columns,
                                      .channels = kernels->most_channels,
                                      .channels_in_lanes = kernels->most_in_lanes};
  }
  return facts;
}

/* Of a device that is all zeros; after a failure it holds nothing. */
static relayout_status set_up(const relayout_cpu_options *options, rlt_cpu_device *made,
                              relayout_error *error) {
  relayout_status status = rlt_cpu_instruction_set_choose(&made->instructions, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int32_t threads = thread_count(options);
  rlt_facts *const facts = &made->base.facts;
  *facts = facts_of(made->instructions, threads);
  status = learn_machine(made->instructions, &facts->machine, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  facts->staging_bytes = most_tile_bytes(&facts->machine);
  facts->most_segments = facts->staging_bytes / RLT_CPU_BYTES_OF_SEGMENT;
  made->parallel_for = options->parallel_for;
  made->parallel_context = options->parallel_context;
  made->base.info = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  fill_info(made->instructions, threads, &facts->machine, &made->base.info);
  facts->cache_bytes = cache_bytes(&facts->machine, threads);
  status = rlt_cpu_kept_scratch_create(threads, &made->kept_scratch, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = rlt_device_initialize(&made->base, &rlt_cpu_backend, error);
  if (status != RELAYOUT_OK) {
    rlt_cpu_kept_scratch_destroy(made->kept_scratch);
  }
  return status;
}

/* By checked options; what is kept for the next process lies in `folder`. */
static relayout_status make(const relayout_cpu_options *options, const char *folder,
                            relayout_device **device, relayout_error *error) {
  rlt_cpu_device *made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a CPU device of %zu bytes",
                    sizeof *made);
  }
  relayout_status status = set_up(options, made, error);
  if (status != RELAYOUT_OK) {
    rlt_free(made);
    return status;
  }
  rlt_pool_open();
  char *const path = rlt_cache_folder(folder);
  rlt_wisdom_keep_in(&made->base, path);
  rlt_free(path);
  status = rlt_tuning_file_load(&made->base, error);
  if (status != RELAYOUT_OK) {
    relayout_device_destroy(&made->base);
    return status;
  }
  *device = &made->base;
  return RELAYOUT_OK;
}

relayout_status relayout_cpu_device_create(const relayout_cpu_options *options,
                                           relayout_device **device, relayout_error *error) {
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is NULL");
  }
  relayout_cpu_options wanted;
  const relayout_status status = read_options(options, &wanted, error);
  return status == RELAYOUT_OK ? make(&wanted, NULL, device, error) : status;
}

relayout_status rlt_cpu_device_create_behind(const relayout_cpu_options *options,
                                             int32_t most_threads, const char *folder,
                                             relayout_device **device, relayout_error *error) {
  relayout_cpu_options wanted = *options;
  const int32_t threads = thread_count(&wanted);
  wanted.threads = threads < most_threads || most_threads < 1 ? threads : most_threads;
  relayout_device *made = NULL;
  relayout_status status = make(&wanted, folder, &made, error);
  if (status == RELAYOUT_OK) {
    status = rlt_cpu_kept_scratch_set_aside(((rlt_cpu_device *)made)->kept_scratch, error);
  }
  if (status != RELAYOUT_OK) {
    relayout_device_destroy(made);
    return status;
  }
  *device = made;
  return RELAYOUT_OK;
}
