/* many_text.c: see many_text.h. */
#include "gpu/many_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "convert/formats.h"
#include "metadata/strides.h"
#include "metadata/widths.h"

enum { IN_BYTE = 8 };

/* ---- What kernels reach --------------------------------------------------------------------- */

static int32_t packed_bits(const relayout_view *view) {
  return view->is_strided ? 0 : (int32_t)rlt_packed_bits(&view->shape.layout);
}

bool rlt_many_reads(const relayout_view *view) {
  const bool is_wider = !view->is_strided && rlt_custom_bits(&view->shape) >= IN_BYTE;
  return !rlt_is_swapped(view->shape.element_type, view->byte_order) && !is_wider;
}

bool rlt_many_writes(const relayout_view *view) {
  const relayout_shape *const shape = &view->shape;
  const int32_t bits = packed_bits(view);
  const bool ends_with_bytes =
      bits == 0 || (shape->rank > 0 && shape->layout.tile_count == 0 &&
                    shape->dimensions[shape->layout.minor_to_major[0]] % (IN_BYTE / bits) == 0);
  return rlt_many_reads(view) && ends_with_bytes && !rlt_view_has_padding(view);
}

/* ---- Numbers and formats -------------------------------------------------------------------- */

static void define(rlt_text *text, const char *side, const char *name, int64_t value) {
  rlt_text_add(text, "#define %s_%s %" PRId64 "\n", side, name, value);
}

static void define_format(rlt_text *text, const char *side, const char *part,
                          relayout_element_type type) {
  const number_format of = rlt_number_format_of(type);
  rlt_text_add(text, "#define %s_%sFORMAT ((number_format){%d, %d, %d, %d, %d, %d})\n", side, part,
               of.kind, of.bits, of.exponent_bits, of.mantissa_bits, of.bias, of.specials);
}

int64_t rlt_many_unit(const relayout_view *view) {
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(view->shape.element_type);
  const int64_t common =
      view->is_strided ? rlt_strides_common_bytes(&view->shape, view->byte_strides, bytes) : bytes;
  const int64_t power = common & -common;
  return rlt_min(power, (int64_t)sizeof(uint64_t));
}

/* What is multiplied by a tensor scale is an f32. */
static relayout_element_type scales_by(const relayout_scaled_view *view, bool has_factor) {
  return has_factor ? RELAYOUT_F32 : view->scales.shape.element_type;
}

/* What is said of scales or of zero points. */
static void define_beside(rlt_text *text, const char *side, const char *part, const char *bytes,
                          const char *unit, const relayout_view *view) {
  define_format(text, side, part, view->shape.element_type);
  define(text, side, bytes, (int64_t)relayout_element_type_byte_size(view->shape.element_type));
  define(text, side, unit, rlt_many_unit(view));
}

static void define_side(rlt_text *text, const char *side, const relayout_scaled_view *view) {
  const relayout_element_type type = view->elements.shape.element_type;
  define_format(text, side, "", type);
  define(text, side, "BYTES", (int64_t)relayout_element_type_byte_size(type));
  define(text, side, "BITS", packed_bits(&view->elements));
  define(text, side, "HIGH", rlt_is_high_first(&view->elements.shape.layout));
  define(text, side, "UNIT", rlt_many_unit(&view->elements));
  define(text, side, "RECORDS", view->block_format);
  rlt_text_add(text, "#define %s_FORM ((record_form){%d, %" PRId32 ", %" PRId32 "})\n", side,
               (int)view->block_format, rlt_rows_together(view), view->interleaved_bytes);
  define(text, side, "SCALED", view->has_scales);
  define(text, side, "POINTED", view->has_zero_points);
  define(text, side, "BELOW", view->has_tensor_scale);
  if (view->has_scales) {
    define_beside(text, side, "SCALE_", "SCALE_BYTES", "SCALE_UNIT", &view->scales);
  }
  if (view->has_zero_points) {
    define_beside(text, side, "POINT_", "POINT_BYTES", "POINT_UNIT", &view->zero_points);
  }
}

/* ---- Where things lie ----------------------------------------------------------------------- */

/* `rest` becomes the remainder of a variable by a size, and the variable the quotient. Of both
 * operators together compilers make what Oclgrind does not know. */
