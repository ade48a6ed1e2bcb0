/* test_schedule_text.c: schedules as text: what each field says, that every schedule offered is
 * found again by its text, and that no other text is. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/devices.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "problem/definition.h"
#include "problem_of.h"
#include "schedule/schedule_text.h"
#include "search/find_schedule.h"

typedef struct device_kind {
  const rlt_facts *facts;
  const rlt_tuning *tuning;
} device_kind;

static const device_kind buffered = {&work_group_facts, &work_group_tuning};
static const device_kind plain_cpu = {&plain_cpu_facts, &plain_cpu_tuning};
static const device_kind cpu = {&cpu_facts, &cpu_tuning};

/* ---- By hand ---- */

static const struct {
  const char *from;
  const char *to;
  const device_kind *kind;
  const char *text;
} by_hand[] = {
    /* A single element, and a run. */
    {"f32[]", "f32[]", &cpu,
     "copy word=4 align=1:1 rows=- columns=- loops=- move=copy store=unbuffered"},
    {"f32[64,64]{1,0}", "f32[64,64]{1,0}", &plain_cpu,
     "copy word=4 align=1:1 rows=- columns=0 loops=- move=copy store=unbuffered"},
    /* Words of 16 bytes want to be aligned; a work-group's tile is 4 KiB of them, of 16. */
    {"f32[64,64]{1,0}", "f32[64,64]{1,0}", &buffered,
     "copy word=16 align=16:16 rows=- columns=0:256 loops=/0 move=copy store=unbuffered group=256"},
    /* The matrix is a tile, which a cache holds, so that rows of 64 are stored at once. */
    {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &cpu,
     "transpose word=4 align=1:1 rows=1 columns=0 loops=- move=transpose store=unbuffered"},
    {"f32[64,64]{1,0}", "bf16[64,64]{0,1}", &cpu,
     "transpose word=4 align=1:1 rows=1 columns=0 loops=- move=convert>transpose store=buffered "
     "prefetch=1:1"},
    {"u4[64,64]{1,0:E(4)}", "u4[64,64]{0,1:E(4)}", &buffered,
     "transpose word=1 align=1:1 rows=1 columns=0 loops=- move=unpack>transpose>pack "
     "store=buffered "
     "group=256"},
    {"u8[64,64]{1,0}", "u4[64,64]{0,1:E(4)}", &plain_cpu,
     "transpose word=1 align=1:1 rows=1 columns=0 loops=- move=convert>transpose>pack "
     "store=buffered"},
    /* Tiles of 64 rows by 128 columns, in blocks that go 2 KiB along either side: 8 tiles of 256
     * bytes, and 4 of 512; what goes on in the source comes first. */
    {"f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", &plain_cpu,
     "transpose word=4 align=1:1 rows=1:64 columns=0:128 loops=1:8,0:4/1,0 move=transpose "
     "store=unbuffered"},
    /* Lines that tiles begin are finished by the next ones: along the columns in a block of its own
     * each, with up to 1008 / 64 = 15 tiles of the rows between. */
    {"f32[1000,1001]{1,0}", "f32[1000,1001]{0,1}", &cpu,
     "transpose word=4 align=1:1 rows=1:64 columns=0:128 loops=1:15/1,0 move=transpose "
     "store=buffered+streamed+combined prefetch=1:1 threads=2"},
    /* Tiles that write whole lines, if the destination begins with one. Four halves are a word,
     * and two of them change places in it. */
    {"u16[1024,1024,2,2]{3,2,1,0}", "u16[1024,1024,2,2]{2,3,0,1}", &cpu,
     "transpose word=8 align=1:64 rows=1:32 columns=0:64 loops=1:16,0:2/1,0 move=transpose>shuffle "
     "store=buffered+streamed prefetch=1:1 threads=2"},
    /* Rows: bytes of the source, and the two whose nibbles change places. */
    {"u4[64,64]{1,0:E(4)}", "u4[64,64]{0,1:E(4)}", &plain_cpu,
     "bit-transpose word=1 align=1:1 rows=2,1 columns=0 loops=- move=bit-transpose "
     "store=buffered"},
    /* Nothing is read, wherever it lies. */
    {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", &plain_cpu,
     "fill word=4 align=1:1 rows=- columns=0 loops=- move=fill store=unbuffered"},
};

static relayout_device *device_of(const device_kind *kind, recorder *record) {
  relayout_device *const device = recorder_device(record);
  device->facts = *kind->facts;
  device->tuning = kind->tuning;
  return device;
}

