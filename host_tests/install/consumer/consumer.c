/* consumer.c: moves a 2 x 3 array on the host and checks what came out; the versions of
 * header and library must agree. */
#include <relayout/relayout.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", RELAYOUT_VERSION_MAJOR, RELAYOUT_VERSION_MINOR,
           RELAYOUT_VERSION_PATCH);
  if (strcmp(version, relayout_version()) != 0) {
    fprintf(stderr, "headers of %s, library of %s\n", version, relayout_version());
    return 1;
  }

  relayout_error error = {RELAYOUT_OK, 0, ""};
  relayout_device *device = NULL;
  relayout_shape from;
  relayout_shape to;
  char moved[7] = "";
  if (relayout_device_open("cpu", &device, &error) != RELAYOUT_OK ||
      relayout_shape_parse("u8[2,3]", &from, &error) != RELAYOUT_OK ||
      relayout_shape_parse("u8[2,3]{0,1}", &to, &error) != RELAYOUT_OK ||
      relayout_copy(device, &from, &to, "abcdef", moved, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  relayout_device_destroy(device);
  if (strcmp(moved, "adbecf") != 0) {
    fprintf(stderr, "expected adbecf, got %s\n", moved);
    return 1;
  }
  return 0;
}
