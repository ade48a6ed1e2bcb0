/* test_kernels.c: every kernel of a family against the definition of a problem, at its odd corners.
 * The first argument names the family. Each kind of element and each width of arithmetic makes
 * another program of a kernel, which takes a driver seconds to compile; `full` behind the family
 * has all of them, otherwise a few stand for the others. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "opencl/bench.h"
#include "opencl/device.h"
#include "opencl/moves.h"
#include "problem/definition.h"

static bool is_full;

/* ---- Problems by hand: each is a corner of some kernel ---- */

typedef struct corner {
  const char *what;
  rlt_problem problem;
} corner;

#define AXIS(extent, valid, source_stride, destination_stride)                                     \
  { extent, valid, source_stride, destination_stride }

static const corner corners[] = {
    {"one element",
     {.element_bytes = 4, .source_elements = 1, .destination_elements = 1, .axis_count = 0}},
    {"a run shorter than a line",
     {.element_bytes = 1,
      .source_elements = 63,
      .destination_elements = 63,
      .axis_count = 1,
      .axes = {AXIS(63, 63, 1, 1)}}},
    {"a run longer than a tile, odd by one",
     {.element_bytes = 1,
      .source_elements = 200001,
      .destination_elements = 200001,
      .axis_count = 1,
      .axes = {AXIS(200001, 200001, 1, 1)}}},
    {"a run whose valid part ends within a tile",
     {.element_bytes = 2,
      .source_elements = 50001,
      .destination_elements = 80000,
      .axis_count = 1,
      .axes = {AXIS(80000, 50001, 1, 1)},
      .fills = true,
      .fill = {0x34, 0x12}}},
    {"rows padded at their end, whole words",
     {.element_bytes = 4,
      .source_elements = 500 * 96,
      .destination_elements = 512 * 128,
      .axis_count = 2,
      .axes = {AXIS(128, 96, 1, 1), AXIS(512, 500, 96, 128)},
      .fills = true,
      .fill = {1, 2, 3, 4}}},
    {"rows of odd bytes, padding left alone",
     {.element_bytes = 1,
      .source_elements = 37 * 1001,
      .destination_elements = 40 * 1003,
      .axis_count = 2,
      .axes = {AXIS(1003, 1001, 1, 1), AXIS(40, 37, 1001, 1003)}}},
    {"long rows of halves, filled behind each and below",
     {.element_bytes = 2,
      .source_elements = 37 * 1003,
      .destination_elements = 40 * 1067,
      .axis_count = 2,
      .axes = {AXIS(1065, 1001, 1, 1), AXIS(40, 37, 1003, 1067)},
      .fills = true,
      .fill = {0xfe, 0xff}}},
    {"rows of three bytes into four",
     {.element_bytes = 1,
      .source_elements = 3 * 5000,
      .destination_elements = 4 * 5000,
      .axis_count = 2,
      .axes = {AXIS(4, 3, 1, 1), AXIS(5000, 5000, 3, 4)},
      .fills = true,
      .fill = {0xff}}},
    {"a transpose of whole tiles",
     {.element_bytes = 4,
      .source_elements = 256 * 128,
      .destination_elements = 256 * 128,
      .axis_count = 2,
      .axes = {AXIS(128, 128, 256, 1), AXIS(256, 256, 1, 128)}}},
    {"a transpose ragged on both sides, padded on both",
     {.element_bytes = 1,
      .source_elements = 131 * 2100,
      .destination_elements = 2200 * 140,
      .axis_count = 2,
      .axes = {AXIS(140, 129, 2100, 1), AXIS(2200, 2077, 1, 140)},
      .fills = true,
      .fill = {7}}},
    {"transposes of halves, many",
     {.element_bytes = 2,
      .source_elements = 5 * 70 * 67,
      .destination_elements = 5 * 70 * 67,
      .axis_count = 3,
      .axes = {AXIS(67, 67, 70, 1), AXIS(70, 70, 1, 67), AXIS(5, 5, 70 * 67, 70 * 67)}}},
    {"a transpose of 8-byte elements",
     {.element_bytes = 8,
      .source_elements = 77 * 200,
      .destination_elements = 77 * 200,
      .axis_count = 2,
      .axes = {AXIS(77, 77, 200, 1), AXIS(200, 200, 1, 77)}}},
    {"a transpose of 16-byte elements, padding left alone",
     {.element_bytes = 16,
      .source_elements = 45 * 100,
      .destination_elements = 48 * 100,
      .axis_count = 2,
      .axes = {AXIS(48, 45, 100, 1), AXIS(100, 98, 1, 48)}}},
    {"pixels into planes",
     {.element_bytes = 1,
      .source_elements = 3 * 7001,
      .destination_elements = 3 * 7001,
      .axis_count = 2,
      .axes = {AXIS(7001, 7001, 3, 1), AXIS(3, 3, 1, 7001)}}},
    {"planes into padded pixels",
     {.element_bytes = 2,
      .source_elements = 3 * 7001,
      .destination_elements = 4 * 7001,
      .axis_count = 2,
      .axes = {AXIS(4, 3, 7001, 1), AXIS(7001, 7001, 1, 4)},
      .fills = true,
      .fill = {0xaa, 0xbb}}},
    {"five short axes reversed, one padded in the middle",
     {.element_bytes = 4,
      .source_elements = 5 * 4 * 3 * 6 * 7,
      .destination_elements = 5 * 4 * 5 * 6 * 7,
      .axis_count = 5,
      .axes = {AXIS(5, 5, 504, 1), AXIS(4, 4, 126, 5), AXIS(5, 3, 42, 20), AXIS(6, 6, 7, 100),
               AXIS(7, 7, 1, 600)},
      .fills = true,
      .fill = {9, 8, 7, 6}}},
    {"bytes that lie apart",
     {.element_bytes = 1,
      .source_elements = 300001,
      .destination_elements = 4 * 300000 + 1,
      .axis_count = 1,
      .axes = {AXIS(300001, 300001, 1, 4)}}},
    {"three rows transposed into three hundred",
     {.element_bytes = 4,
      .source_elements = 3 * 1000,
      .destination_elements = 300 * 1000,
      .axis_count = 2,
      .axes = {AXIS(1000, 1000, 3, 1), AXIS(300, 3, 1, 1000)},
      .fills = true,
      .fill = {1, 2, 3, 4}}},
    {"bytes by twos, none a neighbour of another in the source",
     {.element_bytes = 1,
      .source_elements = 49178,
      .destination_elements = 1 << 14,
      .axis_count = 14,
      .axes = {AXIS(2, 2, 5, 1), AXIS(2, 2, 8, 2), AXIS(2, 2, 14, 4), AXIS(2, 2, 26, 8),
               AXIS(2, 2, 50, 16), AXIS(2, 2, 98, 32), AXIS(2, 2, 194, 64), AXIS(2, 2, 386, 128),
               AXIS(2, 2, 770, 256), AXIS(2, 2, 1538, 512), AXIS(2, 2, 3074, 1024),
               AXIS(2, 2, 6146, 2048), AXIS(2, 2, 12290, 4096), AXIS(2, 2, 24578, 8192)}}},
    {"one source element for all",
     {.element_bytes = 4,
      .source_elements = 1,
      .destination_elements = 999,
      .axis_count = 1,
      .axes = {AXIS(999, 999, 0, 1)}}},
    {"a fill alone",
     {.element_bytes = 1,
      .source_elements = 0,
      .destination_elements = 100003,
      .axis_count = 1,
      .axes = {AXIS(100003, 0, 1, 1)},
      .fills = true,
      .fill = {0x5a}}},
    {"a fill of whole words",
     {.element_bytes = 2,
      .source_elements = 0,
      .destination_elements = 65536,
      .axis_count = 1,
      .axes = {AXIS(65536, 0, 1, 1)},
      .fills = true,
      .fill = {0x5a, 0xa5}}},
    {"a fill with gaps",
     {.element_bytes = 8,
      .source_elements = 0,
      .destination_elements = 6000,
      .axis_count = 2,
      .axes = {AXIS(10, 0, 1, 2), AXIS(300, 0, 1, 20)},
      .fills = true,
      .fill = {1, 2, 3, 4, 5, 6, 7, 8}}},
    {"bytes transposed that begin anywhere on both sides",
     {.element_bytes = 1,
      .source_elements = 9 + 67 * 70,
      .source_start = 9,
      .destination_elements = 5 + 67 * 70,
      .destination_start = 5,
      .axis_count = 2,
      .axes = {AXIS(67, 67, 70, 1), AXIS(70, 70, 1, 67)}}},
    {"rows in words, from the last to the first",
     {.element_bytes = 4,
      .source_elements = 64 * 100,
      .source_start = 64 * 99,
      .destination_elements = 64 * 100 + 16,
      .destination_start = 16,
      .axis_count = 2,
      .axes = {AXIS(64, 64, 1, 1), AXIS(100, 100, -64, 64)}}},
    {"one row for all",
     {.element_bytes = 2,
      .source_elements = 33,
      .destination_elements = 300 * 33,
      .axis_count = 2,
      .axes = {AXIS(33, 33, 1, 1), AXIS(300, 300, 0, 33)}}},
    {"everything from the last to the first",
     {.element_bytes = 1,
      .source_elements = 10001,
      .source_start = 10000,
      .destination_elements = 10001,
      .axis_count = 1,
      .axes = {AXIS(10001, 10001, -1, 1)}}},
    {"a table transposed whose columns come from the last to the first",
     {.element_bytes = 8,
      .source_elements = 50 * 90,
      .source_start = 49 * 90,
      .destination_elements = 50 * 90,
      .axis_count = 2,
      .axes = {AXIS(50, 50, -90, 1), AXIS(90, 90, 1, 50)}}},
};
enum { CORNER_COUNT = sizeof corners / sizeof corners[0] };

