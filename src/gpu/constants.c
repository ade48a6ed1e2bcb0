/* constants.c: the structs of cl/arguments.cl as initialised constants. */
#include "gpu/constants.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "gpu/arguments.h"
#include "gpu/local_tile.h"

/* Between braces, with a comma in front of what follows. */
static void add_long(rlt_text *text, const char *before, int64_t number) {
  rlt_text_add(text, "%s%" PRId64 "L", before, number);
}

static void add_side(rlt_text *text, const kernel_side *side) {
  add_long(text, ",\n    {", side->inner);
  add_long(text, ", ", side->block);
  add_long(text, ", ", side->extent);
  add_long(text, ", ", side->valid);
  add_long(text, ", ", side->loop_number);
  add_long(text, ", ", side->source_stride);
  add_long(text, ", ", side->destination_stride);
  add_long(text, ", ", side->length);
  rlt_text_add(text, "}");
}

static void add_grid(rlt_text *text, const kernel_grid *grid) {
  rlt_text_add(text, "__constant const kernel_grid grid_of_problem = {%" PRIu64 "UL, %" PRIu64 "UL",
               grid->tile_count, grid->tiles_per_group);
  add_long(text, ", ", grid->loop_count);
  add_side(text, &grid->columns);
  add_side(text, &grid->rows);
  add_long(text, ",\n    ", grid->fills);
  add_long(text, ", ", grid->across_shift);
  add_long(text, ", ", grid->source_first);
  add_long(text, ", ", grid->source_end);
  rlt_text_add(text, "};\n");
}

/* A problem of one tile has a loop that nothing asks for, as no array is empty. */
static void add_loops(rlt_text *text, const kernel_loop *loops, int64_t count) {
  rlt_text_add(text, "__constant const kernel_loop loops_of_problem[] = {");
  for (int64_t l = 0; l < count; ++l) {
    add_long(text, l == 0 ? "\n    {" : ",\n    {", loops[l].count);
    add_long(text, ", ", loops[l].valid);
    add_long(text, ", ", loops[l].source_step);
    add_long(text, ", ", loops[l].destination_step);
    rlt_text_add(text, ", {%" PRIu32 "u, %" PRIu32 "u}}", loops[l].by_count.multiplier,
                 loops[l].by_count.shift);
  }
  rlt_text_add(text, "%s};\n", count == 0 ? "{1L, 1L, 0L, 0L, {0u, 0u}}" : "");
}

static void add_slots(rlt_text *text, const kernel_slots *slots) {
  add_long(text, "__constant const kernel_slots slots_of_problem = {", slots->run_elements);
  add_long(text, ", ", slots->run_over);
  add_long(text, ", ", slots->run_side);
  add_long(text, ", ", slots->slots);
  add_long(text, ", ", slots->pitch);
  add_long(text, ", ", slots->gap_shift);
  add_long(text, ", ", slots->gather_shift);
  add_long(text, ",\n    ", slots->fill_place);
  add_long(text, ", ", slots->loads_pieces);
  add_long(text, ", ", slots->row_bytes);
  add_long(text, ", ", slots->is_dense);
  add_long(text, ", ", slots->store_piece_shift);
  add_long(text, ", ", slots->store_unit_shift);
  add_long(text, ", ", slots->sums_places);
  rlt_text_add(text, "};\n");
}

/* ---- Tables that are sums over digits ---- */

/* A table's numbers as a kernel reads them: every `step`th, beginning with one of them. Places have
 * a unit left out before them for each 2^gap_shift, unless that is 0. */
typedef struct column {
  const void *numbers;
  bool wide; /* 64 bits each */
  int64_t first;
  int64_t step;
  int64_t count;
  int64_t gap_shift;
} column;

static int64_t number_of(const column *of, int64_t at) {
  const int64_t number = of->first + at * of->step;
  return of->wide ? ((const int64_t *)of->numbers)[number] : ((const int32_t *)of->numbers)[number];
}

/* The number with what was left out before it, and without. So places are sums too, and kernels
 * look up none: what they would read of a table is as much as they move. */
static int64_t with_gaps(const column *of, int64_t number) {
  return of->gap_shift == 0 ? number : number + (number >> of->gap_shift);
}

static int64_t without_gaps(const column *of, int64_t number) {
  const int64_t between = INT64_C(1) << of->gap_shift;
  return of->gap_shift == 0 ? number : number / (between + 1) * between + number % (between + 1);
}

