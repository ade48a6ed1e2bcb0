/* progress.h: a progress bar on the terminal. Depends on stdio and isatty. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdint.h>

typedef struct progress {
  const char *what;
  uint64_t total;
  int shown; /* the percentage on the screen; -1 before the first, and where there is no bar */
  int is_visible;
} progress;

/* Starts a bar on stderr for work of `total` steps; there is none when stderr is no terminal or
 * `total` is less than `least`. */
progress progress_begin(const char *what, uint64_t total, uint64_t least);
void progress_update(progress *bar, uint64_t done);
/* Wipes the bar, so that what follows starts on a clean line. */
void progress_end(progress *bar);

#endif
