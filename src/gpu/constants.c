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

/* A table's numbers as a kernel reads them: every `step`th, beginning with one of them. */
typedef struct column {
  const void *numbers;
  bool wide; /* 64 bits each */
  int64_t first;
  int64_t step;
  int64_t count;
} column;

static int64_t number_of(const column *of, int64_t at) {
  const int64_t number = of->first + at * of->step;
  return of->wide ? ((const int64_t *)of->numbers)[number] : ((const int32_t *)of->numbers)[number];
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
    const int64_t stride = number_of(of, every);
    int64_t extent = 2;
    while (extent * every < of->count && number_of(of, extent * every) == extent * stride) {
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
    if (sum != number_of(of, at)) {
      return -1;
    }
  }
  return count;
}

/* `#define NAME(n)`, in numbers of this type. */
static void add_sum(rlt_text *text, const char *name, const char *type, const digit *digits,
                    int32_t count) {
  rlt_text_add(text, "#define %s(n) ((%s)0", name, type);
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
  rlt_text_add(text, ")\n");
}

/* Two columns beside each other, where both are sums. */
static void add_pair(rlt_text *text, const char *first_name, const char *second_name,
                     const column *first) {
  digit digits[2][MOST_DIGITS];
  column second = *first;
  second.first += 1;
  const int32_t counts[] = {find_digits(first, digits[0]), find_digits(&second, digits[1])};
  if (counts[0] >= 0 && counts[1] >= 0) {
    add_sum(text, first_name, "offset", digits[0], counts[0]);
    add_sum(text, second_name, "uint", digits[1], counts[1]);
  }
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

static void add_tables(rlt_text *text, const rlt_constants *of) {
  const kernel_grid *const grid = of->grid->bytes;
  const kernel_slots *const slots = of->slot_tables->bytes;
  const int32_t *const places = (const int32_t *)(slots + 1);
  const void *const offsets = places + rlt_divide_up(grid->columns.length, 4) * 4;
  const column column_places = {places, false, 0, 1, grid->columns.length};
  const column slot_sources = {offsets, of->wide, 0, 2, slots->slots};
  const column slot_steps = {offsets, of->wide, 1, 2, slots->slots};
  const column row_offsets = {offsets, of->wide, 2 * (slots->slots + 1), 2, grid->rows.length};
  digit digits[MOST_DIGITS];
  const int32_t count = find_digits(&column_places, digits);
  add_slots(text, slots);
  if (count >= 0) {
    add_sum(text, "COLUMN_PLACE", "uint", digits, count);
  }
  add_pair(text, "SLOT_SOURCE", "SLOT_STEPS", &slot_sources);
  add_pair(text, "ROW_OFFSET", "ROW_PLACE", &row_offsets);
  add_whole_steps(text, grid, &slot_steps);
  add_shift(text, "LOAD_PIECE_SHIFT", of, slots, of->piece, RLT_LOCAL_PIECE_BYTES);
  add_shift(text, "LOAD_UNIT_SHIFT", of, slots, of->unit, LEAST_PART_BYTES);
}

static void add_all(rlt_text *text, const rlt_constants *of) {
  const kernel_grid *const grid = of->grid->bytes;
  add_grid(text, grid);
  add_loops(text, (const kernel_loop *)(grid + 1), grid->loop_count);
  if (of->slot_tables != NULL) {
    add_tables(text, of);
  }
}

relayout_status rlt_constants_write(const rlt_constants *of, char **text, relayout_error *error) {
  rlt_text counted = rlt_text_in(NULL, 0);
  add_all(&counted, of);
  *text = rlt_malloc(counted.length + 1);
  if (*text == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory for the %zu bytes of a kernel's constants", counted.length);
  }
  rlt_text written = rlt_text_in(*text, counted.length + 1);
  add_all(&written, of);
  return RELAYOUT_OK;
}
