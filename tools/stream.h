/* stream.h: bytes into and out of the command: files, and pipes under the name `-`.
 *
 * An output file appears whole or not at all. On failure, or when the command is stopped, nothing
 * is left. Every function reports what goes wrong. Depends on POSIX, report.h, progress.h and
 * whole_file.h. */
#ifndef TOOLS_STREAM_H
#define TOOLS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report.h"
#include "whole_file.h"

/* ---- Input ---------------------------------------------------------------------------------- */

enum { STREAM_PEEK_SIZE = 320, STREAM_LEAST_PEEK = 12 };

/* Bytes that come from elsewhere than a file: takes up to `size` of them, fewer only at the end.
 * NULL: there is a file. */
typedef struct stream_source {
  exit_code (*read)(void *context, void *bytes, size_t size, size_t *got);
  void *context;
} stream_source;

typedef struct stream_input {
  const char *name; /* for messages */
  int file;
  stream_source source;
  uint8_t ahead[STREAM_PEEK_SIZE]; /* bytes read, but not taken yet */
  size_t ahead_size;
} stream_input;

exit_code stream_open(const char *path, stream_input *input);
void stream_close(stream_input *input);

/* Fills `ahead` with the next STREAM_PEEK_SIZE bytes, of a pipe with STREAM_LEAST_PEEK or more;
 * fewer where the input ends. */
exit_code stream_peek(stream_input *input);

/* Whether it is a regular file; pipes, sockets and devices are not. */
bool stream_is_file(const stream_input *input);

/* Bytes from here to the end, or -1 where only reading tells. */
int64_t stream_remaining(const stream_input *input);

/* Where in the file the next byte is, or -1 where it has no places. */
int64_t stream_position(const stream_input *input);

/* Goes to a place in a file that has some. */
exit_code stream_seek(stream_input *input, int64_t position);

/* Takes up to `size` bytes, fewer only where the input ends. */
exit_code stream_read(stream_input *input, void *bytes, size_t size, size_t *got);

/* Takes `size` bytes into memory that is the caller's to free, NULL for none. Takes memory as the
 * bytes come, so that a wrong size does not cost more than the input holds. Where the input ends
 * early, *got says so and *bytes is NULL. */
exit_code stream_read_all(stream_input *input, size_t size, uint8_t **bytes, size_t *got);

/* ---- Output --------------------------------------------------------------------------------- */

typedef struct stream_output {
  const char *name; /* for messages */
  int file;
  bool is_whole; /* not a pipe, a device or an open file, which are written in place */
  whole_file whole;
  int64_t written; /* bytes so far */
} stream_output;

/* Prepares the output. In place are written: what is there and is no regular file, a device or a
 * named pipe; standard output, `-`; and other open files under the names of /dev/stdout,
 * /dev/stderr and /dev/fd. */
exit_code stream_create(const char *path, stream_output *output);
/* Whether an output can be prepared, for what is to be written much later. A named pipe is not
 * opened, since its reader would take that for all of it. */
exit_code stream_check(const char *path);
exit_code stream_write(stream_output *output, const void *bytes, size_t size);
/* The next `size` bytes of an input that has them. */
exit_code stream_copy(stream_input *input, int64_t size, stream_output *output);
/* Takes back what was written to a whole file but the first bytes. */
exit_code stream_rewind(stream_output *output, int64_t written);
/* Makes a whole file so much longer, with zeros for somebody else to write over. */
exit_code stream_extend(stream_output *output, int64_t size);
/* Goes on behind `size` bytes that somebody else has written to a whole file. */
exit_code stream_go_on(stream_output *output, int64_t size);
/* The output for stdio, which records what fails until the end; NULL when it cannot be had. */
FILE *stream_begin_text(stream_output *output);
exit_code stream_end_text(stream_output *output, FILE *text);
/* Puts the file in its place. The output is over, also on failure. */
exit_code stream_commit(stream_output *output);
/* Leaves no file. */
void stream_abandon(stream_output *output);

#endif