static void test_texts_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; ++i) {
    const relayout_shape from = shape_of(by_hand[i].from);
    const relayout_shape to = shape_of(by_hand[i].to);
    recorder record;
    relayout_device *const device = device_of(by_hand[i].kind, &record);
    relayout_plan *plan = NULL;
    char text[512];
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    assert_int_equal(
        relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text),
        strlen(by_hand[i].text));

    assert_string_equal(text, by_hand[i].text);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

/* ---- There and back ---- */

enum { MOST_WORDS = 16 };

/* The same fields in another order, with any spaces before, between and behind them. */
static void scatter(const char *text, uint64_t *seed, char *made, size_t size) {
  char copy[4096];
  const char *words[MOST_WORDS];
  int count = 0;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
    assert_true(count < MOST_WORDS);
    words[count++] = word;
  }
  for (int w = count - 1; w > 1; --w) {
    const int other = 1 + (int)definition_random(seed, w);
    const char *const swapped = words[w];
    words[w] = words[other];
    words[other] = swapped;
  }
  size_t length = 0;
  for (int w = 0; w < count; ++w) {
    const int spaces = (int)definition_random(seed, 3) + (w > 0);
    length += (size_t)snprintf(made + length, size - length, "%*s%s", spaces, "", words[w]);
  }
  snprintf(made + length, size - length, "%*s", (int)definition_random(seed, 3), "");
}

static void try_candidates(rlt_candidates *candidates, uint64_t start, uint64_t *seed) {
  for (int32_t i = 0; i < candidates->count; ++i) {
    char text[4096];
    char scattered[8192];
    rlt_text made = rlt_text_in(text, sizeof text);
    rlt_schedule_add_text(&candidates->of[i].schedule, &made);
    assert_true(made.length < sizeof text);
    scatter(text, seed, scattered, sizeof scattered);
    int32_t found = -1;
    int32_t again = -1;
    (void)rlt_candidates_find(candidates, text, made.length, &found, NULL, NULL);
    (void)rlt_candidates_find(candidates, scattered, strlen(scattered), &again, NULL, NULL);
    if (found != i || again != i) {
      definition_print(candidates->of[i].schedule.problem);
      fail_msg("seed %" PRIu64 ": offer %" PRId32 " is found as %" PRId32 " and %" PRId32
               "\n%s\n%s",
               start, i, found, again, text, scattered);
    }
    /* A text that is cut before its work-items, which may be fewer, is none, or another one's. */
    const char *const group = strstr(text, " group=");
    const int64_t most = group == NULL ? (int64_t)made.length : (int64_t)(group - text);
    const size_t cut = (size_t)definition_random(seed, most);
    assert_false(rlt_candidates_find(candidates, text, cut, &found, NULL, NULL) == RELAYOUT_OK &&
                 found == i);
  }
}

static void test_every_offer_is_found_by_its_text(void **state) {
  (void)state;
  static const device_kind *const kinds[] = {&buffered, &plain_cpu, &cpu};
  int32_t tried = 0;
  for (uint64_t start = 1; start <= 200; ++start) {
    uint64_t seed = start;
    rlt_problem problem = definition_random_problem(&seed);
    if (definition_random(&seed, 2) == 0) {
      problem = definition_with_runs(&problem, INT64_C(2) << definition_random(&seed, 4));
    }
    rlt_problem_simplify(&problem);
    for (int k = 0; k < 3 && !rlt_problem_is_empty(&problem); ++k) {
      rlt_facts facts = *kinds[k]->facts;
      facts.cache_bytes = definition_random(&seed, 2) == 0 ? facts.cache_bytes : 1;
      rlt_candidates candidates;
      rlt_forms forms;
      assert_int_equal(rlt_forms_make(&facts, &problem, &forms, NULL), RELAYOUT_OK);
      assert_int_equal(
          rlt_candidates_make(&forms, &facts, kinds[k]->tuning, NULL, &candidates, NULL),
          RELAYOUT_OK);
      try_candidates(&candidates, start, &seed);
      tried += candidates.count;
      rlt_candidates_free(&candidates);
      rlt_forms_free(&forms);
    }
  }
  print_message("%" PRId32 " schedules\n", tried);
  assert_true(tried > 1500);
}

/* ---- What else is found ---- */

