/* test_candidates.c: what is offered, what is chosen of it, and that what a device finds dear is
 * avoided. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/planning.h"
#include "plan/devices.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "problem/definition.h"
#include "problem_of.h"
#include "search/method.h"

/* A CPU where these are dear, and so is looking each element up. */
static rlt_tuning cpu_with(rlt_rates rates) {
  rlt_tuning tuning = plain_cpu_tuning;
  rates.of[RLT_RATE_ELEMENT] = 99;
  for (int32_t w = 0; w < RLT_WORD_SIZES; ++w) {
    tuning.words[w].rates = rates;
  }
  return tuning;
}

/* A plan for this problem on a device like this. */
static relayout_plan *plan_of(const rlt_problem *problem, const rlt_facts *facts,
                              const rlt_tuning *tuning, recorder *record) {
  relayout_device *const device = recorder_device(record);
  relayout_plan *plan = NULL;
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  device->facts = *facts;
  device->tuning = tuning;
  assert_int_equal(
      rlt_plan_create_for_problem(device, problem, &request, (rlt_texts){.count = 0}, &plan, NULL),
      RELAYOUT_OK);
  relayout_device_destroy(device);
  return plan;
}

/* What is chosen, of the problem given. */
static rlt_schedule chosen(const rlt_problem *problem, const rlt_facts *facts,
                           const rlt_tuning *tuning) {
  recorder record;
  relayout_plan *const plan = plan_of(problem, facts, tuning, &record);
  rlt_schedule made = plan->work.parts[0].variants[0].candidate.schedule;
  made.problem = problem;
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
  relayout_plan_destroy(plan);
  return made;
}

static void expect_tile(const rlt_schedule *schedule, int64_t rows, int64_t columns) {
  assert_int_equal(rlt_group_length(&schedule->rows), rows);
  assert_int_equal(rlt_group_length(&schedule->columns), columns);
}

/* ---- What is dear is avoided ---- */

/* Odd pitches on both sides: long runs are few. */
static void test_dear_terms(void **state) {
  (void)state;
  static const struct {
    rlt_rates rates;
    int64_t rows;
    int64_t columns;
  } cases[] = {
      {{{[RLT_RATE_LINE_AGAIN] = 0}}, 64, 128},
      {{{[RLT_RATE_RUN] = 9}}, 128, 32},
      {{{[RLT_RATE_RUN] = 0.1, [RLT_RATE_TILE] = 99}}, 64, 128},
  };
  const rlt_problem problem = problem_of("f32[1001,1003]{1,0}", "f32[1001,1003]{0,1}");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_tuning tuning = cpu_with(cases[i].rates);
    const rlt_schedule found = chosen(&problem, &plain_cpu_facts, &tuning);
    expect_tile(&found, cases[i].rows, cases[i].columns);
    assert_string_equal(found.method->name, "transpose");
  }
}

