/* parse.c: the text form of shapes and layouts, one function a rule of the grammar in shape.h.
 *
 * The grammar's own failures carry the column; what the text says is then checked as any other
 * shape is. Depends on rules.h, literal.h and on base/.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "metadata/literal.h"
#include "metadata/padding_names.h"
#include "metadata/quote.h"
#include "metadata/rules.h"
#include "metadata/type_hint.h"
#include "metadata/type_table.h"
#include "relayout/shape.h"

typedef struct text_parser {
  const char *text;
  const char *at;
  const rlt_type_row *row; /* of the element type */
  relayout_layout *layout;
  const relayout_shape *defaults; /* whose dimensions the layout is for; NULL: the text's own */
  relayout_status status;         /* of what failed: a rule that does is false */
  relayout_error *error;
} text_parser;

/* ---- Failing -------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static bool
fail_at(text_parser *parser, const char *where, relayout_status status, const char *format, ...) {
  char message[RELAYOUT_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  parser->status =
      rlt_fail(parser->error, status, "column %td: %s", where - parser->text + 1, message);
  return false;
}

static bool fail_expected(text_parser *parser, const char *expected) {
  if (*parser->at == '\0') {
    return fail_at(parser, parser->at, RELAYOUT_INVALID_TEXT, "expected %s, but the text ends",
                   expected);
  }
  return fail_at(parser, parser->at, RELAYOUT_INVALID_TEXT, "expected %s, found %s", expected,
                 rlt_quote_text(parser->at, strlen(parser->at)).text);
}

/* ---- Tokens --------------------------------------------------------------------------------- */

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_space(text_parser *parser) {
  while (is_space(*parser->at)) {
    ++parser->at;
  }
}

/* The character the next token starts with; NUL at the end. */
static char peek(text_parser *parser) {
  skip_space(parser);
  return *parser->at;
}

static bool take(text_parser *parser, char c) {
  if (peek(parser) != c) {
    return false;
  }
  ++parser->at;
  return true;
}

static bool expect(text_parser *parser, char c) {
  const char expected[] = {'\'', c, '\'', '\0'};
  return take(parser, c) || fail_expected(parser, expected);
}

/* Letters and digits from here on. */
static size_t word_length(const char *at) {
  size_t length = 0;
  while (is_letter(at[length]) || is_digit(at[length])) {
    ++length;
  }
  return length;
}

static bool at_integer(text_parser *parser) {
  const char c = peek(parser);
  return is_digit(c) || (c == '-' && is_digit(parser->at[1]));
}

/* `expected` says in a message what the number is. */
static bool parse_integer(text_parser *parser, const char *expected, int64_t *value) {
  if (!at_integer(parser)) {
    return fail_expected(parser, expected);
  }
  const char *const start = parser->at;
  const bool negative = *parser->at == '-';
  bool fits = true;
  int64_t result = 0;
  for (parser->at += negative; is_digit(*parser->at); ++parser->at) {
    const int64_t digit = *parser->at - '0';
    fits = fits && !__builtin_mul_overflow(result, 10, &result) &&
           !__builtin_add_overflow(result, negative ? -digit : digit, &result);
  }
  if (!fits) {
    return fail_at(parser, start, RELAYOUT_SIZE_OVERFLOW, "%s does not fit 64 bits",
                   rlt_quote_text(start, (size_t)(parser->at - start)).text);
  }
  *value = result;
  return true;
}

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
    skip_space(parser);
    const char *const start = parser->at;
    int64_t value = 0;
    if (!rule->parse_item(parser, &value)) {
      return false;
    }
    if (*count == capacity) {
      return fail_at(parser, start, RELAYOUT_INVALID_SHAPE, "there are more than %d %s", capacity,
                     rule->what);
    }
    values[(*count)++] = value;
  } while (take(parser, ','));
  const char next = peek(parser);
  return (next != '\0' && strchr(rule->close, next) != NULL) ||
         fail_expected(parser, rule->expected);
}

