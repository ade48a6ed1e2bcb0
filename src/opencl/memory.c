/* memory.c: what a device tells of buffers, pointers and images. */
#include "opencl/memory.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "opencl/calls.h"
#include "opencl/native.h"

/* Whether the words of a list, which blanks part, have this one. */
static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word)) {
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

static bool has_extension(const rlt_opencl_device *device, const char *name) {
  char *list = NULL;
  const bool has =
      rlt_opencl_device_text(device->id, CL_DEVICE_EXTENSIONS, &list, NULL) == RELAYOUT_OK &&
      has_word(list, name);
  rlt_free(list);
  return has;
}

static rlt_set_pointer *find_usm_setter(const rlt_opencl_device *device) {
  cl_platform_id platform = NULL;
  if (!has_extension(device, "cl_intel_unified_shared_memory") ||
      rlt_opencl_device_value(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) !=
          RELAYOUT_OK) {
    return NULL;
  }
  rlt_set_pointer *found = NULL;
  void *const address =
      clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL");
  memcpy(&found, &address, sizeof found); /* C does not convert objects' pointers to functions' */
  return found;
}

void rlt_memory_learn(rlt_opencl_device *device) {
  cl_device_svm_capabilities svm = 0;
  if (clSetKernelArgSVMPointer == NULL ||
      rlt_opencl_device_value(device->id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) !=
          RELAYOUT_OK) {
    svm = 0; /* loader or device are below OpenCL 2.0 */
  }
  device->set_svm_pointer = svm == 0 ? NULL : clSetKernelArgSVMPointer;
  device->set_usm_pointer = find_usm_setter(device);
  device->svm_is_all_memory = (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
  /* Others, of which no query tells, may make a copy of the memory when the buffer is made: the
   * caller's events come later. */
  device->shares_host_memory = device->base.info.device_class == RELAYOUT_DEVICE_CLASS_CPU &&
                               rlt_opencl_is_pocl(&device->base.info);
}

static relayout_status refuse(const char *name, const char *what, relayout_error *error) {
  return rlt_fail(error, RELAYOUT_UNSUPPORTED, "%s is %s memory, which the device does not support",
                  name, what);
}

relayout_status rlt_memory_access(const rlt_opencl_device *device, const char *name,
                                  relayout_memory_kind kind, rlt_access *access,
                                  relayout_error *error) {
  switch (kind) {
  case RELAYOUT_MEMORY_BUFFER:
    *access = RLT_ACCESS_BUFFER;
    return RELAYOUT_OK;
  case RELAYOUT_MEMORY_IMAGE:
    *access = RLT_ACCESS_IMAGE;
    return RELAYOUT_OK;
  case RELAYOUT_MEMORY_HOST:
    *access = rlt_opencl_is_native(device) || device->svm_is_all_memory ? RLT_ACCESS_POINTER
              : device->shares_host_memory                              ? RLT_ACCESS_WRAPPED
                                                                        : RLT_ACCESS_STAGED;
    return RELAYOUT_OK;
  case RELAYOUT_MEMORY_SVM:
    *access = RLT_ACCESS_POINTER;
    return device->set_svm_pointer != NULL ? RELAYOUT_OK : refuse(name, "SVM", error);
  case RELAYOUT_MEMORY_USM:
    *access = RLT_ACCESS_POINTER;
    return device->set_usm_pointer != NULL ? RELAYOUT_OK : refuse(name, "USM", error);
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s has kind %d, which is not a kind of memory",
                  name, (int)kind);
}

rlt_set_pointer *rlt_memory_setter(const rlt_opencl_device *device, relayout_memory_kind kind) {
  return kind == RELAYOUT_MEMORY_USM ? device->set_usm_pointer : device->set_svm_pointer;
}
