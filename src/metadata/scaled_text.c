/* scaled_text.c: scaled views as text.
 *
 * A shape within the text is parsed from a copy in which all else is blank, so that columns count
 * in the whole text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "metadata/scaled_view.h"
#include "metadata/shape_text.h"
#include "metadata/tokens.h"

/* ---- Parsing -------------------------------------------------------------------------------- */

typedef struct scaled_parser {
  rlt_tokens in;
  char *copy;    /* as long as the text */
  size_t length; /* of both */
  relayout_error *error;
} scaled_parser;

/* Where the shape that begins here ends: before a '*', '-', ')' or "per" outside of brackets. */
static const char *end_of_shape(const char *at) {
  int depth = 0;
  for (; *at != '\0'; ++at) {
    if (depth == 0 && (strchr("*-)", *at) != NULL || strncmp(at, "per", 3) == 0)) {
      return at;
    }
    depth += strchr("[{(", *at) != NULL ? 1 : strchr("]})", *at) != NULL ? -1 : 0;
  }
  return at;
}

/* The text of [start, end) alone. */
static const char *cut_out(const scaled_parser *parser, const char *start, const char *end) {
  memset(parser->copy, ' ', parser->length);
  memcpy(parser->copy + (start - parser->in.text), start, (size_t)(end - start));
  return parser->copy;
}

/* A whole shape, up to what may follow one. */
static bool parse_shape(scaled_parser *parser, relayout_view *view) {
  rlt_tokens_skip_space(&parser->in);
  const char *const start = parser->in.at;
  const char *const end = end_of_shape(start);
  memset(view, 0, sizeof *view);
  parser->in.status =
      relayout_shape_parse(cut_out(parser, start, end), &view->shape, parser->error);
  parser->in.at = end;
  return parser->in.status == RELAYOUT_OK;
}

/* A format, whose dimensions and order are those of a shape of f32. */
static bool parse_blocks(scaled_parser *parser, relayout_block_format format, size_t name_length,
                         relayout_scaled_view *view) {
  static const char type[] = "f32";
  const char *const start = parser->in.at;
  const size_t first = (size_t)(start - parser->in.text);
  const char *const end = start + strlen(start);
  cut_out(parser, start, end);
  memset(parser->copy + first, ' ', name_length);
  memcpy(parser->copy + first + name_length - (sizeof type - 1), type, sizeof type - 1);
  parser->in.status = relayout_shape_parse(parser->copy, &view->elements.shape, parser->error);
  parser->in.at = end;
  view->block_format = format;
  return parser->in.status == RELAYOUT_OK;
}

/* Takes one of the numbers, with a '_' before it, from the end of a name; 0: it ends otherwise. */
static int32_t take_ending(char *name, const char *const *endings) {
  const size_t length = strlen(name);
  for (; *endings != NULL; ++endings) {
    const size_t taken = strlen(*endings);
    if (length > taken && strcmp(name + length - taken, *endings) == 0) {
      name[length - taken] = '\0';
      return (int32_t)strtol(*endings + 1, NULL, 10);
    }
  }
  return 0;
}

/* "_4_8": rows and bytes, which end the name of a format of interleaved records. */
static bool take_interleaving(char *name, relayout_scaled_view *view) {
  static const char *const rows[] = {"_4", "_8", "_16", "_32", "_64", NULL};
  static const char *const bytes[] = {"_1", "_4", "_8", NULL};
  view->interleaved_bytes = take_ending(name, bytes);
  view->interleaved_rows = take_ending(name, rows);
  return view->interleaved_bytes > 0 && view->interleaved_rows > 0;
}

/* The format whose name comes next; NONE: no name of one does. */
static relayout_block_format format_next(scaled_parser *parser, size_t *length,
                                         relayout_scaled_view *view) {
  char name[16] = "";
  relayout_block_format format = RELAYOUT_BLOCK_FORMAT_NONE;
  rlt_tokens_skip_space(&parser->in);
  *length = rlt_tokens_word(&parser->in);
  if (*length < sizeof name) {
    memcpy(name, parser->in.at, *length);
    if (relayout_block_format_parse(name, &format, NULL) != RELAYOUT_OK &&
        take_interleaving(name, view)) {
      (void)relayout_block_format_parse(name, &format, NULL);
    }
  }
  return format;
}

/* "per [1,32]", with one size for each dimension. */
static bool parse_groups(scaled_parser *parser, int32_t rank, int64_t *sizes) {
  if (!rlt_tokens_expect(&parser->in, '[')) {
    return false;
  }
  for (int32_t d = 0; d < rank; ++d) {
    if ((d > 0 && !rlt_tokens_expect(&parser->in, ',')) ||
        !rlt_tokens_number(&parser->in, "a group's size", 1, INT64_MAX, &sizes[d])) {
      return false;
    }
  }
  return rlt_tokens_expect(&parser->in, ']');
}

/* '*', and the tensor scale. */
static bool parse_tensor_scale(scaled_parser *parser, relayout_scaled_view *view) {
  relayout_view scale;
  rlt_tokens_skip_space(&parser->in);
  const char *const start = parser->in.at;
  if (!parse_shape(parser, &scale)) {
    return false;
  }
  if (rlt_tokens_peek(&parser->in) != '\0') {
    return rlt_tokens_fail_expected(&parser->in, "the text's end");
  }
  relayout_error cause;
  const relayout_status status = relayout_scaled_view_add_tensor_scale(view, &scale, &cause);
  return status == RELAYOUT_OK || rlt_tokens_fail(&parser->in, start, status, "%s", cause.message);
}