/* Runs of a length that goes either way, to a destination that no cache holds. */
static void test_copies_go_straight_or_not(void **state) {
  (void)state;
  rlt_facts far = plain_cpu_facts;
  far.cache_bytes = 1;
  static const struct {
    const char *from;
    const char *to;
    rlt_rates rates;
    rlt_move move;
  } cases[] = {
      {"f32[64,64,100]{2,1,0}",
       "f32[64,64,100]{2,0,1}",
       {{[RLT_RATE_LINE] = 0}},
       RLT_MOVE_COPY_RUNS},
      {"f32[64,64,100]{2,1,0}", "f32[64,64,100]{2,0,1}", {{[RLT_RATE_LINE] = 9}}, RLT_MOVE_COPY},
      {"f32[640,130]{1,0}",
       "f32[640,130]{1,0:PD(640,131)}",
       {{[RLT_RATE_LINE] = 0}},
       RLT_MOVE_COPY},
      {"f32[640,130]{1,0}",
       "f32[640,130]{1,0:PD(640,131)}",
       {{[RLT_RATE_LINE_IN_PARTS] = 9}},
       RLT_MOVE_COPY_RUNS},
      {"f32[64,512]{1,0}",
       "f32[64,512]{1,0:PD(64,513)}",
       {{[RLT_RATE_LINE_IN_PARTS] = 9}},
       RLT_MOVE_COPY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_problem problem = problem_of(cases[i].from, cases[i].to);
    const rlt_tuning tuning = cpu_with(cases[i].rates);
    const rlt_schedule found = chosen(&problem, &far, &tuning);
    assert_string_equal(found.method->name, "copy");
    assert_string_equal(rlt_move_name(found.move), rlt_move_name(cases[i].move));
  }
}

/* The first that suits stays unless another is predicted to be more than a tenth faster: the
 * dearer a run, the more reason to take tiles of longer ones. */
static void test_clearly_faster_ones_win(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[1001,1003]{1,0}", "f32[1001,1003]{0,1}");
  const rlt_forms elements = {.count = 1, .of = {&problem}};
  int stayed = 0;
  int went = 0;
  for (int dear = 0; dear < 100; ++dear) {
    const rlt_tuning tuning = cpu_with((rlt_rates){.of = {[RLT_RATE_RUN] = 0.01 * dear}});
    const rlt_schedule found = chosen(&problem, &plain_cpu_facts, &tuning);
    rlt_candidates candidates;
    assert_int_equal(
        rlt_candidates_make(&elements, &plain_cpu_facts, &tuning, NULL, &candidates, NULL),
        RELAYOUT_OK);
    double first = 0;
    double best = 0;
    double taken = 0;
    for (int32_t i = 0; i < candidates.count; ++i) {
      const double fraction = candidates.of[i].cost.fraction;
      first = candidates.of[i].schedule.suits ? fraction : first;
      best = fraction > best ? fraction : best;
      taken = rlt_schedules_equal(&candidates.of[i].schedule, &found) ? fraction : taken;
    }
    assert_true(taken == (best > 1.1 * first ? best : first));
    assert_int_equal(found.suits, best <= 1.1 * first);
    stayed += found.suits;
    went += !found.suits;
    rlt_candidates_free(&candidates);
  }
  assert_true(stayed > 0 && went > 0);
}

/* What changing elements takes is the same for all, and changes nothing of which one wins. */
static void test_shared_time_decides_nothing(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("s4[9216,6144]{1,0:E(4)}", "s4[9216,6144]{0,1}");
  int went = 0;
  for (int dear = 0; dear < 100; ++dear) {
    rlt_rates rates = {.of = {[RLT_RATE_RUN] = 0.01 * dear}};
    const rlt_tuning free_of_charge = cpu_with(rates);
    rates.of[RLT_RATE_REWORKED_ELEMENT] = 1;
    const rlt_tuning charged = cpu_with(rates);
    const rlt_schedule one = chosen(&problem, &plain_cpu_facts, &free_of_charge);
    const rlt_schedule other = chosen(&problem, &plain_cpu_facts, &charged);
    assert_true(rlt_schedules_equal(&one, &other));
    went += !one.suits;
  }
  assert_true(went > 0);
}

/* ---- What is offered ---- */

typedef struct device_kind {
  const char *name;
  const rlt_facts *facts;
  const rlt_tuning *tuning;
} device_kind;

static const device_kind kinds[] = {{"work-group", &work_group_facts, &work_group_tuning},
                                    {"plain cpu", &plain_cpu_facts, &plain_cpu_tuning},
                                    {"cpu", &cpu_facts, &cpu_tuning}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- Forms ---- */

/* Bytes of the wider words; 1 where bits are transposed, and 0 where there is no other form. */
static void test_forms_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    int64_t words[KINDS];
    int64_t transposed_bits;
  } cases[] = {
      {"u16[64,64,2]{2,1,0}", "u16[64,64,2]{2,0,1}", {4, 4, 4}, 0},
      {"u8[8,9,16]{2,1,0}", "u8[8,9,16]{2,0,1}", {16, 16, 16}, 0},
      {"u8[64,64,3]{2,1,0}", "u8[64,64,3]{2,0,1}", {0, 0, 0}, 0},
      /* Of longer runs, parts are words where work-items load these; workers copy runs. */
      {"u8[64,64,32]{2,1,0}", "u8[64,64,32]{2,0,1}", {16, 0, 0}, 0},
      {"f32[64,64]{1,0}", "f32[64,64]{1,0}", {16, 0, 0}, 0},
      {"f32[64,64]{1,0}", "f32[64,64]{1,0:PD(64,66)}", {8, 0, 0}, 0},
      {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", {16, 0, 0}, 0},
      /* Workers put bytes of a word in another order. */
      {"u8[64,64,2,2]{3,2,1,0}", "u8[64,64,2,2]{2,3,0,1}", {0, 4, 4}, 0},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", {0, 0, 0}, 0},
      {"c128[64,64]{1,0}", "c128[64,64]{1,0:PD(64,65)}", {0, 0, 0}, 0},
      {"u16[64,64,2]{2,1,0}", "f32[64,64,2]{2,0,1}", {0, 0, 0}, 0},
      {"u4[64,64]{1,0:E(4)}", "u4[64,64]{0,1:E(4)}", {0, 1, 1}, 4},
      {"u2[64,64]{1,0:E(2)}", "u2[64,64]{0,1:E(2)}", {0, 1, 1}, 2},
      {"u4[63,64]{1,0:E(4)}", "u4[63,64]{0,1:E(4)}", {0, 0, 0}, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_problem elements = problem_of(cases[i].from, cases[i].to);
    for (int k = 0; k < KINDS; ++k) {
      const int64_t word = cases[i].words[k];
      rlt_forms forms;
      print_message("  %s\n", kinds[k].name);
      assert_int_equal(rlt_forms_make(kinds[k].facts, &elements, &forms, NULL), RELAYOUT_OK);
      assert_memory_equal(forms.of[0], &elements, rlt_problem_bytes(&elements));
      assert_int_equal(forms.count, word == 0 ? 1 : 2);
      assert_true(word == 0 || forms.of[1]->element_bytes == word);
      assert_true(word == 0 || forms.of[1]->transposed_bits == cases[i].transposed_bits);
      rlt_forms_free(&forms);
    }
  }
}

/* ---- Offers ---- */

/* Of problems that leave no choice. */
static void test_few_ways(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    int32_t counts[KINDS]; /* those of index-program included */
  } cases[] = {{"f32[]", "f32[]", {2, 2, 2}},
               {"f32[7]", "f32[7]", {3, 2, 2}},
               {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,3)}", {1, 1, 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_forms elements = {
        .count = 1, .of = {(const rlt_problem[]){problem_of(cases[i].from, cases[i].to)}}};
    for (int k = 0; k < KINDS; ++k) {
      rlt_candidates candidates;
      assert_int_equal(
          rlt_candidates_make(&elements, kinds[k].facts, kinds[k].tuning, NULL, &candidates, NULL),
          RELAYOUT_OK);
      assert_int_equal(candidates.count, cases[i].counts[k]);
      rlt_candidates_free(&candidates);
    }
  }
}