static drawn_count drawn;

/* As the plan chooses, by every schedule that is offered, and by a few drawn ones. */
static void move_in_every_way(const opencl_bench *bench, const rlt_problem *problem, uint64_t seed,
                              const char *what) {
  static const move_offsets offsets[] = {{0, 0}, {0, 1}, {3, 0}, {16, 16}};
  enum { OFFSETS = sizeof offsets / sizeof offsets[0] };
  for (size_t o = 0; o < OFFSETS; ++o) {
    moves_as_defined(bench, problem, NULL, offsets[o], seed, what);
  }
  schedules_move_as_defined(bench, problem, offsets, OFFSETS, seed, what);
  drawn_schedules_move_as_defined(bench, problem, offsets, OFFSETS, is_full ? 12 : 3, seed, what,
                                  &drawn);
}

static void test_corners(void **state) {
  for (size_t c = 0; c < CORNER_COUNT; ++c) {
    move_in_every_way(*state, &corners[c].problem, c, corners[c].what);
  }
}

static void test_wide_corners(void **state) {
  for (size_t c = 0; c < CORNER_COUNT; ++c) {
    if (is_full || corners[c].problem.element_bytes == 1) {
      move_in_every_way(*state, &corners[c].problem, c, corners[c].what);
    }
  }
}

