/* tiled_weights.c: a weight matrix of bf16 goes to the tiles that accelerators read
 * it in, T(8,128)(2,1), and back.
 *
 * The matrix is cut into tiles of 8 rows by 128 columns, widened to whole ones with zeros; within a
 * tile two rows are interleaved, so that the bf16 of a column lie in pairs of 32 bits. */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, COLUMNS = 500 };

static int fail(const relayout_error *error) {
  fprintf(stderr, "%s\n", error->message);
  return 1;
}

/* Where a few elements lie, for those who want to see it. */
static void show_places(const relayout_shape *tiled) {
  static const int64_t indices[][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {8, 0}};
  for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
    int64_t place = -1;
    relayout_index_to_linear(tiled, indices[i], &place, NULL);
    printf("  (%d,%d) is element %d\n", (int)indices[i][0], (int)indices[i][1], (int)place);
  }
}

int main(void) {
  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape plain;
  relayout_shape tiled;
  size_t plain_size;
  size_t tiled_size;
  if (relayout_shape_parse("bf16[300,500]", &plain, &error) != RELAYOUT_OK ||
      relayout_shape_parse("bf16[300,500]{1,0:T(8,128)(2,1)}", &tiled, &error) != RELAYOUT_OK ||
      relayout_shape_byte_size(&plain, &plain_size, &error) != RELAYOUT_OK ||
      relayout_shape_byte_size(&tiled, &tiled_size, &error) != RELAYOUT_OK ||
      relayout_device_open("cpu", &device, &error) != RELAYOUT_OK) {
    return fail(&error);
  }
  printf("plain %zu bytes, tiled %zu, of which %zu are padding\n", plain_size, tiled_size,
         tiled_size - plain_size);
  show_places(&tiled);

  uint16_t *weights = malloc(plain_size);
  uint16_t *on_accelerator = malloc(tiled_size);
  uint16_t *back = malloc(plain_size);
  if (weights == NULL || on_accelerator == NULL || back == NULL) {
    fprintf(stderr, "out of memory\n");
    return 1;
  }
  for (size_t i = 0; i < ROWS * COLUMNS; i++) {
    weights[i] = (uint16_t)(0x3f80 + i % 1000); /* bf16 from 1 upwards */
  }
  if (relayout_copy(device, &plain, &tiled, weights, on_accelerator, &error) != RELAYOUT_OK ||
      relayout_copy(device, &tiled, &plain, on_accelerator, back, &error) != RELAYOUT_OK) {
    return fail(&error);
  }
  const int right = on_accelerator[0] == weights[0] && on_accelerator[1] == weights[COLUMNS] &&
                    on_accelerator[2] == weights[1] && memcmp(weights, back, plain_size) == 0;
  printf("there and back: %s\n", right ? "the same bits" : "something went wrong");
  free(weights);
  free(on_accelerator);
  free(back);
  relayout_device_destroy(device);
  return right ? 0 : 1;
}
