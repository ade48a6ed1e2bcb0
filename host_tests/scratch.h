/* scratch.h: a directory of a test's own. */
#ifndef HOST_TESTS_SCRATCH_H
#define HOST_TESTS_SCRATCH_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

enum { SCRATCH_PATH = 512 };

/* Makes an empty directory and fills in its absolute path. Failures here and
 * below fail the test. */
void scratch_make(char path[SCRATCH_PATH]);

/* Removes it and all that is in it. */
void scratch_remove(const char *path);

/* The path of the only regular file in the directory. */
void scratch_only_file(const char *directory, char path[SCRATCH_PATH]);

/* How many regular files there are; 0 where there is no such directory. */
size_t scratch_count(const char *directory);

/* The bytes of all of them. */
size_t scratch_bytes(const char *directory);

/* Makes all its regular files so much older. */
void scratch_age(const char *directory, time_t seconds);

/* All bytes of a file, for the caller to free. */
unsigned char *scratch_read(const char *path, size_t *size);
/* Makes or overwrites a file that the user alone may read and write. */
void scratch_write(const char *path, const void *bytes, size_t size);

#endif
