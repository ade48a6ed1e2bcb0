/* test_caller_environment.c: a caller's floating-point environment and locale change no result:
 * plans, their explanations and the bytes they write are those that a plain program gets. */
#include "cmocka_all.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cpu/instruction_sets.h"
#include "relayout/relayout.h"
#include "shape_of.h"

enum { EXPLAINED_SIZE = 1 << 16, MOST_BYTES = 1 << 23 };

/* What a relayout gives a caller. */
typedef struct outcome {
  relayout_status status;
  double fraction;
  char text[EXPLAINED_SIZE];
  char json[EXPLAINED_SIZE];
  size_t size;
  uint8_t bytes[MOST_BYTES];
} outcome;

typedef struct relaid {
  const char *from;
  const char *to;
  double scale;
  relayout_rounding rounding;
} relaid;

/* Every bit pattern of short types, and of long ones some of every exponent: NaN and subnormals
 * too. */
static void set_source(uint8_t *bytes, size_t size) {
  uint64_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    bytes[i] = (uint8_t)(state >> 56);
  }
}

/* With a device of its own, which has no plan of it yet. Errors have no numbers of the caller's
 * in them. */
static void relay(const relaid *asked, const uint8_t *source, outcome *found) {
  const relayout_shape from = shape_of(asked->from);
  const relayout_shape to = shape_of(asked->to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = asked->scale;
  options.rounding = asked->rounding;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  found->size = 0;
  found->fraction = 0;
  found->text[0] = found->json[0] = '\0';
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  found->status = relayout_plan_create(device, &from, &to, &options, &plan, NULL);
  if (found->status == RELAYOUT_OK) {
    found->fraction = relayout_plan_get_predicted_fraction(plan);
    relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, found->text, sizeof found->text);
    relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, found->json, sizeof found->json);
    found->size = relayout_plan_destination_size(plan);
    assert_true(found->size <= MOST_BYTES && relayout_plan_source_size(plan) <= MOST_BYTES);
    memset(found->bytes, 0, found->size);
    found->status = relayout_plan_execute(plan, source, found->bytes, NULL);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static void expect_alike(const relaid *asked, const char *environment, const outcome *plain,
                         const outcome *found) {
  if (found->status != plain->status || found->size != plain->size ||
      memcmp(&found->fraction, &plain->fraction, sizeof found->fraction) != 0 ||
      strcmp(found->text, plain->text) != 0 || strcmp(found->json, plain->json) != 0 ||
      memcmp(found->bytes, plain->bytes, plain->size) != 0) {
    fail_msg("%s to %s times %a, %s: another result\n%s\n%s", asked->from, asked->to, asked->scale,
             environment, plain->text, found->text);
  }
}

static outcome *plain, *found;
static uint8_t *source;

static int set_up(void **state) {
  (void)state;
  setenv("RELAYOUT_CACHE", "off", 1);
  plain = malloc(sizeof *plain);
  found = malloc(sizeof *found);
  source = malloc(MOST_BYTES);
  if (plain == NULL || found == NULL || source == NULL) {
    return -1;
  }
  set_source(source, MOST_BYTES);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  free(plain);
  free(found);
  free(source);
  return 0;
}

/* ---- Floating point ---- */

#if defined(__SSE2__)

static const struct {
  const char *name;
  unsigned control; /* of SSE; a program begins with 0x1f80 */
} environments[] = {{"downwards", 0x3f80},
                    {"upwards", 0x5f80},
                    {"towards zero", 0x7f80},
                    {"flushing to zero, subnormals being zero", 0x9fc0},
                    {"trapping all but the inexact", 0x1000}};

/* Only the library's work is done in the environment; the outcome is looked at outside. */
static void check(const relaid *asked) {
  relay(asked, source, plain);
  for (size_t i = 0; i < sizeof environments / sizeof environments[0]; ++i) {
    const unsigned was = _mm_getcsr();
    _mm_setcsr(environments[i].control);
    relay(asked, source, found);
    const unsigned kept = _mm_getcsr() & ~0x3fu;
    _mm_setcsr(was);
    assert_int_equal(kept, environments[i].control);
    expect_alike(asked, environments[i].name, plain, found);
  }
}

static void check_conversions(void) {
  static const char *const types[] = {"f64",       "f32", "f16", "bf16", "f8e4m3fn", "f4e2m1fn",
                                      "f8e8m0fnu", "s64", "u64", "s32",  "s8",       "pred"};
  static const double scales[] = {1, 0.1, 0x1p-1074};
  enum { TYPES = sizeof types / sizeof types[0], SCALES = sizeof scales / sizeof scales[0] };
  for (size_t pair = 0; pair < TYPES * TYPES; ++pair) {
    char from[64], to[96];
    snprintf(from, sizeof from, "%s[12,33]", types[pair / TYPES]);
    snprintf(to, sizeof to, "%s[12,33]{0,1:PD(13,40)PV(one)}", types[pair % TYPES]);
    if (strcmp(types[pair % TYPES], "f8e8m0fnu") == 0) {
      snprintf(to, sizeof to, "%s[12,33]{0,1}", types[pair % TYPES]);
    }
    for (size_t s = 0; s < SCALES; ++s) {
      check(&(relaid){from, to, scales[s], RELAYOUT_ROUNDING_ZERO});
      if (strchr("su", types[pair % TYPES][0]) != NULL) { /* an integer */
        check(&(relaid){from, to, scales[s], RELAYOUT_ROUNDING_NEAREST});
      }
    }
  }
}

static void test_conversions(void **state) {
  (void)state;
  for (const rlt_cpu_instruction_set *set = rlt_cpu_instruction_sets; set->name != NULL; ++set) {
    if (set->is_there()) {
      print_message("%s\n", set->name);
      setenv("RELAYOUT_CPU_INSTRUCTIONS", set->name, 1);
      check_conversions();
    }
  }
  unsetenv("RELAYOUT_CPU_INSTRUCTIONS");
}

/* Threads that inherit the environment or do not. Padding whose source has to be found. */
static void test_threads_and_fill(void **state) {
  (void)state;
  check(&(relaid){"f64[1024,1024]{1,0}", "f16[1024,1024]{0,1}", 0.3, RELAYOUT_ROUNDING_ZERO});
  check(&(relaid){"f32[1000,1001]{1,0}", "bf16[1000,1001]{0,1:PD(1000,1024)PV(highest)}", 1e-300,
                  RELAYOUT_ROUNDING_ZERO});
  check(&(relaid){"f64[10,100]{1,0}", "f32[10,100]{1,0:PD(16,128)PV(lowest)}", 0x1p-1074,
                  RELAYOUT_ROUNDING_ZERO});
  check(&(relaid){"f32[10,100]{1,0}", "f64[10,100]{1,0:T(8,128)}", 0x1p-1074,
                  RELAYOUT_ROUNDING_ZERO});
}
#else
static void test_conversions(void **state) {
  (void)state;
  skip();
}

static void test_threads_and_fill(void **state) {
  (void)state;
  skip();
}
#endif

/* ---- Locale ---- */

/* One that writes 1.5 as 1,5: from a folder of the test's own, or the system's. */
static bool enter_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0) {
      return true;
    }
  }
  setlocale(LC_ALL, "C");
  return false;
}

static void test_comma_locale(void **state) {
  (void)state;
  static const relaid cases[] = {
      {"f32[100,200]{1,0}", "bf16[100,200]{0,1:PD(101,200)PV(-1.5)}", 0.25, RELAYOUT_ROUNDING_ZERO},
      {"f32[300,500]{1,0}", "f32[300,500]{1,0:T(8,128)}", 1, RELAYOUT_ROUNDING_ZERO},
      {"u8[20,30,3]", "u8[20,30,3]{1,0,2}", 1, RELAYOUT_ROUNDING_ZERO},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relay(&cases[i], source, plain);
    if (!enter_comma_locale()) {
      print_message("no locale with a decimal comma\n");
      skip();
    }
    relay(&cases[i], source, found);
    setlocale(LC_ALL, "C");
    expect_alike(&cases[i], "with a comma", plain, found);
    assert_non_null(strstr(plain->json, "\"predicted_fraction\":0."));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_threads_and_fill),
      cmocka_unit_test(test_comma_locale),
  };
  return cmocka_run_group_tests_name("plan.caller_environment", tests, set_up, tear_down);
}
