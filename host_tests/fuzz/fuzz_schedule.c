/* fuzz_schedule.c: any text either is refused as a schedule, with a message fit to print, or is the
 * one that the plan runs by. As wisdom it does no harm: the next plan is there, moves what it
 * should, and what the device then knows can be given to another one. */
#include <string.h>

#include "fuzz_target.h"
#include "plan/plan.h"
#include "problem/problem_text.h"
#include "promise.h"
#include "relayout/relayout.h"

enum { MOST_BYTES = 1 << 14, TEXT_SIZE = 4096 };

/* What texts are tried on; the input's first byte says which. */
static const char *const moves[][2] = {
    {"f32[40,30]", "f32[40,30]{0,1}"},
    {"u8[30,20,3]", "u8[30,20,3]{1,0,2:PD(32,32,3)PV(one)}"},
    {"u16[100,5]", "s4[100,5]{1,0:E(4)}"},
    {"u8[8,9,16]", "u8[8,9,16]{2,0,1}"},
    {"s4[64,64]{1,0:E(4)}", "s4[64,64]{0,1:E(4)}"},
    {"u8[0]", "u8[0]{0:PD(70)}"},
};
enum { MOVES = sizeof moves / sizeof moves[0] };

typedef struct fixture {
  relayout_device *device;
  relayout_shape from;
  relayout_shape to;
} fixture;

static void set_up(int number, fixture *made) {
  require(setenv("RELAYOUT_CACHE", "off", 1) == 0, "nothing is kept");
  require(relayout_device_open("cpu", &made->device, NULL) == RELAYOUT_OK, "there is a CPU");
  require(relayout_shape_parse(moves[number][0], &made->from, NULL) == RELAYOUT_OK &&
              relayout_shape_parse(moves[number][1], &made->to, NULL) == RELAYOUT_OK,
          "these are shapes");
}

/* By the schedule; or NULL, as the library chooses. */
static relayout_status make_plan(const fixture *on, const char *schedule, relayout_plan **plan,
                                 relayout_error *error) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = schedule == NULL ? NULL : &schedule;
  options.schedule_count = schedule != NULL;
  return relayout_plan_create(on->device, &on->from, &on->to, &options, plan, error);
}

/* The bytes that the plan writes. */
static void run(const relayout_plan *plan, uint8_t *destination) {
  static uint8_t source[MOST_BYTES];
  require(relayout_plan_source_size(plan) <= MOST_BYTES &&
              relayout_plan_destination_size(plan) <= MOST_BYTES,
          "there is room");
  for (size_t i = 0; i < MOST_BYTES; ++i) {
    source[i] = (uint8_t)(i * 37 % 113);
  }
  memset(destination, 0xa5, MOST_BYTES);
  require(relayout_plan_execute(plan, source, destination, NULL) == RELAYOUT_OK, "plans run");
}

/* A plan by this schedule, if it is one, writes what the library's own writes. */
static void try_as_schedule(const fixture *on, const char *text, const uint8_t *expected) {
  static uint8_t found[MOST_BYTES];
  relayout_plan *plan = NULL;
  relayout_error error;
  const relayout_status status = make_plan(on, text, &plan, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    require(status == RELAYOUT_INVALID_TEXT || status == RELAYOUT_UNSUPPORTED, "with a reason");
    return;
  }
  char whole[TEXT_SIZE];
  const size_t length =
      relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, whole, sizeof whole);
  require(length > 0 && length < sizeof whole, "the plan has a schedule");
  run(plan, found);
  require(memcmp(found, expected, MOST_BYTES) == 0, "which writes what others write");
  relayout_plan_destroy(plan);
  require(make_plan(on, whole, &plan, NULL) == RELAYOUT_OK, "and can be asked for again");
  relayout_plan_destroy(plan);
}

/* ---- Wisdom ---- */

/* How much of a wisdom's text stands before the input: nothing, or what a device of this kind has
 * before all that it knows, or also the relayout's problem. */
typedef enum before_input { NOTHING, HEAD, PROBLEM } before_input;

/* That text, and the input. The caller frees it. */
static char *wisdom_of(const fixture *on, const relayout_plan *plan, before_input before,
                       const uint8_t *data, size_t size, size_t *length) {
  const size_t head = before == NOTHING ? 0 : relayout_device_export_wisdom(on->device, NULL, 0);
  const size_t room = head + TEXT_SIZE + size + 2;
  char *const made = malloc(room);
  require(made != NULL, "there is memory");
  if (head > 0) {
    relayout_device_export_wisdom(on->device, made, room);
  }
  rlt_text text = rlt_text_in(made + head, TEXT_SIZE);
  if (before == PROBLEM) {
    rlt_problem_add_text(rlt_part_problem(&plan->work.parts[0]), &text);
    rlt_text_add(&text, " = ");
  }
  require(text.length < TEXT_SIZE, "problems have short texts");
  memcpy(made + head + text.length, data, size);
  made[head + text.length + size] = '\n';
  *length = head + text.length + size + 1;
  return made;
}

static void try_as_wisdom(const fixture *on, const char *wisdom, size_t size,
                          const uint8_t *expected) {
  static uint8_t found[MOST_BYTES];
  relayout_plan *plan = NULL;
  require(relayout_device_import_wisdom(on->device, wisdom, size, NULL) == RELAYOUT_OK,
          "any text is taken");
  require(make_plan(on, NULL, &plan, NULL) == RELAYOUT_OK, "there is a plan all the same");
  run(plan, found);
  require(memcmp(found, expected, MOST_BYTES) == 0, "which writes what it should");
  relayout_plan_destroy(plan);
}

/* What one device knows of a text, another one takes over as a whole. */
static void check_export(const fixture *on) {
  fixture other = *on;
  const size_t length = relayout_device_export_wisdom(on->device, NULL, 0);
  char *const text = malloc(length + 1);
  char *const again = malloc(length + 1);
  require(text != NULL && again != NULL, "there is memory");
  require(relayout_device_open("cpu", &other.device, NULL) == RELAYOUT_OK, "there is a CPU");
  relayout_device_export_wisdom(on->device, text, length + 1);
  require(relayout_device_import_wisdom(other.device, text, length, NULL) == RELAYOUT_OK,
          "what is exported can be imported");
  require(relayout_device_export_wisdom(other.device, again, length + 1) == length &&
              memcmp(text, again, length) == 0,
          "and comes back as it was");
  relayout_device_destroy(other.device);
  free(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t expected[MOST_BYTES];
  const uint8_t first = size > 0 ? data[0] : 0;
  const size_t length = size > 0 ? size - 1 : 0;
  const uint8_t *const bytes = size > 0 ? data + 1 : (const uint8_t *)"";
  fixture on;
  relayout_plan *plan = NULL;
  set_up(first % 8 % MOVES, &on);
  require(make_plan(&on, NULL, &plan, NULL) == RELAYOUT_OK, "there is a plan");
  run(plan, expected);
  char *const text = malloc(length + 1);
  require(text != NULL, "there is memory");
  memcpy(text, bytes, length);
  text[length] = '\0';
  try_as_schedule(&on, text, expected);
  size_t wisdom_size = 0;
  const before_input before = first / 16 % 2 == 1 ? NOTHING : first / 8 % 2 == 1 ? PROBLEM : HEAD;
  char *const wisdom = wisdom_of(&on, plan, before, bytes, length, &wisdom_size);
  try_as_wisdom(&on, wisdom, wisdom_size, expected);
  check_export(&on);
  free(wisdom);
  free(text);
  relayout_plan_destroy(plan);
  relayout_device_destroy(on.device);
  return 0;
}
