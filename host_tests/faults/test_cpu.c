/* test_cpu.c: the CPU backend when a call fails: device, plans, relayouts, what
 * measuring remembers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/folder.h"
#include "faults/harness.h"
#include "faults/moves.h"
#include "plan/plan.h"
#include "relayout/relayout.h"

/* ---- What is moved ---- */

enum {
  TRANSPOSED,
  PARTED,
  PITCHED,
  GATHERED,
  PACKED,
  BIT_TRANSPOSED,
  PADDED,
  SHARED,
  LARGE,
  MOVES
};

static move moves[MOVES] = {
    [TRANSPOSED] = {.from_text = "f32[64,96]", .to_text = "f32[64,96]{0,1}"},
    /* These two can be done in several ways, so that there is something to measure. */
    [PARTED] = {.from_text = "f32[8,300]", .to_text = "f32[8,300]{1,0:T(8,128)}"},
    [PITCHED] = {.from_text = "f32[100,40]", .to_text = "f32[100,40]{1,0:PD(128,64)}"},
    [GATHERED] = {.from_text = "u8[24,40]{1,0:T(6,10)}", .to_text = "u8[24,40]{1,0:T(4,7)}"},
    [PACKED] = {.from_text = "u8[37,64]", .to_text = "s4[37,64]{1,0:E(4)}", .scale = 0.125},
    [BIT_TRANSPOSED] = {.from_text = "u4[128,128]{1,0:E(4)}", .to_text = "u4[128,128]{0,1:E(4)}"},
    [PADDED] = {.from_text = "u16[100,3]", .to_text = "f32[100,3]{0,1:PD(128,4)PV(-1)}"},
    /* For several threads, and past the cache. */
    [SHARED] = {.from_text = "f32[1000,600]", .to_text = "f32[1000,600]{0,1}"},
    [LARGE] = {.from_text = "f32[3001,700]", .to_text = "f32[3001,700]{0,1}"}};

/* What is known not to be written by a call that failed. */
static void *const untouched = moves;

static relayout_device *open_device(void) {
  relayout_device *device = NULL;
  MUST(relayout_device_open("cpu", &device, &trial_error));
  return device;
}

static relayout_plan *make_plan(relayout_device *device, const move *moved) {
  const relayout_plan_options options = move_options(moved);
  relayout_plan *plan = NULL;
  MUST(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error));
  return plan;
}

/* A new plan on it gives the right bytes. */
static void expect_usable(relayout_device *device, const move *moved) {
  relayout_plan *const plan = make_plan(device, moved);
  move_expect_right(moved, plan);
  relayout_plan_destroy(plan);
}

/* ---- Devices ---- */

static void finish_opening(const scenario *it, relayout_device *device, bool opened) {
  if (!opened) {
    EXPECT(device == untouched);
    device = open_device();
  }
  expect_usable(device, it->moved);
  DURING(relayout_device_destroy(device));
}

static void open_by_name(const scenario *it) {
  relayout_device *device = untouched;
  const bool opened = TRY(relayout_device_open("cpu", &device, &trial_error));
  finish_opening(it, device, opened);
}

static void run_one_by_one(void *context, size_t count, void (*task)(void *data, size_t i),
                           void *data) {
  (void)context;
  for (size_t i = 0; i < count; ++i) {
    task(data, i);
  }
}

static void open_with_threads(const scenario *it) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 3;
  options.parallel_for = run_one_by_one;
  relayout_device *device = untouched;
  const bool opened = TRY(relayout_cpu_device_create(&options, &device, &trial_error));
  finish_opening(it, device, opened);
}

static void ask(const scenario *it) {
  relayout_device *const device = open_device();
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  if (TRY(relayout_device_get_info(device, &info, &trial_error))) {
    EXPECT(strcmp(info.name, "cpu") == 0 && info.compute_units > 0 && info.description[0] != '\0');
  }
  expect_usable(device, it->moved);
  relayout_device_destroy(device);
}

/* ---- Plans ---- */

static void plan_and_execute(const scenario *it) {
  const move *const moved = it->moved;
  const relayout_plan_options options = move_options(moved);
  relayout_device *const device = open_device();
  relayout_plan *plan = untouched;
  if (!TRY(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error))) {
    EXPECT(plan == untouched);
    plan = make_plan(device, moved);
  }
  uint8_t *const destination = move_destination(moved);
  const bool moved_it = TRY(relayout_plan_execute(plan, moved->source, destination, &trial_error));
  EXPECT(move_outcome_of(moved) == (moved_it ? MOVE_WHOLE : MOVE_UNTOUCHED));
  move_expect_right(moved, plan);
  DURING(relayout_plan_destroy(plan));
  expect_usable(device, moved);
  relayout_device_destroy(device);
}

