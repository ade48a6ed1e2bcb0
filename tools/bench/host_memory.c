/* host_memory.c: large buffers in pages of a known size. */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "host_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "fail.h"

enum { HUGE_PAGE = 2 << 20 };

static bool map(size_t size, host_memory *made) {
  *made = (host_memory){.bytes = NULL};
  const size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  if (size == 0 || whole < size || whole + HUGE_PAGE < whole) {
    return false;
  }
  void *const mapping =
      mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return false;
  }
  uint8_t *const begin = mapping;
  const size_t past = (uintptr_t)begin % HUGE_PAGE;
  *made = (host_memory){.bytes = past > 0 ? begin + HUGE_PAGE - past : begin,
                        .size = whole,
                        .mapping = mapping,
                        .mapping_size = whole + HUGE_PAGE};
  return true;
}

void host_memory_free(host_memory *memory) {
  if (memory->mapping != NULL) {
    munmap(memory->mapping, memory->mapping_size);
  }
  *memory = (host_memory){.bytes = NULL};
}

#if defined(MADV_HUGEPAGE) && defined(MADV_NOHUGEPAGE)
/* How many bytes the system says lie in huge pages. Advice made a range of its own of them, which
 * shares no line of the list with its neighbours. */
static uint64_t huge_bytes(const host_memory *memory) {
  FILE *const file = fopen("/proc/self/smaps", "r");
  if (file == NULL) {
    return 0;
  }
  const uintptr_t begin = (uintptr_t)memory->bytes;
  char line[512];
  bool is_inside = false;
  uint64_t kibibytes = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    uintptr_t from;
    uintptr_t to;
    uint64_t number;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      is_inside = from >= begin && to <= begin + memory->size;
    } else if (is_inside && sscanf(line, "AnonHugePages: %" SCNu64, &number) == 1) {
      kibibytes += number;
    }
  }
  fclose(file);
  return kibibytes << 10;
}

static void touch_ordinary(const host_memory *memory) {
  /* A system that knows no huge pages refuses the advice, and needs none. */
  madvise(memory->bytes, memory->size, MADV_NOHUGEPAGE);
  memset(memory->bytes, 0, memory->size);
}

static relayout_status touch_huge(const host_memory *memory, relayout_error *error) {
  if (madvise(memory->bytes, memory->size, MADV_HUGEPAGE) != 0) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "the system has no huge pages: %s",
                      strerror(errno));
  }
  memset(memory->bytes, 0, memory->size);
  const uint64_t given = huge_bytes(memory);
  return given == memory->size
             ? RELAYOUT_OK
             : fail_with(error, RELAYOUT_OUT_OF_MEMORY,
                          "the system gave huge pages for %" PRIu64 " MiB of %zu MiB", given >> 20,
                          memory->size >> 20);
}
#else
static void touch_ordinary(const host_memory *memory) {
  memset(memory->bytes, 0, memory->size);
}

static relayout_status touch_huge(const host_memory *memory, relayout_error *error) {
  (void)memory;
  return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "this system takes no advice on huge pages");
}
#endif

relayout_status host_memory_create(size_t size, host_pages pages, host_memory *made,
                                   relayout_error *error) {
  if (!map(size, made)) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a buffer of %zu bytes", size);
  }
  if (pages == HOST_PAGES_ORDINARY) {
    touch_ordinary(made);
    return RELAYOUT_OK;
  }
  const relayout_status status = touch_huge(made, error);
  if (status != RELAYOUT_OK) {
    host_memory_free(made);
  }
  return status;
}
