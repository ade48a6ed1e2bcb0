/* submit.h: relayouts between any two kinds of memory that an OpenCL device reaches: buffers, SVM,
 * USM, images, and memory of the host, which goes through staging.
 *
 *     size_t size;
 *     relayout_plan_staging_size(plan, RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_BUFFER, &size, NULL);
 *     ... make a buffer of this size, once ...
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

/* Where a side of a relayout lies. Fields that its kind does not use are ignored. */
typedef struct relayout_opencl_memory {
  size_t struct_size;
  relayout_memory_kind kind;
  cl_mem memory; /* a buffer or an image; NULL for a side that takes no bytes */
  void *pointer; /* host memory, SVM, USM; a source is only read */
  size_t offset; /* from there to where the side's pointer would be, in bytes; 0 for images */
} relayout_opencl_memory;

#define RELAYOUT_OPENCL_MEMORY_INIT                                                                \
  { sizeof(relayout_opencl_memory), RELAYOUT_MEMORY_BUFFER, NULL, NULL, 0 }

/* What a submission needs besides its sides. A second submission that is enqueued before the first
 * is done must use another buffer or wait for the first. */
typedef struct relayout_opencl_staging {
  size_t struct_size;
  cl_mem buffer; /* CL_MEM_READ_WRITE; NULL where relayout_plan_staging_size says 0 */
  size_t offset; /* in bytes, a multiple of 128 */
  /* The queues for transfers from and to the host, which overlap with kernels there; NULL:
   * transfers use the queue of the kernels, and overlap with these if it is out of order. */
  cl_command_queue upload_queue;
  cl_command_queue download_queue;
} relayout_opencl_staging;

#define RELAYOUT_OPENCL_STAGING_INIT                                                               \
  { sizeof(relayout_opencl_staging), NULL, 0, NULL, NULL }

/* Returns how many bytes of staging a submission of this plan needs, for sides of these kinds. An
 * image needs as many bytes as its side has. Host memory needs none if the device works on it in
 * place, which it does if it runs native kernels, has fine-grained system SVM, or is PoCL's CPU
 * device. On other devices it needs as many bytes as its side has, or two chunks if the plan was
 * made with source_chunk_bytes or destination_chunk_bytes (relayout_plan_options).
 * RELAYOUT_INVALID_ARGUMENT (NULL, a plan of another backend, an unknown kind),
 * RELAYOUT_UNSUPPORTED for a kind of memory that the device does not support. */
RELAYOUT_API relayout_status relayout_plan_staging_size(const relayout_plan *plan,
                                                        relayout_memory_kind source,
                                                        relayout_memory_kind destination,
                                                        size_t *bytes, relayout_error *error);

/* Enqueues a relayout on the caller's queue, which may be in or out of order, after the `n_wait`
 * events of `wait`, as relayout_plan_enqueue does for two buffers. The call never blocks or waits.
 * It allocates what relayout_plan_enqueue allocates, and a buffer object on host memory that PoCL's
 * work-group kernels use in place. If staging has queues for transfers, it flushes all queues that
 * it uses. `staging` may be NULL if none is needed.
 *
 * If `source_done` is not NULL, `*source_done` becomes an event that completes when the source may
 * be written again: with its last upload, or with the kernels that read it. `*done` becomes an
 * event that completes with the whole relayout. The caller releases both.
 *
 * Both sides may lie in one buffer as in relayout_plan_enqueue, and likewise in one allocation of
 * SVM or of USM. If both are host memory, their ranges must not overlap.
 *
 * Pointers and offsets must be multiples of the element size, as in relayout_plan_enqueue. In host
 * memory only the bytes that the plan writes are written. Two kinds of plans are an exception:
 * those with an index program, and those whose parts share bytes of packed elements read the bytes
 * in between first and write them back. Host memory that the device works on in place must not be
 * mapped as a buffer elsewhere.
 *
 * An image counts as the bytes of its pixels, line by line without gaps, and must have as many of
 * them as its side: see relayout_opencl_image_make.
 *
 * The statuses are those of relayout_plan_enqueue; RELAYOUT_UNSUPPORTED for a kind of memory that
 * the device does not support, RELAYOUT_BUFFER_TOO_SMALL also for staging. After
 * RELAYOUT_OPENCL_ERROR some of the work may be enqueued: `*done` is then an event that completes
 * with it, or NULL if there is none, and the destination may be partly written. */
RELAYOUT_API relayout_status relayout_plan_submit(const relayout_plan *plan, cl_command_queue queue,
                                                  const relayout_opencl_memory *source,
                                                  const relayout_opencl_memory *destination,
                                                  const relayout_opencl_staging *staging,
                                                  cl_uint n_wait, const cl_event *wait,
                                                  cl_event *source_done, cl_event *done,
                                                  relayout_error *error);

/* An image that holds a tensor [batch, channels, height, width], as inference on mobile GPUs does:
 * each pixel (CL_RGBA) has four channels; channels after the last one are padding. */
typedef struct relayout_opencl_image {
  size_t struct_size;
  cl_image_format format; /* for clCreateImage */
  size_t width;
  size_t height;
  size_t layers;        /* of an array; 1 for a single image */
  relayout_shape shape; /* one side of a relayout from or to the image */
} relayout_opencl_image;

/* Describes the image for `dimensions`: batch, channels, height and width, each 1 or more.
 * CL_MEM_OBJECT_IMAGE2D puts groups of four channels side by side and the batch one below the
 * other: width * ceil(channels / 4) by height * batch pixels. CL_MEM_OBJECT_IMAGE2D_ARRAY gives
 * each group a layer: width by height pixels, batch * ceil(channels / 4) layers. Element types are
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