/* An index program leaves one way. */
static void test_index_program(void **state) {
  (void)state;
  static const rlt_index_program program = {.count = 0};
  rlt_problem problem = problem_of("f32[64]", "f32[64]");
  problem.index_program = &program;
  for (int k = 0; k < KINDS; ++k) {
    rlt_candidates candidates;
    rlt_forms by_program;
    assert_int_equal(rlt_forms_make(kinds[k].facts, &problem, &by_program, NULL), RELAYOUT_OK);
    assert_int_equal(by_program.count, 1);
    assert_int_equal(
        rlt_candidates_make(&by_program, kinds[k].facts, kinds[k].tuning, NULL, &candidates, NULL),
        RELAYOUT_OK);
    assert_int_equal(candidates.count, 1);
    assert_string_equal(candidates.of[0].schedule.method->name, "index-program");
    assert_true(candidates.of[0].schedule.suits);
    rlt_candidates_free(&candidates);
    rlt_forms_free(&by_program);
  }
}

/* NULL where nothing is. */
static const char *what_is_wrong(const rlt_facts *facts, const rlt_forms *forms,
                                 const rlt_candidate *candidate) {
  const rlt_schedule *const schedule = &candidate->schedule;
  const rlt_problem *const problem = schedule->problem;
  const bool is_wide = problem == forms->of[1];
  const int64_t word = facts->target == &rlt_gpu_target ? problem->element_bytes : 1;
  if (schedule->method == NULL || schedule->reason == NULL) {
    return "no method, or no reason";
  }
  if (problem != forms->of[0] && (forms->count < 2 || !is_wide)) {
    return "none of the problem's forms";
  }
  if (schedule->is_wide != is_wide || schedule->target != facts->target) {
    return "another form or target than it says";
  }
  if (!(candidate->cost.fraction > 0 && candidate->cost.fraction <= 1)) {
    return "a fraction that is none";
  }
  const int64_t read = schedule->move == RLT_MOVE_FILL ? 1 : word;
  if (schedule->source_alignment != read || schedule->destination_alignment < word) {
    return "another alignment than the device's words want";
  }
  if (schedule->only_aligned !=
      (facts->target == &rlt_gpu_target ? is_wide : schedule->destination_alignment > 1)) {
    return "only_aligned is not what the alignment says";
  }
  if (schedule->threads < 1 || schedule->threads > facts->threads || schedule->grain < 1 ||
      schedule->group_size != facts->group_size) {
    return "threads, grain or group size";
  }
  if (schedule->combined && !(schedule->buffered && schedule->streamed)) {
    return "lines are combined that are not staged, or stay in the cache";
  }
  return NULL;
}

