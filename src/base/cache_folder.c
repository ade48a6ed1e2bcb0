/* cache_folder.c: opens the cache folder, and reads and writes its files. Every step may fail,
 * and says nothing when it does. */
#define _DEFAULT_SOURCE /* syscall */
#include "base/cache_folder.h"
#include "base/environment.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_NAME = 80, LONGEST_WRITE_SECONDS = 60 * 60 };

/* ---- Where ---- */

/* The path base/rest. NULL without memory, or where base is no absolute path. */
static char *path_in(const char *base, const char *rest) {
  if (base == NULL || base[0] != '/') {
    return NULL;
  }
  const size_t capacity = strlen(base) + 1 + strlen(rest) + 1;
  char *const path = rlt_malloc(capacity);
  if (path != NULL) {
    snprintf(path, capacity, "%s/%s", base, rest);
  }
  return path;
}

static char *users_directory(void) {
  char *const path = path_in(rlt_environment("XDG_CACHE_HOME"), "relayout");
  return path != NULL ? path : path_in(rlt_environment("HOME"), ".cache/relayout");
}

char *rlt_cache_folder(const char *wanted) {
  const char *const setting = rlt_environment("RELAYOUT_CACHE");
  if (setting != NULL && strcmp(setting, "off") == 0) {
    return NULL;
  }
  return wanted == NULL ? users_directory() : wanted[0] == '/' ? rlt_strdup(wanted) : NULL;
}

/* Makes the folder and those above it where they are missing. */
static void make_directories(const char *path) {
  char *const part = rlt_strdup(path);
  if (part == NULL) {
    return;
  }
  for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(part, 0700);
    *slash = '/';
  }
  mkdir(part, 0700);
  rlt_free(part);
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

/* Whose files this process may believe beside root's: its effective user's, unless that is the user
 * who has fewer rights than the process, as with file capabilities. */
static bool is_own_user(uid_t user) {
  return user == geteuid() && (user != getuid() || !rlt_has_raised_rights());
}

/* Another user's file may hold anything: only this one's and the system's are read, and none that
 * others can write. */
static bool is_trusted(const struct stat *facts) {
  return S_ISREG(facts->st_mode) && (facts->st_uid == 0 || is_own_user(facts->st_uid)) &&
         (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static unsigned char *read_file(int file, bool is_anyones, uint64_t most_bytes, size_t *size) {
  struct stat facts;
  if (fstat(file, &facts) != 0 || !(is_anyones ? S_ISREG(facts.st_mode) : is_trusted(&facts)) ||
      facts.st_size <= 0 || (uint64_t)facts.st_size > most_bytes) {
    return NULL;
  }
  *size = (size_t)facts.st_size;
  unsigned char *const bytes = rlt_malloc(*size);
  if (bytes != NULL && !read_whole(file, bytes, *size)) {
    rlt_free(bytes);
    return NULL;
  }
  return bytes;
}

static unsigned char *read_named(int directory, const char *name, uint64_t most_bytes,
                                 size_t *size) {
  /* Not blocking, in case it is a pipe. */
  const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  unsigned char *bytes = NULL;
  if (file >= 0) {
    bytes = read_file(file, false, most_bytes, size);
    if (bytes != NULL) {
      (void)futimens(file, NULL); /* the files used last stay longest */
    }
    close(file);
  }
  return bytes;
}

unsigned char *rlt_cache_folder_read(const char *folder, const char *name, uint64_t most_bytes,
                                     size_t *size) {
  const int directory = folder == NULL ? -1 : open_directory(folder);
  if (directory < 0) {
    return NULL;
  }
  unsigned char *const bytes = read_named(directory, name, most_bytes, size);
  close(directory);
  return bytes;
}

unsigned char *rlt_named_file_read(const char *path, uint64_t most_bytes, size_t *size) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return NULL;
  }
  unsigned char *const bytes = read_file(file, true, most_bytes, size);
  close(file);
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

/* A write beyond this limit raises SIGXFSZ, which would end the caller's process. */
static bool is_within_limit(size_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur;
}

/* Opens a folder, and makes it where it is missing. */
static int open_for_writing(const char *folder, size_t size) {
  if (folder == NULL || !is_within_limit(size)) {
    return -1;
  }
  int directory = open_directory(folder);
  if (directory < 0 && errno == ENOENT) {
    make_directories(folder);
    directory = open_directory(folder);
  }
  return directory;
}

/* A file under a name of its own first, so that nobody ever sees a part of it. */
static bool write_temporary(int directory, const char *name, const unsigned char *bytes,
                            size_t size, char temporary[LONGEST_NAME]) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(temporary, LONGEST_NAME, "%s-%ld-%09ld", name, (long)getpid(), now.tv_nsec);
  const int file =
      openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    return false;
  }
  const bool is_written = write_whole(file, bytes, size) && fsync(file) == 0;
  if (close(file) != 0 || !is_written) {
    unlinkat(directory, temporary, 0);
    return false;
  }
  return true;
}

static bool move_there(int directory, const char *temporary, const char *name) {
  const bool is_there = renameat(directory, temporary, directory, name) == 0;
  if (!is_there) {
    unlinkat(directory, temporary, 0);
  }
  return is_there;
}

