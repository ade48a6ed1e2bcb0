#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"

enum {
  CHUNK_SIZE = 4 << 20,           /* what one read or write moves */
  LEAST_PROGRESS_SIZE = 64 << 20, /* smaller transfers show no bar */
  FIRST_PIPE_MEMORY = 1 << 20,    /* what a pipe of unknown length is read into at first */
  MOST_TEMPORARY_NAMES = 1000     /* tried before giving up */
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* ---- Input ---------------------------------------------------------------------------------- */

exit_code stream_open(const char *path, stream_input *input) {
  *input = (stream_input){.name = path, .file = STDIN_FILENO};
  if (strcmp(path, "-") == 0) {
    input->name = "standard input";
    return EXIT_CODE_OK;
  }
  input->file = open(path, O_RDONLY | O_CLOEXEC);
  if (input->file < 0) {
    return report(EXIT_CODE_FAILURE, "cannot open %s: %s", path, strerror(errno));
  }
  return EXIT_CODE_OK;
}

void stream_close(stream_input *input) {
  if (input->file != STDIN_FILENO) {
    close(input->file);
  }
}

/* As read(), in one piece unless the input ends. */
static exit_code read_fully(stream_input *input, uint8_t *bytes, size_t size, size_t *got) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = read(input->file, bytes + done, smaller(size - done, CHUNK_SIZE));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return report(EXIT_CODE_FAILURE, "cannot read %s: %s", input->name, strerror(errno));
    }
    if (count == 0) {
      break;
    }
    done += (size_t)count;
  }
  *got = done;
  return EXIT_CODE_OK;
}

exit_code stream_peek(stream_input *input) {
  size_t got = 0;
  const exit_code code = read_fully(input, input->ahead + input->ahead_size,
                                    STREAM_PEEK_SIZE - input->ahead_size, &got);
  input->ahead_size += got;
  return code;
}

