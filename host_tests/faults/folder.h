/* folder.h: the library's cache folder, in a temporary directory that XDG_CACHE_HOME names. */
#ifndef HOST_TESTS_FAULTS_FOLDER_H
#define HOST_TESTS_FAULTS_FOLDER_H

/* Before any child: the directory, without a cache folder, and the environment. */
void folder_make(void);
void folder_end(void);

/* The cache folder's path. */
const char *folder_path(void);

/* Makes the cache folder, and the one above it, vanish with all they hold. */
void folder_remove(void);

enum { FOLDER_NAME = 64 };

/* Makes a file of this name and text all that the cache folder holds. */
void folder_keep_only(const char *name, const char *text);

/* Name and text, for the caller to free, of the only file in the cache folder; NULL without one.
 * Another file beside it fails the trial, unless what failed was removing it. */
char *folder_read_only(char name[FOLDER_NAME]);

#endif
