/* c_function.c: the parts of a plan as loops over their axes.
 *
 * A part is a function of its own: loops over all axes, the outermost over the longest strides, and
 * blocks of the two axes along which its sides run, so that lines are used while they are in the
 * cache. Elements are moved by functions that C's compilers inline.
 */
#include "gpu/c_function.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "gpu/constants.h"
#include "gpu/kernel_options.h"
#include "relayout/emit.h"

enum {
  BLOCK_BYTES = 128, /* of a line of a block: those of caches are no longer */
  PART_NAME_SIZE = RELAYOUT_EMIT_MAX_NAME + 24
};

/* ---- Elements ---- */

static void add_integer_types(rlt_text *text, const rlt_problem *problem) {
  static const char *const types[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  const int64_t from = problem->element_bytes;
  const int64_t to = rlt_problem_destination_bytes(problem);
  if (from <= 8 && to <= 8) {
    rlt_text_add(text, "typedef %s source_word;\ntypedef %s word;\n",
                 types[rlt_word_size_number(from)], types[rlt_word_size_number(to)]);
  }
}

/* The bits of a byte below a packed element, which is element `number` of its side. */
static void add_bits_below(rlt_text *text, const char *number, int64_t bits, bool is_high) {
  const int64_t in_byte = 8 / bits;
  rlt_text_add(text,
               is_high ? "(int)(%" PRId64 " - %s %% %" PRId64 ") * %" PRId64
                       : "(int)(%" PRId64 " + %s %% %" PRId64 ") * %" PRId64,
               is_high ? in_byte - 1 : 0, number, in_byte, bits);
}

static void add_load(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text, "static inline source_word load(const unsigned char *from, int64_t at) {\n");
  if (problem->source_packed > 0) {
    rlt_text_add(text, "  return from[at / %" PRId64 "] >> (", 8 / problem->source_packed);
    add_bits_below(text, "at", problem->source_packed, problem->source_high);
    rlt_text_add(text, ") & %d;\n}\n\n", (1 << problem->source_packed) - 1);
    return;
  }
  rlt_text_add(text,
               "  source_word loaded;\n"
               "  memcpy(&loaded, from + at * %" PRId64 ", sizeof loaded);\n",
               problem->element_bytes);
  static const uint64_t evens[] = {0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu};
  for (int bits = 4; problem->reversed_bits > 0 && bits >= problem->reversed_bits; bits /= 2) {
    const uint64_t even = evens[bits / 2] & (UINT64_MAX >> (64 - 8 * problem->element_bytes));
    rlt_text_add(text,
                 "  loaded = (source_word)((loaded >> %d & 0x%" PRIx64 "u) | (loaded & 0x%" PRIx64
                 "u) << %d);\n",
                 bits, even, even, bits);
  }
  rlt_text_add(text, "  return loaded;\n}\n\n");
}

static int packed_ones(const rlt_problem *problem) {
  return (1 << problem->destination_packed) - 1;
}

/* The rest of a function that puts a value, of no more bits than it has, at element `at`. */
static void add_packed_store(rlt_text *text, const rlt_problem *problem, const char *value) {
  rlt_text_add(text, "  const int below = ");
  add_bits_below(text, "at", problem->destination_packed, problem->destination_high);
  rlt_text_add(text,
               ";\n  unsigned char *const byte = to + at / %" PRId64
               ";\n  *byte = (unsigned char)((*byte & ~(%d << below)) | %s << below);\n}\n\n",
               8 / problem->destination_packed, packed_ones(problem), value);
}

static void add_store(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text, "static inline void store(unsigned char *to, int64_t at, word value) {\n");
  if (problem->destination_packed > 0) {
    char value[32];
    snprintf(value, sizeof value, "(value & %d)", packed_ones(problem));
    add_packed_store(text, problem, value);
    return;
  }
  rlt_text_add(text, "  memcpy(to + at * %" PRId64 ", &value, sizeof value);\n}\n\n",
               rlt_problem_destination_bytes(problem));
}

static void add_converted(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text, "static inline word converted(source_word value) {\n");
  if (!rlt_converts(&problem->conversion)) {
    rlt_text_add(text, "  return (word)value;\n}\n\n");
    return;
  }
  rlt_text_add(text, "#if BY_FLOAT\n"
                     "  return (word)convert_by_float((pattern_taken)value);\n"
                     "#else\n");
  if (problem->conversion.scale != 1) {
    const rlt_scale_factor scale = rlt_conversion_scale_factor(&problem->conversion);
    rlt_text_add(text, "  const scale_factor scale = {%" PRIu64 "UL, %" PRId32 ", %" PRId32 "};\n",
                 scale.digits, scale.exponent, scale.negative);
  } else {
    rlt_text_add(text, "  const scale_factor scale = {0, 0, 0};\n");
  }
  rlt_text_add(text, "  return (word)convert_pattern((pattern)value, scale);\n"
                     "#endif\n"
                     "}\n\n");
}

