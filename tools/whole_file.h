/* whole_file.h: an output file that appears whole or not at all.
 *
 * It is written without a name, so that even SIGKILL leaves no trace of it, and gets its name when
 * all of it is on the disk. A file that was there is replaced in one step by rename(), for which
 * the new one bears a name of its own for a moment; where the file system has no files without
 * names it bears that one from the start, and every signal but SIGKILL takes it away.
 *
 * Functions return 0 or an error number, as errno has them. Depends on
 * leftover.h and on Linux's O_TMPFILE. */
#ifndef TOOLS_WHOLE_FILE_H
#define TOOLS_WHOLE_FILE_H

#include "leftover.h"

typedef struct whole_file {
  int file;                           /* to be written */
  int directory;                      /* where it will be */
  char *name;                         /* what it will be called there */
  char temporary[LEFTOVER_NAME_SIZE]; /* what it is called until then; "" for nothing */
} whole_file;

/* Begins the file of this path. Links are followed, the last of them also to a place where nothing
 * is yet. What is there must be a regular file that may be written, or nothing. */
int whole_file_create(const char *path, whole_file *made);

/* Puts the file in its place, with the mode, and the owner and group as far as is permitted, of the
 * one that it replaces. The whole file is over, also on failure: then the old one is in its place
 * still, unless it is the directory that could not be brought to the disk. */
int whole_file_finish(whole_file *made);

/* Leaves everything as it was. */
void whole_file_abandon(whole_file *made);

#endif
