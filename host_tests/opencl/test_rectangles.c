/* test_rectangles.c: runs of bytes as the rectangles that transfers move: what some come to, and
 * that no byte is lost, told twice or made up, whatever runs there are. */
#include "cmocka_all.h"

#include <string.h>

#include "opencl/rectangles.h"
#include "problem/definition.h"

enum { MOST_RUNS = 64, ROOM = 8192 };

typedef struct told {
  int count;
  rlt_rectangle of[MOST_RUNS];
} told;

static void hear(void *context, const rlt_rectangle *rectangle) {
  told *const to = context;
  assert_true(to->count < MOST_RUNS);
  to->of[to->count++] = *rectangle;
}

static told tell(const rlt_bytes *runs, int count) {
  told made = {.count = 0};
  rlt_rectangles rectangles = rlt_rectangles_of(hear, &made);
  for (int i = 0; i < count; ++i) {
    rlt_rectangles_add(&rectangles, runs[i]);
  }
  rlt_rectangles_finish(&rectangles);
  return made;
}

/* ---- Some ---- */

#define RUNS(...)                                                                                  \
  sizeof((rlt_bytes[]){__VA_ARGS__}) / sizeof(rlt_bytes), {                                        \
    __VA_ARGS__                                                                                    \
  }

/* A pitch is compared where there are several. */
static const struct some {
  const char *what;
  int run_count;
  rlt_bytes runs[12];
  int count;
  rlt_rectangle expected[4];
} some[] = {
    {"nothing", 0, {{0, 0}}, 0, {{0}}},
    {"one run", RUNS({5, 15}), 1, {{5, 10, 1, 0, 1, 0}}},
    {"what goes on", RUNS({0, 4}, {4, 10}, {10, 11}), 1, {{0, 11, 1, 0, 1, 0}}},
    {"two rows", RUNS({0, 4}, {10, 14}), 1, {{0, 4, 2, 10, 1, 0}}},
    {"three rows", RUNS({3, 7}, {13, 17}, {23, 27}), 1, {{3, 4, 3, 10, 1, 0}}},
    {"rows of what goes on", RUNS({0, 2}, {2, 4}, {10, 14}), 1, {{0, 4, 2, 10, 1, 0}}},
    {"another width", RUNS({0, 4}, {10, 15}), 2, {{0, 4, 1, 0, 1, 0}, {10, 5, 1, 0, 1, 0}}},
    {"another pitch",
     RUNS({0, 4}, {10, 14}, {25, 29}),
     2,
     {{0, 4, 2, 10, 1, 0}, {25, 4, 1, 0, 1, 0}}},
    {"backwards", RUNS({10, 14}, {0, 4}), 2, {{10, 4, 1, 0, 1, 0}, {0, 4, 1, 0, 1, 0}}},
    {"two slices", RUNS({0, 4}, {10, 14}, {100, 104}, {110, 114}), 1, {{0, 4, 2, 10, 2, 100}}},
    {"three slices",
     RUNS({0, 4}, {10, 14}, {100, 104}, {110, 114}, {200, 204}, {210, 214}),
     1,
     {{0, 4, 2, 10, 3, 100}}},
    {"slices side by side",
     RUNS({0, 4}, {10, 14}, {21, 25}, {31, 35}, {42, 46}, {52, 56}),
     1,
     {{0, 4, 2, 10, 3, 21}}},
    {"the third elsewhere",
     RUNS({0, 4}, {10, 14}, {100, 104}, {110, 114}, {205, 209}, {215, 219}),
     2,
     {{0, 4, 2, 10, 2, 100}, {205, 4, 2, 10, 1, 0}}},
    {"the second one longer",
     RUNS({0, 4}, {10, 14}, {100, 104}, {110, 114}, {120, 124}),
     2,
     {{0, 4, 2, 10, 2, 100}, {120, 4, 1, 0, 1, 0}}},
    {"the second one shorter",
     RUNS({0, 4}, {10, 14}, {20, 24}, {100, 104}, {110, 114}),
     2,
     {{0, 4, 3, 10, 1, 0}, {100, 4, 2, 10, 1, 0}}},
    {"slices that would overlap",
     RUNS({0, 4}, {10, 14}, {17, 21}, {27, 31}),
     2,
     {{0, 4, 2, 10, 1, 0}, {17, 4, 2, 10, 1, 0}}},
    {"slices of other pitches",
     RUNS({0, 4}, {10, 14}, {100, 104}, {112, 116}),
     2,
     {{0, 4, 2, 10, 1, 0}, {100, 4, 2, 12, 1, 0}}},
    {"what goes on behind the second row",
     RUNS({0, 4}, {10, 14}, {14, 18}),
     2,
     {{0, 4, 2, 10, 1, 0}, {14, 4, 1, 0, 1, 0}}},
};