int64_t stream_remaining(const stream_input *input) {
  struct stat status;
  if (fstat(input->file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return -1;
  }
  const off_t position = lseek(input->file, 0, SEEK_CUR);
  if (position < 0 || position > status.st_size) {
    return -1;
  }
  return (int64_t)(status.st_size - position) + (int64_t)input->ahead_size;
}

exit_code stream_read(stream_input *input, void *bytes, size_t size, size_t *got) {
  const size_t from_ahead = smaller(size, input->ahead_size);
  if (from_ahead > 0) {
    memcpy(bytes, input->ahead, from_ahead);
    input->ahead_size -= from_ahead;
    memmove(input->ahead, input->ahead + from_ahead, input->ahead_size);
  }
  size_t more = 0;
  const exit_code code = read_fully(input, (uint8_t *)bytes + from_ahead, size - from_ahead, &more);
  *got = from_ahead + more;
  return code;
}

/* Where the size is known memory is taken at once; a pipe's doubles as it fills. */
exit_code stream_read_all(stream_input *input, size_t size, uint8_t **bytes, size_t *got) {
  *bytes = NULL;
  *got = 0;
  const bool is_sized = stream_remaining(input) >= (int64_t)size;
  size_t capacity = 0;
  uint8_t *memory = NULL;
  progress bar = progress_begin("reading", size, LEAST_PROGRESS_SIZE);
  exit_code code = EXIT_CODE_OK;
  bool ended = false;
  while (code == EXIT_CODE_OK && *got < size && !ended) {
    if (*got == capacity) {
      const size_t doubled = capacity == 0         ? FIRST_PIPE_MEMORY
                             : capacity > size / 2 ? size
                                                   : 2 * capacity;
      capacity = is_sized ? size : smaller(doubled, size);
      uint8_t *grown = realloc(memory, capacity);
      if (grown == NULL) {
        code = report(EXIT_CODE_FAILURE, "no memory for %zu bytes of %s", capacity, input->name);
        break;
      }
      memory = grown;
    }
    const size_t wanted = smaller(capacity - *got, CHUNK_SIZE);
    size_t count = 0;
    code = stream_read(input, memory + *got, wanted, &count);
    *got += count;
    ended = count < wanted;
    progress_update(&bar, *got);
  }
  progress_end(&bar);
  if (code != EXIT_CODE_OK || *got < size) {
    free(memory);
    return code;
  }
  *bytes = memory;
  return EXIT_CODE_OK;
}

/* ---- Output --------------------------------------------------------------------------------- */

static const int stop_signals[] = {SIGHUP, SIGINT, SIGTERM};

/* The unfinished file, for the signal handler; one at a time. */
static const char *volatile unfinished;

static void remove_and_die(int signal_number) {
  if (unfinished != NULL) {
    unlink(unfinished);
  }
  /* The handler stands for one signal only (SA_RESETHAND): this one ends the process. */
  raise(signal_number);
}

/* Sets the file that a stop removes, NULL for none. Signals that are ignored stay ignored. */
static void set_unfinished(const char *path) {
  unfinished = path;
  for (size_t i = 0; i < sizeof stop_signals / sizeof stop_signals[0]; i++) {
    struct sigaction current;
    if (sigaction(stop_signals[i], NULL, &current) != 0 || current.sa_handler == SIG_IGN) {
      continue;
    }
    struct sigaction wanted = {.sa_flags = (int)SA_RESETHAND};
    wanted.sa_handler = path != NULL ? remove_and_die : SIG_DFL;
    sigemptyset(&wanted.sa_mask);
    sigaction(stop_signals[i], &wanted, NULL);
  }
}

/* Forgets and frees the names. */
static void release_names(stream_output *output) {
  set_unfinished(NULL);
  free(output->path);
  free(output->temporary);
  output->path = NULL;
  output->temporary = NULL;
}

static exit_code fail_to_create(stream_output *output) {
  const int cause = errno;
  release_names(output);
  return report(EXIT_CODE_FAILURE, "cannot write %s: %s", output->name, strerror(cause));
}

/* Opens a file of a new name in the directory of output->path. */
static exit_code open_temporary(stream_output *output) {
  const char *slash = strrchr(output->path, '/');
  const size_t directory_length = slash != NULL ? (size_t)(slash - output->path) + 1 : 0;
  const size_t capacity = directory_length + 64;
  output->temporary = malloc(capacity);
  if (output->temporary == NULL) {
    return fail_to_create(output);
  }
  /* A signal that comes between the creation and its note in `unfinished` must wait. */
  sigset_t stops;
  sigset_t before;
  sigemptyset(&stops);
  for (size_t i = 0; i < sizeof stop_signals / sizeof stop_signals[0]; i++) {
    sigaddset(&stops, stop_signals[i]);
  }
  sigprocmask(SIG_BLOCK, &stops, &before);
  int number = 0;
  do {
    snprintf(output->temporary, capacity, "%.*s.relayout-%ld-%d", (int)directory_length,
             output->path, (long)getpid(), number);
    output->file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    number += 1;
  } while (output->file < 0 && errno == EEXIST && number < MOST_TEMPORARY_NAMES);
  const int cause = errno;
  if (output->file >= 0) {
    set_unfinished(output->temporary);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = cause;
  return output->file >= 0 ? EXIT_CODE_OK : fail_to_create(output);
}

exit_code stream_create(const char *path, stream_output *output) {
  *output = (stream_output){.name = path, .file = STDOUT_FILENO};
  if (strcmp(path, "-") == 0) {
    output->name = "standard output";
    return EXIT_CODE_OK;
  }
  struct stat status;
  const bool exists = stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    output->file = open(path, O_WRONLY | O_CLOEXEC);
    return output->file >= 0 ? EXIT_CODE_OK : fail_to_create(output);
  }
  output->path = exists ? realpath(path, NULL) : strdup(path);
  return output->path != NULL ? open_temporary(output) : fail_to_create(output);
}

exit_code stream_write(stream_output *output, const void *bytes, size_t size) {
  progress bar = progress_begin("writing", size, LEAST_PROGRESS_SIZE);
  size_t done = 0;
  while (done < size) {
    const ssize_t count =
        write(output->file, (const uint8_t *)bytes + done, smaller(size - done, CHUNK_SIZE));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      progress_end(&bar);
      return report(EXIT_CODE_FAILURE, "cannot write %s: %s", output->name, strerror(errno));
    }
    done += (size_t)count;
    progress_update(&bar, done);
  }
  progress_end(&bar);
  return EXIT_CODE_OK;
}

exit_code stream_commit(stream_output *output) {
  if (output->path == NULL) {
    if (output->file != STDOUT_FILENO && close(output->file) != 0) {
      return report(EXIT_CODE_FAILURE, "cannot write %s: %s", output->name, strerror(errno));
    }
    return EXIT_CODE_OK;
  }
  const bool is_written = fsync(output->file) == 0;
  int cause = is_written ? 0 : errno;
  if (close(output->file) != 0 && cause == 0) {
    cause = errno;
  }
  if (cause == 0 && rename(output->temporary, output->path) != 0) {
    cause = errno;
  }
  if (cause != 0) {
    unlink(output->temporary);
  }
  release_names(output);
  if (cause != 0) {
    return report(EXIT_CODE_FAILURE, "cannot write %s: %s", output->name, strerror(cause));
  }
  return EXIT_CODE_OK;
}

void stream_abandon(stream_output *output) {
  if (output->file != STDOUT_FILENO) {
    close(output->file);
  }
  if (output->temporary != NULL) {
    unlink(output->temporary);
  }
  release_names(output);
}