static void add_split(const char *type, const char *rest, const char *variable, int64_t size,
                      rlt_text *text) {
  rlt_text_add(text,
               "  { const %s quotient = %s / %" PRId64 "; %s = %s - quotient * %" PRId64
               "; %s = quotient; }\n",
               type, variable, size, rest, variable, size, variable);
}

static void add_operation(const rlt_index_op *of, rlt_text *text) {
  char to[16], from[16];
  rlt_text named = rlt_text_in(to, sizeof to);
  rlt_text_add(&named, "n%" PRId32, of->to);
  named = rlt_text_in(from, sizeof from);
  rlt_text_add(&named, "n%" PRId32, of->from);
  switch (of->kind) {
  case RLT_INDEX_SPLIT:
    add_split("coordinate", to, from, of->size, text);
    break;
  case RLT_INDEX_JOIN:
    rlt_text_add(text, "  %s = %s * %" PRId64 " + %s;\n", to, to, of->size, from);
    break;
  default: /* bounds of arrays without elements, of which nothing lies anywhere */
    break;
  }
}

/* The linear index by the layout. */
static void add_linear(const relayout_shape *shape, rlt_index_program *program, rlt_text *text) {
  int32_t most = rlt_max(shape->rank - 1, 0);
  program->count = 0;
  rlt_index_program_to_linear(shape, program);
  for (int32_t i = 0; i < program->count; ++i) {
    most = (int32_t)rlt_max(most, rlt_max(program->of[i].to, program->of[i].from));
  }
  for (int32_t n = 0; n <= most; ++n) {
    rlt_text_add(text,
                 n < rlt_max(shape->rank, 1) ? "  coordinate n%d = i[%d];\n"
                                             : "  coordinate n%d = 0;\n",
                 (int)n, (int)n);
  }
  for (int32_t i = 0; i < program->count; ++i) {
    add_operation(&program->of[i], text);
  }
}

/* A function from an index to bytes behind the view's start; to the number of an element where
 * these share bytes, or lie in records. */
static void add_place(const char *name, const relayout_view *view, bool counts_elements,
                      rlt_index_program *program, rlt_text *text) {
  const relayout_shape *const shape = &view->shape;
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(shape->element_type);
  rlt_text_add(text, "INLINED long at_%s(const coordinate *i) {\n", name);
  if (view->is_strided) {
    rlt_text_add(text, "  coordinate n = 0;\n");
    for (int32_t d = 0; d < shape->rank; ++d) {
      if (shape->dimensions[d] > 1) {
        rlt_text_add(text, "  n += i[%d] * (coordinate)(%" PRId64 ");\n", (int)d,
                     view->byte_strides[d]);
      }
    }
    rlt_text_add(text, "  return (long)(signed_coordinate)n;\n}\n\n");
    return;
  }
  add_linear(shape, program, text);
  rlt_text_add(text, "  return (long)(n%d * %" PRId64 ");\n}\n\n", (int)program->result,
               counts_elements ? 1 : bytes);
}

/* The number of an element of interleaved records, 32 elements of one row behind those of the row
 * before, then the next 32 of all these rows. */
static void add_record_place(const char *name, const relayout_scaled_view *view, rlt_text *text) {
  const relayout_shape *const shape = &view->elements.shape;
  const int32_t minor = shape->layout.minor_to_major[0], next = shape->layout.minor_to_major[1];
  const int64_t rows = view->interleaved_rows, length = shape->dimensions[minor];
  int64_t stride = length * shape->dimensions[next];
  rlt_text_add(text,
               "INLINED long at_%s(const coordinate *i) {\n"
               "  coordinate n = i[%d] / 32 * %" PRId64 " + i[%d] %% 32;\n"
               "  n += i[%d] / %" PRId64 " * %" PRId64 " + i[%d] %% %" PRId64 " * 32;\n",
               name, (int)minor, 32 * rows, (int)minor, (int)next, rows, rows * length, (int)next,
               rows);
  for (int32_t k = 2; k < shape->rank; ++k) {
    const int32_t d = shape->layout.minor_to_major[k];
    rlt_text_add(text, "  n += i[%d] * %" PRId64 ";\n", (int)d, stride);
    stride *= shape->dimensions[d];
  }
  rlt_text_add(text, "  return (long)n;\n}\n\n");
}

