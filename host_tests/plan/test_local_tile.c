/* test_local_tile.c: tiles in local memory: squares, runs that lie in slots, and who moves what. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "gpu/local_tile.h"
#include "plan/tiles.h"
#include "problem/definition.h"

/* Lines of 128 bytes on both sides, and as much more as there is room for: columns, then rows, in
 * turns. Of packed elements there is less room than that, and rows are halved first. */
static void test_squares_by_hand(void **state) {
  (void)state;
  static const struct {
    int64_t source_bits, destination_bits, bytes, tile_bytes;
    int64_t rows, columns;
  } squares[] = {
      {32, 32, 4, 4096, 32, 32},   {32, 32, 4, 8192, 32, 64},  {32, 32, 4, 16384, 64, 64},
      {8, 8, 1, 16384, 128, 128},  {64, 64, 8, 16384, 32, 64}, {128, 128, 16, 16384, 32, 32},
      {32, 16, 2, 16384, 64, 128}, {4, 4, 1, 16384, 128, 128}, {1, 8, 1, 16384, 256, 64},
      {1, 8, 1, 64, 32, 16}, /* 32 units of 4 bytes, all banks; and a piece of 16 */
      {1, 1, 1, 1024, 32, 128}, {2, 4, 1, 16384, 128, 128},
  };
  for (size_t i = 0; i < sizeof squares / sizeof squares[0]; ++i) {
    const rlt_square_tile found =
        rlt_square_tile_of(squares[i].source_bits, squares[i].destination_bits, squares[i].bytes,
                           squares[i].tile_bytes);
    assert_int_equal(found.rows, squares[i].rows);
    assert_int_equal(found.columns, squares[i].columns);
  }
}

/* 64 rows of 128 bytes: 32 columns of units of 4 bytes, each 64 rows and two gaps, and one more to
 * be odd; and so on. Whatever may be asked for, there is room for it. */
static void test_square_bytes_by_hand(void **state) {
  (void)state;
  assert_int_equal(rlt_square_tile_bytes((rlt_square_tile){64, 128}, 1), 32 * 67 * 4);
  assert_int_equal(rlt_square_tile_bytes((rlt_square_tile){32, 64}, 4), 64 * 33 * 4);
  assert_int_equal(rlt_square_tile_bytes((rlt_square_tile){16, 32}, 16), 32 * 17 * 16);
  for (int64_t bytes = 1; bytes <= 16; bytes *= 2) {
    const rlt_square_tile most = rlt_square_tile_of(8 * bytes, 8 * bytes, bytes, 1 << 20);
    assert_true(rlt_square_tile_bytes(most, bytes) <= RLT_LOCAL_BYTES);
  }
}

/* Of a group of 256: the fewest rounds through rows and columns, and of equals the most columns. */
static void test_across_by_hand(void **state) {
  (void)state;
  static const struct {
    int64_t rows, columns, group_size, shift;
  } groups[] = {
      {1, 1000, 256, 8}, {1000, 1, 256, 0},
      {16, 16, 256, 4},  {3, 100, 256, 7}, /* two rows of 128, twice */
      {100, 3, 256, 2},                    /* 64 rows of 4, twice */
      {1, 1, 1, 0},
  };
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i) {
    assert_int_equal(rlt_across_shift(groups[i].rows, groups[i].columns, groups[i].group_size),
                     groups[i].shift);
  }
}

/* Whole lines of 32 units, or of 8 pieces, where a run has as many; of these the fewest rounds, and
 * of equals the fewest along a run. */
static void test_lines_by_hand(void **state) {
  (void)state;
  static const struct {
    int64_t runs, parts, part_bytes, group_size, shift;
  } groups[] = {
      {1, 64, 4, 64, 6},    {4, 64, 4, 64, 5},   {2, 40, 4, 64, 5},  {64, 3, 16, 64, 2},
      {100, 8, 16, 64, 3},  {100, 9, 16, 64, 4}, {8, 8, 128, 64, 3}, {1, 1, 4, 1, 0},
      {9, 100, 4, 16, 4},   {64, 1, 4, 64, 0},   {64, 2, 4, 64, 1},  {3, 100, 16, 256, 6},
      {1, 1000, 4, 256, 8},
  };
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i) {
    print_message("case %zu\n", i);
    assert_int_equal(
        rlt_line_shift(groups[i].runs, groups[i].parts, groups[i].part_bytes, groups[i].group_size),
        groups[i].shift);
  }
}

