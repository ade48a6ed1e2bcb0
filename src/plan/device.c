/* device.c: opening, listing and holding devices of whatever backend. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cpu/cpu.h"
#include "plan/backend.h"
#include "plan/cache.h"
#include "plan/wisdom.h"
#ifdef RELAYOUT_HAVE_OPENCL
#include "opencl/opencl.h"
#endif

relayout_status rlt_device_initialize(relayout_device *device, const rlt_backend *backend,
                                      relayout_error *error) {
  device->backend = backend;
  atomic_init(&device->holders, 1);
  device->tuning = rlt_tuning_of(&device->facts);
  relayout_status status = rlt_wisdom_create(&device->wisdom, error);
  if (status == RELAYOUT_OK) {
    status = rlt_plan_cache_create(&device->cache, error);
    if (status != RELAYOUT_OK) {
      rlt_wisdom_destroy(device->wisdom);
    }
  }
  return status;
}

relayout_status rlt_program_create(relayout_device *device, rlt_schedule *schedule, void **program,
                                   relayout_error *error) {
  int64_t most = schedule->group_size;
  relayout_status status;
  do {
    schedule->group_size = most;
    status = device->backend->program_create(device, schedule, program, &most, error);
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
  device->backend->destroy(device);
}

void relayout_device_destroy(relayout_device *device) {
  if (device == NULL) {
    return;
  }
  rlt_plan_cache_clear(device->cache);
  rlt_device_release(device);
}

relayout_status relayout_device_get_info(const relayout_device *device, relayout_device_info *info,
                                         relayout_error *error) {
  if (device == NULL || info == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device" : "info");
  }
  if (info->struct_size != sizeof *info) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "info->struct_size is %zu, not %zu",
                    info->struct_size, sizeof *info);
  }
  *info = device->info;
  return RELAYOUT_OK;
}

relayout_status relayout_device_list(relayout_device_info *infos, size_t capacity, size_t *count,
                                     relayout_error *error) {
  if (count == NULL || (infos == NULL && capacity > 0)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    count == NULL ? "count" : "infos");
  }
  for (size_t i = 0; i < capacity; ++i) {
    if (infos[i].struct_size != sizeof infos[i]) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "infos[%zu].struct_size is %zu, not %zu", i,
                      infos[i].struct_size, sizeof infos[i]);
    }
  }
  size_t opencl_count = 0;
#ifdef RELAYOUT_HAVE_OPENCL
  const relayout_status status = rlt_opencl_list(
      capacity > 0 ? infos + 1 : NULL, capacity > 0 ? capacity - 1 : 0, &opencl_count, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
#endif
  if (capacity > 0) {
    infos[0] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
    rlt_cpu_default_info(&infos[0]);
  }
  *count = 1 + opencl_count;
  return RELAYOUT_OK;
}

/* ---- Opening by name ---- */

/* A run of digits that fits; moves *text behind it. */
static bool take_number(const char **text, uint32_t *number) {
  if (**text < '0' || **text > '9') {
    return false;
  }
  uint64_t value = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    value = value * 10 + (uint64_t)(**text - '0');
    if (value > UINT32_MAX) {
      return false;
    }
  }
  *number = (uint32_t)value;
  return true;
}

static bool take_colon(const char **text) {
  return *(*text)++ == ':';
}

/* "P:D" and nothing after it. */
static bool parse_position(const char *text, uint32_t *platform, uint32_t *number) {
  return take_number(&text, platform) && take_colon(&text) && take_number(&text, number) &&
         *text == '\0';
}

static relayout_status unknown_name(const char *name, relayout_error *error) {
  return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                  "device name `%.64s` is not one of: cpu, opencl, opencl:P:D, auto", name);
}

static relayout_status open_opencl(const char *name, relayout_device **device,
                                   relayout_error *error) {
  static const char prefix[] = "opencl:";
  const bool positioned = strncmp(name, prefix, sizeof prefix - 1) == 0;
  if (!positioned && strcmp(name, "opencl") != 0) {
    return unknown_name(name, error);
  }
  uint32_t platform = 0;
  uint32_t number = 0;
  if (positioned && !parse_position(name + sizeof prefix - 1, &platform, &number)) {
    return unknown_name(name, error);
  }
#ifdef RELAYOUT_HAVE_OPENCL
  return positioned ? rlt_opencl_open_at(platform, number, device, error)
                    : rlt_opencl_open_best(false, device, error);
#else
  (void)device;
  return rlt_fail(error, RELAYOUT_NO_DEVICE, "device `%.64s`: this build has no OpenCL", name);
#endif
}

relayout_status relayout_device_open(const char *name, relayout_device **device,
                                     relayout_error *error) {
  if (name == NULL || device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    name == NULL ? "name" : "device");
  }
  if (strcmp(name, "cpu") == 0) {
    return relayout_cpu_device_create(NULL, device, error);
  }
  if (strcmp(name, "auto") == 0) {
#ifdef RELAYOUT_HAVE_OPENCL
    if (rlt_opencl_open_best(true, device, NULL) == RELAYOUT_OK) {
      return RELAYOUT_OK;
    }
#endif
    return relayout_cpu_device_create(NULL, device, error);
  }
  return open_opencl(name, device, error);
}
