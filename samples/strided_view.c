/* strided_view.c: a slice of an array moves as it lies, without a copy before. What NumPy writes as
 *
 *     planes = image[5:0:-2, 1:4].transpose(2, 0, 1).copy()
 *
 * is one relayout: a view says how the slice lies in the image. Its steps may be negative, for rows
 * from the bottom up, or 0, for a row that is repeated. */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>

enum { HEIGHT = 6, WIDTH = 5, CHANNELS = 3, ROWS = 3, COLUMNS = 3 };

int main(void) {
  uint8_t image[HEIGHT][WIDTH][CHANNELS];
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      for (int c = 0; c < CHANNELS; c++) {
        image[y][x][c] = (uint8_t)(100 * c + 10 * y + x);
      }
    }
  }

  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape whole, planes;
  relayout_view slice, result_view;
  relayout_plan *plan = NULL;
  uint8_t result[CHANNELS][ROWS][COLUMNS];
  if (relayout_shape_parse("u8[6,5,3]", &whole, &error) != RELAYOUT_OK ||
      relayout_view_make(&whole, &slice, &error) != RELAYOUT_OK ||
      relayout_view_slice(&slice, 0, 5, ROWS, -2, &slice, &error) != RELAYOUT_OK ||
      relayout_view_slice(&slice, 1, 1, COLUMNS, 1, &slice, &error) != RELAYOUT_OK ||
      /* The same three dimensions, each channel a plane of its own. */
      relayout_shape_parse("u8[3,3,3]{1,0,2}", &planes, &error) != RELAYOUT_OK ||
      relayout_view_make(&planes, &result_view, &error) != RELAYOUT_OK ||
      relayout_device_open("cpu", &device, &error) != RELAYOUT_OK ||
      relayout_plan_create_between(device, &slice, &result_view, NULL, &plan, &error) !=
          RELAYOUT_OK ||
      /* The pointer is the image's: the view knows where in it the slice begins. */
      relayout_plan_execute(plan, image, result, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  int right = 1;
  for (int row = 0; row < ROWS; row++) {
    for (int c = 0; c < CHANNELS; c++) {
      for (int column = 0; column < COLUMNS; column++) {
        printf(" %3d", result[c][row][column]);
        right = right && result[c][row][column] == image[5 - 2 * row][1 + column][c];
      }
      printf("   ");
    }
    printf("\n");
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return right ? 0 : 1;
}
