/* test_submit.c: the conformance suite's relayouts between all kinds of memory that each device
 * reaches, whole and in chunks, on one queue and on three; what their events say; and what is
 * refused. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/cases.h"
#include "conformance/random.h"
#include "opencl/device.h"
#include "plan/plan.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"
#include "shape_of.h"
#include "view_of.h"

/* ---- A device with the queues of a caller ---- */

enum { IN_ORDER, OUT_OF_ORDER, UPLOADS, DOWNLOADS, QUEUES };

typedef void *CL_API_CALL usm_allocate(cl_context context, const void *properties, size_t size,
                                       cl_uint alignment, cl_int *code);
typedef cl_int CL_API_CALL usm_free(cl_context context, void *pointer);

typedef struct place {
  relayout_device *device;
  bool is_native;
  cl_context context;
  cl_device_id id;
  cl_command_queue queues[QUEUES];
  usm_allocate *allocate_usm; /* NULL: no USM */
  usm_free *free_usm;
  bool has_svm;
} place;

static cl_command_queue queue_of(const place *at, cl_command_queue_properties properties) {
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueue(at->context, at->id, properties, &code);
  if (queue == NULL) { /* none out of order */
    queue = clCreateCommandQueue(at->context, at->id, 0, &code);
  }
  assert_int_equal(code, CL_SUCCESS);
  return queue;
}

static void find_usm(place *at, cl_platform_id platform) {
  void *const allocate = clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL");
  void *const release =
      clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
  memcpy(&at->allocate_usm, &allocate, sizeof allocate);
  memcpy(&at->free_usm, &release, sizeof release);
}

