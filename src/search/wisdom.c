/* wisdom.c: a device's lines of wisdom, and their file. */
#include "search/wisdom.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/cache_folder.h"
#include "base/error.h"
#include "base/forks.h"
#include "base/hash.h"
#include "base/memory.h"
#include "problem/problem_text.h"
#include "schedule/schedule_text.h"
#include "search/find_schedule.h"
#include "search/wisdom_lines.h"

enum {
  MOST_FILE_BYTES = RLT_MOST_WISDOM_TEXT,
  MOST_BYTES_OF_ALL = 64 << 20, /* files of other devices and drivers */
  HEAD_SIZE = 512
};

static const char separator[] = RLT_WISDOM_SEPARATOR; /* behind the problem, */
static const char next_separator[] = " | ";           /* and between schedules */

/* Nothing is parsed, read or written under the mutex, for which forks and other threads' plans
 * wait. */
struct rlt_wisdom {
  pthread_mutex_t mutex;
  char *folder; /* NULL: no file */
  bool is_read;
  uint64_t changes; /* by this process */
  rlt_wisdom_lines lines;
};

relayout_status rlt_wisdom_create(rlt_wisdom **wisdom, relayout_error *error) {
  rlt_wisdom *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL || !rlt_mutex_initialize(&made->mutex)) {
    rlt_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for wisdom, of %zu bytes",
                    sizeof *made);
  }
  *wisdom = made;
  return RELAYOUT_OK;
}

void rlt_wisdom_destroy(rlt_wisdom *wisdom) {
  rlt_wisdom_lines_release(&wisdom->lines);
  rlt_free(wisdom->folder);
  rlt_mutex_destroy(&wisdom->mutex);
  rlt_free(wisdom);
}

void rlt_wisdom_keep_in(relayout_device *device, const char *folder) {
  rlt_wisdom *const wisdom = device->wisdom;
  pthread_mutex_lock(&wisdom->mutex);
  rlt_free(wisdom->folder);
  wisdom->folder = folder == NULL ? NULL : rlt_strdup(folder);
  wisdom->is_read = false;
  pthread_mutex_unlock(&wisdom->mutex);
}

const char *rlt_wisdom_folder(const relayout_device *device) {
  return device->wisdom->folder;
}

/* ---- Text ---- */

static void add_head(const relayout_device *device, rlt_text *text) {
  const relayout_device_info *const info = &device->info;
  rlt_text_add(text, "relayout wisdom %d\ndevice: %s, %u compute units\ndriver: %s %s\n",
               RLT_PROBLEM_TEXT_VERSION, info->description, (unsigned)info->compute_units,
               info->platform, info->driver);
}

/* An empty set; NULL without memory. */
static rlt_wisdom_lines *make_lines(void) {
  return rlt_calloc(1, sizeof(rlt_wisdom_lines));
}

static void drop_lines(rlt_wisdom_lines *lines) {
  if (lines != NULL) {
    rlt_wisdom_lines_release(lines);
    rlt_free(lines);
  }
}

/* The lines of a text that are for this device; NULL without memory, which `all` says too. */
static rlt_wisdom_lines *read_text(const relayout_device *device, const char *text, size_t size,
                                   bool *all) {
  char head[HEAD_SIZE];
  rlt_text head_text = rlt_text_in(head, sizeof head);
  add_head(device, &head_text);
  const size_t head_size = strlen(head);
  const bool is_ours = size >= head_size && memcmp(text, head, head_size) == 0;
  rlt_wisdom_lines *const lines = make_lines();
  *all = lines != NULL &&
         (!is_ours || rlt_wisdom_lines_read(text + head_size, size - head_size, lines));
  return lines;
}

/* Under the mutex, as the next one. */
static void add_all(const relayout_device *device, rlt_text *text) {
  add_head(device, text);
  for (int32_t i = 0; i < device->wisdom->lines.count; ++i) {
    rlt_text_add(text, "%s\n", device->wisdom->lines.of[i].text);
  }
}

/* ---- In the file ---- */

/* Each device, and each driver of it, has a file of its own. */
static void name_of_file(const relayout_device *device, char *name, size_t capacity) {
  char head[HEAD_SIZE];
  rlt_text text = rlt_text_in(head, sizeof head);
  add_head(device, &text);
  snprintf(name, capacity, "wisdom-%016" PRIx64 ".txt",
           rlt_hash(RLT_HASH_START, head, strlen(head)));
}

/* Reads lines from a file's bytes, and frees these; NULL for no bytes. */
static rlt_wisdom_lines *read_bytes(const relayout_device *device, unsigned char *bytes,
                                    size_t size) {
  bool all = true;
  rlt_wisdom_lines *const lines =
      bytes == NULL ? NULL : read_text(device, (const char *)bytes, size, &all);
  rlt_free(bytes);
  return lines;
}

