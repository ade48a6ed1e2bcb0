/* memory.c: blocks from whom the caller chose. */
#include "base/memory.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/structs.h"
#include "relayout/hooks.h"

/* Nobody sets it while blocks are held or a call is under way. */
static relayout_allocator chosen = RELAYOUT_ALLOCATOR_INIT;
static atomic_size_t blocks_held;

static void *counted(void *block) {
  if (block != NULL) {
    atomic_fetch_add_explicit(&blocks_held, 1, memory_order_relaxed);
  }
  return block;
}

static void *allocate(size_t size, size_t alignment) {
  return counted(chosen.allocate(chosen.context, size > 0 ? size : 1, alignment));
}

void *rlt_malloc(size_t size) {
  return chosen.allocate == NULL ? counted(malloc(size)) : allocate(size, alignof(max_align_t));
}

void *rlt_calloc(size_t count, size_t size) {
  if (chosen.allocate == NULL) {
    return counted(calloc(count, size));
  }
  void *const made =
      size > 0 && count > SIZE_MAX / size ? NULL : allocate(count * size, alignof(max_align_t));
  return made == NULL ? NULL : memset(made, 0, count * size);
}

void *rlt_realloc(void *block, size_t old_size, size_t size) {
  if (chosen.allocate == NULL) {
    return block == NULL ? counted(malloc(size)) : realloc(block, size);
  }
  void *const made = allocate(size, alignof(max_align_t));
  if (made != NULL && block != NULL) {
    memcpy(made, block, old_size < size ? old_size : size);
    rlt_free(block);
  }
  return made;
}

char *rlt_strdup(const char *text) {
  return rlt_strndup(text, strlen(text));
}

char *rlt_strndup(const char *text, size_t most_length) {
  const size_t length = strnlen(text, most_length);
  char *const made = rlt_malloc(length + 1);
  if (made != NULL) {
    memcpy(made, text, length);
    made[length] = '\0';
  }
  return made;
}

void *rlt_aligned_alloc(size_t alignment, size_t size) {
  void *made = NULL;
  if (chosen.allocate != NULL) {
    return allocate(size, alignment);
  }
  return posix_memalign(&made, alignment, size) == 0 ? counted(made) : NULL;
}

void rlt_free(void *block) {
  if (block == NULL) {
    return;
  }
  atomic_fetch_sub_explicit(&blocks_held, 1, memory_order_relaxed);
  if (chosen.allocate == NULL) {
    free(block);
  } else {
    chosen.release(chosen.context, block);
  }
}

relayout_status relayout_set_allocator(const relayout_allocator *allocator, relayout_error *error) {
  relayout_allocator wanted = RELAYOUT_ALLOCATOR_INIT;
  const relayout_status status =
      rlt_struct_read(allocator, "allocator->", sizeof wanted, &wanted, sizeof wanted, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if ((wanted.allocate == NULL) != (wanted.release == NULL)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "allocator->%s is NULL; set both functions or neither",
                    wanted.allocate == NULL ? "allocate" : "release");
  }
  const bool is_another = wanted.allocate != chosen.allocate || wanted.release != chosen.release ||
                          wanted.context != chosen.context;
  const size_t held = atomic_load(&blocks_held);
  if (is_another && held > 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "allocator cannot be changed while the library holds %zu blocks of the one "
                    "before; destroy all devices first",
                    held);
  }
  chosen = wanted;
  return RELAYOUT_OK;
}
