/* devices.c: finding and opening the devices that a word means. */
#include "conformance/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RELAYOUT_HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include "relayout/opencl.h"

static int visit_opencl(named_device *it, const char *platform, named_device_visitor visit,
                        void *context) {
  enum { MOST = 64 };
  static relayout_device_info infos[MOST];
  for (size_t i = 0; i < MOST; ++i) {
    infos[i].struct_size = sizeof(infos[i]);
  }
  relayout_error error;
  size_t count;
  if (relayout_device_list(infos, MOST, &count, &error) != RELAYOUT_OK) {
    fprintf(stderr, "list: %s: %s\n", relayout_status_text(error.status), error.message);
    return EXIT_FAILURE;
  }
  int result = DEVICES_NONE;
  for (size_t i = 0; i < count && i < MOST; ++i) {
    if (infos[i].backend != RELAYOUT_BACKEND_OPENCL ||
        strstr(infos[i].platform, platform) == NULL ||
        (it->kernels == RELAYOUT_KERNELS_NATIVE &&
         infos[i].device_class != RELAYOUT_DEVICE_CLASS_CPU)) {
      continue;
    }
    snprintf(it->name, sizeof(it->name), "%s", infos[i].name);
    const int device_result = visit(context, it);
    result = result == EXIT_FAILURE ? result : device_result;
  }
  return result;
}

static relayout_status open_opencl(const named_device *which, const char *cache_directory,
                                   relayout_device **device, relayout_error *error) {
  relayout_device *opened;
  relayout_status status = relayout_device_open(which->name, &opened, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_context context;
  cl_device_id id;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = (relayout_kernel_family)which->kernels;
  options.cache_directory = cache_directory;
  status = relayout_opencl_device_get_handles(opened, &context, &id, error);
  if (status == RELAYOUT_OK) {
    status = relayout_opencl_device_create(context, id, &options, device, error);
  }
  relayout_device_destroy(opened); /* the other one holds the context */
  return status;
}

static const struct {
  const char *word;
  relayout_kernel_family kernels;
} families[] = {{"opencl_work_group", RELAYOUT_KERNELS_WORK_GROUP},
                {"opencl_native", RELAYOUT_KERNELS_NATIVE}};
#endif

static relayout_status open_cpu(const named_device *which, relayout_device **device,
                                relayout_error *error) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = which->threads;
  return relayout_cpu_device_create(&options, device, error);
}

relayout_status named_device_open(const named_device *which, const char *cache_directory,
                                  relayout_device **device, relayout_error *error) {
  *device = NULL;
#ifdef RELAYOUT_HAVE_OPENCL
  if (strcmp(which->name, "cpu") != 0) {
    return open_opencl(which, cache_directory, device, error);
  }
#endif
  (void)cache_directory;
  return open_cpu(which, device, error);
}

int named_devices_visit(const char *word, const char *platform, named_device_visitor visit,
                        void *context) {
  named_device it = {.word = word, .name = "cpu"};
  if (strcmp(word, "cpu") == 0 || strcmp(word, "cpu_one_thread") == 0) {
    it.threads = strcmp(word, "cpu") == 0 ? 0 : 1;
    return visit(context, &it);
  }
#ifdef RELAYOUT_HAVE_OPENCL
  for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); ++i) {
    if (strcmp(word, families[i].word) == 0) {
      it.kernels = (int32_t)families[i].kernels;
      return visit_opencl(&it, platform, visit, context);
    }
  }
#endif
  (void)platform;
  printf("no such device: %s\n", word);
  return DEVICES_NONE;
}
