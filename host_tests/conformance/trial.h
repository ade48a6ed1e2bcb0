/* trial.h: one relayout, what its buffers hold before it and what they must hold after.
 *
 * The source's padding, the destination and the guards around both are poisoned, to the bit: each
 * with a byte that no element holds, unless elements are packed or change their type, so that what
 * strays shows. Depends on random.h, values.h and the oracle.
 */
#ifndef CONFORMANCE_TRIAL_H
#define CONFORMANCE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/oracle.h"

enum {
  TRIAL_ELEMENT_BYTES = 0xf0, /* every byte of an element of a source is below this */
  TRIAL_SOURCE_POISON = 0xf3,
  TRIAL_DESTINATION_POISON = 0xf6,
  TRIAL_GUARD = 0xf9
};

/* What is asked for. Shapes and strides belong to whoever asks. */
typedef struct request {
  const relayout_shape *from;
  const relayout_shape *to;
  oracle_options options;
  bool as_chosen; /* with the strategy that the library chooses, and no other */
} request;

/* Whether elements are converted, not moved as they are. */
bool request_converts(const request *asked);

typedef struct trial {
  const request *asked;
  size_t source_size; /* of a strided side: from its first element in memory to its last */
  size_t destination_size;
  size_t source_origin; /* bytes up to the element at index 0, ..., 0 */
  size_t destination_origin;
  unsigned char *source;
  unsigned char *before; /* the destination */
  unsigned char *after;
} trial;

/* False when memory runs out. The request must outlive the trial. */
bool trial_make(const request *asked, trial *made);
void trial_free(trial *made);

/* A buffer between two guards: its bytes start at bytes[start], and calls are given bytes[origin]. */
typedef struct guarded_buffer {
  unsigned char *bytes;
  size_t start;
  size_t origin;
  size_t size;
  size_t total;
} guarded_buffer;

enum { GUARD_SIZE = 256 };

/* Makes a buffer with this content, `offset` bytes behind a multiple of GUARD_SIZE, and its origin
 * `origin` bytes into it. False when memory runs out. */
bool guarded_buffer_make(const unsigned char *content, size_t size, size_t offset, size_t origin,
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
