/* memory.h: the library's memory, from the C library or from relayout_set_allocator's. As the
 * functions of these names there, but for realloc, which is told how much was in the block.
 *
 * Depends on nothing.
 */
#ifndef RLT_BASE_MEMORY_H
#define RLT_BASE_MEMORY_H

#include <stddef.h>

void *rlt_malloc(size_t size);
void *rlt_calloc(size_t count, size_t size);
void *rlt_realloc(void *block, size_t old_size, size_t size);
char *rlt_strdup(const char *text);
char *rlt_strndup(const char *text, size_t most_length);
/* At a multiple of `alignment`, a power of two; NULL where there is no memory. */
void *rlt_aligned_alloc(size_t alignment, size_t size);
void rlt_free(void *block);

#endif
