/* format.c: shapes and layouts as text, with nothing in it that is at its default.
 *
 * Depends on rules.h, literal.h and on base/.
 */
#include <inttypes.h>

#include "base/text.h"
#include "metadata/literal.h"
#include "metadata/padding_names.h"
#include "metadata/rules.h"
#include "metadata/shape_text.h"
#include "metadata/type_table.h"
#include "metadata/widths.h"
#include "relayout/shape.h"

static void add_padded_dimensions(const relayout_layout *layout, rlt_text *text) {
  for (int32_t d = 0; d < layout->padded_dimension_count; ++d) {
    rlt_text_add(text, "%s%" PRId64, d == 0 ? "PD(" : ",", layout->padded_dimensions[d]);
  }
  rlt_text_add(text, layout->padded_dimension_count > 0 ? ")" : "");
}

static void add_padding_value(const relayout_layout *layout, const rlt_type_row *row,
                              rlt_text *text) {
  const char *const name = rlt_padding_value_name(layout->padding_value);
  if (layout->padding_value == RELAYOUT_PADDING_ZERO) {
    return;
  }
  if (name != NULL) {
    rlt_text_add(text, "PV(%s)", name);
    return;
  }
  const rlt_element element = rlt_element_load(row, layout->padding_literal);
  if (element.real == 0 && element.imaginary == 0) {
    return;
  }
  rlt_text_add(text, "PV(");
  rlt_literal_format(row, element, text);
  rlt_text_add(text, ")");
}

static void add_tiles(const relayout_layout *layout, rlt_text *text) {
  const int64_t *dimension = layout->tile_dimensions;
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    rlt_text_add(text, i == 0 ? "T" : "");
    for (int32_t j = 0; j < layout->tile_ranks[i]; ++j, ++dimension) {
      rlt_text_add(text, j == 0 ? "(" : ",");
      if (*dimension == RELAYOUT_TILE_COMBINE) {
        rlt_text_add(text, "*");
      } else {
        rlt_text_add(text, "%" PRId64, *dimension);
      }
    }
    rlt_text_add(text, ")");
  }
}

static void add_properties(const relayout_layout *layout, const rlt_type_row *row, rlt_text *text) {
  add_padded_dimensions(layout, text);
  add_padding_value(layout, row, text);
  rlt_text_add(text, rlt_is_high_first(layout) ? "PO(high)" : "");
  add_tiles(layout, text);
  if (layout->tail_padding_alignment_in_elements > 1) {
    rlt_text_add(text, "L(%" PRId64 ")", layout->tail_padding_alignment_in_elements);
  }
  if (layout->element_size_in_bits != 0) {
    rlt_text_add(text, "E(%" PRId64 ")", layout->element_size_in_bits);
  }
  if (layout->memory_space != 0) {
    rlt_text_add(text, "S(%" PRId64 ")", layout->memory_space);
  }
}

/* Of a valid layout. A scalar's, with no property to print, is no text at all. */
static void add_layout(const relayout_layout *layout, const rlt_type_row *row, rlt_text *text) {
  rlt_text measured = rlt_text_in(NULL, 0);
  add_properties(layout, row, &measured);
  if (layout->rank == 0 && measured.length == 0) {
    return;
  }
  rlt_text_add(text, "{");
  for (int32_t i = 0; i < layout->rank; ++i) {
    rlt_text_add(text, "%s%d", i == 0 ? "" : ",", layout->minor_to_major[i]);
  }
  if (measured.length > 0) {
    rlt_text_add(text, ":");
    add_properties(layout, row, text);
  }
  rlt_text_add(text, "}");
}

size_t relayout_layout_format(const relayout_layout *layout, relayout_element_type type,
                              char *buffer, size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (layout != NULL && rlt_check_layout(layout, type, NULL) == RELAYOUT_OK) {
    add_layout(layout, rlt_type_find(type), &text);
  }
  return text.length;
}

void rlt_shape_add_text(const relayout_shape *shape, rlt_text *text) {
  if (relayout_shape_validate(shape, NULL) != RELAYOUT_OK) {
    return;
  }
  rlt_text_add(text, "%s[", relayout_element_type_name(shape->element_type));
  for (int32_t d = 0; d < shape->rank; ++d) {
    rlt_text_add(text, "%s%" PRId64, d == 0 ? "" : ",", shape->dimensions[d]);
  }
  rlt_text_add(text, "]");
  relayout_layout layout = shape->layout;
  if (!rlt_is_widened(shape)) {
    layout.padded_dimension_count = 0;
  }
  add_layout(&layout, rlt_type_find(shape->element_type), text);
}

size_t relayout_shape_format(const relayout_shape *shape, char *buffer, size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  rlt_shape_add_text(shape, &text);
  return text.length;
}
