/* parse.c: the text form of shapes and layouts, one function a rule of the grammar in shape.h.
 *
 * The grammar's own failures carry the column; what the text says is then checked as any other
 * shape is. Depends on rules.h, literal.h and on base/.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "metadata/literal.h"
#include "metadata/padding_names.h"
#include "metadata/quote.h"
#include "metadata/rules.h"
#include "metadata/tokens.h"
#include "metadata/type_hint.h"
#include "metadata/type_table.h"
#include "relayout/shape.h"

typedef struct text_parser {
  rlt_tokens in;
  const rlt_type_row *row; /* of the element type */
  relayout_layout *layout;
  const relayout_shape *defaults; /* whose dimensions the layout is for; NULL: the text's own */
} text_parser;

/* ---- Lists ---------------------------------------------------------------------------------- */

/* `item {',' item}`, up to but without one of the characters of `close`. */
typedef struct list_rule {
  const char *what;
  bool (*parse_item)(text_parser *parser, int64_t *value);
  const char *close;
  const char *expected; /* after an item */
} list_rule;

static bool parse_list(text_parser *parser, const list_rule *rule, int32_t capacity,
                       int64_t *values, int32_t *count) {
  *count = 0;
  do {
    rlt_tokens_skip_space(&parser->in);
    const char *const start = parser->in.at;
    int64_t value = 0;
    if (!rule->parse_item(parser, &value)) {
      return false;
    }
    if (*count == capacity) {
      return rlt_tokens_fail(&parser->in, start, RELAYOUT_INVALID_SHAPE,
                             "there are more than %d %s", capacity, rule->what);
    }
    values[(*count)++] = value;
  } while (rlt_tokens_take(&parser->in, ','));
  const char next = rlt_tokens_peek(&parser->in);
  return (next != '\0' && strchr(rule->close, next) != NULL) ||
         rlt_tokens_fail_expected(&parser->in, rule->expected);
}

static bool parse_dimension(text_parser *parser, int64_t *value) {
  if (rlt_tokens_peek(&parser->in) == '?') {
    return rlt_tokens_fail(&parser->in, parser->in.at, RELAYOUT_UNSUPPORTED,
                           "'?': dimensions of unbounded size are not supported");
  }
  if (*parser->in.at == '<') {
    return rlt_tokens_fail(&parser->in, parser->in.at, RELAYOUT_UNSUPPORTED,
                           "'<=': dimensions of dynamic size are not supported");
  }
  return rlt_tokens_integer(&parser->in, "a dimension's size", value);
}

static bool parse_tile_dimension(text_parser *parser, int64_t *value) {
  if (rlt_tokens_take(&parser->in, '*')) {
    *value = RELAYOUT_TILE_COMBINE;
    return true;
  }
  const char *const start = parser->in.at;
  if (!rlt_tokens_integer(&parser->in, "a tile dimension", value)) {
    return false;
  }
  return *value >= 1 ||
         rlt_tokens_fail(&parser->in, start, RELAYOUT_INVALID_SHAPE,
                         "tile dimension is %" PRId64 "; expected 1 or more, or *", *value);
}

/* ---- Properties ----------------------------------------------------------------------------- */

static bool parse_padded_dimensions(text_parser *parser) {
  static const list_rule rule = {"padded dimensions", parse_dimension, ")", "',' or ')'"};
  relayout_layout *const layout = parser->layout;
  if (!rlt_tokens_expect(&parser->in, '(')) {
    return false;
  }
  const char *const start = parser->in.at;
  if (!parse_list(parser, &rule, RELAYOUT_MAX_RANK, layout->padded_dimensions,
                  &layout->padded_dimension_count)) {
    return false;
  }
  if (parser->defaults != NULL && layout->padded_dimension_count != layout->rank) {
    return rlt_tokens_fail(&parser->in, start, RELAYOUT_SHAPE_MISMATCH,
                           "PD lists %d dimensions, but the shape has %d",
                           layout->padded_dimension_count, layout->rank);
  }
  return rlt_tokens_expect(&parser->in, ')');
}

