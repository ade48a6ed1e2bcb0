/* staged.c: uploads, kernels and downloads, each behind the events of what it needs and no other.
 *
 * A side in staging has two slots, of which chunks take turns: while one is relaid, the next is
 * uploaded and the last downloaded.
 */
#include "opencl/staged.h"

#include <stdint.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/parts.h"
#include "opencl/rectangles.h"

enum { SLOTS = 2 };

/* ---- Room in staging ---- */

/* Images are copied as wholes. */
static bool goes_by_chunks(const relayout_plan *plan, rlt_access source, rlt_access destination) {
  return plan->chunk_count > 0 && source != RLT_ACCESS_IMAGE && destination != RLT_ACCESS_IMAGE &&
         (source == RLT_ACCESS_STAGED || destination == RLT_ACCESS_STAGED);
}

static rlt_bytes taken_of(const relayout_plan *plan, bool is_source) {
  return is_source ? plan->work.source_taken : plan->work.destination_taken;
}

/* How far behind the slot's start the first byte is, so that the side's lowest byte would be at a
 * multiple of the alignment: the variants of parts go by that. */
static int64_t lead_of(rlt_bytes taken) {
  return taken.first % RLT_STAGING_ALIGNMENT;
}

static int64_t slot_size_of(const relayout_plan *plan, bool is_source, bool by_chunks) {
  int64_t most = 0;
  const size_t count = by_chunks ? plan->chunk_plan_count : 1;
  for (size_t i = 0; i < count; ++i) {
    const rlt_bytes taken = taken_of(by_chunks ? plan->chunk_plans[i] : plan, is_source);
    most = rlt_max(most, lead_of(taken) + (taken.end - taken.first));
  }
  return rlt_divide_up(most, RLT_STAGING_ALIGNMENT) * RLT_STAGING_ALIGNMENT;
}

/* Where the sides' slots are. No side takes more than RLT_MOST_BYTES, so nothing overflows. */
typedef struct slots {
  int64_t source_size; /* of each slot */
  int64_t destination_size;
  int64_t destination_first;
  int64_t all;
} slots;

static slots slots_of(const relayout_plan *plan, rlt_access source, rlt_access destination) {
  const bool by_chunks = goes_by_chunks(plan, source, destination);
  const int64_t count = by_chunks ? SLOTS : 1;
  slots made = {0};
  made.source_size = rlt_takes_staging(source) ? slot_size_of(plan, true, by_chunks) : 0;
  made.destination_size = rlt_takes_staging(destination) ? slot_size_of(plan, false, by_chunks) : 0;
  made.destination_first = count * made.source_size;
  made.all = made.destination_first + count * made.destination_size;
  return made;
}

size_t rlt_staging_size(const relayout_plan *plan, rlt_access source, rlt_access destination) {
  return (size_t)slots_of(plan, source, destination).all;
}

/* ---- Events ---- */

/* Takes the place of another one. */
static void replace(cl_event *held, cl_event next) {
  if (*held != NULL) {
    clReleaseEvent(*held);
  }
  *held = next;
}

/* One event for those of `of` that are not NULL: itself where it is the only one. NULL for none. */
static cl_int join(cl_command_queue queue, const cl_event *of, cl_uint count, cl_event *joined) {
  cl_event list[3 * SLOTS];
  cl_uint length = 0;
  for (cl_uint i = 0; i < count; ++i) {
    if (of[i] != NULL) {
      list[length++] = of[i];
    }
  }
  *joined = NULL;
  if (length > 1) {
    return clEnqueueMarkerWithWaitList(queue, length, list, joined);
  }
  const cl_int code = length == 1 ? clRetainEvent(list[0]) : CL_SUCCESS;
  *joined = length == 1 && code == CL_SUCCESS ? list[0] : NULL;
  return code;
}

/* ---- A submission under way ---- */

/* The last of what was enqueued for each slot; NULL: nothing yet. */
typedef struct flow {
  const rlt_endpoint *source;
  const rlt_endpoint *destination;
  const rlt_means *means;
  slots at;
  cl_event uploaded[SLOTS];
  cl_event moved[SLOTS];
  cl_event downloaded[SLOTS];
} flow;

