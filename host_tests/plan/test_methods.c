/* test_methods.c: which methods offer schedules for which relayout, and whose is chosen where
 * none is predicted to be faster. A method that offers nothing any more where it did fails here. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "plan/devices.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "search/method.h"
#include "shape_of.h"

static const struct {
  const char *name;
  const rlt_facts *facts;
  const rlt_tuning *tuning;
} kinds[] = {{"work-group", &work_group_facts, &work_group_tuning},
             {"plain cpu", &plain_cpu_facts, &plain_cpu_tuning},
             {"cpu", &cpu_facts, &cpu_tuning}};

enum { KINDS = sizeof kinds / sizeof kinds[0], METHODS = 7 };

typedef struct offered {
  const char *from;
  const char *to;
  const char *by[KINDS]; /* the method chosen | the others that offer something */
} offered;

static const offered table[] = {
    /* The same order on both sides, as a whole or in runs: copies. Elements of other sizes too. */
    {"f32[]", "f32[]", {"copy | index-program", "copy | index-program", "copy | index-program"}},
    {"f32[3]",
     "f32[3]",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"f32[64,64]{1,0}",
     "f32[64,64]{1,0}",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"f32[8,16,4,32]{3,2,1,0}",
     "f32[8,16,4,32]{3,1,2,0}",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"f32[8192,4000]{1,0}",
     "f32[8192,4000]{1,0:PD(8192,4096)}",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"f32[1,1]{1,0}",
     "f32[1,1]{1,0:PD(4000,4000)}",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"f32[100,3]{1,0}",
     "f32[100,3]{1,0:PD(100,128)}",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"f32[64,64]{1,0}",
     "bf16[64,64]{1,0}",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"u4[64,64]{1,0:E(4)}",
     "u4[64,64]{1,0:E(4)}",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},
    {"pred[1000]{0:E(1)}",
     "pred[1000]",
     {"copy | index-program permute", "copy | index-program", "copy | index-program"}},

    /* Runs shorter than a line, which work-items that share a tile look up one by one. */
    {"f32[100,3]{1,0}",
     "f32[100,3]{1,0:PD(100,4)}",
     {"permute | index-program copy", "copy | index-program", "copy | index-program"}},

    /* Runs of 4 and 16 bytes are words of that size, which CPUs transpose. */
    {"u16[64,64,2]{2,1,0}",
     "u16[64,64,2]{2,0,1}",
     {"permute | index-program copy", "transpose | index-program", "transpose | index-program"}},
    {"u8[64,64,16]{2,1,0}",
     "u8[64,64,16]{2,0,1}",
     {"permute | index-program copy", "transpose | index-program", "transpose | index-program"}},

    /* Both sides run along long axes. A work-group wants a quarter of its tile filled. */
    {"f32[64,64]{1,0}",
     "f32[64,64]{0,1}",
     {"transpose | index-program permute", "transpose | index-program",
      "transpose | index-program"}},
    {"u8[256,256]{1,0}",
     "u8[256,256]{0,1:PD(300,300)}",
     {"transpose | index-program permute", "transpose | index-program",
      "transpose | index-program"}},
    {"f32[64,64]{1,0}",
     "bf16[64,64]{0,1}",
     {"transpose | index-program permute", "transpose | index-program",
      "transpose | index-program"}},
    {"f32[100,20]{1,0}",
     "f32[100,20]{0,1}",
     {"transpose | index-program permute", "transpose | index-program",
      "transpose | index-program"}},
    {"f32[64,12]{1,0}",
     "f32[64,12]{0,1}",
     {"permute | index-program transpose", "transpose | index-program",
      "transpose | index-program"}},
    {"f32[8,20,30,40]{3,2,1,0}",
     "f32[8,20,30,40]{0,2,1,3}",
     {"permute | index-program transpose", "transpose | index-program",
      "transpose | index-program"}},

    /* Short axes; two to four side by side are channels to a device that joins and parts them. */
    {"f32[1000,3]{1,0}",
     "f32[1000,3]{0,1}",
     {"interleave | index-program transpose permute", "permute | index-program",
      "interleave | index-program"}},
    {"f32[1000,3]{0,1}",
     "f32[1000,3]{1,0}",
     {"interleave | index-program transpose permute", "permute | index-program",
      "interleave | index-program"}},
    {"u16[1000,2]{1,0}",
     "u16[1000,2]{0,1}",
     {"permute | index-program transpose", "permute | index-program",
      "interleave | index-program"}},
    {"u8[3,100,100]{2,1,0}",
     "u8[3,100,100]{0,2,1:PD(4,100,100)}",
     {"interleave | index-program transpose permute", "permute | index-program",
      "interleave | index-program"}},
    {"u8[1000,8]{1,0}",
     "u8[1000,8]{0,1}",
     {"permute | index-program transpose", "permute | index-program", "permute | index-program"}},
    {"c64[2,2,2,2,2]{4,3,2,1,0}",
     "c64[2,2,2,2,2]{0,1,2,3,4}",
     {"permute | index-program transpose", "permute | index-program", "permute | index-program"}},

    /* Packed elements are written as whole bytes, so that nothing looks up single ones. */
    {"u8[64,64]{1,0}", "u4[64,64]{0,1:E(4)}", {"transpose | permute", "transpose", "transpose"}},
    {"u4[64,64]{1,0:E(4)}",
     "u4[64,64]{0,1}",
     {"transpose | index-program permute", "transpose | index-program",
      "transpose | index-program"}},
    {"u4[64,64]{1,0:E(4)}",
     "u4[64,64]{0,1:E(4)}",
     {"transpose | permute", "bit-transpose", "bit-transpose"}},
    {"u4[1000,2]{1,0:E(4)}",
     "u4[1000,2]{0,1:E(4)}",
     {"permute | transpose", "permute", "interleave"}},
    /* A byte of the destination has elements of two rows. */
    {"u4[64,301]{1,0:PD(64,304)}", "u4[64,301]{1,0:E(4)}", {"permute", "copy", "copy"}},
    {"u4[63,65]{1,0:E(4)}", "u4[63,65]{0,1:E(4)}", {"permute", "permute", "permute"}},

    /* Nothing is read. */
    {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", {"fill", "fill", "fill"}},
    {"u4[0,3]{1,0}", "u4[0,3]{1,0:PD(5,4)E(4)}", {"fill", "fill", "fill"}},
    /* The tiles of both sides share no divisor: a list of steps. */
    {"u8[63]{0:T(9)}", "u8[63]{0:T(7)}", {"index-program", "index-program", "index-program"}},
};

static relayout_device *device_of(int kind, recorder *record) {
  relayout_device *const device = recorder_device(record);
  device->facts = *kinds[kind].facts;
  device->tuning = kinds[kind].tuning;
  return device;
}

static relayout_status plan_by(relayout_device *device, const offered *of, const rlt_method *method,
                               relayout_plan **plan, relayout_error *error) {
  const relayout_shape from = shape_of(of->from);
  const relayout_shape to = shape_of(of->to);
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  request.method = method;
  return rlt_plan_create(device, &from, &to, &request, (rlt_texts){.count = 0}, plan, error);
}

static void note_method(void *context, const relayout_schedule_info *info) {
  bool *const is_there = context;
  for (int m = 0; m < METHODS; ++m) {
    is_there[m] = is_there[m] || strcmp(rlt_methods[m]->name, info->method) == 0;
  }
}

/* As the table has it. */
static void describe(const relayout_plan *plan, char *text, size_t size) {
  bool is_there[METHODS] = {false};
  assert_int_equal(relayout_plan_visit_schedules(plan, 0, note_method, is_there, NULL),
                   RELAYOUT_OK);
  const char *const chosen = relayout_plan_get_method(plan);
  const char *join = " | ";
  snprintf(text, size, "%s", chosen);
  for (int m = 0; m < METHODS; ++m) {
    if (is_there[m] && strcmp(rlt_methods[m]->name, chosen) != 0) {
      const size_t length = strlen(text);
      snprintf(text + length, size - length, "%s%s", join, rlt_methods[m]->name);
      join = " ";
    }
  }
}

static void test_who_offers_and_who_is_chosen(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    for (int k = 0; k < KINDS; ++k) {
      recorder record;
      relayout_device *const device = device_of(k, &record);
      relayout_plan *plan = NULL;
      char found[256];
      print_message("%s -> %s, %s\n", table[i].from, table[i].to, kinds[k].name);
      assert_int_equal(plan_by(device, &table[i], NULL, &plan, NULL), RELAYOUT_OK);
      describe(plan, found, sizeof found);
      assert_string_equal(found, table[i].by[k]);
      assert_non_null(plan->work.parts[0].variants[0].candidate.schedule.reason);
      assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
      relayout_plan_destroy(plan);
      relayout_device_destroy(device);
    }
  }
}