static rlt_wisdom_lines *read_file(const relayout_device *device) {
  char name[48];
  size_t size = 0;
  name_of_file(device, name, sizeof name);
  unsigned char *const bytes =
      rlt_cache_folder_read(device->wisdom->folder, name, MOST_FILE_BYTES, &size);
  return read_bytes(device, bytes, size);
}

/* Under the mutex; `lines` may be NULL. */
static void merge(rlt_wisdom *wisdom, rlt_wisdom_lines *lines, bool replaces) {
  if (lines != NULL) {
    rlt_wisdom_lines_merge(&wisdom->lines, lines, replaces);
  }
}

/* Should two threads be the first, the second to come back has read in vain. */
static void lock_and_read(relayout_device *device) {
  rlt_wisdom *const wisdom = device->wisdom;
  pthread_mutex_lock(&wisdom->mutex);
  if (wisdom->is_read) {
    return;
  }
  pthread_mutex_unlock(&wisdom->mutex);
  rlt_wisdom_lines *const lines = read_file(device);
  pthread_mutex_lock(&wisdom->mutex);
  if (!wisdom->is_read) {
    merge(wisdom, lines, true);
    wisdom->is_read = true;
  }
  pthread_mutex_unlock(&wisdom->mutex);
  drop_lines(lines);
  pthread_mutex_lock(&wisdom->mutex);
}

/* The text of all entries, which the caller frees; NULL without memory. */
static char *make_text(const relayout_device *device, size_t *length) {
  rlt_text measured = rlt_text_in(NULL, 0);
  add_all(device, &measured);
  char *const text = rlt_malloc(measured.length + 1);
  if (text != NULL) {
    rlt_text made = rlt_text_in(text, measured.length + 1);
    add_all(device, &made);
    *length = made.length;
  }
  return text;
}

/* Adds lines that the device does not know; whether there are more now. Drops them. */
static bool add_unknown(relayout_device *device, rlt_wisdom_lines *lines) {
  rlt_wisdom *const wisdom = device->wisdom;
  pthread_mutex_lock(&wisdom->mutex);
  const int32_t known = wisdom->lines.count;
  merge(wisdom, lines, false);
  const bool is_more = wisdom->lines.count > known;
  pthread_mutex_unlock(&wisdom->mutex);
  drop_lines(lines);
  return is_more;
}

static uint64_t changes_of(rlt_wisdom *wisdom) {
  pthread_mutex_lock(&wisdom->mutex);
  const uint64_t changes = wisdom->changes;
  pthread_mutex_unlock(&wisdom->mutex);
  return changes;
}

/* Whether the file lacks something by now: another process had put lines in it since it was read,
 * or another thread has lines that were not written. */
static bool overwrite_file(relayout_device *device, const char *name) {
  rlt_wisdom *const wisdom = device->wisdom;
  size_t length = 0;
  pthread_mutex_lock(&wisdom->mutex);
  const uint64_t changes = wisdom->changes;
  char *const text = make_text(device, &length);
  pthread_mutex_unlock(&wisdom->mutex);
  if (text == NULL) {
    return false;
  }
  size_t size = 0;
  unsigned char *const old = rlt_cache_folder_exchange(
      wisdom->folder, name, (const unsigned char *)text, length, MOST_FILE_BYTES, &size);
  rlt_free(text);
  const bool is_more = add_unknown(device, read_bytes(device, old, size));
  return is_more || changes != changes_of(wisdom);
}

static bool is_wisdom_file(const char *name, size_t length) {
  static const char like[] = "wisdom-0000000000000000.txt";
  for (size_t i = 0; i < length; ++i) {
    if (like[i] == '0' ? strchr("0123456789abcdef", name[i]) == NULL : like[i] != name[i]) {
      return false;
    }
  }
  return length == sizeof like - 1;
}

static void write_file(relayout_device *device) {
  char name[48];
  if (device->wisdom->folder == NULL) {
    return;
  }
  name_of_file(device, name, sizeof name);
  (void)add_unknown(device, read_file(device));
  while (overwrite_file(device, name)) {
  }
  rlt_cache_folder_trim(device->wisdom->folder, is_wisdom_file, MOST_BYTES_OF_ALL);
}

/* ---- Finding and remembering ---- */

/* The candidates that a line's schedules describe, in the line's order; those that are
 * offered no more are passed over. */
