/* fuzz_shape_text.c: any text either is refused with a message fit to print, or is a valid shape
 * that prints and parses to itself; so is it where another shape has what it does not say; and the
 * same goes for sides with scales. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "input.h"
#include "promise.h"
#include "relayout/index.h"
#include "relayout/scaled.h"

/* What lies at a position has no multi-index, or one that leads back to it. */
static void check_position(const relayout_shape *shape, int64_t position) {
  int64_t index[RELAYOUT_MAX_RANK];
  int64_t linear = -1;
  require(relayout_index_from_linear(shape, position, index, NULL) == RELAYOUT_OK,
          "every position can be asked for");
  if (shape->rank > 0 && index[0] == -1) {
    require(relayout_shape_is_padded(shape), "there is padding");
    require(!relayout_index_in_bounds(shape, index), "which is no element");
    return;
  }
  require(relayout_index_to_linear(shape, index, &linear, NULL) == RELAYOUT_OK,
          "a multi-index has a position");
  require(linear == (shape->rank == 0 ? 0 : position), "the one it comes from");
}

/* An element's position lies in the array and leads back to it. */
static void check_element(const relayout_shape *shape, const int64_t *index, int64_t count) {
  int64_t back[RELAYOUT_MAX_RANK];
  int64_t linear = -1;
  require(relayout_index_to_linear(shape, index, &linear, NULL) == RELAYOUT_OK,
          "an element has a position");
  require(linear >= 0 && linear < count, "which lies in the array");
  require(relayout_index_from_linear(shape, linear, back, NULL) == RELAYOUT_OK &&
              memcmp(index, back, (size_t)shape->rank * sizeof *index) == 0,
          "and which is its own");
}

static void check_sizes(const relayout_shape *shape, int64_t count) {
  int64_t strides[RELAYOUT_MAX_RANK];
  size_t bytes = 0;
  size_t padding = 0;
  const bool is_tiled = shape->layout.tile_count > 0;
  require(count >= relayout_shape_element_count(shape), "padding adds elements");
  require(relayout_shape_byte_size(shape, &bytes, NULL) == RELAYOUT_OK &&
              relayout_shape_padding_byte_size(shape, &padding, NULL) == RELAYOUT_OK,
          "a valid shape has a size");
  require(padding <= bytes && (padding == 0 || relayout_shape_is_padded(shape)),
          "of which padding is a part");
  require((relayout_shape_strides(shape, strides, NULL) == RELAYOUT_OK) == !is_tiled,
          "strides where there are no tiles");
}

/* Whatever is valid can be measured and indexed. */
static void check_use(const relayout_shape *shape) {
  int64_t count = 0;
  require(relayout_shape_physical_element_count(shape, &count, NULL) == RELAYOUT_OK,
          "a valid shape has a size");
  check_sizes(shape, count);
  if (count > 0) {
    check_position(shape, 0);
    check_position(shape, count / 2);
    check_position(shape, count - 1);
  }
  if (relayout_shape_element_count(shape) > 0) {
    int64_t index[RELAYOUT_MAX_RANK] = {0};
    check_element(shape, index, count);
    for (int32_t d = 0; d < shape->rank; ++d) {
      index[d] = shape->dimensions[d] - 1;
    }
    check_element(shape, index, count);
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
  require(relayout_shape_equal_ignoring_tiles(&shape, &again), "also without tiles");
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

/* The text is a whole shape, the same with defaults or without; or its dimensions are theirs. */
static void check_defaults(const char *text, const char *defaults_text) {
  relayout_shape defaults;
  relayout_shape shape;
  relayout_shape whole;
  relayout_error error;
  require(relayout_shape_parse(defaults_text, &defaults, NULL) == RELAYOUT_OK, "defaults parse");
  const relayout_status status =
      relayout_shape_parse_with_defaults(text, &defaults, &shape, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    require(relayout_shape_parse(text, &whole, NULL) != RELAYOUT_OK, "whole shapes always parse");
    return;
  }
  require(relayout_shape_validate(&shape, NULL) == RELAYOUT_OK, "what parses is valid");
  if (relayout_shape_parse(text, &whole, NULL) == RELAYOUT_OK) {
    require(relayout_shape_equal(&shape, &whole), "defaults do not matter to a whole shape");
  } else {
    require(relayout_shape_same_dimensions(&shape, &defaults), "dimensions are the defaults'");
  }
}

static void check_scaled(const char *text) {
  static char printed[4 * RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_scaled_view view, again;
  relayout_shape shape;
  relayout_error error;
  const relayout_status status = relayout_scaled_view_parse(text, &view, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    require(relayout_shape_parse(text, &shape, NULL) != RELAYOUT_OK,
            "a shape is a side without scales");
    return;
  }
  size_t bytes = 0;
  require(relayout_scaled_view_validate(&view, NULL) == RELAYOUT_OK, "what parses is valid");
  require(relayout_scaled_view_elements_size(&view, &bytes, NULL) == RELAYOUT_OK, "and has a size");
  require(relayout_scaled_view_format(&view, printed, sizeof printed) < sizeof printed,
          "every side's text fits");
  require(relayout_scaled_view_parse(printed, &again, NULL) == RELAYOUT_OK,
          "what is printed parses");
  require(relayout_scaled_view_equal(&view, &again), "to an equal side");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = input_text(data, size);
  check_shape(text);
  check_scaled(text);
  check_defaults(text, "f32[2,3]{0,1:PD(3,5)PV(2.5)}");
  check_defaults(text, "s4[5]{0:T(2)E(4)}");
  check_defaults(text, "c64[]");
  const char *const brace = strchr(text, '{');
  if (brace != NULL) {
    check_layout(brace, RELAYOUT_F16, 2);
    check_layout(brace, RELAYOUT_S4, 1);
    check_layout(brace, RELAYOUT_C128, 0);
    check_layout(brace, RELAYOUT_PRED, 3);
    check_defaults(brace, "bf16[2,3,4]{1,2,0:L(8)}");
  }
  free(text);
  return 0;
}
