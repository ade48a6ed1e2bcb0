/* hooks.h: where the library's memory comes from, and who hears what it does. Both are the
 * process's.
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

/* Functions that any thread may call, several at once. They do not call the library.
 *
 * They may take locks. The library's handlers of forks never call them: in a child they run only
 * within calls of the library that the child makes. A fork may wait for other threads' calls of
 * them, so a thread must not fork while it holds a lock that they take; whoever takes it by
 * pthread_atfork does so before the first device is opened. */
typedef struct relayout_allocator {
  size_t struct_size;
  /* A block of `size` bytes, 1 or more, at a multiple of `alignment`, a power of two up to 4096;
   * NULL where there is no memory. */
  void *(*allocate)(void *context, size_t size, size_t alignment);
  /* Takes a block of allocate's back, never NULL. */
  void (*release)(void *context, void *block);
  void *context; /* theirs */
} relayout_allocator;

#define RELAYOUT_ALLOCATOR_INIT                                                                    \
  { sizeof(relayout_allocator), NULL, NULL, NULL }

/* All memory of the host that the library allocates from now on comes from there; both functions
 * NULL, or `allocator` NULL: from the C library again. What OpenCL's driver and the C library take
 * for themselves, threads' stacks among it, does not. Not while another call is under way.
 * RELAYOUT_INVALID_ARGUMENT where one function of the two is NULL, and as long as the library holds
 * memory of another, which it does from the first device on to the last one's end. */
RELAYOUT_API relayout_status relayout_set_allocator(const relayout_allocator *allocator,
                                                    relayout_error *error);

/* ---- What happens --------------------------------------------------------------------------- */
/* RELAYOUT_VERBOSE=1 in the environment has the library write a line on standard error, by one call
 * of write, for each plan that is made and each relayout that is executed or enqueued: a command of
 * `relayout bench` that measures the same, and in a comment its time, bytes and GB/s. Of what is
 * enqueued it is the time of the call. What no command says, such as strides, is all comment. The
 * variable is read once. Without it the library prints nothing. */

typedef enum relayout_log_level {
  RELAYOUT_LOG_INFO = 0,    /* what takes long: a kernel that was compiled, and from what */
  RELAYOUT_LOG_WARNING = 1, /* what makes relayouts slower and nothing else, and what was ignored */
  RELAYOUT_LOG_ERROR = 2    /* more than the message of an error holds: a compiler's whole log */
} relayout_log_level;

/* Hears one message, of one line unless its level is RELAYOUT_LOG_ERROR, without a newline at its
 * end, which lasts as long as the call. It neither calls the library nor forks. It may take locks,
 * which a thread that forks does not hold. */
typedef void relayout_log(void *context, relayout_log_level level, const char *message);

/* Has `log` hear all messages from now on, from any thread, one at a time; NULL: nobody hears them.
 * When it returns the one before is not called any more. */
RELAYOUT_API void relayout_set_log(relayout_log *log, void *context);

#ifdef __cplusplus
}
#endif

#endif