/* Where the side of a chunk's plan is in staging, however far on the chunk is: what the lowest byte
 * is counted from, may be before it. */
static int64_t base_in_staging(const flow *of, bool is_source, size_t slot, rlt_bytes taken) {
  const int64_t start = is_source
                            ? (int64_t)slot * of->at.source_size
                            : of->at.destination_first + (int64_t)slot * of->at.destination_size;
  return (int64_t)of->means->staging_offset + start + lead_of(taken) - taken.first;
}

/* ---- Transfers ---- */

/* Runs of bytes between a side's memory and staging, one behind the other. */
typedef struct transfer {
  cl_command_queue queue;
  cl_mem staging;
  int64_t base;  /* of the side in staging */
  uint8_t *host; /* the side's lowest byte */
  bool is_upload;
  cl_uint n_wait;
  const cl_event *wait;
  cl_event last;
  cl_int code;
} transfer;

/* Mesa 26.1 takes rows for a single run of bytes where they are as many as bytes from one to the
 * next. */
static bool are_misread(size_t rows, size_t row_pitch) {
  return rows == row_pitch;
}

/* Rows that would be misread are slices of a row each: of these there is one slice. */
static void enqueue_rows(transfer *of, int64_t first, size_t width, size_t rows, size_t row_pitch,
                         size_t slices, size_t slice_pitch) {
  uint8_t *const at = (uint8_t *)((uintptr_t)of->host + (uintptr_t)first);
  const cl_event *const wait = of->last == NULL ? of->wait : &of->last;
  const cl_uint n_wait = of->last == NULL ? of->n_wait : 1;
  const size_t offset = (size_t)(of->base + first);
  cl_event next = NULL;
  if (of->code != CL_SUCCESS) {
    return;
  }
  if (rows * slices == 1) {
    of->code = of->is_upload ? clEnqueueWriteBuffer(of->queue, of->staging, CL_FALSE, offset, width,
                                                    at, n_wait, wait, &next)
                             : clEnqueueReadBuffer(of->queue, of->staging, CL_FALSE, offset, width,
                                                   at, n_wait, wait, &next);
  } else {
    const size_t origin[3] = {offset, 0, 0};
    const size_t host_origin[3] = {0, 0, 0};
    const bool are_slices = are_misread(rows, row_pitch);
    const size_t region[3] = {width, are_slices ? 1 : rows, are_slices ? rows : slices};
    slice_pitch = are_slices ? row_pitch : slice_pitch;
    of->code = of->is_upload
                   ? clEnqueueWriteBufferRect(of->queue, of->staging, CL_FALSE, origin, host_origin,
                                              region, row_pitch, slice_pitch, row_pitch,
                                              slice_pitch, at, n_wait, wait, &next)
                   : clEnqueueReadBufferRect(of->queue, of->staging, CL_FALSE, origin, host_origin,
                                             region, row_pitch, slice_pitch, row_pitch, slice_pitch,
                                             at, n_wait, wait, &next);
  }
  if (of->code == CL_SUCCESS) {
    replace(&of->last, next);
  }
}

/* OpenCL has slices at multiples of rows; others go one by one, and so do those whose rows would be
 * misread. */
static void enqueue_rectangle(void *context, const rlt_rectangle *rectangle) {
  transfer *const of = context;
  const size_t width = (size_t)rectangle->width;
  const size_t rows = (size_t)rectangle->rows;
  const size_t slices = (size_t)rectangle->slices;
  const size_t row_pitch = (size_t)rectangle->row_pitch;
  const size_t slice_pitch = (size_t)rectangle->slice_pitch;
  if (rows == 1) {
    enqueue_rows(of, rectangle->first, width, slices, slice_pitch, 1, slices * slice_pitch);
  } else if (slice_pitch % row_pitch == 0 && !are_misread(rows, row_pitch)) {
    enqueue_rows(of, rectangle->first, width, rows, row_pitch, slices, slice_pitch);
  } else {
    for (int64_t i = 0; i < rectangle->slices; ++i) {
      enqueue_rows(of, rectangle->first + i * rectangle->slice_pitch, width, rows, row_pitch, 1,
                   rows * row_pitch);
    }
  }
}

