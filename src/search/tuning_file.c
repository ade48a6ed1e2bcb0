/* tuning_file.c: rows that are kept, and the calls of tuning.h. */
#include "search/tuning_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cache_folder.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "plan/cache.h"
#include "relayout/tuning.h"
#include "search/tuning_text.h"
#include "search/wisdom.h"

enum { HEAD_SIZE = 1 << 10, NAME_SIZE = 48, MOST_BYTES_OF_ALL = 4 << 20 };

/* Whose row it is: that of what chooses the device's schedules. */
static const relayout_device *owner_of(const relayout_device *device) {
  return device->planner == NULL ? device : device->planner;
}

static void make_head(const relayout_device *device, char head[HEAD_SIZE]) {
  rlt_text text = rlt_text_in(head, HEAD_SIZE);
  rlt_tuning_add_head(&device->info, &device->facts.machine, &text);
}

static void make_name(const char *head, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "tuning-%016" PRIx64 ".txt",
           rlt_hash(RLT_HASH_START, head, strlen(head)));
}

static bool is_tuning_file(const char *name, size_t length) {
  static const char like[] = "tuning-0000000000000000.txt";
  for (size_t i = 0; i < length; ++i) {
    if (like[i] == '0' ? strchr("0123456789abcdef", name[i]) == NULL : like[i] != name[i]) {
      return false;
    }
  }
  return length == sizeof like - 1;
}

/* ---- Loading ---- */

static relayout_status take_text(relayout_device *device, const char *text, size_t size,
                                 const char *head, relayout_error *error) {
  rlt_tuning *const row = rlt_malloc(sizeof *row);
  if (row == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a tuning of %zu bytes",
                    sizeof *row);
  }
  const relayout_status status = rlt_tuning_read_text(text, size, head, row, error);
  if (status != RELAYOUT_OK) {
    rlt_free(row);
    return status;
  }
  rlt_free(device->own_tuning);
  device->own_tuning = row;
  device->tuning = row;
  return RELAYOUT_OK;
}

static relayout_status load_named(relayout_device *device, const char *path,
                                  relayout_error *error) {
  size_t size;
  unsigned char *const bytes = rlt_named_file_read(path, RLT_MOST_TUNING_TEXT, &size);
  if (bytes == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "RELAYOUT_TUNING is `%.200s`; expected a readable file of at most %d bytes",
                    path, (int)RLT_MOST_TUNING_TEXT);
  }
  relayout_error reason;
  const relayout_status status = take_text(device, (const char *)bytes, size, NULL, &reason);
  rlt_free(bytes);
  return status == RELAYOUT_OK
             ? status
             : rlt_fail(error,
                        status == RELAYOUT_OUT_OF_MEMORY ? status : RELAYOUT_INVALID_ARGUMENT,
                        "RELAYOUT_TUNING is `%.200s`: %.200s", path, reason.message);
}

static relayout_status load_kept(relayout_device *device, relayout_error *error) {
  char head[HEAD_SIZE];
  char name[NAME_SIZE];
  size_t size;
  make_head(device, head);
  make_name(head, name);
  unsigned char *const bytes =
      rlt_cache_folder_read(rlt_wisdom_folder(device), name, RLT_MOST_TUNING_TEXT, &size);
  if (bytes == NULL) {
    return RELAYOUT_OK;
  }
  relayout_error reason;
  const relayout_status status = take_text(device, (const char *)bytes, size, head, &reason);
  rlt_free(bytes);
  if (status != RELAYOUT_OK) {
    rlt_log(RELAYOUT_LOG_WARNING, "%s: the kept row of tuning is ignored: %s",
            device->info.description, reason.message);
  }
  return status == RELAYOUT_OUT_OF_MEMORY ? rlt_fail(error, status, "%s", reason.message)
                                          : RELAYOUT_OK;
}

relayout_status rlt_tuning_file_load(relayout_device *device, relayout_error *error) {
  const char *const named = rlt_environment("RELAYOUT_TUNING");
  return named != NULL && named[0] != '\0' ? load_named(device, named, error)
                                           : load_kept(device, error);
}

/* ---- Keeping ---- */

/* Behind the kind of machine that a row was found on, where the device's is none. */
static const char similar[] = ", the most similar machine";

size_t relayout_device_get_tuning(const relayout_device *device, char *buffer, size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (device != NULL) {
    const relayout_device *const owner = owner_of(device);
    rlt_tuning_add_head(&owner->info, &owner->facts.machine, &text);
    rlt_tuning row = *owner->tuning;
    if (owner->own_tuning == NULL && !rlt_tuning_is_of(&owner->facts)) {
      const size_t length = strlen(row.kind);
      snprintf(row.kind + length, sizeof row.kind - length, "%s", similar);
    }
    rlt_tuning_add_text(&row, &text);
  }
  return text.length;
}

relayout_status relayout_device_set_tuning(relayout_device *device, const char *text,
                                           relayout_error *error) {
  if (device == NULL || text == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device" : "text");
  }
  relayout_device *const owner = rlt_planner_of(device);
  rlt_plan_cache_clear(device->cache);
  rlt_plan_cache_clear(owner->cache);
  return take_text(owner, text, strlen(text), NULL, error);
}

relayout_status relayout_tuning_keep(relayout_device *device, const char *text,
                                     relayout_error *error) {
  if (device == NULL || text == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device" : "text");
  }
  char head[HEAD_SIZE];
  char name[NAME_SIZE];
  rlt_tuning row;
  const char *const folder = rlt_wisdom_folder(owner_of(device));
  const size_t size = strlen(text);
  make_head(owner_of(device), head);
  make_name(head, name);
  const relayout_status status = rlt_tuning_read_text(text, size, head, &row, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (folder == NULL) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "tuning: no file can be kept: there is no cache folder");
  }
  if (!rlt_cache_folder_write(folder, name, (const unsigned char *)text, size)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "tuning: no file can be written in `%.200s`",
                    folder);
  }
  rlt_cache_folder_trim(folder, is_tuning_file, MOST_BYTES_OF_ALL);
  return RELAYOUT_OK;
}

size_t relayout_device_get_tuning_path(const relayout_device *device, char *buffer,
                                       size_t capacity) {
  char head[HEAD_SIZE];
  char name[NAME_SIZE];
  rlt_text text = rlt_text_in(buffer, capacity);
  const char *const folder = device == NULL ? NULL : rlt_wisdom_folder(owner_of(device));
  if (folder != NULL) {
    make_head(owner_of(device), head);
    make_name(head, name);
    rlt_text_add(&text, "%s/%s", folder, name);
  }
  return text.length;
}

relayout_status relayout_tuning_reset(relayout_device *device, int32_t *was_kept,
                                      relayout_error *error) {
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is NULL");
  }
  char head[HEAD_SIZE];
  char name[NAME_SIZE];
  bool was_there;
  const char *const folder = rlt_wisdom_folder(owner_of(device));
  make_head(owner_of(device), head);
  make_name(head, name);
  if (!rlt_cache_folder_remove(folder, name, &was_there)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "tuning: %s cannot be removed from %.200s", name,
                    folder);
  }
  if (was_kept != NULL) {
    *was_kept = was_there;
  }
  return RELAYOUT_OK;
}
