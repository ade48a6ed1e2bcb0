/* case_files.h: what the programs that write cases for other languages share.
 *
 * Each defines PROGRAM, its name in messages, before. */
#ifndef EMIT_CASE_FILES_H
#define EMIT_CASE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void require(bool is_so, const char *what) {
  if (!is_so) {
    fprintf(stderr, PROGRAM ": %s\n", what);
    exit(1);
  }
}

/* A number of the environment. */
static inline uint64_t setting(const char *name, uint64_t otherwise) {
  const char *const text = getenv(name);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static inline FILE *create(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *const made = fopen(path, "wb");
  require(made != NULL, path);
  return made;
}

#endif