static void add_places(const char *side, const relayout_scaled_view *view,
                       rlt_index_program *program, rlt_text *text) {
  char name[32];
  if (view->interleaved_rows > 0) {
    add_record_place(side, view, text);
  } else {
    add_place(side, &view->elements, rlt_has_blocks(view) || packed_bits(&view->elements) > 0,
              program, text);
  }
  if (view->has_scales) {
    rlt_text named = rlt_text_in(name, sizeof name);
    rlt_text_add(&named, "%s_scales", side);
    add_place(name, &view->scales, false, program, text);
  }
  if (view->has_zero_points) {
    rlt_text named = rlt_text_in(name, sizeof name);
    rlt_text_add(&named, "%s_points", side);
    add_place(name, &view->zero_points, false, program, text);
  }
}

/* ---- Boxes ---------------------------------------------------------------------------------- */

static void add_start(const rlt_many_kernel *kernel, rlt_text *text) {
  const rlt_boxes *const boxes = &kernel->boxes;
  rlt_text_add(text, "INLINED void find_start(ulong box, coordinate *start) {\n  ulong digit;\n");
  if (boxes->rank == 0) {
    rlt_text_add(text, "  start[0] = 0;\n");
  }
  for (int32_t i = 0; i < boxes->rank; ++i) {
    const int32_t d = kernel->order[i];
    add_split("ulong", "digit", "box", boxes->counts[d], text);
    rlt_text_add(text, "  start[%d] = (coordinate)digit * %" PRId64 " + %" PRId64 ";\n", (int)d,
                 boxes->sizes[d], boxes->all.start[d]);
  }
  rlt_text_add(text, "}\n\n");
}

/* A function from a number to an element of a box, and to its place in the tile; false if the
 * tensor ends before. Along the first dimension of the order `unit` elements are visited
 * together. */
static void add_visit(const rlt_many_kernel *kernel, const char *side, const int32_t *order,
                      int64_t unit, rlt_text *text) {
  const rlt_boxes *const boxes = &kernel->boxes;
  int64_t visits = 1;
  rlt_text_add(text,
               "INLINED bool visit_%s(uint v, const coordinate *start, coordinate *i, uint *place) "
               "{\n  bool is_within = true;\n  uint digit;\n  *place = 0;\n",
               side);
  if (boxes->rank == 0) {
    rlt_text_add(text, "  i[0] = 0;\n");
  }
  for (int32_t k = 0; k < boxes->rank; ++k) {
    const int32_t d = order[k];
    const int64_t step = k == 0 ? unit : 1, count = rlt_divide_up(boxes->sizes[d], step);
    add_split("uint", "digit", "v", count, text);
    rlt_text_add(text,
                 "  digit *= %" PRId64 "; i[%d] = start[%d] + digit; *place += digit * %" PRId64
                 "; is_within &= i[%d] < %" PRId64 ";\n",
                 step, (int)d, (int)d, kernel->strides[d], (int)d,
                 boxes->all.start[d] + boxes->all.sizes[d]);
    visits *= count;
  }
  rlt_text_add(text, "  return is_within;\n}\n\n#define VISITS_%s %" PRId64 "u\n\n", side, visits);
}

/* ---- Scales of the source ------------------------------------------------------------------- */

static bool has_source_scales(const rlt_many_kernel *kernel) {
  return kernel->from.view.has_scales || kernel->factor != 1;
}

/* What elements of the source are multiplied by: f32s where there is a factor. */
static void define_factor(const rlt_many_kernel *kernel, rlt_text *text) {
  const relayout_scaled_view *const from = &kernel->from.view;
  uint32_t bits;
  memcpy(&bits, &kernel->factor, sizeof bits);
  define(text, "SOURCE", "FACTOR", bits);
  define(text, "SOURCE", "FACTORED", kernel->factor != 1 || from->has_tensor_scale);
  define(text, "SOURCE", "MULTIPLIED", 1);
  define_format(text, "SOURCE", "BY_",
                scales_by(from, kernel->factor != 1 || from->has_tensor_scale));
}

/* ---- Widths --------------------------------------------------------------------------------- */

