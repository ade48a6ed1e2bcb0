/* wisdom.c: lines of text, looked up by what stands before the equals sign. */
#include "plan/wisdom.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/cache_folder.h"
#include "base/error.h"
#include "base/forks.h"
#include "base/hash.h"
#include "base/memory.h"
#include "plan/schedule_text.h"
#include "problem/problem_text.h"

enum {
  MOST_ENTRIES = 4096,
  LONGEST_LINE = 16 << 10, /* every axis with its longest numbers */
  MOST_FILE_BYTES = 16 << 20,
  MOST_BYTES_OF_ALL = 64 << 20, /* files of other devices and drivers */
  HEAD_SIZE = 512
};

static const char separator[] = " = ";      /* behind the problem, */
static const char next_separator[] = " | "; /* and between schedules */

typedef struct entry {
  uint64_t hash; /* of the problem */
  char *line;    /* without its end */
  size_t problem_length;
} entry;

struct rlt_wisdom {
  pthread_mutex_t mutex;
  char *folder; /* NULL: no file */
  bool is_read;
  int32_t count;
  entry of[MOST_ENTRIES]; /* the oldest first */
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
  for (int32_t i = 0; i < wisdom->count; ++i) {
    rlt_free(wisdom->of[i].line);
  }
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

/* ---- In memory; all under the mutex ---- */

static int32_t find_problem(const rlt_wisdom *wisdom, const char *problem, size_t length) {
  const uint64_t hash = rlt_hash(RLT_HASH_START, problem, length);
  for (int32_t i = 0; i < wisdom->count; ++i) {
    const entry *const known = &wisdom->of[i];
    if (known->hash == hash && known->problem_length == length &&
        memcmp(known->line, problem, length) == 0) {
      return i;
    }
  }
  return -1;
}

/* Letters, digits and what stands between them here: nothing that could hurt whoever prints it.
 * What stands behind the line is none of these, so that comparing ends there. */
static bool is_line(const char *line, size_t length) {
  static const char known[] = "abcdefghijklmnopqrstuvwxyz0123456789 /:=-,>+|";
  for (size_t i = 0; i < length; ++i) {
    if (line[i] == '\0' || strchr(known, line[i]) == NULL) {
      return false;
    }
  }
  return length < LONGEST_LINE && strncmp(line, "bytes ", strlen("bytes ")) == 0;
}

static void forget(rlt_wisdom *wisdom, int32_t number) {
  rlt_free(wisdom->of[number].line);
  --wisdom->count;
  memmove(&wisdom->of[number], &wisdom->of[number + 1],
          (size_t)(wisdom->count - number) * sizeof wisdom->of[0]);
}

/* Adds a line, in place of the one of the same problem unless that is to stay; one that cannot be
 * read is passed over. False without memory. */
static bool add_line(rlt_wisdom *wisdom, const char *line, size_t length, bool replaces) {
  if (!is_line(line, length)) {
    return true;
  }
  char *const copy = rlt_strndup(line, length);
  if (copy == NULL) {
    return false;
  }
  const char *const end = strstr(copy, separator);
  const size_t problem_length = end == NULL ? 0 : (size_t)(end - copy);
  const int32_t known = find_problem(wisdom, copy, problem_length);
  if (end == NULL || end[sizeof separator - 1] == '\0' || (known >= 0 && !replaces)) {
    rlt_free(copy);
    return true;
  }
  if (known >= 0) {
    forget(wisdom, known);
  } else if (wisdom->count == MOST_ENTRIES) {
    forget(wisdom, 0);
  }
  wisdom->of[wisdom->count++] =
      (entry){rlt_hash(RLT_HASH_START, copy, problem_length), copy, problem_length};
  return true;
}

/* False where there was no memory for some line; the others are there. */
static bool add_text(const relayout_device *device, const char *text, size_t size, bool replaces) {
  char head[HEAD_SIZE];
  rlt_text head_text = rlt_text_in(head, sizeof head);
  add_head(device, &head_text);
  const size_t head_size = strlen(head);
  if (size < head_size || memcmp(text, head, head_size) != 0) {
    return true;
  }
  bool all = true;
  for (size_t at = head_size; at < size;) {
    const char *const end = memchr(text + at, '\n', size - at);
    if (end == NULL) {
      return all; /* cut within the line */
    }
    all = add_line(device->wisdom, text + at, (size_t)(end - text) - at, replaces) && all;
    at = (size_t)(end - text) + 1;
  }
  return all;
}

static void add_all(const relayout_device *device, rlt_text *text) {
  add_head(device, text);
  for (int32_t i = 0; i < device->wisdom->count; ++i) {
    rlt_text_add(text, "%s\n", device->wisdom->of[i].line);
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

static void read_file(const relayout_device *device, bool replaces) {
  rlt_wisdom *const wisdom = device->wisdom;
  wisdom->is_read = true;
  char name[48];
  name_of_file(device, name, sizeof name);
  size_t size;
  unsigned char *const bytes = rlt_cache_folder_read(wisdom->folder, name, MOST_FILE_BYTES, &size);
  if (bytes != NULL) {
    (void)add_text(device, (const char *)bytes, size, replaces);
    rlt_free(bytes);
  }
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

/* Whether another process had put entries in the file since it was read: they are known now, and no
 * longer in the file. */
static bool overwrite_file(const relayout_device *device, const char *name) {
  rlt_wisdom *const wisdom = device->wisdom;
  size_t length = 0;
  char *const text = make_text(device, &length);
  if (text == NULL) {
    return false;
  }
  size_t size;
  unsigned char *const old = rlt_cache_folder_exchange(
      wisdom->folder, name, (const unsigned char *)text, length, MOST_FILE_BYTES, &size);
  rlt_free(text);
  const int32_t known = wisdom->count;
  if (old != NULL) {
    add_text(device, (const char *)old, size, false);
    rlt_free(old);
  }
  return wisdom->count > known;
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

static void write_file(const relayout_device *device) {
  rlt_wisdom *const wisdom = device->wisdom;
  char name[48];
  name_of_file(device, name, sizeof name);
  read_file(device, false);
  while (overwrite_file(device, name)) {
  }
  rlt_cache_folder_trim(wisdom->folder, is_wisdom_file, MOST_BYTES_OF_ALL);
}

static void lock_and_read(relayout_device *device) {
  pthread_mutex_lock(&device->wisdom->mutex);
  if (!device->wisdom->is_read) {
    read_file(device, true);
  }
}

/* ---- Finding and remembering ---- */

/* The offers that a line's schedules describe, in the line's order; those that are
 * offered no more are passed over. */
static int32_t find_offers(rlt_offers *offers, const char *schedules, int32_t *found) {
  int32_t count = 0;
  while (schedules != NULL && count < RLT_MOST_WAYS) {
    const char *const end = strstr(schedules, next_separator);
    const size_t length = end == NULL ? strlen(schedules) : (size_t)(end - schedules);
    count += rlt_offers_find(offers, schedules, length, &found[count], NULL, NULL) == RELAYOUT_OK;
    schedules = end == NULL ? NULL : end + sizeof next_separator - 1;
  }
  return count;
}

int32_t rlt_wisdom_find(relayout_device *device, const rlt_problem *problem, rlt_offers *offers,
                        int32_t *found) {
  int32_t count = 0;
  lock_and_read(device);
  if (device->wisdom->count > 0) {
    char line[LONGEST_LINE];
    rlt_text text = rlt_text_in(line, sizeof line);
    rlt_problem_add_text(problem, &text);
    const int32_t known = find_problem(device->wisdom, line, text.length);
    if (known >= 0) {
      const entry *const won = &device->wisdom->of[known];
      count = find_offers(offers, won->line + won->problem_length + sizeof separator - 1, found);
    }
  }
  pthread_mutex_unlock(&device->wisdom->mutex);
  return count;
}

void rlt_wisdom_remember(relayout_device *device, const rlt_problem *problem,
                         const rlt_offers *offers, const int32_t *won, int32_t count) {
  char line[LONGEST_LINE];
  rlt_text text = rlt_text_in(line, sizeof line);
  rlt_problem_add_text(problem, &text);
  for (int32_t i = 0; i < count; ++i) {
    rlt_text_add(&text, "%s", i == 0 ? separator : next_separator);
    rlt_schedule_add_text(&offers->of[won[i]].schedule, &text);
  }
  lock_and_read(device);
  (void)add_line(device->wisdom, line, text.length, true);
  write_file(device);
  pthread_mutex_unlock(&device->wisdom->mutex);
}

size_t relayout_device_export_wisdom(relayout_device *device, char *buffer, size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (device == NULL) {
    return 0;
  }
  lock_and_read(device);
  add_all(device, &text);
  pthread_mutex_unlock(&device->wisdom->mutex);
  return text.length;
}

bool rlt_wisdom_import(relayout_device *device, const char *text, size_t size) {
  lock_and_read(device);
  const bool all = add_text(device, text, size, true);
  pthread_mutex_unlock(&device->wisdom->mutex);
  return all;
}
