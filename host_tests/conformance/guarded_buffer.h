/* guarded_buffer.h: a buffer in which every stray access shows.
 *
 *     | missing page | guard ... | the buffer's bytes | guard ... | missing page |
 *
 * One of the two guards may be empty, so that the buffer begins or ends where a page is missing.
 * Depends on fenced_pages.h.
 */
#ifndef CONFORMANCE_GUARDED_BUFFER_H
#define CONFORMANCE_GUARDED_BUFFER_H

#include <stdint.h>

#include "conformance/fenced_pages.h"

enum { GUARD_BYTE = 0xf9, GUARD_SIZE = 256 };

/* Where a buffer lies in its pages. */
typedef enum buffer_place {
  PLACE_BEHIND_FENCE, /* its first byte is the first that may be touched, */
  PLACE_BEFORE_FENCE, /* its last byte the last one; */
  PLACE_BETWEEN       /* or GUARD_SIZE and more on both sides may be */
} buffer_place;
enum { BUFFER_PLACES = 3 };

/* Its bytes start at bytes[start], and calls are given bytes[origin]. */
typedef struct guarded_buffer {
  unsigned char *bytes;
  size_t start;
  size_t origin;
  size_t size;
  size_t total;
  const fenced_pages *pages; /* that it takes, to the last byte */
} guarded_buffer;

/* Makes a buffer with this content in pages that no other has, and its origin `origin` bytes into
 * it. In PLACE_BETWEEN it starts `offset` bytes behind a multiple of GUARD_SIZE. It lasts until its
 * pages change. False when memory runs out. */
bool guarded_buffer_make(fenced_pages *pages, const unsigned char *content, size_t size,
                         buffer_place place, size_t offset, size_t origin, guarded_buffer *made);

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