/* '*', the scales, the groups, and what may be above the scales. */
static bool parse_scales(scaled_parser *parser, relayout_scaled_view *view) {
  int64_t sizes[RELAYOUT_MAX_RANK];
  relayout_view scales;
  const relayout_view points = view->zero_points;
  if (!rlt_tokens_expect(&parser->in, '*')) {
    return false;
  }
  rlt_tokens_skip_space(&parser->in);
  const char *const start = parser->in.at;
  if (!parse_shape(parser, &scales)) {
    return false;
  }
  const bool has_groups = rlt_tokens_take_word(&parser->in, "per");
  if (has_groups && !parse_groups(parser, view->elements.shape.rank, sizes)) {
    return false;
  }
  const bool has_tensor_scale = rlt_tokens_peek(&parser->in) == '*';
  if (rlt_tokens_peek(&parser->in) != '\0' && !has_tensor_scale) {
    return rlt_tokens_fail_expected(&parser->in, has_groups ? "'*' or the text's end"
                                                            : "'per', '*' or the text's end");
  }
  relayout_error cause;
  const relayout_status status = relayout_scaled_view_add_scales(
      view, &scales, view->has_zero_points ? &points : NULL, has_groups ? sizes : NULL, &cause);
  if (status != RELAYOUT_OK) {
    return rlt_tokens_fail(&parser->in, start, status, "%s", cause.message);
  }
  return !has_tensor_scale ||
         (rlt_tokens_expect(&parser->in, '*') && parse_tensor_scale(parser, view));
}

static bool parse_scaled(scaled_parser *parser, relayout_scaled_view *view) {
  size_t length = 0;
  const relayout_block_format format = format_next(parser, &length, view);
  if (format != RELAYOUT_BLOCK_FORMAT_NONE) {
    return parse_blocks(parser, format, length, view);
  }
  if (rlt_tokens_take(&parser->in, '(')) {
    view->has_zero_points = true;
    return parse_shape(parser, &view->elements) && rlt_tokens_expect(&parser->in, '-') &&
           parse_shape(parser, &view->zero_points) && rlt_tokens_expect(&parser->in, ')') &&
           parse_scales(parser, view);
  }
  return parse_shape(parser, &view->elements) &&
         (rlt_tokens_peek(&parser->in) == '\0' || parse_scales(parser, view));
}

relayout_status relayout_scaled_view_parse(const char *text, relayout_scaled_view *view,
                                           relayout_error *error) {
  if (text == NULL || view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL", text == NULL ? "text" : "view");
  }
  relayout_scaled_view made = {.block_format = RELAYOUT_BLOCK_FORMAT_NONE};
  scaled_parser parser = {.in = rlt_tokens_of(text, error), .length = strlen(text), .error = error};
  parser.copy = rlt_calloc(parser.length + 1, 1);
  if (parser.copy == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a copy of a text");
  }
  relayout_status status = parse_scaled(&parser, &made) ? RELAYOUT_OK : parser.in.status;
  rlt_free(parser.copy);
  if (status == RELAYOUT_OK) {
    status = relayout_scaled_view_validate(&made, error);
  }
  if (status == RELAYOUT_OK) {
    *view = made;
  }
  return status;
}

/* ---- Printing ------------------------------------------------------------------------------- */

static void add_blocks(const relayout_scaled_view *view, rlt_text *text) {
  const relayout_shape *const shape = &view->elements.shape;
  rlt_text_add(text, "%s", relayout_block_format_name(view->block_format));
  if (view->interleaved_rows > 0) {
    rlt_text_add(text, "_%" PRId32 "_%" PRId32, view->interleaved_rows, view->interleaved_bytes);
  }
  rlt_text_add(text, "[");
  for (int32_t d = 0; d < shape->rank; ++d) {
    rlt_text_add(text, "%s%" PRId64, d == 0 ? "" : ",", shape->dimensions[d]);
  }
  rlt_text_add(text, "]{");
  for (int32_t i = 0; i < shape->rank; ++i) {
    rlt_text_add(text, "%s%d", i == 0 ? "" : ",", shape->layout.minor_to_major[i]);
  }
  rlt_text_add(text, "}");
}

static void add_groups(const relayout_scaled_view *view, rlt_text *text) {
  const relayout_shape *const elements = &view->elements.shape;
  bool are_plain = true;
  for (int32_t d = 0; d < elements->rank; ++d) {
    are_plain = are_plain &&
                view->group_sizes[d] ==
                    rlt_group_size_of(elements->dimensions[d], view->scales.shape.dimensions[d]);
  }
  for (int32_t d = 0; d < elements->rank && !are_plain; ++d) {
    rlt_text_add(text, "%s%" PRId64, d == 0 ? " per [" : ",", view->group_sizes[d]);
  }
  rlt_text_add(text, are_plain ? "" : "]");
}

void rlt_scaled_view_add_text(const relayout_scaled_view *view, rlt_text *text) {
  if (relayout_scaled_view_validate(view, NULL) != RELAYOUT_OK) {
    return;
  }
  if (rlt_has_blocks(view)) {
    add_blocks(view, text);
    return;
  }
  rlt_text_add(text, view->has_zero_points ? "(" : "");
  rlt_shape_add_text(&view->elements.shape, text);
  if (view->has_zero_points) {
    rlt_text_add(text, " - ");
    rlt_shape_add_text(&view->zero_points.shape, text);
    rlt_text_add(text, ")");
  }
  if (view->has_scales) {
    rlt_text_add(text, " * ");
    rlt_shape_add_text(&view->scales.shape, text);
    add_groups(view, text);
  }
  if (view->has_tensor_scale) {
    rlt_text_add(text, " * ");
    rlt_shape_add_text(&view->tensor_scale.shape, text);
  }
}

size_t relayout_scaled_view_format(const relayout_scaled_view *view, char *buffer,
                                   size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  rlt_scaled_view_add_text(view, &text);
  return text.length;
}
