/* test_index_program.c: index programs of layouts against tiling done on paper: one multi-index at
 * a time, as XLA defines it, and a table of all positions for the way back. */
#include "cmocka_all.h"

#include <string.h>

#include "metadata/index_program.h"
#include "relayout/layout.h"
#include "shape_of.h"

enum { MOST_PLACES = 1 << 16, MOST_DIMENSIONS = 256 };

/* ---- The definition ---- */

typedef struct place {
  int32_t count;
  int64_t size[MOST_DIMENSIONS];
  int64_t at[MOST_DIMENSIONS];
} place;

static void insert(place *where, int32_t before, int64_t size, int64_t at) {
  memmove(where->size + before + 1, where->size + before,
          (size_t)(where->count - before) * sizeof where->size[0]);
  memmove(where->at + before + 1, where->at + before,
          (size_t)(where->count - before) * sizeof where->at[0]);
  where->size[before] = size;
  where->at[before] = at;
  ++where->count;
}

static void erase(place *where, int32_t i) {
  --where->count;
  memmove(where->size + i, where->size + i + 1, (size_t)(where->count - i) * sizeof where->size[0]);
  memmove(where->at + i, where->at + i + 1, (size_t)(where->count - i) * sizeof where->at[0]);
}

static void tile(place *where, const int64_t *given, int32_t rank) {
  int64_t sizes[MOST_DIMENSIONS];
  int32_t count = 0;
  while (where->count < rank) {
    insert(where, 0, 1, 0);
  }
  for (int32_t i = 0, at = where->count - rank; i < rank; ++i) {
    if (given[i] != RELAYOUT_TILE_COMBINE) {
      sizes[count++] = given[i];
      ++at;
      continue;
    }
    where->at[at + 1] += where->at[at] * where->size[at + 1];
    where->size[at + 1] *= where->size[at];
    erase(where, at);
  }
  const int32_t first = where->count - count;
  for (int32_t i = 0; i < count; ++i) {
    const int64_t size = where->size[first + i];
    const int64_t at = where->at[first + i];
    where->size[first + i] = (size + sizes[i] - 1) / sizes[i];
    where->at[first + i] = at / sizes[i];
    insert(where, where->count, sizes[i], at % sizes[i]);
  }
}

static int64_t width(const relayout_shape *shape, int32_t d) {
  return shape->layout.padded_dimension_count == 0 ? shape->dimensions[d]
                                                   : shape->layout.padded_dimensions[d];
}

/* The linear index, and how many elements there are, the tail's among them. */
static int64_t linear_of(const relayout_shape *shape, const int64_t *index, int64_t *count) {
  place where = {.count = 0};
  for (int32_t i = shape->rank - 1; i >= 0; --i) {
    const int32_t d = shape->layout.minor_to_major[i];
    insert(&where, where.count, width(shape, d), index[d]);
  }
  const int64_t *given = shape->layout.tile_dimensions;
  for (int32_t i = 0; i < shape->layout.tile_count; ++i) {
    tile(&where, given, shape->layout.tile_ranks[i]);
    given += shape->layout.tile_ranks[i];
  }
  int64_t linear = 0;
  *count = 1;
  for (int32_t i = 0; i < where.count; ++i) {
    linear = linear * where.size[i] + where.at[i];
    *count *= where.size[i];
  }
  const int64_t tail = shape->layout.tail_padding_alignment_in_elements;
  *count = tail > 1 ? (*count + tail - 1) / tail * tail : *count;
  return linear;
}

/* ---- The programs ---- */

/* Numbers that nobody has written yet hold this. */
static void dirty(int64_t *numbers) {
  for (int32_t i = 0; i < RLT_MOST_NUMBERS; ++i) {
    numbers[i] = 7777 + i;
  }
}

static rlt_index_program to_linear_program(const relayout_shape *shape) {
  rlt_index_program program = {.count = 0};
  rlt_index_program_to_linear(shape, &program);
  return program;
}

