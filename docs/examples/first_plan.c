/* first_plan.c: a plan is made once and used for many tensors. Frames of a camera, u8 pixels of
 * three colours, become planes of one colour each. */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 3 };

/* The first mistake ends the program; a library would pass the status on. */
static void must(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

int main(void) {
  relayout_error error;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_shape pixels, planes;
  must(relayout_device_open("cpu", &device, &error), &error);
  must(relayout_shape_parse("u8[480,640,3]", &pixels, &error), &error);
  must(relayout_shape_parse("u8[480,640,3]{1,0,2}", &planes, &error), &error);
  must(relayout_plan_create(device, &pixels, &planes, NULL, &plan, &error), &error);
  relayout_device_destroy(device); /* the plan keeps it alive */

  uint8_t *frame = malloc(relayout_plan_source_size(plan));
  uint8_t *result = malloc(relayout_plan_destination_size(plan));
  if (frame == NULL || result == NULL) {
    return 1;
  }
  for (int number = 0; number < FRAMES; number++) {
    for (size_t i = 0; i < relayout_plan_source_size(plan); i++) {
      frame[i] = (uint8_t)(10 * number + (int)(i % 3));
    }
    must(relayout_plan_execute(plan, frame, result, &error), &error);
    printf("frame %d: red %d, green %d, blue %d\n", number, result[0], result[480 * 640],
           result[2 * 480 * 640]);
  }
  free(frame);
  free(result);
  relayout_plan_destroy(plan);
  return 0;
}