/* A device that stages nothing makes no chunks, whatever is asked for. */
static void plan_in_chunks(const scenario *it) {
  const move *const moved = it->moved;
  relayout_plan_options options = move_options(moved);
  options.source_chunk_bytes = options.destination_chunk_bytes = moved->source_size / 2;
  relayout_device *const device = open_device();
  relayout_plan *plan = untouched;
  if (TRY(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error))) {
    EXPECT(plan->chunk_count == 0);
    relayout_plan_destroy(plan);
  } else {
    EXPECT(plan == untouched);
  }
  expect_usable(device, moved);
  relayout_device_destroy(device);
}

/* A plan of a box that is made knows which. */
static void plan_of_box(const scenario *it) {
  const move *const moved = it->moved;
  const relayout_view from = {.shape = moved->from};
  const relayout_view to = {.shape = moved->to};
  const int64_t start[] = {3, 5};
  const int64_t sizes[] = {40, 50};
  relayout_device *const device = open_device();
  relayout_plan *plan = untouched;
  if (TRY(relayout_plan_create_range(device, &from, &to, start, sizes, NULL, &plan,
                                     &trial_error))) {
    EXPECT(plan->box != NULL);
    relayout_plan_destroy(plan);
  } else {
    EXPECT(plan == untouched);
  }
  expect_usable(device, moved);
  relayout_device_destroy(device);
}

/* From rows on two devices to tiles of the columns on two: what stays goes through memory. */
static void exchange(const scenario *it) {
  const relayout_shape rows = {.element_type = RELAYOUT_U8,
                               .rank = 2,
                               .dimensions = {16, 16},
                               .layout = {.rank = 2,
                                          .minor_to_major = {1, 0},
                                          .tile_count = 1,
                                          .tile_ranks = {2},
                                          .tile_dimensions = {4, 4}}};
  const relayout_sharding from = {.kind = RELAYOUT_SHARDING_TILED,
                                  .rank = 2,
                                  .shards = {2, 1},
                                  .order = {.rank = 1, .dimensions = {2}}};
  relayout_sharding to = from;
  to.shards[0] = 1;
  to.shards[1] = 2;
  static const uint8_t source[128];
  uint8_t destination[128], message[64];
  relayout_device *const device = open_device();
  relayout_exchange *made = NULL;
  if (TRY(relayout_exchange_create(device, &rows, &from, &rows, &to, 0, NULL, &made,
                                   &trial_error))) {
    relayout_exchange_volume volume = {1, 2, 3};
    if (TRY(relayout_exchange_get_volume(made, 1, &volume, &trial_error))) {
      EXPECT(volume.sent == 64 && volume.received == 64 && volume.kept == 64);
    } else {
      EXPECT(volume.sent == 1 && volume.received == 2 && volume.kept == 3);
    }
    EXPECT(relayout_exchange_pack(made, 0, source, message, NULL) == RELAYOUT_OK);
    memset(destination, 1, sizeof destination);
    const bool is_kept = TRY(relayout_exchange_keep(made, source, destination, &trial_error));
    EXPECT(destination[0] == (is_kept ? 0 : 1));
    relayout_exchange_destroy(made);
  } else {
    EXPECT(made == NULL);
  }
  expect_usable(device, it->moved);
  relayout_device_destroy(device);
}

static void copy(const scenario *it) {
  const move *const moved = it->moved;
  relayout_device *const device = open_device();
  uint8_t *const destination = move_destination(moved);
  const bool copied = TRY(
      relayout_copy(device, &moved->from, &moved->to, moved->source, destination, &trial_error));
  EXPECT(move_outcome_of(moved) == (copied ? MOVE_WHOLE : MOVE_UNTOUCHED));
  expect_usable(device, moved);
  relayout_device_destroy(device);
}

/* ---- Several destinations ---- */

/* Groups that boxes cut, or that they do not; a turned layout; and records along another dimension
 * than the source's elements. */
enum { MANY = 4 };
typedef struct many_case {
  const char *from;
  const char *to[MANY];
  relayout_scale_rule rules[MANY];
} many_case;

