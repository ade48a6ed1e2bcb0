/* progress.c: draws the bar over itself as the percentage changes, or half a second later. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "size_text.h"

enum { BAR_WIDTH = 40, BYTES_BAR_WIDTH = 20 };

static const double redrawn_after = 0.5;
static const double least_seconds = 0.05; /* that say something of the speed */
static const double minute = 60;
static const double hour = 3600;

double progress_seconds(void) {
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void left_text(double seconds, char *text, size_t capacity) {
  if (seconds < minute) {
    snprintf(text, capacity, "%.0f s left", seconds);
  } else if (seconds < hour) {
    snprintf(text, capacity, "%.0f min left", seconds / minute);
  } else {
    snprintf(text, capacity, "%.1f h left", seconds / hour);
  }
}

void progress_text(uint64_t done, uint64_t bytes, double seconds,
                   char text[PROGRESS_TEXT_CAPACITY]) {
  char moved[SIZE_TEXT_CAPACITY];
  char all[SIZE_TEXT_CAPACITY];
  size_text(done, moved);
  size_text(bytes, all);
  if (done == 0 || seconds < least_seconds) {
    snprintf(text, PROGRESS_TEXT_CAPACITY, "%s of %s", moved, all);
    return;
  }
  const double speed = (double)done / seconds;
  char left[24];
  left_text((double)(bytes - done) / speed, left, sizeof left);
  snprintf(text, PROGRESS_TEXT_CAPACITY, "%s of %s, %.2f GB/s, %s", moved, all, 1e-9 * speed, left);
}

static int draw(const progress *bar, uint64_t done) {
  const int width = bar->bytes > 0 ? BYTES_BAR_WIDTH : BAR_WIDTH;
  int columns = fprintf(stderr, "\r%-10s [", bar->what) - 1;
  for (int i = 0; i < width; i++) {
    fputc(i * 100 < bar->shown * width ? '#' : ' ', stderr);
  }
  columns += width + fprintf(stderr, "] %3d %%", bar->shown);
  if (bar->bytes > 0) {
    char text[PROGRESS_TEXT_CAPACITY];
    const double part = (double)done / (double)bar->total;
    progress_text((uint64_t)(part * (double)bar->bytes), bar->bytes, bar->drawn - bar->begun, text);
    columns += fprintf(stderr, "  %s", text);
  }
  for (int i = columns; i < bar->width; i++) {
    fputc(' ', stderr);
  }
  return columns;
}

progress progress_begin_bytes(const char *what, uint64_t total, uint64_t bytes, uint64_t least) {
  progress bar = {.what = what, .total = total, .bytes = bytes, .shown = -1};
  bar.is_visible = total > 0 && total >= least && isatty(STDERR_FILENO);
  bar.begun = bar.is_visible ? progress_seconds() : 0;
  progress_update(&bar, 0);
  return bar;
}

progress progress_begin(const char *what, uint64_t total, uint64_t least) {
  return progress_begin_bytes(what, total, 0, least);
}

void progress_update(progress *bar, uint64_t done) {
  if (!bar->is_visible) {
    return;
  }
  const int percent = (int)((double)done / (double)bar->total * 100);
  const double time = progress_seconds();
  if (percent != bar->shown || (bar->bytes > 0 && time - bar->drawn >= redrawn_after)) {
    bar->shown = percent;
    bar->drawn = time;
    bar->width = draw(bar, done);
  }
}

void progress_end(progress *bar) {
  if (bar->is_visible) {
    fprintf(stderr, "\r%*s\r", bar->width, "");
    bar->is_visible = 0;
  }
}
