/* transfer.c: relayouts of host memory: up into buffers, through the program, and back. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "opencl/backend.h"
#include "opencl/cl_error.h"
#include "opencl/parts.h"
#include "opencl/transfer.h"
#include "problem/runs.h"

static relayout_status make_buffer(const rlt_opencl_device *device, const char *side, size_t size,
                                   cl_mem *buffer, relayout_error *error) {
  if (device->base.info.allocation_bytes > 0 && size > device->base.info.allocation_bytes) {
    return rlt_fail_cl(error, CL_INVALID_BUFFER_SIZE,
                       "%s takes %zu bytes, but the device allocates at most %" PRIu64
                       " bytes at once",
                       side, size, device->base.info.allocation_bytes);
  }
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(device->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (made == NULL) {
    return rlt_fail_cl(error, code, "clCreateBuffer for the %zu bytes of %s failed: %s (%d)", size,
                       side, rlt_cl_error_name(code), (int)code);
  }
  *buffer = made;
  return RELAYOUT_OK;
}

relayout_status rlt_transfer_make(const rlt_opencl_device *device, size_t source_size,
                                  size_t destination_size, cl_command_queue_properties properties,
                                  rlt_transfer *made, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  made->queue = clCreateCommandQueue(device->context, device->id, properties, &code);
  if (made->queue == NULL) {
    return rlt_cl_fail(error, code, "clCreateCommandQueue");
  }
  const relayout_status status =
      source_size == 0 ? RELAYOUT_OK
                       : make_buffer(device, "source", source_size, &made->source, error);
  return status == RELAYOUT_OK
             ? make_buffer(device, "destination", destination_size, &made->destination, error)
             : status;
}

void rlt_transfer_release(rlt_transfer *used) {
  if (used->source != NULL) {
    clReleaseMemObject(used->source);
  }
  if (used->destination != NULL) {
    clReleaseMemObject(used->destination);
  }
  if (used->queue != NULL) {
    clReleaseCommandQueue(used->queue);
  }
}

/* ---- What goes up and comes back ---- */

/* A relayout of host memory. */
typedef struct errand {
  const rlt_work *work;
  const rlt_transfer *stage;
  const uint8_t *source; /* both sides' lowest bytes */
  uint8_t *destination;
  rlt_bytes read;    /* what goes up of the source, */
  rlt_bytes written; /* and comes back of the destination, with what lies between */
  /* Where some bytes of the destination stay as they were: what is written comes back to here, and
   * run by run from there to its place. NULL: all of it is written. */
  uint8_t *landing;
  /* Events of what programs wait for. */
  cl_uint upload_count;
  cl_event uploads[2];
} errand;

/* Whether every part tells which bytes it writes. */
static bool know_runs(const rlt_work *work) {
  bool know = true;
  for (int32_t i = 0; i < work->part_count && know; ++i) {
    know = rlt_problem_visit_written(rlt_part_problem(&work->parts[i]), NULL, NULL);
  }
  return know;
}

static void land(void *context, rlt_bytes run) {
  const errand *const of = context;
  memcpy(of->destination + run.first, of->landing + (run.first - of->written.first),
         rlt_bytes_size(run));
}

/* ---- Moving ---- */

/* From `at`, where the first of these bytes is. */
static cl_int upload(errand *of, cl_mem buffer, rlt_bytes bytes, const uint8_t *at) {
  const cl_int code =
      clEnqueueWriteBuffer(of->stage->queue, buffer, CL_FALSE, (size_t)bytes.first,
                           rlt_bytes_size(bytes), at, 0, NULL, &of->uploads[of->upload_count]);
  of->upload_count += code == CL_SUCCESS;
  return code;
}

/* The source; and the destination where nobody knows which bytes of it stay as they were, which
 * must come back so. */
static relayout_status upload_all(errand *of, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  if (of->read.first < of->read.end) {
    code = upload(of, of->stage->source, of->read, of->source + of->read.first);
  }
  if (code == CL_SUCCESS && !of->work->writes_all && of->landing == NULL) {
    code = upload(of, of->stage->destination, of->written, of->destination + of->written.first);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueWriteBuffer");
}

/* Each step waits for the events of the one before, though the queue is in order: that tells the
 * last, which the host waits for, of whatever became of the others. */
static relayout_status move(const errand *of, relayout_error *error) {
  cl_event moved = NULL;
  const relayout_status status =
      rlt_opencl_parts_enqueue(of->work, of->stage->queue, (rlt_place){.buffer = of->stage->source},
                               (rlt_place){.buffer = of->stage->destination}, of->upload_count,
                               of->upload_count == 0 ? NULL : of->uploads, &moved, error);
  cl_int code = CL_SUCCESS;
  if (status == RELAYOUT_OK) {
    uint8_t *const to = of->landing == NULL ? of->destination + of->written.first : of->landing;
    code = clEnqueueReadBuffer(of->stage->queue, of->stage->destination, CL_TRUE,
                               (size_t)of->written.first, rlt_bytes_size(of->written), to, 1,
                               &moved, NULL);
  }
  if (moved != NULL) {
    clReleaseEvent(moved);
  }
  return code == CL_SUCCESS ? status : rlt_cl_fail(error, code, "clEnqueueReadBuffer");
}

static relayout_status run_errand(const rlt_opencl_device *device, errand *of,
                                  relayout_error *error) {
  rlt_transfer used = {NULL, NULL, NULL};
  relayout_status status =
      rlt_transfer_make(device, of->work->source_size, of->work->destination_size, 0, &used, error);
  of->stage = &used;
  if (status == RELAYOUT_OK) {
    status = upload_all(of, error);
  }
  if (status == RELAYOUT_OK) {
    status = move(of, error);
  }
  if (status != RELAYOUT_OK && used.queue != NULL) {
    clFinish(used.queue); /* what was enqueued still uses the caller's memory */
  }
  for (cl_uint i = 0; i < of->upload_count; ++i) {
    clReleaseEvent(of->uploads[i]);
  }
  rlt_transfer_release(&used);
  return status;
}

relayout_status rlt_opencl_execute(relayout_device *device, const rlt_work *work,
                                   const void *source, void *destination, relayout_error *error) {
  errand of = {.work = work,
               .source = source,
               .destination = destination,
               .read = work->source_taken,
               .written = work->destination_taken};
  if (!work->writes_all && know_runs(work)) {
    const size_t size = rlt_bytes_size(of.written);
    of.landing = malloc(size);
    if (of.landing == NULL) {
      return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                      "no memory for the %zu bytes that come back from the device", size);
    }
  }
  const relayout_status status = run_errand((const rlt_opencl_device *)device, &of, error);
  for (int32_t i = 0; i < work->part_count && status == RELAYOUT_OK && of.landing != NULL; ++i) {
    rlt_problem_visit_written(rlt_part_problem(&work->parts[i]), land, &of);
  }
  free(of.landing);
  return status;
}
