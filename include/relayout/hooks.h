/* hooks.h: the allocator that the library uses, and the function that gets its messages. Both are
 * set for the whole process.
 */
#ifndef RELAYOUT_HOOKS_H
#define RELAYOUT_HOOKS_H

#include <stddef.h>

#include "relayout/export.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Memory --------------------------------------------------------------------------------- */

/* The library calls these functions on any thread, and on several at once. They must not call the
 * library.
 *
 * They may take locks. The library's pthread_atfork handlers never call them: in a child they run
 * only within library calls that the child makes. A fork may wait for other threads that are in
 * these functions, so a thread must not fork while it holds a lock that they take. A program that
 * takes such a lock in a pthread_atfork handler must register it before the first device is opened.
 */
typedef struct relayout_allocator {
  size_t struct_size;
  /* Returns a block of `size` bytes (1 or more) at a multiple of `alignment` (a power of two up to
   * 4096), or NULL if there is no memory. */
  void *(*allocate)(void *context, size_t size, size_t alignment);
  /* Frees a block that allocate returned, never NULL. */
  void (*release)(void *context, void *block);
  void *context; /* passed to both functions */
} relayout_allocator;

#define RELAYOUT_ALLOCATOR_INIT                                                                    \
  { sizeof(relayout_allocator), NULL, NULL, NULL }

/* Sets the allocator for all host memory that the library allocates from now on; with both
 * functions NULL, or `allocator` NULL, the C library's. It is not used for what OpenCL's driver and
 * the C library allocate themselves, such as threads' stacks. Must not be called while another
 * library call runs. RELAYOUT_INVALID_ARGUMENT if only one function is NULL, and while the library
 * holds memory of another allocator, which it does while any device exists. */
RELAYOUT_API relayout_status relayout_set_allocator(const relayout_allocator *allocator,
                                                    relayout_error *error);

/* ---- What happens --------------------------------------------------------------------------- */
/* With RELAYOUT_VERBOSE=1 in the environment the library writes one line to standard error, with
 * one call of write, for each plan that is made and each relayout that is executed or enqueued: a
 * command of `relayout bench` that measures the same, and in a comment its time, bytes and GB/s.
 * For an enqueued relayout that is the time of the call. Relayouts that no command can express,
 * such as those with strides, are a comment alone. The variable is read once. Without it the
 * library prints nothing. */

typedef enum relayout_log_level {
  RELAYOUT_LOG_INFO = 0, /* something slow: a kernel was compiled, and from which source */
  RELAYOUT_LOG_WARNING =
      1, /* something that only makes relayouts slower, and input that was ignored */
  RELAYOUT_LOG_ERROR = 2 /* text that is too long for an error's message: a compiler's whole log */
} relayout_log_level;

/* Gets one message: a single line unless its level is RELAYOUT_LOG_ERROR, without a newline at its
 * end, valid until the function returns. It must not call the library or fork. It may take locks,
 * which no thread may hold while it forks. */
typedef void relayout_log(void *context, relayout_log_level level, const char *message);

/* Sends all messages from now on to `log`, on any thread, one at a time; NULL: messages are
 * dropped. After this call returns, the former function is not called any more. */
RELAYOUT_API void relayout_set_log(relayout_log *log, void *context);

#ifdef __cplusplus
}
#endif

#endif
