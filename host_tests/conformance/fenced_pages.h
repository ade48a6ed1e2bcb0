/* fenced_pages.h: memory between two pages that nothing may touch.
 *
 * A neighbour's bytes hide a stray read, a missing page does not. Depends on mmap alone.
 */
#ifndef CONFORMANCE_FENCED_PAGES_H
#define CONFORMANCE_FENCED_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed, it holds nothing yet. */
typedef struct fenced_pages {
  unsigned char *bytes; /* the first page that may be touched */
  size_t size;          /* of those that may: whole pages */
  size_t room;          /* what is reserved behind `bytes`, one more page not counted */
} fenced_pages;

size_t fenced_pages_page_size(void);

/* Makes the pages as many as `size` bytes take, at least one. Their bytes have any values, and may
 * have moved. What is reserved is kept for the next call unless it is large. False when memory runs
 * out. */
bool fenced_pages_resize(fenced_pages *pages, size_t size);
void fenced_pages_free(fenced_pages *pages);

/* Lets nobody write to the pages, or everybody again. */
void fenced_pages_lock(const fenced_pages *pages);
void fenced_pages_unlock(const fenced_pages *pages);

#endif
