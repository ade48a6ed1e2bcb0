/* denoiser.h: the part of a program that filters pictures on OpenCL without relayout: its own
 * context, device, queue and kernel. */
#ifndef SAMPLES_IMAGE_DENOISER_H
#define SAMPLES_IMAGE_DENOISER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

typedef struct denoiser {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue; /* out of order where the device can: only events order its commands */
  cl_kernel kernel;
} denoiser;

/* On the first OpenCL device that any platform offers. CL_DEVICE_NOT_FOUND where there is none. */
cl_int denoiser_open(denoiser *self);
void denoiser_close(denoiser *self);

/* Enqueues the filter from `in` to `out`, after one event and giving another. Both hold `planes`
 * planes of `height` rows, each `pitch` bytes wide, a multiple of 16. */
cl_int denoiser_enqueue(const denoiser *self, cl_mem in, cl_mem out, size_t planes, size_t height,
                        size_t pitch, cl_event wait, cl_event *event);

#endif
