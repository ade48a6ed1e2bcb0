/* first_copy.c: six numbers change from rows to padded columns, by one call. */
#include <relayout/relayout.h>
#include <stdio.h>

int main(void) {
  const float image[6] = {1, 2, 3, 4, 5, 6};
  float padded[15];
  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape from, to;

  if (relayout_device_open("cpu", &device, &error) != RELAYOUT_OK ||
      relayout_shape_parse("f32[2,3]{1,0}", &from, &error) != RELAYOUT_OK ||
      relayout_shape_parse("f32[2,3]{0,1:PD(3,5)}", &to, &error) != RELAYOUT_OK ||
      relayout_copy(device, &from, &to, image, padded, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (int i = 0; i < 15; i++) {
    printf("%g ", (double)padded[i]);
  }
  printf("\n");
  relayout_device_destroy(device);
  return 0;
}