static int64_t narrow_groups; /* the device's most_groups */

/* The kernels with 64-bit arithmetic, whose groups move several tiles each. */
static int make_wide(void **state) {
  const opencl_bench *const bench = *state;
  rlt_opencl_device *const device = (rlt_opencl_device *)bench->device;
  narrow_groups = device->base.facts.most_groups;
  device->most_offset = -1;
  device->base.facts.most_groups = 3;
  return 0;
}

static int make_narrow(void **state) {
  const opencl_bench *const bench = *state;
  rlt_opencl_device *const device = (rlt_opencl_device *)bench->device;
  device->most_offset = INT32_MAX;
  device->base.facts.most_groups = narrow_groups;
  return 0;
}

static void test_host_memory(void **state) {
  const opencl_bench *const bench = *state;
  for (size_t c = 0; c < CORNER_COUNT; ++c) {
    executes_as_defined(bench, &corners[c].problem, c, corners[c].what);
  }
}

/* ---- Lengths on both sides of what lines, blocks and tiles hold ---- */

static void move_as_chosen(const opencl_bench *bench, rlt_problem problem, const char *what) {
  static const move_offsets offsets[] = {{0, 0}, {1, 3}};
  problem.source_elements = 1;
  problem.destination_elements = 1;
  for (int32_t a = 0; a < problem.axis_count; ++a) {
    const rlt_axis *const axis = &problem.axes[a];
    problem.source_elements += (axis->valid - 1) * axis->source_stride;
    problem.destination_elements += (axis->extent - 1) * axis->destination_stride;
  }
  for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; ++o) {
    moves_as_defined(bench, &problem, NULL, offsets[o], o + 1, what);
  }
}

