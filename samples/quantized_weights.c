/* quantized_weights.c: weights as 4-bit integers, two a byte: f32 to packed s4
 * in one pass, and back to f32.
 *
 * `scale` multiplies each value before it is rounded, here to the nearest integer, so that a weight
 * comes back within half a step of what it was. One that is too large would become the largest
 * there is. Without `rounding` a change to an integer goes towards zero, which costs up to a whole
 * step. */
#include <math.h>
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>

enum { ROWS = 4, COLUMNS = 8, COUNT = ROWS * COLUMNS };

/* One relayout of host memory whose values are multiplied on the way. */
static relayout_status convert(relayout_device *device, const relayout_shape *from,
                               const relayout_shape *to, double scale, const void *source,
                               void *destination, relayout_error *error) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = scale;
  options.rounding = RELAYOUT_ROUNDING_NEAREST; /* no matter on the way back, to floats */
  relayout_plan *plan = NULL;
  relayout_status status = relayout_plan_create(device, from, to, &options, &plan, error);
  if (status == RELAYOUT_OK) {
    status = relayout_plan_execute(plan, source, destination, error);
  }
  relayout_plan_destroy(plan);
  return status;
}

int main(void) {
  const double step = 0.125;
  float weights[COUNT];
  float back[COUNT];
  uint8_t packed[COUNT / 2];
  for (int i = 0; i < COUNT; i++) {
    weights[i] = (float)(7 * step * sin(i)); /* seven steps at most */
  }

  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape plain;
  relayout_shape quantized;
  if (relayout_shape_parse("f32[4,8]", &plain, &error) != RELAYOUT_OK ||
      relayout_shape_parse("s4[4,8]{1,0:E(4)}", &quantized, &error) != RELAYOUT_OK ||
      relayout_device_open("cpu", &device, &error) != RELAYOUT_OK ||
      convert(device, &plain, &quantized, 1 / step, weights, packed, &error) != RELAYOUT_OK ||
      convert(device, &quantized, &plain, step, packed, back, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  float furthest = 0;
  for (int i = 0; i < COUNT; i++) {
    furthest = fmaxf(furthest, fabsf(weights[i] - back[i]));
  }
  printf(
      "%zu bytes in %zu; steps of %g, %g and %g became %g and %g, no weight is more than %g off\n",
      sizeof weights, sizeof packed, step, (double)weights[1], (double)weights[4], (double)back[1],
      (double)back[4], step / 2);
  relayout_device_destroy(device);
  return back[1] == 0.75f && back[4] == -0.625f && furthest <= step / 2 ? 0 : 1;
}