static rlt_index_program from_linear_program(const relayout_shape *shape) {
  rlt_index_program program = {.count = 0};
  rlt_index_program_from_linear(shape, &program);
  return program;
}

static int64_t run_to_linear(const rlt_index_program *program, const int64_t *index, int32_t rank) {
  int64_t numbers[RLT_MOST_NUMBERS];
  dirty(numbers);
  memcpy(numbers, index, (size_t)rank * sizeof index[0]);
  assert_true(rlt_index_program_run(program, numbers));
  return numbers[program->result];
}

static bool run_from_linear(const rlt_index_program *program, int64_t linear,
                            int64_t numbers[RLT_MOST_NUMBERS]) {
  dirty(numbers);
  numbers[0] = linear;
  return rlt_index_program_run(program, numbers);
}

/* ---- XLA's published figures ---- */

static void test_published_figures(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t index[2];
    int64_t linear;
  } cases[] = {
      {"f32[3,5]{1,0:T(2,2)}", {2, 3}, 17},
      {"f32[8]{0:T(2,2)}", {5}, 9},
      {"bf16[2048]{0:T(1024)(128)(2,1)}", {128}, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape shape = shape_of(cases[i].text);
    const rlt_index_program to = to_linear_program(&shape);
    const rlt_index_program from = from_linear_program(&shape);
    int64_t numbers[RLT_MOST_NUMBERS];
    assert_int_equal(run_to_linear(&to, cases[i].index, shape.rank), cases[i].linear);
    assert_true(run_from_linear(&from, cases[i].linear, numbers));
    assert_memory_equal(numbers, cases[i].index, (size_t)shape.rank * sizeof numbers[0]);
  }
}

/* ---- All positions of small shapes ---- */

static bool next_index(const relayout_shape *shape, int64_t *index) {
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (++index[d] < width(shape, d)) {
      return true;
    }
    index[d] = 0;
  }
  return false;
}

/* Which multi-index, by its number in next_index's order and from 1, lies at each position. */
static int32_t found_at[MOST_PLACES];

static int64_t check_to_linear(const relayout_shape *shape) {
  const rlt_index_program program = to_linear_program(shape);
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  int64_t count = 0;
  int32_t number = 0;
  memset(found_at, 0, sizeof found_at);
  do {
    const int64_t linear = linear_of(shape, index, &count);
    assert_int_equal(run_to_linear(&program, index, shape->rank), linear);
    assert_true(linear < count && count <= MOST_PLACES && found_at[linear] == 0);
    found_at[linear] = ++number;
  } while (next_index(shape, index));
  return count;
}

static void check_from_linear(const relayout_shape *shape, int64_t count) {
  const rlt_index_program program = from_linear_program(shape);
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t numbers[RLT_MOST_NUMBERS];
    assert_int_equal(run_from_linear(&program, linear, numbers), found_at[linear] > 0);
    int64_t rest = found_at[linear] - 1;
    for (int32_t d = 0; d < shape->rank && found_at[linear] > 0; ++d) {
      assert_int_equal(numbers[d], rest % width(shape, d));
      rest /= width(shape, d);
    }
  }
}