/* position / every % extent counts `stride` each; the last digit has no end. */
typedef struct digit {
  int64_t every;
  int64_t extent;
  int64_t stride;
} digit;

enum {
  MOST_DIGITS = 4,
  LEAST_PART_BYTES = 8 /* work-items that touch half a line of units waste little of it */
};

/* Each digit goes on for as long as the numbers are one stride apart. How many digits make all of
 * them, counted from a first one of 0; -1: no so few do. */
static int32_t find_digits(const column *of, digit *digits) {
  int32_t count = 0;
  if (of->count == 0 || number_of(of, 0) != 0) {
    return -1;
  }
  for (int64_t every = 1; every < of->count;) {
    if (count == MOST_DIGITS) {
      return -1;
    }
    const int64_t stride = without_gaps(of, number_of(of, every));
    int64_t extent = 2;
    while (extent * every < of->count &&
           without_gaps(of, number_of(of, extent * every)) == extent * stride) {
      ++extent;
    }
    digits[count++] = (digit){every, extent, stride};
    every *= extent;
  }
  for (int64_t at = 0; at < of->count; ++at) {
    int64_t sum = 0;
    for (int32_t d = 0; d < count; ++d) {
      sum += at / digits[d].every % digits[d].extent * digits[d].stride;
    }
    if (with_gaps(of, sum) != number_of(of, at)) {
      return -1;
    }
  }
  return count;
}

/* `#define NAME(n)`, in numbers of this type. */
static void add_sum(rlt_text *text, const char *name, const char *type, const column *of,
                    const digit *digits, int32_t count) {
  rlt_text_add(text, "#define %s(n) %s((%s)0", name, of->gap_shift == 0 ? "" : "with_gaps(", type);
  for (int32_t d = 0; d < count; ++d) {
    rlt_text_add(text, " + (%s)((n)", type);
    if (digits[d].every > 1) {
      rlt_text_add(text, " / %" PRId64 "u", digits[d].every);
    }
    if (d + 1 < count) {
      rlt_text_add(text, " %% %" PRId64 "u", digits[d].extent);
    }
    rlt_text_add(text, ") * (%s)%" PRId64 "L", type, digits[d].stride);
  }
  if (of->gap_shift > 0) {
    rlt_text_add(text, "), %" PRId64 "u)\n", of->gap_shift);
  } else {
    rlt_text_add(text, ")\n");
  }
}

/* Whether a column is a sum. */
static bool add_single(rlt_text *text, const char *name, const char *type, const column *of) {
  digit digits[MOST_DIGITS];
  const int32_t count = find_digits(of, digits);
  if (count >= 0) {
    add_sum(text, name, type, of, digits, count);
  }
  return count >= 0;
}

/* Whether two columns beside each other both are sums. */
static bool add_pair(rlt_text *text, const char *first_name, const char *second_name,
                     const column *first) {
  digit digits[2][MOST_DIGITS];
  column second = *first;
  second.first += 1;
  const int32_t counts[] = {find_digits(first, digits[0]), find_digits(&second, digits[1])};
  if (counts[0] < 0 || counts[1] < 0) {
    return false;
  }
  add_sum(text, first_name, "offset", first, digits[0], counts[0]);
  add_sum(text, second_name, "uint", &second, digits[1], counts[1]);
  return true;
}

/* The steps of a whole tile, unless there are slots of no tile. */
static void add_whole_steps(rlt_text *text, const kernel_grid *grid, const column *steps) {
  const uint32_t whole = (uint32_t)((grid->columns.block - 1) | (grid->rows.block - 1) << 16);
  for (int64_t slot = 0; slot < steps->count; ++slot) {
    if (((whole - (uint32_t)number_of(steps, slot)) & 0x80008000u) != 0) {
      return;
    }
  }
  rlt_text_add(text, "#define WHOLE_STEPS %" PRIu32 "u\n", whole);
}

/* Defines how many work-items share a slot, as a power of two. Each takes `part` elements of it at
 * a time. */
static void add_shift(rlt_text *text, const char *name, const rlt_constants *of,
                      const kernel_slots *slots, int64_t part, int64_t part_bytes) {
  const int64_t parts = rlt_divide_up(slots->pitch, part);
  rlt_text_add(text, "#define %s %" PRId64 "\n", name,
               rlt_line_shift(slots->slots, parts, part_bytes, of->group_size));
}

/* ---- Tables as they are, of a text that stands alone ---- */

