/* measured.c: a plan that is measured, and what was learned, kept by the program. */
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

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
  relayout_shape from, to;
  must(relayout_device_open("cpu", &device, &error), &error);
  must(relayout_shape_parse("f32[512,768]", &from, &error), &error);
  must(relayout_shape_parse("f32[512,768]{0,1}", &to, &error), &error);
  /* [measure] */
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  must(relayout_plan_create(device, &from, &to, &options, &plan, &error), &error);
  /* [export] */
  const size_t length = relayout_device_export_wisdom(device, NULL, 0);
  char *text = malloc(length + 1);
  if (text == NULL) {
    return 1;
  }
  relayout_device_export_wisdom(device, text, length + 1);
  /* [import] */
  must(relayout_device_import_wisdom(device, text, length, &error), &error);
  /* [end] */
  printf("wisdom: %s\n", length > 0 ? "some" : "none");
  free(text);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return 0;
}