static const many_case small_many = {
    "(s8[64,96]-s8[64,3])*f16[64,3]",
    {"bf16[64,96]{0,1:PD(128,96)PV(-1)}", "s4[64,96]{1,0:E(4)}*f32[64,1]",
     "f8e4m3fn[64,96]*f8e8m0fnu[64,3]", "q8_0[64,96]{0,1}"},
    {RELAYOUT_SCALES_GIVEN, RELAYOUT_SCALES_GIVEN, RELAYOUT_SCALES_POWER2, RELAYOUT_SCALES_GIVEN}};

/* For several threads. */
static const many_case large_many = {
    "f32[256,608]{0,1}",
    {"f16[256,608]", "s8[256,608]*f32[1,1]", "(u8[256,608]-u8[1,608])*bf16[1,608]",
     "mxfp4[256,608]"},
    {RELAYOUT_SCALES_GIVEN, RELAYOUT_SCALES_AMAX_UP, RELAYOUT_SCALES_AMAX, RELAYOUT_SCALES_GIVEN}};

enum { MANY_ELEMENTS = 4 * 256 * 608, MANY_BESIDE = 4 * 1024, MANY_POISON = 0x3c };

typedef struct many_memory {
  uint8_t elements[MANY_ELEMENTS];
  uint8_t scales[MANY_BESIDE];
  uint8_t points[MANY_BESIDE];
} many_memory;

static many_memory many_source, many_found[MANY], many_wanted[MANY];

typedef struct many_sides {
  relayout_scaled_view from;
  relayout_scaled_view to[MANY];
} many_sides;

static many_sides many_sides_of(const many_case *moved) {
  many_sides sides;
  MUST(relayout_scaled_view_parse(moved->from, &sides.from, &trial_error));
  for (int i = 0; i < MANY; ++i) {
    MUST(relayout_scaled_view_parse(moved->to[i], &sides.to[i], &trial_error));
    sides.to[i].rule = moved->rules[i];
  }
  return sides;
}

static relayout_status many_execute(const relayout_plan *plan, many_memory *found) {
  relayout_destination_memory to[MANY];
  const relayout_source_memory from = {.elements = many_source.elements,
                                       .scales = many_source.scales,
                                       .zero_points = many_source.points};
  for (int i = 0; i < MANY; ++i) {
    to[i] = (relayout_destination_memory){
        .elements = found[i].elements, .scales = found[i].scales, .zero_points = found[i].points};
  }
  return relayout_plan_execute_many(plan, &from, to, &trial_error);
}