/* Runs of a table that is transposed around them, without padding, with some behind each run, and
 * with some behind each row of runs. */
static void test_runs(void **state) {
  static const int64_t runs[] = {1,  2,  3,  4,  5,  7,  8,  9,  13, 15,
                                 16, 17, 31, 32, 33, 47, 63, 64, 65, 67};
  for (int64_t bytes = 1; bytes <= 16; bytes *= 2) {
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
      const int64_t run = runs[i];
      for (int64_t pad = 0; pad < 3; ++pad) {
        const int64_t wide = run + (pad == 1 ? 2 : 0);
        const int64_t high = 29 + (pad == 2 ? 3 : 0);
        move_as_chosen(*state,
                       (rlt_problem){.element_bytes = bytes,
                                     .axis_count = 3,
                                     .axes = {AXIS(wide, run, 1, 1), AXIS(high, 29, 37 * run, wide),
                                              AXIS(37, 37, run, high * wide)},
                                     .fills = true,
                                     .fill = {0x5e, 0x5f}},
                       "runs");
      }
    }
  }
}

/* Tables transposed, with few and many columns and rows, padded within both. */
static void test_turns(void **state) {
  static const int64_t lengths[] = {2, 3, 5, 15, 17, 33, 67, 300, 701};
  enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
  for (int64_t bytes = 1; bytes <= 16; bytes *= 2) {
    for (size_t i = 0; i < LENGTHS * LENGTHS; ++i) {
      const int64_t columns = lengths[i / LENGTHS];
      const int64_t rows = lengths[i % LENGTHS];
      move_as_chosen(
          *state,
          (rlt_problem){.element_bytes = bytes,
                        .axis_count = 2,
                        .axes = {AXIS(columns, columns, rows, 1), AXIS(rows, rows, 1, columns)}},
          "a table transposed");
      if (columns * rows > 5000) {
        continue;
      }
      move_as_chosen(
          *state,
          (rlt_problem){.element_bytes = bytes,
                        .axis_count = 4,
                        .axes = {AXIS(5, 3, rows * 3, 1), AXIS(columns, columns, rows * 9, 5),
                                 AXIS(4, 3, 1, columns * 5), AXIS(rows + 1, rows, 3, columns * 20)},
                        .fills = true,
                        .fill = {0x6e, 0x6f}},
          "a table transposed, padded within columns and rows");
    }
  }
}

/* ---- Elements that change, one by one ---- */

/* From tiles of 3 x 5 in a plane 11 wide to plain rows: number 0 is row * 11 + column.
 * Columns beyond 9 have no source. */
static const rlt_index_program from_tiles = {.count = 8,
                                             .result = 3,
                                             .of = {{RLT_INDEX_SPLIT, 1, 0, 0, 11},
                                                    {RLT_INDEX_BOUND, 1, 0, 0, 9},
                                                    {RLT_INDEX_SPLIT, 2, 0, 0, 3},
                                                    {RLT_INDEX_SPLIT, 3, 1, 0, 5},
                                                    {RLT_INDEX_JOIN, 0, 1, 0, 2},
                                                    {RLT_INDEX_JOIN, 0, 2, 0, 3},
                                                    {RLT_INDEX_ADD, 3, 0, 0, 5},
                                                    {RLT_INDEX_BOUND, 0, 0, 0, 1 << 20}}};
