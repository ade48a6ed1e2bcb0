/* fake_driver.c: an OpenCL made of memory. */
#include "opencl/fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/command_buffer.h"
#include "opencl/entry_points.h"
#include "gpu/kernel_source.h"
#include "relayout/opencl.h"

fake_driver fake;

const fake_device fake_gpu = {.type = CL_DEVICE_TYPE_GPU,
                              .name = "A GPU",
                              .vendor = "vendor",
                              .version = "OpenCL 3.0 of the device",
                              .driver = "1.2.3",
                              .profile = "FULL_PROFILE",
                              .extensions = "cl_khr_fp64",
                              .has_compiler = true,
                              .is_available = true,
                              .shares_memory = CL_FALSE,
                              .compute_units = 12,
                              .vector_bytes = 1,
                              .memory_bytes = 1 << 30,
                              .allocation_bytes = 1 << 28,
                              .cache_bytes = 2 << 20,
                              .line_bytes = 128,
                              .group_size = 256,
                              .item_sizes = {256, 256, 64},
                              .kernel_group_size = 256,
                              .svm = 0};

/* ---- Objects ---- */

/* All that one of any kind has. They stay where they are until the driver begins anew, so that one
 * that was let go is known. */
typedef struct object {
  struct object *next;
  fake_kind kind;
  int holders;
  size_t number; /* in the order in which they were made */
  struct object *context;
  size_t device_count; /* of a context; of a queue and a program's build one */
  fake_device *devices[4];
  /* Memory. */
  cl_mem_flags flags;
  size_t size;
  unsigned char *bytes;
  void *host;
  struct object *parent;
  size_t origin;
  void(CL_CALLBACK *destroyed)(cl_mem memory, void *data); /* or NULL */
  void *destroyed_data;
  cl_mem_object_type type;
  size_t image[5]; /* width, height, depth, layers, bytes of a pixel */
  /* Programs and kernels. */
  struct object *program;
  char name[64];
  fake_argument *arguments; /* FAKE_ARGUMENTS of a kernel */
  struct object *queue;     /* of an event, or a command buffer */
  /* Command buffers, and the last one of a queue. */
  cl_ulong properties[5]; /* as it was made with, 0 behind the last */
  bool is_final;
  cl_uint sync_points;
  cl_ulong last_flags;
} object;

static object *all;

static void end(const char *what) {
  fprintf(stderr, "the driver is misused: %s\n", what);
  abort();
}

static object *object_of(const void *handle, fake_kind kind) {
  object *const of = (object *)(uintptr_t)handle;
  if (of == NULL || of->kind != kind || of->holders < 1) {
    end(of == NULL ? "a handle is NULL" : "an object is used that was let go");
  }
  return of;
}

static object *make(fake_kind kind, object *context) {
  object *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    end("no memory");
  }
  made->kind = kind;
  made->holders = 1;
  made->number = all == NULL ? 0 : all->number + 1;
  made->context = context;
  made->next = all;
  all = made;
  return made;
}

static cl_int hold(const void *handle, fake_kind kind, int by) {
  object_of(handle, kind)->holders += by;
  return CL_SUCCESS;
}

int fake_holders(fake_kind kind) {
  int count = 0;
  for (const object *of = all; of != NULL; of = of->next) {
    count += of->kind == kind ? of->holders : 0;
  }
  return count;
}

int fake_all_holders(void) {
  int count = 0;
  for (int kind = 0; kind < FAKE_KINDS; ++kind) {
    count += fake_holders((fake_kind)kind);
  }
  return count;
}

size_t fake_memory_bytes(void) {
  size_t bytes = 0;
  for (const object *of = all; of != NULL; of = of->next) {
    bytes += of->kind == FAKE_MEMORY && of->holders > 0 ? of->size : 0;
  }
  return bytes;
}

void fake_driver_begin(fake_platform *platform) {
  while (all != NULL) {
    object *const gone = all;
    all = gone->next;
    if (gone->parent == NULL && gone->host == NULL) {
      free(gone->bytes);
    }
    free(gone->arguments);
    free(gone);
  }
  memset(&fake, 0, offsetof(fake_driver, commands));
  fake.platform_count = 1;
  fake.platforms[0] = platform;
  fake.binary_bytes = -1;
  fake.nanoseconds = 1000;
  fake.command_buffer_version = 9 << 12;
  fake.update_version = 9 << 12 | 3;
}

/* Whether this call is the one that is refused. */
static bool is_refused(const char *function) {
  const bool refused = ++fake.calls == fake.refused;
  if (refused) {
    snprintf(fake.refused_call, sizeof fake.refused_call, "%s", function + strlen("fake_"));
  }
  return refused;
}

#define MAY_BE_REFUSED                                                                             \
  if (is_refused(__func__)) {                                                                      \
    return CL_OUT_OF_RESOURCES;                                                                    \
  }
#define MAKING_MAY_BE_REFUSED(code)                                                                \
  if (is_refused(__func__)) {                                                                      \
    if ((code) != NULL) {                                                                          \
      *(code) = CL_OUT_OF_RESOURCES;                                                               \
    }                                                                                              \
    return NULL;                                                                                   \
  }

static void *made(object *of, cl_int *code) {
  if (code != NULL) {
    *code = CL_SUCCESS;
  }
  return of;
}

/* ---- Answers ---- */

static cl_int answer(const void *bytes, size_t has, size_t size, void *to, size_t *needed) {
  if (to != NULL && size < has) {
    return CL_INVALID_VALUE;
  }
  if (to != NULL) {
    memcpy(to, bytes, has);
  }
  if (needed != NULL) {
    *needed = has;
  }
  return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size, void *to, size_t *needed) {
  return text == NULL ? CL_INVALID_VALUE
                      : answer(text, strlen(text) + !fake.ends_no_texts, size, to, needed);
}

#define ANSWER(type, value)                                                                        \
  {                                                                                                \
    type is = (type)(value);                                                                       \
    return answer(&is, sizeof is, size, to, needed);                                               \
  }
#define ANSWER_IF_KNOWN(type, value)                                                               \
  if ((value) < 0) {                                                                               \
    return CL_INVALID_VALUE;                                                                       \
  }                                                                                                \
  ANSWER(type, value)

/* ---- Platforms and devices ---- */

static fake_device *device_of(cl_device_id id) {
  if (id == NULL) {
    end("a device is NULL");
  }
  return (fake_device *)id;
}

static cl_int fake_clGetPlatformIDs(cl_uint capacity, cl_platform_id *ids, cl_uint *count) {
  MAY_BE_REFUSED
  for (cl_uint i = 0; ids != NULL && i < capacity && i < fake.platform_count; ++i) {
    ids[i] = (cl_platform_id)(void *)fake.platforms[i];
  }
  if (count != NULL) {
    *count = (cl_uint)fake.platform_count;
  }
  return fake.platforms_code;
}