static void many_make(const many_case *moved) {
  const many_sides sides = many_sides_of(moved);
  relayout_device *const device = open_device();
  relayout_plan *plan = NULL;
  for (size_t i = 0; i < sizeof many_source.elements; ++i) {
    many_source.elements[i] = (uint8_t)(i % 4 == 3 ? 0x3f : i * 5 % 127); /* finite in any type */
  }
  memset(many_source.scales, 0x3c, sizeof many_source.scales);
  memset(many_source.points, 3, sizeof many_source.points);
  memset(many_wanted, MANY_POISON, sizeof many_wanted);
  MUST(relayout_plan_create_many(device, &sides.from, sides.to, MANY, NULL, &plan, &trial_error));
  MUST(many_execute(plan, many_wanted));
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Every byte as it was or as it is to be. */
static bool many_is_partly_written(void) {
  const uint8_t *const found = (const uint8_t *)many_found;
  const uint8_t *const wanted = (const uint8_t *)many_wanted;
  for (size_t i = 0; i < sizeof many_found; ++i) {
    if (found[i] != MANY_POISON && found[i] != wanted[i]) {
      return false;
    }
  }
  return true;
}

/* A call that failed may have written a part; the same plan then writes all. */
static void plan_many(const scenario *it, const many_case *moved) {
  const many_sides sides = many_sides_of(moved);
  relayout_device *const device = open_device();
  relayout_plan *plan = untouched;
  if (!TRY(relayout_plan_create_many(device, &sides.from, sides.to, MANY, NULL, &plan,
                                     &trial_error))) {
    EXPECT(plan == untouched);
    MUST(relayout_plan_create_many(device, &sides.from, sides.to, MANY, NULL, &plan, &trial_error));
  }
  EXPECT(relayout_plan_destination_count(plan) == MANY);
  memset(many_found, MANY_POISON, sizeof many_found);
  if (!TRY(many_execute(plan, many_found))) {
    EXPECT(many_is_partly_written());
    MUST(many_execute(plan, many_found));
  }
  EXPECT(memcmp(many_found, many_wanted, sizeof many_found) == 0);
  DURING(relayout_plan_destroy(plan));
  expect_usable(device, it->moved);
  relayout_device_destroy(device);
}

static void make_small_many(const scenario *it) {
  (void)it;
  many_make(&small_many);
}

static void make_large_many(const scenario *it) {
  (void)it;
  many_make(&large_many);
}

static void plan_small_many(const scenario *it) {
  plan_many(it, &small_many);
}

static void plan_large_many(const scenario *it) {
  plan_many(it, &large_many);
}

/* ---- Schedules ---- */

enum { MOST_PARTS = 4, TEXT_SIZE = 4096 };

/* The last that is offered, which the library would not choose. */
static void keep_last(void *context, const relayout_schedule_info *info) {
  snprintf(context, TEXT_SIZE, "%s", info->text);
}

static void count_schedule(void *context, const relayout_schedule_info *info) {
  (void)info;
  ++*(int *)context;
}

static void visit(const scenario *it) {
  relayout_device *const device = open_device();
  relayout_plan *const plan = make_plan(device, it->moved);
  for (int32_t part = 0; part < relayout_plan_part_count(plan); ++part) {
    int calm = 0;
    int count = 0;
    MUST(relayout_plan_visit_schedules(plan, part, count_schedule, &calm, &trial_error));
    const bool visited =
        TRY(relayout_plan_visit_schedules(plan, part, count_schedule, &count, &trial_error));
    EXPECT(count == (visited ? calm : 0));
  }
  relayout_plan_destroy(plan);
  expect_usable(device, it->moved);
  relayout_device_destroy(device);
}

/* By schedules that are asked for. */
static void plan_as_asked(const scenario *it) {
  const move *const moved = it->moved;
  relayout_device *const device = open_device();
  relayout_plan *plan = make_plan(device, moved);
  char texts[MOST_PARTS][TEXT_SIZE];
  const char *asked[MOST_PARTS];
  relayout_plan_options options = move_options(moved);
  options.schedules = asked;
  options.schedule_count = relayout_plan_part_count(plan);
  EXPECT(options.schedule_count <= MOST_PARTS);
  for (int32_t part = 0; part < options.schedule_count; ++part) {
    MUST(relayout_plan_visit_schedules(plan, part, keep_last, texts[part], &trial_error));
    asked[part] = texts[part];
  }
  relayout_plan_destroy(plan);
  plan = untouched;
  if (!TRY(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error))) {
    EXPECT(plan == untouched);
    MUST(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error));
  }
  for (int32_t part = 0; part < options.schedule_count; ++part) {
    char found[TEXT_SIZE];
    DURING(relayout_plan_get_schedule(plan, part, RELAYOUT_SCHEDULE_ALIGNED, found, sizeof found));
    EXPECT(strcmp(found, asked[part]) == 0);
  }
  move_expect_right(moved, plan);
  DURING(relayout_plan_destroy(plan));
  relayout_device_destroy(device);
}

/* Of several destinations: what is offered, and the last of it, that is asked for; then what is
 * measured. */
static void plan_many_by_schedules(const scenario *it) {
  const many_sides sides = many_sides_of(&small_many);
  relayout_device *const device = open_device();
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  char text[TEXT_SIZE];
  const char *const asked = text;
  int calm = 0;
  int count = 0;
  relayout_plan *plan = untouched;
  MUST(relayout_plan_create_many(device, &sides.from, sides.to, 1, NULL, &plan, &trial_error));
  MUST(relayout_plan_visit_schedules(plan, 0, count_schedule, &calm, &trial_error));
  MUST(relayout_plan_visit_schedules(plan, 0, keep_last, text, &trial_error));
  const bool visited =
      TRY(relayout_plan_visit_schedules(plan, 0, count_schedule, &count, &trial_error));
  EXPECT(count == (visited ? calm : 0));
  relayout_plan_destroy(plan);
  plan = untouched;
  options.schedules = &asked;
  options.schedule_count = 1;
  for (int i = 0; i < 2; ++i) {
    if (!TRY(relayout_plan_create_many(device, &sides.from, sides.to, 1, &options, &plan,
                                       &trial_error))) {
      EXPECT(plan == untouched);
      MUST(relayout_plan_create_many(device, &sides.from, sides.to, 1, &options, &plan,
                                     &trial_error));
    }
    DURING(relayout_plan_destroy(plan));
    plan = untouched;
    options.schedule_count = 0;
    options.effort = RELAYOUT_PLAN_MEASURE;
  }
  expect_usable(device, it->moved);
  relayout_device_destroy(device);
}

