/* shape_scaled.c: see shape_scaled.h. */
#include "shape_scaled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_output.h"
#include "scaled_text.h"

/* Bytes of each part; 0 for one that is not there. */
typedef struct part_sizes {
  size_t elements;
  size_t scales;
  size_t zero_points;
  size_t tensor_scale;
} part_sizes;

/* Of whole tensors, as texts have them. */
static size_t size_of(bool is_there, const relayout_view *view) {
  size_t bytes = 0;
  if (is_there) {
    relayout_shape_byte_size(&view->shape, &bytes, NULL);
  }
  return bytes;
}

static part_sizes sizes_of(const relayout_scaled_view *view) {
  part_sizes made = {.scales = size_of(view->has_scales, &view->scales),
                     .zero_points = size_of(view->has_zero_points, &view->zero_points),
                     .tensor_scale = size_of(view->has_tensor_scale, &view->tensor_scale)};
  relayout_scaled_view_elements_size(view, &made.elements, NULL);
  return made;
}

static exit_code print_json(const relayout_scaled_view *view, const char *text) {
  const part_sizes sizes = sizes_of(view);
  const size_t rank = (size_t)view->elements.shape.rank;
  return json_print_line(
      json_of_members((json_member[]){
          {"text", json_of_text(text)},
          {"elements_bytes", json_of_size(sizes.elements)},
          {"scales_bytes", json_of_size(sizes.scales)},
          {"zero_points_bytes", json_of_size(sizes.zero_points)},
          {"tensor_scale_bytes", json_of_size(sizes.tensor_scale)},
          {"group_sizes",
           view->has_scales ? json_of_integers(rank, view->group_sizes) : json_of_nothing()},
          {NULL, NULL}}),
      stdout);
}

static void print_text(const relayout_scaled_view *view, const char *text) {
  const part_sizes sizes = sizes_of(view);
  printf("%s\n\n%-17s%zu bytes\n", text, "elements", sizes.elements);
  if (view->has_scales) {
    printf("%-17s%zu bytes\n", "scales", sizes.scales);
  }
  if (view->has_zero_points) {
    printf("%-17s%zu bytes\n", "zero points", sizes.zero_points);
  }
  if (view->has_tensor_scale) {
    printf("%-17s%zu bytes\n", "tensor scale", sizes.tensor_scale);
  }
  printf("%-17s", "a scale is for");
  if (!view->has_scales) {
    printf("%d", RELAYOUT_BLOCK_ELEMENTS);
  } else if (view->elements.shape.rank == 0) {
    printf("1");
  }
  for (int32_t d = 0; d < view->elements.shape.rank && view->has_scales; d++) {
    printf("%s%" PRId64, d > 0 ? " by " : "", view->group_sizes[d]);
  }
  printf(" elements\n");
}

exit_code shape_scaled(const char *text, bool as_json) {
  relayout_scaled_view view;
  const exit_code code = scaled_text_read("SHAPE", text, NULL, &view);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  const size_t length = relayout_scaled_view_format(&view, NULL, 0);
  char *const printed = malloc(length + 1);
  if (printed == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu bytes of text", length);
  }
  relayout_scaled_view_format(&view, printed, length + 1);
  exit_code result = EXIT_CODE_OK;
  if (as_json) {
    result = print_json(&view, printed);
  } else {
    print_text(&view, printed);
  }
  free(printed);
  return result;
}
