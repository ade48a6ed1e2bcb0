/* runs.h: bytes that lie together, copied and filled. Depends on vectors.h. */
#ifndef RLT_CPU_RUNS_H
#define RLT_CPU_RUNS_H

#include "base/checked.h"
#include "cpu/vectors.h"

static inline int64_t bytes_to_line(const uint8_t *at) {
  return (int64_t)(-(uintptr_t)at & (LINE_BYTES - 1));
}

/* How many of the first `count` bytes lie before the first line that can be streamed. */
static inline int64_t bytes_before_line(const uint8_t *at, int64_t count, bool streams) {
  return streams ? rlt_min(bytes_to_line(at), count) : 0;
}

static inline void move_line(uint8_t *restrict to, const uint8_t *restrict from, bool streams) {
  if (streams) {
    stream_line(to, load_line(from));
  } else {
    store_line(to, load_line(from));
  }
}

/* Less than two lines. Two moves that overlap take fewer branches, which cannot be
 * foreseen, than one of each size. */
static inline void move_few(uint8_t *restrict to, const uint8_t *restrict from, int64_t count) {
#define MOVE_PAIR(size)                                                                            \
  if (count >= (size)) {                                                                           \
    memcpy(to, from, size);                                                                        \
    memcpy(to + count - (size), from + count - (size), size);                                      \
    return;                                                                                        \
  }
  MOVE_PAIR(64)
  MOVE_PAIR(32)
  MOVE_PAIR(16)
  MOVE_PAIR(8)
  MOVE_PAIR(4)
  MOVE_PAIR(2)
#undef MOVE_PAIR
  if (count > 0) {
    *to = *from;
  }
}

/* Any number, through the cache; what is long by the C library, which has a copy for each
 * processor. */
static inline void move_run(uint8_t *restrict to, const uint8_t *restrict from, int64_t count) {
  enum { LONG_RUN = 8 * LINE_BYTES };
  if (count >= LONG_RUN) {
    memcpy(to, from, (size_t)count);
    return;
  }
  int64_t i = 0;
  for (; i + 2 * LINE_BYTES <= count; i += LINE_BYTES) {
    move_line(to + i, from + i, false);
  }
  move_few(to + i, from + i, count - i);
}

/* `values` is a line of equal elements, and every run begins with one. */
static inline void fill_run(uint8_t *restrict to, const uint8_t *restrict values, int64_t count) {
  int64_t i = 0;
  for (; i + LINE_BYTES <= count; i += LINE_BYTES) {
    move_line(to + i, values, false);
  }
  move_few(to + i, values, count - i);
}

#endif