static bool set_literal(text_parser *parser, size_t length) {
  relayout_error cause;
  rlt_element element;
  const relayout_status status =
      rlt_literal_parse(parser->in.at, length, parser->row, &element, &cause);
  if (status != RELAYOUT_OK) {
    return rlt_tokens_fail(&parser->in, parser->in.at, status, "padding value %s", cause.message);
  }
  if (element.real != 0 || element.imaginary != 0) { /* else it is zero already */
    parser->layout->padding_value = RELAYOUT_PADDING_LITERAL;
    rlt_element_store(parser->row, element, parser->layout->padding_literal);
  }
  return true;
}

static bool parse_padding_value(text_parser *parser) {
  if (!rlt_tokens_expect(&parser->in, '(')) {
    return false;
  }
  rlt_tokens_skip_space(&parser->in);
  const size_t length = strcspn(parser->in.at, "),(){} \t\n\v\f\r");
  if (length == 0) {
    return rlt_tokens_fail_expected(&parser->in, "a padding value");
  }
  if (!rlt_padding_value_find(parser->in.at, length, &parser->layout->padding_value) &&
      !set_literal(parser, length)) {
    return false;
  }
  parser->in.at += length;
  return rlt_tokens_expect(&parser->in, ')');
}

static bool parse_packing_order(text_parser *parser) {
  relayout_layout *const layout = parser->layout;
  if (!rlt_tokens_expect(&parser->in, '(')) {
    return false;
  }
  rlt_tokens_skip_space(&parser->in);
  if (rlt_tokens_take_word(&parser->in, "high")) {
    layout->packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  } else if (!rlt_tokens_take_word(&parser->in, "low")) {
    return rlt_tokens_fail_expected(&parser->in, "low or high");
  }
  return rlt_tokens_expect(&parser->in, ')');
}

static bool parse_tiles(text_parser *parser) {
  static const list_rule rule = {"tile dimensions", parse_tile_dimension, ")", "',' or ')'"};
  relayout_layout *const layout = parser->layout;
  int32_t used = 0; /* dimensions of all tiles so far */
  if (!rlt_tokens_expect(&parser->in, '(')) {
    return false;
  }
  do {
    if (layout->tile_count == RELAYOUT_MAX_TILES) {
      return rlt_tokens_fail(&parser->in, parser->in.at, RELAYOUT_INVALID_SHAPE,
                             "more than %d tiles", RELAYOUT_MAX_TILES);
    }
    int32_t *const rank = &layout->tile_ranks[layout->tile_count++];
    if (!parse_list(parser, &rule, RELAYOUT_MAX_TILE_DIMENSIONS - used,
                    layout->tile_dimensions + used, rank) ||
        !rlt_tokens_expect(&parser->in, ')')) {
      return false;
    }
    used += *rank;
  } while (rlt_tokens_take(&parser->in, '('));
  return true;
}

/* `(n)` with n at least `least`. */
static bool parse_single(text_parser *parser, const char *what, int64_t least, int64_t *value) {
  if (!rlt_tokens_expect(&parser->in, '(')) {
    return false;
  }
  rlt_tokens_skip_space(&parser->in);
  const char *const start = parser->in.at;
  if (!rlt_tokens_integer(&parser->in, what, value)) {
    return false;
  }
  if (*value < least) {
    return rlt_tokens_fail(&parser->in, start, RELAYOUT_INVALID_SHAPE,
                           "%s is %" PRId64 "; expected %" PRId64 " or more", what, *value, least);
  }
  return rlt_tokens_expect(&parser->in, ')');
}

static bool parse_tail_alignment(text_parser *parser) {
  return parse_single(parser, "a tail alignment", 1,
                      &parser->layout->tail_padding_alignment_in_elements);
}

static bool parse_element_size(text_parser *parser) {
  return parse_single(parser, "an element size", 0, &parser->layout->element_size_in_bits);
}

static bool parse_memory_space(text_parser *parser) {
  return parse_single(parser, "a memory space", INT64_MIN, &parser->layout->memory_space);
}