/* How many elements of its own bytes, `most` at most, a work-item loads or stores at once along a
 * side's minor dimension: those of a vector, or of half of one, that all lie in a box, behind one
 * another; 1 for records, for packed elements and for those of more than a word. */
static int64_t width_of(const rlt_many_kernel *kernel, const relayout_scaled_view *view,
                        int64_t most) {
  enum { VECTOR_BYTES = 16, WORD_BYTES = 4 };
  const relayout_shape *const shape = &view->elements.shape;
  const rlt_boxes *const boxes = &kernel->boxes;
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(shape->element_type);
  int32_t order[RELAYOUT_MAX_RANK] = {0};
  rlt_order_of(view, order);
  const int32_t d = order[0];
  const bool is_dense = view->elements.is_strided ? view->elements.byte_strides[d] == bytes
                                                  : shape->layout.tile_count == 0;
  if (shape->rank == 0 || !is_dense || bytes > WORD_BYTES || rlt_has_blocks(view) ||
      packed_bits(&view->elements) > 0) {
    return 1;
  }
  int64_t width = rlt_min(VECTOR_BYTES / bytes, most);
  while (width > 1 && (boxes->sizes[d] % width != 0 || boxes->all.start[d] % width != 0 ||
                       boxes->all.sizes[d] % width != 0)) {
    width /= 2;
  }
  return width * bytes >= WORD_BYTES ? width : 1;
}

/* The most that the source has, in a tile that has them side by side. */
static int64_t source_width(const rlt_many_kernel *kernel) {
  enum { MOST = 16 };
  int32_t order[RELAYOUT_MAX_RANK] = {0};
  rlt_order_of(&kernel->from.view, order);
  return order[0] == kernel->order[0] ? width_of(kernel, &kernel->from.view, MOST) : 1;
}

/* Fewer where scales come in, as each then takes many instructions. */
static int64_t destination_width(const rlt_many_kernel *kernel, const relayout_scaled_view *view) {
  enum { MOST = 8, MOST_SCALED = 4 };
  const bool is_scaled = view->has_scales || has_source_scales(kernel);
  return width_of(kernel, view, is_scaled ? MOST_SCALED : MOST);
}

/* Whether as many elements make a vector, or a part of one, or are a single one; of `most` at
 * most. */
static bool is_width(const relayout_scaled_view *view, int64_t width, int64_t most) {
  enum { WORD_BYTES = 4 };
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(view->elements.shape.element_type);
  return width == 1 || (width <= most && (width & (width - 1)) == 0 && width * bytes >= WORD_BYTES);
}

static relayout_status fail_width(const char *field, int64_t width, int64_t most,
                                  relayout_error *error) {
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "schedule: `%s` has %" PRId64 "; this kernel's work-items take 1, or a power of "
                  "two of 4 bytes or more, and %" PRId64 " elements at most",
                  field, width, most);
}

/* Elements of records, or of a byte, are stored together in any case. */
static relayout_status choose_stores(const rlt_many_kernel *kernel, rlt_kernel_view *to,
                                     int64_t asked, relayout_error *error) {
  enum { MOST = 16 };
  const int64_t together = rlt_elements_together(&to->view);
  const int64_t most = width_of(kernel, &to->view, MOST);
  to->stores = asked > 0 ? asked : together > 1 ? together : destination_width(kernel, &to->view);
  if (together > 1 && to->stores != together) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `stores` has %" PRId64 "; expected %" PRId64
                    ", the elements of a record or of a byte",
                    asked, together);
  }
  return together > 1 || is_width(&to->view, to->stores, most)
             ? RELAYOUT_OK
             : fail_width("stores", asked, most, error);
}

relayout_status rlt_many_choose_widths(rlt_many_kernel *kernel, const rlt_many_schedule *asked,
                                       relayout_error *error) {
  const int64_t most = source_width(kernel);
  kernel->loads = asked->loads > 0 ? asked->loads : most;
  if (!is_width(&kernel->from.view, kernel->loads, most)) {
    return fail_width("loads", asked->loads, most, error);
  }
  if (asked->store_count > 0 && asked->store_count != kernel->count) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `stores` has %" PRId32 " numbers; expected %" PRId32
                    ", one for each destination of the kernel's",
                    asked->store_count, kernel->count);
  }
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < kernel->count && status == RELAYOUT_OK; ++i) {
    status =
        choose_stores(kernel, &kernel->to[i], asked->store_count > 0 ? asked->stores[i] : 0, error);
  }
  return status;
}