static const char *const small_shapes[] = {
    "u8[]",
    "u8[]{:T(4)}",
    "u8[]{:T(2,3)L(4)}",
    "u8[]{:L(5)}",
    "u8[7]{0}",
    "u8[7]{0:L(4)}",
    "u8[8]{0:T(2,2)}",
    "u8[9]{0:T(2,3,2)L(7)}",
    "u8[9]{0:T(*,2,2)}",
    "u8[9]{0:T(2,*,4)}",
    "u8[300]{0:T(64)(8)(2,1)}",
    "u8[1,1,1]{2,1,0}",
    "u8[1,1,1]{2,1,0:T(2,3)}",
    "u8[1,5,1]{0,2,1:T(4,2)}",
    "u8[5,1,1]{1,0,2:T(4,2)}",
    "u8[3,5]{1,0}",
    "u8[3,5]{0,1}",
    "u8[3,5]{1,0:PD(4,7)}",
    "u8[3,5]{0,1:PD(4,7)T(3,2)L(8)}",
    "u8[3,5]{1,0:T(2,2)}",
    "u8[3,5]{0,1:T(2,2)}",
    "u8[3,5]{1,0:T(1,1)}",
    "u8[3,5]{1,0:T(3,5)}",
    "u8[3,5]{1,0:T(8,16)}",
    "u8[3,5]{1,0:T(8,16)(4,1)L(1000)}",
    "u8[3,5]{1,0:T(*,4)}",
    "u8[3,5]{1,0:T(2,2)(*,3)}",
    "u8[13,17]{1,0:T(4,8)(2,1)}",
    "u8[13,17]{0,1:T(4,8)(2,1)(3)}",
    "u8[17,2,3]{2,1,0:T(*,*,4)}",
    "u8[5,7,3]{1,0,2:T(2,4,3)(3,2,2)}",
    "u8[5,7,3]{0,1,2:T(*,4)(2,*,3)(2,2,5)}",
    "u8[2,5,3,7]{1,3,2,0:PD(2,8,3,7)T(4)(*,*,*,3)L(11)}",
    "u8[2,19,3,5]{3,2,1,0:T(8,1,1)}",
    "u8[6,4]{1,0:T(2,3,2,2,2)(4,*,*,5)}",
    "u8[3,5]{1,0:T(*,*,*,4)(2,1)}",
};

static void test_small_shapes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof small_shapes / sizeof small_shapes[0]; ++i) {
    const relayout_shape shape = shape_of(small_shapes[i]);
    print_message("%s\n", small_shapes[i]);
    check_from_linear(&shape, check_to_linear(&shape));
  }
}

/* ---- Random tiles ---- */

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static int64_t random_in(int64_t least, int64_t most) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return least + (int64_t)((random_state >> 33) % (uint64_t)(most - least + 1));
}

static void add_random_tile(relayout_layout *layout, int32_t *used) {
  const int32_t rank = (int32_t)random_in(1, 4);
  for (int32_t i = 0; i < rank; ++i) {
    const bool merges = i < rank - 1 && random_in(0, 3) == 0;
    layout->tile_dimensions[*used + i] = merges ? RELAYOUT_TILE_COMBINE : random_in(1, 4);
  }
  layout->tile_ranks[layout->tile_count++] = rank;
  *used += rank;
}

static relayout_shape random_shape(void) {
  const int32_t rank = (int32_t)random_in(0, 4);
  relayout_shape shape = {.element_type = RELAYOUT_U8, .rank = rank};
  shape.layout.rank = rank;
  shape.layout.padded_dimension_count = random_in(0, 1) == 0 ? rank : 0;
  for (int32_t d = 0; d < rank; ++d) {
    shape.dimensions[d] = random_in(1, 5);
    shape.layout.padded_dimensions[d] = shape.dimensions[d] + random_in(0, 1);
    const int32_t other = (int32_t)random_in(0, d);
    shape.layout.minor_to_major[d] = shape.layout.minor_to_major[other];
    shape.layout.minor_to_major[other] = d;
  }
  int32_t used = 0;
  for (int64_t tiles = random_in(0, 3); tiles > 0; --tiles) {
    add_random_tile(&shape.layout, &used);
  }
  shape.layout.tail_padding_alignment_in_elements = random_in(0, 9);
  return shape;
}

static void test_random_shapes(void **state) {
  (void)state;
  int32_t checked = 0;
  while (checked < 3000) {
    const relayout_shape shape = random_shape();
    const int64_t zeros[RELAYOUT_MAX_RANK] = {0};
    int64_t count;
    (void)linear_of(&shape, zeros, &count);
    if (count <= 3000) {
      check_from_linear(&shape, check_to_linear(&shape));
      ++checked;
    }
  }
}

