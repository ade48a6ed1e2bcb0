/* disk_cache.c: one file a program: a head, the key, the binary. */
#include "opencl/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

/* No driver's binaries come near either. */
static const uint64_t most_bytes_of_all = UINT64_C(64) << 20;
static const uint64_t most_bytes_of_one = UINT64_C(16) << 20;

/* A file's name is a hash of its key and this; a temporary one has more behind it. */
static const char suffix[] = ".program";
enum { HASH_DIGITS = 16, NAME_SIZE = HASH_DIGITS + sizeof suffix, LONGEST_NAME = 80 };

typedef struct file_head {
  char magic[8];
  uint32_t version;       /* of this layout of the file */
  uint32_t pointer_bytes; /* drivers of 32 and of 64 bits bear the same names */
  uint64_t key_size;
  uint64_t binary_size;
  uint64_t checksum; /* of key and binary */
} file_head;

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

void rlt_disk_cache_open(const char *wanted, rlt_disk_cache *cache) {
  const char *const setting = getenv("RELAYOUT_CACHE");
  *cache = (rlt_disk_cache){.directory = NULL, .most_bytes = most_bytes_of_all};
  if (setting == NULL || strcmp(setting, "off") != 0) {
    cache->directory = wanted == NULL     ? users_directory()
                       : wanted[0] == '/' ? strdup(wanted)
                                          : NULL;
  }
}

void rlt_disk_cache_close(rlt_disk_cache *cache) {
  free(cache->directory);
  cache->directory = NULL;
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

/* ---- The content of a file ---- */

/* A whole file in memory: the head, the key's strings each with its NUL, the binary. */
typedef struct content {
  unsigned char *bytes; /* NULL: none */
  size_t size;
} content;

static size_t key_size_of(const rlt_disk_key *key) {
  size_t size = 0;
  for (size_t i = 0; i < RLT_KEY_STRINGS; ++i) {
    size += strlen(key->strings[i]) + 1;
  }
  return size;
}

/* The file of a binary of `binary_size` bytes, but for its checksum and for the binary, if any. */
static content make_content(const rlt_disk_key *key, size_t binary_size) {
  const file_head head = {.magic = {'r', 'e', 'l', 'a', 'y', 'o', 'u', 't'},
                          .version = 1,
                          .pointer_bytes = sizeof(void *),
                          .key_size = key_size_of(key),
                          .binary_size = binary_size};
  content made = {.size = sizeof head + (size_t)head.key_size + binary_size};
  made.bytes = malloc(made.size);
  if (made.bytes == NULL) {
    return made;
  }
  memcpy(made.bytes, &head, sizeof head);
  unsigned char *at = made.bytes + sizeof head;
  for (size_t i = 0; i < RLT_KEY_STRINGS; ++i) {
    const size_t size = strlen(key->strings[i]) + 1;
    memcpy(at, key->strings[i], size);
    at += size;
  }
  return made;
}

static file_head head_of(const content *file) {
  file_head head;
  memcpy(&head, file->bytes, sizeof head);
  return head;
}

static uint64_t checksum_of(const content *file) {
  return rlt_hash(RLT_HASH_START, file->bytes + sizeof(file_head), file->size - sizeof(file_head));
}

/* What the file of this key is called. */
static void name_of(const content *key, char *name) {
  const uint64_t key_size = head_of(key).key_size;
  snprintf(name, NAME_SIZE, "%0*" PRIx64 "%s", HASH_DIGITS,
           rlt_hash(RLT_HASH_START, key->bytes + sizeof(file_head), (size_t)key_size), suffix);
}

/* Whether the file is whole and holds a binary of this key. */
static bool is_of(const content *file, const content *key) {
  if (file->size < key->size ||
      memcmp(file->bytes + sizeof(file_head), key->bytes + sizeof(file_head),
             key->size - sizeof(file_head)) != 0) {
    return false;
  }
  file_head expected = head_of(key);
  expected.binary_size = file->size - key->size;
  expected.checksum = checksum_of(file);
  return memcmp(file->bytes, &expected, sizeof expected) == 0;
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

static content read_file(int file) {
  content read = {NULL, 0};
  struct stat facts;
  if (fstat(file, &facts) != 0 || !is_trusted(&facts) || facts.st_size < (off_t)sizeof(file_head) ||
      (uint64_t)facts.st_size > most_bytes_of_one) {
    return read;
  }
  read.size = (size_t)facts.st_size;
  read.bytes = malloc(read.size);
  if (read.bytes != NULL && !read_whole(file, read.bytes, read.size)) {
    free(read.bytes);
    read.bytes = NULL;
  }
  return read;
}

static content read_named(const char *directory_path, const char *name) {
  content read = {NULL, 0};
  const int directory = open_directory(directory_path);
  if (directory < 0) {
    return read;
  }
  /* Not blocking, in case it is a pipe. */
  const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) {
    read = read_file(file);
    if (read.bytes != NULL) {
      (void)futimens(file, NULL); /* the files used last stay longest */
    }
    close(file);
  }
  close(directory);
  return read;
}

bool rlt_disk_cache_load(const rlt_disk_cache *cache, const rlt_disk_key *key,
                         unsigned char **binary, size_t *size) {
  if (cache->directory == NULL) {
    return false;
  }
  const content wanted = make_content(key, 0);
  if (wanted.bytes == NULL) {
    return false;
  }
  char name[NAME_SIZE];
  name_of(&wanted, name);
  const content file = read_named(cache->directory, name);
  const bool found = file.bytes != NULL && is_of(&file, &wanted);
  if (found) {
    *size = file.size - wanted.size;
    *binary = file.bytes;
    memmove(file.bytes, file.bytes + wanted.size, *size);
  } else {
    free(file.bytes);
  }
  free(wanted.bytes);
  return found;
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
static void write_named(int directory, const char *name, const content *made) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME, &now);
  char temporary[LONGEST_NAME];
  snprintf(temporary, sizeof temporary, "%s-%ld-%09ld", name, (long)getpid(), now.tv_nsec);
  const int file =
      openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    return;
  }
  const bool written = write_whole(file, made->bytes, made->size);
  if (close(file) != 0 || !written || renameat(directory, temporary, directory, name) != 0) {
    unlinkat(directory, temporary, 0);
  }
}