/* How many elements that follow each other from a multiple of `count` on have one scale. */
static int64_t run_of(const relayout_scaled_view *view, int32_t dimension, int64_t count) {
  const bool is_one = view->elements.shape.rank == 0 || !view->has_scales ||
                      view->group_sizes[dimension] >= view->elements.shape.dimensions[dimension];
  return is_one ? count : rlt_common_factor(view->group_sizes[dimension], count);
}

/* ---- Groups --------------------------------------------------------------------------------- */

static void add_group(const char *side, const relayout_scaled_view *view, rlt_text *text) {
  const int32_t rank = view->elements.shape.rank;
  rlt_text_add(text, "INLINED void group_%s(const coordinate *i, coordinate *group) {\n", side);
  for (int32_t d = 0; d < rank; ++d) {
    const bool is_one = view->group_sizes[d] >= view->elements.shape.dimensions[d];
    if (is_one) {
      rlt_text_add(text, "  group[%d] = 0;\n", (int)d);
    } else {
      rlt_text_add(text, "  group[%d] = i[%d] / %" PRId64 ";\n", (int)d, (int)d,
                   view->group_sizes[d]);
    }
  }
  rlt_text_add(text, rank == 0 ? "  group[0] = 0;\n}\n\n" : "}\n\n");
}

/* From a group to its number among those that a box meets, and back: the last of all where there
 * are no more. */
static void add_groups_of_box(const char *side, const rlt_kernel_view *of, rlt_text *text) {
  const relayout_scaled_view *const view = &of->view;
  const int32_t rank = view->elements.shape.rank;
  rlt_text_add(text,
               "INLINED uint group_place_%s(const coordinate *group, const coordinate *start) {\n"
               "  uint place = 0;\n",
               side);
  for (int32_t d = 0; d < rank; ++d) {
    rlt_text_add(text,
                 "  place = place * %" PRId64 "u + (uint)(group[%d] - start[%d] / %" PRId64 ");\n",
                 of->group_counts[d], (int)d, (int)d, view->group_sizes[d]);
  }
  rlt_text_add(text,
               "  return place;\n}\n\n"
               "INLINED void visit_group_%s(uint v, const coordinate *start, coordinate *group) {\n"
               "  uint digit;\n",
               side);
  for (int32_t d = rank - 1; d >= 0; --d) {
    add_split("uint", "digit", "v", of->group_counts[d], text);
    rlt_text_add(text,
                 "  group[%d] = min((coordinate)(start[%d] / %" PRId64
                 " + digit), (coordinate)%" PRId64 ");\n",
                 (int)d, (int)d, view->group_sizes[d], of->met.start[d] + of->met.sizes[d] - 1);
  }
  rlt_text_add(text, rank == 0 ? "  group[0] = 0;\n}\n\n" : "}\n\n");
}

/* From a group to its number among those that all boxes meet, and back. */
static void add_all_groups(const char *side, const rlt_kernel_view *of, rlt_text *text) {
  const int32_t rank = of->view.scales.shape.rank;
  rlt_text_add(
      text, "INLINED ulong group_number_%s(const coordinate *group) {\n  ulong which = 0;\n", side);
  for (int32_t d = 0; d < rank; ++d) {
    rlt_text_add(text, "  which = which * %" PRId64 " + (group[%d] - %" PRId64 ");\n",
                 of->met.sizes[d], (int)d, of->met.start[d]);
  }
  rlt_text_add(text,
               "  return which;\n}\n\n"
               "INLINED void find_group_%s(ulong which, coordinate *group) {\n  ulong digit;\n%s",
               side, rank == 0 ? "  group[0] = 0;\n" : "");
  for (int32_t d = rank - 1; d >= 0; --d) {
    add_split("ulong", "digit", "which", rlt_max(of->met.sizes[d], 1), text);
    rlt_text_add(text, "  group[%d] = (coordinate)digit + %" PRId64 ";\n", (int)d,
                 of->met.start[d]);
  }
  rlt_text_add(text, "}\n\n");
}