/* ---- The list for two shapes, and the largest one ---- */

/* The destination's position to the source's, in one list. */
static void test_two_shapes_in_one_list(void **state) {
  (void)state;
  const relayout_shape from = shape_of("u8[13,17]{0,1:T(4,8)(2,1)}");
  const relayout_shape to = shape_of("u8[13,17]{1,0:PD(14,20)T(3,5)L(64)}");
  rlt_index_program program = from_linear_program(&to);
  for (int32_t d = 0; d < 2; ++d) {
    rlt_index_program_bound(&program, d, to.dimensions[d]);
  }
  rlt_index_program_to_linear(&from, &program);
  const rlt_index_program back = from_linear_program(&to);
  int64_t zeros[2] = {0};
  int64_t count;
  (void)linear_of(&to, zeros, &count);
  int32_t moved = 0;
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t index[RLT_MOST_NUMBERS];
    int64_t numbers[RLT_MOST_NUMBERS];
    int64_t unused;
    const bool is_element = run_from_linear(&back, linear, index) && index[0] < 13 && index[1] < 17;
    assert_int_equal(run_from_linear(&program, linear, numbers), is_element);
    if (is_element) {
      assert_int_equal(numbers[program.result], linear_of(&from, index, &unused));
      ++moved;
    }
  }
  assert_int_equal(moved, 13 * 17);
}

/* As many dimensions and tile dimensions as there may be: splits by 1, splits by 2, and merges. */
static relayout_shape largest_shape(void) {
  relayout_shape shape = {.element_type = RELAYOUT_U8, .rank = RELAYOUT_MAX_RANK};
  assert_int_equal(relayout_layout_make_ascending(RELAYOUT_MAX_RANK, &shape.layout, NULL),
                   RELAYOUT_OK);
  for (int32_t d = 0; d < RELAYOUT_MAX_RANK; ++d) {
    shape.dimensions[d] = d < 10 ? 3 : 1;
  }
  shape.layout.tile_count = 2;
  for (int32_t i = 0; i < 2; ++i) {
    shape.layout.tile_ranks[i] = RELAYOUT_MAX_RANK;
    for (int32_t j = 0; j < RELAYOUT_MAX_RANK; ++j) {
      shape.layout.tile_dimensions[i * RELAYOUT_MAX_RANK + j] =
          j < 54 && i == 1 ? RELAYOUT_TILE_COMBINE : 2;
    }
  }
  for (int32_t j = 0; j < 54; ++j) {
    shape.layout.tile_dimensions[j] = 1;
  }
  return shape;
}

static void test_largest_list(void **state) {
  (void)state;
  const relayout_shape shape = largest_shape();
  rlt_index_program program = from_linear_program(&shape);
  for (int32_t d = 0; d < RELAYOUT_MAX_RANK; ++d) {
    rlt_index_program_bound(&program, d, shape.dimensions[d]);
  }
  rlt_index_program_to_linear(&shape, &program);
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  index[0] = 2;
  index[3] = 1;
  index[9] = 2;
  int64_t count;
  const int64_t linear = linear_of(&shape, index, &count);
  int64_t numbers[RLT_MOST_NUMBERS];
  assert_true(run_from_linear(&program, linear, numbers));
  assert_int_equal(numbers[program.result], linear);
}

static void test_no_elements(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[3,0,5]{2,1,0:T(2,2)}");
  const rlt_index_program to = to_linear_program(&shape);
  const rlt_index_program from = from_linear_program(&shape);
  int64_t numbers[RLT_MOST_NUMBERS] = {0};
  assert_false(rlt_index_program_run(&to, numbers));
  assert_false(rlt_index_program_run(&from, numbers));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published_figures), cmocka_unit_test(test_small_shapes),
      cmocka_unit_test(test_random_shapes),     cmocka_unit_test(test_two_shapes_in_one_list),
      cmocka_unit_test(test_largest_list),      cmocka_unit_test(test_no_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
