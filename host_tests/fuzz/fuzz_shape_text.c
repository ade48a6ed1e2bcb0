/* fuzz_shape_text.c: any text either is refused with a message fit to print, or is a valid shape
 * that prints and parses to itself. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "promise.h"
#include "relayout/index.h"

/* Whatever is valid can be measured and indexed, or is refused for its tiles. */
static void check_use(const relayout_shape *shape) {
  int64_t strides[RELAYOUT_MAX_RANK];
  int64_t index[RELAYOUT_MAX_RANK];
  int64_t count = 0;
  int64_t linear = -1;
  relayout_error error;
  const relayout_status status = relayout_shape_physical_element_count(shape, &count, &error);
  if (status != RELAYOUT_OK) {
    require(status == RELAYOUT_UNSUPPORTED, "a valid shape has a size");
    return;
  }
  require(relayout_shape_strides(shape, strides, NULL) == RELAYOUT_OK, "it has strides");
  require(count >= relayout_shape_element_count(shape), "padding adds elements");
  if (count > 0) {
    require(relayout_index_from_linear(shape, count - 1, index, NULL) == RELAYOUT_OK &&
                relayout_index_to_linear(shape, index, &linear, NULL) == RELAYOUT_OK &&
                linear == count - 1,
            "the last position has an index");
  }
}

static void check_shape(const char *text) {
  relayout_shape shape;
  relayout_shape again;
  relayout_error error;
  char printed[RELAYOUT_SHAPE_TEXT_SIZE];
  char reprinted[RELAYOUT_SHAPE_TEXT_SIZE];
  const relayout_status status = relayout_shape_parse(text, &shape, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    return;
  }
  require(relayout_shape_validate(&shape, NULL) == RELAYOUT_OK, "what parses is valid");
  require(relayout_shape_format(&shape, printed, sizeof printed) < sizeof printed,
          "every shape's text fits");
  require(relayout_shape_parse(printed, &again, NULL) == RELAYOUT_OK, "what is printed parses");
  require(relayout_shape_equal(&shape, &again), "to an equal shape");
  relayout_shape_format(&again, reprinted, sizeof reprinted);
  require(strcmp(printed, reprinted) == 0, "which prints the same");
  check_use(&shape);
}

static void check_layout(const char *text, relayout_element_type type, int32_t rank) {
  relayout_layout layout;
  relayout_layout again;
  relayout_error error;
  char printed[RELAYOUT_SHAPE_TEXT_SIZE];
  const relayout_status status = relayout_layout_parse(text, type, rank, &layout, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    return;
  }
  require(relayout_layout_format(&layout, type, printed, sizeof printed) < sizeof printed,
          "every layout's text fits");
  require(relayout_layout_parse(printed, type, rank, &again, NULL) == RELAYOUT_OK,
          "a printed layout parses");
  require(relayout_layout_equal(&layout, &again), "to an equal layout");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = malloc(size + 1);
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  text[size] = '\0';
  check_shape(text);
  const char *const brace = strchr(text, '{');
  if (brace != NULL) {
    check_layout(brace, RELAYOUT_F16, 2);
    check_layout(brace, RELAYOUT_S4, 1);
    check_layout(brace, RELAYOUT_C128, 0);
  }
  free(text);
  return 0;
}
