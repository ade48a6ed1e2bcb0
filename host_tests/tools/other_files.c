/* other_files.c: replaces two calls of the C library, so that tests see what the command does on
 * file systems without unnamed files, and when a signal comes just before a file is renamed.
 *
 * NO_UNNAMED_FILES in the environment: there are no files without names, as on NFS.
 * SIGNAL_AT_RENAME=N: signal N comes just before a file is renamed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int openat(int directory, const char *path, int flags, ...) {
  if ((flags & O_TMPFILE) == O_TMPFILE && getenv("NO_UNNAMED_FILES") != NULL) {
    errno = EOPNOTSUPP;
    return -1;
  }
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  const char *const number = getenv("SIGNAL_AT_RENAME");
  if (number != NULL) {
    raise(atoi(number));
  }
  return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
}