static cl_int fake_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                                     void *to, size_t *needed) {
  MAY_BE_REFUSED
  const fake_platform *const of = (const fake_platform *)(const void *)platform;
  return what == CL_PLATFORM_NAME      ? answer_text(of->name, size, to, needed)
         : what == CL_PLATFORM_VERSION ? answer_text(of->version, size, to, needed)
                                       : CL_INVALID_VALUE;
}

static cl_int fake_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint capacity,
                                  cl_device_id *ids, cl_uint *count) {
  MAY_BE_REFUSED
  const fake_platform *const of = (const fake_platform *)(const void *)platform;
  if (type != CL_DEVICE_TYPE_ALL) {
    return CL_INVALID_DEVICE_TYPE;
  }
  if (of->device_count == 0) {
    return CL_DEVICE_NOT_FOUND;
  }
  for (cl_uint i = 0; ids != NULL && i < capacity && i < of->device_count; ++i) {
    ids[i] = (cl_device_id)(void *)of->devices[i];
  }
  if (count != NULL) {
    *count = (cl_uint)of->device_count;
  }
  return CL_SUCCESS;
}

static const fake_platform *platform_of(const fake_device *device) {
  for (size_t p = 0; p < fake.platform_count; ++p) {
    for (size_t d = 0; d < fake.platforms[p]->device_count; ++d) {
      if (fake.platforms[p]->devices[d] == device) {
        return fake.platforms[p];
      }
    }
  }
  return device->parent == NULL ? fake.platforms[0] : platform_of(device->parent);
}

enum {
  EXTENSIONS_WITH_VERSION = 0x1060,
  COMMAND_BUFFER_CAPABILITIES = 0x12a9,
  MUTABLE_CAPABILITIES = 0x12b0,
  MUTABLE_ARGUMENTS = 1 << 3
};

/* As OpenCL 3.0 has it. */
typedef struct name_version {
  cl_uint version;
  char name[64];
} name_version;

static cl_int answer_extensions(size_t size, void *to, size_t *needed) {
  const name_version extensions[] = {
      {fake.command_buffer_version, "cl_khr_command_buffer"},
      {fake.update_version, "cl_khr_command_buffer_mutable_dispatch"}};
  const size_t count = fake.has_updates ? 2 : 1;
  return fake.has_command_buffers ? answer(extensions, count * sizeof *extensions, size, to, needed)
                                  : CL_INVALID_VALUE;
}

static cl_int answer_of_device(const fake_device *of, cl_device_info what, size_t size, void *to,
                               size_t *needed) {
  switch (what) {
  case CL_DEVICE_TYPE:
    ANSWER(cl_device_type, of->type)
  case CL_DEVICE_NAME:
    return answer_text(of->name, size, to, needed);
  case CL_DEVICE_VENDOR:
    return answer_text(of->vendor, size, to, needed);
  case CL_DEVICE_VERSION:
    return answer_text(of->version, size, to, needed);
  case CL_DRIVER_VERSION:
    return answer_text(of->driver, size, to, needed);
  case CL_DEVICE_PROFILE:
    return answer_text(of->profile, size, to, needed);
  case CL_DEVICE_EXTENSIONS:
    return answer_text(of->extensions, size, to, needed);
  case CL_DEVICE_COMPILER_AVAILABLE:
    ANSWER(cl_bool, of->has_compiler)
  case CL_DEVICE_AVAILABLE:
    ANSWER(cl_bool, of->is_available)
  case CL_DEVICE_HOST_UNIFIED_MEMORY:
    ANSWER(cl_bool, of->shares_memory)
  case CL_DEVICE_PLATFORM:
    ANSWER(const fake_platform *, platform_of(of))
  case CL_DEVICE_PARENT_DEVICE:
    ANSWER(const fake_device *, of->parent)
  case CL_DEVICE_MAX_COMPUTE_UNITS:
    ANSWER(cl_uint, of->compute_units)
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    ANSWER_IF_KNOWN(cl_uint, of->vector_bytes)
  case CL_DEVICE_GLOBAL_MEM_SIZE:
    ANSWER(cl_ulong, of->memory_bytes)
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
    ANSWER(cl_ulong, of->allocation_bytes)
  case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
    ANSWER_IF_KNOWN(cl_ulong, of->cache_bytes)
  case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
    ANSWER_IF_KNOWN(cl_uint, of->line_bytes)
  case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    ANSWER(size_t, of->group_size)
  case CL_DEVICE_MAX_WORK_ITEM_SIZES:
    return answer(of->item_sizes, sizeof of->item_sizes, size, to, needed);
  case CL_DEVICE_EXECUTION_CAPABILITIES:
    ANSWER(cl_device_exec_capabilities,
           CL_EXEC_KERNEL | (of->runs_native ? CL_EXEC_NATIVE_KERNEL : 0))
  case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
    ANSWER(cl_uint, of->aligned_bits)
  case CL_DEVICE_SVM_CAPABILITIES:
    ANSWER_IF_KNOWN(cl_device_svm_capabilities, of->svm)
  case EXTENSIONS_WITH_VERSION:
    return answer_extensions(size, to, needed);
  case COMMAND_BUFFER_CAPABILITIES:
    ANSWER(cl_bitfield, fake.command_buffer_capabilities)
  case MUTABLE_CAPABILITIES:
    ANSWER(cl_bitfield, MUTABLE_ARGUMENTS)
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_int fake_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *to,
                                   size_t *needed) {
  MAY_BE_REFUSED
  const fake_device *const of = device_of(id);
  return of->is_dead ? CL_DEVICE_NOT_AVAILABLE : answer_of_device(of, what, size, to, needed);
}

static cl_int fake_clRetainDevice(cl_device_id id) {
  MAY_BE_REFUSED
  ++device_of(id)->holders;
  return CL_SUCCESS;
}

static cl_int fake_clReleaseDevice(cl_device_id id) {
  if (--device_of(id)->holders < 0) {
    end("a device is let go that nobody holds");
  }
  return CL_SUCCESS;
}

/* ---- Contexts and queues ---- */

static cl_context fake_clCreateContext(const cl_context_properties *properties, cl_uint count,
                                       const cl_device_id *ids,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                                 void *),
                                       void *data, cl_int *code) {
  (void)properties;
  (void)notify;
  (void)data;
  MAKING_MAY_BE_REFUSED(code)
  object *const context = make(FAKE_CONTEXT, NULL);
  context->device_count = count;
  for (cl_uint i = 0; i < count; ++i) {
    context->devices[i] = device_of(ids[i]);
  }
  return made(context, code);
}

