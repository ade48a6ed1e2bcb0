/* denoiser.c: removes grain and keeps edges. Each pixel becomes the mean of its 7 x 7
 * neighbourhood, weighted by likeness. A work-item makes 16 pixels of one plane: since rows are
 * padded to whole vectors, it needs no test for the end of a row. */
#include "denoiser.h"

static const char source[] =
    "kernel void denoise(global const uchar *in, global uchar *out) {\n"
    "  const int pitch = (int)get_global_size(0) * 16, x = (int)get_global_id(0) * 16;\n"
    "  const int height = (int)get_global_size(1), y = (int)get_global_id(1);\n"
    "  const size_t plane = get_global_id(2) * (size_t)pitch * height;\n"
    "  const size_t place = plane + (size_t)y * pitch + x;\n"
    "  const float16 centre = convert_float16(vload16(0, in + place));\n"
    "  float16 sum = 0.0f, weights = 0.0f;\n"
    "  for (int v = -3; v <= 3; v++) {\n"
    "    global const uchar *row = in + plane + (size_t)clamp(y + v, 0, height - 1) * pitch;\n"
    "    for (int u = -3; u <= 3; u++) {\n"
    "      const float16 pixel = convert_float16(vload16(0, row + clamp(x + u, 0, pitch - 16)));\n"
    "      const float16 weight = fmax(40.0f - fabs(pixel - centre), 0.0f);\n"
    "      sum += weight * pixel;\n"
    "      weights += weight;\n"
    "    }\n"
    "  }\n"
    "  vstore16(convert_uchar16_sat_rte(sum / weights), 0, out + place);\n"
    "}\n";

static cl_device_id first_device(void) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) {
    return NULL;
  }
  cl_device_id device = NULL;
  for (cl_uint i = 0; i < count && i < 8 && device == NULL; i++) {
    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  }
  return device;
}

static cl_int build_kernel(denoiser *self) {
  const char *text = source;
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(self->context, 1, &text, NULL, &status);
  if (status != CL_SUCCESS) {
    return status;
  }
  status = clBuildProgram(program, 1, &self->device, "", NULL, NULL);
  if (status == CL_SUCCESS) {
    self->kernel = clCreateKernel(program, "denoise", &status);
  }
  clReleaseProgram(program);
  return status;
}

cl_int denoiser_open(denoiser *self) {
  *self = (denoiser){.device = first_device()};
  if (self->device == NULL) {
    return CL_DEVICE_NOT_FOUND;
  }
  cl_command_queue_properties can = 0;
  clGetDeviceInfo(self->device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, NULL);
  can &= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

  cl_int status = CL_SUCCESS;
  self->context = clCreateContext(NULL, 1, &self->device, NULL, NULL, &status);
  if (status == CL_SUCCESS) {
    self->queue = clCreateCommandQueue(self->context, self->device, can, &status);
  }
  if (status == CL_SUCCESS) {
    status = build_kernel(self);
  }
  if (status != CL_SUCCESS) {
    denoiser_close(self);
  }
  return status;
}

void denoiser_close(denoiser *self) {
  if (self->kernel != NULL) {
    clReleaseKernel(self->kernel);
  }
  if (self->queue != NULL) {
    clReleaseCommandQueue(self->queue);
  }
  if (self->context != NULL) {
    clReleaseContext(self->context);
  }
  *self = (denoiser){0};
}

cl_int denoiser_enqueue(const denoiser *self, cl_mem in, cl_mem out, size_t planes, size_t height,
                        size_t pitch, cl_event wait, cl_event *event) {
  const size_t size[3] = {pitch / 16, height, planes};
  cl_int status = clSetKernelArg(self->kernel, 0, sizeof in, &in);
  if (status == CL_SUCCESS) {
    status = clSetKernelArg(self->kernel, 1, sizeof out, &out);
  }
  if (status == CL_SUCCESS) {
    status =
        clEnqueueNDRangeKernel(self->queue, self->kernel, 3, NULL, size, NULL, 1, &wait, event);
  }
  return status;
}