static void test_some(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof some / sizeof some[0]; ++s) {
    print_message("%s\n", some[s].what);
    const told found = tell(some[s].runs, some[s].run_count);
    assert_int_equal(found.count, some[s].count);
    for (int i = 0; i < found.count; ++i) {
      const rlt_rectangle *const is = &found.of[i];
      const rlt_rectangle *const expected = &some[s].expected[i];
      assert_int_equal(is->first, expected->first);
      assert_int_equal(is->width, expected->width);
      assert_int_equal(is->rows, expected->rows);
      assert_int_equal(is->slices, expected->slices);
      assert_true(is->rows == 1 || is->row_pitch == expected->row_pitch);
      assert_true(is->slices == 1 || is->slice_pitch == expected->slice_pitch);
    }
  }
}

/* ---- Any ---- */

/* Runs in rising order, of few widths and gaps, so that many are alike. */
static int draw(uint64_t *random, rlt_bytes *runs) {
  const int count = 1 + (int)definition_random(random, MOST_RUNS);
  const int64_t few = 1 + definition_random(random, 4);
  int64_t at = definition_random(random, 9);
  for (int i = 0; i < count; ++i) {
    const int64_t width =
        1 + (definition_random(random, 8) == 0 ? definition_random(random, 3) : 0);
    runs[i] = (rlt_bytes){at, at + width};
    at += width + definition_random(random, few) * definition_random(random, 2) +
          (i % 4 == 3 ? 5 : 1) * definition_random(random, 3);
  }
  return count;
}

static void count_bytes(const told *of, unsigned char *times) {
  for (int i = 0; i < of->count; ++i) {
    const rlt_rectangle *const r = &of->of[i];
    assert_true(r->row_pitch >= r->width && r->slice_pitch >= r->rows * r->row_pitch);
    assert_true(r->slices > 1 || r->slice_pitch == r->rows * r->row_pitch);
    for (int64_t slice = 0; slice < r->slices; ++slice) {
      for (int64_t row = 0; row < r->rows; ++row) {
        for (int64_t b = 0; b < r->width; ++b) {
          ++times[r->first + slice * r->slice_pitch + row * r->row_pitch + b];
        }
      }
    }
  }
}

static void test_any(void **state) {
  (void)state;
  enum { ROUNDS = 5000 };
  static unsigned char times[ROOM];
  uint64_t random = 1;
  int fewer = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    rlt_bytes runs[MOST_RUNS];
    const int count = draw(&random, runs);
    const told found = tell(runs, count);
    memset(times, 0, sizeof times);
    count_bytes(&found, times);
    for (int i = 0; i < count; ++i) {
      for (int64_t b = runs[i].first; b < runs[i].end; ++b) {
        assert_int_equal(times[b], 1);
        times[b] = 0;
      }
    }
    for (int b = 0; b < ROOM; ++b) {
      assert_int_equal(times[b], 0);
    }
    fewer += found.count < count;
  }
  assert_true(fewer > ROUNDS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_some), cmocka_unit_test(test_any)};
  return cmocka_run_group_tests_name("rectangles", tests, NULL, NULL);
}
