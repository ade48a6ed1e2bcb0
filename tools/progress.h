/* progress.h: a progress bar on the terminal. Depends on stdio, isatty, size_text.h and a clock. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdint.h>

typedef struct progress {
  const char *what;
  uint64_t total;
  uint64_t bytes; /* that all steps move; 0: they move none */
  double begun;   /* seconds of the clock */
  double drawn;   /* when the bar was last */
  int shown;      /* the percentage on the screen; -1 before the first, and where there is no bar */
  int width;      /* columns that the bar takes */
  int is_visible;
} progress;

/* The clock of bars, in seconds. */
double progress_seconds(void);

/* Starts a bar on stderr for work of `total` steps; there is none when stderr is no terminal or
 * `total` is less than `least`. */
progress progress_begin(const char *what, uint64_t total, uint64_t least);

/* The same for steps that move so many bytes together: how many have been moved, how fast, and how
 * long the rest will take, stand behind the bar. */
progress progress_begin_bytes(const char *what, uint64_t total, uint64_t bytes, uint64_t least);

void progress_update(progress *bar, uint64_t done);

/* Wipes the bar, so that what follows starts on a clean line. */
void progress_end(progress *bar);

enum { PROGRESS_TEXT_CAPACITY = 80 };

/* "1.0 GiB of 4.0 GiB, 2.15 GB/s, 2 s left": what stands behind a bar when `done` of `bytes` have
 * been moved in so many seconds; the sizes alone before anything can be said of the speed. */
void progress_text(uint64_t done, uint64_t bytes, double seconds,
                   char text[PROGRESS_TEXT_CAPACITY]);

#endif
