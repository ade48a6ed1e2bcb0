/* disk_cache.c: one file a program: a head, the key, the binary. */
#include "opencl/disk_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cache_folder.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"

/* No driver's binaries come near either. */
static const uint64_t most_bytes_of_all = UINT64_C(64) << 20;
static const uint64_t most_bytes_of_one = UINT64_C(16) << 20;

/* A file's name is a hash of its key and this. */
static const char suffix[] = ".program";
enum { HASH_DIGITS = 16, NAME_SIZE = HASH_DIGITS + sizeof suffix };

typedef struct file_head {
  char magic[8];
  uint32_t version;       /* of this layout of the file */
  uint32_t pointer_bytes; /* drivers of 32 and of 64 bits bear the same names */
  uint64_t key_size;
  uint64_t binary_size;
  uint64_t checksum; /* of key and binary */
} file_head;

void rlt_disk_cache_open(const char *wanted, rlt_disk_cache *cache) {
  *cache = (rlt_disk_cache){.directory = rlt_cache_folder(wanted), .most_bytes = most_bytes_of_all};
}

void rlt_disk_cache_close(rlt_disk_cache *cache) {
  rlt_free(cache->directory);
  cache->directory = NULL;
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
  made.bytes = rlt_malloc(made.size);
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
  if (file->size <= key->size ||
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
  content file = {NULL, 0};
  file.bytes = rlt_cache_folder_read(cache->directory, name, most_bytes_of_one, &file.size);
  const bool found = file.bytes != NULL && is_of(&file, &wanted);
  if (found) {
    *size = file.size - wanted.size;
    *binary = file.bytes;
    memmove(file.bytes, file.bytes + wanted.size, *size);
  } else {
    rlt_free(file.bytes);
  }
  rlt_free(wanted.bytes);
  return found;
}

/* ---- Writing ---- */

static bool is_program(const char *name, size_t length) {
  return length == NAME_SIZE - 1 && strspn(name, "0123456789abcdef") == HASH_DIGITS &&
         memcmp(name + HASH_DIGITS, suffix, sizeof suffix - 1) == 0;
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

  char name[NAME_SIZE];
  name_of(&made, name);
  if (!rlt_cache_folder_write(cache->directory, name, made.bytes, made.size)) {
    rlt_log(RELAYOUT_LOG_WARNING, "a compiled kernel cannot be kept in %s", cache->directory);
  }
  rlt_cache_folder_trim(cache->directory, is_program, cache->most_bytes);
  rlt_free(made.bytes);
}
