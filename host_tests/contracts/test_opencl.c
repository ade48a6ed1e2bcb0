/* The OpenCL calls as any caller sees them: what they do to the caller's objects, and to the host.
 *
 * The linker hands the library's calls of malloc and of some OpenCL functions to the wrappers below
 * (--wrap), which count them or answer in the driver's place.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/target.h"
#include "opencl/bench.h"
#include "opencl/command_buffer.h"
#include "opencl/device.h"
#include "opencl/hand_in.h"
#include "plan/plan.h"
#include "relayout/submit.h"

/* ---- Wrappers ---- */

static bool counting;
static int allocations;
static int waits;         /* flushes and blocking calls too */
static int until_failure; /* of the host's allocations: which of the next ones fails; 0: none */
static cl_device_info lied_about; /* 0: nothing */
static bool lies_large;           /* all ones instead of nothing */
static bool knows_no_facts;       /* that are not needed */

static bool fails(void) {
  return until_failure > 0 && --until_failure == 0;
}

#define WRAP_ALLOCATION(type, failure, function, parameters, arguments)                            \
  type __real_##function parameters;                                                               \
  type __wrap_##function parameters;                                                               \
  type __wrap_##function parameters {                                                              \
    allocations += counting;                                                                       \
    return fails() ? failure : __real_##function arguments;                                        \
  }

WRAP_ALLOCATION(void *, NULL, malloc, (size_t size), (size))
WRAP_ALLOCATION(void *, NULL, calloc, (size_t count, size_t size), (count, size))
WRAP_ALLOCATION(void *, NULL, realloc, (void *old, size_t size), (old, size))
WRAP_ALLOCATION(int, ENOMEM, posix_memalign, (void **made, size_t alignment, size_t size),
                (made, alignment, size))
WRAP_ALLOCATION(char *, NULL, strdup, (const char *text), (text))

#define WRAP(type, function, parameters, arguments, counter)                                       \
  type __real_##function parameters;                                                               \
  type __wrap_##function parameters;                                                               \
  type __wrap_##function parameters {                                                              \
    counter += counting;                                                                           \
    return __real_##function arguments;                                                            \
  }

WRAP(cl_mem, clCreateBuffer,
     (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
     (context, flags, size, host, code), allocations)
WRAP(cl_int, clFlush, (cl_command_queue queue), (queue), waits)
WRAP(cl_int, clFinish, (cl_command_queue queue), (queue), waits)
WRAP(cl_int, clWaitForEvents, (cl_uint count, const cl_event *events), (count, events), waits)

static int queues;   /* made */
static int commands; /* of kernels and copies */
WRAP(cl_command_queue, clCreateCommandQueue,
     (cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *code),
     (context, id, properties, code), queues)
WRAP(cl_int, clEnqueueNDRangeKernel,
     (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
      const size_t *global, const size_t *local, cl_uint count, const cl_event *wait,
      cl_event *event),
     (queue, kernel, dimensions, offset, global, local, count, wait, event), commands)
WRAP(cl_int, clEnqueueNativeKernel,
     (cl_command_queue queue, void(CL_CALLBACK *kernel)(void *), void *arguments, size_t size,
      cl_uint buffers, const cl_mem *memory, const void **places, cl_uint count,
      const cl_event *wait, cl_event *event),
     (queue, kernel, arguments, size, buffers, memory, places, count, wait, event), commands)
WRAP(cl_int, clEnqueueWriteBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
      const void *bytes, cl_uint count, const cl_event *wait, cl_event *event),
     (queue, buffer, blocks, offset, size, bytes, count, wait, event), commands)

/* How often the library holds one of the caller's objects: retained less released. */
static int held;
static const void *callers[6];

static bool is_the_callers(const void *object) {
  for (size_t i = 0; i < sizeof callers / sizeof callers[0]; ++i) {
    if (callers[i] == object) {
      return true;
    }
  }
  return false;
}

#define WRAP_HOLDING(function, type, step)                                                         \
  cl_int __real_##function(type object);                                                           \
  cl_int __wrap_##function(type object);                                                           \
  cl_int __wrap_##function(type object) {                                                          \
    held += counting && is_the_callers(object) ? step : 0;                                         \
    return __real_##function(object);                                                              \
  }