static void add_number(rlt_text *text, int64_t number) {
  if (number == INT64_MIN) {
    rlt_text_add(text, "-%" PRId64 "L - 1", INT64_MAX);
  } else {
    rlt_text_add(text, "%" PRId64 "%s", number, number < -INT32_MAX ? "L" : "");
  }
}

/* Adds a table, and returns its bytes. A table that no kernel reads, or whose entries kernels
 * compute as sums, becomes 0. */
static int64_t add_table(rlt_text *text, const char *macro, const char *name, bool is_read,
                         const char *type, const column *of) {
  if (!is_read) {
    rlt_text_add(text, "#define %s 0\n", macro);
    return 0;
  }
  const bool are_pairs = of->step == 2;
  rlt_text_add(text, "#define %s %s\n__constant const %s%s %s[] __attribute__((aligned(16))) = {",
               macro, name, type, are_pairs ? "2" : "", name);
  for (int64_t at = 0; at < of->count; ++at) {
    rlt_text_add(text, at == 0 ? "\n    " : at % 8 == 0 ? ",\n    " : ", ");
    if (are_pairs) {
      rlt_text_add(text, "(%s2)(", type);
    }
    add_number(text, number_of(of, at));
    if (are_pairs) {
      column second = *of;
      second.first += 1;
      rlt_text_add(text, ", ");
      add_number(text, number_of(&second, at));
      rlt_text_add(text, ")");
    }
  }
  rlt_text_add(text, "};\n");
  return of->count * of->step * (int64_t)rlt_offset_size(of->wide);
}

/* ---- Tables of a kernel that permutes ---- */

/* How many bytes those take that stand in the text. */
static int64_t add_tables(rlt_text *text, const rlt_constants *of) {
  const kernel_grid *const grid = of->grid->bytes;
  const kernel_slots *const slots = of->slot_tables->bytes;
  const int32_t *const places = (const int32_t *)(slots + 1);
  const int64_t columns = grid->columns.length;
  const void *const offsets = places + rlt_divide_up(columns, 4) * 4;
  const int64_t rows = 2 * (slots->slots + 1);
  const column column_places = {places, false, 0, 1, columns, 0};
  const column slot_sources = {offsets, of->wide, 0, 2, slots->slots, 0};
  const column slot_steps = {offsets, of->wide, 1, 2, slots->slots, 0};
  const column all_slots = {offsets, of->wide, 0, 2, slots->slots + 1, 0};
  const column row_offsets = {offsets, of->wide, rows, 2, grid->rows.length, 0};
  const column column_offsets = {offsets, of->wide, rows + 2 * grid->rows.length, 1, columns, 0};
  add_slots(text, slots);
  column gapped_places = column_places;
  gapped_places.gap_shift =
      slots->gather_shift == RLT_NO_GAPS && slots->gap_shift != RLT_NO_GAPS ? slots->gap_shift : 0;
  const bool has_places =
      add_single(text, "COLUMN_PLACE", "uint", &column_places) ||
      (gapped_places.gap_shift > 0 && add_single(text, "COLUMN_PLACE", "uint", &gapped_places));
  const bool has_slots = add_pair(text, "SLOT_SOURCE", "SLOT_STEPS", &slot_sources);
  const bool has_rows = add_pair(text, "ROW_OFFSET", "ROW_PLACE", &row_offsets);
  const bool has_offsets = add_single(text, "COLUMN_OFFSET", "offset", &column_offsets);
  add_whole_steps(text, grid, &slot_steps);
  add_shift(text, "LOAD_PIECE_SHIFT", of, slots, of->piece, RLT_LOCAL_PIECE_BYTES);
  add_shift(text, "LOAD_UNIT_SHIFT", of, slots, of->unit, LEAST_PART_BYTES);
  if (of->alone == NULL) {
    return 0;
  }
  const char *const type = of->wide ? "long" : "int";
  int64_t bytes = add_table(text, "COLUMNS_OF_PROBLEM", "columns_of_problem", !has_places, "uint",
                            &column_places);
  bytes +=
      add_table(text, "SLOTS_OF_PROBLEM", "slot_table_of_problem", !has_slots, type, &all_slots);
  bytes += add_table(text, "ROWS_OF_PROBLEM", "rows_of_problem", !has_rows, type, &row_offsets);
  bytes += add_table(text, "COLUMN_OFFSETS_OF_PROBLEM", "column_offsets_of_problem",
                     !has_offsets && !slots->is_dense, type, &column_offsets);
  return bytes;
}

/* ---- What would be an argument ---- */

