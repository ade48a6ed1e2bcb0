/* zip.h: the members of a zip archive, as .npz files are, in a regular file: stored or deflated,
 * with ZIP64's sizes too.
 *
 * Any bytes may be given. What the directory says is compared with the members' own headers, with
 * the file's size and with each other: members lie apart, within the file, and hold as many bytes
 * as is said of them, of the checksum that is said. Memory is taken for the directory, and for one
 * member's window. Deflated members need zlib, which the command may have been built without.
 * Depends on fail.h; on POSIX. */
#ifndef TOOLS_ZIP_H
#define TOOLS_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/status.h"

enum { ZIP_MOST_DIRECTORY_BYTES = 64 << 20 /* longer ones are refused */ };

typedef struct zip_member {
  const char *name; /* in the directory's text */
  uint16_t flags;
  uint16_t method;
  uint32_t checksum;
  uint64_t packed_size; /* in the file, */
  uint64_t size;        /* and of what it holds */
  uint64_t header;      /* where its own header begins */
  uint64_t limit;       /* where the next member's does, or the directory */
} zip_member;

typedef struct zip_directory {
  int file; /* the caller's */
  size_t count;
  zip_member *members; /* in the order of their places */
  char *names;
} zip_directory;

/* Reads the directory at the end of a file of this size, which stays open as long as it is used.
 * The caller ends it with zip_free. RELAYOUT_INVALID_TEXT, RELAYOUT_UNSUPPORTED for archives in
 * several files and directories that are too long, RELAYOUT_OUT_OF_MEMORY. */
relayout_status zip_open(int file, uint64_t size, zip_directory *made, relayout_error *error);
void zip_free(zip_directory *of);

/* The bytes of a member, from the first to the last. */
typedef struct zip_reader zip_reader;

/* The caller ends it with zip_reader_close. RELAYOUT_INVALID_TEXT, RELAYOUT_UNSUPPORTED for a
 * member that is encrypted or packed in a way that is not known, RELAYOUT_OUT_OF_MEMORY. */
relayout_status zip_reader_open(const zip_directory *of, const zip_member *member,
                                zip_reader **made, relayout_error *error);
void zip_reader_close(zip_reader *reader);

/* Where a stored member's bytes begin in the file; 0 where they are deflated. */
uint64_t zip_reader_place(const zip_reader *reader);

/* Takes up to `size` bytes, fewer only where the member ends; the last of them not before all are
 * known to be right. RELAYOUT_INVALID_TEXT. */
relayout_status zip_reader_read(zip_reader *reader, void *bytes, size_t size, size_t *got,
                                relayout_error *error);

#endif
