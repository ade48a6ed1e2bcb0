/* embedded.h: the files of bench/ that travel inside the command, embedded at build time. */
#ifndef TOOLS_BENCH_EMBEDDED_H
#define TOOLS_BENCH_EMBEDDED_H

/* The file's name without its extension, and its NUL-terminated text. The tables end with two
 * nulls. */
typedef struct bench_embedded {
  const char *name;
  const char *text;
} bench_embedded;

extern const bench_embedded bench_suite_texts[];
extern const bench_embedded bench_kernel_texts[];

#endif
