/* device.c: opening, listing and holding devices of whatever backend. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "cpu/cpu.h"
#include "device/target.h"
#include "plan/cache.h"
#include "search/wisdom.h"
#ifdef RELAYOUT_HAVE_OPENCL
#include "opencl/opencl.h"
#endif

/* Of relayout_device_info in the first version. */
enum { FIRST_INFO_SIZE = offsetof(relayout_device_info, shares_host_memory) };

relayout_status rlt_device_initialize(relayout_device *device, const rlt_backend *backend,
                                      relayout_error *error) {
  device->backend = backend;
  atomic_init(&device->openers, 1);
  atomic_init(&device->holders, 1);
  device->tuning = rlt_tuning_of(&device->facts);
  device->own_tuning = NULL;
  device->for_host_memory = NULL;
  device->planner = NULL;
  relayout_status status = rlt_wisdom_create(&device->wisdom, error);
  if (status == RELAYOUT_OK) {
    status = rlt_plan_cache_create(&device->cache, error);
    if (status != RELAYOUT_OK) {
      rlt_wisdom_destroy(device->wisdom);
    }
  }
  return status;
}

void rlt_device_info_add_facts(const rlt_machine *facts, relayout_device_info *info) {
  for (int level = 0; level < RLT_CACHE_LEVELS; ++level) {
    const rlt_cache_facts *const cache = &facts->caches[level];
    info->caches[level] = (relayout_cache_info){.bytes = (uint64_t)cache->bytes,
                                                .ways = (uint32_t)cache->ways,
                                                .processors = (uint32_t)cache->shared};
  }
  for (int level = 0; level < RLT_TLB_LEVELS; ++level) {
    info->tlb_pages[level] = (uint32_t)facts->tlb_pages[level];
  }
  info->page_bytes = (uint64_t)facts->page_bytes;
  info->line_bytes = (uint32_t)facts->line_bytes;
  info->vector_bytes = (uint32_t)facts->vector_bytes;
  info->streaming_stores = facts->streams;
  info->shares_host_memory = facts->shares_host_memory;
}

relayout_status rlt_executable_create(relayout_device *device, rlt_schedule *schedule,
                                      void **program, relayout_error *error) {
  int64_t most = schedule->group_size;
  relayout_status status;
  do {
    schedule->group_size = most;
    status = device->backend->executable_create(device, schedule, program, &most, error);
  } while (status == RELAYOUT_UNSUPPORTED && most < schedule->group_size);
  return status;
}

void rlt_device_retain(relayout_device *device) {
  atomic_fetch_add(&device->holders, 1);
}

void rlt_device_release(relayout_device *device) {
  if (atomic_fetch_sub(&device->holders, 1) > 1) {
    return;
  }
  rlt_plan_cache_destroy(device->cache);
  rlt_wisdom_destroy(device->wisdom);
  rlt_free(device->own_tuning);
  relayout_device_destroy(device->for_host_memory);
  relayout_device_destroy(device->planner);
  device->backend->destroy(device);
}

void relayout_device_retain(relayout_device *device) {
  if (device != NULL) {
    atomic_fetch_add(&device->openers, 1);
  }
}

/* The plans that it remembers hold it. */
void relayout_device_destroy(relayout_device *device) {
  if (device == NULL || atomic_fetch_sub(&device->openers, 1) > 1) {
    return;
  }
  rlt_plan_cache_clear(device->cache);
  rlt_device_release(device);
}

void relayout_device_trim(relayout_device *device) {
  if (device != NULL) {
    rlt_plan_cache_clear(device->cache); /* first: its plans use the rest */
    device->backend->trim(device);
    relayout_device_trim(device->for_host_memory);
    relayout_device_trim(device->planner);
  }
}

relayout_status relayout_device_get_usage(relayout_device *device, relayout_device_usage *usage,
                                          relayout_error *error) {
  if (device == NULL || usage == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device" : "usage");
  }
  relayout_device_usage told = RELAYOUT_DEVICE_USAGE_INIT;
  const relayout_status status = rlt_struct_check(usage, "usage->", sizeof told, error);
  if (status == RELAYOUT_OK) {
    rlt_plan_cache_tell(device->cache, &told);
    told.programs =
        device->backend->count_programs == NULL ? 0 : device->backend->count_programs(device);
    rlt_struct_write(&told, sizeof told, usage);
  }
  return status;
}

relayout_status relayout_device_set_budget(relayout_device *device, uint64_t bytes,
                                           relayout_error *error) {
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is NULL");
  }
  rlt_plan_cache_set_budget(device->cache, bytes);
  return device->for_host_memory == NULL
             ? RELAYOUT_OK
             : relayout_device_set_budget(device->for_host_memory, bytes, error);
}

/* Plans in the cache may be out of date then. */
relayout_status relayout_device_import_wisdom(relayout_device *device, const char *text,
                                              size_t size, relayout_error *error) {
  if (device == NULL || text == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device" : "text");
  }
  if (size > RLT_MOST_WISDOM_TEXT) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "size is %zu; a text of wisdom has at most %d bytes", size,
                    (int)RLT_MOST_WISDOM_TEXT);
  }
  const bool all = rlt_wisdom_import(rlt_planner_of(device), text, size);
  rlt_plan_cache_clear(device->cache);
  return all ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for all of text's %zu bytes",
                        size);
}