/* ---- Parts ---------------------------------------------------------------------------------- */

/* What is written for each tensor, '@' being its name: for a tensor scale of a source and of a
 * destination something else than for others. */
typedef struct tensor_formats {
  const char *others;
  const char *of_source;
  const char *of_destination;
} tensor_formats;

static void add_tensor(const char *format, const char *name, rlt_text *text) {
  for (const char *c = format; *c != '\0'; ++c) {
    if (*c == '@') {
      rlt_text_add(text, "%s", name);
    } else {
      rlt_text_add(text, "%c", *c);
    }
  }
}

static void add_tensors(const char *others, const char *tensor_scale, const char *side,
                        const relayout_scaled_view *view, rlt_text *text) {
  static const char *const endings[] = {"", "_scales", "_points", "_tensor"};
  const bool are_used[] = {true, view->has_scales, view->has_zero_points, view->has_tensor_scale};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
    char name[32];
    rlt_text named = rlt_text_in(name, sizeof name);
    rlt_text_add(&named, "%s%s", side, endings[i]);
    if (are_used[i]) {
      add_tensor(i == RLT_TENSOR_SCALE ? tensor_scale : others, name, text);
    }
  }
}

static void add_all_tensors(const rlt_many_kernel *kernel, const tensor_formats *formats,
                            rlt_text *text) {
  add_tensors(formats->others, formats->of_source, "source", &kernel->from.view, text);
  for (int32_t i = 0; i < kernel->count; ++i) {
    char side[16];
    rlt_text named = rlt_text_in(side, sizeof side);
    rlt_text_add(&named, "to_%" PRId32, i);
    add_tensors(formats->others, formats->of_destination, side, &kernel->to[i].view, text);
  }
}