static cl_int fake_clGetContextInfo(cl_context context, cl_context_info what, size_t size, void *to,
                                    size_t *needed) {
  MAY_BE_REFUSED
  const object *const of = object_of(context, FAKE_CONTEXT);
  return what == CL_CONTEXT_DEVICES
             ? answer(of->devices, of->device_count * sizeof *of->devices, size, to, needed)
             : CL_INVALID_VALUE;
}

static cl_int fake_clRetainContext(cl_context context) {
  MAY_BE_REFUSED
  return hold(context, FAKE_CONTEXT, 1);
}

static cl_int fake_clReleaseContext(cl_context context) {
  return hold(context, FAKE_CONTEXT, -1);
}

static cl_command_queue fake_clCreateCommandQueue(cl_context context, cl_device_id id,
                                                  cl_command_queue_properties properties,
                                                  cl_int *code) {
  MAKING_MAY_BE_REFUSED(code)
  object *const queue = make(FAKE_QUEUE, object_of(context, FAKE_CONTEXT));
  queue->devices[0] = device_of(id);
  queue->flags = properties;
  return made(queue, code);
}

static cl_int fake_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what,
                                         size_t size, void *to, size_t *needed) {
  MAY_BE_REFUSED
  const object *const of = object_of(queue, FAKE_QUEUE);
  if (what == CL_QUEUE_CONTEXT) {
    ANSWER(const void *, of->context)
  }
  ANSWER(const void *, of->devices[0])
}

static cl_int fake_clRetainCommandQueue(cl_command_queue queue) {
  MAY_BE_REFUSED
  return hold(queue, FAKE_QUEUE, 1);
}

static cl_int fake_clReleaseCommandQueue(cl_command_queue queue) {
  return hold(queue, FAKE_QUEUE, -1);
}

static cl_int fake_clFlush(cl_command_queue queue) {
  MAY_BE_REFUSED(void) object_of(queue, FAKE_QUEUE);
  ++fake.flushes;
  return CL_SUCCESS;
}

static cl_int fake_clFinish(cl_command_queue queue) {
  MAY_BE_REFUSED(void) object_of(queue, FAKE_QUEUE);
  ++fake.finishes;
  return CL_SUCCESS;
}

/* ---- Memory ---- */

static cl_mem fake_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                  cl_int *code) {
  MAKING_MAY_BE_REFUSED(code)
  const bool is_on_host = (flags & CL_MEM_USE_HOST_PTR) != 0;
  /* So little that no table fits is for tests of staging. */
  const bool has_table = (flags & CL_MEM_COPY_HOST_PTR) != 0;
  const cl_ulong most = object_of(context, FAKE_CONTEXT)->devices[0]->allocation_bytes;
  if (size == 0 || (most > 0 && size > most && !has_table)) {
    *code = CL_INVALID_BUFFER_SIZE;
    return NULL;
  }
  return (cl_mem)made(
      (object *)(void *)fake_buffer_with(context, flags, size, is_on_host ? host : NULL, NULL, 0),
      code);
}

cl_mem fake_buffer_with(cl_context context, cl_mem_flags flags, size_t size, void *host,
                        cl_mem parent, size_t origin) {
  object *const buffer = make(FAKE_MEMORY, object_of(context, FAKE_CONTEXT));
  buffer->type = CL_MEM_OBJECT_BUFFER;
  buffer->flags = flags;
  buffer->size = size;
  buffer->host = host;
  buffer->origin = origin;
  if (parent != NULL) {
    buffer->parent = object_of(parent, FAKE_MEMORY);
    buffer->bytes = buffer->parent->bytes + origin;
  } else {
    buffer->bytes = host != NULL ? host : calloc(1, size + 1);
  }
  return (cl_mem)(void *)buffer;
}

unsigned char *fake_bytes(cl_mem memory) {
  return object_of(memory, FAKE_MEMORY)->bytes;
}

static cl_int fake_clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t size, void *to,
                                      size_t *needed) {
  MAY_BE_REFUSED
  const object *const of = object_of(memory, FAKE_MEMORY);
  switch (what) {
  case CL_MEM_TYPE:
    ANSWER(cl_mem_object_type, of->type)
  case CL_MEM_CONTEXT:
    ANSWER(const void *, of->context)
  case CL_MEM_SIZE:
    ANSWER(size_t, of->size)
  case CL_MEM_FLAGS:
    ANSWER(cl_mem_flags, of->flags)
  case CL_MEM_HOST_PTR:
    ANSWER(const void *, of->host)
  case CL_MEM_ASSOCIATED_MEMOBJECT:
    ANSWER(const void *, of->parent)
  case CL_MEM_OFFSET:
    ANSWER(size_t, of->origin)
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_int fake_clGetImageInfo(cl_mem memory, cl_image_info what, size_t size, void *to,
                                  size_t *needed) {
  MAY_BE_REFUSED
  static const cl_image_info questions[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH,
                                            CL_IMAGE_ARRAY_SIZE, CL_IMAGE_ELEMENT_SIZE};
  const object *const of = object_of(memory, FAKE_MEMORY);
  for (int i = 0; i < 5; ++i) {
    if (questions[i] == what) {
      ANSWER(size_t, of->image[i])
    }
  }
  return CL_INVALID_VALUE;
}

static cl_int fake_clSetMemObjectDestructorCallback(
    cl_mem memory, void(CL_CALLBACK *destroyed)(cl_mem memory, void *data), void *data) {
  MAY_BE_REFUSED
  object *const of = object_of(memory, FAKE_MEMORY);
  of->destroyed = destroyed;
  of->destroyed_data = data;
  return CL_SUCCESS;
}

static cl_int fake_clReleaseMemObject(cl_mem memory) {
  object *const of = object_of(memory, FAKE_MEMORY);
  if (--of->holders == 0 && of->destroyed != NULL) {
    of->destroyed(memory, of->destroyed_data);
  }
  return CL_SUCCESS;
}

/* ---- Programs: a binary is the kernel's name ---- */

static cl_program fake_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                 const char **texts, const size_t *lengths,
                                                 cl_int *code) {
  MAKING_MAY_BE_REFUSED(code)
  if (lengths != NULL) {
    end("texts are ended by zeros");
  }
  fake.texts[0] = '\0';
  for (cl_uint i = 0; i < count; ++i) {
    if (texts[i] == NULL) {
      end("a text is NULL");
    }
    for (const rlt_kernel_source *of = rlt_kernel_sources; of->name != NULL; ++of) {
      if (of->text == texts[i]) {
        const size_t length = strlen(fake.texts);
        snprintf(fake.texts + length, sizeof fake.texts - length, " %s", of->name);
      }
    }
  }
  return made(make(FAKE_PROGRAM, object_of(context, FAKE_CONTEXT)), code);
}

static cl_program fake_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                 const cl_device_id *ids, const size_t *sizes,
                                                 const unsigned char **binaries, cl_int *codes,
                                                 cl_int *code) {
  (void)codes;
  MAKING_MAY_BE_REFUSED(code)
  object *const program = make(FAKE_PROGRAM, object_of(context, FAKE_CONTEXT));
  if (count != 1) {
    end("a binary is of one device");
  }
  (void)device_of(ids[0]);
  snprintf(program->name, sizeof program->name, "%.*s", (int)sizes[0], (const char *)binaries[0]);
  return made(program, code);
}