static place place_on(const char *name, relayout_kernel_family kernels) {
  place at = {.is_native = kernels == RELAYOUT_KERNELS_NATIVE};
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  relayout_device *opened = NULL;
  cl_platform_id platform = NULL;
  cl_device_svm_capabilities svm = 0;
  options.kernels = kernels;
  assert_int_equal(relayout_device_open(name, &opened, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_opencl_device_get_handles(opened, &at.context, &at.id, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_opencl_device_create(at.context, at.id, &options, &at.device, NULL),
                   RELAYOUT_OK);
  relayout_device_destroy(opened); /* the other one holds the context */
  assert_int_equal(clGetDeviceInfo(at.id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
                   CL_SUCCESS);
  at.has_svm =
      clGetDeviceInfo(at.id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) == CL_SUCCESS &&
      (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
  find_usm(&at, platform);
  for (int i = 0; i < QUEUES; ++i) {
    at.queues[i] = queue_of(&at, i == OUT_OF_ORDER ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
  }
  return at;
}

static void leave(place *at) {
  for (int i = 0; i < QUEUES; ++i) {
    clReleaseCommandQueue(at->queues[i]);
  }
  relayout_device_destroy(at->device);
}

/* As on a device that reaches no memory of the host. */
static void make_apart(const place *at, bool is_apart) {
  static bool shares;
  static bool is_all;
  rlt_opencl_device *const device = (rlt_opencl_device *)at->device;
  if (is_apart) {
    shares = device->shares_host_memory;
    is_all = device->svm_is_all_memory;
  }
  device->shares_host_memory = shares && !is_apart;
  device->svm_is_all_memory = is_all && !is_apart;
}

/* ---- Memory of each kind, with guards around ---- */

enum { GUARD = 256, GUARD_BYTE = 0xf9 };

typedef struct memory {
  relayout_memory_kind kind;
  size_t size; /* with the guards */
  unsigned char *pointer;
  cl_mem buffer;
} memory;

static memory memory_of(const place *at, relayout_memory_kind kind, const unsigned char *bytes,
                        size_t size) {
  memory made = {.kind = kind, .size = size + 2 * GUARD};
  cl_int code = CL_SUCCESS;
  unsigned char *content = NULL;
  if (kind == RELAYOUT_MEMORY_SVM) {
    content = made.pointer =
        clSVMAlloc(at->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, made.size, 0);
  } else if (kind == RELAYOUT_MEMORY_USM) {
    content = made.pointer = at->allocate_usm(at->context, NULL, made.size, 0, &code);
  } else {
    content = made.pointer = malloc(made.size);
  }
  assert_non_null(content);
  memset(content, GUARD_BYTE, made.size);
  memcpy(content + GUARD, bytes, size);
  if (kind == RELAYOUT_MEMORY_BUFFER) {
    made.buffer = clCreateBuffer(at->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, made.size,
                                 content, &code);
  }
  assert_int_equal(code, CL_SUCCESS);
  return made;
}

/* What it holds, guards and all. */
static const unsigned char *content_of(const place *at, const memory *of) {
  if (of->kind == RELAYOUT_MEMORY_BUFFER) {
    assert_int_equal(clEnqueueReadBuffer(at->queues[IN_ORDER], of->buffer, CL_TRUE, 0, of->size,
                                         of->pointer, 0, NULL, NULL),
                     CL_SUCCESS);
  }
  return of->pointer;
}

static void release(const place *at, memory *of) {
  if (of->kind == RELAYOUT_MEMORY_SVM) {
    clSVMFree(at->context, of->pointer);
  } else if (of->kind == RELAYOUT_MEMORY_USM) {
    at->free_usm(at->context, of->pointer);
  } else {
    free(of->pointer);
  }
  if (of->buffer != NULL) {
    clReleaseMemObject(of->buffer);
  }
}

/* A side of which the element at index 0, ..., 0 is `origin` bytes behind the first. */
static relayout_opencl_memory side_of(const memory *of, size_t origin) {
  relayout_opencl_memory side = RELAYOUT_OPENCL_MEMORY_INIT;
  side.kind = of->kind;
  side.memory = of->buffer;
  side.pointer = of->kind == RELAYOUT_MEMORY_BUFFER ? NULL : of->pointer;
  side.offset = GUARD + origin;
  return side;
}

static relayout_opencl_staging staging_of(const place *at, const relayout_plan *plan,
                                          relayout_memory_kind source,
                                          relayout_memory_kind destination) {
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  size_t size = 0;
  cl_int code = CL_SUCCESS;
  assert_int_equal(relayout_plan_staging_size(plan, source, destination, &size, NULL), RELAYOUT_OK);
  if (size > 0) {
    staging.offset = 128;
    staging.buffer =
        clCreateBuffer(at->context, CL_MEM_READ_WRITE, staging.offset + size, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
  }
  return staging;
}

static void release_staging(const relayout_opencl_staging *staging) {
  if (staging->buffer != NULL) {
    clReleaseMemObject(staging->buffer);
  }
}

/* ---- The conformance suite ---- */

typedef struct suite {
  place at;
  uint64_t random;
  size_t submitted;
  size_t in_chunks;
  size_t refused;
  size_t differing;
} suite;

static relayout_memory_kind random_kind(suite *s) {
  static const relayout_memory_kind kinds[] = {RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_BUFFER,
                                               RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_SVM,
                                               RELAYOUT_MEMORY_USM};
  const relayout_memory_kind kind = kinds[random_below(&s->random, 5)];
  return (kind == RELAYOUT_MEMORY_SVM && !s->at.has_svm) ||
                 (kind == RELAYOUT_MEMORY_USM && s->at.allocate_usm == NULL)
             ? RELAYOUT_MEMORY_HOST
             : kind;
}

/* A queue for all, or one for each direction. */
static cl_command_queue random_queues(suite *s, relayout_opencl_staging *staging) {
  const int64_t way = random_below(&s->random, 3);
  if (way == 2) {
    staging->upload_queue = s->at.queues[UPLOADS];
    staging->download_queue = s->at.queues[DOWNLOADS];
  }
  return s->at.queues[way == 1 ? OUT_OF_ORDER : IN_ORDER];
}

static relayout_plan *plan_of(suite *s, const trial *t) {
  const oracle_options *const asked = &t->asked->options;
  const relayout_view from = view_of(t->asked->from, asked->source_byte_strides);
  const relayout_view to = view_of(t->asked->to, asked->destination_byte_strides);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan = NULL;
  options.overflow = asked->wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  options.scale = asked->scale;
  options.rounding = asked->to_nearest ? RELAYOUT_ROUNDING_NEAREST : RELAYOUT_ROUNDING_ZERO;
  const size_t sizes[] = {t->source_size, t->destination_size};
  size_t *const limits[] = {&options.source_chunk_bytes, &options.destination_chunk_bytes};
  for (int i = 0; i < 2; ++i) {
    *limits[i] = random_below(&s->random, 2) == 0
                     ? 0
                     : sizes[i] / (size_t)(1 + random_below(&s->random, 9)) + 64;
  }
  assert_int_equal(relayout_plan_create_between(s->at.device, &from, &to, &options, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

/* Whether what lies between the guards is this, and these are as they were. */
static bool holds(const place *at, const memory *of, const unsigned char *bytes, size_t size) {
  const unsigned char *const found = content_of(at, of);
  bool is_right = memcmp(found + GUARD, bytes, size) == 0;
  for (size_t i = 0; i < GUARD; ++i) {
    is_right = is_right && found[i] == GUARD_BYTE && found[GUARD + size + i] == GUARD_BYTE;
  }
  return is_right;
}

static void submit_trial(suite *s, const trial *t) {
  relayout_error error = {0};
  relayout_plan *const plan = plan_of(s, t);
  memory source = memory_of(&s->at, random_kind(s), t->source, t->source_size);
  memory destination = memory_of(&s->at, random_kind(s), t->before, t->destination_size);
  relayout_opencl_staging staging = staging_of(&s->at, plan, source.kind, destination.kind);
  const cl_command_queue queue = random_queues(s, &staging);
  const relayout_opencl_memory from = side_of(&source, t->source_origin);
  const relayout_opencl_memory to = side_of(&destination, t->destination_origin);
  cl_event events[2] = {NULL, NULL};
  if (relayout_plan_submit(plan, queue, &from, &to, &staging, 0, NULL, &events[0], &events[1],
                           &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(clWaitForEvents(2, events), CL_SUCCESS);
  ++s->submitted;
  s->in_chunks += plan->chunk_count > 0;
  if (!holds(&s->at, &destination, t->after, t->destination_size) ||
      !holds(&s->at, &source, t->source, t->source_size)) {
    char texts[2][512];
    relayout_shape_format(t->asked->from, texts[0], sizeof texts[0]);
    relayout_shape_format(t->asked->to, texts[1], sizeof texts[1]);
    print_error("%s -> %s, kinds %d and %d, %zu chunks\n", texts[0], texts[1], (int)source.kind,
                (int)destination.kind, plan->chunk_count);
    ++s->differing;
  }
  clReleaseEvent(events[0]);
  clReleaseEvent(events[1]);
  release_staging(&staging);
  release(&s->at, &source);
  release(&s->at, &destination);
  relayout_plan_destroy(plan);
}

/* Sides of bytes that are not aligned as their elements are for other tests. */
static void submit_request(void *context, const request *asked) {
  suite *const s = context;
  trial t;
  if (request_converts(asked) && random_below(&s->random, 4) > 0) {
    return; /* a kernel to be compiled for each */
  }
  assert_true(trial_make(asked, &t));
  submit_trial(s, &t);
  trial_free(&t);
}

static void run_suite(place *at, bool is_apart, uint64_t seed) {
  suite s = {.at = *at, .random = seed};
  make_apart(at, is_apart);
  cases_visit(CONFORMANCE_TINY, true, 1, submit_request, &s);
  make_apart(at, false);
  print_message("%zu submitted, %zu in chunks\n", s.submitted, s.in_chunks);
  assert_true(s.submitted > 50 && (at->is_native ? s.in_chunks == 0 : s.in_chunks > 15));
  assert_int_equal(s.differing, 0);
}

static void test_suite_in_place(void **state) {
  make_apart(*state, true); /* learns what it is */
  make_apart(*state, false);
  run_suite(*state, false, 1);
}

static void test_suite_through_staging(void **state) {
  run_suite(*state, true, 2);
}

/* ---- Executions ---- */

/* Through memory of the host at odd addresses, of which a device gets no more than a little. */
static void execute_request(void *context, const request *asked) {
  suite *const s = context;
  trial t;
  if (request_converts(asked)) {
    return;
  }
  assert_true(trial_make(asked, &t));
  relayout_error error = {0};
  relayout_plan *const plan = plan_of(s, &t);
  memory source = memory_of(&s->at, RELAYOUT_MEMORY_HOST, t.source, t.source_size);
  memory destination = memory_of(&s->at, RELAYOUT_MEMORY_HOST, t.before, t.destination_size);
  destination.pointer[GUARD] = GUARD_BYTE; /* a byte further, into the guard behind */
  memcpy(destination.pointer + GUARD + 1, t.before, t.destination_size);
  if (relayout_plan_execute(plan, source.pointer + GUARD + t.source_origin,
                            destination.pointer + GUARD + 1 + t.destination_origin,
                            &error) != RELAYOUT_OK) {
    s->differing += strstr(error.message, "bytes of staging, but the device allocates") == NULL;
    ++s->refused;
  } else {
    s->differing += memcmp(destination.pointer + GUARD + 1, t.after, t.destination_size) != 0 ||
                    destination.pointer[GUARD] != GUARD_BYTE ||
                    destination.pointer[GUARD + 1 + t.destination_size] != GUARD_BYTE;
    ++s->submitted;
  }
  release(&s->at, &source);
  release(&s->at, &destination);
  relayout_plan_destroy(plan);
  trial_free(&t);
}

static void test_execute_on_a_small_device(void **state) {
  const place *const at = *state;
  rlt_opencl_device *const device = (rlt_opencl_device *)at->device;
  const uint64_t allocation_bytes = device->base.info.allocation_bytes;
  suite s = {.at = *at, .random = 3};
  device->base.info.allocation_bytes = 1024;
  cases_visit(CONFORMANCE_TINY, true, 1, execute_request, &s);
  device->base.info.allocation_bytes = allocation_bytes;
  print_message("%zu executed, %zu too large\n", s.submitted, s.refused);
  assert_true(s.submitted > 50);
  assert_int_equal(s.differing, 0);
}

/* ---- Events ---- */

enum { ROWS = 96, COLUMNS = 80, CELLS = ROWS * COLUMNS };

static relayout_plan *transpose_on(const place *at, size_t source_chunk_bytes,
                                   size_t destination_chunk_bytes) {
  const relayout_shape from = shape_of("s32[96,80]{1,0}");
  const relayout_shape to = shape_of("s32[96,80]{0,1}");
  relayout_plan *plan = NULL;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = source_chunk_bytes;
  options.destination_chunk_bytes = destination_chunk_bytes;
  assert_int_equal(relayout_plan_create(at->device, &from, &to, &options, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

static cl_int state_of(cl_event event) {
  cl_int is = CL_COMPLETE;
  assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof is, &is, NULL),
                   CL_SUCCESS);
  return is;
}

/* Nothing begins before the caller's event, however many queues and chunks there are; with
 * source_done the source may be written again, though the destination is not there yet. */
static void check_events(const place *at, relayout_plan *plan, relayout_opencl_staging staging,
                         cl_command_queue queue) {
  int32_t *const from = malloc(CELLS * sizeof *from);
  int32_t *const to = malloc(CELLS * sizeof *to);
  assert_true(from != NULL && to != NULL);
  memset(to, 0xff, CELLS * sizeof *to);
  relayout_opencl_memory source = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory destination = RELAYOUT_OPENCL_MEMORY_INIT;
  source.kind = destination.kind = RELAYOUT_MEMORY_HOST;
  source.pointer = from;
  destination.pointer = to;
  cl_int code = CL_SUCCESS;
  const cl_event go = clCreateUserEvent(at->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  cl_event source_done = NULL;
  cl_event done = NULL;
  relayout_error error = {0};
  if (relayout_plan_submit(plan, queue, &source, &destination, &staging, 1, &go, &source_done,
                           &done, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_not_equal(state_of(source_done), CL_COMPLETE);
  assert_int_not_equal(state_of(done), CL_COMPLETE);
  for (int i = 0; i < CELLS; ++i) { /* what is there when the event comes counts */
    from[i] = 7 * i + 1;
  }
  assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &source_done), CL_SUCCESS);
  memset(from, 0, CELLS * sizeof *from);
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  for (int row = 0; row < ROWS; ++row) {
    for (int column = 0; column < COLUMNS; ++column) {
      assert_int_equal(to[column * ROWS + row], 7 * (row * COLUMNS + column) + 1);
    }
  }
  clReleaseEvent(go);
  clReleaseEvent(source_done);
  clReleaseEvent(done);
  free(from);
  free(to);
}

static void test_events(void **state) {
  place *const at = *state;
  static const size_t chunks[][2] = {{0, 0}, {4096, 0}, {0, 4096}, {8192, 8192}};
  for (int is_apart = 0; is_apart < 2; ++is_apart) {
    make_apart(at, is_apart == 1);
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; ++i) {
      relayout_plan *const plan = transpose_on(at, chunks[i][0], chunks[i][1]);
      relayout_opencl_staging staging =
          staging_of(at, plan, RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_HOST);
      check_events(at, plan, staging, at->queues[IN_ORDER]);
      check_events(at, plan, staging, at->queues[OUT_OF_ORDER]);
      staging.upload_queue = at->queues[UPLOADS];
      staging.download_queue = at->queues[DOWNLOADS];
      check_events(at, plan, staging, at->queues[IN_ORDER]);
      release_staging(&staging);
      relayout_plan_destroy(plan);
    }
    make_apart(at, false);
  }
}

/* Staging is two slots a side, each of a chunk and less than one alignment more; whole sides where
 * there are no chunks; and nothing where memory is shared. */
static void test_staging_size(void **state) {
  place *const at = *state;
  enum { ALL = CELLS * 4, CHUNK = 4096 };
  size_t size = 0;
  make_apart(at, true);
  relayout_plan *const whole = transpose_on(at, 0, 0);
  assert_int_equal(
      relayout_plan_staging_size(whole, RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_HOST, &size, NULL),
      RELAYOUT_OK);
  assert_int_equal(size, 2 * ALL);
  relayout_plan *const parted = transpose_on(at, CHUNK, 0);
  assert_int_equal(
      relayout_plan_staging_size(parted, RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_BUFFER, &size, NULL),
      RELAYOUT_OK);
  assert_in_range(size, 2 * CHUNK / 2, 2 * (CHUNK + 128));
  assert_int_equal(relayout_plan_staging_size(parted, RELAYOUT_MEMORY_BUFFER,
                                              RELAYOUT_MEMORY_BUFFER, &size, NULL),
                   RELAYOUT_OK);
  assert_int_equal(size, 0);
  make_apart(at, false);
  relayout_plan_destroy(whole);
  relayout_plan_destroy(parted);
}

static void submit_and_wait(const place *at, relayout_plan *plan,
                            const relayout_opencl_memory *source,
                            const relayout_opencl_memory *destination) {
  const relayout_opencl_staging staging = staging_of(at, plan, source->kind, destination->kind);
  relayout_error error = {0};
  cl_event done = NULL;
  if (relayout_plan_submit(plan, at->queues[OUT_OF_ORDER], source, destination, &staging, 0, NULL,
                           NULL, &done, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
  release_staging(&staging);
}

/* Even columns to odd ones of one allocation, which other memory of the host does not allow. */
static void test_svm_between_each_other(void **state) {
  const place *const at = *state;
  static uint32_t words[ROWS][2 * COLUMNS];
  for (size_t i = 0; i < ROWS * 2 * COLUMNS; ++i) {
    words[i / (2 * COLUMNS)][i % (2 * COLUMNS)] = (uint32_t)(i * 40503);
  }
  const relayout_shape shape = shape_of("u32[96,80]");
  const relayout_view view = view_of(&shape, (const int64_t[]){sizeof words[0], 8});
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(at->device, &view, &view, NULL, &plan, NULL),
                   RELAYOUT_OK);
  const relayout_memory_kind kinds[] = {RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_SVM};
  for (int k = 0; k < (at->has_svm ? 2 : 1); ++k) {
    memory both = memory_of(at, kinds[k], (const unsigned char *)words, sizeof words);
    relayout_opencl_staging staging = staging_of(at, plan, kinds[k], kinds[k]);
    const relayout_opencl_memory from = side_of(&both, 0), to = side_of(&both, 4);
    cl_event done = NULL;
    relayout_error error = {.message = ""};
    const relayout_status status = relayout_plan_submit(plan, at->queues[IN_ORDER], &from, &to,
                                                        &staging, 0, NULL, NULL, &done, &error);
    assert_int_equal(status, k == 0 ? RELAYOUT_BUFFERS_OVERLAP : RELAYOUT_OK);
    if (status == RELAYOUT_OK) {
      assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
      clReleaseEvent(done);
      for (int i = 0; i < ROWS * COLUMNS; ++i) {
        words[i / COLUMNS][2 * (i % COLUMNS) + 1] = words[i / COLUMNS][2 * (i % COLUMNS)];
      }
      assert_true(holds(at, &both, (const unsigned char *)words, sizeof words));
    } else {
      assert_non_null(strstr(error.message, "overlap in host memory: their ranges are compared"));
    }
    release_staging(&staging);
    release(at, &both);
  }
  relayout_plan_destroy(plan);
}

/* Rows of a page, each followed by one that nobody may touch: no transfer does, nor a kernel that
 * writes in place. */
static void test_gaps_are_not_touched(void **state) {
  place *const at = *state;
  enum { LINES = 5 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const int64_t dimensions[] = {LINES, (int64_t)page};
  const int64_t strides[] = {2 * (int64_t)page, 1};
  relayout_shape shape;
  assert_int_equal(relayout_shape_make(RELAYOUT_U8, 2, dimensions, &shape, NULL), RELAYOUT_OK);
  const relayout_view plain = view_of(&shape, NULL);
  const relayout_view parted = view_of(&shape, strides);
  unsigned char *const lines =
      mmap(NULL, 2 * LINES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char *const bytes = malloc(LINES * page);
  assert_true(lines != MAP_FAILED && bytes != NULL);
  for (size_t i = 0; i < LINES; ++i) {
    memset(bytes + i * page, 'a' + (int)i, page);
    assert_int_equal(mprotect(lines + (2 * i + 1) * page, page, PROT_NONE), 0);
  }
  const relayout_opencl_memory whole = {sizeof whole, RELAYOUT_MEMORY_HOST, NULL, bytes, 0};
  const relayout_opencl_memory gaps = {sizeof gaps, RELAYOUT_MEMORY_HOST, NULL, lines, 0};
  make_apart(at, true);
  relayout_plan *plans[2] = {NULL, NULL};
  assert_int_equal(relayout_plan_create_between(at->device, &plain, &parted, NULL, &plans[0], NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_create_between(at->device, &parted, &plain, NULL, &plans[1], NULL),
                   RELAYOUT_OK);
  submit_and_wait(at, plans[0], &whole, &gaps);
  submit_and_wait(at, plans[1], &gaps, &whole);
  make_apart(at, false);
  submit_and_wait(at, plans[0], &whole, &gaps);
  for (size_t i = 0; i < LINES * page; ++i) {
    assert_int_equal(bytes[i], 'a' + (int)(i / page));
  }
  relayout_plan_destroy(plans[0]);
  relayout_plan_destroy(plans[1]);
  free(bytes);
  munmap(lines, 2 * LINES * page);
}

static void test_chunk_limits(void **state) {
  const place *const at = *state;
  const relayout_shape from = shape_of("u8[400,400]{1,0}");
  const relayout_shape to = shape_of("u8[400,400]{0,1}");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = options.destination_chunk_bytes = 1;
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  assert_int_equal(relayout_plan_create(at->device, &from, &to, &options, &plan, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "more than 16384 chunks"));
}

/* A tensor without elements: both events are one, of nothing. */
static void test_nothing_to_move(void **state) {
  place *const at = *state;
  const relayout_shape shape = shape_of("f32[0,8]{1,0}");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(at->device, &shape, &shape, NULL, &plan, NULL),
                   RELAYOUT_OK);
  relayout_opencl_memory side = RELAYOUT_OPENCL_MEMORY_INIT;
  cl_event events[2] = {NULL, NULL};
  assert_int_equal(relayout_plan_submit(plan, at->queues[IN_ORDER], &side, &side, NULL, 0, NULL,
                                        &events[0], &events[1], NULL),
                   RELAYOUT_OK);
  assert_int_equal(clWaitForEvents(2, events), CL_SUCCESS);
  clReleaseEvent(events[0]);
  clReleaseEvent(events[1]);
  relayout_plan_destroy(plan);
}

/* ---- Images ---- */

/* Pixels as the header has them: the fours of channels side by side, or a layer each. */
static int32_t pixel_value(const int64_t *d, bool is_array, size_t x, size_t y, size_t layer,
                           int64_t channel) {
  const int64_t fours = (d[1] + 3) / 4;
  const int64_t w = (int64_t)x % d[3];
  const int64_t four = is_array ? (int64_t)layer % fours : (int64_t)x / d[3];
  const int64_t n = is_array ? (int64_t)layer / fours : (int64_t)y / d[2];
  const int64_t h = (int64_t)y % d[2];
  const int64_t c = 4 * four + channel;
  return c < d[1] ? (int32_t)(((n * d[1] + c) * d[2] + h) * d[3] + w + 1) : 0;
}

static cl_mem make_image(const place *at, cl_mem_object_type type,
                         const relayout_opencl_image *made) {
  cl_int code = CL_SUCCESS;
  cl_image_desc desc = {.image_type = type,
                        .image_width = made->width,
                        .image_height = made->height,
                        .image_array_size = type == CL_MEM_OBJECT_IMAGE2D ? 0 : made->layers};
  const cl_mem image =
      clCreateImage(at->context, CL_MEM_READ_WRITE, &made->format, &desc, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  return image;
}

static void check_pixels(const place *at, cl_mem image, const relayout_opencl_image *made,
                         const int64_t *dimensions, bool is_array) {
  const size_t origin[3] = {0, 0, 0};
  const size_t region[3] = {made->width, made->height, made->layers};
  int32_t *const pixels = malloc(made->width * made->height * made->layers * 16);
  assert_non_null(pixels);
  assert_int_equal(clEnqueueReadImage(at->queues[IN_ORDER], image, CL_TRUE, origin, region, 0, 0,
                                      pixels, 0, NULL, NULL),
                   CL_SUCCESS);
  const int32_t *next = pixels;
  for (size_t layer = 0; layer < made->layers; ++layer) {
    for (size_t y = 0; y < made->height; ++y) {
      for (size_t x = 0; x < made->width; ++x) {
        for (int channel = 0; channel < 4; ++channel) {
          assert_int_equal(*next++, pixel_value(dimensions, is_array, x, y, layer, channel));
        }
      }
    }
  }
  free(pixels);
}

/* Into an image, whose pixels are read by OpenCL's own call, and out of it again. */
static void check_image(const place *at, const int64_t *dimensions, cl_mem_object_type type) {
  relayout_opencl_image made = {.struct_size = sizeof made};
  relayout_shape plain;
  relayout_plan *plans[2] = {NULL, NULL};
  assert_int_equal(relayout_opencl_image_make(type, RELAYOUT_S32, dimensions, &made, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_shape_make(RELAYOUT_S32, 4, dimensions, &plain, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(at->device, &plain, &made.shape, NULL, &plans[0], NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(at->device, &made.shape, &plain, NULL, &plans[1], NULL),
                   RELAYOUT_OK);
  const size_t count = (size_t)relayout_shape_element_count(&plain);
  int32_t *const tensor = malloc(count * sizeof *tensor);
  assert_non_null(tensor);
  for (size_t i = 0; i < count; ++i) {
    tensor[i] = (int32_t)i + 1;
  }
  const cl_mem image = make_image(at, type, &made);
  const relayout_opencl_memory pixels = {sizeof pixels, RELAYOUT_MEMORY_IMAGE, image, NULL, 0};
  const relayout_opencl_memory host = {sizeof host, RELAYOUT_MEMORY_HOST, NULL, tensor, 0};
  submit_and_wait(at, plans[0], &host, &pixels);
  check_pixels(at, image, &made, dimensions, type == CL_MEM_OBJECT_IMAGE2D_ARRAY);
  memset(tensor, 0xff, count * sizeof *tensor);
  submit_and_wait(at, plans[1], &pixels, &host);
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(tensor[i], (int32_t)i + 1);
  }
  clReleaseMemObject(image);
  free(tensor);
  relayout_plan_destroy(plans[0]);
  relayout_plan_destroy(plans[1]);
}

static void test_images(void **state) {
  place *const at = *state;
  static const int64_t tensors[][4] = {{1, 3, 5, 7}, {2, 8, 4, 6}, {3, 9, 2, 5}, {1, 1, 1, 1}};
  cl_bool has_images = CL_FALSE;
  assert_int_equal(
      clGetDeviceInfo(at->id, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL),
      CL_SUCCESS);
  if (!has_images) {
    skip();
  }
  for (int is_apart = 0; is_apart < 2; ++is_apart) {
    make_apart(at, is_apart == 1);
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; ++i) {
      check_image(at, tensors[i], CL_MEM_OBJECT_IMAGE2D);
      check_image(at, tensors[i], CL_MEM_OBJECT_IMAGE2D_ARRAY);
    }
    make_apart(at, false);
  }
}

static void test_image_arguments(void **state) {
  (void)state;
  const int64_t dimensions[] = {1, 3, 5, 7};
  const int64_t empty[] = {1, 0, 5, 7};
  const int64_t huge[] = {1, INT64_C(1) << 40, INT64_C(1) << 20, 7};
  relayout_opencl_image made = {.struct_size = sizeof made};
  const cl_mem_object_type flat = CL_MEM_OBJECT_IMAGE2D;
  assert_int_equal(relayout_opencl_image_make(flat, RELAYOUT_F32, NULL, &made, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_opencl_image_make(flat, RELAYOUT_F32, dimensions, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_opencl_image_make(flat, RELAYOUT_F32, empty, &made, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_opencl_image_make(flat, RELAYOUT_F32, huge, &made, NULL),
                   RELAYOUT_SIZE_OVERFLOW);
  assert_int_equal(relayout_opencl_image_make(flat, RELAYOUT_F64, dimensions, &made, NULL),
                   RELAYOUT_UNSUPPORTED);
  assert_int_equal(
      relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE3D, RELAYOUT_F32, dimensions, &made, NULL),
      RELAYOUT_UNSUPPORTED);
  made.struct_size = 8;
  assert_int_equal(relayout_opencl_image_make(flat, RELAYOUT_F32, dimensions, &made, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  made.struct_size = sizeof made;
  assert_int_equal(relayout_opencl_image_make(flat, RELAYOUT_F16, dimensions, &made, NULL),
                   RELAYOUT_OK);
  assert_int_equal(made.format.image_channel_order, CL_RGBA);
  assert_int_equal(made.format.image_channel_data_type, CL_HALF_FLOAT);
}

/* ---- What is refused ---- */

typedef struct refusal {
  const place *at;
  relayout_plan *plan;
  relayout_opencl_memory source;
  relayout_opencl_memory destination;
  relayout_opencl_staging staging;
} refusal;

static void assert_refused(const refusal *of, relayout_status expected, const char *words) {
  relayout_error error = {0};
  cl_event events[2] = {(cl_event)&error, (cl_event)&error};
  assert_int_equal(relayout_plan_submit(of->plan, of->at->queues[IN_ORDER], &of->source,
                                        &of->destination, &of->staging, 0, NULL, &events[0],
                                        &events[1], &error),
                   expected);
  assert_null(events[0]);
  assert_null(events[1]);
  if (strstr(error.message, words) == NULL) {
    fail_msg("`%s` does not say `%s`", error.message, words);
  }
}

/* A relayout of 16 bytes each from host memory to a buffer, in every wrong way. */
static refusal refusal_of(const place *at, int32_t *from, cl_mem buffer) {
  const relayout_shape shape = shape_of("s32[4]{0}");
  refusal made = {.at = at,
                  .source = RELAYOUT_OPENCL_MEMORY_INIT,
                  .destination = RELAYOUT_OPENCL_MEMORY_INIT,
                  .staging = RELAYOUT_OPENCL_STAGING_INIT};
  assert_int_equal(relayout_plan_create(at->device, &shape, &shape, NULL, &made.plan, NULL),
                   RELAYOUT_OK);
  made.source.kind = RELAYOUT_MEMORY_HOST;
  made.source.pointer = from;
  made.destination.memory = buffer;
  return made;
}

static void refuse_sides(const refusal *fine) {
  refusal of = *fine;
  of.source.struct_size = 8;
  assert_refused(&of, RELAYOUT_INVALID_ARGUMENT, "source->struct_size is 8");
  of = *fine;
  of.destination.kind = (relayout_memory_kind)9;
  assert_refused(&of, RELAYOUT_INVALID_ARGUMENT, "destination has kind 9");
  of = *fine;
  of.source.pointer = NULL;
  assert_refused(&of, RELAYOUT_INVALID_ARGUMENT,
                 "source is NULL, but the plan needs 16 bytes of it");
  of = *fine;
  of.source.offset = 2;
  assert_refused(&of, RELAYOUT_MISALIGNED_OFFSET, "source->offset is 2");
  of = *fine;
  of.source.pointer = (char *)of.source.pointer + 1;
  assert_refused(&of, RELAYOUT_MISALIGNED_OFFSET, "source lies on host memory");
  of = *fine;
  of.source.offset = SIZE_MAX - 3;
  assert_refused(&of, RELAYOUT_BUFFER_TOO_SMALL, "source->offset");
  of = *fine;
  of.destination.offset = 4;
  assert_refused(&of, RELAYOUT_BUFFER_TOO_SMALL, "destination->offset is 4");
  of = *fine;
  of.destination.kind = RELAYOUT_MEMORY_IMAGE;
  assert_refused(&of, RELAYOUT_INVALID_ARGUMENT, "expected an image of two or three dimensions");
  of = *fine;
  of.destination.kind = RELAYOUT_MEMORY_HOST;
  of.destination.pointer = (char *)of.source.pointer + 8;
  assert_refused(&of, RELAYOUT_BUFFERS_OVERLAP, "overlap in host memory");
  if (fine->at->allocate_usm == NULL) {
    of = *fine;
    of.source.kind = RELAYOUT_MEMORY_USM;
    assert_refused(&of, RELAYOUT_UNSUPPORTED, "source is USM memory");
  }
}

static void refuse_staging(const refusal *fine) {
  refusal of = *fine;
  of.staging.struct_size = 1;
  assert_refused(&of, RELAYOUT_INVALID_ARGUMENT, "staging->struct_size is 1");
  of = *fine;
  of.staging.buffer = NULL;
  assert_refused(&of, RELAYOUT_INVALID_ARGUMENT, "staging->buffer is NULL");
  of = *fine;
  of.staging.offset = 64;
  assert_refused(&of, RELAYOUT_MISALIGNED_OFFSET,
                 "staging->offset is 64; expected a multiple of 128");
  of = *fine;
  of.staging.offset = 256;
  assert_refused(&of, RELAYOUT_BUFFER_TOO_SMALL, "staging->buffer has 256 bytes");
}

static void test_refusals(void **state) {
  place *const at = *state;
  int32_t from[8] = {0};
  cl_int code = CL_SUCCESS;
  const cl_mem buffer = clCreateBuffer(at->context, CL_MEM_READ_WRITE, 16, NULL, &code);
  const cl_mem staging = clCreateBuffer(at->context, CL_MEM_READ_WRITE, 256, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  make_apart(at, true);
  refusal fine = refusal_of(at, from, buffer);
  fine.staging.buffer = staging;
  refuse_sides(&fine);
  refuse_staging(&fine);
  make_apart(at, false);
  relayout_plan_destroy(fine.plan);
  clReleaseMemObject(buffer);
  clReleaseMemObject(staging);
}

/* ---- On every device ---- */

/* Native kernels reach all memory of the process: nothing is staged but images. */
static void test_nothing_is_staged(void **state) {
  const place *const at = *state;
  static const relayout_memory_kind kinds[] = {RELAYOUT_MEMORY_BUFFER, RELAYOUT_MEMORY_HOST,
                                               RELAYOUT_MEMORY_SVM};
  relayout_plan *const plan = transpose_on(at, 4096, 0);
  for (int i = 0; i < (at->has_svm ? 9 : 6); ++i) {
    size_t size = 1;
    if (at->has_svm || i % 3 < 2) {
      assert_int_equal(relayout_plan_staging_size(plan, kinds[i / 3], kinds[i % 3], &size, NULL),
                       RELAYOUT_OK);
      assert_int_equal(size, 0);
    }
  }
  assert_true(plan->chunk_count == 0);
  relayout_plan_destroy(plan);
}

static int run_native(const char *name) {
  place at = place_on(name, RELAYOUT_KERNELS_NATIVE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_suite_in_place, &at),
      cmocka_unit_test_prestate(test_events, &at),
      cmocka_unit_test_prestate(test_nothing_is_staged, &at),
      cmocka_unit_test_prestate(test_svm_between_each_other, &at),
      cmocka_unit_test_prestate(test_gaps_are_not_touched, &at),
      cmocka_unit_test_prestate(test_nothing_to_move, &at),
      cmocka_unit_test_prestate(test_images, &at),
  };
  const int failures = cmocka_run_group_tests_name("native kernels", tests, NULL, NULL);
  leave(&at);
  return failures;
}

static int run_kernels(const char *name) {
  place at = place_on(name, RELAYOUT_KERNELS_WORK_GROUP);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_suite_in_place, &at),
      cmocka_unit_test_prestate(test_suite_through_staging, &at),
      cmocka_unit_test_prestate(test_execute_on_a_small_device, &at),
      cmocka_unit_test_prestate(test_events, &at),
      cmocka_unit_test_prestate(test_staging_size, &at),
      cmocka_unit_test_prestate(test_svm_between_each_other, &at),
      cmocka_unit_test_prestate(test_gaps_are_not_touched, &at),
      cmocka_unit_test_prestate(test_chunk_limits, &at),
      cmocka_unit_test_prestate(test_nothing_to_move, &at),
      cmocka_unit_test_prestate(test_images, &at),
      cmocka_unit_test_prestate(test_image_arguments, &at),
      cmocka_unit_test_prestate(test_refusals, &at),
  };
  const int failures = cmocka_run_group_tests_name("work-group kernels", tests, NULL, NULL);
  leave(&at);
  return failures;
}

int main(void) {
  enum { MOST = 16, SKIPPED = 77 };
  relayout_device_info infos[MOST];
  for (size_t i = 0; i < MOST; ++i) {
    infos[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  size_t count = 0;
  int run = 0;
  int failures = 0;
  assert_int_equal(relayout_device_list(infos, MOST, &count, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < count && i < MOST; ++i) {
    if (infos[i].backend == RELAYOUT_BACKEND_OPENCL) {
      printf("%s %s\n", infos[i].name, infos[i].description);
      fflush(stdout);
      failures += run_kernels(infos[i].name);
      failures +=
          infos[i].device_class == RELAYOUT_DEVICE_CLASS_CPU ? run_native(infos[i].name) : 0;
      ++run;
    }
  }
  return run == 0 ? SKIPPED : failures;
}
