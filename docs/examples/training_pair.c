/* training_pair.c: weights become MXFP8 for two products at once: by rows and, transposed, by
 * columns, each with the scales of its blocks of 32, from one reading of the weights. */
#include <math.h>
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 256, COLUMNS = 128, BLOCK = 32 };

/* The first mistake ends the program; a library would pass the status on. */
static void must(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

static float weights[ROWS][COLUMNS], back[ROWS][COLUMNS];
static uint8_t by_rows[ROWS][COLUMNS], row_scales[ROWS][COLUMNS / BLOCK];
static uint8_t by_columns[COLUMNS][ROWS], column_scales[COLUMNS][ROWS / BLOCK];

int main(void) {
  relayout_error error;
  relayout_device *device = NULL;
  relayout_plan *quantize = NULL, *dequantize = NULL;
  relayout_scaled_view from, to[2];
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    weights[i / COLUMNS][i % COLUMNS] = sinf((float)i) / (float)(1 + i % 7);
  }
  must(relayout_device_open("cpu", &device, &error), &error);
  must(relayout_scaled_view_parse("f32[256,128]", &from, &error), &error);
  must(relayout_scaled_view_parse("f8e4m3fn[256,128] * f8e8m0fnu[256,4]", &to[0], &error), &error);
  must(relayout_scaled_view_parse("f8e4m3fn[256,128]{0,1} * f8e8m0fnu[8,128]{0,1}", &to[1], &error),
       &error);
  to[0].rule = to[1].rule = RELAYOUT_SCALES_POWER2;
  must(relayout_plan_create_many(device, &from, to, 2, NULL, &quantize, &error), &error);
  must(relayout_plan_create_many(device, &to[1], &from, 1, NULL, &dequantize, &error), &error);

  must(relayout_plan_execute_many(
           quantize, &(relayout_source_memory){.elements = weights},
           (relayout_destination_memory[]){{.elements = by_rows, .scales = row_scales},
                                           {.elements = by_columns, .scales = column_scales}},
           &error),
       &error);
  must(relayout_plan_execute_many(
           dequantize, &(relayout_source_memory){.elements = by_columns, .scales = column_scales},
           &(relayout_destination_memory){.elements = back}, &error),
       &error);

  float furthest = 0;
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    furthest =
        fmaxf(furthest, fabsf(back[i / COLUMNS][i % COLUMNS] - weights[i / COLUMNS][i % COLUMNS]));
  }
  printf("scale of the first block: 2 to the power of %d\n", row_scales[0][0] - 127);
  printf("furthest off after both ways: %.4f\n", furthest);
  relayout_plan_destroy(quantize);
  relayout_plan_destroy(dequantize);
  relayout_device_destroy(device);
  return 0;
}
