/* on_buffers.c: see on_buffers.h. Depends on OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include "many/on_buffers.h"

#include <stdio.h>
#include <string.h>

#include "relayout/opencl.h"

enum { MOST_SIDES = 17, MOST_PARTS = MOST_SIDES * ON_BUFFERS_PARTS, ALIGNMENT = 64 };

/* One part in a buffer: as many bytes before it as offsets need, then all that is guarded. */
typedef struct placed {
  cl_mem memory; /* NULL: it is not used */
  size_t before;
  size_t offset;
} placed;

static relayout_status fail(relayout_error *error, cl_int code, const char *call) {
  if (error != NULL) {
    error->status = RELAYOUT_OPENCL_ERROR;
    error->cl_status = code;
    snprintf(error->message, sizeof error->message, "the test's %s failed with %d", call,
             (int)code);
  }
  return RELAYOUT_OPENCL_ERROR;
}

bool on_buffers(const relayout_device *device) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  return relayout_device_get_info(device, &info, NULL) == RELAYOUT_OK &&
         info.backend == RELAYOUT_BACKEND_OPENCL;
}

/* The lowest byte lies at a multiple of ALIGNMENT, and no offset is below 0. */
static relayout_status place(cl_context context, cl_command_queue queue, const on_buffers_part *of,
                             placed *made, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  *made = (placed){.memory = NULL};
  if (of->bytes == NULL) {
    return RELAYOUT_OK;
  }
  const guarded_buffer *const bytes = of->bytes;
  const size_t lowest = of->lowest > 0 ? (size_t)of->lowest : 0;
  made->before = (lowest + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT +
                 (ALIGNMENT - bytes->start % ALIGNMENT) % ALIGNMENT;
  made->offset = made->before + bytes->start - (size_t)of->lowest;
  made->memory =
      clCreateBuffer(context, CL_MEM_READ_WRITE, made->before + bytes->total + 1, NULL, &code);
  if (code != CL_SUCCESS) {
    return fail(error, code, "clCreateBuffer");
  }
  code = bytes->total == 0 ? CL_SUCCESS
                           : clEnqueueWriteBuffer(queue, made->memory, CL_TRUE, made->before,
                                                  bytes->total, bytes->bytes, 0, NULL, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : fail(error, code, "clEnqueueWriteBuffer");
}

static relayout_status take_back(cl_command_queue queue, const on_buffers_part *of,
                                 const placed *from, relayout_error *error) {
  if (from->memory == NULL || of->bytes->total == 0) {
    return RELAYOUT_OK;
  }
  const cl_int code = clEnqueueReadBuffer(queue, from->memory, CL_TRUE, from->before,
                                          of->bytes->total, of->bytes->bytes, 0, NULL, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : fail(error, code, "clEnqueueReadBuffer");
}

static relayout_side_buffers side_of(const placed *of) {
  return (relayout_side_buffers){.elements = of[0].memory,
                                 .elements_offset = of[0].offset,
                                 .scales = of[1].memory,
                                 .scales_offset = of[1].offset,
                                 .zero_points = of[2].memory,
                                 .zero_points_offset = of[2].offset,
                                 .tensor_scale = of[3].memory,
                                 .tensor_scale_offset = of[3].offset};
}

static relayout_status enqueue(const relayout_plan *plan, cl_context context,
                               cl_command_queue queue, int32_t count, const placed *parts,
                               relayout_error *error) {
  relayout_side_buffers to[MOST_SIDES];
  const relayout_side_buffers from = side_of(parts);
  cl_int code = CL_SUCCESS;
  cl_event begin = clCreateUserEvent(context, &code), done = NULL;
  if (code != CL_SUCCESS) {
    return fail(error, code, "clCreateUserEvent");
  }
  for (int32_t i = 0; i < count; ++i) {
    to[i] = side_of(parts + (i + 1) * ON_BUFFERS_PARTS);
  }
  const relayout_status status =
      relayout_plan_enqueue_many(plan, queue, &from, to, 1, &begin, &done, error);
  clSetUserEventStatus(begin, CL_COMPLETE);
  if (status == RELAYOUT_OK) {
    code = clWaitForEvents(1, &done);
    clReleaseEvent(done);
  }
  clReleaseEvent(begin);
  return status == RELAYOUT_OK && code != CL_SUCCESS ? fail(error, code, "clWaitForEvents")
                                                     : status;
}

static relayout_status run(const relayout_plan *plan, cl_context context, cl_command_queue queue,
                           int32_t count, on_buffers_part (*sides)[ON_BUFFERS_PARTS],
                           relayout_error *error) {
  placed parts[MOST_PARTS] = {{.memory = NULL}};
  const int32_t all = (count + 1) * ON_BUFFERS_PARTS;
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < all && status == RELAYOUT_OK; ++i) {
    status =
        place(context, queue, &sides[i / ON_BUFFERS_PARTS][i % ON_BUFFERS_PARTS], &parts[i], error);
  }
  if (status == RELAYOUT_OK) {
    status = enqueue(plan, context, queue, count, parts, error);
  }
  for (int32_t i = 0; i < all && status == RELAYOUT_OK; ++i) {
    status = take_back(queue, &sides[i / ON_BUFFERS_PARTS][i % ON_BUFFERS_PARTS], &parts[i], error);
  }
  for (int32_t i = 0; i < all; ++i) {
    if (parts[i].memory != NULL) {
      clReleaseMemObject(parts[i].memory);
    }
  }
  return status;
}

relayout_status on_buffers_execute(const relayout_device *device, const relayout_plan *plan,
                                   int32_t count, on_buffers_part (*sides)[ON_BUFFERS_PARTS],
                                   relayout_error *error) {
  static unsigned calls;
  cl_context context = NULL;
  cl_device_id id = NULL;
  cl_int code = CL_SUCCESS;
  relayout_status status = relayout_opencl_device_get_handles(device, &context, &id, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const cl_command_queue_properties properties =
      calls++ % 2 == 0 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  cl_command_queue queue = clCreateCommandQueue(context, id, properties, &code);
  if (code != CL_SUCCESS) {
    queue = clCreateCommandQueue(context, id, 0, &code);
  }
  if (code != CL_SUCCESS) {
    return fail(error, code, "clCreateCommandQueue");
  }
  status = run(plan, context, queue, count, sides, error);
  clReleaseCommandQueue(queue);
  return status;
}
