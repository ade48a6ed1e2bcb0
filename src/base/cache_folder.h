/* cache_folder.h: files that make the next process faster, and that it can do without.
 *
 * Nothing here fails or prints: what cannot be read is not there, and what cannot be written is not
 * kept. Any number of threads and processes may use one folder at once; nobody ever sees a part of a
 * file.
 *
 * Depends on POSIX.
 */
#ifndef RLT_BASE_CACHE_FOLDER_H
#define RLT_BASE_CACHE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* `wanted` is an absolute path, or "" for no folder, or NULL for the user's: relayout/ in
 * $XDG_CACHE_HOME or else in $HOME/.cache. RELAYOUT_CACHE=off in the environment stands above all of
 * them. The caller frees the path; NULL is no folder. Touches no file. */
char *rlt_cache_folder(const char *wanted);

/* The content of a file, which the caller frees. NULL where there is none, where it is empty or
 * longer than `most_bytes`, and where others than the user and the system could have written it. */
unsigned char *rlt_cache_folder_read(const char *folder, const char *name, uint64_t most_bytes,
                                     size_t *size);

/* Writes a file, of a name of fewer than 50 bytes, in place of the one that is there, if any. Makes
 * the folder where it is missing. */
void rlt_cache_folder_write(const char *folder, const char *name, const unsigned char *bytes,
                            size_t size);

#endif
