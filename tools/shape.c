/* shape.c: `relayout shape` shows a shape's sizes, strides and, when it is small, its memory; or
 * the shapes of the tensors of a file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "padding_text.h"
#include "picture.h"
#include "scaled_text.h"
#include "shape_scaled.h"
#include "size_text.h"
#include "tensor_list.h"

/* What the library says of a shape. Tiled layouts have no strides. */
typedef struct shape_facts {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  int64_t padded_dimensions[RELAYOUT_MAX_RANK];
  char padding_value[PADDING_TEXT_CAPACITY];
  bool is_widened; /* some padded dimension is wider than its dimension */
  int64_t physical_elements;
  size_t byte_size;
  size_t padding_byte_size;
  bool has_strides;
  int64_t strides[RELAYOUT_MAX_RANK];
} shape_facts;

static shape_facts facts_of(const relayout_shape *shape) {
  shape_facts facts = {.is_widened = false};
  relayout_shape_format(shape, facts.text, sizeof facts.text);
  padding_text(&shape->layout, shape->element_type, facts.padding_value);
  for (int32_t d = 0; d < shape->rank; d++) {
    facts.padded_dimensions[d] = relayout_shape_padded_dimension(shape, d);
    facts.is_widened = facts.is_widened || facts.padded_dimensions[d] > shape->dimensions[d];
  }
  facts.has_strides = relayout_shape_strides(shape, facts.strides, NULL) == RELAYOUT_OK;
  relayout_shape_physical_element_count(shape, &facts.physical_elements, NULL);
  relayout_shape_byte_size(shape, &facts.byte_size, NULL);
  relayout_shape_padding_byte_size(shape, &facts.padding_byte_size, NULL);
  return facts;
}

/* A list for each tile, of its dimensions; null stands where one is merged into the next. */
static json_t *json_of_tiles(const relayout_layout *layout) {
  json_t *tiles = json_of_no_elements();
  const int64_t *dimensions = layout->tile_dimensions;
  for (int32_t t = 0; t < layout->tile_count; t++) {
    json_t *tile = json_of_no_elements();
    for (int32_t d = 0; d < layout->tile_ranks[t]; d++) {
      tile = json_with_element(tile, dimensions[d] == RELAYOUT_TILE_COMBINE
                                         ? json_of_nothing()
                                         : json_of_integer(dimensions[d]));
    }
    dimensions += layout->tile_ranks[t];
    tiles = json_with_element(tiles, tile);
  }
  return tiles;
}

/* What an element takes in memory. */
static int64_t element_bits_of(const relayout_shape *shape) {
  const int64_t bits = shape->layout.element_size_in_bits;
  return bits > 0 ? bits : 8 * (int64_t)relayout_element_type_byte_size(shape->element_type);
}

static bool is_high_first(const relayout_shape *shape) {
  return shape->layout.packing_order == RELAYOUT_PACKING_HIGH_FIRST;
}

static json_t *json_of_physical_dimensions(const relayout_shape *shape) {
  int64_t dimensions[RELAYOUT_MAX_PHYSICAL_RANK];
  size_t count = 0;
  relayout_shape_physical_dimensions(shape, RELAYOUT_MAX_PHYSICAL_RANK, dimensions, &count, NULL);
  return json_of_integers(count, dimensions);
}

static exit_code print_json(const relayout_shape *shape, const shape_facts *facts) {
  const size_t rank = (size_t)shape->rank;
  int64_t minor_to_major[RELAYOUT_MAX_RANK];
  for (size_t i = 0; i < rank; i++) {
    minor_to_major[i] = shape->layout.minor_to_major[i];
  }
  json_t *const object = json_of_members((json_member[]){
      {"text", json_of_text(facts->text)},
      {"element_type", json_of_text(relayout_element_type_name(shape->element_type))},
      {"rank", json_of_integer(shape->rank)},
      {"true_rank", json_of_integer(relayout_shape_true_rank(shape))},
      {"dimensions", json_of_integers(rank, shape->dimensions)},
      {"minor_to_major", json_of_integers(rank, minor_to_major)},
      {"padded_dimensions", json_of_integers(rank, facts->padded_dimensions)},
      {"physical_dimensions", json_of_physical_dimensions(shape)},
      {"padding_value", json_of_text(facts->padding_value)},
      {"tiles", json_of_tiles(&shape->layout)},
      {"tail_alignment", json_of_integer(shape->layout.tail_padding_alignment_in_elements > 1
                                             ? shape->layout.tail_padding_alignment_in_elements
                                             : 1)},
      {"element_bits", json_of_integer(element_bits_of(shape))},
      {"packing_order", json_of_text(is_high_first(shape) ? "high" : "low")},
      {"memory_space", json_of_integer(shape->layout.memory_space)},
      {"elements", json_of_integer(relayout_shape_element_count(shape))},
      {"physical_elements", json_of_integer(facts->physical_elements)},
      {"byte_size", json_of_size(facts->byte_size)},
      {"padding_byte_size", json_of_size(facts->padding_byte_size)},
      {"strides", facts->has_strides ? json_of_integers(rank, facts->strides) : json_of_nothing()},
      {NULL, NULL}});
  return json_print_line(object, stdout);
}

