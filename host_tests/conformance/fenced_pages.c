/* fenced_pages.c: memory between two pages that nothing may touch, from mmap. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "conformance/fenced_pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than this is given back before it is used again. */
enum { MOST_KEPT = 8 << 20 };

size_t fenced_pages_page_size(void) {
  static size_t size;
  if (size == 0) {
    size = (size_t)sysconf(_SC_PAGESIZE);
  }
  return size;
}

/* Nothing may be touched at first. */
static bool reserve(fenced_pages *pages, size_t room) {
  const size_t page = fenced_pages_page_size();
  void *const mapping = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return false;
  }
  *pages = (fenced_pages){(unsigned char *)mapping + page, 0, room};
  return true;
}

/* The fence behind the pages moves, the one before them stays. */
static bool move_fence(fenced_pages *pages, size_t size) {
  const bool grows = size > pages->size;
  const size_t from = grows ? pages->size : size;
  const size_t to = grows ? size : pages->size;
  if (from < to &&
      mprotect(pages->bytes + from, to - from, grows ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) {
    return false;
  }
  pages->size = size;
  return true;
}

bool fenced_pages_resize(fenced_pages *pages, size_t size) {
  const size_t page = fenced_pages_page_size();
  if (size > SIZE_MAX / 2) {
    return false;
  }
  const size_t whole = size == 0 ? page : (size + page - 1) / page * page;
  if (whole > pages->room || pages->room > MOST_KEPT) {
    fenced_pages_free(pages);
    if (!reserve(pages, whole > MOST_KEPT ? whole : MOST_KEPT)) {
      return false;
    }
  }
  return move_fence(pages, whole);
}

void fenced_pages_free(fenced_pages *pages) {
  const size_t page = fenced_pages_page_size();
  if (pages->bytes != NULL) {
    munmap(pages->bytes - page, pages->room + 2 * page);
  }
  memset(pages, 0, sizeof(*pages));
}

void fenced_pages_lock(const fenced_pages *pages) {
  mprotect(pages->bytes, pages->size, PROT_READ);
}

void fenced_pages_unlock(const fenced_pages *pages) {
  mprotect(pages->bytes, pages->size, PROT_READ | PROT_WRITE);
}
