/* told_extensions.c: what a driver tells of its extensions. It has mutable dispatch on a driver
 * that lacks it and reads kernels' arguments when the command buffer runs. */
#include "opencl/told_extensions.h"

#include <string.h>

#include "cmocka_all.h"

enum { EXTENSIONS_WITH_VERSION = 0x1060, MUTABLE_CAPABILITIES = 0x12b0, PROPERTIES_ARRAY = 0x1298 };
enum { NUM_QUEUES = 0x1295 };

typedef struct told_extension {
  cl_uint version;
  char name[64];
} told_extension;

rlt_command_buffers real;
bool lies, has_fake_updates;
cl_uint fake_queue_count;

static size_t told_count;
static told_extension told[2];

cl_int __real_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *size_ret);
cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *size_ret);
cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *size_ret) {
  if (lies && what == EXTENSIONS_WITH_VERSION) {
    const size_t has = told_count * sizeof told[0];
    if (told_count == 0) {
      return CL_INVALID_VALUE;
    }
    if (value != NULL) {
      memcpy(value, told, has);
    }
    if (size_ret != NULL) {
      *size_ret = has;
    }
    return CL_SUCCESS;
  }
  if (lies && has_fake_updates && what == MUTABLE_CAPABILITIES) {
    memset(value, 0xff, size);
    return CL_SUCCESS;
  }
  return __real_clGetDeviceInfo(id, what, size, value, size_ret);
}

/* What the last mutable command buffer runs. Drivers may keep the arguments that a kernel had when
 * it was recorded: once these have changed, its kernels are enqueued one by one instead. */
static struct {
  cl_command_queue queue;
  bool is_updated;
  size_t count;
  struct fake_command {
    cl_kernel kernel; /* NULL: memory is filled with 0 */
    cl_uint rank;
    size_t global_size[3];
    size_t local_size[3];
    cl_mem memory;
    size_t offset;
    size_t bytes;
  } commands[16];
} faked;

static cl_command_buffer_khr CL_API_CALL fake_create(cl_uint queue_count,
                                                     const cl_command_queue *queues,
                                                     const rlt_property *properties, cl_int *code) {
  assert_true(properties != NULL && properties[0] == FLAGS_PROPERTY);
  assert_true((properties[1] & MUTABLE_FLAG) != 0);
  memset(&faked, 0, sizeof faked);
  faked.queue = queues[0];
  return real.create(queue_count, queues, NULL, code);
}

/* As versions before 0.9.5 have it, of which the driver that is told of is one. */
static rlt_first_fill *real_fill;

static struct fake_command *next_command(void) {
  assert_in_range(faked.count, 0, sizeof faked.commands / sizeof faked.commands[0] - 1);
  return &faked.commands[faked.count++];
}

static cl_int CL_API_CALL fake_range(cl_command_buffer_khr buffer, cl_command_queue queue,
                                     const rlt_property *properties, cl_kernel kernel, cl_uint rank,
                                     const size_t *offset, const size_t *global_size,
                                     const size_t *local_size, cl_uint n_wait,
                                     const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
                                     rlt_mutable_command *command) {
  assert_true(properties[0] == rlt_mutable_arguments[0] &&
              properties[1] == rlt_mutable_arguments[1] && properties[2] == 0);
  *command = (rlt_mutable_command)(void *)kernel;
  assert_null(offset);
  struct fake_command *const kept = next_command();
  *kept = (struct fake_command){.kernel = kernel, .rank = rank};
  memcpy(kept->global_size, global_size, rank * sizeof global_size[0]);
  memcpy(kept->local_size, local_size, rank * sizeof local_size[0]);
  return real.command_range(buffer, queue, NULL, kernel, rank, offset, global_size, local_size,
                            n_wait, wait, sync_point, NULL);
}

static cl_int CL_API_CALL fake_fill(cl_command_buffer_khr buffer, cl_command_queue queue,
                                    cl_mem memory, const void *pattern, size_t pattern_size,
                                    size_t offset, size_t size, cl_uint n_wait,
                                    const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
                                    rlt_mutable_command *command) {
  *next_command() = (struct fake_command){.memory = memory, .offset = offset, .bytes = size};
  return real_fill(buffer, queue, memory, pattern, pattern_size, offset, size, n_wait, wait,
                   sync_point, command);
}

