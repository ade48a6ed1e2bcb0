/* large_files.h: a tensor moved from file to file, a box of its indices at a time, so that little
 * of it is in memory at once. Depends on the public headers, report.h and progress.h; on POSIX. */
#ifndef TOOLS_LARGE_FILES_H
#define TOOLS_LARGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/relayout.h"
#include "report.h"

/* What is moved between two regular files, and from which bytes of them on. */
typedef struct large_files_job {
  relayout_device *device;
  const relayout_plan *whole; /* of all of it */
  relayout_view from;
  relayout_view to;
  const relayout_plan_options *options;
  const char *source_name; /* for messages */
  int source_file;
  int64_t source_start;
  const char *destination_name;
  int destination_file; /* nothing is in it from its start on */
  int64_t destination_start;
} large_files_job;

/* Whether it is so large that it should be moved so. */
bool large_files_suit(const large_files_job *job);

/* Moves it. `*is_done` becomes false where only all of it can be moved at once, or there is no room
 * for so many addresses; nothing was written then, or nothing was wrong with what was. */
exit_code large_files_move(const large_files_job *job, bool *is_done);

#endif
