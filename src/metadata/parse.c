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
#include "metadata/type_table.h"
#include "relayout/shape.h"

typedef struct text_parser {
  const char *text;
  const char *at;
  relayout_error *error;
} text_parser;

/* ---- Failing -------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static relayout_status fail_at(const text_parser *parser,
                                                                     const char *where,
                                                                     relayout_status status,
                                                                     const char *format, ...) {
  char message[RELAYOUT_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return rlt_fail(parser->error, status, "column %td: %s", where - parser->text + 1, message);
}

static relayout_status fail_expected(const text_parser *parser, const char *expected) {
  if (*parser->at == '\0') {
    return fail_at(parser, parser->at, RELAYOUT_INVALID_TEXT, "expected %s, and the text ends",
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
static relayout_status parse_integer(text_parser *parser, const char *expected, int64_t *value) {
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
  return RELAYOUT_OK;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

/* `item {',' item}`, up to but without one of the characters of `close`. */
typedef struct list_rule {
  const char *what;
  relayout_status (*parse_item)(text_parser *parser, int64_t *value);
  const char *close;
  const char *expected; /* after an item */
} list_rule;

static relayout_status parse_list(text_parser *parser, const list_rule *rule, int32_t capacity,
                                  int64_t *values, int32_t *count) {
  *count = 0;
  do {
    skip_space(parser);
    const char *const start = parser->at;
    int64_t value = 0;
    const relayout_status status = rule->parse_item(parser, &value);
    if (status != RELAYOUT_OK) {
      return status;
    }
    if (*count == capacity) {
      return fail_at(parser, start, RELAYOUT_INVALID_SHAPE, "there are more than %d %s", capacity,
                     rule->what);
    }
    values[(*count)++] = value;
  } while (take(parser, ','));
  const char next = peek(parser);
  return next != '\0' && strchr(rule->close, next) != NULL ? RELAYOUT_OK
                                                           : fail_expected(parser, rule->expected);
}