/* ---- What measuring remembers ---- */

/* A file of wisdom that some process left; made once. */
static char *kept_wisdom;
static char kept_name[FOLDER_NAME];

static void measure_on(relayout_device *device, const scenario *it) {
  const move *const moved = it->moved;
  relayout_plan_options options = move_options(moved);
  options.effort = RELAYOUT_PLAN_MEASURE;
  relayout_plan *plan = untouched;
  if (!TRY(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error))) {
    EXPECT(plan == untouched);
    MUST(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error));
  }
  move_expect_right(moved, plan);
  relayout_plan_destroy(plan);
}

/* Whatever is there now is a whole file of wisdom. */
static void expect_whole_wisdom(void) {
  char name[FOLDER_NAME];
  char *const text = folder_read_only(name);
  if (text != NULL) {
    const size_t length = strlen(text);
    EXPECT(strncmp(name, "wisdom-", 7) == 0);
    EXPECT(strncmp(text, "relayout wisdom ", 16) == 0);
    EXPECT(text[length - 1] == '\n' && strstr(text, " = ") != NULL);
    free(text);
  }
}

static void measure(const scenario *it) {
  relayout_device *const device = open_device();
  measure_on(device, it);
  relayout_device_destroy(device);
  expect_whole_wisdom();
}

/* The folder and the one above it are missing. */
static void measure_first(const scenario *it) {
  folder_remove();
  measure(it);
}

/* There is a file without this problem. */
static void measure_another(const scenario *it) {
  folder_keep_only(kept_name, kept_wisdom);
  measure(it);
}

/* The choice is in the file. */
static void plan_remembered(const scenario *it) {
  folder_keep_only(kept_name, kept_wisdom);
  plan_and_execute(it);
  expect_whole_wisdom();
}

static void keep_wisdom(const scenario *it) {
  folder_remove();
  relayout_device *const device = open_device();
  relayout_plan_options options = move_options(it->moved);
  options.effort = RELAYOUT_PLAN_MEASURE;
  relayout_plan *plan = NULL;
  MUST(relayout_plan_create(device, &it->moved->from, &it->moved->to, &options, &plan,
                            &trial_error));
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  free(kept_wisdom);
  kept_wisdom = folder_read_only(kept_name);
  EXPECT(kept_wisdom != NULL);
}

static void keep_other_wisdom(const scenario *it) {
  (void)it;
  const scenario other = {.moved = &moves[PITCHED]};
  move_make(other.moved);
  keep_wisdom(&other);
}

static char *export(relayout_device *device, bool may_fail) {
  if (may_fail) {
    fault_continue();
  }
  const size_t length = relayout_device_export_wisdom(device, NULL, 0);
  fault_pause();
  char *const text = malloc(length + 1);
  if (may_fail) {
    fault_continue();
  }
  EXPECT(relayout_device_export_wisdom(device, text, length + 1) == length);
  fault_pause();
  EXPECT(strlen(text) == length);
  return text;
}

/* From one device to another, neither of which has a file. */
static void export_and_import(const scenario *it) {
  setenv("RELAYOUT_CACHE", "off", 1);
  relayout_device *const measured = open_device();
  MUST(relayout_device_import_wisdom(measured, kept_wisdom, strlen(kept_wisdom), &trial_error));
  char *const text = export(measured, true);
  EXPECT(strcmp(text, kept_wisdom) == 0);
  relayout_device *const other = open_device();
  const bool imported = TRY(relayout_device_import_wisdom(other, text, strlen(text), &trial_error));
  char *const taken = export(other, false);
  EXPECT(!imported || strcmp(taken, text) == 0);
  expect_usable(other, it->moved);
  free(taken);
  free(text);
  relayout_device_destroy(other);
  relayout_device_destroy(measured);
  unsetenv("RELAYOUT_CACHE");
}

/* ---- Explaining ---- */