static cl_int fake_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *ids,
                                  const char *options,
                                  void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
  MAY_BE_REFUSED(void) notify;
  (void)data;
  object *const of = object_of(program, FAKE_PROGRAM);
  if (count != 1 || ids[0] == NULL || options == NULL) {
    end("a program is built for one device");
  }
  of->devices[0] = device_of(ids[0]);
  fake.builds += of->name[0] == '\0';
  return fake.build_code;
}

static cl_int fake_clGetProgramBuildInfo(cl_program program, cl_device_id id,
                                         cl_program_build_info what, size_t size, void *to,
                                         size_t *needed) {
  MAY_BE_REFUSED(void) object_of(program, FAKE_PROGRAM);
  (void)device_of(id);
  return what == CL_PROGRAM_BUILD_LOG ? answer_text(fake.build_log, size, to, needed)
                                      : CL_INVALID_VALUE;
}

static size_t binary_size_of(const object *program) {
  return fake.binary_bytes < 0 ? strlen(program->name) : (size_t)fake.binary_bytes;
}

static cl_int answer_binaries(const object *of, unsigned char **to) {
  const size_t size = binary_size_of(of);
  if (size == 0) {
    end("a binary is asked for that has no bytes");
  }
  for (size_t i = 0; i < of->context->device_count; ++i) {
    if (to[i] != NULL) {
      memcpy(to[i], of->name, size);
    }
  }
  return CL_SUCCESS;
}

static cl_int fake_clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *to,
                                    size_t *needed) {
  MAY_BE_REFUSED
  const object *const of = object_of(program, FAKE_PROGRAM);
  const object *const context = of->context;
  size_t sizes[4] = {0};
  for (size_t i = 0; i < context->device_count; ++i) {
    sizes[i] = context->devices[i] == of->devices[0] ? binary_size_of(of) : 0;
  }
  switch (what) {
  case CL_PROGRAM_KERNEL_NAMES:
    return answer_text(of->name, size, to, needed);
  case CL_PROGRAM_DEVICES:
    return answer(context->devices, context->device_count * sizeof *context->devices, size, to,
                  needed);
  case CL_PROGRAM_BINARY_SIZES:
    return answer(sizes, context->device_count * sizeof *sizes, size, to, needed);
  case CL_PROGRAM_BINARIES:
    return size == context->device_count * sizeof(unsigned char *) ? answer_binaries(of, to)
                                                                   : CL_INVALID_VALUE;
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_int fake_clRetainProgram(cl_program program) {
  MAY_BE_REFUSED
  return hold(program, FAKE_PROGRAM, 1);
}

static cl_int fake_clReleaseProgram(cl_program program) {
  return hold(program, FAKE_PROGRAM, -1);
}

/* ---- Kernels, which hold their programs ---- */

static cl_kernel fake_clCreateKernel(cl_program program, const char *name, cl_int *code) {
  MAKING_MAY_BE_REFUSED(code)
  object *const of = object_of(program, FAKE_PROGRAM);
  object *const kernel = make(FAKE_KERNEL, of->context);
  snprintf(of->name, sizeof of->name, "%s", name);
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  kernel->program = of;
  kernel->arguments = calloc(FAKE_ARGUMENTS, sizeof *kernel->arguments);
  if (kernel->arguments == NULL) {
    end("no memory");
  }
  ++of->holders;
  return made(kernel, code);
}

static cl_int fake_clReleaseKernel(cl_kernel kernel) {
  object *const of = object_of(kernel, FAKE_KERNEL);
  --of->program->holders;
  return hold(kernel, FAKE_KERNEL, -1);
}

static cl_int fake_clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size, void *to,
                                   size_t *needed) {
  MAY_BE_REFUSED
  if (what != CL_KERNEL_PROGRAM) {
    return CL_INVALID_VALUE;
  }
  ANSWER(const void *, object_of(kernel, FAKE_KERNEL)->program)
}

static cl_int fake_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id id,
                                            cl_kernel_work_group_info what, size_t size, void *to,
                                            size_t *needed) {
  MAY_BE_REFUSED(void) object_of(kernel, FAKE_KERNEL);
  if (what != CL_KERNEL_WORK_GROUP_SIZE) {
    return CL_INVALID_VALUE;
  }
  ANSWER(size_t, device_of(id)->kernel_group_size)
}

static cl_int set_argument(cl_kernel kernel, cl_uint number, size_t size, const void *bytes,
                           bool is_pointer) {
  fake_argument set = {.is_set = true, .is_pointer = is_pointer, .size = size};
  if (number >= FAKE_ARGUMENTS || (bytes != NULL && size > sizeof set.bytes)) {
    return CL_INVALID_ARG_SIZE;
  }
  if (bytes != NULL) {
    memcpy(set.bytes, bytes, size);
  }
  object_of(kernel, FAKE_KERNEL)->arguments[number] = set;
  return CL_SUCCESS;
}

static cl_int fake_clSetKernelArg(cl_kernel kernel, cl_uint number, size_t size,
                                  const void *bytes) {
  MAY_BE_REFUSED
  return set_argument(kernel, number, size, bytes, false);
}

static cl_int fake_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint number, const void *pointer) {
  MAY_BE_REFUSED
  return set_argument(kernel, number, sizeof pointer, &pointer, true);
}

/* ---- Commands ---- */

void fake_forget(void) {
  fake.command_count = fake.flushes = fake.finishes = 0;
}

const fake_command *fake_command_at(const char *call, size_t number) {
  for (size_t i = 0; i < fake.command_count && i < FAKE_COMMANDS; ++i) {
    if ((call == NULL || strcmp(fake.commands[i].call, call) == 0) && number-- == 0) {
      return &fake.commands[i];
    }
  }
  end("there are not so many commands");
  return NULL;
}

size_t fake_count(const char *call) {
  size_t count = 0;
  for (size_t i = 0; i < fake.command_count && i < FAKE_COMMANDS; ++i) {
    count += strcmp(fake.commands[i].call, call) == 0;
  }
  return count;
}