/* What a part calls: to move an element, and to fill one. */
static void add_moves(rlt_text *text, const rlt_problem *problem) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  if (rlt_problem_keeps_elements(problem)) {
    rlt_text_add(text,
                 "static inline void move(const unsigned char *from, int64_t source, unsigned char "
                 "*to,\n    int64_t destination) {\n"
                 "  memcpy(to + destination * %" PRId64 ", from + source * %" PRId64 ", %" PRId64
                 ");\n}\n\n",
                 bytes, bytes, bytes);
  } else {
    add_integer_types(text, problem);
    add_load(text, problem);
    add_converted(text, problem);
    add_store(text, problem);
    rlt_text_add(text, "static inline void move(const unsigned char *from, int64_t source, "
                       "unsigned char *to,\n    int64_t destination) {\n"
                       "  store(to, destination, converted(load(from, source)));\n}\n\n");
  }
}

static void add_fill(rlt_text *text, const rlt_problem *problem) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  rlt_text_add(text, "static inline void fill(unsigned char *to, int64_t at) {\n");
  if (problem->destination_packed > 0) {
    char value[32];
    snprintf(value, sizeof value, "%d", problem->fill[0] & packed_ones(problem));
    add_packed_store(text, problem, value);
    return;
  }
  rlt_text_add(text, "  static const unsigned char bytes[] = {");
  for (int64_t i = 0; i < bytes; ++i) {
    rlt_text_add(text, "%s%d", i == 0 ? "" : ", ", problem->fill[i]);
  }
  rlt_text_add(text, "};\n  memcpy(to + at * %" PRId64 ", bytes, sizeof bytes);\n}\n\n", bytes);
}

/* ---- Loops ---- */

static void add_indent(rlt_text *text, int depth) {
  rlt_text_add(text, "%*s", 2 * depth, "");
}

static void add_loop(rlt_text *text, int depth, int32_t axis, int64_t count) {
  add_indent(text, depth);
  rlt_text_add(text,
               "for (int64_t d%" PRId32 " = 0; d%" PRId32 " < %" PRId64 "; ++d%" PRId32 ") {\n",
               axis, axis, count, axis);
}

static void add_block_loop(rlt_text *text, int depth, int32_t axis, int64_t count, int64_t block) {
  add_indent(text, depth);
  rlt_text_add(text,
               "for (int64_t b%" PRId32 " = 0; b%" PRId32 " < %" PRId64 "; b%" PRId32 " += %" PRId64
               ") {\n",
               axis, axis, count, axis, block);
  add_indent(text, depth + 1);
  rlt_text_add(text,
               "const int64_t e%" PRId32 " = b%" PRId32 " + %" PRId64 " < %" PRId64 " ? b%" PRId32
               " + %" PRId64 " : %" PRId64 ";\n",
               axis, axis, block, count, axis, block, count);
}

static void add_inner_loop(rlt_text *text, int depth, int32_t axis) {
  add_indent(text, depth);
  rlt_text_add(text,
               "for (int64_t d%" PRId32 " = b%" PRId32 "; d%" PRId32 " < e%" PRId32 "; ++d%" PRId32
               ") {\n",
               axis, axis, axis, axis, axis);
}

static void add_position(rlt_text *text, const rlt_problem *problem, bool is_source) {
  const int64_t start = is_source ? problem->source_start : problem->destination_start;
  const char *plus = "";
  if (start != 0) {
    rlt_text_add(text, "%" PRId64, start);
    plus = " + ";
  }
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    const int64_t stride = is_source ? axis->source_stride : axis->destination_stride;
    if (stride != 0) {
      rlt_text_add(text, "%sd%" PRId32, plus, a);
      plus = " + ";
    }
    if (stride != 0 && stride != 1) {
      rlt_text_add(text, " * %" PRId64, stride);
    }
  }
  if (plus[0] == '\0') {
    rlt_text_add(text, "0");
  }
}