enum { TILED_ROWS = 37, TILED = TILED_ROWS * 11, TILES = 13 * 2 * 15 };

/* As the destination has no order of its own there: only whole bytes, or packed
 * elements by an index program. */
static void test_changes(void **state) {
  static const int64_t packings[] = {0, 1, 2, 4};
  for (size_t i = 0; i < 4 * 4 * 2; ++i) {
    if (!is_full && packings[i % 4] != 4 && packings[i / 4 % 4] != 4) {
      continue;
    }
    rlt_problem problem = {.element_bytes = 1,
                           .source_packed = packings[i % 4],
                           .destination_packed = packings[i / 4 % 4],
                           .source_elements = TILES + 3,
                           .source_start = 3,
                           .destination_elements = TILED,
                           .index_program = &from_tiles,
                           .axis_count = 1,
                           .axes = {AXIS(TILED, TILED, 0, 1)},
                           .fills = i / 16 == 0,
                           .fill = {0x2b}};
    assert_true(moves_as_defined(*state, &problem, "index-program", (move_offsets){1, 2}, i,
                                 "packed by an index program"));
    if (problem.destination_packed > 0) {
      continue;
    }
    problem.index_program = NULL;
    problem.source_elements = 40000;
    problem.destination_elements = 40 * 1003;
    problem.destination_start = 3;
    problem.axis_count = 2;
    problem.axes[0] = (rlt_axis)AXIS(1000, 997, 40, 1);
    problem.axes[1] = (rlt_axis)AXIS(40, 37, 1, 1003);
    assert_true(moves_as_defined(*state, &problem, "index-program", (move_offsets){1, 2}, i,
                                 "unpacked along axes"));
  }
}

/* Where the end at which bytes begin is the source's, the destination's, both sides' or changes. */
static void test_packing_orders(void **state) {
  static const struct {
    int64_t source_packed, destination_packed, reversed_bits;
    bool source_high, destination_high;
  } cases[] = {{4, 0, 0, true, false},  {0, 4, 0, false, true}, {4, 4, 0, true, false},
               {0, 0, 4, false, false}, {2, 1, 0, true, true},  {0, 0, 1, false, false},
               {1, 2, 0, false, true}};
  const size_t count = is_full ? sizeof cases / sizeof cases[0] : 4;
  for (size_t i = 0; i < 2 * count; ++i) {
    const bool transposed = i % 2 == 1;
    rlt_problem problem = {
        .element_bytes = 1,
        .source_packed = cases[i / 2].source_packed,
        .destination_packed = cases[i / 2].destination_packed,
        .source_high = cases[i / 2].source_high,
        .destination_high = cases[i / 2].destination_high,
        .reversed_bits = cases[i / 2].reversed_bits,
        .source_elements = 40 * 1000,
        .destination_elements = 48 * 1032,
        .axis_count = 2,
        .axes = {transposed ? (rlt_axis)AXIS(1032, 999, 40, 1) : (rlt_axis)AXIS(1032, 999, 1, 1),
                 transposed ? (rlt_axis)AXIS(48, 39, 1, 1032) : (rlt_axis)AXIS(48, 39, 1000, 1032)},
        .fills = true};
    assert_true(moves_as_defined(*state, &problem, NULL, (move_offsets){1, 2}, i,
                                 transposed ? "transposed in another order" : "in another order"));
  }
}

typedef struct change {
  rlt_conversion conversion;
  int64_t source_packed;
  int64_t destination_packed;
} change;

/* Each way in which kernels convert: by patterns alone, by way of floats, by longer numbers, by
 * tables. The first COMMON_CHANGES stand for the others. */
