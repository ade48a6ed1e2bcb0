/* wrapped_libc.c: the functions of the C library that the library calls, each able to fail.
 *
 * close and fclose do their work before they fail, as the system does. What releases something
 * cannot fail; nor can locking a mutex of the default kind, but one that could not be made must not
 * be used. */
#define _GNU_SOURCE /* cpu_set_t */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "faults/fault.h"
#include "faults/live.h"

/* Declares the real function and the wrapper, whose body follows. */
#define WRAP(type, name, ...)                                                                      \
  type __real_##name(__VA_ARGS__);                                                                 \
  type __wrap_##name(__VA_ARGS__);                                                                 \
  type __wrap_##name(__VA_ARGS__)

/* Whether the call is to fail, with errno set to one of two errors. */
static bool fails(fault_kind kind, const char *call, int likely, int other) {
  int32_t variant = 0;
  if (!fault_strikes(kind, call, &variant)) {
    return false;
  }
  errno = variant == 1 ? other : likely;
  fault_note_code(errno);
  return true;
}

/* ---- Memory ---- */

static bool lacks_memory(const char *call) {
  return fails(FAULT_MEMORY, call, ENOMEM, ENOMEM);
}

static void *add_block(void *block) {
  if (block != NULL) {
    live_add(LIVE_BLOCK, (uintptr_t)block);
  }
  return block;
}

WRAP(void *, malloc, size_t size) {
  return lacks_memory("malloc") ? NULL : add_block(__real_malloc(size));
}

WRAP(void *, calloc, size_t count, size_t size) {
  return lacks_memory("calloc") ? NULL : add_block(__real_calloc(count, size));
}

WRAP(void *, realloc, void *block, size_t size) {
  if (lacks_memory("realloc")) {
    return NULL;
  }
  const uintptr_t before = (uintptr_t)block;
  void *const after = __real_realloc(block, size);
  if (after != NULL) {
    live_remove(LIVE_BLOCK, before);
  }
  return add_block(after);
}

WRAP(void *, aligned_alloc, size_t alignment, size_t size) {
  return lacks_memory("aligned_alloc") ? NULL : add_block(__real_aligned_alloc(alignment, size));
}

WRAP(int, posix_memalign, void **block, size_t alignment, size_t size) {
  if (lacks_memory("posix_memalign")) {
    return ENOMEM;
  }
  const int code = __real_posix_memalign(block, alignment, size);
  if (code == 0) {
    add_block(*block);
  }
  return code;
}

WRAP(char *, strdup, const char *text) {
  return lacks_memory("strdup") ? NULL : add_block(__real_strdup(text));
}

WRAP(char *, strndup, const char *text, size_t size) {
  return lacks_memory("strndup") ? NULL : add_block(__real_strndup(text, size));
}

WRAP(char *, realpath, const char *path, char *resolved) {
  if (fails(FAULT_FILES, "realpath", EACCES, ENOMEM)) {
    return NULL;
  }
  char *const path_found = __real_realpath(path, resolved);
  return resolved == NULL ? add_block(path_found) : path_found;
}

WRAP(void, free, void *block) {
  if (block != NULL) {
    live_remove(LIVE_BLOCK, (uintptr_t)block);
  }
  __real_free(block);
}

WRAP(void *, mmap, void *at, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(FAULT_MEMORY, "mmap", ENOMEM, EAGAIN)) {
    return MAP_FAILED;
  }
  void *const made = __real_mmap(at, size, protection, flags, file, offset);
  if (made != MAP_FAILED) {
    live_add(LIVE_MAPPING, (uintptr_t)made);
  }
  return made;
}

WRAP(int, munmap, void *at, size_t size) {
  live_remove(LIVE_MAPPING, (uintptr_t)at);
  return __real_munmap(at, size);
}

/* ---- Files ---- */

static bool file_fails(const char *call, int likely, int other) {
  return fails(FAULT_FILES, call, likely, other);
}

static int add_file(int file) {
  if (file >= 0) {
    live_add(LIVE_FILE, (uintptr_t)file);
  }
  return file;
}

/* The third argument of open, which has one only where it may make a file. */
#define MODE_OF(flags, mode)                                                                       \
  do {                                                                                             \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    mode = makes_file(flags) ? (mode_t)va_arg(rest, int) : 0;                                      \
    va_end(rest);                                                                                  \
  } while (0)

