/* cache_folder.h: files kept for later processes, such as compiled programs. They save
 * time; nothing depends on them.
 *
 * Nothing here fails or prints: what cannot be read is not there, and what cannot be
 * written is not kept. Any number of threads and processes may use one folder at once;
 * nobody ever sees a part of a file.
 *
 * Depends on POSIX, and on Linux for the exchange.
 */
#ifndef RLT_BASE_CACHE_FOLDER_H
#define RLT_BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `wanted` is an absolute path, or "" for no folder, or NULL for the user's: relayout/ in
 * $XDG_CACHE_HOME or else in $HOME/.cache. RELAYOUT_CACHE=off in the environment stands above all
 * of them. With raised rights (environment.h) there is no user's folder, and no variable counts.
 * The caller frees the path; NULL is no folder. Touches no file. */
char *rlt_cache_folder(const char *wanted);

/* The content of a file, which the caller frees. NULL where there is none, where it is empty or
 * longer than `most_bytes`, and where others than the user and the system could have written it. */
unsigned char *rlt_cache_folder_read(const char *folder, const char *name, uint64_t most_bytes,
                                     size_t *size);

/* The content of a file that the user names, wherever it is and whoever wrote it, in the same way.
 * Not for names that came from somebody with fewer rights than the process. */
unsigned char *rlt_named_file_read(const char *path, uint64_t most_bytes, size_t *size);

/* Writes a file, of a name of fewer than 50 bytes, in place of the one that is there, if any. Makes
 * the folder where it is missing. The file is on the disk before it has its name. False where it is
 * not kept, and the one that was there still is. */
bool rlt_cache_folder_write(const char *folder, const char *name, const unsigned char *bytes,
                            size_t size);

/* The same, and gives back what was there until that moment, as rlt_cache_folder_read does. So one
 * of several who add to a file at once sees what another has put there since it was read. NULL also
 * where the file system cannot exchange files. */
unsigned char *rlt_cache_folder_exchange(const char *folder, const char *name,
                                         const unsigned char *bytes, size_t size,
                                         uint64_t most_bytes, size_t *old_size);

/* Removes a file; true also where there was none, as `*was_there` says. */
bool rlt_cache_folder_remove(const char *folder, const char *name, bool *was_there);

/* Whether the first `length` bytes of a name are one of the caller's files. */
typedef bool rlt_cache_folder_names(const char *name, size_t length);

/* Removes what writers of such files left behind when they died, once it is an hour old; and then
 * the files that were used least lately, until the others have at most so many bytes together. Only
 * the user's own files count, and go. */
void rlt_cache_folder_trim(const char *folder, rlt_cache_folder_names *is_name,
                           uint64_t most_bytes);

#endif