static const change changes[] = {
    {{RELAYOUT_F32, RELAYOUT_BF16, false, 1, false}, 0, 0},
    {{RELAYOUT_BF16, RELAYOUT_F32, false, 1, false}, 0, 0},
    {{RELAYOUT_S4, RELAYOUT_BF16, false, 1, false}, 4, 0},
    {{RELAYOUT_F16, RELAYOUT_F4E2M1FN, false, 1, false}, 0, 4},
    {{RELAYOUT_F32, RELAYOUT_U8, true, 1, false}, 0, 0},
    {{RELAYOUT_F32, RELAYOUT_S8, false, 0.37, false}, 0, 0},
    {{RELAYOUT_S8, RELAYOUT_F16, false, -0.013, false}, 0, 0},
    {{RELAYOUT_F64, RELAYOUT_F32, false, 1, false}, 0, 0},
    {{RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID, false, 0, false}, 4, 0},
    {{RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID, false, 0, false}, 0, 2},
    {{RELAYOUT_F32, RELAYOUT_F16, false, 1, false}, 0, 0},
    {{RELAYOUT_F16, RELAYOUT_F32, false, 1, false}, 0, 0},
    {{RELAYOUT_F32, RELAYOUT_F8E4M3FN, false, 1, false}, 0, 0},
    {{RELAYOUT_BF16, RELAYOUT_F8E4M3FNUZ, false, 1, false}, 0, 0},
    {{RELAYOUT_F8E4M3FN, RELAYOUT_BF16, false, 1, false}, 0, 0},
    {{RELAYOUT_F8E5M2, RELAYOUT_BF16, false, 1, false}, 0, 0},
    {{RELAYOUT_F8E5M2, RELAYOUT_F16, false, 1, false}, 0, 0},
    {{RELAYOUT_F8E4M3B11FNUZ, RELAYOUT_F8E5M2, false, 1, false}, 0, 0},
    {{RELAYOUT_S8, RELAYOUT_F32, false, 1, false}, 0, 0},
    {{RELAYOUT_U16, RELAYOUT_F16, false, 1, false}, 0, 0},
    {{RELAYOUT_F32, RELAYOUT_S8, false, 1, false}, 0, 0},
    {{RELAYOUT_F16, RELAYOUT_S4, false, 1e-3, false}, 0, 4},
    {{RELAYOUT_S4, RELAYOUT_BF16, false, 1.5, false}, 4, 0},
    {{RELAYOUT_U1, RELAYOUT_S16, false, 1, false}, 1, 0},
    {{RELAYOUT_U16, RELAYOUT_F64, false, 3, false}, 0, 0},
    {{RELAYOUT_S64, RELAYOUT_U2, true, 1, false}, 0, 2},
    {{RELAYOUT_F32, RELAYOUT_PRED, false, 1, false}, 0, 1},
    {{RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID, false, 0, false}, 1, 0},
    {{RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID, false, 0, false}, 2, 4},
};
enum { COMMON_CHANGES = 10, ALL_CHANGES = sizeof changes / sizeof changes[0] };

static size_t change_count(void) {
  return is_full ? ALL_CHANGES : COMMON_CHANGES;
}

static void set_change(const change *to, rlt_problem *problem) {
  const size_t bytes = relayout_element_type_byte_size(to->conversion.from);
  problem->element_bytes = bytes > 0 ? (int64_t)bytes : 1;
  problem->source_packed = to->source_packed;
  problem->destination_packed = to->destination_packed;
  problem->conversion = to->conversion;
}

/* Long runs, in the same order and transposed, padded on both axes. */
static void test_conversions(void **state) {
  for (size_t i = 0; i < change_count(); ++i) {
    for (int transposed = 0; transposed < 2; ++transposed) {
      rlt_problem problem = {
          .source_elements = 40 * 1000,
          .destination_elements = 48 * 1032,
          .axis_count = 2,
          .axes = {transposed ? (rlt_axis)AXIS(1032, 999, 40, 1) : (rlt_axis)AXIS(1032, 999, 1, 1),
                   transposed ? (rlt_axis)AXIS(48, 39, 1, 1032)
                              : (rlt_axis)AXIS(48, 39, 1000, 1032)},
          .fills = true,
          .fill = {0x55, 0x44, 0x33, 0x22, 0x11}};
      set_change(&changes[i], &problem);
      move_in_every_way(*state, &problem, i, transposed ? "changed and transposed" : "changed");
    }
  }
}

