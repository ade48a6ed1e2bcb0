/* host_only.c: the least that moves a tensor: host memory to host memory, one call, no OpenCL
 * anywhere. A matrix of floats stored row by row becomes one stored column by column whose columns
 * are padded to a multiple of 16 floats (64 bytes), as vectorised code likes them. */
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 600, PADDED_ROWS = 1008 };

int main(void) {
  relayout_error error;
  relayout_device *device = NULL;
  if (relayout_device_open("cpu", &device, &error) != RELAYOUT_OK) {
    fprintf(stderr, "no device: %s\n", error.message);
    return 1;
  }

  /* A shape is a plain struct: make the usual one, then say what is unusual. */
  const int64_t dimensions[] = {ROWS, COLUMNS};
  relayout_shape from;
  relayout_shape_make(RELAYOUT_F32, 2, dimensions, &from, NULL);
  relayout_shape to = from;
  relayout_layout_make_ascending(2, &to.layout, NULL);
  to.layout.padded_dimension_count = 2;
  to.layout.padded_dimensions[0] = PADDED_ROWS;
  to.layout.padded_dimensions[1] = COLUMNS;

  float *rows = malloc(sizeof(float[ROWS][COLUMNS]));
  float *columns = malloc(sizeof(float[COLUMNS][PADDED_ROWS]));
  if (rows == NULL || columns == NULL) {
    fprintf(stderr, "out of memory\n");
    return 1;
  }
  for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
    rows[i] = (float)i;
  }
  if (relayout_copy(device, &from, &to, rows, columns, &error) != RELAYOUT_OK) {
    fprintf(stderr, "relayout failed: %s\n", error.message);
    return 1;
  }

  printf("(2,1) was at %d and is at %d: %g, %g\n", 2 * COLUMNS + 1, 1 * PADDED_ROWS + 2,
         (double)rows[2 * COLUMNS + 1], (double)columns[1 * PADDED_ROWS + 2]);
  printf("below the first column: %g\n", (double)columns[ROWS]);
  const int right = columns[1 * PADDED_ROWS + 2] == rows[2 * COLUMNS + 1] && columns[ROWS] == 0;
  free(rows);
  free(columns);
  relayout_device_destroy(device);
  return right ? 0 : 1;
}
