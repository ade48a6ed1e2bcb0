/* embedded.h: the files of bench/ that travel inside the command, embedded at build time. */
#ifndef TOOLS_BENCH_EMBEDDED_H
#define TOOLS_BENCH_EMBEDDED_H

#include <stddef.h>
#include <string.h>

/* The file's name without its extension, and its NUL-terminated text. The tables end with two
 * nulls. */
typedef struct bench_embedded {
  const char *name;
  const char *text;
} bench_embedded;

extern const bench_embedded bench_suite_texts[];
extern const bench_embedded bench_kernel_texts[];

/* The text of this name; NULL where there is none. */
static inline const char *bench_embedded_find(const bench_embedded *texts, const char *name) {
  while (texts->name != NULL && strcmp(texts->name, name) != 0) {
    ++texts;
  }
  return texts->text;
}

#endif
