/* trial.h: one pair of shapes, what its buffers hold before a relayout and what they must hold after.
 *
 * The source's padding, the destination and the guards around both are poisoned, each with a byte
 * that no element holds, so that what strays shows. Depends on random.h and the oracle.
 */
#ifndef CONFORMANCE_TRIAL_H
#define CONFORMANCE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/shape.h"

enum {
  TRIAL_ELEMENT_BYTES = 0xf0, /* every byte of an element of a source is below this */
  TRIAL_SOURCE_POISON = 0xf3,
  TRIAL_DESTINATION_POISON = 0xf6,
  TRIAL_GUARD = 0xf9
};

typedef struct trial {
  const relayout_shape *from;
  const relayout_shape *to;
  size_t source_size;
  size_t destination_size;
  unsigned char *source;
  unsigned char *before; /* the destination */
  unsigned char *after;
} trial;

/* False when memory runs out. The shapes must outlive the trial. */
bool trial_make(const relayout_shape *from, const relayout_shape *to, trial *made);
void trial_free(trial *made);

/* A buffer between two guards: the buffer's bytes start at bytes[start]. */
typedef struct guarded_buffer {
  unsigned char *bytes;
  size_t start;
  size_t size;
  size_t total;
} guarded_buffer;

enum { GUARD_SIZE = 256 };

/* Makes a buffer with this content, `offset` bytes behind a multiple of GUARD_SIZE. False when
 * memory runs out. */
bool guarded_buffer_make(const unsigned char *content, size_t size, size_t offset,
                         guarded_buffer *made);
void guarded_buffer_free(guarded_buffer *buffer);

/* Lets the address sanitizer watch the guards, where there is one; and no longer. */
void guarded_buffer_watch(const guarded_buffer *buffer);
void guarded_buffer_unwatch(const guarded_buffer *buffer);

/* The first byte, counted from the buffer's start and negative in the guard before it, that is not
 * as expected. False when there is none. */
typedef struct difference {
  int64_t position;
  unsigned expected;
  unsigned found;
} difference;

bool guarded_buffer_differs(const guarded_buffer *buffer, const unsigned char *expected,
                            difference *first);

#endif