/* Four bytes of elements, or one of more. */
static void test_units_by_hand(void **state) {
  (void)state;
  static const struct {
    int64_t bits, unit;
  } units[] = {{1, 32}, {2, 16}, {4, 8}, {8, 4}, {16, 2}, {32, 1}, {64, 1}, {128, 1}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
    assert_int_equal(rlt_local_unit(units[i].bits), units[i].unit);
  }
}

/* ---- Slots ---- */

/* Rows of `valid` elements that lie `pitch` apart in the source are one run where the gap is a
 * half of it at most and less than a sector of 32 bytes. */
static void test_gaps_between_rows(void **state) {
  (void)state;
  static const struct {
    int64_t bytes, packed, valid, pitch;
    bool goes_on;
  } cases[] = {
      {4, 0, 20, 20, true},  {4, 0, 20, 27, true},  {4, 0, 20, 28, false},  {4, 0, 14, 21, true},
      {4, 0, 12, 18, true},  {4, 0, 12, 19, false}, {1, 0, 100, 131, true}, {1, 0, 100, 132, false},
      {1, 0, 60, 90, true},  {1, 0, 60, 91, false}, {1, 4, 200, 263, true}, {1, 4, 200, 264, false},
      {4, 0, 20, 19, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = {
        .element_bytes = cases[i].bytes,
        .source_packed = cases[i].packed,
        .source_elements = 4 * cases[i].pitch + cases[i].valid,
        .destination_elements = 4 * cases[i].valid,
        .axis_count = 2,
        .axes = {{4, 4, cases[i].pitch, 1}, {cases[i].valid, cases[i].valid, 1, 4}}};
    const rlt_group columns = rlt_group_of_axis(&problem, 0, 4);
    const rlt_group rows = rlt_group_of_axis(&problem, 1, cases[i].valid);
    rlt_slots slots;
    print_message("case %zu\n", i);
    rlt_slots_find(&problem, &columns, &rows, &slots);
    assert_int_equal(slots.run_length,
                     cases[i].goes_on ? 3 * cases[i].pitch + cases[i].valid : cases[i].valid);
    assert_int_equal(slots.run_stride[0], cases[i].goes_on ? cases[i].pitch : 0);
  }
}

/* 32 columns, 41 apart in the source, of 16 rows: the rows are runs of 16 floats, and the columns
 * count slots. A pitch of 16 with gaps has banks turn once as two runs are buffered, and twice as 4
 * rows of 8 pieces are gathered (units 66 * piece + row); one of 17 without them the other way
 * round. Of equals that comes first which needs less. Behind all is a word for the fill. */
static void test_slots_of_a_transpose(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 64 * 41,
                               .destination_elements = 64 * 41,
                               .axis_count = 2,
                               .axes = {{64, 64, 41, 1}, {41, 41, 1, 64}}};
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 32);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 16);
  rlt_slots slots;
  rlt_slots_find(&problem, &columns, &rows, &slots);
  assert_int_equal(slots.unit, 1);
  assert_int_equal(slots.run_length, 16);
  assert_int_equal(slots.run_stride[1], 1);
  assert_int_equal(slots.slot_stride[0], 1);
  assert_int_equal(slots.slots, 32);
  assert_int_equal(slots.pitch, 16);
  assert_int_equal(slots.gap_shift, 5);
  assert_int_equal(rlt_slots_bytes(&slots), (32 * 16 + 16 + 1) * 4);
}