/* In the order they must stand in. XLA has more, without `parse` here. */
static const struct property {
  const char *name;
  bool (*parse)(text_parser *parser);
  const char *meaning;
} properties[] = {
    {"PD", parse_padded_dimensions, "padded dimensions"},
    {"PV", parse_padding_value, "padding value"},
    {"PO", parse_packing_order, "packing order"},
    {"D", NULL, "sparse dimension level types"},
    {"T", parse_tiles, "tiles"},
    {"L", parse_tail_alignment, "tail alignment"},
    {"#", NULL, "sparse index types"},
    {"*", NULL, "sparse pointer types"},
    {"E", parse_element_size, "element size"},
    {"S", parse_memory_space, "memory space"},
    {"SC", NULL, "split configurations"},
    {"P", NULL, "physical shapes"},
    {"M", NULL, "dynamic shape metadata"},
};

enum { PROPERTY_COUNT = sizeof properties / sizeof properties[0] };

static int32_t find_property(const char *name, size_t length) {
  for (int32_t i = 0; i < PROPERTY_COUNT; ++i) {
    if (strlen(properties[i].name) == length && memcmp(properties[i].name, name, length) == 0) {
      return i;
    }
  }
  return PROPERTY_COUNT;
}

/* Up to, but without, the closing brace. */
static bool parse_properties(text_parser *parser) {
  int32_t last = -1;
  while (rlt_tokens_peek(&parser->in) != '}') {
    const char *const name = parser->in.at;
    const size_t letters = rlt_tokens_word(&parser->in);
    const size_t length = letters > 0 ? letters : (*name != '\0');
    const int32_t i = find_property(name, length);
    if (i == PROPERTY_COUNT) {
      return rlt_tokens_fail_expected(&parser->in, "a property or '}'");
    }
    const struct property *const property = &properties[i];
    if (property->parse == NULL) {
      return rlt_tokens_fail(&parser->in, name, RELAYOUT_UNSUPPORTED,
                             "property %s: %s are not supported", property->name,
                             property->meaning);
    }
    if (i == last) {
      return rlt_tokens_fail(&parser->in, name, RELAYOUT_INVALID_TEXT, "property %s is given twice",
                             property->name);
    }
    if (i < last) {
      return rlt_tokens_fail(&parser->in, name, RELAYOUT_INVALID_TEXT,
                             "property %s must come before %s", property->name,
                             properties[last].name);
    }
    last = i;
    parser->in.at += length;
    if (!property->parse(parser)) {
      return false;
    }
  }
  return true;
}

/* ---- Layouts -------------------------------------------------------------------------------- */

static bool parse_order_entry(text_parser *parser, int64_t *value) {
  const char *const start = parser->in.at;
  if (!rlt_tokens_integer(&parser->in, "a dimension number", value)) {
    return false;
  }
  return (*value >= 0 && *value < RELAYOUT_MAX_RANK) ||
         rlt_tokens_fail(&parser->in, start, RELAYOUT_INVALID_SHAPE,
                         "minor_to_major contains %" PRId64 ", which is not a dimension", *value);
}

static bool parse_order(text_parser *parser, int32_t rank) {
  const char *const start = parser->in.at;
  int64_t order[RELAYOUT_MAX_RANK];
  int32_t count = 0;
  if (parser->defaults != NULL && *start == ':') {
    memcpy(parser->layout->minor_to_major, parser->defaults->layout.minor_to_major,
           sizeof parser->layout->minor_to_major);
    return true;
  }
  if (rlt_tokens_at_integer(&parser->in)) {
    static const list_rule rule = {"entries of minor_to_major", parse_order_entry, ":}",
                                   "',', ':' or '}'"};
    if (!parse_list(parser, &rule, RELAYOUT_MAX_RANK, order, &count)) {
      return false;
    }
  }
  if (count != rank) {
    return rlt_tokens_fail(&parser->in, start,
                           parser->defaults != NULL ? RELAYOUT_SHAPE_MISMATCH
                                                    : RELAYOUT_INVALID_SHAPE,
                           "minor_to_major lists %d dimensions, but the shape has %d", count, rank);
  }
  for (int32_t i = 0; i < rank; ++i) {
    parser->layout->minor_to_major[i] = (int32_t)order[i];
  }
  return true;
}