bool fake_covers(cl_event event, const fake_command *command) {
  if (event == NULL || event == command->event) {
    return event != NULL;
  }
  for (size_t i = 0; i < fake.command_count && i < FAKE_COMMANDS; ++i) {
    const fake_command *const of = &fake.commands[i];
    for (cl_uint w = 0; of->event == event && w < of->n_wait; ++w) {
      if (fake_covers(of->wait[w], command)) {
        return true;
      }
    }
  }
  return false;
}

/* A command that is done. */
static cl_int note(const char *function, cl_command_queue queue, fake_command of, cl_uint n_wait,
                   const cl_event *wait, cl_event *event) {
  object *const on = object_of(queue, FAKE_QUEUE);
  if ((n_wait == 0) != (wait == NULL) || n_wait > FAKE_WAITS) {
    return CL_INVALID_EVENT_WAIT_LIST;
  }
  for (cl_uint i = 0; i < n_wait; ++i) {
    of.wait[i] = (cl_event)(void *)object_of(wait[i], FAKE_EVENT);
  }
  snprintf(of.call, sizeof of.call, "%s", function + strlen("fake_"));
  of.queue = queue;
  of.n_wait = n_wait;
  if (event != NULL) {
    object *const made_event = make(FAKE_EVENT, on->context);
    made_event->queue = on;
    *event = of.event = (cl_event)(void *)made_event;
  }
  if (fake.command_count++ < FAKE_COMMANDS) {
    fake.commands[fake.command_count - 1] = of;
  }
  return CL_SUCCESS;
}

/* Rows and slices between a buffer and the host, both of them with the same pitches; what lies
 * outside of the buffer is an error. */
static cl_int copy(const fake_command *of, bool is_upload) {
  const object *const buffer = object_of(of->memory, FAKE_MEMORY);
  const size_t last = of->offset + (of->region[2] - 1) * of->slice_pitch +
                      (of->region[1] - 1) * of->row_pitch + of->region[0];
  if (of->region[0] * of->region[1] * of->region[2] == 0 || last > buffer->size) {
    return CL_INVALID_VALUE;
  }
  for (size_t slice = 0; slice < of->region[2]; ++slice) {
    for (size_t row = 0; row < of->region[1]; ++row) {
      const size_t at = slice * of->slice_pitch + row * of->row_pitch;
      unsigned char *const bytes = buffer->bytes + of->offset + at;
      unsigned char *const host = (unsigned char *)(uintptr_t)of->host + at;
      memcpy(is_upload ? bytes : host, is_upload ? host : bytes, of->region[0]);
    }
  }
  return CL_SUCCESS;
}

static cl_int transfer(const char *function, cl_command_queue queue, const fake_command *of,
                       bool is_upload, cl_uint n_wait, const cl_event *wait, cl_event *event) {
  const cl_int code = copy(of, is_upload);
  return code == CL_SUCCESS ? note(function, queue, *of, n_wait, wait, event) : code;
}

static cl_int fake_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                        size_t offset, size_t size, const void *host,
                                        cl_uint n_wait, const cl_event *wait, cl_event *event) {
  MAY_BE_REFUSED(void) is_blocking;
  const fake_command of = {
      .memory = memory, .host = host, .offset = offset, .region = {size, 1, 1}};
  return transfer(__func__, queue, &of, true, n_wait, wait, event);
}

static cl_int fake_clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                       size_t offset, size_t size, void *host, cl_uint n_wait,
                                       const cl_event *wait, cl_event *event) {
  MAY_BE_REFUSED(void) is_blocking;
  const fake_command of = {
      .memory = memory, .host = host, .offset = offset, .region = {size, 1, 1}};
  return transfer(__func__, queue, &of, false, n_wait, wait, event);
}

/* As OpenCL wants it, and drivers understand it. */
static void check_pitches(const size_t *region, const size_t *host_origin, size_t row_pitch,
                          size_t slice_pitch, size_t host_row_pitch, size_t host_slice_pitch) {
  if (row_pitch < region[0] || slice_pitch < region[1] * row_pitch ||
      slice_pitch % row_pitch != 0) {
    end("pitches are less than what they part");
  }
  if (row_pitch != host_row_pitch || slice_pitch != host_slice_pitch || host_origin[0] != 0 ||
      host_origin[1] != 0 || host_origin[2] != 0) {
    end("rows lie differently on both sides");
  }
  if (region[1] == row_pitch && region[0] < row_pitch) {
    end("Mesa 26.1 takes these rows for a single run of bytes");
  }
}

static fake_command rectangle_of(cl_mem memory, const void *host, const size_t *origin,
                                 const size_t *host_origin, const size_t *region, size_t row_pitch,
                                 size_t slice_pitch, size_t host_row_pitch,
                                 size_t host_slice_pitch) {
  check_pitches(region, host_origin, row_pitch, slice_pitch, host_row_pitch, host_slice_pitch);
  return (fake_command){.memory = memory,
                        .host = host,
                        .offset = origin[0],
                        .region = {region[0], region[1], region[2]},
                        .row_pitch = row_pitch,
                        .slice_pitch = slice_pitch};
}

static cl_int fake_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory,
                                            cl_bool is_blocking, const size_t *origin,
                                            const size_t *host_origin, const size_t *region,
                                            size_t row_pitch, size_t slice_pitch,
                                            size_t host_row_pitch, size_t host_slice_pitch,
                                            const void *host, cl_uint n_wait, const cl_event *wait,
                                            cl_event *event) {
  MAY_BE_REFUSED(void) is_blocking;
  const fake_command of = rectangle_of(memory, host, origin, host_origin, region, row_pitch,
                                       slice_pitch, host_row_pitch, host_slice_pitch);
  return transfer(__func__, queue, &of, true, n_wait, wait, event);
}

static cl_int fake_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem memory,
                                           cl_bool is_blocking, const size_t *origin,
                                           const size_t *host_origin, const size_t *region,
                                           size_t row_pitch, size_t slice_pitch,
                                           size_t host_row_pitch, size_t host_slice_pitch,
                                           void *host, cl_uint n_wait, const cl_event *wait,
                                           cl_event *event) {
  MAY_BE_REFUSED(void) is_blocking;
  const fake_command of = rectangle_of(memory, host, origin, host_origin, region, row_pitch,
                                       slice_pitch, host_row_pitch, host_slice_pitch);
  return transfer(__func__, queue, &of, false, n_wait, wait, event);
}

static bool can_fill(const object *buffer, size_t pattern_size, size_t offset, size_t size) {
  return offset % pattern_size == 0 && size % pattern_size == 0 && offset + size <= buffer->size;
}