static void print_numbers(const char *label, size_t count, const int64_t *numbers) {
  printf("%-17s", label);
  for (size_t i = 0; i < count; i++) {
    printf("%s%" PRId64, i > 0 ? ", " : "", numbers[i]);
  }
  printf("%s\n", count == 0 ? "none" : "");
}

static void print_element_type(const relayout_shape *shape) {
  const bool is_packed = relayout_layout_is_packed(&shape->layout);
  const int64_t size = is_packed ? element_bits_of(shape) : element_bits_of(shape) / 8;
  printf("%-17s%s, %" PRId64 " %s%s an element", "element type",
         relayout_element_type_name(shape->element_type), size, is_packed ? "bit" : "byte",
         size == 1 ? "" : "s");
  printf(is_high_first(shape) ? ", high bits first\n" : "\n");
}

static void print_sizes(const relayout_shape *shape, const shape_facts *facts) {
  printf("%-17s%" PRId64, "elements", relayout_shape_element_count(shape));
  if (relayout_shape_is_padded(shape)) {
    printf(", %" PRId64 " with padding", facts->physical_elements);
  }
  putchar('\n');
  char readable[SIZE_TEXT_CAPACITY];
  size_text(facts->byte_size, readable);
  printf("%-17s%zu", "bytes", facts->byte_size);
  printf(facts->byte_size < 1024 ? "\n" : " (%s)\n", readable);
  if (facts->padding_byte_size > 0) {
    printf("%-17s%zu (%.1f %%)\n", "of them padding", facts->padding_byte_size,
           100 * (double)facts->padding_byte_size / (double)facts->byte_size);
  }
}

static void print_text(const relayout_shape *shape, const shape_facts *facts) {
  const size_t rank = (size_t)shape->rank;
  int64_t minor_to_major[RELAYOUT_MAX_RANK];
  for (size_t i = 0; i < rank; i++) {
    minor_to_major[i] = shape->layout.minor_to_major[i];
  }
  printf("%s\n\n", facts->text);
  print_element_type(shape);
  printf("%-17s%" PRId32 ", true rank %" PRId32 "\n", "rank", shape->rank,
         relayout_shape_true_rank(shape));
  print_numbers("dimensions", rank, shape->dimensions);
  print_numbers("minor to major", rank, minor_to_major);
  if (facts->is_widened) {
    print_numbers("padded to", rank, facts->padded_dimensions);
  }
  if (relayout_shape_is_padded(shape)) {
    printf("%-17s%s\n", "padding value", facts->padding_value);
  }
  print_sizes(shape, facts);
  if (facts->has_strides) {
    print_numbers("strides", rank, facts->strides);
  } else {
    printf("%-17snone: the layout is tiled\n", "strides");
  }
  if (picture_is_possible(shape)) {
    picture_draw(shape, stdout);
  }
}

/* Dots and slashes stand in no element type, but in names of files. */
static bool is_file_name(const char *text) {
  return strpbrk(text, "./") != NULL && strpbrk(text, "[{") == NULL;
}