static void check_candidates(const device_kind *kind, const rlt_forms *forms,
                             const rlt_candidates *candidates, uint64_t seed) {
  bool at_any_offset = false;
  bool suits = false;
  for (int32_t i = 0; i < candidates->count; ++i) {
    const char *wrong = what_is_wrong(kind->facts, forms, &candidates->of[i]);
    for (int32_t j = 0; j < i && wrong == NULL; ++j) {
      if (rlt_schedules_equal(&candidates->of[i].schedule, &candidates->of[j].schedule)) {
        wrong = "offered twice";
      }
    }
    if (wrong != NULL) {
      definition_print(candidates->of[i].schedule.problem);
      fail_msg("seed %" PRIu64 ", %s: offer %" PRId32 ": %s", seed, kind->name, i, wrong);
    }
    at_any_offset = at_any_offset || !candidates->of[i].schedule.only_aligned;
    suits = suits || candidates->of[i].schedule.suits;
  }
  if (!at_any_offset || !suits) {
    definition_print(forms->of[0]);
    fail_msg("seed %" PRIu64 ", %s: nothing is offered that %s", seed, kind->name,
             suits ? "runs at any offset" : "suits");
  }
}

/* As though each element were a run of some, half of the time. */
static rlt_problem problem_at_random(uint64_t *seed) {
  rlt_problem made = definition_random_problem(seed);
  if (definition_random(seed, 2) == 0) {
    made = definition_with_runs(&made, INT64_C(2) << definition_random(seed, 4));
  }
  rlt_problem_simplify(&made);
  return made;
}

static void test_offers_at_random(void **state) {
  (void)state;
  int32_t wide = 0;
  for (uint64_t start = 1; start <= 3000; ++start) {
    uint64_t seed = start;
    const rlt_problem problem = problem_at_random(&seed);
    for (int k = 0; k < KINDS && !rlt_problem_is_empty(&problem); ++k) {
      rlt_facts facts = *kinds[k].facts;
      facts.cache_bytes = definition_random(&seed, 2) == 0 ? facts.cache_bytes : 1;
      const device_kind kind = {kinds[k].name, &facts, kinds[k].tuning};
      rlt_candidates candidates;
      rlt_forms forms;
      assert_int_equal(rlt_forms_make(&facts, &problem, &forms, NULL), RELAYOUT_OK);
      wide += forms.count - 1;
      assert_int_equal(rlt_candidates_make(&forms, &facts, kind.tuning, NULL, &candidates, NULL),
                       RELAYOUT_OK);
      check_candidates(&kind, &forms, &candidates, start);
      rlt_candidates_free(&candidates);
      rlt_forms_free(&forms);
    }
  }
  print_message("with wider words: %" PRId32 "\n", wide);
  assert_true(wide > 500);
}