/* In a list of names with spaces between them: "transpose" is no word of "bit-transpose". */
static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  while (*list != '\0') {
    const size_t next = strcspn(list, " ");
    if (next == length && memcmp(list, word, length) == 0) {
      return true;
    }
    list += next + strspn(list + next, " ");
  }
  return false;
}

/* Alone each of these makes a plan, and no other does. */
static void test_each_method_alone(void **state) {
  (void)state;
  assert_null(rlt_methods[METHODS]);
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    for (int k = 0; k < KINDS; ++k) {
      for (int m = 0; m < METHODS; ++m) {
        recorder record;
        relayout_device *const device = device_of(k, &record);
        const char *const name = rlt_methods[m]->name;
        relayout_plan *plan = NULL;
        relayout_error error;
        const relayout_status status = plan_by(device, &table[i], rlt_methods[m], &plan, &error);
        assert_int_equal(status == RELAYOUT_OK, has_word(table[i].by[k], name));
        if (status == RELAYOUT_OK) {
          assert_string_equal(relayout_plan_get_method(plan), name);
        } else {
          assert_int_equal(status, RELAYOUT_UNSUPPORTED);
          assert_non_null(strstr(error.message, name));
        }
        relayout_plan_destroy(plan);
        relayout_device_destroy(device);
      }
    }
  }
}