static bool makes_file(int flags) {
#ifdef O_TMPFILE
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    return true;
  }
#endif
  return (flags & O_CREAT) != 0;
}

WRAP(int, open, const char *path, int flags, ...) {
  mode_t mode;
  MODE_OF(flags, mode);
  return file_fails("open", EMFILE, EACCES) ? -1 : add_file(__real_open(path, flags, mode));
}

WRAP(int, openat, int directory, const char *path, int flags, ...) {
  mode_t mode;
  MODE_OF(flags, mode);
  return file_fails("openat", EMFILE, EACCES)
             ? -1
             : add_file(__real_openat(directory, path, flags, mode));
}

WRAP(int, pipe, int files[2]) {
  const int code = file_fails("pipe", EMFILE, ENFILE) ? -1 : __real_pipe(files);
  for (int i = 0; code == 0 && i < 2; ++i) {
    add_file(files[i]);
  }
  return code;
}

WRAP(int, close, int file) {
  live_remove(LIVE_FILE, (uintptr_t)file);
  const int code = __real_close(file);
  return file_fails("close", EIO, ENOSPC) ? -1 : code;
}

/* How a read or write of `*size` bytes goes on: variant 0 fails, 1 moves only a part, which `*size`
 * becomes, and 2 is interrupted. */
static bool moves_some(const char *name, int cause, size_t *size) {
  int32_t variant = 0;
  if (!fault_strikes(FAULT_FILES, name, &variant)) {
    return true;
  }
  if (variant == 1) {
    *size = *size > 1 ? *size / 2 : *size;
    return true;
  }
  errno = variant == 2 ? EINTR : cause;
  fault_note_code(errno);
  return false;
}

WRAP(ssize_t, read, int file, void *bytes, size_t size) {
  return moves_some("read", EIO, &size) ? __real_read(file, bytes, size) : -1;
}

WRAP(ssize_t, write, int file, const void *bytes, size_t size) {
  return moves_some("write", ENOSPC, &size) ? __real_write(file, bytes, size) : -1;
}

WRAP(ssize_t, pread, int file, void *bytes, size_t size, off_t at) {
  return moves_some("pread", EIO, &size) ? __real_pread(file, bytes, size, at) : -1;
}

WRAP(ssize_t, pwrite, int file, const void *bytes, size_t size, off_t at) {
  return moves_some("pwrite", ENOSPC, &size) ? __real_pwrite(file, bytes, size, at) : -1;
}

WRAP(FILE *, fopen, const char *path, const char *mode) {
  FILE *const made = file_fails("fopen", EMFILE, EACCES) ? NULL : __real_fopen(path, mode);
  if (made != NULL) {
    live_add(LIVE_STREAM, (uintptr_t)made);
  }
  return made;
}

/* The stream takes the file over. */
WRAP(FILE *, fdopen, int file, const char *mode) {
  FILE *const made = file_fails("fdopen", ENOMEM, EBADF) ? NULL : __real_fdopen(file, mode);
  if (made != NULL) {
    live_remove(LIVE_FILE, (uintptr_t)file);
    live_add(LIVE_STREAM, (uintptr_t)made);
  }
  return made;
}

WRAP(char *, fgets, char *line, int size, FILE *stream) {
  return file_fails("fgets", EIO, EIO) ? NULL : __real_fgets(line, size, stream);
}

WRAP(int, fclose, FILE *stream) {
  live_remove(LIVE_STREAM, (uintptr_t)stream);
  const int code = __real_fclose(stream);
  return file_fails("fclose", EIO, EIO) ? EOF : code;
}

/* The directory takes the file over. */
WRAP(DIR *, fdopendir, int file) {
  if (file_fails("fdopendir", ENOMEM, EBADF)) {
    return NULL;
  }
  DIR *const made = __real_fdopendir(file);
  if (made != NULL) {
    live_remove(LIVE_FILE, (uintptr_t)file);
    live_add(LIVE_DIRECTORY, (uintptr_t)made);
  }
  return made;
}

WRAP(DIR *, opendir, const char *path) {
  DIR *const made = file_fails("opendir", EMFILE, EACCES) ? NULL : __real_opendir(path);
  if (made != NULL) {
    live_add(LIVE_DIRECTORY, (uintptr_t)made);
  }
  return made;
}