/* Lines that tiles share can be combined where the destination begins with one, too. */
static void test_two_ways_to_share_lines(void **state) {
  (void)state;
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  const rlt_forms elements = {
      .count = 1,
      .of = {(const rlt_problem[]){problem_of("f32[1024,1024]{1,0}", "f32[1024,1024]{0,1}")}}};
  rlt_candidates candidates;
  assert_int_equal(rlt_candidates_make(&elements, &far, &cpu_tuning,
                                       &(rlt_candidates_request){.method = &rlt_method_transpose},
                                       &candidates, NULL),
                   RELAYOUT_OK);
  assert_true(candidates.count >= 2);
  assert_false(candidates.of[0].schedule.combined);
  assert_int_equal(candidates.of[0].schedule.destination_alignment, 64);
  assert_false(rlt_candidate_is_allowed(&candidates.of[0], true));
  assert_true(rlt_candidate_is_allowed(&candidates.of[0], false));
  assert_true(candidates.of[1].schedule.combined);
  assert_int_equal(candidates.of[1].schedule.destination_alignment, 1);
  assert_true(rlt_candidate_is_allowed(&candidates.of[1], true));
  assert_int_equal(candidates.of[1].schedule.columns.steps,
                   candidates.of[0].schedule.columns.steps);
  assert_int_equal(candidates.of[1].schedule.rows.steps, candidates.of[0].schedule.rows.steps);
  rlt_candidates_free(&candidates);
}

/* The tile of `like` by another blocking, with lines that tiles share put together or not. */
static rlt_schedule by_blocking(const rlt_candidates *candidates, const rlt_schedule *like,
                                rlt_tile_blocking blocking, bool combines) {
  rlt_schedule made = *like;
  made.blocking = blocking;
  rlt_cpu_lay_out_tile(candidates->facts, &made);
  rlt_schedule_finish(candidates->facts, candidates->tuning, combines, &made);
  return made;
}

static bool is_there(const rlt_candidates *candidates, int32_t first, const rlt_schedule *wanted) {
  for (int32_t i = first; i < candidates->count; ++i) {
    if (rlt_schedules_equal(&candidates->of[i].schedule, wanted)) {
      return true;
    }
  }
  return false;
}

/* From number `first` on there is what one change of a schedule's blocking gives, and nothing else;
 * and nothing twice. */
static void expect_varied(const rlt_candidates *candidates, int32_t number, int32_t first) {
  static const rlt_stores stores[] = {RLT_STORES_STREAMED, RLT_STORES_CACHED,
                                      RLT_STORES_UNBUFFERED};
  enum { STORES = 3, BLOCKINGS = RLT_BLOCK_REACHES + RLT_PREFETCHES + 1 + STORES };
  assert_in_range(candidates->count, first + 1, first + 2 * BLOCKINGS);
  const rlt_schedule *const like = &candidates->of[number].schedule;
  rlt_tile_blocking blockings[BLOCKINGS];
  bool is_wanted[2 * BLOCKINGS] = {false};
  for (int w = 0; w < BLOCKINGS; ++w) {
    blockings[w] = like->blocking;
  }
  rlt_tile_blocking *next = blockings;
  for (int i = 0; i < RLT_BLOCK_REACHES; ++i) {
    next++->blocks = rlt_block_reaches[i];
  }
  for (int i = 0; i < RLT_PREFETCHES; ++i) {
    next++->prefetch = rlt_prefetches[i];
  }
  next++->loads = !like->blocking.loads;
  for (int i = 0; i < STORES; ++i) {
    next++->stores = stores[i];
  }
  for (int w = 0; w < 2 * BLOCKINGS; ++w) {
    const rlt_schedule wanted = by_blocking(candidates, like, blockings[w / 2], w % 2 > 0);
    const bool is_offered =
        w % 2 == 0 || by_blocking(candidates, like, blockings[w / 2], false).only_aligned;
    assert_true(!is_offered || is_there(candidates, 0, &wanted));
    for (int32_t i = first; i < candidates->count; ++i) {
      is_wanted[i - first] =
          is_wanted[i - first] ||
          (is_offered && rlt_schedules_equal(&candidates->of[i].schedule, &wanted));
    }
  }
  for (int32_t i = first; i < candidates->count; ++i) {
    assert_true(is_wanted[i - first]);
    assert_false(candidates->of[i].schedule.suits);
    assert_false(candidates->of[i].varied);
    assert_false(is_there(candidates, i + 1, &candidates->of[i].schedule));
  }
}