static bool parse_dimension(text_parser *parser, int64_t *value) {
  if (peek(parser) == '?') {
    return fail_at(parser, parser->at, RELAYOUT_UNSUPPORTED,
                   "'?': dimensions of unbounded size are not supported");
  }
  if (*parser->at == '<') {
    return fail_at(parser, parser->at, RELAYOUT_UNSUPPORTED,
                   "'<=': dimensions of dynamic size are not supported");
  }
  return parse_integer(parser, "a dimension's size", value);
}

static bool parse_tile_dimension(text_parser *parser, int64_t *value) {
  if (take(parser, '*')) {
    *value = RELAYOUT_TILE_COMBINE;
    return true;
  }
  const char *const start = parser->at;
  if (!parse_integer(parser, "a tile dimension", value)) {
    return false;
  }
  return *value >= 1 || fail_at(parser, start, RELAYOUT_INVALID_SHAPE,
                                "tile dimension is %" PRId64 "; expected 1 or more, or *", *value);
}

/* ---- Properties ----------------------------------------------------------------------------- */

static bool parse_padded_dimensions(text_parser *parser) {
  static const list_rule rule = {"padded dimensions", parse_dimension, ")", "',' or ')'"};
  relayout_layout *const layout = parser->layout;
  if (!expect(parser, '(')) {
    return false;
  }
  const char *const start = parser->at;
  if (!parse_list(parser, &rule, RELAYOUT_MAX_RANK, layout->padded_dimensions,
                  &layout->padded_dimension_count)) {
    return false;
  }
  if (parser->defaults != NULL && layout->padded_dimension_count != layout->rank) {
    return fail_at(parser, start, RELAYOUT_SHAPE_MISMATCH,
                   "PD lists %d dimensions, but the shape has %d", layout->padded_dimension_count,
                   layout->rank);
  }
  return expect(parser, ')');
}

static bool set_literal(text_parser *parser, size_t length) {
  relayout_error cause;
  rlt_element element;
  const relayout_status status =
      rlt_literal_parse(parser->at, length, parser->row, &element, &cause);
  if (status != RELAYOUT_OK) {
    return fail_at(parser, parser->at, status, "padding value %s", cause.message);
  }
  if (element.real != 0 || element.imaginary != 0) { /* else it is zero already */
    parser->layout->padding_value = RELAYOUT_PADDING_LITERAL;
    rlt_element_store(parser->row, element, parser->layout->padding_literal);
  }
  return true;
}

static bool parse_padding_value(text_parser *parser) {
  if (!expect(parser, '(')) {
    return false;
  }
  skip_space(parser);
  const size_t length = strcspn(parser->at, "),(){} \t\n\v\f\r");
  if (length == 0) {
    return fail_expected(parser, "a padding value");
  }
  if (!rlt_padding_value_find(parser->at, length, &parser->layout->padding_value) &&
      !set_literal(parser, length)) {
    return false;
  }
  parser->at += length;
  return expect(parser, ')');
}

static bool parse_tiles(text_parser *parser) {
  static const list_rule rule = {"tile dimensions", parse_tile_dimension, ")", "',' or ')'"};
  relayout_layout *const layout = parser->layout;
  int32_t used = 0; /* dimensions of all tiles so far */
  if (!expect(parser, '(')) {
    return false;
  }
  do {
    if (layout->tile_count == RELAYOUT_MAX_TILES) {
      return fail_at(parser, parser->at, RELAYOUT_INVALID_SHAPE, "more than %d tiles",
                     RELAYOUT_MAX_TILES);
    }
    int32_t *const rank = &layout->tile_ranks[layout->tile_count++];
    if (!parse_list(parser, &rule, RELAYOUT_MAX_TILE_DIMENSIONS - used,
                    layout->tile_dimensions + used, rank) ||
        !expect(parser, ')')) {
      return false;
    }
    used += *rank;
  } while (take(parser, '('));
  return true;
}

