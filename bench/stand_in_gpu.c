/* stand_in_gpu.c: what an OpenCL device says of itself, so that a CPU device passes for a GPU and
 * the library plans for it as it plans for GPUs.
 *
 * The linker leads the program's questions here (see CMakeLists.txt). CPU devices answer as a GPU
 * of a data centre does; other devices, and all other questions, are left alone. Only PoCL's name
 * is never told: what the library does for PoCL it does for no GPU. */
#include <string.h>

#include "opencl/cl.h"

#define WRAPPER(result, name, parameters)                                                          \
  result __real_##name parameters;                                                                 \
  result __wrap_##name parameters;                                                                 \
  result __wrap_##name parameters

static const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
static const cl_bool no = CL_FALSE;
static const cl_uint compute_units = 108;
static const cl_uint line_bytes = 128;
static const cl_uint vector_width = 1;
static const cl_ulong cache_bytes = 40 << 20;
static const cl_ulong local_bytes = 48 << 10;
static const cl_device_local_mem_type local_type = CL_LOCAL;
static const size_t group_size = 1024;

static const struct answer {
  cl_device_info what;
  size_t size;
  const void *value;
} answers[] = {{CL_DEVICE_TYPE, sizeof gpu, &gpu},
               {CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof no, &no},
               {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units, &compute_units},
               {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof line_bytes, &line_bytes},
               {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, sizeof vector_width, &vector_width},
               {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache_bytes, &cache_bytes},
               {CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes},
               {CL_DEVICE_LOCAL_MEM_TYPE, sizeof local_type, &local_type},
               {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group_size, &group_size}};
enum { ANSWERS = sizeof answers / sizeof answers[0] };

/* As OpenCL's questions are answered. */
static cl_int give(const void *answer, size_t answer_size, size_t size, void *value,
                   size_t *given) {
  if (value != NULL && size < answer_size) {
    return CL_INVALID_VALUE;
  }
  if (value != NULL) {
    memcpy(value, answer, answer_size);
  }
  if (given != NULL) {
    *given = answer_size;
  }
  return CL_SUCCESS;
}

WRAPPER(cl_int, clGetDeviceInfo,
        (cl_device_id id, cl_device_info what, size_t size, void *value, size_t *given)) {
  cl_device_type type = 0;
  const cl_int code = __real_clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  if (code != CL_SUCCESS) {
    return code;
  }
  for (int i = 0; i < ANSWERS && (type & CL_DEVICE_TYPE_CPU) != 0; ++i) {
    if (answers[i].what == what) {
      return give(answers[i].value, answers[i].size, size, value, given);
    }
  }
  return __real_clGetDeviceInfo(id, what, size, value, given);
}

WRAPPER(cl_int, clGetPlatformInfo,
        (cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *given)) {
  static const char name[] = "a stand-in for a GPU's";
  char real[64] = "";
  if (what == CL_PLATFORM_NAME &&
      __real_clGetPlatformInfo(platform, what, sizeof real, real, NULL) == CL_SUCCESS &&
      strstr(real, "Portable Computing Language") != NULL) {
    return give(name, sizeof name, size, value, given);
  }
  return __real_clGetPlatformInfo(platform, what, size, value, given);
}