/* Schedules of a part are left out where there is no memory for them. */
static void expect_explained(const relayout_plan *plan, relayout_explain_form form) {
  static char calm[1 << 16];
  static char text[1 << 16];
  size_t length = 0;
  const size_t whole = relayout_plan_explain(plan, form, calm, sizeof calm);
  EXPECT(whole < sizeof calm);
  DURING(length = relayout_plan_explain(plan, form, text, sizeof text));
  EXPECT(length == strlen(text) && length <= whole);
  EXPECT(length == whole ? strcmp(text, calm) == 0 : form >= RELAYOUT_EXPLAIN_SCHEDULES_TEXT);
  EXPECT(strstr(text, "[,") == NULL && strstr(text, ",,") == NULL && strstr(text, ",]") == NULL);
}

static void explain(const scenario *it) {
  relayout_device *const device = open_device();
  relayout_plan *const plan = make_plan(device, it->moved);
  for (int form = RELAYOUT_EXPLAIN_TEXT; form <= RELAYOUT_EXPLAIN_SCHEDULES_JSON; ++form) {
    expect_explained(plan, (relayout_explain_form)form);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* ---- All of them ---- */

static const scenario scenarios[] = {
    {.name = "open", .moved = &moves[TRANSPOSED], .run = open_by_name},
    {.name = "open_with_threads", .moved = &moves[TRANSPOSED], .run = open_with_threads},
    {.name = "ask", .moved = &moves[TRANSPOSED], .run = ask},
    {.name = "open_first", .moved = &moves[TRANSPOSED], .run = open_by_name, .is_first = true},
    {.name = "copy_first", .moved = &moves[SHARED], .run = copy, .is_first = true},
    {.name = "plan_transposed", .moved = &moves[TRANSPOSED], .run = plan_and_execute},
    {.name = "plan_parted", .moved = &moves[PARTED], .run = plan_and_execute},
    {.name = "plan_gathered", .moved = &moves[GATHERED], .run = plan_and_execute},
    {.name = "plan_packed", .moved = &moves[PACKED], .run = plan_and_execute},
    {.name = "plan_bit_transposed", .moved = &moves[BIT_TRANSPOSED], .run = plan_and_execute},
    {.name = "plan_padded", .moved = &moves[PADDED], .run = plan_and_execute},
    {.name = "plan_large", .moved = &moves[LARGE], .run = plan_and_execute},
    {.name = "plan_in_chunks", .moved = &moves[TRANSPOSED], .run = plan_in_chunks},
    {.name = "plan_of_box", .moved = &moves[TRANSPOSED], .run = plan_of_box},
    {.name = "exchange", .moved = &moves[TRANSPOSED], .run = exchange},
    {.name = "many",
     .moved = &moves[TRANSPOSED],
     .prepare = make_small_many,
     .run = plan_small_many},
    {.name = "many_shared",
     .moved = &moves[TRANSPOSED],
     .prepare = make_large_many,
     .run = plan_large_many},
    {.name = "many_by_schedules", .moved = &moves[TRANSPOSED], .run = plan_many_by_schedules},
    {.name = "copy", .moved = &moves[PARTED], .run = copy},
    {.name = "visit", .moved = &moves[PARTED], .run = visit},
    {.name = "plan_as_asked", .moved = &moves[PARTED], .run = plan_as_asked},
    {.name = "plan_packed_as_asked", .moved = &moves[PACKED], .run = plan_as_asked},
    {.name = "plan_large_as_asked", .moved = &moves[LARGE], .run = plan_as_asked, .is_long = true},
    {.name = "measure_first", .moved = &moves[PARTED], .run = measure_first},
    {.name = "measure_another",
     .moved = &moves[PARTED],
     .prepare = keep_other_wisdom,
     .run = measure_another},
    {.name = "plan_remembered",
     .moved = &moves[PARTED],
     .prepare = keep_wisdom,
     .run = plan_remembered},
    {.name = "export_and_import",
     .moved = &moves[PARTED],
     .prepare = keep_wisdom,
     .run = export_and_import},
    {.name = "explain", .moved = &moves[PARTED], .run = explain},
};

static const fault_request variations[] = {
    {0, false, 0}, {0, true, 0}, {0, false, 1}, {0, false, 2}, {0, true, 1}};

int main(int argument_count, char **arguments) {
  const harness all = {.scenarios = scenarios,
                       .count = sizeof scenarios / sizeof scenarios[0],
                       .variations = variations,
                       .variation_count = sizeof variations / sizeof variations[0],
                       .quick_variations = 2};
  folder_make();
  const int code = harness_run(&all, argument_count, arguments);
  folder_end();
  return code;
}