WRAP_HOLDING(clRetainContext, cl_context, 1)
WRAP_HOLDING(clReleaseContext, cl_context, -1)
WRAP_HOLDING(clRetainDevice, cl_device_id, 1)
WRAP_HOLDING(clReleaseDevice, cl_device_id, -1)
WRAP_HOLDING(clRetainCommandQueue, cl_command_queue, 1)
WRAP_HOLDING(clReleaseCommandQueue, cl_command_queue, -1)
WRAP_HOLDING(clRetainMemObject, cl_mem, 1)
WRAP_HOLDING(clReleaseMemObject, cl_mem, -1)
WRAP_HOLDING(clRetainEvent, cl_event, 1)
WRAP_HOLDING(clReleaseEvent, cl_event, -1)

/* A device that has nothing of what it is asked, or more than there could be, or that does not know
 * what is asked. */
cl_int __real_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *needed);
cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *needed);
cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *needed) {
  if (knows_no_facts &&
      (what == CL_DEVICE_HOST_UNIFIED_MEMORY || what == CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE ||
       what == CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR)) {
    return CL_INVALID_VALUE;
  }
  const cl_int code = __real_clGetDeviceInfo(id, what, size, value, needed);
  if (code != CL_SUCCESS || what != lied_about || value == NULL) {
    return code;
  }
  switch (what) {
  case CL_DEVICE_VERSION:
    memcpy(value, "OpenCL 1.1 ", 11);
    break;
  case CL_DEVICE_PROFILE:
    memcpy(value, "EMBE", 4);
    break;
  default:
    memset(value, lies_large ? 0xff : 0, size);
  }
  return code;
}

/* ---- What the calls work on ---- */

/* An empty relayout has no kernel to compile, a real one is that of opencl.enqueue. */
typedef struct place {
  const opencl_bench *bench;
  relayout_shape from;
  relayout_shape to;
  relayout_shape empty;
  relayout_plan *plan;
  relayout_plan *empty_plan;
  relayout_plan *many; /* of empty sides */
  relayout_side_buffers sides[2];
  cl_mem source;
  cl_mem destination;
  relayout_device *cpu;
  /* With none of these on a device without command buffers. */
  rlt_command_buffers with;
  cl_command_buffer_khr commands;
  relayout_recording *recording;      /* of the empty plan */
  relayout_recording *many_recording; /* of the plan of empty sides */
  relayout_exchange *sender;          /* of all of `from`, to the receiver */
  relayout_exchange *receiver;
  const relayout_exchange *both[2];
} place;

enum { SOURCE_BYTES = 60, DESTINATION_BYTES = 96 };

static place here;

