/* large_files.h: a tensor, or a box of one, moved from file to file, a part of it at a time, so
 * that little of it is in memory at once. Depends on the public headers, report.h, progress.h and
 * POSIX. */
#ifndef TOOLS_LARGE_FILES_H
#define TOOLS_LARGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "progress.h"
#include "relayout/relayout.h"
#include "report.h"

/* What a box may have in memory of either side, which is a half to all of this: its rows are long
 * on both sides then, and what is less altogether fits into memory as well. */
#ifndef LARGE_FILES_BOX_BYTES /* tests have small files */
#define LARGE_FILES_BOX_BYTES         (128 << 20)
#define LARGE_FILES_LEAST_TOTAL_BYTES (384 << 20)
#define LARGE_FILES_PAGE_BYTES        4096
#endif

/* Addresses for one side, which a move keeps for the next. {0} at first. */
typedef struct large_files_memory {
  uint8_t *bytes;
  size_t size;
} large_files_memory;

/* What is moved between two regular files, and from which bytes of them on. */
typedef struct large_files_job {
  relayout_device *device;
  const relayout_plan_options *options;
  relayout_view from;
  relayout_view to;
  int64_t from_start[RELAYOUT_MAX_RANK]; /* the first index that is moved, of either side */
  int64_t to_start[RELAYOUT_MAX_RANK];
  int64_t sizes[RELAYOUT_MAX_RANK];
  int64_t box_bytes;  /* that may be in memory of either side, about */
  size_t source_size; /* of all of `from` */
  size_t destination_size;
  large_files_memory *memory; /* [0] for the source, [1] for the destination */
  progress *bar;              /* of elements, which have been moved before */
  uint64_t moved_before;
  const char *source_name; /* for messages */
  int source_file;
  int64_t source_start;
  const char *destination_name;
  int destination_file; /* what is in it behind the start is zero, or comes from other boxes */
  int64_t destination_start;
} large_files_job;

/* Whether it is so large that it should be moved so. */
bool large_files_suit(const large_files_job *job);

/* Moves it. `*is_done` becomes false where there are no plans for its boxes, or no room for so many
 * addresses, as `refusal` says; nothing was written then, or nothing was wrong with what was. */
exit_code large_files_move(const large_files_job *job, bool *is_done, relayout_error *refusal);

/* Ends what moves have kept. */
void large_files_free(large_files_memory memory[2]);

#endif
