/* in_boxes.c: a tensor moves box by box, with memory for one box of the destination alone. */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, COLUMNS = 600, BOX_ROWS = 256, PADDED_COLUMNS = 640 };

static void must(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

/* [visitor] */
/* From the first byte that a plan writes to behind the last one. */
typedef struct extent {
  int64_t begin;
  int64_t end;
} extent;

static void widen(void *context, int64_t first, size_t size) {
  extent *of = context;
  of->begin = first < of->begin ? first : of->begin;
  of->end = first + (int64_t)size > of->end ? first + (int64_t)size : of->end;
}
/* [end] */

int main(void) {
  static float source[ROWS * COLUMNS];
  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape from, to;
  relayout_view source_view, destination_view;
  for (size_t i = 0; i < ROWS * COLUMNS; i++) {
    source[i] = (float)i;
  }
  must(relayout_device_open("cpu", &device, &error), &error);
  must(relayout_shape_parse("f32[1000,600]", &from, &error), &error);
  must(relayout_shape_parse("f32[1000,600]{1,0:PD(1000,640)}", &to, &error), &error);
  must(relayout_view_make(&from, &source_view, &error), &error);
  must(relayout_view_make(&to, &destination_view, &error), &error);

  /* [boxes] */
  for (int64_t row = 0; row < ROWS; row += BOX_ROWS) {
    const int64_t start[] = {row, 0};
    const int64_t sizes[] = {ROWS - row < BOX_ROWS ? ROWS - row : BOX_ROWS, COLUMNS};
    relayout_plan *plan = NULL;
    extent written = {INT64_MAX, INT64_MIN};
    must(relayout_plan_create_range(device, &source_view, &destination_view, start, sizes, NULL,
                                    &plan, &error),
         &error);
    must(relayout_plan_visit_bytes_written(plan, widen, &written, &error), &error);
    /* Only these bytes of the destination need be there: a view that begins with them. */
    relayout_view box_view = destination_view;
    box_view.byte_offset -= written.begin;
    relayout_plan_destroy(plan);
    must(relayout_plan_create_range(device, &source_view, &box_view, start, sizes, NULL, &plan,
                                    &error),
         &error);
    float *box = malloc((size_t)(written.end - written.begin));
    if (box == NULL) {
      return 1;
    }
    must(relayout_plan_execute(plan, source, box, &error), &error);
    printf("bytes %lld to %lld; first element %g\n", (long long)written.begin,
           (long long)written.end, (double)box[0]);
    free(box);
    relayout_plan_destroy(plan);
  }
  /* [done] */
  relayout_device_destroy(device);
  return 0;
}