static void transfer_all(transfer *of, rlt_bytes taken) {
  enqueue_rows(of, taken.first, rlt_bytes_size(taken), 1, 0, 1, 0);
}

static void transfer_runs(transfer *of, const rlt_work *work, rlt_visit_runs *visit) {
  rlt_rectangles rectangles = rlt_rectangles_of(enqueue_rectangle, of);
  rlt_work_visit(work, visit, rlt_rectangles_add, &rectangles);
  rlt_rectangles_finish(&rectangles);
}

static void copy_image(transfer *of, const rlt_endpoint *side) {
  static const size_t origin[3] = {0, 0, 0};
  const size_t *const region = side->image.region;
  cl_event next = NULL;
  of->code =
      of->is_upload
          ? clEnqueueCopyImageToBuffer(of->queue, side->memory, of->staging, origin, region,
                                       (size_t)of->base, of->n_wait, of->wait, &next)
          : clEnqueueCopyBufferToImage(of->queue, of->staging, side->memory, (size_t)of->base,
                                       origin, region, of->n_wait, of->wait, &next);
  if (of->code == CL_SUCCESS) {
    of->last = next;
  }
}

/* How far on a chunk's side is from that of its plan. */
static int64_t distance_of(const rlt_chunk *chunk, const rlt_endpoint *side) {
  return side->is_read ? chunk->source : chunk->destination;
}

/* A transfer of a chunk's side; images stay on the queue of the kernels. */
static transfer transfer_of(const flow *of, const rlt_endpoint *side, bool is_upload, size_t slot,
                            const rlt_chunk *chunk) {
  const rlt_means *const means = of->means;
  const rlt_bytes taken = taken_of(chunk->plan, side->is_read);
  const uintptr_t lowest = (uintptr_t)side->pointer + (uintptr_t)rlt_endpoint_lowest(side) +
                           (uintptr_t)distance_of(chunk, side);
  return (transfer){.queue = side->access == RLT_ACCESS_IMAGE ? means->queue
                             : is_upload                      ? means->upload_queue
                                                              : means->download_queue,
                    .staging = means->staging,
                    .base = base_in_staging(of, side->is_read, slot, taken),
                    .host = side->pointer == NULL ? NULL : (uint8_t *)lowest,
                    .is_upload = is_upload,
                    .n_wait = means->n_wait,
                    .wait = means->wait};
}

static void wait_for(transfer *of, const cl_event *event) {
  if (*event != NULL) {
    of->n_wait = 1;
    of->wait = event;
  }
}

/* ---- One chunk ---- */

/* Whether all that is taken of the source goes up, and not only what is read: all of it is the
 * tensor's, or nobody can tell which bytes are. */
static bool goes_up_whole(const relayout_plan *chunk) {
  rlt_plan_views views;
  rlt_plan_get_views(chunk, &views);
  const bool is_dense = !views.from.is_strided && chunk->box == NULL;
  return is_dense || !rlt_work_visit(&chunk->work, rlt_problem_visit_read, NULL, NULL);
}

/* Whether all that is taken of the destination comes back, though not all of it is written. */
static bool comes_back_whole(const relayout_plan *chunk) {
  return !rlt_work_visit(&chunk->work, rlt_problem_visit_written, NULL, NULL);
}

static relayout_status upload_source(flow *of, const rlt_chunk *chunk, size_t slot,
                                     relayout_error *error) {
  const rlt_work *const work = &chunk->plan->work;
  if (!rlt_takes_staging(of->source->access) || rlt_bytes_size(work->source_taken) == 0) {
    return RELAYOUT_OK;
  }
  transfer up = transfer_of(of, of->source, true, slot, chunk);
  wait_for(&up, &of->moved[slot]);
  if (of->source->access == RLT_ACCESS_IMAGE) {
    copy_image(&up, of->source);
  } else if (goes_up_whole(chunk->plan)) {
    transfer_all(&up, work->source_taken);
  } else {
    transfer_runs(&up, work, rlt_problem_visit_read);
  }
  if (up.last != NULL) {
    replace(&of->uploaded[slot], up.last);
  }
  return up.code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, up.code, "an upload");
}