/* What is offered at once is found among that, and anything else is added alone. */
static void test_what_is_not_offered_at_once(void **state) {
  (void)state;
  static const char offered[] =
      "transpose word=4 align=1:1 rows=1:64 columns=0:128 loops=1:8,0:4/1,0 move=transpose "
      "store=unbuffered";
  const rlt_forms elements = {
      .count = 1,
      .of = {(const rlt_problem[]){problem_of("f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}")}}};
  char other[512];
  rlt_candidates candidates;
  assert_int_equal(
      rlt_candidates_make(&elements, &plain_cpu_facts, &plain_cpu_tuning, NULL, &candidates, NULL),
      RELAYOUT_OK);
  rlt_candidates_add_all(&candidates);
  rlt_text text = rlt_text_in(other, sizeof other);
  rlt_schedule_add_text(&candidates.of[candidates.count - 1].schedule, &text);
  rlt_candidates_free(&candidates);
  assert_int_equal(
      rlt_candidates_make(&elements, &plain_cpu_facts, &plain_cpu_tuning, NULL, &candidates, NULL),
      RELAYOUT_OK);
  const int32_t count = candidates.count;
  int32_t found = -1;
  int64_t group_size = 0;
  assert_int_equal(
      rlt_candidates_find(&candidates, offered, strlen(offered), &found, &group_size, NULL),
      RELAYOUT_OK);
  assert_int_equal(group_size, 1);
  assert_int_equal(candidates.count, count);
  assert_false(candidates.has_all);
  for (int32_t i = 0; i < count; ++i) {
    assert_false(candidates.of[i].varied);
  }
  assert_int_equal(rlt_candidates_find(&candidates, other, strlen(other), &found, NULL, NULL),
                   RELAYOUT_OK);
  assert_false(candidates.has_all);
  assert_int_equal(found, count);
  assert_int_equal(candidates.count, count + 1);
  rlt_candidates_free(&candidates);
}

