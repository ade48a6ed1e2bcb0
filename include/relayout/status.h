/* status.h: how calls report failure.
 *
 * Every call that can fail returns a relayout_status and takes an optional `relayout_error *` last.
 * On failure the error, if not NULL, is overwritten; on success it is left as it was. A failed call
 * leaves its outputs untouched unless its comment says otherwise. Nothing in the library prints,
 * exits or aborts.
 */
#ifndef RELAYOUT_STATUS_H
#define RELAYOUT_STATUS_H

#include <stdint.h>

#include "relayout/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(enumerator, value, text). The values are pinned: they never change their meaning. */
#define RELAYOUT_STATUS_TABLE(X)                                                                   \
  X(RELAYOUT_OK, 0, "ok")                                                                          \
  X(RELAYOUT_INVALID_ARGUMENT, 1, "invalid argument")   /* null, unknown enum, bad option */       \
  X(RELAYOUT_INVALID_TEXT, 2, "invalid text")           /* malformed shape, layout or name */      \
  X(RELAYOUT_INVALID_SHAPE, 3, "invalid shape")         /* breaks one of XLA's rules */            \
  X(RELAYOUT_SHAPE_MISMATCH, 4, "shapes do not match")  /* ranks, dimensions, element types */     \
  X(RELAYOUT_OUT_OF_RANGE, 5, "out of range")           /* dimension number, index, position */    \
  X(RELAYOUT_SIZE_OVERFLOW, 6, "size overflow")         /* more than 2^57 bytes, or 63 bits */     \
  X(RELAYOUT_BUFFER_TOO_SMALL, 7, "buffer too small")   /* a cl_mem ends before the tensor */      \
  X(RELAYOUT_BUFFERS_OVERLAP, 8, "buffers overlap")     /* source and destination share bytes */   \
  X(RELAYOUT_MISALIGNED_OFFSET, 9, "misaligned offset") /* no multiple of the element size */      \
  X(RELAYOUT_UNSUPPORTED, 10, "not supported")          /* well formed, but not done (yet) */      \
  X(RELAYOUT_OUT_OF_MEMORY, 11, "out of memory")        /* host memory */                          \
  X(RELAYOUT_NO_DEVICE, 12, "no such device")           /* nothing answers to that name */         \
  X(RELAYOUT_WRONG_CONTEXT, 13, "wrong OpenCL context") /* queue or buffer of another context */   \
  X(RELAYOUT_OPENCL_ERROR, 14, "OpenCL error")          /* see relayout_error.cl_status */         \
  X(RELAYOUT_OUT_OF_DEVICE_MEMORY, 15, "out of device memory") /* likewise; see below */           \
  X(RELAYOUT_TRANSPORT_ERROR, 16, "transport error")           /* between processes (mpi.h) */

/* RELAYOUT_OUT_OF_DEVICE_MEMORY is returned in place of RELAYOUT_OPENCL_ERROR, wherever that may
 * be, when OpenCL's code is CL_MEM_OBJECT_ALLOCATION_FAILURE or CL_INVALID_BUFFER_SIZE. A smaller
 * relayout, or the same one later, may succeed. */

typedef enum relayout_status {
#define RELAYOUT_STATUS_ENUMERATOR(name, value, text) name = value,
  RELAYOUT_STATUS_TABLE(RELAYOUT_STATUS_ENUMERATOR)
#undef RELAYOUT_STATUS_ENUMERATOR
} relayout_status;

enum { RELAYOUT_MESSAGE_SIZE = 512 };

/* What went wrong. `message` is NUL-terminated, one line unless it quotes a compiler's log, and
 * names the offending argument and its value; it is cut to fit. `cl_status` is the OpenCL error
 * code that caused the failure (such as CL_BUILD_PROGRAM_FAILURE), or 0. */
typedef struct relayout_error {
  relayout_status status;
  int32_t cl_status;
  char message[RELAYOUT_MESSAGE_SIZE];
} relayout_error;

/* The status' text, as in the table above; "unknown status" for any other number. Static storage.
 */
RELAYOUT_API const char *relayout_status_text(relayout_status status);

#ifdef __cplusplus
}
#endif

#endif