static cl_int fake_clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern,
                                       size_t pattern_size, size_t offset, size_t size,
                                       cl_uint n_wait, const cl_event *wait, cl_event *event) {
  MAY_BE_REFUSED
  const object *const buffer = object_of(memory, FAKE_MEMORY);
  if (!can_fill(buffer, pattern_size, offset, size)) {
    return CL_INVALID_VALUE;
  }
  for (size_t i = 0; i < size; i += pattern_size) {
    memcpy(buffer->bytes + offset + i, pattern, pattern_size);
  }
  const fake_command of = {.memory = memory, .offset = offset, .region = {size, 1, 1}};
  return note(__func__, queue, of, n_wait, wait, event);
}

static void *fake_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                                     cl_map_flags flags, size_t offset, size_t size, cl_uint n_wait,
                                     const cl_event *wait, cl_event *event, cl_int *code) {
  (void)is_blocking;
  MAKING_MAY_BE_REFUSED(code)
  const object *const buffer = object_of(memory, FAKE_MEMORY);
  if (flags != CL_MAP_READ || offset + size > buffer->size) {
    *code = CL_INVALID_VALUE;
    return NULL;
  }
  const fake_command of = {.memory = memory, .offset = offset, .region = {size, 1, 1}};
  *code = note(__func__, queue, of, n_wait, wait, event);
  return buffer->bytes + offset;
}

static cl_int fake_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *at,
                                           cl_uint n_wait, const cl_event *wait, cl_event *event) {
  MAY_BE_REFUSED(void) object_of(memory, FAKE_MEMORY);
  const fake_command of = {.memory = memory, .host = at};
  return note(__func__, queue, of, n_wait, wait, event);
}

/* All of an image, line by line. */
static cl_int copy_image(const char *function, cl_command_queue queue, cl_mem image, cl_mem memory,
                         bool is_to_image, size_t offset, const size_t *origin,
                         const size_t *region, cl_uint n_wait, const cl_event *wait,
                         cl_event *event) {
  const object *const of = object_of(image, FAKE_MEMORY);
  const object *const buffer = object_of(memory, FAKE_MEMORY);
  const size_t size = region[0] * region[1] * region[2] * of->image[4];
  if (origin[0] + origin[1] + origin[2] != 0 || size != of->size || offset + size > buffer->size) {
    return CL_INVALID_VALUE;
  }
  memcpy(is_to_image ? of->bytes : buffer->bytes + offset,
         is_to_image ? buffer->bytes + offset : of->bytes, size);
  const fake_command noted = {
      .memory = image, .offset = offset, .region = {region[0], region[1], region[2]}};
  return note(function, queue, noted, n_wait, wait, event);
}

static cl_int fake_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                              size_t offset, const size_t *origin,
                                              const size_t *region, cl_uint n_wait,
                                              const cl_event *wait, cl_event *event) {
  MAY_BE_REFUSED
  return copy_image(__func__, queue, image, buffer, true, offset, origin, region, n_wait, wait,
                    event);
}

static cl_int fake_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                              const size_t *origin, const size_t *region,
                                              size_t offset, cl_uint n_wait, const cl_event *wait,
                                              cl_event *event) {
  MAY_BE_REFUSED
  return copy_image(__func__, queue, image, buffer, false, offset, origin, region, n_wait, wait,
                    event);
}

static cl_int fake_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n_wait,
                                               const cl_event *wait, cl_event *event) {
  MAY_BE_REFUSED
  const fake_command of = {.memory = NULL};
  return note(__func__, queue, of, n_wait, wait, event);
}

static void sort_by_number(const object **list, cl_uint count) {
  for (cl_uint i = 1; i < count; ++i) {
    const object *const moved = list[i];
    cl_uint at = i;
    for (; at > 0 && list[at - 1]->number > moved->number; --at) {
      list[at] = list[at - 1];
    }
    list[at] = moved;
  }
}

/* Runs on a copy of the arguments, with the addresses of the buffers in it. */
static void run_native(void(CL_CALLBACK *kernel)(void *), const void *arguments, size_t size,
                       cl_uint count, const object *const *list, const void *const *places) {
  unsigned char *const copied = malloc(size);
  if (copied == NULL) {
    end("no memory");
  }
  memcpy(copied, arguments, size);
  for (cl_uint i = 0; i < count; ++i) {
    const size_t at = (size_t)((const unsigned char *)places[i] - (const unsigned char *)arguments);
    memcpy(copied + at, &list[i]->bytes, sizeof list[i]->bytes);
  }
  kernel(copied);
  free(copied);
}

static cl_int fake_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *kernel)(void *),
                                         void *arguments, size_t size, cl_uint count,
                                         const cl_mem *memory, const void **places, cl_uint n_wait,
                                         const cl_event *wait, cl_event *event) {
  MAY_BE_REFUSED
  enum { MOST = 256 };
  const object *list[MOST];
  if (count == 0 || count > MOST || !object_of(queue, FAKE_QUEUE)->devices[0]->runs_native) {
    return CL_INVALID_OPERATION;
  }
  for (cl_uint i = 0; i < count; ++i) {
    object *const held = object_of(memory[i], FAKE_MEMORY);
    ++held->holders;
    list[i] = held;
  }
  if (fake.sorts_buffers) {
    sort_by_number(list, count);
  }
  const fake_command of = {.memory = memory[0], .region = {count, 1, 1}};
  const cl_int code = note(__func__, queue, of, n_wait, wait, event);
  if (code == CL_SUCCESS && !fake.drops_native) {
    run_native(kernel, arguments, size, count, list, places);
  }
  for (cl_uint i = 0; i < count; ++i) {
    (void)fake_clReleaseMemObject((cl_mem)(uintptr_t)list[i]);
  }
  return code;
}

/* The kernel as it is now. Its buffers are to be there. */
static fake_command launch_of(cl_kernel kernel, cl_uint rank, const size_t *global,
                              const size_t *local) {
  const object *const of = object_of(kernel, FAKE_KERNEL);
  fake_command noted = {.rank = rank};
  snprintf(noted.kernel, sizeof noted.kernel, "%s", of->name);
  memcpy(noted.arguments, of->arguments, sizeof noted.arguments);
  for (cl_uint d = 0; d < 3; ++d) {
    noted.region[d] = d < rank ? global[d] : 1;
    noted.local_size[d] = d < rank ? local[d] : 1;
  }
  return noted;
}

static cl_int fake_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint rank,
                                          const size_t *offsets, const size_t *global,
                                          const size_t *local, cl_uint n_wait, const cl_event *wait,
                                          cl_event *event) {
  MAY_BE_REFUSED(void) offsets;
  return note(__func__, queue, launch_of(kernel, rank, global, local), n_wait, wait, event);
}

/* ---- Events: all that there are have come ---- */

static cl_int fake_clRetainEvent(cl_event event) {
  MAY_BE_REFUSED
  return hold(event, FAKE_EVENT, 1);
}