/* `(n)` with n at least `least`. */
static bool parse_single(text_parser *parser, const char *what, int64_t least, int64_t *value) {
  if (!expect(parser, '(')) {
    return false;
  }
  skip_space(parser);
  const char *const start = parser->at;
  if (!parse_integer(parser, what, value)) {
    return false;
  }
  if (*value < least) {
    return fail_at(parser, start, RELAYOUT_INVALID_SHAPE,
                   "%s is %" PRId64 "; expected %" PRId64 " or more", what, *value, least);
  }
  return expect(parser, ')');
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
  while (peek(parser) != '}') {
    const char *const name = parser->at;
    const size_t letters = word_length(name);
    const size_t length = letters > 0 ? letters : (*name != '\0');
    const int32_t i = find_property(name, length);
    if (i == PROPERTY_COUNT) {
      return fail_expected(parser, "a property or '}'");
    }
    const struct property *const property = &properties[i];
    if (property->parse == NULL) {
      return fail_at(parser, name, RELAYOUT_UNSUPPORTED, "property %s: %s are not supported",
                     property->name, property->meaning);
    }
    if (i == last) {
      return fail_at(parser, name, RELAYOUT_INVALID_TEXT, "property %s is given twice",
                     property->name);
    }
    if (i < last) {
      return fail_at(parser, name, RELAYOUT_INVALID_TEXT, "property %s must come before %s",
                     property->name, properties[last].name);
    }
    last = i;
    parser->at += length;
    if (!property->parse(parser)) {
      return false;
    }
  }
  return true;
}

/* ---- Layouts -------------------------------------------------------------------------------- */

static bool parse_order_entry(text_parser *parser, int64_t *value) {
  const char *const start = parser->at;
  if (!parse_integer(parser, "a dimension number", value)) {
    return false;
  }
  return (*value >= 0 && *value < RELAYOUT_MAX_RANK) ||
         fail_at(parser, start, RELAYOUT_INVALID_SHAPE,
                 "minor_to_major contains %" PRId64 ", which is not a dimension", *value);
}

static bool parse_order(text_parser *parser, int32_t rank) {
  const char *const start = parser->at;
  int64_t order[RELAYOUT_MAX_RANK];
  int32_t count = 0;
  if (parser->defaults != NULL && *start == ':') {
    memcpy(parser->layout->minor_to_major, parser->defaults->layout.minor_to_major,
           sizeof parser->layout->minor_to_major);
    return true;
  }
  if (at_integer(parser)) {
    static const list_rule rule = {"entries of minor_to_major", parse_order_entry, ":}",
                                   "',', ':' or '}'"};
    if (!parse_list(parser, &rule, RELAYOUT_MAX_RANK, order, &count)) {
      return false;
    }
  }
  if (count != rank) {
    return fail_at(parser, start,
                   parser->defaults != NULL ? RELAYOUT_SHAPE_MISMATCH : RELAYOUT_INVALID_SHAPE,
                   "minor_to_major lists %d dimensions, but the shape has %d", count, rank);
  }
  for (int32_t i = 0; i < rank; ++i) {
    parser->layout->minor_to_major[i] = (int32_t)order[i];
  }
  return true;
}

/* With or without a layout in the text, which ends behind it; the default one stands for none. */
static bool parse_layout(text_parser *parser, int32_t rank) {
  if (take(parser, '{')) {
    *parser->layout = (relayout_layout){.rank = rank};
    const bool is_empty = parser->defaults != NULL && peek(parser) == '}';
    if (!at_integer(parser) && *parser->at != ':' && !is_empty) {
      return fail_expected(parser, "a dimension number or ':'");
    }
    if (!parse_order(parser, rank) || (take(parser, ':') && !parse_properties(parser)) ||
        !expect(parser, '}')) {
      return false;
    }
  } else {
    relayout_layout_make_descending(rank, parser->layout, NULL); /* of a valid rank */
  }
  return peek(parser) == '\0' || fail_expected(parser, "the text's end");
}