/* What happens to one element, whose digits are known. */
static void add_body(rlt_text *text, int depth, const rlt_problem *problem) {
  bool is_checked = false;
  add_indent(text, depth);
  rlt_text_add(text, "const int64_t at = ");
  add_position(text, problem, false);
  rlt_text_add(text, ";\n");
  for (int32_t a = 0; a < problem->axis_count && problem->fills; ++a) {
    if (problem->axes[a].valid < problem->axes[a].extent) {
      if (!is_checked) {
        add_indent(text, depth);
      }
      rlt_text_add(text, "%sd%" PRId32 " >= %" PRId64, is_checked ? " || " : "if (", a,
                   problem->axes[a].valid);
      is_checked = true;
    }
  }
  if (is_checked) {
    rlt_text_add(text, ") {\n");
    add_indent(text, depth + 1);
    rlt_text_add(text, "fill(to, at);\n");
    add_indent(text, depth + 1);
    rlt_text_add(text, "continue;\n");
    add_indent(text, depth);
    rlt_text_add(text, "}\n");
  }
  add_indent(text, depth);
  rlt_text_add(text, "move(from, ");
  add_position(text, problem, true);
  rlt_text_add(text, ", to, at);\n");
}

/* The axis along which the source runs; 0 where that is the destination's, or has few digits. */
static int32_t run_axis(const rlt_problem *problem) {
  int32_t found = 0;
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    if (problem->axes[a].valid > 1 &&
        llabs(problem->axes[a].source_stride) < llabs(problem->axes[found].source_stride)) {
      found = a;
    }
  }
  return found;
}

static void add_ends(rlt_text *text, int depth) {
  while (depth > 1) {
    add_indent(text, --depth);
    rlt_text_add(text, "}\n");
  }
}