/* With or without a layout in the text, which ends behind it; the default one stands for none. */
static bool parse_layout(text_parser *parser, int32_t rank) {
  if (rlt_tokens_take(&parser->in, '{')) {
    *parser->layout = (relayout_layout){.rank = rank};
    const bool is_empty = parser->defaults != NULL && rlt_tokens_peek(&parser->in) == '}';
    if (!rlt_tokens_at_integer(&parser->in) && *parser->in.at != ':' && !is_empty) {
      return rlt_tokens_fail_expected(&parser->in, "a dimension number or ':'");
    }
    if (!parse_order(parser, rank) ||
        (rlt_tokens_take(&parser->in, ':') && !parse_properties(parser)) ||
        !rlt_tokens_expect(&parser->in, '}')) {
      return false;
    }
  } else {
    relayout_layout_make_descending(rank, parser->layout, NULL); /* of a valid rank */
  }
  return rlt_tokens_peek(&parser->in) == '\0' ||
         rlt_tokens_fail_expected(&parser->in, "the text's end");
}

/* ---- Shapes --------------------------------------------------------------------------------- */

static bool parse_type(text_parser *parser) {
  if (rlt_tokens_peek(&parser->in) == '(') {
    return rlt_tokens_fail(&parser->in, parser->in.at, RELAYOUT_UNSUPPORTED,
                           "'(': tuples are not supported");
  }
  const char *const name = parser->in.at;
  const size_t length = rlt_tokens_word(&parser->in);
  if (length == 0) {
    return rlt_tokens_fail_expected(&parser->in, "an element type");
  }
  if (rlt_type_is_no_element(name, length)) {
    return rlt_tokens_fail(&parser->in, name, RELAYOUT_UNSUPPORTED, "%s: only arrays are supported",
                           rlt_quote_text(name, length).text);
  }
  parser->row = rlt_type_find_name(name, length);
  parser->in.at += length;
  if (parser->row != NULL) {
    return true;
  }
  if (length == 1 && *name == 'b' && rlt_tokens_peek(&parser->in) == '(') {
    return rlt_tokens_fail(&parser->in, name, RELAYOUT_UNSUPPORTED,
                           "'b(': buffers are not supported");
  }
  return rlt_tokens_fail(&parser->in, name, RELAYOUT_INVALID_TEXT, "%s",
                         rlt_unknown_type_of(name, length).text);
}

static bool parse_dimensions(text_parser *parser, relayout_shape *shape) {
  static const list_rule rule = {"dimensions", parse_dimension, "]", "',' or ']'"};
  return rlt_tokens_expect(&parser->in, '[') &&
         (rlt_tokens_take(&parser->in, ']') ||
          (parse_list(parser, &rule, RELAYOUT_MAX_RANK, shape->dimensions, &shape->rank) &&
           rlt_tokens_take(&parser->in, ']')));
}

relayout_status relayout_shape_parse(const char *text, relayout_shape *shape,
                                     relayout_error *error) {
  if (text == NULL || shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    text == NULL ? "text" : "shape");
  }
  relayout_shape parsed = {0};
  text_parser parser = {.in = rlt_tokens_of(text, error), .layout = &parsed.layout};
  if (!parse_type(&parser) || !parse_dimensions(&parser, &parsed) ||
      !parse_layout(&parser, parsed.rank)) {
    return parser.in.status;
  }
  parsed.element_type = parser.row->type;
  const relayout_status status = relayout_shape_validate(&parsed, error);
  if (status == RELAYOUT_OK) {
    *shape = parsed;
  }
  return status;
}

/* ---- Shapes that leave something to others -------------------------------------------------- */

/* Makes the padding literal of the defaults' type the same number of the text's type, which stands
 * at `where`. */
static bool carry_literal(text_parser *parser, const char *where) {
  const rlt_type_row *const old = rlt_type_find(parser->defaults->element_type);
  char number[64] = "";
  rlt_text text = rlt_text_in(number, sizeof number);
  rlt_element element = rlt_element_load(old, parser->layout->padding_literal);
  rlt_literal_format(old, element, &text);
  relayout_error cause = {.message = "it is not a number"};
  relayout_status status = RELAYOUT_INVALID_SHAPE;
  if (strncmp(number, "0x", 2) != 0) { /* else the bits of the other type */
    status = rlt_literal_parse(number, strlen(number), parser->row, &element, &cause);
  }
  if (status != RELAYOUT_OK) {
    return rlt_tokens_fail(&parser->in, where, RELAYOUT_INVALID_SHAPE,
                           "%s cannot have the padding value %s of %s (%s): state the layout, too",
                           parser->row->name, number, old->name, cause.message);
  }
  rlt_element_store(parser->row, element, parser->layout->padding_literal);
  return true;
}