static cl_int fake_clReleaseEvent(cl_event event) {
  return hold(event, FAKE_EVENT, -1);
}

static cl_int fake_clWaitForEvents(cl_uint count, const cl_event *events) {
  MAY_BE_REFUSED
  for (cl_uint i = 0; i < count; ++i) {
    (void)object_of(events[i], FAKE_EVENT);
  }
  return count == 0 ? CL_INVALID_VALUE : CL_SUCCESS;
}

static cl_int fake_clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                                           void *to, size_t *needed) {
  MAY_BE_REFUSED(void) object_of(event, FAKE_EVENT);
  enum { START = 1000000 };
  const cl_ulong end_time =
      fake.runs_backwards ? START - fake.nanoseconds : START + fake.nanoseconds;
  ANSWER(cl_ulong, what == CL_PROFILING_COMMAND_START ? START
                   : what == CL_PROFILING_COMMAND_END ? end_time
                                                      : 0)
}

/* ---- cl_khr_command_buffer ---- */

static cl_command_buffer_khr CL_API_CALL fake_clCreateCommandBufferKHR(
    cl_uint count, const cl_command_queue *queues, const rlt_property *properties, cl_int *code) {
  MAKING_MAY_BE_REFUSED(code)
  object *const queue = object_of(queues[0], FAKE_QUEUE);
  object *const buffer = make(FAKE_COMMAND_BUFFER, queue->context);
  if (count != 1) {
    end("a command buffer is of one queue");
  }
  buffer->queue = queue;
  for (int i = 0; properties != NULL && i < 4 && properties[i] != 0; ++i) {
    buffer->properties[i] = properties[i];
  }
  queue->last_flags = buffer->properties[1];
  return made(buffer, code);
}

cl_ulong fake_flags(cl_command_queue queue) {
  return object_of(queue, FAKE_QUEUE)->last_flags;
}

static cl_int CL_API_CALL fake_clFinalizeCommandBufferKHR(cl_command_buffer_khr buffer) {
  MAY_BE_REFUSED
  object_of(buffer, FAKE_COMMAND_BUFFER)->is_final = true;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL fake_clReleaseCommandBufferKHR(cl_command_buffer_khr buffer) {
  return hold(buffer, FAKE_COMMAND_BUFFER, -1);
}

static cl_int CL_API_CALL fake_clEnqueueCommandBufferKHR(cl_uint count, cl_command_queue *queues,
                                                         cl_command_buffer_khr buffer,
                                                         cl_uint n_wait, const cl_event *wait,
                                                         cl_event *event) {
  MAY_BE_REFUSED(void) queues;
  const object *const of = object_of(buffer, FAKE_COMMAND_BUFFER);
  const fake_command noted = {.memory = NULL};
  if (count != 0 || !of->is_final) {
    return CL_INVALID_OPERATION;
  }
  return note(__func__, (cl_command_queue)(void *)of->queue, noted, n_wait, wait, event);
}

/* Sync points are numbers from 1 on; those that are waited for stand where events do. */
static cl_int record(const char *function, cl_command_buffer_khr buffer, fake_command noted,
                     cl_uint n_wait, const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point) {
  object *const of = object_of(buffer, FAKE_COMMAND_BUFFER);
  if ((n_wait == 0) != (wait == NULL) || of->is_final) {
    return CL_INVALID_OPERATION;
  }
  const cl_int code = note(function, (cl_command_queue)(void *)of->queue, noted, 0, NULL, NULL);
  fake_command *const last = &fake.commands[(fake.command_count - 1) % FAKE_COMMANDS];
  last->n_wait = n_wait;
  for (cl_uint i = 0; i < n_wait && i < FAKE_WAITS; ++i) {
    last->wait[i] = (cl_event)(uintptr_t)wait[i];
  }
  if (sync_point != NULL) {
    *sync_point = ++of->sync_points;
    last->event = (cl_event)(uintptr_t)*sync_point;
  }
  return code;
}

static cl_int CL_API_CALL fake_clCommandNDRangeKernelKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue, const rlt_property *properties,
    cl_kernel kernel, cl_uint rank, const size_t *offset, const size_t *global, const size_t *local,
    cl_uint n_wait, const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
    rlt_mutable_command *command) {
  MAY_BE_REFUSED(void) queue;
  (void)offset;
  if ((properties == NULL) != (command == NULL)) {
    end("a command that cannot be changed is asked for");
  }
  if (command != NULL) {
    *command = (rlt_mutable_command)(void *)kernel;
  }
  return record(__func__, buffer, launch_of(kernel, rank, global, local), n_wait, wait, sync_point);
}

/* Up to 0.9.4, and from then on. */
static cl_int CL_API_CALL fake_clCommandBarrierWithWaitListKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint n_wait,
    const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point, rlt_mutable_command *command) {
  MAY_BE_REFUSED
  const fake_command noted = {.memory = NULL};
  if (queue != NULL || command != NULL) {
    end("a barrier is of the only queue, and is not changed");
  }
  return record(__func__, buffer, noted, n_wait, wait, sync_point);
}

static cl_int CL_API_CALL fake_later_barrier(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const rlt_property *properties, cl_uint n_wait,
                                             const cl_sync_point_khr *wait,
                                             cl_sync_point_khr *sync_point,
                                             rlt_mutable_command *command) {
  if (properties != NULL) {
    end("a barrier has no properties");
  }
  return fake_clCommandBarrierWithWaitListKHR(buffer, queue, n_wait, wait, sync_point, command);
}