static cl_mem buffer_of(const opencl_bench *bench, size_t size) {
  cl_int code = CL_SUCCESS;
  const cl_mem buffer = clCreateBuffer(bench->context, CL_MEM_READ_WRITE, size, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  return buffer;
}

static int set_up(void **state) {
  (void)state;
  assert_int_equal(relayout_shape_parse("s32[3,5]{1,0}", &here.from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("s32[3,5]{0,1:PD(4,6)PV(-7)}", &here.to, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("s32[0]", &here.empty, NULL), RELAYOUT_OK);
  assert_int_equal(
      relayout_plan_create(here.bench->device, &here.from, &here.to, NULL, &here.plan, NULL),
      RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(here.bench->device, &here.empty, &here.empty, NULL,
                                        &here.empty_plan, NULL),
                   RELAYOUT_OK);
  relayout_scaled_view nothing;
  assert_int_equal(relayout_scaled_view_parse("u8[0]", &nothing, NULL), RELAYOUT_OK);
  assert_int_equal(
      relayout_plan_create_many(here.bench->device, &nothing, &nothing, 1, NULL, &here.many, NULL),
      RELAYOUT_OK);
  const relayout_sharding on[] = {{.kind = RELAYOUT_SHARDING_MAXIMAL},
                                  {.kind = RELAYOUT_SHARDING_MAXIMAL, .device = 1}};
  for (int64_t peer = 0; peer < 2; ++peer) {
    assert_int_equal(relayout_exchange_create(here.bench->device, &here.from, &on[0], &here.from,
                                              &on[1], peer, NULL,
                                              peer == 0 ? &here.sender : &here.receiver, NULL),
                     RELAYOUT_OK);
  }
  here.both[0] = here.sender;
  here.both[1] = here.receiver;
  here.source = buffer_of(here.bench, SOURCE_BYTES);
  here.destination = buffer_of(here.bench, DESTINATION_BYTES);
  if (rlt_command_buffers_find(rlt_opencl_device_of(here.bench->device), &here.with, NULL) ==
      RELAYOUT_OK) {
    assert_int_equal(rlt_command_buffers_make(&here.with, here.bench->queue, &here.commands, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_recording_create(here.empty_plan, here.bench->queue, NULL, 0, NULL, 0,
                                               &here.recording, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_recording_create_many(here.many, here.bench->queue, &here.sides[0],
                                                    &here.sides[1], &here.many_recording, NULL),
                     RELAYOUT_OK);
  }
  return relayout_device_open("cpu", &here.cpu, NULL) == RELAYOUT_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  relayout_device_destroy(here.cpu);
  relayout_recording_destroy(here.recording);
  relayout_recording_destroy(here.many_recording);
  relayout_exchange_destroy(here.sender);
  relayout_exchange_destroy(here.receiver);
  if (here.commands != NULL) {
    here.with.release(here.commands);
  }
  clReleaseMemObject(here.source);
  clReleaseMemObject(here.destination);
  relayout_plan_destroy(here.plan);
  relayout_plan_destroy(here.empty_plan);
  relayout_plan_destroy(here.many);
  return 0;
}

/* ---- What status.h says of every call, as test_calls.c tries it ---- */

typedef struct outputs {
  relayout_device *device;
  cl_context context;
  cl_device_id id;
  cl_event event;
  size_t size;
  relayout_opencl_image image;
  relayout_recording *recording;
} outputs;

static const relayout_opencl_memory no_memory = RELAYOUT_OPENCL_MEMORY_INIT;
static const int64_t image_dimensions[] = {1, 3, 8, 8};

/* X(function, status, arguments that it is refused for with that status, good arguments). */
#define CALLS(X)                                                                                   \
  X(relayout_opencl_use, INVALID_ARGUMENT, (NULL, NULL, error), (hand_in_find, NULL, error))       \
  X(relayout_opencl_device_create, INVALID_ARGUMENT,                                               \
    (here.bench->context, NULL, NULL, &out->device, error),                                        \
    (here.bench->context, here.bench->id, NULL, &out->device, error))                              \
  X(relayout_opencl_device_get_handles, INVALID_ARGUMENT,                                          \
    (here.cpu, &out->context, &out->id, error),                                                    \
    (here.bench->device, &out->context, &out->id, error))                                          \
  X(relayout_plan_staging_size, INVALID_ARGUMENT,                                                  \
    (here.plan, RELAYOUT_MEMORY_BUFFER, (relayout_memory_kind)5, &out->size, error),               \
    (here.plan, RELAYOUT_MEMORY_BUFFER, RELAYOUT_MEMORY_IMAGE, &out->size, error))                 \
  X(relayout_opencl_image_make, UNSUPPORTED,                                                       \
    (CL_MEM_OBJECT_IMAGE2D, RELAYOUT_C64, here.from.dimensions, &out->image, error),               \
    (CL_MEM_OBJECT_IMAGE2D, RELAYOUT_U8, image_dimensions, &out->image, error))                    \
  X(relayout_recording_set_buffers, INVALID_ARGUMENT,                                              \
    (NULL, here.source, 0, here.destination, 0, error), (here.recording, NULL, 0, NULL, 0, error)) \
  X(relayout_recording_set_side_buffers, INVALID_ARGUMENT,                                         \
    (NULL, &here.sides[0], &here.sides[1], error),                                                 \
    (here.many_recording, &here.sides[0], &here.sides[1], error))                                  \
  X(relayout_plan_submit, BUFFER_TOO_SMALL,                                                        \
    (here.plan, here.bench->queue,                                                                 \
     &(relayout_opencl_memory){sizeof(relayout_opencl_memory), RELAYOUT_MEMORY_BUFFER,             \
                               here.source, NULL, 4},                                              \
     &(relayout_opencl_memory){sizeof(relayout_opencl_memory), RELAYOUT_MEMORY_BUFFER,             \
                               here.destination, NULL, 0},                                         \
     NULL, 0, NULL, NULL, &out->event, error),                                                     \
    (here.empty_plan, here.bench->queue, &no_memory, &no_memory, NULL, 0, NULL, NULL, &out->event, \
     error))                                                                                       \
  X(relayout_plan_enqueue, MISALIGNED_OFFSET,                                                      \
    (here.plan, here.bench->queue, here.source, 2, here.destination, 0, 0, NULL, &out->event,      \
     error),                                                                                       \
    (here.empty_plan, here.bench->queue, NULL, 0, NULL, 0, 0, NULL, &out->event, error))           \
  X(relayout_plan_enqueue_batch, MISALIGNED_OFFSET,                                                \
    (here.plan, here.bench->queue, 1,                                                              \
     &(relayout_opencl_move){here.source, 2, here.destination, 0}, 0, NULL, &out->event, error),   \
    (here.plan, here.bench->queue, 0, NULL, 0, NULL, &out->event, error))                          \
  X(relayout_enqueue, BUFFER_TOO_SMALL,                                                            \
    (here.bench->device, &here.from, &here.to, here.bench->queue, here.source, 0,                  \
     here.destination, 4, 0, NULL, &out->event, error),                                            \
    (here.bench->device, &here.empty, &here.empty, here.bench->queue, NULL, 0, NULL, 0, 0, NULL,   \
     &out->event, error))                                                                          \
  X(relayout_plan_enqueue_many, INVALID_ARGUMENT,                                                  \
    (here.plan, here.bench->queue, &here.sides[0], &here.sides[1], 0, NULL, &out->event, error),   \
    (here.many, here.bench->queue, &here.sides[0], &here.sides[1], 0, NULL, &out->event, error))   \
  X(relayout_plan_enqueue_many_batch, INVALID_ARGUMENT,                                            \
    (here.many, here.bench->queue, 1, &(relayout_opencl_many_move){NULL, &here.sides[1]}, 0, NULL, \
     &out->event, error),                                                                          \
    (here.many, here.bench->queue, 1,                                                              \
     &(relayout_opencl_many_move){&here.sides[0], &here.sides[1]}, 0, NULL, &out->event, error))   \
  X(relayout_exchange_enqueue_pack, OUT_OF_RANGE,                                                  \
    (here.receiver, 0, here.bench->queue, here.source, 0, here.destination, 0, 0, NULL,            \
     &out->event, error),                                                                          \
    (here.sender, 0, here.bench->queue, here.source, 0, here.destination, 0, 0, NULL, &out->event, \
     error))                                                                                       \
  X(relayout_exchange_enqueue_unpack, BUFFER_TOO_SMALL,                                            \
    (here.receiver, 0, here.bench->queue, here.source, 4, here.destination, 0, 0, NULL,            \
     &out->event, error),                                                                          \
    (here.receiver, 0, here.bench->queue, here.source, 0, here.destination, 0, 0, NULL,            \
     &out->event, error))                                                                          \
  X(relayout_exchange_enqueue_keep, INVALID_ARGUMENT,                                              \
    (NULL, here.bench->queue, here.source, 0, here.destination, 0, 0, NULL, &out->event, error),   \
    (here.sender, here.bench->queue, NULL, 0, NULL, 0, 0, NULL, &out->event, error))               \
  X(relayout_exchange_enqueue_execute, INVALID_ARGUMENT,                                           \
    (1, here.both, &here.bench->queue, &here.source, NULL, &here.destination, NULL, 0, NULL,       \
     &out->event, error),                                                                          \
    (2, here.both, (cl_command_queue[]){here.bench->queue, here.bench->queue},                     \
     (cl_mem[]){here.source, NULL}, NULL, (cl_mem[]){NULL, here.destination}, NULL, 0, NULL,       \
     &out->event, error))                                                                          \
  X(relayout_recording_enqueue, INVALID_ARGUMENT, (NULL, 0, NULL, &out->event, error),             \
    (here.recording, 0, NULL, &out->event, error))                                                 \
  X(relayout_recording_create, INVALID_ARGUMENT,                                                   \
    (NULL, here.bench->queue, here.source, 0, here.destination, 0, &out->recording, error),        \
    (here.empty_plan, here.bench->queue, NULL, 0, NULL, 0, &out->recording, error))                \
  X(relayout_plan_record, INVALID_ARGUMENT,                                                        \
    (NULL, here.commands, here.bench->queue, here.source, 0, here.destination, 0, 0, NULL, NULL,   \
     &out->recording, error),                                                                      \
    (here.empty_plan, here.commands, here.bench->queue, NULL, 0, NULL, 0, 0, NULL, NULL,           \
     &out->recording, error))                                                                      \
  X(relayout_recording_create_many, INVALID_ARGUMENT,                                              \
    (here.many, here.bench->queue, NULL, &here.sides[1], &out->recording, error),                  \
    (here.many, here.bench->queue, &here.sides[0], &here.sides[1], &out->recording, error))        \
  X(relayout_plan_record_many, INVALID_ARGUMENT,                                                   \
    (here.plan, here.commands, here.bench->queue, &here.sides[0], &here.sides[1], 0, NULL, NULL,   \
     &out->recording, error),                                                                      \
    (here.many, here.commands, here.bench->queue, &here.sides[0], &here.sides[1], 0, NULL, NULL,   \
     &out->recording, error))

typedef relayout_status call(outputs *out, relayout_error *error);

#define DEFINE(function, status, refused, accepted)                                                \
  static relayout_status refuse_##function(outputs *out, relayout_error *error) {                  \
    (void)out;                                                                                     \
    return function refused;                                                                       \
  }                                                                                                \
  static relayout_status accept_##function(outputs *out, relayout_error *error) {                  \
    (void)out;                                                                                     \
    return function accepted;                                                                      \
  }
CALLS(DEFINE)

static const struct {
  relayout_status status;
  call *refuse;
  call *accept;
} calls[] = {
#define ROW(function, status, refused, accepted)                                                   \
  {RELAYOUT_##status, refuse_##function, accept_##function},
    CALLS(ROW)
#undef ROW
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0], FIRST_ENQUEUE = 7, FIRST_RECORDING = 18 };

static void test_refused_calls(void **state) {
  (void)state;
  for (int i = 0; i < CALL_COUNT; ++i) {
    outputs out;
    memset(&out, 0x5a, sizeof out);
    out.image.struct_size = sizeof out.image;
    const outputs untouched = out;
    const bool records = i >= FIRST_RECORDING;
    const bool enqueues = i >= FIRST_ENQUEUE && !records;
    relayout_error error;
    memset(&error, 0xee, sizeof error);
    assert_int_equal(calls[i].refuse(&out, NULL), calls[i].status);
    assert_int_equal(calls[i].refuse(&out, &error), calls[i].status);
    assert_int_equal(error.status, calls[i].status);
    assert_int_equal(error.cl_status, 0);
    assert_in_range(strlen(error.message), 5, sizeof error.message - 1);
    if (enqueues) {
      assert_null(out.event); /* as its comment says */
      out.event = untouched.event;
    }
    if (records) {
      assert_null(out.recording);
      out.recording = untouched.recording;
    }
    assert_memory_equal(&out, &untouched, sizeof out);
  }
}

/* Without command buffers there is no recording to call these with. */
static bool wants_recording(call *accept) {
  return accept == accept_relayout_recording_set_buffers ||
         accept == accept_relayout_recording_set_side_buffers ||
         accept == accept_relayout_recording_enqueue;
}

static void test_error_is_left_alone_on_success(void **state) {
  (void)state;
  for (int i = 0; i < CALL_COUNT; ++i) {
    if (here.recording == NULL && wants_recording(calls[i].accept)) {
      continue;
    }
    outputs out = {.image.struct_size = sizeof out.image};
    relayout_error error;
    memset(&error, 0x77, sizeof error);
    const relayout_error before = error;
    const relayout_status status = calls[i].accept(&out, &error);
    if (status == RELAYOUT_UNSUPPORTED) {
      assert_non_null(strstr(error.message, "cl_khr_command_buffer"));
      continue; /* not on this device */
    }
    assert_int_equal(status, RELAYOUT_OK);
    assert_memory_equal(&error, &before, sizeof error);
    relayout_device_destroy(out.device);
    relayout_recording_destroy(out.recording);
    if (out.event != NULL) {
      clReleaseEvent(out.event);
    }
  }
}

/* ---- The caller's objects ---- */

static relayout_status enqueue_behind(cl_event gate, cl_event *event) {
  return relayout_plan_enqueue(here.plan, here.bench->queue, here.source, 0, here.destination, 0, 1,
                               &gate, event, NULL);
}

static cl_event gate_of(cl_context context) {
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(context, &code);
  assert_int_equal(code, CL_SUCCESS);
  return gate;
}

/* A device holds its context and its device; nothing else is held longer than a call takes. */
static void test_objects_stay_the_callers(void **state) {
  (void)state;
  const cl_event gate = gate_of(here.bench->context);
  const void *const objects[] = {here.bench->context, here.bench->id,   here.bench->queue,
                                 here.source,         here.destination, gate};
  memcpy(callers, objects, sizeof objects);
  relayout_device *device = NULL;
  cl_context context = NULL;
  cl_device_id id = NULL;
  held = 0;
  counting = true;
  const relayout_status made =
      relayout_opencl_device_create(here.bench->context, here.bench->id, NULL, &device, NULL);
  const int held_by_device = held;
  const relayout_status asked = relayout_opencl_device_get_handles(device, &context, &id, NULL);
  const int held_for_handles = held;
  relayout_device_destroy(device);
  const int held_after_device = held;
  cl_event done = NULL;
  const relayout_status enqueued = enqueue_behind(gate, &done);
  const int held_by_enqueue = held;
  counting = false;
  assert_int_equal(made, RELAYOUT_OK);
  assert_int_equal(asked, RELAYOUT_OK);
  assert_int_equal(enqueued, RELAYOUT_OK);
  assert_int_equal(held_by_device, 2);
  assert_int_equal(held_for_handles, 2);
  assert_int_equal(held_after_device, 0);
  assert_int_equal(held_by_enqueue, 0);
  memset(callers, 0, sizeof callers);
  clSetUserEventStatus(gate, CL_COMPLETE);
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
  clReleaseEvent(gate);
}

/* No memory of the host or the device, no wait, no flush, though nothing can run yet. */
static void test_enqueue_allocates_and_awaits_nothing(void **state) {
  (void)state;
  const cl_event gate = gate_of(here.bench->context);
  cl_event done = NULL;
  allocations = waits = commands = 0;
  counting = true;
  const relayout_status with_event = enqueue_behind(gate, &done);
  const relayout_status without_event = enqueue_behind(gate, NULL);
  counting = false;
  assert_int_equal(with_event, RELAYOUT_OK);
  assert_int_equal(without_event, RELAYOUT_OK);
  assert_int_equal(allocations, here.bench->family == RELAYOUT_KERNELS_NATIVE ? 4 : 0);
  assert_int_equal(waits, 0);
  assert_in_range(commands, 2, 8);
  clSetUserEventStatus(gate, CL_COMPLETE);
  assert_int_equal(clFinish(here.bench->queue), CL_SUCCESS);
  clReleaseEvent(done);
  clReleaseEvent(gate);

  allocations = 0;
  counting = true; /* and the wrappers do count */
  void *volatile memory = malloc(1);
  clFinish(here.bench->queue);
  counting = false;
  free(memory);
  assert_int_equal(allocations, 1);
  assert_int_equal(waits, 1);
}

/* Nor does a submission through staging, in chunks. */
static void test_submit_allocates_and_awaits_nothing(void **state) {
  (void)state;
  if (here.bench->family == RELAYOUT_KERNELS_NATIVE) {
    skip(); /* stages nothing */
  }
  rlt_opencl_device *const device = (rlt_opencl_device *)here.bench->device;
  const bool shares = device->shares_host_memory;
  const bool is_all = device->svm_is_all_memory;
  device->shares_host_memory = device->svm_is_all_memory = false;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = 32;
  relayout_plan *plan = NULL;
  assert_int_equal(
      relayout_plan_create(here.bench->device, &here.from, &here.to, &options, &plan, NULL),
      RELAYOUT_OK);
  assert_true(plan->chunk_count > 1);
  static int32_t from[SOURCE_BYTES / 4];
  static int32_t to[DESTINATION_BYTES / 4];
  relayout_opencl_memory source = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory destination = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  source.kind = destination.kind = RELAYOUT_MEMORY_HOST;
  source.pointer = from;
  destination.pointer = to;
  staging.buffer = buffer_of(here.bench, 4096);
  const cl_event gate = gate_of(here.bench->context);
  cl_event done = NULL;
  allocations = waits = commands = 0;
  counting = true;
  const relayout_status status = relayout_plan_submit(
      plan, here.bench->queue, &source, &destination, &staging, 1, &gate, NULL, &done, NULL);
  counting = false;
  device->shares_host_memory = shares;
  device->svm_is_all_memory = is_all;
  assert_int_equal(status, RELAYOUT_OK);
  assert_int_equal(allocations, 0);
  assert_int_equal(waits, 0);
  clSetUserEventStatus(gate, CL_COMPLETE);
  assert_int_equal(clFinish(here.bench->queue), CL_SUCCESS);
  clReleaseEvent(done);
  clReleaseEvent(gate);
  clReleaseMemObject(staging.buffer);
  relayout_plan_destroy(plan);
}

/* Plans are made without a queue, a command or a wait; only what is measured is run. */
static void test_plans_run_nothing(void **state) {
  (void)state;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = here.bench->family;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  const relayout_status opened =
      relayout_opencl_device_create(here.bench->context, here.bench->id, &options, &device, NULL);
  queues = commands = waits = 0;
  counting = true;
  const relayout_status planned =
      relayout_plan_create(device, &here.from, &here.to, NULL, &plan, NULL);
  relayout_plan_destroy(plan);
  counting = false;
  relayout_device_destroy(device);
  assert_int_equal(opened, RELAYOUT_OK);
  assert_int_equal(planned, RELAYOUT_OK);
  assert_int_equal(queues, 0);
  assert_int_equal(commands, 0);
  assert_int_equal(waits, 0);
}

/* ---- Options ---- */

static void test_cache_directory_is_copied(void **state) {
  (void)state;
  char path[] = "/nowhere/at/all";
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = path;
  options.kernels = here.bench->family;
  relayout_device *device = NULL;
  const char *const setting = getenv("RELAYOUT_CACHE");
  assert_true(setting == NULL || strcmp(setting, "off") != 0);
  assert_int_equal(
      relayout_opencl_device_create(here.bench->context, here.bench->id, &options, &device, NULL),
      RELAYOUT_OK);
  memset(path, 'x', sizeof path - 1);
  const rlt_opencl_device *const made = (rlt_opencl_device *)device;
  const bool is_native = here.bench->family == RELAYOUT_KERNELS_NATIVE;
  assert_string_equal(is_native ? made->kept_directory : made->disk_cache.directory,
                      "/nowhere/at/all");
  relayout_device_destroy(device);
}

static void test_null_options_are_the_defaults(void **state) {
  (void)state;
  const relayout_opencl_options defaults = RELAYOUT_OPENCL_OPTIONS_INIT;
  relayout_device *devices[2] = {NULL, NULL};
  for (int n = 0; n < 2; ++n) {
    assert_int_equal(relayout_opencl_device_create(here.bench->context, here.bench->id,
                                                   n == 0 ? NULL : &defaults, &devices[n], NULL),
                     RELAYOUT_OK);
  }
  const rlt_opencl_device *const a = (rlt_opencl_device *)devices[0];
  const rlt_opencl_device *const b = (rlt_opencl_device *)devices[1];
  assert_ptr_equal(a->base.facts.target, b->base.facts.target);
  assert_int_equal(a->disk_cache.directory == NULL, b->disk_cache.directory == NULL);
  if (a->disk_cache.directory != NULL) {
    assert_string_equal(a->disk_cache.directory, b->disk_cache.directory);
  }
  relayout_device_destroy(devices[0]);
  relayout_device_destroy(devices[1]);
}

static void test_cache_is_bounded(void **state) {
  (void)state;
  if (here.bench->family == RELAYOUT_KERNELS_NATIVE) {
    skip(); /* keeps no programs */
  }
  assert_true(((rlt_opencl_device *)here.bench->device)->disk_cache.most_bytes ==
              UINT64_C(64) * 1024 * 1024);
}

/* ---- Devices ---- */

/* Too old, without a compiler, of the embedded profile. */
static void test_devices_that_lack_something(void **state) {
  (void)state;
  static const struct {
    cl_device_info what;
    const char *message;
  } cases[] = {
      {CL_DEVICE_VERSION, "older than OpenCL 1.2"},
      {CL_DEVICE_COMPILER_AVAILABLE, "no compiler"},
      {CL_DEVICE_PROFILE, "full profile"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_device *device = NULL;
    relayout_error error;
    lied_about = cases[i].what;
    const relayout_status status =
        relayout_opencl_device_create(here.bench->context, here.bench->id, NULL, &device, &error);
    lied_about = 0;
    assert_int_equal(status, RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_null(device);
  }
}

static relayout_device_info info_of_new_device(void) {
  relayout_device *device = NULL;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(
      relayout_opencl_device_create(here.bench->context, here.bench->id, NULL, &device, NULL),
      RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
  return info;
}

/* A driver that knows nothing beyond a cache's size, and one that tells what cannot be. */
static void test_facts_that_are_not_told(void **state) {
  (void)state;
  cl_ulong cache_bytes = 0;
  assert_int_equal(clGetDeviceInfo(here.bench->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
                                   sizeof cache_bytes, &cache_bytes, NULL),
                   CL_SUCCESS);
  knows_no_facts = true;
  relayout_device_info info = info_of_new_device();
  assert_true(info.caches[0].bytes == cache_bytes);
  assert_int_equal(info.caches[0].ways, 0);
  assert_int_equal(info.caches[0].processors, 0);
  assert_true(info.caches[1].bytes == 0);
  assert_int_equal(info.line_bytes, 0);
  assert_true(info.page_bytes == 0);
  assert_int_equal(info.tlb_pages[0], 0);
  assert_int_equal(info.vector_bytes, 0);
  lied_about = CL_DEVICE_GLOBAL_MEM_CACHE_SIZE;
  lies_large = true;
  info = info_of_new_device();
  lies_large = knows_no_facts = false;
  assert_true(info.caches[0].bytes == 0);
  lied_about = CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR;
  lies_large = true;
  info = info_of_new_device();
  lies_large = false;
  lied_about = 0;
  assert_int_equal(info.vector_bytes, 0);
}

/* Each allocation in turn. */
static void test_out_of_memory(void **state) {
  (void)state;
  int failures = 0;
  for (int nth = 1;; ++nth) {
    relayout_device *device = NULL;
    relayout_error error;
    until_failure = nth;
    const relayout_status status =
        relayout_opencl_device_create(here.bench->context, here.bench->id, NULL, &device, &error);
    const bool all_worked = until_failure > 0;
    until_failure = 0;
    if (status == RELAYOUT_OK) {
      relayout_device_destroy(device);
    } else {
      assert_int_equal(status, RELAYOUT_OUT_OF_MEMORY);
      assert_int_equal(error.status, status);
      assert_null(device);
      ++failures;
    }
    if (all_worked) {
      assert_int_equal(status, RELAYOUT_OK);
      break;
    }
  }
  assert_true(failures > 0);
}

/* In the context of the whole, a part of a device is as good as the whole. */
static void test_part_of_a_device(void **state) {
  (void)state;
  const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[64] = {NULL};
  cl_uint count = 0;
  if (clCreateSubDevices(here.bench->id, by_one, 64, parts, &count) != CL_SUCCESS || count == 0 ||
      count > 64) {
    skip();
  }
  relayout_device *device = NULL;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(
      relayout_opencl_device_create(here.bench->context, parts[0], NULL, &device, NULL),
      RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.compute_units, 1);
  assert_string_equal(info.name, "");
  relayout_device_destroy(device);
  for (cl_uint i = 0; i < count; ++i) {
    clReleaseDevice(parts[i]);
  }
}

/* The families that may be asked for are those that are run. */
static void test_family_is_the_one_asked_for(void **state) {
  (void)state;
  const bool is_native = here.bench->device->facts.target == &rlt_cpu_target;
  assert_int_equal(is_native ? RELAYOUT_KERNELS_NATIVE : RELAYOUT_KERNELS_WORK_GROUP,
                   here.bench->family);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused_calls),
      cmocka_unit_test(test_error_is_left_alone_on_success),
      cmocka_unit_test(test_objects_stay_the_callers),
      cmocka_unit_test(test_enqueue_allocates_and_awaits_nothing),
      cmocka_unit_test(test_submit_allocates_and_awaits_nothing),
      cmocka_unit_test(test_plans_run_nothing),
      cmocka_unit_test(test_cache_directory_is_copied),
      cmocka_unit_test(test_null_options_are_the_defaults),
      cmocka_unit_test(test_cache_is_bounded),
      cmocka_unit_test(test_devices_that_lack_something),
      cmocka_unit_test(test_facts_that_are_not_told),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_part_of_a_device),
      cmocka_unit_test(test_family_is_the_one_asked_for),
  };
  here.bench = bench;
  return cmocka_run_group_tests_name("contracts.opencl", tests, set_up, tear_down);
}

int main(void) {
  return opencl_on_each_device(run);
}