static exit_code show_shape(const char *text, bool as_json) {
  relayout_shape shape;
  if (is_file_name(text)) {
    return report(EXIT_CODE_BAD_INPUT,
                  "'%s' is neither a shape, as f32[2,3] is, nor the name of a .safetensors, "
                  ".safetensors.index.json, .npz or .gguf file",
                  text);
  }
  if (scaled_text_is(text)) {
    return shape_scaled(text, as_json);
  }
  const exit_code code = arguments_read_shape("SHAPE", text, NULL, &shape);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  const shape_facts facts = facts_of(&shape);
  if (as_json) {
    return print_json(&shape, &facts);
  }
  print_text(&shape, &facts);
  return EXIT_CODE_OK;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static exit_code print_list_json(const tensor_list *list) {
  json_t *tensors = json_of_no_elements();
  for (size_t i = 0; i < list->count; i++) {
    const tensor_list_entry *const entry = &list->entries[i];
    tensors = json_with_element(
        tensors, json_of_members((json_member[]){
                     {"name", json_of_text(entry->name)},
                     {"text", entry->text != NULL ? json_of_text(entry->text) : json_of_nothing()},
                     {"bytes", json_of_size(entry->bytes)},
                     {NULL, NULL}}));
  }
  return json_print_line(json_of_members((json_member[]){{"tensors", tensors}, {NULL, NULL}}),
                         stdout);
}

/* What the file says of itself must not reach a terminal as commands. */
static void print_list(tensor_list *list) {
  size_t width = strlen("name");
  uint64_t total = 0;
  for (size_t i = 0; i < list->count; i++) {
    tensor_list_entry *const entry = &list->entries[i];
    hide_controls(entry->name);
    if (entry->own_text != NULL) {
      hide_controls(entry->own_text);
    }
    width = strlen(entry->name) > width ? strlen(entry->name) : width;
    total += entry->bytes;
  }
  printf("%-*s  %12s  shape\n", (int)width, "name", "bytes");
  for (size_t i = 0; i < list->count; i++) {
    const tensor_list_entry *const entry = &list->entries[i];
    printf("%-*s  %12" PRIu64 "  %s\n", (int)width, entry->name, entry->bytes,
           entry->text != NULL ? entry->text : entry->own_text);
  }
  char readable[SIZE_TEXT_CAPACITY];
  size_text(total, readable);
  printf("%zu tensor%s, %" PRIu64 " bytes", list->count, list->count == 1 ? "" : "s", total);
  printf(total < 1024 ? "\n" : " (%s)\n", readable);
}

static exit_code show_file(const char *path, bool as_json) {
  tensor_list list;
  exit_code code = tensor_list_read(path, &list);
  if (code == EXIT_CODE_OK && as_json) {
    code = print_list_json(&list);
  } else if (code == EXIT_CODE_OK) {
    print_list(&list);
  }
  tensor_list_free(&list);
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  bool as_json = false;
  const char *text = NULL;
  const arguments_option options[] = {{"json", .flag = &as_json}};
  const arguments_operand operands[] = {{"SHAPE", &text}};
  exit_code code;
  if (!arguments_parse(&command_shape, argument_count, arguments, 1, options, 1, operands, &code)) {
    return code;
  }
  return tensor_list_suits(text) ? show_file(text, as_json) : show_shape(text, as_json);
}

const command command_shape = {
    .name = "shape",
    .summary = "show a shape's sizes, strides and, when it is small, its memory",
    .help =
        "usage: relayout shape SHAPE [--json]\n"
        "       relayout shape FILE [--json]\n"
        "\n"
        "Prints what is known of a shape. A small one is drawn: its elements are a, b, c, ...\n"
        "with the last dimension fastest, its padding is 0, 1, lowest, highest, ? (unknown) or\n"
        "the literal itself. In memory, | stands between innermost tiles.\n"
        "\n"
        "  --json   one object: text, element_type, rank, true_rank, dimensions,\n"
        "           minor_to_major, padded_dimensions (the width of each dimension in memory),\n"
        "           physical_dimensions (in memory, the most major first, tiles and all),\n"
        "           padding_value, tiles (lists, where null merges a dimension into the next),\n"
        "           tail_alignment (in elements), element_bits (in memory), packing_order (of\n"
        "           elements that share a byte: low or high bits first), memory_space,\n"
        "           elements, physical_elements, byte_size, padding_byte_size\n"
        "           (how much of that is padding), and strides, in elements, null for a tiled\n"
        "           layout\n"
        "\n"
        "Of a side with scales, 'f8e4m3fn[64,64] * f8e8m0fnu[64,2]', or of blocks, q8_0[2,64],\n"
        "it prints the bytes of elements, scales, zero points and a tensor scale, and how many\n"
        "elements share a scale; with --json text, elements_bytes, scales_bytes,\n"
        "zero_points_bytes, tensor_scale_bytes, group_sizes.\n"
        "\n"
        "Of a FILE, .safetensors, the .safetensors.index.json of several, .npz or .gguf, the\n"
        "tensors are listed: name, bytes and shape; with --json as tensors, a list of objects of\n"
        "name, text (the shape; null for a type that has none here) and bytes. Types of a .gguf\n"
        "file whose elements have scales by blocks keep their names: q8_0[2,64].\n"
        "\n"
        "example: relayout shape 'f32[2,3]{0,1:PD(3,5)}'\n"
        "         relayout shape model.safetensors\n",
    .run = run,
};