void rlt_many_add_head(const rlt_many_kernel *kernel, const char *name, rlt_index_program *program,
                       rlt_text *text) {
  static const char *const words[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
  static const tensor_formats fields = {"  __global uchar *@;\n", "  uint @;\n", "  uint @;\n"};
  const relayout_scaled_view *const from = &kernel->from.view;
  rlt_text_add(text, "#define KERNEL %s\n#define AXES %d\n#define PLACES %" PRId64 "\n", name,
               (int)rlt_max(kernel->boxes.rank, 1), kernel->places);
  rlt_text_add(text, "#define GROUPS %" PRId64 "\n", rlt_max(kernel->groups, 1));
  rlt_text_add(text, "typedef %s coordinate;\ntypedef %s signed_coordinate;\n",
               kernel->is_wide ? "ulong" : "uint", kernel->is_wide ? "long" : "int");
  rlt_text_add(text, "typedef %s tile_word;\n\n", words[kernel->word_bytes]);
  rlt_text_add(text, "typedef struct memory {\n");
  add_all_tensors(kernel, &fields, text);
  rlt_text_add(text, "} memory;\n\n");
  define_side(text, "SOURCE", from);
  if (has_source_scales(kernel)) {
    define_factor(kernel, text);
  } else {
    define(text, "SOURCE", "MULTIPLIED", 0);
  }
  add_places("source", from, program, text);
  add_start(kernel, text);
  define(text, "SOURCE", "WIDTH", kernel->loads);
  define(text, "SOURCE", "MINOR", kernel->order[0]);
  add_visit(kernel, "source", kernel->order, kernel->loads, text);
  if (from->has_scales) {
    add_group("source", from, text);
  }
}

void rlt_many_add_destination(const rlt_many_kernel *kernel, int32_t which,
                              rlt_index_program *program, rlt_text *text) {
  static const char *const names[] = {
      "FORMAT",     "BYTES",        "BITS",        "UNIT",       "RECORDS",      "SCALED",
      "POINTED",    "SCALE_FORMAT", "SCALE_BYTES", "SCALE_UNIT", "POINT_FORMAT", "POINT_BYTES",
      "POINT_UNIT", "MINOR",        "STEP",        "CONVERTS",   "KEEPS",        "FORM",
      "HIGH",       "WRAPS",        "NEAREST",     "RULE",       "FINDS",        "MOST",
      "GROUPS",     "FROM",         "ALL",         "ALL_FROM",   "TOGETHER",     "RUN",
      "FROM_RUN",   "FIND_RUN",     "FIRST",       "BELOW",      "BY_FORMAT"};
  const rlt_kernel_view *const to = &kernel->to[which];
  const relayout_scaled_view *const view = &to->view;
  int32_t order[RELAYOUT_MAX_RANK] = {0};
  char side[16];
  rlt_text named = rlt_text_in(side, sizeof side);
  rlt_text_add(&named, "%" PRId32, which);
  rlt_order_of(view, order);
  const int64_t together = to->stores;
  const float most = (float)to->finder.most;
  const float first =
      rlt_finds_points(view) ? (float)rlt_range_of(view->elements.shape.element_type).first : 0;
  uint32_t most_bits, first_bits;
  memcpy(&most_bits, &most, sizeof most_bits);
  memcpy(&first_bits, &first, sizeof first_bits);

  rlt_text_add(text, "#undef TO\n#define TO %" PRId32 "\n", which);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    rlt_text_add(text, "#undef TO_%s\n", names[i]);
  }
  define_side(text, "TO", view);
  if (view->has_scales) {
    define_format(text, "TO", "BY_", scales_by(view, view->has_tensor_scale));
  }
  define(text, "TO", "MINOR", order[0]);
  define(text, "TO", "STEP", kernel->boxes.rank > 0 ? kernel->strides[order[0]] : 0);
  define(text, "TO", "CONVERTS", to->converts);
  define(text, "TO", "KEEPS", kernel->factor == 1 && rlt_keeps_records(&kernel->from.view, view));
  define(text, "TO", "WRAPS", kernel->wraps);
  define(text, "TO", "NEAREST", kernel->rounds_to_nearest);
  define(text, "TO", "RULE", view->rule);
  define(text, "TO", "FINDS", to->finding);
  define(text, "TO", "MOST", most_bits);
  define(text, "TO", "FIRST", first_bits);
  define(text, "TO", "GROUPS", to->groups);
  define(text, "TO", "FROM", to->first_group);
  define(text, "TO", "ALL", to->all_groups);
  define(text, "TO", "ALL_FROM", to->first_of_all);
  define(text, "TO", "TOGETHER", together);
  define(text, "TO", "RUN", run_of(view, order[0], together));
  define(text, "TO", "FROM_RUN", run_of(&kernel->from.view, order[0], together));
  define(text, "TO", "FIND_RUN", run_of(view, kernel->order[0], kernel->loads));
  add_places(side, view, program, text);
  add_visit(kernel, side, order, together, text);
  if (view->has_scales) {
    add_group(side, view, text);
    if (to->finding != RLT_FINDS_NOTHING) {
      add_groups_of_box(side, to, text);
      add_all_groups(side, to, text);
    }
  }
}

/* A function of the number of each destination that finds its scales so; NOTHING: of every one. */
static void add_each(const rlt_many_kernel *kernel, const char *name, rlt_finding finding,
                     rlt_text *text) {
  rlt_text_add(text, "#define %s(function)", name);
  for (int32_t i = 0; i < kernel->count; ++i) {
    if (finding == RLT_FINDS_NOTHING || kernel->to[i].finding == finding) {
      rlt_text_add(text, " function(%" PRId32 ")", i);
    }
  }
  rlt_text_add(text, "\n");
}

void rlt_many_add_tail(const rlt_many_kernel *kernel, rlt_many_pass pass, rlt_text *text) {
  static const char parameter[] = "__global uchar *@, const ulong @_from, ";
  static const tensor_formats parameters = {parameter, parameter, parameter};
  static const tensor_formats memory = {"@ + @_from, ", "source_factor(@ + @_from), ",
                                        "tensor_scale(@ + @_from), "};
  rlt_text_add(text, "#define PASS %d\n#define PARAMETERS ", (int)pass);
  add_all_tensors(kernel, &parameters, text);
  rlt_text_add(text, "\n#define MEMORY {");
  add_all_tensors(kernel, &memory, text);
  rlt_text_add(text, "}\n");
  add_each(kernel, "EACH", RLT_FINDS_NOTHING, text);
  add_each(kernel, "EACH_IN_BOX", RLT_FINDS_IN_BOX, text);
  add_each(kernel, "EACH_IN_ALL", RLT_FINDS_IN_ALL, text);
}
