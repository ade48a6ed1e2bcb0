/* offset_list.h: offsets for a kernel, as wide as it reads them. Depends on plan/tile.h. */
#ifndef RLT_LAUNCH_OFFSET_LIST_H
#define RLT_LAUNCH_OFFSET_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/tile.h"

typedef struct rlt_offset_list {
  bool wide;    /* 64 bits instead of 32 */
  size_t count; /* so far; the caller has made room for what comes */
  void *offsets;
} rlt_offset_list;

static inline size_t rlt_offset_size(bool wide) {
  return wide ? sizeof(int64_t) : sizeof(int32_t);
}

/* RLT_NO_SOURCE becomes the least number in either width. */
static inline void rlt_offset_add(rlt_offset_list *list, int64_t offset) {
  if (list->wide) {
    ((int64_t *)list->offsets)[list->count++] = offset;
  } else {
    ((int32_t *)list->offsets)[list->count++] =
        offset == RLT_NO_SOURCE ? INT32_MIN : (int32_t)offset;
  }
}

#endif
