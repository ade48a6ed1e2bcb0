/* submit.h: relayouts between any two kinds of memory that an OpenCL device reaches: buffers, SVM,
 * USM, images, and memory of the host, which goes through staging.
 *
 *     size_t size;
 *     relayout_plan_staging_size(plan, RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_BUFFER, &size, NULL);
 *     ... a buffer of so many bytes, once ...
 *     relayout_plan_submit(plan, queue, &from, &to, &staging, 0, NULL, &source_done, &done, NULL);
 */
#ifndef RELAYOUT_SUBMIT_H
#define RELAYOUT_SUBMIT_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/opencl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum relayout_memory_kind {
  RELAYOUT_MEMORY_BUFFER = 0, /* cl_mem, a buffer or a part of one */
  RELAYOUT_MEMORY_HOST = 1,   /* a pointer to any memory of the process */
  RELAYOUT_MEMORY_SVM = 2,    /* a pointer into what clSVMAlloc gave, OpenCL 2.0; not mapped */
  RELAYOUT_MEMORY_USM = 3,    /* a pointer into what the allocation calls of
                                 cl_intel_unified_shared_memory gave */
  RELAYOUT_MEMORY_IMAGE = 4   /* cl_mem, a 2D image, an array of them or a 3D image */
} relayout_memory_kind;

/* Where a side of a relayout lies. What is not of its kind is ignored. */
typedef struct relayout_opencl_memory {
  size_t struct_size;
  relayout_memory_kind kind;
  cl_mem memory; /* a buffer or an image; NULL for a side that takes no bytes */
  void *pointer; /* host memory, SVM, USM; a source is only read */
  size_t offset; /* from there to where the side's pointer would be, in bytes; 0 for images */
} relayout_opencl_memory;

#define RELAYOUT_OPENCL_MEMORY_INIT                                                                \
  { sizeof(relayout_opencl_memory), RELAYOUT_MEMORY_BUFFER, NULL, NULL, 0 }

/* What a submission needs beside its sides. Whoever submits it again before the last one is done
 * has another buffer for it, or has it wait for that one. */
typedef struct relayout_opencl_staging {
  size_t struct_size;
  cl_mem buffer; /* CL_MEM_READ_WRITE; NULL where relayout_plan_staging_size says 0 */
  size_t offset; /* in bytes, a multiple of 128 */
  /* Where transfers from and to the host are enqueued, so that they overlap with kernels; NULL: on
   * the queue of these, which overlaps them if it is out of order. */
  cl_command_queue upload_queue;
  cl_command_queue download_queue;
} relayout_opencl_staging;

#define RELAYOUT_OPENCL_STAGING_INIT                                                               \
  { sizeof(relayout_opencl_staging), NULL, 0, NULL, NULL }

/* The bytes of staging that a submission of this plan takes, for sides of these kinds. Images take
 * as much as their side does. Host memory takes nothing where the device works on it in place: it
 * runs native kernels, has fine-grained system SVM, or is PoCL's for the CPU. Elsewhere it takes as
 * much as its side, or, of a plan that was made with source_chunk_bytes or destination_chunk_bytes
 * (relayout_plan_options), as two chunks. RELAYOUT_INVALID_ARGUMENT (NULL, a plan of another
 * backend, no kind), RELAYOUT_UNSUPPORTED for memory that the device does not know. */
RELAYOUT_API relayout_status relayout_plan_staging_size(const relayout_plan *plan,
                                                        relayout_memory_kind source,
                                                        relayout_memory_kind destination,
                                                        size_t *bytes, relayout_error *error);

/* Enqueues a relayout on the caller's queue, in or out of order, as relayout_plan_enqueue does for
 * two buffers, behind the `n_wait` events of `wait`. Never blocks or waits, and allocates what that
 * does and, where PoCL's work-group kernels work on host memory in place, a buffer object on that;
 * where queues for transfers are given, it flushes all of them. `staging` may be NULL where none is
 * needed.
 *
 * `*source_done`, where `source_done` is not NULL, becomes an event that completes when the source
 * may be written again: with its last upload, or with the kernels that read it. `*done` becomes one
 * that completes with all. The caller releases both.
 *
 * Sides may lie in one buffer as in relayout_plan_enqueue, and so may two of SVM, or two of USM, in
 * one allocation; the ranges of two sides in the host's memory may not overlap.
 *
 * Pointers and offsets are multiples of the element size, as in relayout_plan_enqueue. Of host
 * memory no byte is written but those that the plan writes; only where an index program says which,
 * or parts of packed elements share bytes, what lies between is read first and written back. Memory
 * of the host that the device works on in place is not to be mapped as a buffer elsewhere.
 *
 * An image has the bytes of its pixels, line by line without a gap, and as many of them as the side
 * takes: see relayout_opencl_image_make.
 *
 * The statuses are those of relayout_plan_enqueue; RELAYOUT_UNSUPPORTED for memory that the device
 * does not know, RELAYOUT_BUFFER_TOO_SMALL also for staging. After RELAYOUT_OPENCL_ERROR some of
 * the work may have been enqueued: `*done` is an event that completes with that, or NULL where
 * nothing was, and the destination may be partly written. */
RELAYOUT_API relayout_status relayout_plan_submit(const relayout_plan *plan, cl_command_queue queue,
                                                  const relayout_opencl_memory *source,
                                                  const relayout_opencl_memory *destination,
                                                  const relayout_opencl_staging *staging,
                                                  cl_uint n_wait, const cl_event *wait,
                                                  cl_event *source_done, cl_event *done,
                                                  relayout_error *error);

/* An image of a tensor [batch, channels, height, width] as inference on mobile GPUs keeps it: each
 * pixel (CL_RGBA) has four channels, those behind the last one padding. */
typedef struct relayout_opencl_image {
  size_t struct_size;
  cl_image_format format; /* for clCreateImage */
  size_t width;
  size_t height;
  size_t layers;        /* of an array; 1 for a single image */
  relayout_shape shape; /* one side of a relayout from or to the image */
} relayout_opencl_image;

/* The image for `dimensions`, which are batch, channels, height and width, each 1 or more. As
 * CL_MEM_OBJECT_IMAGE2D the fours of channels lie side by side and the batch one below the other:
 * width * ceil(channels / 4) by height * batch pixels. As CL_MEM_OBJECT_IMAGE2D_ARRAY each four has
 * a layer of its own: width by height pixels, batch * ceil(channels / 4) layers. Element types are
 * f32, f16, s8, s16, s32, u8, u16 and u32. Set struct_size before the call.
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_UNSUPPORTED for another element type or kind of image,
 * RELAYOUT_SIZE_OVERFLOW. */
RELAYOUT_API relayout_status relayout_opencl_image_make(cl_mem_object_type type,
                                                        relayout_element_type element_type,
                                                        const int64_t *dimensions,
                                                        relayout_opencl_image *image,
                                                        relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