/* Kernels that have no room for 256 work-items ran with a part of them. */
static void test_smaller_groups(void **state) {
  (void)state;
  static const struct {
    const char *group;
    int64_t expected; /* 0: no such schedule */
  } cases[] = {{" group=256", 256}, {" group=128", 128},
               {" group=2", 2},     {"", 1},
               {" group=1", 1},     {" group=512", 0},
               {" group=96", 0},    {" group=0", 0},
               {" group=64x", 0},   {" group=-64", 0},
               {" group=6 4", 0},   {" group=/4", 0},
               {" group=:4", 0},    {" group=18446744073709551680", 0}};
  const rlt_forms elements = {
      .count = 1, .of = {(const rlt_problem[]){problem_of("f32[64,41]{1,0}", "f32[64,41]{0,1}")}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[256];
    snprintf(text, sizeof text,
             "transpose word=4 align=4:4 rows=1 columns=0 loops=- move=transpose store=buffered%s",
             cases[i].group);
    rlt_candidates candidates;
    int32_t found = -1;
    int64_t group_size = 0;

    assert_int_equal(rlt_candidates_make(&elements, &work_group_facts, &work_group_tuning, NULL,
                                         &candidates, NULL),
                     RELAYOUT_OK);
    const relayout_status status =
        rlt_candidates_find(&candidates, text, strlen(text), &found, &group_size, NULL);
    assert_int_equal(status == RELAYOUT_OK, cases[i].expected > 0);
    assert_int_equal(group_size, cases[i].expected);
    rlt_candidates_free(&candidates);
  }
}

/* ---- What is wrong with others ---- */

#define REST " loops=- move=transpose store=buffered group=256"

static void test_bad_texts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    relayout_status status;
    const char *says[2];
  } cases[] = {
      {"", RELAYOUT_INVALID_TEXT, {"`` is not a method"}},
      {"   ", RELAYOUT_INVALID_TEXT, {"`` is not a method"}},
      {"gather word=4", RELAYOUT_INVALID_TEXT, {"`gather` is not a method"}},
      {"word=4 transpose", RELAYOUT_INVALID_TEXT, {"`word=4` is not a method"}},
      {"Transpose word=4", RELAYOUT_INVALID_TEXT, {"`Transpose` is not a method"}},
      {"transpose\tword=4", RELAYOUT_INVALID_TEXT, {"is not a method"}},
      {"transpose word", RELAYOUT_INVALID_TEXT, {"`word` is not a field"}},
      {"transpose =4", RELAYOUT_INVALID_TEXT, {"`=4` is not a field"}},
      {"transpose width=4", RELAYOUT_INVALID_TEXT, {"`width=4` is not a field"}},
      {"transpose word=4 word=4", RELAYOUT_INVALID_TEXT, {"`word` is given twice"}},
      {"transpose word= align=4:4", RELAYOUT_INVALID_TEXT, {"`word=` has no value"}},
      {"transpose word=4 align=4:4 rows=1 columns=0" REST " prefetch=",
       RELAYOUT_INVALID_TEXT,
       {"`prefetch=` has no value"}},
      {"transpose word=4 align=4:4 rows=1 columns=0" REST " grain=1 colour=red",
       RELAYOUT_INVALID_TEXT,
       {"`colour=red` is not a field"}},
      {"copy word=4", RELAYOUT_UNSUPPORTED, {"method `copy` has no schedule for this relayout"}},
      /* One field that no schedule has, another that others have, one that is missing. */
      {"transpose word=8 align=4:4 rows=1 columns=0" REST,
       RELAYOUT_UNSUPPORTED,
       {"no schedule of this relayout has `word=8`", "the nearest has `word=4`"}},
      {"transpose word=4 align=4:4 rows=1:63 columns=0" REST,
       RELAYOUT_UNSUPPORTED,
       {"`rows=1:63`: axis 1 has 41 steps, of which a tile has 1 to 41"}},
      {"transpose word=4 align=4:4 rows=1 columns=0" REST " grain=2",
       RELAYOUT_UNSUPPORTED,
       {"`grain=2`: expected 1 to 1 tiles"}},
      {"transpose word=4 align=4:4 rows=1 loops=- move=transpose store=buffered group=256",
       RELAYOUT_UNSUPPORTED,
       {"a square tile has columns of axis 0 and rows of axis 1"}},
      {"transpose word=04 align=4:4 rows=1 columns=0" REST,
       RELAYOUT_UNSUPPORTED,
       {"no schedule of this relayout has `word=04`", "has `word=4`"}},
      {"transpose",
       RELAYOUT_UNSUPPORTED,
       {"no schedule of this relayout has `word=`", "has `word=4`"}},
      {"permute word=4 align=4:4 rows=1:16 columns=0 loops=/1 move=permute store=unbuffered "
       "group=256",
       RELAYOUT_UNSUPPORTED,
       {"no schedule of this relayout has `store=unbuffered`", "has `store=buffered`"}},
      /* Long ones are cut. */
      {"0123456789012345678901234567890123456789012345678901234567890123",
       RELAYOUT_INVALID_TEXT,
       {"`012345678901234567890123456789012345...` is not a method"}},
  };
  const rlt_forms elements = {
      .count = 1, .of = {(const rlt_problem[]){problem_of("f32[64,41]{1,0}", "f32[64,41]{0,1}")}}};
  rlt_candidates candidates;
  assert_int_equal(rlt_candidates_make(&elements, &work_group_facts, &work_group_tuning, NULL,
                                       &candidates, NULL),
                   RELAYOUT_OK);
  static const char right[] = "transpose word=4 align=4:4 rows=1 columns=0" REST;
  int32_t found;
  assert_int_equal(rlt_candidates_find(&candidates, right, strlen(right), &found, NULL, NULL),
                   RELAYOUT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_error error;
    const char *const text = cases[i].text;
    assert_int_equal(rlt_candidates_find(&candidates, text, strlen(text), &found, NULL, &error),
                     cases[i].status);
    assert_int_equal(error.status, cases[i].status);
    for (int s = 0; s < 2 && cases[i].says[s] != NULL; ++s) {
      if (strstr(error.message, cases[i].says[s]) == NULL) {
        fail_msg("`%s`: `%s` lacks `%s`", cases[i].text, error.message, cases[i].says[s]);
      }
    }
  }
  rlt_candidates_free(&candidates);
}

/* ---- Work-groups, by schedules that no method offers ---- */

typedef struct asked {
  const char *from;
  const char *to;
  const char *text; /* without group= */
  const char *says; /* NULL: it runs */
} asked;

