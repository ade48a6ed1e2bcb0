/* objects.h: how many OpenCL objects the process holds, the library's and its own. */
#ifndef STRESS_OBJECTS_H
#define STRESS_OBJECTS_H

#include <stdint.h>

/* X(NAME, text) */
#define OBJECT_TABLE(X)                                                                            \
  X(CONTEXT, "contexts")                                                                           \
  X(QUEUE, "queues")                                                                               \
  X(BUFFER, "buffers")                                                                             \
  X(PROGRAM, "programs")                                                                           \
  X(KERNEL, "kernels")                                                                             \
  X(EVENT, "events")

typedef enum object_kind {
#define OBJECT_ENUMERATOR(name, text) OBJECT_##name,
  OBJECT_TABLE(OBJECT_ENUMERATOR)
#undef OBJECT_ENUMERATOR
      OBJECT_KINDS
} object_kind;

/* Holds on each kind: what was made and retained less what was released. */
typedef struct objects {
  int64_t of[OBJECT_KINDS];
} objects;

objects objects_held(void);

#endif
