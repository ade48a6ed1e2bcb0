/* devices.h: the devices that a word on a test program's command line means.
 *
 * Depends on the public headers.
 */
#ifndef CONFORMANCE_DEVICES_H
#define CONFORMANCE_DEVICES_H

#include "relayout/relayout.h"

enum { DEVICES_NONE = 77 }; /* what a program exits with where there is no such device */

/* One of them, open or not. */
typedef struct named_device {
  const char *word; /* that means it */
  char name[32];    /* as relayout_device_open takes it */
  int32_t threads;  /* of the CPU backend */
  int32_t kernels;  /* the family, a relayout_kernel_family, of an OpenCL device */
} named_device;

/* Returns EXIT_SUCCESS, EXIT_FAILURE or DEVICES_NONE. */
typedef int (*named_device_visitor)(void *context, const named_device *it);

/* Calls `visit` with each device that `word` means: cpu, cpu_one_thread, opencl_work_group or
 * opencl_native: the last two are every OpenCL device whose platform's name holds `platform`, each
 * with that family of kernels, of which native ones are CPU devices' alone. Returns EXIT_FAILURE if
 * that did once, DEVICES_NONE where there is none, else what it returned last. What cannot be had
 * is said on stderr. */
int named_devices_visit(const char *word, const char *platform, named_device_visitor visit,
                        void *context);

/* Opens it, on a context of its own, which keeps programs in that folder; NULL: where the library
 * does so by itself. RELAYOUT_UNSUPPORTED where the processor has not the instructions that
 * RELAYOUT_CPU_INSTRUCTIONS names. */
relayout_status named_device_open(const named_device *which, const char *cache_directory,
                                  relayout_device **device, relayout_error *error);

#endif