static const asked asked_of_groups[] = {
    {"f32[640,480]", "f32[640,480]{0,1}",
     "transpose word=4 rows=1:16 columns=0:64 loops=1:30/0 move=transpose store=buffered", NULL},
    {"f32[640,480]", "f32[640,480]{0,1}",
     "transpose word=4 rows=1:64 columns=0:65 move=transpose store=buffered",
     "a square tile of this problem has at most 64 rows and 64 columns"},
    {"f32[640,480]", "f32[640,480]{0,1}",
     "transpose word=4 rows=0:16 columns=1:16 move=transpose store=buffered",
     "a square tile has columns of axis 0 and rows of axis 1, along which the source runs"},
    {"f32[640,480]", "f32[640,480]{0,1}",
     "transpose word=4 rows=1:16 columns=0:16 move=transpose store=buffered prefetch=1:1",
     "work-groups fetch no tiles ahead"},
    {"f32[640,480]", "f32[640,480]{0,1}",
     "transpose word=4 rows=1:16 columns=0:16 move=transpose store=buffered threads=2",
     "`threads=2`: expected 1 to the device's 1"},
    {"f32[640,480]", "f32[640,480]{0,1}",
     "transpose word=4 rows=1:16 columns=0:16 move=transpose store=buffered grain=1201",
     "`grain=1201`: expected 1 to 1200 tiles"},
    {"f32[640,480]", "f32[640,480]{0,1}",
     "transpose word=4 rows=1:16 columns=0:16 loops=1:7/0,1 move=transpose store=buffered",
     "a block has all 30 tiles along axis 1; or a divisor of them"},
    {"u8[500,300,3]", "u8[500,300,3]{1,0,2}",
     "interleave word=1 rows=1 columns=0:1000 move=interleave store=unbuffered grain=3", NULL},
    {"u8[500,300,3]", "u8[500,300,3]{1,0,2}",
     "interleave word=1 rows=1:2 columns=0:1000 move=interleave store=unbuffered",
     "the rows of a tile are all channels"},
    {"u8[500,300,3]", "u8[500,300,3]{1,0,2}",
     "permute word=1 rows=1:2 columns=0:1001 move=permute store=buffered", NULL},
    {"u8[500,300,3]", "u8[500,300,3]{1,0,2}",
     "permute word=1 rows=1 columns=0:20000 move=permute store=buffered",
     "a tile takes more than the 32768 bytes of local memory"},
    {"f32[100,200]", "f32[100,200]{1,0:PD(100,201)}",
     "copy word=4 rows=1:3 columns=0:7 loops=0:29/1 move=copy store=unbuffered", NULL},
    {"f32[100,200]", "f32[100,200]{1,0:PD(100,201)}",
     "copy word=4 rows=0:3 columns=1:7 move=copy store=unbuffered",
     "the columns of a tile that moves run by run are steps of axis 0"},
    {"u8[5000000]", "u8[5000000]{0:PD(5000001)}",
     "copy word=1 rows=- columns=0:4200000 move=copy store=unbuffered",
     "a tile has more than 4194304 elements"},
    {"u8[5000000]", "u8[5000000]{0:PD(5000001)}",
     "copy word=1 rows=- columns=0:1000000 move=copy store=unbuffered grain=5",
     "the tiles of a work-group have more than 4194304 elements"},
    {"u8[40,30]", "u4[40,30]{0,1:E(4)}",
     "transpose word=1 rows=1:16 columns=0:15 move=convert>transpose>pack store=buffered",
     "the columns of a tile do not hold all elements that share a byte"},
};

static void test_rules_of_work_groups(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof asked_of_groups / sizeof asked_of_groups[0]; ++i) {
    const asked *const of = &asked_of_groups[i];
    const rlt_forms elements = {.count = 1,
                                .of = {(const rlt_problem[]){problem_of(of->from, of->to)}}};
    char text[256];
    snprintf(text, sizeof text, "%s group=256", of->text);
    rlt_candidates candidates;
    assert_int_equal(rlt_candidates_make(&elements, &work_group_facts, &work_group_tuning, NULL,
                                         &candidates, NULL),
                     RELAYOUT_OK);
    int32_t found = -1;
    relayout_error error = {.message = ""};
    const relayout_status status =
        rlt_candidates_find(&candidates, text, strlen(text), &found, NULL, &error);
    if (status != (of->says == NULL ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED) ||
        (of->says != NULL && strstr(error.message, of->says) == NULL)) {
      fail_msg("`%s`: `%s` instead of `%s`", text, error.message, of->says == NULL ? "" : of->says);
    }
    rlt_candidates_free(&candidates);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts_by_hand),
      cmocka_unit_test(test_every_offer_is_found_by_its_text),
      cmocka_unit_test(test_what_is_not_offered_at_once),
      cmocka_unit_test(test_smaller_groups),
      cmocka_unit_test(test_bad_texts),
      cmocka_unit_test(test_rules_of_work_groups),
  };
  return cmocka_run_group_tests_name("plan.schedule_text", tests, NULL, NULL);
}