static relayout_status parse_dimension(text_parser *parser, int64_t *value) {
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

static relayout_status parse_tile_dimension(text_parser *parser, int64_t *value) {
  if (take(parser, '*')) {
    *value = RELAYOUT_TILE_COMBINE;
    return RELAYOUT_OK;
  }
  skip_space(parser);
  const char *const start = parser->at;
  const relayout_status status = parse_integer(parser, "a tile dimension", value);
  if (status == RELAYOUT_OK && *value < 1) {
    return fail_at(parser, start, RELAYOUT_INVALID_SHAPE,
                   "tile dimension %" PRId64 " is neither at least 1 nor *", *value);
  }
  return status;
}

/* ---- Properties ----------------------------------------------------------------------------- */

typedef struct layout_context {
  relayout_layout *layout;
  const rlt_type_row *row;
} layout_context;

typedef relayout_status parse_property_values(text_parser *parser, const layout_context *context);

static relayout_status expect_open(text_parser *parser) {
  return take(parser, '(') ? RELAYOUT_OK : fail_expected(parser, "'('");
}

static relayout_status expect_close(text_parser *parser) {
  return take(parser, ')') ? RELAYOUT_OK : fail_expected(parser, "')'");
}

static relayout_status parse_padded_dimensions(text_parser *parser, const layout_context *context) {
  relayout_layout *const layout = context->layout;
  relayout_status status = expect_open(parser);
  if (status != RELAYOUT_OK) {
    return status;
  }
  static const list_rule rule = {"padded dimensions", parse_dimension, ")", "',' or ')'"};
  status = parse_list(parser, &rule, RELAYOUT_MAX_RANK, layout->padded_dimensions,
                      &layout->padded_dimension_count);
  return status == RELAYOUT_OK ? expect_close(parser) : status;
}

static relayout_status set_literal(text_parser *parser, const layout_context *context,
                                   size_t length) {
  relayout_error cause;
  rlt_element element;
  const relayout_status status =
      rlt_literal_parse(parser->at, length, context->row, &element, &cause);
  if (status != RELAYOUT_OK) {
    return fail_at(parser, parser->at, status, "padding value %s", cause.message);
  }
  if (element.real == 0 && element.imaginary == 0) {
    return RELAYOUT_OK; /* padding_value is zero already */
  }
  context->layout->padding_value = RELAYOUT_PADDING_LITERAL;
  rlt_element_store(context->row, element, context->layout->padding_literal);
  return RELAYOUT_OK;
}

static relayout_status parse_padding_value(text_parser *parser, const layout_context *context) {
  relayout_status status = expect_open(parser);
  if (status != RELAYOUT_OK) {
    return status;
  }
  skip_space(parser);
  const size_t length = strcspn(parser->at, "),(){} \t\n\v\f\r");
  if (length == 0) {
    return fail_expected(parser, "a padding value");
  }
  relayout_padding_value named;
  if (rlt_padding_value_find(parser->at, length, &named)) {
    context->layout->padding_value = named;
  } else {
    status = set_literal(parser, context, length);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  parser->at += length;
  return expect_close(parser);
}

static relayout_status parse_tiles(text_parser *parser, const layout_context *context) {
  relayout_layout *const layout = context->layout;
  static const list_rule rule = {"tile dimensions", parse_tile_dimension, ")", "',' or ')'"};
  int32_t used = 0; /* dimensions of all tiles so far */
  relayout_status status = expect_open(parser);
  do {
    if (status != RELAYOUT_OK) {
      return status;
    }
    if (layout->tile_count == RELAYOUT_MAX_TILES) {
      return fail_at(parser, parser->at, RELAYOUT_INVALID_SHAPE, "more than %d tiles",
                     RELAYOUT_MAX_TILES);
    }
    int32_t *const rank = &layout->tile_ranks[layout->tile_count++];
    status = parse_list(parser, &rule, RELAYOUT_MAX_TILE_DIMENSIONS - used,
                        layout->tile_dimensions + used, rank);
    if (status != RELAYOUT_OK) {
      return status;
    }
    used += *rank;
    status = expect_close(parser);
  } while (take(parser, '('));
  return status;
}

/* `(n)` with n at least `least`. */
static relayout_status parse_single(text_parser *parser, const char *what, int64_t least,
                                    int64_t *value) {
  relayout_status status = expect_open(parser);
  if (status != RELAYOUT_OK) {
    return status;
  }
  skip_space(parser);
  const char *const start = parser->at;
  status = parse_integer(parser, what, value);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (*value < least) {
    return fail_at(parser, start, RELAYOUT_INVALID_SHAPE, "%s of %" PRId64 " is less than %" PRId64,
                   what, *value, least);
  }
  return expect_close(parser);
}

static relayout_status parse_tail_alignment(text_parser *parser, const layout_context *context) {
  return parse_single(parser, "a tail alignment", 1,
                      &context->layout->tail_padding_alignment_in_elements);
}

static relayout_status parse_element_size(text_parser *parser, const layout_context *context) {
  return parse_single(parser, "an element size", 0, &context->layout->element_size_in_bits);
}

static relayout_status parse_memory_space(text_parser *parser, const layout_context *context) {
  return parse_single(parser, "a memory space", INT64_MIN, &context->layout->memory_space);
}

/* In the order they must stand in. XLA has more, without `parse` here. */
static const struct property {
  const char *name;
  parse_property_values *parse;
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
static relayout_status parse_properties(text_parser *parser, const layout_context *context) {
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
      return fail_at(parser, name, RELAYOUT_INVALID_TEXT, "property %s stands twice",
                     property->name);
    }
    if (i < last) {
      return fail_at(parser, name, RELAYOUT_INVALID_TEXT, "property %s must stand before %s",
                     property->name, properties[last].name);
    }
    last = i;
    parser->at += length;
    const relayout_status status = property->parse(parser, context);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  return RELAYOUT_OK;
}

/* ---- Layouts -------------------------------------------------------------------------------- */

static relayout_status parse_order_entry(text_parser *parser, int64_t *value) {
  skip_space(parser);
  const char *const start = parser->at;
  const relayout_status status = parse_integer(parser, "a dimension number", value);
  if (status == RELAYOUT_OK && (*value < 0 || *value >= RELAYOUT_MAX_RANK)) {
    return fail_at(parser, start, RELAYOUT_INVALID_SHAPE,
                   "minor_to_major holds %" PRId64 ", which is no dimension", *value);
  }
  return status;
}

static relayout_status parse_order(text_parser *parser, int32_t rank, relayout_layout *layout) {
  const char *const start = parser->at;
  int64_t order[RELAYOUT_MAX_RANK];
  int32_t count = 0;
  if (at_integer(parser)) {
    static const list_rule rule = {"entries of minor_to_major", parse_order_entry, ":}",
                                   "',', ':' or '}'"};
    const relayout_status status = parse_list(parser, &rule, RELAYOUT_MAX_RANK, order, &count);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  if (count != rank) {
    return fail_at(parser, start, RELAYOUT_INVALID_SHAPE,
                   "minor_to_major lists %d dimensions, and the shape has %d", count, rank);
  }
  layout->rank = rank;
  for (int32_t i = 0; i < rank; ++i) {
    layout->minor_to_major[i] = (int32_t)order[i];
  }
  return RELAYOUT_OK;
}

/* With or without a layout in the text; the default one stands for none. */
static relayout_status parse_layout(text_parser *parser, const rlt_type_row *row, int32_t rank,
                                    relayout_layout *layout) {
  if (!take(parser, '{')) {
    return relayout_layout_make_descending(rank, layout, parser->error);
  }
  *layout = (relayout_layout){0};
  if (!at_integer(parser) && *parser->at != ':') {
    return fail_expected(parser, "a dimension number or ':'");
  }
  relayout_status status = parse_order(parser, rank, layout);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (take(parser, ':')) {
    status = parse_properties(parser, &(layout_context){layout, row});
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  return take(parser, '}') ? RELAYOUT_OK : fail_expected(parser, "'}'");
}

/* ---- Shapes --------------------------------------------------------------------------------- */

static relayout_status parse_type(text_parser *parser, const rlt_type_row **row) {
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
  *row = rlt_type_find_name(name, length);
  parser->at += length;
  if (*row != NULL) {
    return RELAYOUT_OK;
  }
  if (length == 1 && *name == 'b' && peek(parser) == '(') {
    return fail_at(parser, name, RELAYOUT_UNSUPPORTED, "'b(': buffers are not supported");
  }
  return fail_at(parser, name, RELAYOUT_INVALID_TEXT, "%s is not an element type",
                 rlt_quote_text(name, length).text);
}

static relayout_status parse_dimensions(text_parser *parser, relayout_shape *shape) {
  if (!take(parser, '[')) {
    return fail_expected(parser, "'['");
  }
  if (take(parser, ']')) {
    return RELAYOUT_OK;
  }
  static const list_rule rule = {"dimensions", parse_dimension, "]", "',' or ']'"};
  const relayout_status status =
      parse_list(parser, &rule, RELAYOUT_MAX_RANK, shape->dimensions, &shape->rank);
  if (status == RELAYOUT_OK) {
    ++parser->at; /* parse_list stops at the bracket */
  }
  return status;
}

static relayout_status expect_end(text_parser *parser) {
  return peek(parser) == '\0' ? RELAYOUT_OK : fail_expected(parser, "the text's end");
}

relayout_status relayout_shape_parse(const char *text, relayout_shape *shape,
                                     relayout_error *error) {
  if (text == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "text is NULL");
  }
  if (shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "shape is NULL");
  }
  text_parser parser = {.text = text, .at = text, .error = error};
  relayout_shape parsed = {0};
  const rlt_type_row *row = NULL;
  relayout_status status = parse_type(&parser, &row);
  if (status != RELAYOUT_OK) {
    return status;
  }
  parsed.element_type = row->type;
  status = parse_dimensions(&parser, &parsed);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = parse_layout(&parser, row, parsed.rank, &parsed.layout);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = expect_end(&parser);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = relayout_shape_validate(&parsed, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  *shape = parsed;
  return RELAYOUT_OK;
}

relayout_status relayout_layout_parse(const char *text, relayout_element_type type, int32_t rank,
                                      relayout_layout *layout, relayout_error *error) {
  if (text == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "text is NULL");
  }
  if (layout == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "layout is NULL");
  }
  const rlt_type_row *const row = rlt_type_find(type);
  if (row == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "type is %" PRId64 ", which is no type",
                    (int64_t)type);
  }
  relayout_status status = rlt_check_rank(rank, "rank", error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  text_parser parser = {.text = text, .at = text, .error = error};
  relayout_layout parsed;
  status = parse_layout(&parser, row, rank, &parsed);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = expect_end(&parser);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = rlt_check_layout(&parsed, type, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  *layout = parsed;
  return RELAYOUT_OK;
}