/* Likewise. What is filled with is four bytes of 0. */
static cl_int CL_API_CALL fake_clCommandFillBufferKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem memory, const void *pattern,
    size_t pattern_size, size_t offset, size_t size, cl_uint n_wait, const cl_sync_point_khr *wait,
    cl_sync_point_khr *sync_point, rlt_mutable_command *command) {
  static const unsigned char zeros[4] = {0};
  MAY_BE_REFUSED
  const fake_command noted = {.memory = memory, .offset = offset, .region = {size, 1, 1}};
  if (queue != NULL || command != NULL || pattern_size != sizeof zeros ||
      memcmp(pattern, zeros, sizeof zeros) != 0) {
    end("a fill is of the only queue and of 0, and is not changed");
  }
  return can_fill(object_of(memory, FAKE_MEMORY), pattern_size, offset, size)
             ? record(__func__, buffer, noted, n_wait, wait, sync_point)
             : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL fake_later_fill(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const rlt_property *properties, cl_mem memory,
                                          const void *pattern, size_t pattern_size, size_t offset,
                                          size_t size, cl_uint n_wait,
                                          const cl_sync_point_khr *wait,
                                          cl_sync_point_khr *sync_point,
                                          rlt_mutable_command *command) {
  if (properties != NULL) {
    end("a fill has no properties");
  }
  return fake_clCommandFillBufferKHR(buffer, queue, memory, pattern, pattern_size, offset, size,
                                     n_wait, wait, sync_point, command);
}

/* With the 0 behind them, if there are any. */
static size_t size_of_properties(const cl_ulong *properties) {
  size_t count = 0;
  while (properties[count] != 0) {
    ++count;
  }
  return count == 0 ? 0 : (count + 1) * sizeof *properties;
}

static cl_int CL_API_CALL fake_clGetCommandBufferInfoKHR(cl_command_buffer_khr buffer, cl_uint what,
                                                         size_t size, void *to, size_t *needed) {
  enum { NUM_QUEUES = 0x1295, STATE = 0x1297, PROPERTIES_ARRAY = 0x1298 };
  MAY_BE_REFUSED
  const object *const of = object_of(buffer, FAKE_COMMAND_BUFFER);
  switch (what) {
  case NUM_QUEUES:
    ANSWER(cl_uint, 1)
  case STATE:
    ANSWER(cl_uint, of->is_final ? 1 : 0)
  case PROPERTIES_ARRAY:
    return answer(of->properties, size_of_properties(of->properties), size, to, needed);
  default:
    return CL_INVALID_VALUE;
  }
}

/* As cl_khr_command_buffer_mutable_dispatch 0.9.3 has it, in the order of its fields. */
typedef struct update_config {
  rlt_mutable_command command;
  cl_uint counts[4]; /* arguments, SVM arguments, exec infos, dimensions */
  const rlt_mutable_argument *arguments;
  const void *others[5];
} update_config;

static cl_int CL_API_CALL fake_clUpdateMutableCommandsKHR(cl_command_buffer_khr buffer,
                                                          cl_uint count, const cl_uint *types,
                                                          const void **configs) {
  MAY_BE_REFUSED
  const object *const of = object_of(buffer, FAKE_COMMAND_BUFFER);
  for (cl_uint i = 0; i < count; ++i) {
    const update_config *const config = configs[i];
    const cl_kernel kernel = (cl_kernel)(void *)config->command;
    if (types[i] != 0 || config->counts[1] + config->counts[2] + config->counts[3] != 0) {
      return CL_INVALID_VALUE;
    }
    for (cl_uint j = 0; j < config->counts[0]; ++j) {
      const rlt_mutable_argument *const argument = &config->arguments[j];
      set_argument(kernel, argument->number, argument->size, argument->value, false);
    }
    const size_t one[3] = {1, 1, 1};
    note(__func__, (cl_command_queue)(void *)of->queue, launch_of(kernel, 1, one, one), 0, NULL,
         NULL);
  }
  return CL_SUCCESS;
}

/* ---- Functions by their names ---- */

typedef struct function {
  const char *name;
  void (*address)(void);
} function;

static void *find(const function *functions, size_t count, const char *name) {
  void *found = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(functions[i].name, name) == 0) {
      memcpy(&found, &functions[i].address, sizeof found);
    }
  }
  return found;
}

#define FUNCTION(name)                                                                             \
  { #name, (void (*)(void))fake_##name }

static void *fake_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                           const char *name) {
  static const function functions[] = {
      FUNCTION(clCreateCommandBufferKHR),
      FUNCTION(clFinalizeCommandBufferKHR),
      FUNCTION(clReleaseCommandBufferKHR),
      FUNCTION(clEnqueueCommandBufferKHR),
      FUNCTION(clCommandNDRangeKernelKHR),
      FUNCTION(clGetCommandBufferInfoKHR),
      FUNCTION(clCommandBarrierWithWaitListKHR),
      FUNCTION(clCommandFillBufferKHR),
      FUNCTION(clUpdateMutableCommandsKHR),
      {"clSetKernelArgMemPointerINTEL", (void (*)(void))fake_clSetKernelArgSVMPointer}};
  if (platform == NULL) {
    end("a platform is NULL");
  }
  if (fake.lacks != NULL && strcmp(name, fake.lacks) == 0) {
    return NULL;
  }
  static const function later[] = {
      {"clCommandBarrierWithWaitListKHR", (void (*)(void))fake_later_barrier},
      {"clCommandFillBufferKHR", (void (*)(void))fake_later_fill}};
  void *const changed = fake.command_buffer_version >= (9 << 12 | 5)
                            ? find(later, sizeof later / sizeof *later, name)
                            : NULL;
  return changed != NULL ? changed : find(functions, sizeof functions / sizeof *functions, name);
}

static void *find_function(void *context, const char *name) {
  static const function functions[] = {
#define NEEDED(name, is_needed) FUNCTION(name),
      RLT_CL_FUNCTIONS(NEEDED)
#undef NEEDED
  };
  (void)context;
  return find(functions, sizeof functions / sizeof *functions, name);
}

void fake_driver_use(void) {
  relayout_error error = {0};
  if (relayout_opencl_use(find_function, NULL, &error) != RELAYOUT_OK) {
    end(error.message);
  }
}

/* ---- A caller's own objects, whose making is never refused ---- */

cl_context fake_context(size_t count, fake_device *const *devices) {
  object *const context = make(FAKE_CONTEXT, NULL);
  context->device_count = count;
  memcpy(context->devices, devices, count * sizeof *devices);
  return (cl_context)(void *)context;
}

cl_command_queue fake_queue(cl_context context, fake_device *device) {
  object *const queue = make(FAKE_QUEUE, object_of(context, FAKE_CONTEXT));
  queue->devices[0] = device;
  return (cl_command_queue)(void *)queue;
}

cl_mem fake_buffer(cl_context context, size_t size) {
  return fake_buffer_with(context, CL_MEM_READ_WRITE, size, NULL, NULL, 0);
}

cl_mem fake_image(cl_context context, cl_mem_object_type type, const size_t size[3],
                  size_t pixel_bytes) {
  const size_t bytes = size[0] * size[1] * size[2] * pixel_bytes;
  const cl_mem made_image = fake_buffer(context, bytes);
  object *const of = object_of(made_image, FAKE_MEMORY);
  const bool is_deep = type == CL_MEM_OBJECT_IMAGE3D;
  const bool is_array = type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  of->type = type;
  of->image[0] = size[0];
  of->image[1] = size[1];
  of->image[2] = is_deep ? size[2] : 0;
  of->image[3] = is_array ? size[2] : 0;
  of->image[4] = pixel_bytes;
  return made_image;
}

cl_event fake_event(cl_context context) {
  return (cl_event)(void *)make(FAKE_EVENT, object_of(context, FAKE_CONTEXT));
}

void fake_release(cl_event event) {
  hold(event, FAKE_EVENT, -1);
}

void fake_release_program(cl_program program) {
  hold(program, FAKE_PROGRAM, -1);
}
