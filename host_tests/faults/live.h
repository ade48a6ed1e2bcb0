/* live.h: what was made and not yet given back: memory, files, mutexes, OpenCL objects.
 *
 * The wrappers tell of every one. live_mark takes what there is as given; live_difference says what
 * has been added to it, or taken from it, since. */
#ifndef HOST_TESTS_FAULTS_LIVE_H
#define HOST_TESTS_FAULTS_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(NAME, text) */
#define LIVE_KIND_TABLE(X)                                                                         \
  X(BLOCK, "block of memory")                                                                      \
  X(MAPPING, "mapping")                                                                            \
  X(FILE, "open file")                                                                             \
  X(STREAM, "open stream")                                                                         \
  X(DIRECTORY, "open directory")                                                                   \
  X(MUTEX, "mutex")                                                                                \
  X(CONDITION, "condition variable")                                                               \
  X(CONTEXT, "OpenCL context")                                                                     \
  X(DEVICE, "OpenCL device")                                                                       \
  X(QUEUE, "OpenCL queue")                                                                         \
  X(BUFFER, "OpenCL buffer")                                                                       \
  X(PROGRAM, "OpenCL program")                                                                     \
  X(KERNEL, "OpenCL kernel")                                                                       \
  X(EVENT, "OpenCL event")                                                                         \
  X(COMMANDS, "OpenCL command buffer")

typedef enum live_kind {
#define LIVE_ENUMERATOR(name, text) LIVE_##name,
  LIVE_KIND_TABLE(LIVE_ENUMERATOR)
#undef LIVE_ENUMERATOR
} live_kind;

/* One more hold, or one fewer, on what `key` names. */
void live_add(live_kind kind, uintptr_t key);
/* Of something that was never added, memory is ignored, as it may come from elsewhere; any other
 * object counts as given back once too often. */
void live_remove(live_kind kind, uintptr_t key);
/* Whether there is such a thing. */
bool live_has(live_kind kind, uintptr_t key);
/* Of all things of a kind together, the holds. */
int64_t live_count(live_kind kind);

void live_mark(void);
/* True, and one line of text, when something is left or too much was given back. */
bool live_difference(char *text, size_t capacity);

#endif