WRAP(struct dirent *, readdir, DIR *directory) {
  return file_fails("readdir", EIO, EBADF) ? NULL : __real_readdir(directory);
}

WRAP(int, closedir, DIR *directory) {
  live_remove(LIVE_DIRECTORY, (uintptr_t)directory);
  return __real_closedir(directory);
}

/* Functions that return 0, or -1 with errno: their parameters, how they are handed on, two errors.
 * */
#define WRAP_PLAIN(name, parameters, arguments, likely, other)                                     \
  int __real_##name parameters;                                                                    \
  int __wrap_##name parameters;                                                                    \
  int __wrap_##name parameters {                                                                   \
    return file_fails(#name, likely, other) ? -1 : __real_##name arguments;                        \
  }

WRAP_PLAIN(madvise, (void *at, size_t size, int advice), (at, size, advice), ENOMEM, EAGAIN)
WRAP_PLAIN(fsync, (int file), (file), EIO, ENOSPC)
WRAP_PLAIN(fdatasync, (int file), (file), EIO, ENOSPC)
WRAP_PLAIN(ftruncate, (int file, off_t size), (file, size), EIO, EFBIG)
WRAP_PLAIN(fchmod, (int file, mode_t mode), (file, mode), EPERM, EIO)
WRAP_PLAIN(fchown, (int file, uid_t user, gid_t group), (file, user, group), EPERM, EIO)
WRAP_PLAIN(fcntl, (int file, int command, long argument), (file, command, argument), EBADF, EACCES)
WRAP_PLAIN(stat, (const char *path, struct stat *facts), (path, facts), EACCES, EIO)
WRAP_PLAIN(lstat, (const char *path, struct stat *facts), (path, facts), EACCES, EIO)
WRAP_PLAIN(access, (const char *path, int mode), (path, mode), EACCES, EIO)
WRAP_PLAIN(faccessat, (int directory, const char *path, int mode, int flags),
           (directory, path, mode, flags), EACCES, EIO)
WRAP_PLAIN(fstat, (int file, struct stat *facts), (file, facts), EIO, EOVERFLOW)
WRAP_PLAIN(fstatat, (int directory, const char *path, struct stat *facts, int flags),
           (directory, path, facts, flags), EACCES, EIO)
WRAP_PLAIN(futimens, (int file, const struct timespec times[2]), (file, times), EPERM, EROFS)
WRAP_PLAIN(mkdir, (const char *path, mode_t mode), (path, mode), EACCES, ENOSPC)
WRAP_PLAIN(mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode), EACCES,
           ENOSPC)
WRAP_PLAIN(link, (const char *from, const char *to), (from, to), EPERM, EXDEV)
WRAP_PLAIN(linkat,
           (int from_directory, const char *from, int to_directory, const char *to, int flags),
           (from_directory, from, to_directory, to, flags), EPERM, ENOENT)
WRAP_PLAIN(rename, (const char *from, const char *to), (from, to), EACCES, EXDEV)
WRAP_PLAIN(renameat, (int from_directory, const char *from, int to_directory, const char *to),
           (from_directory, from, to_directory, to), EACCES, ENOSPC)

WRAP(int, unlink, const char *path) {
  return fails(FAULT_REMOVAL, "unlink", EACCES, EIO) ? -1 : __real_unlink(path);
}

WRAP(int, unlinkat, int directory, const char *path, int flags) {
  return fails(FAULT_REMOVAL, "unlinkat", EACCES, EIO) ? -1
                                                       : __real_unlinkat(directory, path, flags);
}

/* For what the C library has no name for; six words are as many as any takes. */
WRAP(long, syscall, long number, ...) {
  enum { MOST_WORDS = 6 };
  long words[MOST_WORDS];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < MOST_WORDS; ++i) {
    words[i] = va_arg(rest, long);
  }
  va_end(rest);
  return file_fails("syscall", EINVAL, ENOSYS)
             ? -1
             : __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

WRAP(int, sched_getaffinity, pid_t process, size_t size, cpu_set_t *processors) {
  return file_fails("sched_getaffinity", EINVAL, EPERM)
             ? -1
             : __real_sched_getaffinity(process, size, processors);
}

WRAP(int, poll, struct pollfd *files, nfds_t count, int milliseconds) {
  return file_fails("poll", ENOMEM, EINTR) ? -1 : __real_poll(files, count, milliseconds);
}