bool rlt_cache_folder_write(const char *folder, const char *name, const unsigned char *bytes,
                            size_t size) {
  char temporary[LONGEST_NAME];
  const int directory = open_for_writing(folder, size);
  if (directory < 0) {
    return false;
  }
  const bool is_there = write_temporary(directory, name, bytes, size, temporary) &&
                        move_there(directory, temporary, name);
  if (is_there) {
    (void)fsync(directory);
  }
  close(directory);
  return is_there;
}

static bool rename_with(int directory, const char *from, const char *to, unsigned flags) {
  return syscall(SYS_renameat2, directory, from, directory, to, flags) == 0;
}

static bool is_file(int directory, const char *name) {
  struct stat facts;
  return fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode);
}

/* Whether the two files have each other's names now. Else there was no other, or the file system
 * cannot do it and has replaced the other. */
static bool exchange_names(int directory, const char *temporary, const char *name) {
  if (rename_with(directory, temporary, name, RENAME_NOREPLACE)) {
    return false;
  }
  if (is_file(directory, name) && rename_with(directory, temporary, name, RENAME_EXCHANGE)) {
    return true;
  }
  (void)move_there(directory, temporary, name);
  return false;
}

unsigned char *rlt_cache_folder_exchange(const char *folder, const char *name,
                                         const unsigned char *bytes, size_t size,
                                         uint64_t most_bytes, size_t *old_size) {
  char temporary[LONGEST_NAME];
  unsigned char *old = NULL;
  const int directory = open_for_writing(folder, size);
  if (directory < 0) {
    return NULL;
  }
  if (write_temporary(directory, name, bytes, size, temporary)) {
    if (exchange_names(directory, temporary, name)) {
      old = read_named(directory, temporary, most_bytes, old_size);
      unlinkat(directory, temporary, 0);
    }
    (void)fsync(directory);
  }
  close(directory);
  return old;
}

/* ---- Removing ---- */

bool rlt_cache_folder_remove(const char *folder, const char *name, bool *was_there) {
  const int directory = folder == NULL ? -1 : open_directory(folder);
  *was_there = false;
  if (directory < 0) {
    return folder == NULL || errno == ENOENT;
  }
  *was_there = unlinkat(directory, name, 0) == 0;
  const bool is_gone = *was_there || errno == ENOENT;
  close(directory);
  return is_gone;
}

/* ---- Trimming ---- */

/* Where the "-" stands before the digits at the end of these bytes; 0 for nowhere. */
static size_t before_number(const char *name, size_t length) {
  size_t begin = length;
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') {
    --begin;
  }
  return begin > 0 && begin < length && name[begin - 1] == '-' ? begin - 1 : 0;
}

/* How many bytes of a temporary file's name are that of the file it was to become; 0 for others. */
static size_t length_of_target(const char *name) {
  return before_number(name, before_number(name, strlen(name)));
}

static bool is_older(const struct stat *a, const struct stat *b) {
  return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec < b->st_mtim.tv_sec
                                                : a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

/* No writer takes as long. Should one, its file is not kept. */
static bool is_stale(const struct stat *facts) {
  return facts->st_mtim.tv_sec < time(NULL) - LONGEST_WRITE_SECONDS;
}

static bool is_own(int directory, const char *name, struct stat *facts) {
  return strlen(name) < LONGEST_NAME && fstatat(directory, name, facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(facts->st_mode) && facts->st_uid == geteuid();
}

/* The bytes of all files, and the name of the one that was used least lately. */
static uint64_t survey(DIR *listing, rlt_cache_folder_names *is_name, char oldest[LONGEST_NAME]) {
  uint64_t total = 0;
  struct stat oldest_facts = {0};
  oldest[0] = '\0';
  rewinddir(listing);
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    const char *const name = entry->d_name;
    const size_t target = length_of_target(name);
    const bool is_temporary = target > 0 && is_name(name, target);
    struct stat facts;
    if ((!is_temporary && !is_name(name, strlen(name))) || !is_own(dirfd(listing), name, &facts)) {
      continue;
    }
    if (is_temporary && is_stale(&facts) && unlinkat(dirfd(listing), name, 0) == 0) {
      continue;
    }
    total += (uint64_t)facts.st_size;
    if (oldest[0] == '\0' || is_older(&facts, &oldest_facts)) {
      oldest_facts = facts;
      strcpy(oldest, name);
    }
  }
  return total;
}

void rlt_cache_folder_trim(const char *folder, rlt_cache_folder_names *is_name,
                           uint64_t most_bytes) {
  const int directory = folder == NULL ? -1 : open_directory(folder);
  DIR *const listing = directory < 0 ? NULL : fdopendir(directory);
  if (listing == NULL) {
    if (directory >= 0) {
      close(directory);
    }
    return;
  }
  char oldest[LONGEST_NAME];
  while (survey(listing, is_name, oldest) > most_bytes &&
         (unlinkat(directory, oldest, 0) == 0 || errno == ENOENT)) {
  }
  closedir(listing);
}