static int32_t find_candidates(rlt_candidates *candidates, const char *schedules, int32_t *found) {
  int32_t count = 0;
  while (schedules != NULL && count < RLT_MOST_VARIANTS) {
    const char *const end = strstr(schedules, next_separator);
    const size_t length = end == NULL ? strlen(schedules) : (size_t)(end - schedules);
    count += rlt_candidates_find(candidates, schedules, length, &found[count], NULL, NULL) ==
             RELAYOUT_OK;
    schedules = end == NULL ? NULL : end + sizeof next_separator - 1;
  }
  return count;
}

bool rlt_wisdom_is_empty(relayout_device *device) {
  lock_and_read(device);
  const bool is_empty = device->wisdom->lines.count == 0;
  pthread_mutex_unlock(&device->wisdom->mutex);
  return is_empty;
}

/* Turns a problem's text into the schedules that are known for it; false for none. */
static bool look_up(relayout_device *device, size_t length, char *line) {
  lock_and_read(device);
  const rlt_wisdom_line *const known = rlt_wisdom_lines_find(&device->wisdom->lines, line, length);
  if (known != NULL) {
    strcpy(line, known->text + known->problem_length + sizeof separator - 1);
  }
  pthread_mutex_unlock(&device->wisdom->mutex);
  return known != NULL;
}

/* How a problem is known: where its destination is to stay in the cache other schedules are the
 * best. */
static void add_key(const rlt_problem *problem, const rlt_candidates *candidates, rlt_text *text) {
  rlt_problem_add_text(problem, text);
  rlt_text_add(text, "%s", candidates->request.stays_cached ? " cached" : "");
}

int32_t rlt_wisdom_find(relayout_device *device, const rlt_problem *problem,
                        rlt_candidates *candidates, int32_t *found) {
  char line[RLT_LONGEST_WISDOM_LINE];
  rlt_text text = rlt_text_in(line, sizeof line);
  if (rlt_wisdom_is_empty(device)) {
    return 0;
  }
  add_key(problem, candidates, &text);
  return text.length < sizeof line && look_up(device, text.length, line)
             ? find_candidates(candidates, line, found)
             : 0;
}

/* In place of what is known. Drops the lines. */
static void take_over(relayout_device *device, rlt_wisdom_lines *lines) {
  lock_and_read(device);
  merge(device->wisdom, lines, true);
  ++device->wisdom->changes;
  pthread_mutex_unlock(&device->wisdom->mutex);
  drop_lines(lines);
}

/* A whole line, with its end, of `text`, which has it in a line's room. */
static void remember_line(relayout_device *device, const rlt_text *text, const char *line,
                          rlt_wisdom_reach reach) {
  rlt_wisdom_lines *const lines = make_lines();
  if (lines != NULL && text->length < RLT_LONGEST_WISDOM_LINE) {
    (void)rlt_wisdom_lines_read(line, text->length, lines);
  }
  take_over(device, lines);
  if (reach == RLT_WISDOM_OF_FILE) {
    write_file(device);
  }
}

void rlt_wisdom_remember(relayout_device *device, const rlt_problem *problem,
                         const rlt_candidates *candidates, const int32_t *won, int32_t count,
                         rlt_wisdom_reach reach) {
  char line[RLT_LONGEST_WISDOM_LINE];
  rlt_text text = rlt_text_in(line, sizeof line);
  add_key(problem, candidates, &text);
  for (int32_t i = 0; i < count; ++i) {
    rlt_text_add(&text, "%s", i == 0 ? separator : next_separator);
    rlt_schedule_add_text(&candidates->of[won[i]].schedule, &text);
  }
  rlt_text_add(&text, "\n");
  remember_line(device, &text, line, reach);
}

bool rlt_wisdom_find_text(relayout_device *device, char *line) {
  return look_up(device, strlen(line), line);
}

void rlt_wisdom_remember_text(relayout_device *device, const char *known_by, const char *schedule) {
  char line[RLT_LONGEST_WISDOM_LINE];
  rlt_text text = rlt_text_in(line, sizeof line);
  rlt_text_add(&text, "%s%s%s\n", known_by, separator, schedule);
  remember_line(device, &text, line, RLT_WISDOM_OF_FILE);
}

size_t relayout_device_export_wisdom(relayout_device *device, char *buffer, size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (device == NULL) {
    return 0;
  }
  relayout_device *const planner = rlt_planner_of(device);
  lock_and_read(planner);
  add_all(planner, &text);
  pthread_mutex_unlock(&planner->wisdom->mutex);
  return text.length;
}

bool rlt_wisdom_import(relayout_device *device, const char *text, size_t size) {
  bool all = true;
  take_over(device, read_text(device, text, size, &all));
  return all;
}