/* Makes the defaults' layout one of the text's type. */
static bool carry_layout(text_parser *parser, const char *where) {
  const relayout_element_type type = parser->row->type;
  const relayout_element_type old = parser->defaults->element_type;
  relayout_layout *const layout = parser->layout;
  *layout = parser->defaults->layout;
  if (type == old) {
    return true;
  }
  const int64_t whole = 8 * (int64_t)relayout_element_type_byte_size(old);
  const relayout_layout sized = {.element_size_in_bits = layout->element_size_in_bits};
  if (sized.element_size_in_bits == whole || rlt_check_layout(&sized, type, NULL) != RELAYOUT_OK) {
    layout->element_size_in_bits = 0;
    layout->packing_order = RELAYOUT_PACKING_LOW_FIRST;
  }
  if (layout->padding_value == RELAYOUT_PADDING_LITERAL && !carry_literal(parser, where)) {
    return false;
  }
  relayout_error cause;
  const relayout_status status = rlt_check_layout(layout, type, &cause);
  return status == RELAYOUT_OK ||
         rlt_tokens_fail(&parser->in, where, status,
                         "%s cannot have the layout of %s (%s): state one, too", parser->row->name,
                         relayout_element_type_name(old), cause.message);
}

/* `*is_whole` becomes true before dimensions, where nothing is left to the defaults. */
static bool parse_parts(text_parser *parser, bool *is_whole) {
  const char first = rlt_tokens_peek(&parser->in);
  const char *const start = parser->in.at;
  parser->row = rlt_type_find(parser->defaults->element_type);
  if (first != '{' && first != '(' && !rlt_is_letter(first)) {
    return rlt_tokens_fail_expected(&parser->in, "an element type or a layout");
  }
  if (first != '{' && !parse_type(parser)) {
    return false;
  }
  switch (rlt_tokens_peek(&parser->in)) {
  case '[':
    *is_whole = true;
    return true;
  case '{':
    return parse_layout(parser, parser->defaults->rank);
  case '\0':
    return carry_layout(parser, start);
  default:
    return rlt_tokens_fail_expected(&parser->in, "'[', '{' or the text's end");
  }
}

relayout_status relayout_shape_parse_with_defaults(const char *text, const relayout_shape *defaults,
                                                   relayout_shape *shape, relayout_error *error) {
  if (text == NULL || shape == NULL || defaults == NULL) {
    return relayout_shape_parse(text, shape, error);
  }
  relayout_error cause;
  relayout_status status = relayout_shape_validate(defaults, &cause);
  if (status != RELAYOUT_OK) {
    return rlt_fail(error, status, "defaults: %s", cause.message);
  }
  relayout_shape parsed = *defaults;
  text_parser parser = {
      .in = rlt_tokens_of(text, error), .layout = &parsed.layout, .defaults = defaults};
  bool is_whole = false;
  if (!parse_parts(&parser, &is_whole)) {
    return parser.in.status;
  }
  if (is_whole) {
    return relayout_shape_parse(text, shape, error);
  }
  parsed.element_type = parser.row->type;
  status = relayout_shape_validate(&parsed, error);
  if (status == RELAYOUT_OK) {
    *shape = parsed;
  }
  return status;
}

/* ---- Layouts alone -------------------------------------------------------------------------- */

relayout_status relayout_layout_parse(const char *text, relayout_element_type type, int32_t rank,
                                      relayout_layout *layout, relayout_error *error) {
  if (text == NULL || layout == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    text == NULL ? "text" : "layout");
  }
  const rlt_type_row *const row = rlt_type_find(type);
  if (row == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "type is %" PRId64 ", which is not an element type", (int64_t)type);
  }
  relayout_status status = rlt_check_rank(rank, "rank", error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  relayout_layout parsed;
  text_parser parser = {.in = rlt_tokens_of(text, error), .row = row, .layout = &parsed};
  if (!parse_layout(&parser, rank)) {
    return parser.in.status;
  }
  status = rlt_check_layout(&parsed, type, error);
  if (status == RELAYOUT_OK) {
    *layout = parsed;
  }
  return status;
}
