/* progress.c: draws the bar over itself as the percentage changes. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };

static void draw(const progress *bar) {
  fprintf(stderr, "\r%-10s [", bar->what);
  for (int i = 0; i < BAR_WIDTH; i++) {
    fputc(i * 100 < bar->shown * BAR_WIDTH ? '#' : ' ', stderr);
  }
  fprintf(stderr, "] %3d %%", bar->shown);
}

progress progress_begin(const char *what, uint64_t total, uint64_t least) {
  progress bar = {.what = what, .total = total, .shown = -1};
  bar.is_visible = total > 0 && total >= least && isatty(STDERR_FILENO);
  progress_update(&bar, 0);
  return bar;
}

void progress_update(progress *bar, uint64_t done) {
  if (!bar->is_visible) {
    return;
  }
  const int percent = (int)((double)done / (double)bar->total * 100);
  if (percent != bar->shown) {
    bar->shown = percent;
    draw(bar);
  }
}

void progress_end(progress *bar) {
  if (bar->is_visible) {
    fprintf(stderr, "\r%*s\r", 10 + 2 + BAR_WIDTH + 7, "");
    bar->is_visible = 0;
  }
}