static void add_loops(rlt_text *text, const rlt_problem *problem) {
  const int32_t rows = run_axis(problem);
  const int64_t bits =
      rlt_max(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
  const int64_t block = rlt_max(8 * BLOCK_BYTES / bits, 8);
  int depth = 1;
  for (int32_t a = problem->axis_count - 1; a > 0; --a) {
    if (a != rows) {
      add_loop(text, depth++, a, rlt_problem_written_digits(problem, &problem->axes[a]));
    }
  }
  if (rows == 0) {
    add_loop(text, depth++, 0, rlt_problem_written_digits(problem, &problem->axes[0]));
  } else {
    add_block_loop(text, depth++, rows, rlt_problem_written_digits(problem, &problem->axes[rows]),
                   block);
    add_block_loop(text, depth++, 0, rlt_problem_written_digits(problem, &problem->axes[0]), block);
    add_inner_loop(text, depth++, rows);
    add_inner_loop(text, depth++, 0);
  }
  add_body(text, depth, problem);
  add_ends(text, depth);
}

/* By an index program. */
static void add_lookups(rlt_text *text, const rlt_problem *problem) {
  const rlt_axis *const axis = &problem->axes[0];
  add_loop(text, 1, 0, axis->extent);
  rlt_text_add(text,
               "    int64_t numbers[%d] = {0};\n"
               "    numbers[0] = d0;\n"
               "    const bool has_source = program_of_problem(numbers);\n"
               "    const int64_t put = PLACE_OF_PROGRAM > 0 ? numbers[PLACE_OF_PROGRAM] : d0;\n"
               "    const int64_t at = %" PRId64 " + put * %" PRId64 ";\n"
               "    if (has_source) {\n"
               "      move(from, %" PRId64 " + numbers[RESULT_OF_PROGRAM], to, at);\n"
               "    }",
               (int)RLT_MOST_NUMBERS, problem->destination_start, axis->destination_stride,
               problem->source_start);
  if (problem->fills) {
    rlt_text_add(text, " else {\n      fill(to, at);\n    }");
  }
  rlt_text_add(text, "\n  }\n");
}

static void add_fills(rlt_text *text, const rlt_problem *problem) {
  int depth = 1;
  for (int32_t a = problem->axis_count - 1; a >= 0; --a) {
    add_loop(text, depth++, a, problem->axes[a].extent);
  }
  add_indent(text, depth);
  rlt_text_add(text, "fill(to, ");
  add_position(text, problem, false);
  rlt_text_add(text, ");\n");
  add_ends(text, depth);
}

static void add_part(rlt_text *text, const rlt_problem *problem) {
  const bool reads = !rlt_problem_is_fill(problem);
  if (reads) {
    add_moves(text, problem);
  }
  if (reads && problem->index_program != NULL) {
    rlt_constants_add_program(text, problem->index_program);
  }
  if (problem->fills) {
    add_fill(text, problem);
  }
  rlt_text_add(
      text,
      "static void ENTRY(part)(const unsigned char *restrict from, unsigned char *restrict "
      "to) {\n%s",
      reads ? "" : "  (void)from;\n");
  if (problem->axis_count == 0) {
    rlt_text_add(text, "  move(from, %" PRId64 ", to, %" PRId64 ");\n", problem->source_start,
                 problem->destination_start);
  } else if (reads && problem->index_program != NULL) {
    add_lookups(text, problem);
  } else if (reads) {
    add_loops(text, problem);
  } else {
    add_fills(text, problem);
  }
  rlt_text_add(text, "}\n\n");
}

/* ---- The function ---- */

/* The bits of a packed destination's last byte that no element has; 0 where there are none. */
static int spare_bits(const relayout_plan *plan) {
  if (plan->work.part_count == 0 || plan->box != NULL) {
    return 0;
  }
  const rlt_problem *const problem = rlt_part_problem(&plan->work.parts[0]);
  const int used = (int)(problem->destination_elements * rlt_problem_destination_bits(problem) % 8);
  return used == 0 ? 0 : problem->destination_high ? 0xff >> used : 0xff & 0xff << used;
}

static void add_macros(const rlt_problem *problem, rlt_source *whole) {
  if (rlt_problem_is_fill(problem) || !rlt_converts(&problem->conversion)) {
    return;
  }
  const rlt_kernel_options options = {.conversion = problem->conversion,
                                      .source_swapped = problem->source_swapped,
                                      .destination_swapped = problem->destination_swapped,
                                      .only_swaps = rlt_problem_only_swaps(problem)};
  rlt_kernel_add_macros(&options, whole);
  rlt_source_add_text(whole, rlt_kernel_text("convert"));
  rlt_source_add_text(whole, rlt_kernel_text("by_float"));
}

/* Parts change elements in ways of their own, so each is a text of its own. */
static void make_part(const rlt_problem *problem, const char *name, int32_t number,
                      rlt_source *made) {
  rlt_source whole = {NULL, 0, 0, false};
  rlt_text counted = rlt_text_in(NULL, 0);
  add_part(&counted, problem);
  char *const text = rlt_malloc(counted.length + 1);
  if (text == NULL) {
    made->lacks_memory = true;
    return;
  }
  rlt_text written = rlt_text_in(text, counted.length + 1);
  add_part(&written, problem);
  rlt_source_add_text(&whole, rlt_kernel_text("c"));
  add_macros(problem, &whole);
  rlt_source_add_text(&whole, text);
  char prefix[PART_NAME_SIZE];
  snprintf(prefix, sizeof prefix, "%s_part_%" PRId32, name, number);
  rlt_source_make_alone(&whole, prefix, RLT_SOURCE_C, made);
  rlt_source_free(&whole);
  rlt_free(text);
}

static void add_line(rlt_source *made, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(rlt_source *made, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  rlt_source_add_text(made, line);
}

/* To the lowest byte of a side. */
static void add_pointer(rlt_source *made, const char *declared, const char *type, const char *side,
                        int64_t lowest) {
  add_line(made, "  %s = (%s *)%s", declared, type, side);
  if (lowest != 0) {
    add_line(made, " + %" PRId64, lowest);
  }
  add_line(made, ";\n");
}

static void add_function(const relayout_plan *plan, const char *name, rlt_source *made) {
  add_line(made, "void %s(const void *source, void *destination) {\n", name);
  add_pointer(made, "const unsigned char *const from", "const unsigned char", "source",
              plan->source_lowest);
  add_pointer(made, "unsigned char *const to", "unsigned char", "destination",
              plan->destination_lowest);
  rlt_source_add_text(made, "  (void)from, (void)to;\n");
  if (spare_bits(plan) != 0) {
    add_line(made, "  to[%zu] &= 0x%x;\n", plan->work.destination_size - 1,
             0xffu & ~(unsigned)spare_bits(plan));
  }
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    add_line(made, "  %s_part_%" PRId32 "(from, to);\n", name, i);
  }
  rlt_source_add_text(made, "}\n");
}

relayout_status rlt_c_function_make(const relayout_plan *plan, const char *name, rlt_source *made,
                                    relayout_error *error) {
  rlt_source_add_text(made, "#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n\n");
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    make_part(rlt_part_problem(&plan->work.parts[i]), name, i, made);
  }
  add_function(plan, name, made);
  if (made->lacks_memory) {
    rlt_source_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the text of a function");
  }
  return RELAYOUT_OK;
}
