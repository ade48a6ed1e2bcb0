/* opencl_consumer.c: reaches the OpenCL calls and the OpenCL loader, on
 * machines without any platform too. */
#include <relayout/opencl.h>
#include <stdio.h>

int main(void) {
  cl_uint platforms = 0;
  clGetPlatformIDs(0, NULL, &platforms);
  relayout_device *device = NULL;
  relayout_error error;
  if (relayout_opencl_device_create(NULL, NULL, NULL, &device, &error) !=
      RELAYOUT_INVALID_ARGUMENT) {
    fprintf(stderr, "a device without a context was accepted\n");
    return 1;
  }
  return 0;
}