/* What differs from one in one respect, once, and only of what goes by tables. */
static void vary(const rlt_facts *facts, const char *from, const char *to) {
  const rlt_forms elements = {.count = 1, .of = {(const rlt_problem[]){problem_of(from, to)}}};
  rlt_candidates candidates;
  assert_int_equal(rlt_candidates_make(&elements, facts, &cpu_tuning, NULL, &candidates, NULL),
                   RELAYOUT_OK);
  const int32_t count = candidates.count;
  rlt_candidates_vary(&candidates, -1);
  assert_int_equal(candidates.count, count);
  assert_int_equal(candidates.of[0].schedule.move, RLT_MOVE_INDEX);
  rlt_candidates_vary(&candidates, 0);
  assert_true(candidates.of[0].varied);
  assert_int_equal(candidates.count, count);
  assert_int_equal(candidates.of[1].schedule.move, RLT_MOVE_TRANSPOSE);
  rlt_candidates_vary(&candidates, 1);
  assert_true(candidates.of[1].varied);
  const int32_t varied = candidates.count;
  expect_varied(&candidates, 1, count);
  rlt_candidates_vary(&candidates, 1);
  assert_int_equal(candidates.count, varied);
  rlt_candidates_add_all(&candidates);
  assert_true(candidates.has_all);
  const int32_t all = candidates.count;
  assert_true(all > varied);
  rlt_candidates_add_all(&candidates);
  assert_int_equal(candidates.count, all);
  rlt_candidates_free(&candidates);
  assert_int_equal(candidates.count, 0);
  assert_null(candidates.of);
}

/* Within the cache, and past it: there the source may be loaded first. */
static void test_varied(void **state) {
  (void)state;
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  vary(&cpu_facts, "f32[1001,1003]{1,0}", "f32[1001,1003]{0,1}");
  vary(&far, "f32[1001,1003]{1,0}", "f32[1001,1003]{0,1}");
  vary(&far, "f32[1024,1024]{1,0}", "f32[1024,1024]{0,1}");
}

/* ---- Their order ---- */

static void test_sorted(void **state) {
  (void)state;
  static const double fractions[] = {0.25, 0.5, 1, 0.5, 0.75, 1};
  static const int order[] = {2, 5, 4, 1, 3, 0};
  enum { COUNT = sizeof fractions / sizeof fractions[0] };
  rlt_candidate of[COUNT] = {{.cost = {.fraction = 0}}};
  rlt_candidates candidates = {.count = COUNT, .capacity = COUNT, .of = of};
  for (int i = 0; i < COUNT; ++i) {
    of[i].cost.fraction = fractions[i];
    of[i].schedule.grain = i;
  }
  rlt_candidates_sort(&candidates);
  for (int i = 0; i < COUNT; ++i) {
    assert_int_equal(of[i].schedule.grain, order[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dear_terms),
      cmocka_unit_test(test_copies_go_straight_or_not),
      cmocka_unit_test(test_clearly_faster_ones_win),
      cmocka_unit_test(test_shared_time_decides_nothing),
      cmocka_unit_test(test_forms_by_hand),
      cmocka_unit_test(test_few_ways),
      cmocka_unit_test(test_index_program),
      cmocka_unit_test(test_offers_at_random),
      cmocka_unit_test(test_two_ways_to_share_lines),
      cmocka_unit_test(test_varied),
      cmocka_unit_test(test_sorted),
  };
  return cmocka_run_group_tests_name("plan.candidates", tests, NULL, NULL);
}
