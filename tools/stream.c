/* stream.c: reads and writes files and pipes in chunks, with a progress bar for large ones. */
#include "stream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"

enum {
  CHUNK_SIZE = 4 << 20,           /* what one read or write moves */
  LEAST_PROGRESS_SIZE = 64 << 20, /* smaller transfers show no bar */
  FIRST_PIPE_MEMORY = 1 << 20     /* what a pipe of unknown length is read into at first */
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Whether a read or write that failed is to be made again: a signal interrupted it, or its pipe is
 * one that does not wait, so that the waiting is done here. */
static bool may_try_again(int file, short event) {
  if (errno == EAGAIN) {
    struct pollfd wanted = {.fd = file, .events = event};
    return poll(&wanted, 1, -1) > 0 || errno == EINTR;
  }
  return errno == EINTR;
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

/* What there is, or what comes next; 0 at the end. */
static exit_code read_some(stream_input *input, uint8_t *bytes, size_t size, size_t *got) {
  ssize_t count;
  *got = 0;
  do {
    count = read(input->file, bytes, smaller(size, CHUNK_SIZE));
  } while (count < 0 && may_try_again(input->file, POLLIN));
  if (count < 0) {
    return report(EXIT_CODE_FAILURE, "cannot read %s: %s", input->name, strerror(errno));
  }
  *got = (size_t)count;
  return EXIT_CODE_OK;
}

/* As read(), in one piece unless the input ends. */
static exit_code read_fully(stream_input *input, uint8_t *bytes, size_t size, size_t *got) {
  size_t done = 0;
  if (input->source.read != NULL) {
    return input->source.read(input->source.context, bytes, size, got);
  }
  size_t count = 1;
  while (done < size && count > 0) {
    const exit_code code = read_some(input, bytes + done, size - done, &count);
    if (code != EXIT_CODE_OK) {
      return code;
    }
    done += count;
  }
  *got = done;
  return EXIT_CODE_OK;
}

/* Of a pipe as much as comes with its first bytes: whoever writes it may be waiting. */
exit_code stream_peek(stream_input *input) {
  const bool is_pipe = input->source.read == NULL && !stream_is_file(input);
  const size_t least = is_pipe ? STREAM_LEAST_PEEK : STREAM_PEEK_SIZE;
  exit_code code = EXIT_CODE_OK;
  for (size_t got = 1; code == EXIT_CODE_OK && got > 0 && input->ahead_size < least;) {
    uint8_t *const to = input->ahead + input->ahead_size;
    const size_t room = STREAM_PEEK_SIZE - input->ahead_size;
    code = is_pipe ? read_some(input, to, room, &got) : read_fully(input, to, room, &got);
    input->ahead_size += got;
  }
  return code;
}

bool stream_is_file(const stream_input *input) {
  struct stat status;
  return input->source.read == NULL && fstat(input->file, &status) == 0 && S_ISREG(status.st_mode);
}

/* Of a regular file; *size becomes the file's. */
static int64_t position_in(const stream_input *input, int64_t *size) {
  struct stat status;
  if (!stream_is_file(input) || fstat(input->file, &status) != 0) {
    return -1;
  }
  *size = status.st_size;
  const off_t position = lseek(input->file, 0, SEEK_CUR);
  return position < 0 || position > status.st_size ? -1 : position - (int64_t)input->ahead_size;
}

int64_t stream_remaining(const stream_input *input) {
  int64_t size = 0;
  const int64_t position = position_in(input, &size);
  return position < 0 ? -1 : size - position;
}

int64_t stream_position(const stream_input *input) {
  int64_t size = 0;
  return position_in(input, &size);
}

exit_code stream_seek(stream_input *input, int64_t position) {
  input->ahead_size = 0;
  return lseek(input->file, (off_t)position, SEEK_SET) == (off_t)position
             ? EXIT_CODE_OK
             : report(EXIT_CODE_FAILURE, "cannot read %s: %s", input->name, strerror(errno));
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
  progress bar = progress_begin_bytes("reading", size, size, LEAST_PROGRESS_SIZE);
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

static exit_code fail_to_write(const stream_output *output, int cause) {
  return report(EXIT_CODE_FAILURE, "cannot write %s: %s", output->name, strerror(cause));
}

/* The open file that a path such as /dev/stdout names, as shells and awk read it; -1 for none. What
 * was written to it before must stay, so it is not replaced by a new file. */
static int descriptor_of(const char *path) {
  static const struct {
    const char *path;
    int file;
  } named[] = {
      {"-", STDOUT_FILENO}, {"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}};
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
    if (strcmp(path, named[i].path) == 0) {
      return named[i].file;
    }
  }
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    const size_t length = strlen(folders[i]);
    char *end = NULL;
    if (strncmp(path, folders[i], length) == 0 && isdigit((unsigned char)path[length])) {
      const long number = strtol(path + length, &end, 10);
      return *end == '\0' && number <= INT_MAX ? (int)number : -1;
    }
  }
  return -1;
}

exit_code stream_create(const char *path, stream_output *output) {
  *output = (stream_output){.name = strcmp(path, "-") == 0 ? "standard output" : path};
  const int descriptor = descriptor_of(path);
  struct stat status;
  int cause = 0;
  if (descriptor >= 0) {
    output->file = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  } else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    output->file = open(path, O_WRONLY | O_CLOEXEC);
  } else {
    output->is_whole = true;
    cause = whole_file_create(path, &output->whole);
    output->file = output->whole.file;
  }
  if (cause == 0 && output->file < 0) {
    cause = errno;
  }
  return cause == 0 ? EXIT_CODE_OK : fail_to_write(output, cause);
}

exit_code stream_check(const char *path) {
  struct stat status;
  if (descriptor_of(path) < 0 && stat(path, &status) == 0 && S_ISFIFO(status.st_mode)) {
    return EXIT_CODE_OK;
  }
  stream_output output;
  const exit_code code = stream_create(path, &output);
  if (code == EXIT_CODE_OK) {
    stream_abandon(&output);
  }
  return code;
}

exit_code stream_write(stream_output *output, const void *bytes, size_t size) {
  progress bar = progress_begin_bytes("writing", size, size, LEAST_PROGRESS_SIZE);
  size_t done = 0;
  int cause = 0;
  while (cause == 0 && done < size) {
    const ssize_t count =
        write(output->file, (const uint8_t *)bytes + done, smaller(size - done, CHUNK_SIZE));
    if (count > 0) {
      done += (size_t)count;
      progress_update(&bar, done);
    } else if (count == 0) {
      cause = EIO; /* no file system says so: but asking again and again is no answer */
    } else if (!may_try_again(output->file, POLLOUT)) {
      cause = errno;
    }
  }
  progress_end(&bar);
  output->written += (int64_t)done;
  return cause == 0 ? EXIT_CODE_OK : fail_to_write(output, cause);
}

exit_code stream_copy(stream_input *input, int64_t size, stream_output *output) {
  uint8_t *const chunk = malloc(CHUNK_SIZE);
  if (chunk == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %d bytes of %s", CHUNK_SIZE, input->name);
  }
  progress bar =
      progress_begin_bytes("copying", (uint64_t)size, (uint64_t)size, LEAST_PROGRESS_SIZE);
  exit_code code = EXIT_CODE_OK;
  for (int64_t done = 0; done < size && code == EXIT_CODE_OK;) {
    const size_t wanted = smaller((size_t)(size - done), CHUNK_SIZE);
    size_t got = 0;
    code = stream_read(input, chunk, wanted, &got);
    if (code == EXIT_CODE_OK && got < wanted) {
      code = report(EXIT_CODE_FAILURE, "cannot read %s: the file has become shorter meanwhile",
                    input->name);
    }
    if (code == EXIT_CODE_OK) {
      code = stream_write(output, chunk, wanted);
    }
    done += (int64_t)wanted;
    progress_update(&bar, (uint64_t)done);
  }
  progress_end(&bar);
  free(chunk);
  return code;
}

exit_code stream_rewind(stream_output *output, int64_t written) {
  output->written = written;
  return lseek(output->file, (off_t)written, SEEK_SET) == (off_t)written &&
                 ftruncate(output->file, (off_t)written) == 0
             ? EXIT_CODE_OK
             : fail_to_write(output, errno);
}

exit_code stream_extend(stream_output *output, int64_t size) {
  return ftruncate(output->file, (off_t)(output->written + size)) == 0
             ? stream_go_on(output, size)
             : fail_to_write(output, errno);
}

exit_code stream_go_on(stream_output *output, int64_t size) {
  output->written += size;
  return lseek(output->file, (off_t)output->written, SEEK_SET) == (off_t)output->written
             ? EXIT_CODE_OK
             : fail_to_write(output, errno);
}

FILE *stream_begin_text(stream_output *output) {
  const int file = fcntl(output->file, F_DUPFD_CLOEXEC, 0);
  FILE *const text = file >= 0 ? fdopen(file, "w") : NULL;
  if (text == NULL) {
    fail_to_write(output, errno);
    if (file >= 0) {
      close(file);
    }
  }
  return text;
}

exit_code stream_end_text(stream_output *output, FILE *text) {
  errno = 0;
  const bool is_written = fflush(text) == 0 && !ferror(text);
  const int cause = errno != 0 ? errno : EIO; /* of an earlier write */
  const bool is_closed = fclose(text) == 0;
  return is_written && is_closed ? EXIT_CODE_OK : fail_to_write(output, cause);
}

exit_code stream_commit(stream_output *output) {
  int cause;
  if (output->is_whole) {
    cause = whole_file_finish(&output->whole);
  } else {
    cause = close(output->file) == 0 ? 0 : errno;
  }
  return cause == 0 ? EXIT_CODE_OK : fail_to_write(output, cause);
}

void stream_abandon(stream_output *output) {
  if (output->is_whole) {
    whole_file_abandon(&output->whole);
  } else {
    close(output->file);
  }
}
