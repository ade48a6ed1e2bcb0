/* kernel_choice.c: another device on the same OpenCL objects. Depends on OpenCL. */
#include "kernel_choice.h"

#include <stddef.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include "relayout/opencl.h"

static const struct {
  const char *word;
  relayout_kernel_family kernels;
} choices[] = {{"auto", RELAYOUT_KERNELS_AUTO},
               {"native", RELAYOUT_KERNELS_NATIVE},
               {"opencl", RELAYOUT_KERNELS_WORK_GROUP}};

static exit_code read_choice(const char *text, relayout_kernel_family *kernels) {
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
    if (strcmp(text, choices[i].word) == 0) {
      *kernels = choices[i].kernels;
      return EXIT_CODE_OK;
    }
  }
  return report(EXIT_CODE_USAGE, "--kernels takes auto, native or opencl, not '%s'", text);
}

/* The new device holds the context of the old one. */
static exit_code make_device(relayout_kernel_family kernels, const relayout_device *opened,
                             relayout_device **made) {
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  relayout_error error;
  cl_context context;
  cl_device_id id;
  options.kernels = kernels;
  if (relayout_opencl_device_get_handles(opened, &context, &id, NULL) != RELAYOUT_OK) {
    return report(EXIT_CODE_USAGE, "--kernels is for OpenCL devices, not for the CPU backend");
  }
  return relayout_opencl_device_create(context, id, &options, made, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error("--kernels", &error);
}

exit_code kernel_choice_apply(const char *kernels, relayout_device **device) {
  relayout_kernel_family family = RELAYOUT_KERNELS_AUTO;
  relayout_device *made = NULL;
  if (kernels == NULL) {
    return EXIT_CODE_OK;
  }
  exit_code code = read_choice(kernels, &family);
  if (code == EXIT_CODE_OK) {
    code = make_device(family, *device, &made);
  }
  relayout_device_destroy(*device);
  *device = made;
  return code;
}