/* One run that ends within a byte, whose rest becomes 0. */
static void test_ragged_ends(void **state) {
  for (size_t i = 0; i < change_count(); ++i) {
    for (int64_t length = 1; length < 1000; length += length < 20 ? 1 : 97) {
      rlt_problem problem = {.source_elements = length + 3,
                             .source_start = 3,
                             .destination_elements = length,
                             .axis_count = 1,
                             .axes = {AXIS(length, length, 1, 1)}};
      set_change(&changes[i], &problem);
      moves_as_defined(*state, &problem, NULL, (move_offsets){1, 1}, i, "a ragged end");
    }
  }
}

/* ---- Channels ---- */

/* What lies side by side, `pitch` words from pixel to pixel on the joined side, and channel by
 * channel on the parted one: there in rows of `row` words. */
typedef struct channels {
  int64_t count;
  int64_t valid;
  int64_t pitch;
  int64_t pixels;
  int64_t valid_pixels;
  int64_t row;
  int64_t runs; /* of pixels, */
  int64_t valid_runs;
} channels;

static rlt_problem channels_problem(int64_t bytes, bool joins, const channels *of) {
  const int64_t joined_run = of->pixels * of->pitch + (of->row - of->pixels);
  const int64_t parted_run = of->row * of->count;
  const rlt_axis pixels = {of->pixels, of->valid_pixels, joins ? 1 : of->pitch,
                           joins ? of->pitch : 1};
  const rlt_axis channel = {of->count, of->valid, joins ? of->row : 1, joins ? 1 : of->row};
  rlt_problem made = {.element_bytes = bytes,
                      .source_elements = of->runs * (joins ? parted_run : joined_run),
                      .destination_elements = of->runs * (joins ? joined_run : parted_run),
                      .axis_count = 3,
                      .axes = {joins ? channel : pixels, joins ? pixels : channel,
                               AXIS(of->runs, of->valid_runs, joins ? parted_run : joined_run,
                                    joins ? joined_run : parted_run)},
                      .fills = of->valid < of->count || of->valid_pixels < of->pixels ||
                               of->valid_runs < of->runs,
                      .fill = {0x51, 0x62, 0x73, 0x84, 0x95, 0xa6, 0xb7, 0xc8}};
  return made;
}

/* Aligned and not, with padding along each axis, many runs of few pixels and the other way round;
 * and sources of which not all channels are read. */
static void test_channels(void **state) {
  static const struct {
    int64_t bytes;
    int64_t channels;
    bool joins;
  } kinds[] = {{1, 3, false},  {1, 3, true},  {2, 2, true},  {2, 2, false}, {1, 4, true},
               {4, 3, true},   {1, 4, false}, {4, 3, false}, {1, 8, true},  {8, 2, true},
               {16, 3, false}, {2, 5, false}, {2, 3, false}};
  static const move_offsets offsets[] = {{0, 0}, {1, 0}, {0, 1}, {3, 2}};
  const opencl_bench *const bench = *state;
  for (size_t k = 0; k < (is_full ? 13 : 5); ++k) {
    const int64_t n = kinds[k].channels;
    const int64_t less = kinds[k].joins ? n : n - 1; /* that are read of each pixel */
    const channels cases[] = {
        {n, n, n, 6144, 6144, 6144, 2, 2},     {n, n, n, 5001, 5001, 5001, 2, 2},
        {n, n - 1, n, 5008, 4997, 5008, 2, 2}, {n, n, n, 5003, 4001, 5021, 3, 2},
        {n, n, n, 128, 128, 128, 37, 37},      {n, n, n, 129, 129, 131, 37, 35},
        {n, n - 1, n, 128, 128, 128, 21, 20},  {less, less, n, 5003, 5003, 5003, 2, 2}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
      const rlt_problem problem = channels_problem(kinds[k].bytes, kinds[k].joins, &cases[c]);
      for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; ++o) {
        char what[64];
        snprintf(what, sizeof what, "channels of kind %zu, case %zu", k, c);
        const bool is_moved = moves_as_defined(bench, &problem, "interleave", offsets[o], c, what);
        assert_true(is_moved || cases[c].valid < 2);
      }
    }
  }
}

