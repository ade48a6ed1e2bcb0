/* disk_cache.h: built programs as files, for the next process.
 *
 * A file is found by a hash of its key and holds the whole key, so that no other program's binary
 * can be taken for it. Nothing here fails or prints: a file that is damaged, someone else's or
 * cannot be read is not there, and where none can be written none is kept. Any number of threads
 * and processes may use one folder at once.
 *
 * Depends on base/.
 */
#ifndef RLT_OPENCL_DISK_CACHE_H
#define RLT_OPENCL_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All that a binary depends on, string by string. */
enum {
  RLT_KEY_PLATFORM_NAME,
  RLT_KEY_PLATFORM_VERSION,
  RLT_KEY_DEVICE_NAME,
  RLT_KEY_DEVICE_VENDOR,
  RLT_KEY_DEVICE_VERSION,
  RLT_KEY_DRIVER_VERSION,
  RLT_KEY_OPTIONS,
  RLT_KEY_SOURCES, /* the first of some */
  RLT_KEY_SOURCE_COUNT = 9 /* RLT_KERNEL_SOURCES */,
  RLT_KEY_STRINGS = RLT_KEY_SOURCES + RLT_KEY_SOURCE_COUNT,
  RLT_KEY_DEVICE_STRINGS = RLT_KEY_OPTIONS /* so many tell of the device and come first */
};

typedef struct rlt_disk_key {
  const char *strings[RLT_KEY_STRINGS];
} rlt_disk_key;

typedef struct rlt_disk_cache {
  char *directory; /* NULL: nothing is kept */
  /* Of all files together; those that no process has loaded for longest go first. A member, so that
   * a test can lower it. */
  uint64_t most_bytes;
} rlt_disk_cache;

/* `wanted` is an absolute path, or "" for no cache, or NULL for the user's: relayout/ in
 * $XDG_CACHE_HOME or else in $HOME/.cache. RELAYOUT_CACHE=off in the environment stands above all
 * of them. Opening touches no file. */
void rlt_disk_cache_open(const char *wanted, rlt_disk_cache *cache);
void rlt_disk_cache_close(rlt_disk_cache *cache);

/* The binary kept under this key; the caller frees it. False where there is none. Keys matter only
 * where there is a directory. */
bool rlt_disk_cache_load(const rlt_disk_cache *cache, const rlt_disk_key *key,
                         unsigned char **binary, size_t *size);

/* Keeps a binary, in place of the one that is there, if any. */
void rlt_disk_cache_store(const rlt_disk_cache *cache, const rlt_disk_key *key,
                          const unsigned char *binary, size_t size);

#endif