/* Twelve of 16 rows are valid, and one of 8 columns is in the tile. */
static void test_slots_of_what_is_valid(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 8 * 41,
                               .destination_elements = 8 * 16,
                               .axis_count = 2,
                               .axes = {{8, 8, 41, 1}, {16, 12, 1, 8}}};
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 1);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 16);
  rlt_slots slots;
  rlt_slots_find(&problem, &columns, &rows, &slots);
  assert_int_equal(slots.count, 1);
  assert_int_equal(slots.axes[0].axis, 1);
  assert_int_equal(slots.axes[0].steps, 12);
  assert_int_equal(slots.run_length, 12);
  assert_int_equal(slots.slots, 1);
}

/* Pixels of 3 bytes, 20 of them: a run on both sides is 60 bytes in a single slot. */
static void test_slots_of_one_run(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 1,
                               .source_elements = 60,
                               .destination_elements = 60,
                               .axis_count = 2,
                               .axes = {{20, 20, 3, 1}, {3, 3, 1, 20}}};
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 20);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 3);
  rlt_slots slots;
  rlt_slots_find(&problem, &columns, &rows, &slots);
  assert_int_equal(slots.unit, 4);
  assert_int_equal(slots.run_length, 60);
  assert_int_equal(slots.run_stride[0], 3);
  assert_int_equal(slots.run_stride[1], 1);
  assert_int_equal(slots.slots, 1);
  assert_int_equal(slots.pitch, 15 * 4);
  assert_int_equal(rlt_slots_place(&slots, &columns, true, 19), 19 * 3);
  assert_int_equal(rlt_slots_place(&slots, &rows, false, 2), 2);
}

/* 32 floats of each of 8 pixels of 32 floats, all in one run: to gather four pixels of 8 rows,
 * 32 words apart, from different banks, a word is left out behind each 32. */
static void test_gaps_of_one_run(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 32 * 32,
                               .destination_elements = 32 * 32,
                               .axis_count = 2,
                               .axes = {{32, 32, 32, 1}, {32, 32, 1, 32}}};
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 32);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 32);
  rlt_slots slots;
  rlt_slots_find(&problem, &columns, &rows, &slots);
  assert_int_equal(slots.slots, 1);
  assert_int_equal(slots.gap_shift, 5);
  assert_int_equal(rlt_slots_bytes(&slots), (32 * 33 + 1) * 4);
}

/* An element's place: its slot, and how far it is into the run there. */
typedef struct place {
  int64_t source;
  int64_t slot;
  int64_t at;
} place;

