/* scratch.c: a directory of a test's own, made and removed. */
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"

void scratch_make(char path[SCRATCH_PATH]) {
  char here[SCRATCH_PATH - 32];
  assert_non_null(getcwd(here, sizeof here));
  snprintf(path, SCRATCH_PATH, "%s/scratch_XXXXXX", here);
  assert_non_null(mkdtemp(path));
}

/* Calls `visit` with the path of every entry. False where there is no such directory. */
static bool each_entry(const char *directory, void (*visit)(const char *path, void *data),
                       void *data) {
  DIR *const listing = opendir(directory);
  if (listing == NULL) {
    return false;
  }
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      char path[PATH_MAX];
      snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
      visit(path, data);
    }
  }
  closedir(listing);
  return true;
}

static bool is_regular(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static void remove_entry(const char *path, void *data) {
  (void)data;
  if (unlink(path) != 0) {
    scratch_remove(path);
  }
}

void scratch_remove(const char *path) {
  if (each_entry(path, remove_entry, NULL)) {
    assert_int_equal(rmdir(path), 0);
  }
}

typedef struct tally {
  size_t count;
  char last[SCRATCH_PATH];
} tally;

static void count_entry(const char *path, void *data) {
  tally *const counted = data;
  if (is_regular(path)) {
    ++counted->count;
    assert_true(strlen(path) < sizeof counted->last);
    strcpy(counted->last, path);
  }
}

size_t scratch_count(const char *directory) {
  tally counted = {.count = 0};
  each_entry(directory, count_entry, &counted);
  return counted.count;
}

static void add_bytes(const char *path, void *data) {
  struct stat facts;
  if (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
    *(size_t *)data += (size_t)facts.st_size;
  }
}

size_t scratch_bytes(const char *directory) {
  size_t bytes = 0;
  each_entry(directory, add_bytes, &bytes);
  return bytes;
}

void scratch_only_file(const char *directory, char path[SCRATCH_PATH]) {
  tally counted = {.count = 0};
  each_entry(directory, count_entry, &counted);
  assert_int_equal(counted.count, 1);
  memcpy(path, counted.last, SCRATCH_PATH);
}

static void age_entry(const char *path, void *data) {
  struct stat facts;
  if (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
    facts.st_mtim.tv_sec -= *(const time_t *)data;
    const struct timespec times[2] = {facts.st_atim, facts.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
  }
}

void scratch_age(const char *directory, time_t seconds) {
  each_entry(directory, age_entry, &seconds);
}

unsigned char *scratch_read(const char *path, size_t *size) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *const bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

void scratch_write(const char *path, const void *bytes, size_t size) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, bytes, size), (ssize_t)size);
  assert_int_equal(close(file), 0);
}
