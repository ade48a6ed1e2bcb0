/* open_any_device.c: lists what relayout can run on, opens one device by name and runs on it.
 *
 *     open_any_device            "auto": the first GPU, else accelerator, else the CPU backend
 *     open_any_device opencl     the best OpenCL device
 *     open_any_device opencl:0:0 that one
 */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_DEVICES = 16, NO_DEVICE_HERE = 77 };

static void list_devices(void) {
  relayout_device_info infos[MOST_DEVICES];
  for (int i = 0; i < MOST_DEVICES; i++) {
    infos[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  size_t count = 0;
  relayout_device_list(infos, MOST_DEVICES, &count, NULL);
  for (size_t i = 0; i < count && i < MOST_DEVICES; i++) {
    printf("%-12s %s\n", infos[i].name, infos[i].description);
  }
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "auto";
  list_devices();

  relayout_error error;
  relayout_device *device = NULL;
  if (relayout_device_open(name, &device, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s: %s\n", name, error.message);
    return error.status == RELAYOUT_NO_DEVICE ? NO_DEVICE_HERE : 1;
  }
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(device, &info, NULL);
  printf("\"%s\" opened %s, %s\n", name, info.name, info.description);

  /* The same calls whatever the device: host memory in, host memory out. */
  const uint32_t in[2][3] = {{11, 12, 13}, {21, 22, 23}};
  uint32_t out[3][2] = {{0}};
  relayout_shape from;
  relayout_shape to;
  relayout_shape_parse("u32[2,3]{1,0}", &from, NULL);
  relayout_shape_parse("u32[2,3]{0,1}", &to, NULL);
  const relayout_status status = relayout_copy(device, &from, &to, in, out, &error);
  relayout_device_destroy(device);
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s: %s\n", name, error.message);
    return 1;
  }
  for (int row = 0; row < 3; row++) {
    printf("%u %u\n", (unsigned)out[row][0], (unsigned)out[row][1]);
  }
  return out[0][1] == 21 && out[2][0] == 13 ? 0 : 1;
}