/* ---- Problems at random ---- */

static void test_random_problems(void **state) {
  const opencl_bench *const bench = *state;
  enum { PROBLEMS = 150 };
  for (uint64_t first = 0; first < PROBLEMS; ++first) {
    uint64_t seed = first;
    const rlt_problem problem = definition_random_problem(&seed);
    const move_offsets offsets = {definition_random(&seed, 5), definition_random(&seed, 5)};
    char what[64];
    snprintf(what, sizeof what, "random problem of seed %" PRIu64, first);
    moves_as_defined(bench, &problem, NULL, offsets, seed, what);
    schedules_move_as_defined(bench, &problem, &offsets, 1, seed, what);
    drawn_schedules_move_as_defined(bench, &problem, &offsets, 1, is_full ? 12 : 3, seed, what,
                                    &drawn);
  }
}

/* Elements of whole bytes in the destination, whose axes may be any. */
static void test_random_changes(void **state) {
  const opencl_bench *const bench = *state;
  enum { PROBLEMS = 150 };
  for (uint64_t first = 0; first < PROBLEMS; ++first) {
    uint64_t seed = 7000 + first;
    rlt_problem problem = definition_random_problem(&seed);
    const change *to = &changes[definition_random(&seed, (int64_t)change_count())];
    while (to->destination_packed > 0) {
      to = &changes[definition_random(&seed, (int64_t)change_count())];
    }
    set_change(to, &problem);
    char what[64];
    snprintf(what, sizeof what, "random change of seed %" PRIu64, 7000 + first);
    const move_offsets offsets = {definition_random(&seed, 5), definition_random(&seed, 5)};
    moves_as_defined(bench, &problem, NULL, offsets, seed, what);
    schedules_move_as_defined(bench, &problem, &offsets, 1, seed, what);
  }
}

/* Most of the schedules that the tests before drew broke no rule. */
static void test_most_drawn_schedules_ran(void **state) {
  (void)state;
  print_message("%d schedules drawn, %d of them refused\n", drawn.drawn, drawn.refused);
  assert_true(drawn.drawn >= 100);
  assert_true(drawn.refused < drawn.drawn / 2);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_channels, bench),
      cmocka_unit_test_prestate(test_corners, bench),
      {"test_wide_corners", test_wide_corners, make_wide, make_narrow, bench},
      cmocka_unit_test_prestate(test_runs, bench),
      cmocka_unit_test_prestate(test_turns, bench),
      cmocka_unit_test_prestate(test_changes, bench),
      {"test_changes, wide", test_changes, make_wide, make_narrow, bench},
      cmocka_unit_test_prestate(test_packing_orders, bench),
      cmocka_unit_test_prestate(test_conversions, bench),
      cmocka_unit_test_prestate(test_ragged_ends, bench),
      cmocka_unit_test_prestate(test_host_memory, bench),
      cmocka_unit_test_prestate(test_random_problems, bench),
      cmocka_unit_test_prestate(test_random_changes, bench),
      cmocka_unit_test(test_most_drawn_schedules_ran),
  };
  return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}

int main(int argument_count, char **arguments) {
  is_full = argument_count == 2 && strcmp(arguments[1], "full") == 0;
  if (argument_count == 1 || is_full) {
    return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
  }
  fprintf(stderr, "usage: %s [full]\n", arguments[0]);
  return 2;
}