static relayout_status upload_destination(flow *of, const rlt_chunk *chunk, size_t slot,
                                          cl_event *uploaded, relayout_error *error) {
  const rlt_work *const work = &chunk->plan->work;
  const bool is_image = of->destination->access == RLT_ACCESS_IMAGE;
  if (!rlt_takes_staging(of->destination->access) || work->writes_all ||
      (!is_image && !comes_back_whole(chunk->plan))) {
    return RELAYOUT_OK;
  }
  transfer up = transfer_of(of, of->destination, true, slot, chunk);
  wait_for(&up, &of->downloaded[slot]);
  if (is_image) {
    copy_image(&up, of->destination);
  } else {
    transfer_all(&up, work->destination_taken);
  }
  *uploaded = up.last;
  return up.code == CL_SUCCESS ? RELAYOUT_OK
                               : rlt_cl_fail(error, up.code, "an upload of the destination");
}

static relayout_status download(flow *of, const rlt_chunk *chunk, size_t slot,
                                relayout_error *error) {
  const rlt_work *const work = &chunk->plan->work;
  if (!rlt_takes_staging(of->destination->access)) {
    return RELAYOUT_OK;
  }
  transfer down = transfer_of(of, of->destination, false, slot, chunk);
  wait_for(&down, &of->moved[slot]);
  if (of->destination->access == RLT_ACCESS_IMAGE) {
    copy_image(&down, of->destination);
  } else if (work->writes_all || comes_back_whole(chunk->plan)) {
    transfer_all(&down, work->destination_taken);
  } else {
    transfer_runs(&down, work, rlt_problem_visit_written);
  }
  if (down.last != NULL) {
    replace(&of->downloaded[slot], down.last);
  }
  return down.code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, down.code, "a download");
}

static void add_run(void *sum, rlt_bytes run) {
  *(int64_t *)sum += rlt_bytes_size(run);
}

void rlt_transferred_add(const relayout_plan *chunk, rlt_transferred *sum) {
  const rlt_work *const work = &chunk->work;
  const int64_t destination = (int64_t)rlt_bytes_size(work->destination_taken);
  if (goes_up_whole(chunk)) {
    sum->up += (int64_t)rlt_bytes_size(work->source_taken);
  } else {
    rlt_work_visit(work, rlt_problem_visit_read, add_run, &sum->up);
  }
  if (work->writes_all) {
    sum->down += destination;
  } else if (comes_back_whole(chunk)) {
    sum->up += destination;
    sum->down += destination;
  } else {
    rlt_work_visit(work, rlt_problem_visit_written, add_run, &sum->down);
  }
}

static rlt_address place_of(const flow *of, const rlt_endpoint *side, size_t slot,
                            const rlt_chunk *chunk) {
  if (rlt_takes_staging(side->access)) {
    const rlt_bytes taken = taken_of(chunk->plan, side->is_read);
    return (rlt_address){.buffer = of->means->staging,
                         .offset = (size_t)base_in_staging(of, side->is_read, slot, taken)};
  }
  rlt_address place = rlt_endpoint_address(side);
  place.offset += (size_t)distance_of(chunk, side);
  return place;
}

/* The kernels wait for the chunk's uploads and for the slot's last download, which all came after
 * the caller's events; for these where there is nothing else. */
static relayout_status move(flow *of, const rlt_chunk *chunk, size_t slot, cl_event uploaded,
                            relayout_error *error) {
  const cl_event needed[] = {of->uploaded[slot], uploaded, of->downloaded[slot]};
  cl_event list[sizeof needed / sizeof needed[0]];
  cl_uint count = 0;
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i) {
    if (needed[i] != NULL) {
      list[count++] = needed[i];
    }
  }
  cl_event moved = NULL;
  const relayout_status status = rlt_opencl_parts_enqueue(
      chunk->plan, of->means->queue, place_of(of, of->source, slot, chunk),
      place_of(of, of->destination, slot, chunk), &rlt_batch_of_one,
      count > 0 ? count : of->means->n_wait, count > 0 ? list : of->means->wait, &moved, error);
  if (moved != NULL) {
    replace(&of->moved[slot], moved);
  }
  return status;
}