relayout_status relayout_device_get_info(const relayout_device *device, relayout_device_info *info,
                                         relayout_error *error) {
  if (device == NULL || info == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device" : "info");
  }
  const relayout_status status = rlt_struct_check(info, "info->", FIRST_INFO_SIZE, error);
  if (status == RELAYOUT_OK) {
    rlt_struct_write(&device->info, sizeof device->info, info);
  }
  return status;
}

/* They lie as far apart as the caller's struct is long. */
static relayout_status check_infos(relayout_device_info *infos, size_t capacity,
                                   relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < capacity && status == RELAYOUT_OK; ++i) {
    char name[32];
    snprintf(name, sizeof name, "infos[%zu].", i);
    const relayout_device_info *const info = rlt_info_at(infos, i);
    status = rlt_struct_check(info, name, FIRST_INFO_SIZE, error);
    if (status == RELAYOUT_OK && (info->struct_size != infos->struct_size ||
                                  info->struct_size % _Alignof(relayout_device_info) != 0)) {
      status = rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "%sstruct_size is %zu and that of infos[0] is %zu; expected the same: "
                        "initialise all with RELAYOUT_DEVICE_INFO_INIT",
                        name, info->struct_size, infos->struct_size);
    }
  }
  return status;
}

relayout_status relayout_device_list(relayout_device_info *infos, size_t capacity, size_t *count,
                                     relayout_error *error) {
  if (count == NULL || (infos == NULL && capacity > 0)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    count == NULL ? "count" : "infos");
  }
  relayout_status status = check_infos(infos, capacity, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  size_t opencl_count = 0;
#ifdef RELAYOUT_HAVE_OPENCL
  status = capacity < 2
               ? rlt_opencl_list(NULL, 0, &opencl_count, error)
               : rlt_opencl_list(rlt_info_at(infos, 1), capacity - 1, &opencl_count, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
#endif
  if (capacity > 0) {
    relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
    rlt_cpu_default_info(&info);
    rlt_struct_write(&info, sizeof info, infos);
  }
  *count = 1 + opencl_count;
  return RELAYOUT_OK;
}

/* ---- Opening by name ---- */

/* A run of digits that fits, and `end` behind it; moves *text behind both. */
static bool take_number(const char **text, char end, uint32_t *number) {
  char *behind = NULL;
  const unsigned long long value = strtoull(*text, &behind, 10);
  const bool is_number = **text >= '0' && **text <= '9' && value <= UINT32_MAX && *behind == end;
  *text = behind + 1;
  *number = (uint32_t)value;
  return is_number;
}

/* "P:D" and nothing after it. */
static bool parse_position(const char *text, uint32_t *platform, uint32_t *number) {
  return take_number(&text, ':', platform) && take_number(&text, '\0', number);
}

static relayout_status open_opencl(const char *name, relayout_device **device,
                                   relayout_error *error) {
  static const char prefix[] = "opencl:";
  const size_t length = sizeof prefix - 1;
  const bool is_best = strcmp(name, "opencl") == 0;
  uint32_t platform = 0;
  uint32_t number = 0;
  if (!is_best &&
      (strncmp(name, prefix, length) != 0 || !parse_position(name + length, &platform, &number))) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                    "device name `%.64s` is not one of: cpu, opencl, opencl:P:D, auto", name);
  }
#ifdef RELAYOUT_HAVE_OPENCL
  return is_best ? rlt_opencl_open_best(false, device, error)
                 : rlt_opencl_open_at(platform, number, device, error);
#else
  (void)device;
  return rlt_fail(error, RELAYOUT_NO_DEVICE, "device `%.64s`: this build has no OpenCL", name);
#endif
}

#ifdef RELAYOUT_HAVE_OPENCL
/* What lies in the host's memory is moved there, unless that is the device's too. */
static relayout_status give_cpu(relayout_device *opened, relayout_device **device,
                                relayout_error *error) {
  const relayout_status status =
      opened->facts.machine.shares_host_memory
          ? RELAYOUT_OK
          : relayout_cpu_device_create(NULL, &opened->for_host_memory, error);
  if (status != RELAYOUT_OK) {
    relayout_device_destroy(opened);
    return status;
  }
  *device = opened;
  return RELAYOUT_OK;
}
#endif

relayout_status relayout_device_open(const char *name, relayout_device **device,
                                     relayout_error *error) {
  if (name == NULL || device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    name == NULL ? "name" : "device");
  }
  const bool is_auto = strcmp(name, "auto") == 0;
#ifdef RELAYOUT_HAVE_OPENCL
  relayout_device *opened = NULL;
  if (is_auto && rlt_opencl_open_best(true, &opened, NULL) == RELAYOUT_OK) {
    return give_cpu(opened, device, error);
  }
#endif
  return is_auto || strcmp(name, "cpu") == 0 ? relayout_cpu_device_create(NULL, device, error)
                                             : open_opencl(name, device, error);
}