static void test_names(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m) {
    const char *const name = rlt_methods[m]->name;
    assert_ptr_equal(rlt_method_named(name, strlen(name)), rlt_methods[m]);
    assert_null(rlt_method_named(name, strlen(name) - 1));
  }
  assert_null(rlt_method_named("copy ", 5));
  assert_null(rlt_method_named("", 0));
}

/* Nothing is simpler than a copy, however little there is, at the rates of real machines too. */
static void test_tiny_copies(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; ++k) {
    for (int elements = 1; elements <= 70; ++elements) {
      char text[32];
      snprintf(text, sizeof text, "f32[%d]", elements);
      const offered same = {.from = text, .to = text};
      recorder record;
      relayout_device *const device = device_of(k, &record);
      device->tuning = rlt_tuning_of(&device->facts);
      relayout_plan *plan = NULL;
      assert_int_equal(plan_by(device, &same, NULL, &plan, NULL), RELAYOUT_OK);
      assert_string_equal(relayout_plan_get_method(plan), "copy");
      relayout_plan_destroy(plan);
      relayout_device_destroy(device);
    }
  }
}

static bool moves_by(const char *from, const char *to, const char *move) {
  const offered one = {.from = from, .to = to};
  char schedule[512];
  recorder record;
  relayout_device *const device = device_of(KINDS - 1, &record);
  device->tuning = rlt_tuning_of(&device->facts);
  relayout_plan *plan = NULL;
  assert_int_equal(plan_by(device, &one, NULL, &plan, NULL), RELAYOUT_OK);
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, schedule, sizeof schedule);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return strstr(schedule, move) != NULL;
}

/* Runs of more than a line go straight where a tile would hold all of them; shorter ones, and many,
 * are put together. */
static void test_little_goes_straight(void **state) {
  (void)state;
  assert_true(moves_by("f32[8,4,20]{2,1,0}", "f32[8,4,20]{2,0,1}", " move=copy "));
  assert_true(moves_by("f32[8,4,16]{2,1,0}", "f32[8,4,16]{2,0,1}", " move=copy-runs "));
  assert_true(moves_by("f32[400,400,20]{2,1,0}", "f32[400,400,20]{2,0,1}", " move=copy-runs "));
}

/* 8 x 32 floats are a quarter of a tile of 32 x 32. */
static void test_squares_of_small_tiles(void **state) {
  (void)state;
  static const offered reversed = {.from = "f32[8,20,30,40]{3,2,1,0}",
                                   .to = "f32[8,20,30,40]{0,2,1,3}"};
  recorder record;
  relayout_device *const device = recorder_device(&record);
  rlt_tuning tuning = work_group_tuning;
  tuning.tile_bytes = 4096;
  device->tuning = &tuning;
  relayout_plan *plan = NULL;
  assert_int_equal(plan_by(device, &reversed, NULL, &plan, NULL), RELAYOUT_OK);
  assert_string_equal(relayout_plan_get_method(plan), "transpose");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_offers_and_who_is_chosen),
      cmocka_unit_test(test_each_method_alone),
      cmocka_unit_test(test_little_goes_straight),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_tiny_copies),
      cmocka_unit_test(test_squares_of_small_tiles),
  };
  return cmocka_run_group_tests_name("plan.methods", tests, NULL, NULL);
}
