/* fuzz_program.c: a kept program's file of any bytes either is passed over, or is the very file
 * that keeping its binary makes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "opencl/disk_cache.h"
#include "promise.h"
#include "scratch.h"

static rlt_disk_key make_key(void) {
  rlt_disk_key made;
  for (int i = 0; i < RLT_KEY_STRINGS; ++i) {
    made.strings[i] = i < RLT_KEY_DEVICE_STRINGS ? "device" : "";
  }
  return made;
}

/* Keeps the binary, and says which file that is: the only one there. */
static unsigned char *keep(const rlt_disk_cache *cache, const rlt_disk_key *key,
                           const unsigned char *binary, size_t size, char path[SCRATCH_PATH],
                           size_t *file_size) {
  rlt_disk_cache_store(cache, key, binary, size);
  scratch_only_file(cache->directory, path);
  return scratch_read(path, file_size);
}

/* A file of these bytes in the place of the kept one. */
static void try_file(const rlt_disk_cache *cache, const rlt_disk_key *key, const char *path,
                     const unsigned char *bytes, size_t size, bool is_sound) {
  unsigned char *binary = NULL;
  size_t binary_size = 0;
  scratch_write(path, bytes, size);
  if (!rlt_disk_cache_load(cache, key, &binary, &binary_size)) {
    require(binary == NULL && !is_sound, "what is kept is found, and nothing else has bytes");
    return;
  }
  char same_path[SCRATCH_PATH];
  size_t same_size = 0;
  if (binary_size > 0) {
    unsigned char *const same = keep(cache, key, binary, binary_size, same_path, &same_size);
    require(same_size == size && memcmp(same, bytes, size) == 0, "a binary has one file");
    free(same);
  }
  free(binary);
}

/* The first byte says how much of a sound file stands in front of the others: that many sixteenths
 * of it, the last bytes exchanged for the input's; 16 and more: all of the file, whose binary the
 * input is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { PARTS = 16 };
  const rlt_disk_key key = make_key();
  char folder[SCRATCH_PATH], path[SCRATCH_PATH];
  rlt_disk_cache cache;
  require(unsetenv("RELAYOUT_CACHE") == 0, "programs are kept");
  scratch_make(folder);
  rlt_disk_cache_open(folder, &cache);
  const size_t parts = size > 0 ? data[0] % (PARTS + 1) : 0;
  const uint8_t *const rest = size > 0 ? data + 1 : (const uint8_t *)"";
  const size_t rest_size = size > 0 ? size - 1 : 0;
  const bool is_whole = parts == PARTS && rest_size > 0;
  static const unsigned char a_binary[] = "a program";
  size_t sound_size = 0;
  unsigned char *const sound = keep(&cache, &key, is_whole ? rest : a_binary,
                                    is_whole ? rest_size : sizeof a_binary, path, &sound_size);
  if (is_whole) {
    try_file(&cache, &key, path, sound, sound_size, true);
  } else {
    const size_t kept = sound_size * parts / PARTS;
    unsigned char *const bytes = malloc(kept + rest_size + 1);
    require(bytes != NULL, "there is memory");
    memcpy(bytes, sound, kept);
    memcpy(bytes + kept, rest, rest_size);
    try_file(&cache, &key, path, bytes, kept + rest_size, false);
    free(bytes);
  }
  free(sound);
  rlt_disk_cache_close(&cache);
  scratch_remove(folder);
  return 0;
}
