/* documentation_example.c: the example of XLA's documentation of layouts: a 2 x 3 array
 *
 *     a b c
 *     d e f
 *
 * in three memory layouts. Each line printed is the memory, byte by byte; 0 is padding. */
#include <relayout/relayout.h>
#include <stdio.h>

/* Moves the array a..f, stored row by row, to `to_text` and prints the bytes that come out. */
static int show(relayout_device *device, const char *to_text) {
  static const char array[] = {'a', 'b', 'c', 'd', 'e', 'f'};
  char memory[15];
  size_t size = 0;
  relayout_shape from;
  relayout_shape to;
  relayout_error error;
  if (relayout_shape_parse("u8[2,3]{1,0}", &from, &error) != RELAYOUT_OK ||
      relayout_shape_parse(to_text, &to, &error) != RELAYOUT_OK ||
      relayout_shape_byte_size(&to, &size, &error) != RELAYOUT_OK || size > sizeof memory ||
      relayout_copy(device, &from, &to, array, memory, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s: %s\n", to_text, error.message);
    return 1;
  }
  printf("%-28s", to_text);
  for (size_t i = 0; i < size; i++) {
    printf(" %c", memory[i] == 0 ? '0' : memory[i]);
  }
  printf("\n");
  return 0;
}

int main(void) {
  relayout_error error;
  relayout_device *device = NULL;
  if (relayout_device_open("cpu", &device, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  int failed = show(device, "u8[2,3]{1,0}");            /* rows: dimension 1 is the fastest */
  failed |= show(device, "u8[2,3]{0,1}");               /* columns: dimension 0 is the fastest */
  failed |= show(device, "u8[2,3]{0,1:PD(3,5)}");       /* columns, widened to 3 x 5 with zeros */
  failed |= show(device, "u8[2,3]{1,0:PD(2,4)PV(45)}"); /* rows of four, filled up with '-' (45) */
  relayout_device_destroy(device);
  return failed;
}