static relayout_status submit_chunk(flow *of, const rlt_chunk *chunk, size_t slot,
                                    relayout_error *error) {
  cl_event uploaded = NULL;
  if (chunk->plan->work.part_count == 0) {
    return RELAYOUT_OK;
  }
  relayout_status status = upload_source(of, chunk, slot, error);
  if (status == RELAYOUT_OK) {
    status = upload_destination(of, chunk, slot, &uploaded, error);
  }
  if (status == RELAYOUT_OK) {
    status = move(of, chunk, slot, uploaded, error);
  }
  if (status == RELAYOUT_OK) {
    status = download(of, chunk, slot, error);
  } else if (uploaded != NULL) {
    replace(&of->downloaded[slot], uploaded);
    return status;
  }
  replace(&uploaded, NULL);
  return status;
}

/* ---- All ---- */

/* Work on one queue that waits for another's begins when both were flushed. */
static cl_int flush(const rlt_means *means) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue others[] = {means->upload_queue, means->download_queue};
  for (size_t i = 0; i < 2 && code == CL_SUCCESS; ++i) {
    if (others[i] != means->queue) {
      code = clFlush(others[i]);
      code = code == CL_SUCCESS ? clFlush(means->queue) : code;
    }
  }
  return code;
}

/* Each chunk's events come after those of the one before it in its slot, and its download after its
 * kernels, these after its upload; after a failure some are missing. */
static cl_int tell(const flow *of, bool all, rlt_submitted *submitted) {
  cl_event each[3 * SLOTS];
  const bool is_buffered = rlt_takes_staging(of->destination->access);
  const bool uploads = of->uploaded[0] != NULL; /* which only staging does */
  memcpy(each, of->uploaded, sizeof of->uploaded);
  memcpy(each + SLOTS, of->moved, sizeof of->moved);
  memcpy(each + 2 * SLOTS, of->downloaded, sizeof of->downloaded);
  const cl_event *const final = !all ? each : is_buffered ? of->downloaded : of->moved;
  cl_int code = join(of->means->queue, final, all ? SLOTS : 3 * SLOTS, &submitted->done);
  if (code == CL_SUCCESS && all) {
    code = join(uploads ? of->means->upload_queue : of->means->queue,
                uploads ? of->uploaded : of->moved, SLOTS, &submitted->source_done);
  }
  return code;
}

relayout_status rlt_submit_staged(const relayout_plan *plan, const rlt_endpoint *source,
                                  const rlt_endpoint *destination, const rlt_means *means,
                                  rlt_submitted *submitted, relayout_error *error) {
  const bool by_chunks = goes_by_chunks(plan, source->access, destination->access);
  const rlt_chunk whole = {plan, 0, 0};
  const rlt_chunk *const chunks = by_chunks ? plan->chunks : &whole;
  const size_t count = by_chunks ? plan->chunk_count : 1;
  flow of = {.source = source,
             .destination = destination,
             .means = means,
             .at = slots_of(plan, source->access, destination->access)};
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    status = submit_chunk(&of, &chunks[i], i % SLOTS, error);
  }
  *submitted = (rlt_submitted){NULL, NULL};
  cl_int code = tell(&of, status == RELAYOUT_OK, submitted);
  const cl_int flushed = flush(means);
  code = code == CL_SUCCESS ? flushed : code;
  for (int slot = 0; slot < SLOTS; ++slot) {
    replace(&of.uploaded[slot], NULL);
    replace(&of.moved[slot], NULL);
    replace(&of.downloaded[slot], NULL);
  }
  return status != RELAYOUT_OK || code == CL_SUCCESS
             ? status
             : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList at the end of a submission");
}
