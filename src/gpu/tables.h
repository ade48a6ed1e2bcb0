/* tables.h: where the rows and columns of a tile lie, as a kernel looks them up. Depends on
 * schedule/schedule.h. */
#ifndef RLT_GPU_TABLES_H
#define RLT_GPU_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/local_tile.h"
#include "relayout/status.h"
#include "schedule/schedule.h"

/* Bytes for a kernel to read. */
typedef struct rlt_blob {
  void *bytes; /* NULL: there are none; freed by the caller, also after a failure */
  size_t size;
} rlt_blob;

/* RELAYOUT_OUT_OF_MEMORY, of a plan's tables. */
relayout_status rlt_blob_make(size_t size, rlt_blob *blob, relayout_error *error);

/* For a schedule whose tiles' runs lie in these slots of local memory (cl/permute.cl). Offsets have
 * 64 bits where the kernel is `wide`. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_slot_tables_make(const rlt_schedule *schedule, const rlt_slots *slots,
                                     bool wide, rlt_blob *tables, relayout_error *error);

/* ---- Of which they are made ---- */

/* Offsets as wide as a kernel reads them. */
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
