/* cache_folder.c: opening, reading and writing, all of which may fail without a word. */
#include "base/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_NAME = 80 };

/* ---- Where ---- */

/* base/rest; NULL without memory, or where the base is not absolute. */
static char *path_in(const char *base, const char *rest) {
  if (base == NULL || base[0] != '/') {
    return NULL;
  }
  const size_t capacity = strlen(base) + 1 + strlen(rest) + 1;
  char *const path = malloc(capacity);
  if (path != NULL) {
    snprintf(path, capacity, "%s/%s", base, rest);
  }
  return path;
}

/* A program that runs with more rights than its caller must not take folders from it. */
static bool has_its_callers_rights(void) {
  return getuid() == geteuid() && getgid() == getegid();
}

static char *users_directory(void) {
  if (!has_its_callers_rights()) {
    return NULL;
  }
  char *const path = path_in(getenv("XDG_CACHE_HOME"), "relayout");
  return path != NULL ? path : path_in(getenv("HOME"), ".cache/relayout");
}

char *rlt_cache_folder(const char *wanted) {
  const char *const setting = getenv("RELAYOUT_CACHE");
  if (setting != NULL && strcmp(setting, "off") == 0) {
    return NULL;
  }
  return wanted == NULL ? users_directory() : wanted[0] == '/' ? strdup(wanted) : NULL;
}

/* Makes the folder and those above it where they are missing. */
static void make_directories(const char *path) {
  char *const part = strdup(path);
  if (part == NULL) {
    return;
  }
  for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(part, 0700);
    *slash = '/';
  }
  mkdir(part, 0700);
  free(part);
}

static int open_directory(const char *path) {
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* ---- Reading ---- */

static bool read_whole(int file, unsigned char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = read(file, bytes, size);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    bytes += count;
    size -= (size_t)count;
  }
  return true;
}

/* Another user's file may hold anything: only this one's and the system's are read, and none that
 * others can write. */
static bool is_trusted(const struct stat *facts) {
  return S_ISREG(facts->st_mode) && (facts->st_uid == geteuid() || facts->st_uid == 0) &&
         (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static unsigned char *read_file(int file, uint64_t most_bytes, size_t *size) {
  struct stat facts;
  if (fstat(file, &facts) != 0 || !is_trusted(&facts) || facts.st_size <= 0 ||
      (uint64_t)facts.st_size > most_bytes) {
    return NULL;
  }
  *size = (size_t)facts.st_size;
  unsigned char *const bytes = malloc(*size);
  if (bytes != NULL && !read_whole(file, bytes, *size)) {
    free(bytes);
    return NULL;
  }
  return bytes;
}

unsigned char *rlt_cache_folder_read(const char *folder, const char *name, uint64_t most_bytes,
                                     size_t *size) {
  const int directory = folder == NULL ? -1 : open_directory(folder);
  if (directory < 0) {
    return NULL;
  }
  /* Not blocking, in case it is a pipe. */
  const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  unsigned char *bytes = NULL;
  if (file >= 0) {
    bytes = read_file(file, most_bytes, size);
    if (bytes != NULL) {
      (void)futimens(file, NULL); /* the files used last stay longest */
    }
    close(file);
  }
  close(directory);
  return bytes;
}

/* ---- Writing ---- */

static bool write_whole(int file, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = write(file, bytes, size);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    bytes += count;
    size -= (size_t)count;
  }
  return true;
}

/* Under a name of its own first, so that nobody ever sees a part of it. */
static void write_named(int directory, const char *name, const unsigned char *bytes, size_t size) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME, &now);
  char temporary[LONGEST_NAME];
  snprintf(temporary, sizeof temporary, "%s-%ld-%09ld", name, (long)getpid(), now.tv_nsec);
  const int file =
      openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    return;
  }
  const bool written = write_whole(file, bytes, size);
  if (close(file) != 0 || !written || renameat(directory, temporary, directory, name) != 0) {
    unlinkat(directory, temporary, 0);
  }
}

void rlt_cache_folder_write(const char *folder, const char *name, const unsigned char *bytes,
                            size_t size) {
  if (folder == NULL) {
    return;
  }
  int directory = open_directory(folder);
  if (directory < 0 && errno == ENOENT) {
    make_directories(folder);
    directory = open_directory(folder);
  }
  if (directory >= 0) {
    write_named(directory, name, bytes, size);
    close(directory);
  }
}