static bool is_ours(const char *name) {
  return strspn(name, "0123456789abcdef") == HASH_DIGITS &&
         strncmp(name + HASH_DIGITS, suffix, sizeof suffix - 1) == 0;
}

static bool is_older(const struct stat *a, const struct stat *b) {
  return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec < b->st_mtim.tv_sec
                                                : a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

/* The bytes of all files, and the name of the one that was used least lately. */
static uint64_t survey(DIR *listing, char *oldest) {
  uint64_t total = 0;
  struct stat oldest_facts = {0};
  oldest[0] = '\0';
  rewinddir(listing);
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    struct stat facts;
    if (!is_ours(entry->d_name) || strlen(entry->d_name) >= LONGEST_NAME ||
        fstatat(dirfd(listing), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    total += (uint64_t)facts.st_size;
    if (oldest[0] == '\0' || is_older(&facts, &oldest_facts)) {
      oldest_facts = facts;
      strcpy(oldest, entry->d_name);
    }
  }
  return total;
}

/* Takes the directory over. */
static void drop_oldest(int directory, uint64_t most_bytes) {
  DIR *const listing = fdopendir(directory);
  if (listing == NULL) {
    close(directory);
    return;
  }
  char oldest[LONGEST_NAME];
  while (survey(listing, oldest) > most_bytes && unlinkat(directory, oldest, 0) == 0) {
  }
  closedir(listing);
}

void rlt_disk_cache_store(const rlt_disk_cache *cache, const rlt_disk_key *key,
                          const unsigned char *binary, size_t size) {
  if (cache->directory == NULL || size == 0 || size > most_bytes_of_one) {
    return;
  }
  const content made = make_content(key, size);
  if (made.bytes == NULL) {
    return;
  }
  memcpy(made.bytes + (made.size - size), binary, size);
  file_head head = head_of(&made);
  head.checksum = checksum_of(&made);
  memcpy(made.bytes, &head, sizeof head);

  int directory = open_directory(cache->directory);
  if (directory < 0 && errno == ENOENT) {
    make_directories(cache->directory);
    directory = open_directory(cache->directory);
  }
  if (directory >= 0) {
    char name[NAME_SIZE];
    name_of(&made, name);
    write_named(directory, name, &made);
    drop_oldest(directory, cache->most_bytes);
  }
  free(made.bytes);
}