/* ---- Shapes --------------------------------------------------------------------------------- */

static bool parse_type(text_parser *parser) {
  if (peek(parser) == '(') {
    return fail_at(parser, parser->at, RELAYOUT_UNSUPPORTED, "'(': tuples are not supported");
  }
  const char *const name = parser->at;
  const size_t length = word_length(name);
  if (length == 0) {
    return fail_expected(parser, "an element type");
  }
  if (rlt_type_is_no_element(name, length)) {
    return fail_at(parser, name, RELAYOUT_UNSUPPORTED, "%s: only arrays are supported",
                   rlt_quote_text(name, length).text);
  }
  parser->row = rlt_type_find_name(name, length);
  parser->at += length;
  if (parser->row != NULL) {
    return true;
  }
  if (length == 1 && *name == 'b' && peek(parser) == '(') {
    return fail_at(parser, name, RELAYOUT_UNSUPPORTED, "'b(': buffers are not supported");
  }
  return fail_at(parser, name, RELAYOUT_INVALID_TEXT, "%s", rlt_unknown_type_of(name, length).text);
}

static bool parse_dimensions(text_parser *parser, relayout_shape *shape) {
  static const list_rule rule = {"dimensions", parse_dimension, "]", "',' or ']'"};
  return expect(parser, '[') &&
         (take(parser, ']') ||
          (parse_list(parser, &rule, RELAYOUT_MAX_RANK, shape->dimensions, &shape->rank) &&
           take(parser, ']')));
}

relayout_status relayout_shape_parse(const char *text, relayout_shape *shape,
                                     relayout_error *error) {
  if (text == NULL || shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    text == NULL ? "text" : "shape");
  }
  relayout_shape parsed = {0};
  text_parser parser = {.text = text, .at = text, .layout = &parsed.layout, .error = error};
  if (!parse_type(&parser) || !parse_dimensions(&parser, &parsed) ||
      !parse_layout(&parser, parsed.rank)) {
    return parser.status;
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
    return fail_at(parser, where, RELAYOUT_INVALID_SHAPE,
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
  }
  if (layout->padding_value == RELAYOUT_PADDING_LITERAL && !carry_literal(parser, where)) {
    return false;
  }
  relayout_error cause;
  const relayout_status status = rlt_check_layout(layout, type, &cause);
  return status == RELAYOUT_OK ||
         fail_at(parser, where, status, "%s cannot have the layout of %s (%s): state one, too",
                 parser->row->name, relayout_element_type_name(old), cause.message);
}

/* `*is_whole` becomes true before dimensions, where nothing is left to the defaults. */
static bool parse_parts(text_parser *parser, bool *is_whole) {
  const char first = peek(parser);
  const char *const start = parser->at;
  parser->row = rlt_type_find(parser->defaults->element_type);
  if (first != '{' && first != '(' && !is_letter(first)) {
    return fail_expected(parser, "an element type or a layout");
  }
  if (first != '{' && !parse_type(parser)) {
    return false;
  }
  switch (peek(parser)) {
  case '[':
    *is_whole = true;
    return true;
  case '{':
    return parse_layout(parser, parser->defaults->rank);
  case '\0':
    return carry_layout(parser, start);
  default:
    return fail_expected(parser, "'[', '{' or the text's end");
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
      .text = text, .at = text, .layout = &parsed.layout, .defaults = defaults, .error = error};
  bool is_whole = false;
  if (!parse_parts(&parser, &is_whole)) {
    return parser.status;
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
  text_parser parser = {.text = text, .at = text, .row = row, .layout = &parsed, .error = error};
  if (!parse_layout(&parser, rank)) {
    return parser.status;
  }
  status = rlt_check_layout(&parsed, type, error);
  if (status == RELAYOUT_OK) {
    *layout = parsed;
  }
  return status;
}