static int by_place(const void *a, const void *b) {
  const place *const x = a;
  const place *const y = b;
  return x->slot != y->slot ? (x->slot < y->slot ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static place place_of(const rlt_slots *slots, const int64_t *digits) {
  place found = {0, 0, 0};
  int64_t column_run = 0;
  for (int32_t i = 0; i < slots->count; ++i) {
    const int32_t axis = slots->axes[i].axis;
    found.source += digits[i] * slots->problem->axes[axis].source_stride;
    found.at += digits[i] * slots->run_stride[axis];
    *(slots->axes[i].of_columns ? &column_run : &found.slot) +=
        digits[i] * slots->slot_stride[axis];
  }
  found.slot += rlt_slot_of_run(slots, column_run);
  return found;
}

static bool next_digits(const rlt_slots *slots, int64_t *digits) {
  for (int32_t i = 0; i < slots->count; ++i) {
    if (++digits[i] < slots->axes[i].steps) {
      return true;
    }
    digits[i] = 0;
  }
  return false;
}

/* Every element of a whole tile has a place within the slots, and shares it with none that comes
 * from elsewhere. */
static bool slots_hold(const rlt_slots *slots) {
  int64_t count = 1;
  for (int32_t i = 0; i < slots->count; ++i) {
    count *= slots->axes[i].steps;
  }
  place *const places = calloc((size_t)count, sizeof *places);
  int64_t digits[2 * RLT_MAX_GROUP_AXES] = {0};
  int64_t n = 0;
  bool hold = slots->pitch >= slots->run_length && slots->pitch % slots->unit == 0;
  do {
    places[n] = place_of(slots, digits);
    hold = hold && places[n].slot >= 0 && places[n].slot < slots->slots && places[n].at >= 0 &&
           places[n].at < slots->run_length;
    ++n;
  } while (next_digits(slots, digits));
  qsort(places, (size_t)n, sizeof *places, by_place);
  for (int64_t i = 1; i < n; ++i) {
    hold = hold &&
           (by_place(&places[i - 1], &places[i]) != 0 || places[i - 1].source == places[i].source);
  }
  for (int64_t run = 0; run < slots->column_runs; ++run) {
    hold = hold && rlt_run_of_slot(slots, rlt_slot_of_run(slots, run)) == run;
  }
  free(places);
  return hold && n == count;
}

/* From the first element to the last of a run, if the axis that ends it takes so many steps. */
static int64_t run_of(const rlt_slots *slots, int64_t steps) {
  int64_t last = 0;
  for (int32_t i = 0; i < slots->count; ++i) {
    const int64_t taken = &slots->axes[i] == slots->run_end ? steps : slots->axes[i].steps;
    last += (taken - 1) * slots->run_stride[slots->axes[i].axis];
  }
  return last + 1;
}

static bool runs_hold(const rlt_slots *slots) {
  const int64_t most = slots->run_end == NULL ? 1 : slots->run_end->steps;
  bool hold = slots->run_length == run_of(slots, most);
  for (int64_t steps = 1; steps <= most; ++steps) {
    hold = hold && slots->run_unit * steps + slots->run_over == run_of(slots, steps);
  }
  return hold;
}

/* Digits in the order of the group's axes; of the last one as many as there are. */
static void digits_of(const rlt_problem *problem, const rlt_group *group, int64_t position,
                      int64_t *digits) {
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const int64_t extent = problem->axes[group->axes[i]].extent;
    digits[i] = i < group->axis_count - 1 ? position % extent : position;
    position /= extent;
  }
}

/* What a kernel adds up of a column and of a row is where the element lies, or one of them says
 * that none can come from there: a digit is not valid, in any tile. */
static bool places_hold(const rlt_slots *slots, const rlt_group *group, bool of_columns) {
  bool hold = true;
  for (int64_t p = 0; p < rlt_group_length(group); ++p) {
    int64_t digits[RLT_MAX_GROUP_AXES];
    int64_t number = 0;
    int64_t at = 0;
    bool may_come = true;
    digits_of(slots->problem, group, p, digits);
    for (int32_t i = 0; i < group->axis_count; ++i) {
      const rlt_axis *const axis = &slots->problem->axes[group->axes[i]];
      const bool is_cut = i == group->axis_count - 1 && group->steps < axis->extent;
      may_come = may_come && (is_cut || digits[i] < axis->valid);
      number += digits[i] * slots->slot_stride[group->axes[i]];
      at += digits[i] * slots->run_stride[group->axes[i]];
    }
    const int64_t slot = of_columns && may_come ? rlt_slot_of_run(slots, number) : number;
    const int64_t found = rlt_slots_place(slots, group, of_columns, p);
    hold = hold && found == (may_come ? slot * slots->pitch + at : -1);
  }
  return hold;
}

static void test_slots_at_random(void **state) {
  (void)state;
  int32_t several = 0;
  for (uint64_t start = 1; start <= 8000; ++start) {
    uint64_t seed = start;
    rlt_problem problem;
    rlt_group columns, rows;
    if (!tiles_of_problem_at_random(&seed, &problem, &columns, &rows)) {
      continue;
    }
    rlt_slots slots;
    rlt_slots_find(&problem, &columns, &rows, &slots);
    const int64_t fill_place = slots.slots * slots.pitch;
    const int64_t words = fill_place + (fill_place >> slots.gap_shift) * slots.unit + 1;
    if (!slots_hold(&slots) || !runs_hold(&slots) || !places_hold(&slots, &columns, true) ||
        !places_hold(&slots, &rows, false) || rlt_slots_bytes(&slots) != words * slots.bytes) {
      definition_print(&problem);
      fail_msg("seed %" PRIu64 ": elements do not lie in their slots", start);
    }
    several += slots.slots > slots.unit && slots.run_length > 1;
  }
  print_message("several slots of runs: %" PRId32 " problems\n", several);
  assert_true(several > 500);
}

/* ---- Banks ---- */

enum { SIDE_BY_SIDE = 32, TURNS = 8, PITCHES = 8 }; /* work-items; as many banks of 4 bytes */

/* Elements that come at once at least, so that words of both sides are whole. */
static int64_t least_at_once(const rlt_slots *slots) {
  const int64_t source = rlt_local_unit(rlt_problem_source_bits(slots->problem));
  const int64_t buffered = slots->unit;
  return source > buffered ? source : buffered;
}

/* Where a work-item stores its n-th word of each 4 bytes as runs are buffered; -1: nowhere. */
static int64_t buffered_word(const rlt_slots *slots, int64_t item, int64_t n) {
  int64_t part = least_at_once(slots);
  if (slots->run_length * slots->bytes % 16 == 0 && part * slots->bytes < 16) {
    part = 16 / slots->bytes;
  }
  const int64_t units = part / slots->unit;
  const int64_t parts = rlt_divide_up(slots->run_length, part);
  const int64_t number = n / units * SIDE_BY_SIDE + item;
  return number >= slots->slots * parts
             ? -1
             : number / parts * slots->pitch + number % parts * part + n % units * slots->unit;
}

/* Where it loads the n-th word from as rows are gathered, 16 bytes of words in a row or 4 bytes of
 * smaller ones; -1: from nowhere. */
static int64_t gathered_word(const rlt_slots *slots, const rlt_group *columns,
                             const rlt_group *rows, int64_t item, int64_t n) {
  const int64_t words = slots->bytes >= 4 ? 16 / slots->bytes : 4 / slots->bytes;
  const int64_t length = rlt_group_length(columns);
  const int64_t across = INT64_C(1)
                         << rlt_line_shift(rlt_group_length(rows), rlt_divide_up(length, words),
                                           words * slots->bytes, 64);
  const int64_t number = n / words * SIDE_BY_SIDE + item;
  const int64_t column = number % across * words + n % words;
  const int64_t row = number / across;
  if (column >= length || row >= rlt_group_length(rows)) {
    return -1;
  }
  const int64_t along = rlt_slots_place(slots, columns, true, column);
  const int64_t beside = rlt_slots_place(slots, rows, false, row);
  return along < 0 || beside < 0 ? -1 : along + beside;
}

/* How many of these words are in the bank that has most of them. */
static int64_t most_in_a_bank(const rlt_slots *slots, bool has_gaps, const int64_t *words) {
  const int64_t unit = slots->unit;
  int64_t in_bank[SIDE_BY_SIDE] = {0};
  int64_t most = 0;
  for (int i = 0; i < SIDE_BY_SIDE; ++i) {
    if (words[i] >= 0) {
      const int64_t word = words[i] + (has_gaps ? words[i] * slots->bytes / 128 * unit : 0);
      const int64_t count = ++in_bank[word * slots->bytes / 4 % SIDE_BY_SIDE];
      most = count > most ? count : most;
    }
  }
  return most;
}

/* The first eight words of work-items side by side, as they store and as they load. */
static int64_t turns_with(const rlt_slots *found, const rlt_group *columns, const rlt_group *rows,
                          int64_t pitch, bool has_gaps) {
  rlt_slots slots = *found;
  int64_t turns = 0;
  slots.pitch = pitch;
  for (int64_t n = 0; n < TURNS; ++n) {
    int64_t buffered[SIDE_BY_SIDE], gathered[SIDE_BY_SIDE];
    for (int64_t item = 0; item < SIDE_BY_SIDE; ++item) {
      buffered[item] = buffered_word(&slots, item, n);
      gathered[item] = gathered_word(&slots, columns, rows, item, n);
    }
    turns += most_in_a_bank(&slots, has_gaps, buffered);
    turns += most_in_a_bank(&slots, has_gaps, gathered);
  }
  return turns;
}

/* Three axes in another order on each side, up to 64 steps of two of them in a tile, and perhaps
 * gaps between the source's rows. */
static void wide_tile_at_random(uint64_t *seed, rlt_problem *problem, rlt_group *columns,
                                rlt_group *rows) {
  *problem =
      (rlt_problem){.element_bytes = INT64_C(1) << definition_random(seed, 5), .axis_count = 3};
  int64_t source_stride = 1, destination_stride = 1;
  const int32_t first = (int32_t)definition_random(seed, 3);
  for (int32_t i = 0; i < 3; ++i) {
    rlt_axis *const axis = &problem->axes[i];
    axis->extent = axis->valid =
        1 + definition_random(seed, INT64_C(2) << definition_random(seed, 6));
    axis->destination_stride = destination_stride;
    destination_stride *= axis->extent;
  }
  for (int32_t i = 0; i < 3; ++i) {
    rlt_axis *const axis = &problem->axes[(first + i) % 3];
    axis->source_stride = source_stride;
    source_stride *= axis->extent + definition_random(seed, 3);
  }
  problem->source_elements = source_stride;
  problem->destination_elements = destination_stride;
  *columns = rlt_group_of_axis(problem, 0, 1 + definition_random(seed, problem->axes[0].extent));
  *rows = rlt_group_of_axis(problem, 1 + (int32_t)definition_random(seed, 2), 1);
  rows->steps = 1 + definition_random(seed, problem->axes[rows->axes[0]].extent);
}

/* Of eight pitches, each with and without gaps, the first whose banks turn least often. */
static void expect_best_places(const rlt_slots *slots, const rlt_group *columns,
                               const rlt_group *rows) {
  const int64_t at_once = least_at_once(slots);
  int64_t best = INT64_MAX, pitch = 0;
  bool has_gaps = false;
  for (int64_t i = 0; i < (slots->slots > 1 ? 2 * PITCHES : 2); ++i) {
    const int64_t tried = rlt_divide_up(slots->run_length, at_once) * at_once + i / 2 * slots->unit;
    const int64_t turns = turns_with(slots, columns, rows, tried, i % 2 == 1);
    if (turns < best) {
      best = turns;
      pitch = tried;
      has_gaps = i % 2 == 1;
    }
  }
  if (slots->pitch != pitch || (slots->gap_shift != RLT_NO_GAPS) != has_gaps) {
    definition_print(slots->problem);
    fail_msg("a pitch of %" PRId64 " is %" PRId64, pitch, slots->pitch);
  }
  assert_true(!has_gaps || slots->bytes << slots->gap_shift == 128);
}

static void test_banks_at_random(void **state) {
  (void)state;
  int32_t wider = 0, gaps = 0, both = 0;
  for (uint64_t start = 1; start <= 5000; ++start) {
    uint64_t seed = start;
    rlt_problem problem;
    rlt_group columns, rows;
    if (start % 2 == 0) {
      wide_tile_at_random(&seed, &problem, &columns, &rows);
    } else if (!tiles_of_problem_at_random(&seed, &problem, &columns, &rows)) {
      continue;
    }
    rlt_slots slots;
    rlt_slots_find(&problem, &columns, &rows, &slots);
    expect_best_places(&slots, &columns, &rows);
    const bool is_wider = slots.pitch >= slots.run_length + slots.unit;
    const bool has_gaps = slots.gap_shift != RLT_NO_GAPS;
    wider += is_wider;
    gaps += has_gaps;
    both += is_wider && has_gaps;
  }
  print_message("wider: %" PRId32 ", with gaps: %" PRId32 ", both: %" PRId32 "\n", wider, gaps,
                both);
  assert_true(wider > 30 && gaps > 200 && both > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_squares_by_hand),  cmocka_unit_test(test_square_bytes_by_hand),
      cmocka_unit_test(test_across_by_hand),   cmocka_unit_test(test_slots_of_a_transpose),
      cmocka_unit_test(test_slots_of_one_run), cmocka_unit_test(test_slots_of_what_is_valid),
      cmocka_unit_test(test_gaps_of_one_run),  cmocka_unit_test(test_lines_by_hand),
      cmocka_unit_test(test_units_by_hand),    cmocka_unit_test(test_gaps_between_rows),
      cmocka_unit_test(test_slots_at_random),  cmocka_unit_test(test_banks_at_random),
  };
  return cmocka_run_group_tests_name("plan.local_tile", tests, NULL, NULL);
}