static cl_int CL_API_CALL fake_info(cl_command_buffer_khr buffer, cl_uint what, size_t size,
                                    void *value, size_t *size_ret) {
  static const rlt_property properties[] = {FLAGS_PROPERTY, MUTABLE_FLAG, 0};
  if (what == NUM_QUEUES && fake_queue_count > 0) {
    memcpy(value, &fake_queue_count, sizeof fake_queue_count);
    return CL_SUCCESS;
  }
  if (what != PROPERTIES_ARRAY) {
    return real.get_info(buffer, what, size, value, size_ret);
  }
  memcpy(value, properties, sizeof properties);
  *size_ret = sizeof properties;
  return CL_SUCCESS;
}

/* As cl_khr_command_buffer_mutable_dispatch 0.9.3 has it, in the order of its fields. */
typedef struct update_config {
  rlt_mutable_command command;
  cl_uint counts[4]; /* arguments, SVM arguments, exec infos, dimensions */
  const rlt_mutable_argument *arguments;
  const void *others[5];
} update_config;

static cl_int CL_API_CALL fake_update(cl_command_buffer_khr buffer, cl_uint count,
                                      const cl_uint *types, const void **configs) {
  assert_non_null(buffer);
  for (cl_uint i = 0; i < count; ++i) {
    const update_config *const config = configs[i];
    assert_int_equal(types[i], 0);
    assert_true(config->counts[1] == 0 && config->counts[2] == 0 && config->counts[3] == 0);
    for (cl_uint j = 0; j < config->counts[0]; ++j) {
      const rlt_mutable_argument *const argument = &config->arguments[j];
      assert_int_equal(clSetKernelArg((cl_kernel)(void *)config->command, argument->number,
                                      argument->size, argument->value),
                       CL_SUCCESS);
    }
  }
  faked.is_updated = true;
  return CL_SUCCESS;
}

/* One after the other, as the queue is in order. */
static cl_int CL_API_CALL fake_enqueue(cl_uint count, cl_command_queue *queues,
                                       cl_command_buffer_khr buffer, cl_uint n_wait,
                                       const cl_event *wait, cl_event *event) {
  if (!faked.is_updated) {
    return real.enqueue(count, queues, buffer, n_wait, wait, event);
  }
  for (size_t i = 0; i < faked.count; ++i) {
    const struct fake_command *const command = &faked.commands[i];
    const cl_uint waits = i == 0 ? n_wait : 0;
    const cl_event *const waited = i == 0 ? wait : NULL;
    cl_event *const made = i + 1 == faked.count ? event : NULL;
    const cl_uint zero = 0;
    const cl_int code =
        command->kernel == NULL
            ? clEnqueueFillBuffer(faked.queue, command->memory, &zero, sizeof zero, command->offset,
                                  command->bytes, waits, waited, made)
            : clEnqueueNDRangeKernel(faked.queue, command->kernel, command->rank, NULL,
                                     command->global_size, command->local_size, waits, waited,
                                     made);
    assert_int_equal(code, CL_SUCCESS);
  }
  return CL_SUCCESS;
}

void *__real_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name);
void *__wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name);
void *__wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  rlt_create_command_buffer *const create = fake_create;
  rlt_command_range *const range = fake_range;
  rlt_get_command_buffer_info *const info = fake_info;
  rlt_update_commands *const update = fake_update;
  rlt_enqueue_command_buffer *const enqueue = fake_enqueue;
  rlt_first_fill *const filling = fake_fill;
  const struct {
    const char *name;
    const void *function;
  } fakes[] = {{"clCreateCommandBufferKHR", &create},   {"clCommandNDRangeKernelKHR", &range},
               {"clCommandFillBufferKHR", &filling},    {"clGetCommandBufferInfoKHR", &info},
               {"clUpdateMutableCommandsKHR", &update}, {"clEnqueueCommandBufferKHR", &enqueue}};
  void *address = __real_clGetExtensionFunctionAddressForPlatform(platform, name);
  if (strcmp(name, "clCommandFillBufferKHR") == 0) {
    memcpy(&real_fill, &address, sizeof real_fill);
  }
  for (size_t i = 0; lies && has_fake_updates && i < sizeof fakes / sizeof fakes[0]; ++i) {
    if (strcmp(name, fakes[i].name) == 0) {
      memcpy(&address, fakes[i].function, sizeof address);
      return address;
    }
  }
  return address;
}

void tell(cl_uint version, cl_uint mutable_version) {
  told[0] = (told_extension){version, "cl_khr_command_buffer"};
  told[1] = (told_extension){mutable_version, "cl_khr_command_buffer_mutable_dispatch"};
  told_count = version == 0 ? 0 : mutable_version == 0 ? 1 : 2;
  lies = true;
}
