/* whole_file.c: follows links to the place of the file, writes it there without a name, and names
 * it at the end. What a file that it replaces had of owners and permissions is kept. */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_LINKS = 40,           /* followed, as by Linux itself */
  MOST_TEMPORARY_NAMES = 100 /* tried before giving up */
};

static int result_of(int returned) {
  return returned == 0 ? 0 : errno;
}

/* ---- Where ---------------------------------------------------------------------------------- */

/* How many bytes of a path stand before the last name in it. */
static size_t directory_length(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* The path that a link's text names, relative to the link's directory; NULL without memory. */
static char *path_behind(const char *link, const char *text) {
  const size_t before = text[0] == '/' ? 0 : directory_length(link);
  const size_t capacity = before + strlen(text) + 1;
  char *const path = malloc(capacity);
  if (path != NULL) {
    snprintf(path, capacity, "%.*s%s", (int)before, link, text);
  }
  return path;
}

/* The path of what is behind all links, whether that exists or not. The caller frees it in any
 * case. */
static int follow_links(const char *path, char **place) {
  *place = strdup(path);
  for (int links = 0; *place != NULL && links < MOST_LINKS; links++) {
    char text[PATH_MAX];
    const ssize_t length = readlink(*place, text, sizeof text - 1);
    if (length < 0) {
      return errno == EINVAL || errno == ENOENT ? 0 : errno; /* no link, or nothing at all */
    }
    text[length] = '\0';
    char *const behind = path_behind(*place, text);
    free(*place);
    *place = behind;
  }
  return *place != NULL ? ELOOP : ENOMEM;
}

/* Opens the directory of a path behind links, and takes the path's last name. */
static int open_place(char *path, whole_file *made) {
  const size_t before = directory_length(path);
  if (path[before] == '\0') {
    return ENOENT; /* no name */
  }
  made->name = strdup(path + before);
  if (made->name == NULL) {
    return ENOMEM;
  }
  path[before] = '\0';
  /* O_PATH: files can be made in a directory that cannot be listed. */
  made->directory = open(before > 0 ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return made->directory >= 0 ? 0 : errno;
}

/* Whether a file is there, which then must be one that may be written. */
static int find_old(const whole_file *made, bool *exists) {
  struct stat facts;
  *exists = fstatat(made->directory, made->name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (!*exists) {
    return errno == ENOENT ? 0 : errno;
  }
  return result_of(faccessat(made->directory, made->name, W_OK, AT_EACCESS));
}

/* ---- The new file --------------------------------------------------------------------------- */

/* The path under which a file without a name can be linked, where /proc is mounted. */
static void path_of_open_file(int file, size_t capacity, char *path) {
  snprintf(path, capacity, "/proc/self/fd/%d", file);
}

static int open_unnamed(whole_file *made, mode_t mode) {
  const int file = openat(made->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (file < 0) {
    return errno;
  }
  char path[LEFTOVER_NAME_SIZE];
  path_of_open_file(file, sizeof path, path);
  if (access(path, F_OK) != 0) {
    const int cause = errno;
    close(file);
    return cause;
  }
  made->file = file;
  return 0;
}

static int link_as(const whole_file *made, const char *name) {
  char path[LEFTOVER_NAME_SIZE];
  path_of_open_file(made->file, sizeof path, path);
  return result_of(linkat(AT_FDCWD, path, made->directory, name, AT_SYMLINK_FOLLOW));
}

/* Makes up a name that no other process uses: two processes of the same number, in containers that
 * share the directory, would have to make it up in the same nanosecond. */
static void choose_temporary(whole_file *made) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(made->temporary, sizeof made->temporary, ".relayout-%ld-%lld-%09ld", (long)getpid(),
           (long long)now.tv_sec, now.tv_nsec);
}

/* The file does not bear the temporary name, or not any more. */
static void forget_temporary(whole_file *made) {
  leftover_forget(made->temporary);
  made->temporary[0] = '\0';
}

/* Removes the temporary name, if there is one. */
static void drop_temporary(whole_file *made) {
  if (made->temporary[0] != '\0') {
    unlinkat(made->directory, made->temporary, 0);
    forget_temporary(made);
  }
}

/* Gives the file a temporary name. Where there is no file yet, because the file system has none
 * without names, makes it under that name. */
static int give_temporary(whole_file *made, mode_t mode) {
  int cause = EEXIST;
  for (int tries = 0; cause == EEXIST && tries < MOST_TEMPORARY_NAMES; tries++) {
    choose_temporary(made);
    leftover_note(made->directory, made->temporary);
    if (made->file >= 0) {
      cause = link_as(made, made->temporary);
    } else {
      made->file =
          openat(made->directory, made->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      cause = made->file >= 0 ? 0 : errno;
    }
    if (cause != 0) {
      forget_temporary(made);
    }
  }
  return cause;
}

int whole_file_create(const char *path, whole_file *made) {
  *made = (whole_file){.file = -1, .directory = -1};
  struct stat facts;
  if (stat(path, &facts) != 0 && errno != ENOENT) {
    return errno; /* the system follows no such links: to themselves, or another user's in /tmp */
  }
  char *place = NULL;
  bool exists = false;
  int cause = follow_links(path, &place);
  if (cause == 0) {
    cause = open_place(place, made);
  }
  free(place);
  if (cause == 0) {
    cause = find_old(made, &exists);
  }
  /* Until the new file has the old one's mode it is for this user alone. */
  const mode_t mode = exists ? 0600 : 0666;
  if (cause == 0 && open_unnamed(made, mode) != 0) {
    cause = give_temporary(made, mode);
  }
  if (cause != 0) {
    whole_file_abandon(made);
  }
  return cause;
}

/* ---- Its place ------------------------------------------------------------------------------ */

/* What the group may do where the file could not be given to that group: another one must not be
 * able to do more than everybody. */
static mode_t without_group(mode_t mode) {
  const mode_t others = (mode & S_IRWXO) << 3;
  return (mode & ~(mode_t)S_IRWXG) | (mode & S_IRWXG & others);
}

/* Gives the file the owner, the group and the permissions of the one that it will replace, if any.
 * Its set-user-ID bit goes, as with any write. */
static int take_over_rights(const whole_file *made) {
  struct stat old;
  struct stat own;
  if (fstatat(made->directory, made->name, &old, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? 0 : errno;
  }
  if (fstat(made->file, &own) != 0) {
    return errno;
  }
  if (!S_ISREG(old.st_mode)) {
    return EEXIST; /* it came meanwhile */
  }
  mode_t mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  const bool is_owned_alike = own.st_uid == old.st_uid && own.st_gid == old.st_gid;
  if (!is_owned_alike && fchown(made->file, old.st_uid, old.st_gid) != 0 &&
      own.st_gid != old.st_gid && fchown(made->file, (uid_t)-1, old.st_gid) != 0) {
    mode = without_group(mode);
  }
  const bool has_mode = (own.st_mode & 07777) == mode;
  return has_mode ? 0 : result_of(fchmod(made->file, mode));
}

/* A new file gets its name at once; one in the place of another gets there by rename(). */
static int move_there(whole_file *made) {
  if (made->temporary[0] == '\0') {
    int cause = link_as(made, made->name);
    if (cause == EEXIST) {
      cause = give_temporary(made, 0);
    }
    if (cause != 0 || made->temporary[0] == '\0') {
      return cause;
    }
  }
  if (renameat(made->directory, made->temporary, made->directory, made->name) != 0) {
    return errno;
  }
  forget_temporary(made);
  return 0;
}

/* Writes the directory's entries to the disk, where its file system can do that and the
 * user may read the directory. */
static int sync_directory(int directory) {
  const int file = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) {
    return errno == EACCES ? 0 : errno;
  }
  const int cause = result_of(fsync(file));
  close(file);
  return cause == EINVAL ? 0 : cause;
}

/* Closes and frees everything. What closing may say fsync() has said before. */
static void release(whole_file *made) {
  drop_temporary(made);
  if (made->file >= 0) {
    close(made->file);
  }
  if (made->directory >= 0) {
    close(made->directory);
  }
  free(made->name);
  *made = (whole_file){.file = -1, .directory = -1};
}

int whole_file_finish(whole_file *made) {
  int cause = take_over_rights(made);
  if (cause == 0) {
    cause = result_of(fsync(made->file));
  }
  if (cause == 0) {
    cause = move_there(made);
  }
  if (cause == 0) {
    cause = sync_directory(made->directory);
  }
  release(made);
  return cause;
}

void whole_file_abandon(whole_file *made) {
  release(made);
}