void rlt_constants_add_program(rlt_text *text, const rlt_index_program *program) {
  rlt_text_add(text,
               "#define RESULT_OF_PROGRAM %" PRId32 "\n#define PLACE_OF_PROGRAM %" PRId32
               "\nstatic bool program_of_problem(int64_t *numbers) {\n",
               program->result, program->place);
  for (int32_t i = 0; i < program->count; ++i) {
    const rlt_index_op *const op = &program->of[i];
    switch ((rlt_index_op_kind)op->kind) {
    case RLT_INDEX_SPLIT:
      rlt_text_add(text,
                   "  numbers[%" PRId32 "] = numbers[%" PRId32 "] %% %" PRId64
                   "L;\n  numbers[%" PRId32 "] /= %" PRId64 "L;\n",
                   op->to, op->from, op->size, op->from, op->size);
      break;
    case RLT_INDEX_JOIN:
      rlt_text_add(text,
                   "  numbers[%" PRId32 "] = numbers[%" PRId32 "] * %" PRId64 "L + numbers[%" PRId32
                   "];\n",
                   op->to, op->to, op->size, op->from);
      break;
    case RLT_INDEX_BOUND:
      rlt_text_add(text, "  if (numbers[%" PRId32 "] >= %" PRId64 "L) {\n    return false;\n  }\n",
                   op->to, op->size);
      break;
    case RLT_INDEX_ADD:
      rlt_text_add(text, "  numbers[%" PRId32 "] += numbers[%" PRId32 "] * %" PRId64 "L;\n", op->to,
                   op->from, op->size);
      break;
    }
  }
  rlt_text_add(text, "  return true;\n}\n");
}

/* An element's bytes, the lowest first, as a number, or as four of a vector. */
static void add_fill(rlt_text *text, const uint8_t *fill, int64_t bytes) {
  uint64_t parts[2] = {0, 0};
  for (int64_t i = 0; i < bytes; ++i) {
    parts[i / 8] |= (uint64_t)fill[i] << 8 * (i % 8);
  }
  if (bytes == RELAYOUT_MAX_ELEMENT_SIZE) {
    rlt_text_add(text,
                 "#define FILL_OF_PROBLEM (uint4)(%" PRIu32 "u, %" PRIu32 "u, %" PRIu32
                 "u, %" PRIu32 "u)\n",
                 (uint32_t)parts[0], (uint32_t)(parts[0] >> 32), (uint32_t)parts[1],
                 (uint32_t)(parts[1] >> 32));
  } else {
    rlt_text_add(text, "#define FILL_OF_PROBLEM ((word)%" PRIu64 "UL)\n", parts[0]);
  }
}

static void add_alone(rlt_text *text, const rlt_constants *of) {
  const rlt_problem *const problem = of->alone;
  add_fill(text, problem->fill, rlt_problem_destination_bytes(problem));
  rlt_text_add(text,
               "#define DESTINATION_OF_PROBLEM %" PRId64 "L\n#define SOURCE_OF_PROBLEM %" PRId64
               "L\n#define LOCAL_BYTES_OF_PROBLEM %" PRId64 "\n",
               problem->destination_start, problem->source_start, of->local_bytes);
  if (of->scale != NULL) {
    rlt_text_add(text, "#define SCALE_OF_PROBLEM {%" PRIu64 "UL, %" PRId32 ", %" PRId32 "}\n",
                 of->scale->digits, of->scale->exponent, of->scale->negative);
  }
  if (problem->index_program != NULL) {
    rlt_constants_add_program(text, problem->index_program);
  }
}

static int64_t add_all(rlt_text *text, const rlt_constants *of) {
  const kernel_grid *const grid = of->grid->bytes;
  int64_t table_bytes = 0;
  add_grid(text, grid);
  add_loops(text, (const kernel_loop *)(grid + 1), grid->loop_count);
  if (of->slot_tables != NULL) {
    table_bytes = add_tables(text, of);
  }
  if (of->alone != NULL) {
    add_alone(text, of);
  }
  return table_bytes;
}

relayout_status rlt_constants_write(const rlt_constants *of, char **text, int64_t *table_bytes,
                                    relayout_error *error) {
  rlt_text counted = rlt_text_in(NULL, 0);
  *table_bytes = add_all(&counted, of);
  *text = rlt_malloc(counted.length + 1);
  if (*text == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory for the %zu bytes of a kernel's constants", counted.length);
  }
  rlt_text written = rlt_text_in(*text, counted.length + 1);
  add_all(&written, of);
  return RELAYOUT_OK;
}