WRAP(off_t, lseek, int file, off_t offset, int whence) {
  return file_fails("lseek", ESPIPE, EINVAL) ? -1 : __real_lseek(file, offset, whence);
}

WRAP(ssize_t, readlink, const char *path, char *target, size_t size) {
  return file_fails("readlink", EACCES, EIO) ? -1 : __real_readlink(path, target, size);
}

WRAP(long, sysconf, int name) {
  return file_fails("sysconf", EINVAL, EINVAL) ? -1 : __real_sysconf(name);
}

/* ---- Threads ---- */

/* Memory that a mutex or a condition variable could not be made in, until one is. */
enum { MOST_BROKEN = 16 };
static _Atomic uintptr_t broken[MOST_BROKEN];

static void set_broken(const void *thing) {
  for (int i = 0; i < MOST_BROKEN; ++i) {
    uintptr_t none = 0;
    if (atomic_compare_exchange_strong(&broken[i], &none, (uintptr_t)thing)) {
      return;
    }
  }
}

static void set_whole(const void *thing) {
  for (int i = 0; i < MOST_BROKEN; ++i) {
    uintptr_t it = (uintptr_t)thing;
    atomic_compare_exchange_strong(&broken[i], &it, 0);
  }
}

static bool is_broken(const void *thing, const char *call) {
  for (int i = 0; i < MOST_BROKEN; ++i) {
    if (atomic_load(&broken[i]) == (uintptr_t)thing) {
      fault_note_misuse("of what could not be made", call);
      return true;
    }
  }
  return false;
}

/* Returns 0, or the error. */
static int make(live_kind kind, const char *call, const void *thing) {
  if (fails(FAULT_THREADS, call, ENOMEM, EAGAIN)) {
    set_broken(thing);
    return errno;
  }
  set_whole(thing);
  live_add(kind, (uintptr_t)thing);
  return 0;
}

WRAP(int, pthread_mutex_init, pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  const int code = make(LIVE_MUTEX, "pthread_mutex_init", mutex);
  return code != 0 ? code : __real_pthread_mutex_init(mutex, attributes);
}

WRAP(int, pthread_mutex_lock, pthread_mutex_t *mutex) {
  return is_broken(mutex, "pthread_mutex_lock") ? EINVAL : __real_pthread_mutex_lock(mutex);
}

WRAP(int, pthread_mutex_unlock, pthread_mutex_t *mutex) {
  return is_broken(mutex, "pthread_mutex_unlock") ? EINVAL : __real_pthread_mutex_unlock(mutex);
}

WRAP(int, pthread_mutex_destroy, pthread_mutex_t *mutex) {
  if (is_broken(mutex, "pthread_mutex_destroy")) {
    return EINVAL;
  }
  live_remove(LIVE_MUTEX, (uintptr_t)mutex);
  return __real_pthread_mutex_destroy(mutex);
}

WRAP(int, pthread_cond_init, pthread_cond_t *condition, const pthread_condattr_t *attributes) {
  const int code = make(LIVE_CONDITION, "pthread_cond_init", condition);
  return code != 0 ? code : __real_pthread_cond_init(condition, attributes);
}

WRAP(int, pthread_cond_wait, pthread_cond_t *condition, pthread_mutex_t *mutex) {
  return is_broken(condition, "pthread_cond_wait") ? EINVAL
                                                   : __real_pthread_cond_wait(condition, mutex);
}

WRAP(int, pthread_cond_destroy, pthread_cond_t *condition) {
  if (is_broken(condition, "pthread_cond_destroy")) {
    return EINVAL;
  }
  live_remove(LIVE_CONDITION, (uintptr_t)condition);
  return __real_pthread_cond_destroy(condition);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
     void *argument) {
  return fails(FAULT_THREADS, "pthread_create", EAGAIN, EPERM)
             ? errno
             : __real_pthread_create(thread, attributes, run, argument);
}

WRAP(int, pthread_attr_init, pthread_attr_t *attributes) {
  return fails(FAULT_THREADS, "pthread_attr_init", ENOMEM, ENOMEM)
             ? errno
             : __real_pthread_attr_init(attributes);
}

WRAP(int, pthread_atfork, void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  return fails(FAULT_THREADS, "pthread_atfork", ENOMEM, ENOMEM)
             ? errno
             : __real_pthread_atfork(prepare, parent, child);
}
