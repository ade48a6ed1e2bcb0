/* test_recorded_launches.c: what a device is asked to run is the schedule, to the letter: which
 * kernel, compiled how, in how many work-groups, over which grid. A recorder stands before the
 * driver, so nothing is compiled and every schedule of many relayouts is gone through. All that is
 * expected is read from the schedule's text and the axes of the problem that it is for. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "conformance/schedules.h"
#include "gpu/arguments.h"
#include "opencl/bench.h"
#include "opencl/device.h"
#include "opencl/launch_recorder.h"
#include "plan/plan.h"
#include "problem/definition.h"
#include "shape_of.h"

/* ---- A schedule, as its text says ---- */

enum { MOST_SAID = 64 };

typedef struct said_group {
  int32_t count;
  int32_t axes[MOST_SAID];
  int64_t block; /* steps of the last axis; 0: all of them */
} said_group;

typedef struct said_loop {
  int32_t axis;
  int64_t inside; /* 0: a loop over blocks */
} said_loop;

typedef struct said {
  const char *text;
  char move[32];
  bool unpacks, converts, shuffles, packs;
  int64_t word;
  int64_t source_alignment, destination_alignment;
  said_group rows, columns;
  int32_t loop_count;
  said_loop loops[MOST_SAID]; /* in the order in which they run, the innermost first */
  bool buffered, streamed;
  int64_t group_size;
  int64_t grain;
} said;

/* What stands behind ` name=`, up to the next space; false where the field is not there. */
static bool field(const char *text, const char *name, char value[512]) {
  char key[32];
  snprintf(key, sizeof key, " %s=", name);
  const char *const at = strstr(text, key);
  if (at == NULL) {
    return false;
  }
  const size_t length = strcspn(at + strlen(key), " ");
  assert_true(length > 0 && length < 512);
  snprintf(value, 512, "%.*s", (int)length, at + strlen(key));
  return true;
}

static int64_t number(const char *text, const char *name, int64_t otherwise) {
  char value[512];
  return field(text, name, value) ? strtoll(value, NULL, 10) : otherwise;
}

/* `axis,axis:steps`, or `-`. */
static said_group group_of(const char *text, const char *name) {
  char value[512];
  said_group made = {.count = 0};
  assert_true(field(text, name, value));
  char *at = value;
  while (*at != '\0' && *at != '-') {
    assert_true(made.count < MOST_SAID);
    made.axes[made.count++] = (int32_t)strtol(at, &at, 10);
    if (*at == ':') {
      made.block = strtoll(at + 1, &at, 10);
    }
    at += *at == ',';
  }
  return made;
}

/* `axis:n,axis:n/axis,axis`, or `-`. */
static void read_loops(said *made) {
  char value[512];
  assert_true(field(made->text, "loops", value));
  bool inside = true;
  char *at = value;
  while (*at != '\0' && *at != '-') {
    if (*at == '/') {
      inside = false;
      ++at;
    }
    assert_true(made->loop_count < MOST_SAID);
    said_loop *const loop = &made->loops[made->loop_count++];
    loop->axis = (int32_t)strtol(at, &at, 10);
    assert_int_equal(*at == ':', inside);
    loop->inside = inside ? strtoll(at + 1, &at, 10) : 0;
    at += *at == ',';
  }
}

static void read_move(said *made) {
  char value[512];
  assert_true(field(made->text, "move", value));
  for (char *stage = strtok(value, ">"); stage != NULL; stage = strtok(NULL, ">")) {
    bool *const known = strcmp(stage, "unpack") == 0    ? &made->unpacks
                        : strcmp(stage, "convert") == 0 ? &made->converts
                        : strcmp(stage, "shuffle") == 0 ? &made->shuffles
                        : strcmp(stage, "pack") == 0    ? &made->packs
                                                        : NULL;
    if (known != NULL) {
      *known = true;
    } else {
      assert_int_equal(made->move[0], '\0');
      snprintf(made->move, sizeof made->move, "%s", stage);
    }
  }
}

static said read_schedule(const char *text) {
  said made = {.text = text,
               .word = number(text, "word", 0),
               .rows = group_of(text, "rows"),
               .columns = group_of(text, "columns"),
               .group_size = number(text, "group", 1),
               .grain = number(text, "grain", 1)};
  char value[512];
  assert_true(field(text, "align", value));
  assert_int_equal(
      sscanf(value, "%" SCNd64 ":%" SCNd64, &made.source_alignment, &made.destination_alignment),
      2);
  assert_true(field(text, "store", value));
  made.buffered = strncmp(value, "staged", 6) == 0;
  made.streamed = strstr(value, "+streamed") != NULL;
  read_loops(&made);
  read_move(&made);
  return made;
}

static bool moves_by(const said *of, const char *move) {
  return strcmp(of->move, move) == 0;
}

/* ---- What follows from it ---- */

#define EXPECT(what, found, expected)                                                              \
  do {                                                                                             \
    const int64_t is = (int64_t)(found);                                                           \
    const int64_t should_be = (int64_t)(expected);                                                 \
    if (is != should_be) {                                                                         \
      fail_msg("%s is %" PRId64 ", not %" PRId64 ": %s", what, is, should_be, of->text);           \
    }                                                                                              \
  } while (0)

/* The value that a program was built with. */
static int64_t option(const recorded_launch *launch, const char *name) {
  char key[64];
  snprintf(key, sizeof key, " -D%s=", name);
  const char *const at = strstr(launch->options, key);
  if (at == NULL) {
    fail_msg("kernel %s is built without %s", launch->kernel, name);
  }
  return strtoll(at + strlen(key), NULL, 10);
}

/* The problem in the words of the schedule. */
static const rlt_problem *form_of(const rlt_forms *forms, const said *of) {
  for (int32_t i = 0; i < forms->count; ++i) {
    if (forms->of[i]->element_bytes == of->word &&
        (forms->of[i]->transposed_bits > 0) == moves_by(of, "bit-transpose")) {
      return forms->of[i];
    }
  }
  fail_msg("no form in such words: %s", of->text);
  return NULL;
}

static const char *kernel_of(const said *of) {
  if (moves_by(of, "index") || (moves_by(of, "fill") && of->packs)) {
    return "lookup";
  }
  if (moves_by(of, "fill") || moves_by(of, "copy")) {
    return of->move;
  }
  const bool is_of_its_own = moves_by(of, "transpose") || moves_by(of, "interleave");
  return is_of_its_own ? of->move : "permute";
}

/* In words of any size. */
static bool runs_kernel(const recorded_launch *launch, const char *kernel) {
  char name[64];
  snprintf(name, sizeof name, "relayout_%s_", kernel);
  return strncmp(launch->kernel, name, strlen(name)) == 0;
}

static void check_options(const said *of, const rlt_problem *problem,
                          const recorded_launch *launch) {
  char name[64];
  snprintf(name, sizeof name, "relayout_%s_%d", kernel_of(of),
           (int)rlt_problem_destination_bytes(problem));
  if (strcmp(launch->kernel, name) != 0) {
    fail_msg("kernel %s, not %s: %s", launch->kernel, name, of->text);
  }
  const bool converts = option(launch, "CONVERTS") != 0 || option(launch, "TABLE") != 0;
  EXPECT("WORD_BYTES", option(launch, "WORD_BYTES"), rlt_problem_destination_bytes(problem));
  EXPECT("SOURCE_BYTES", option(launch, "SOURCE_BYTES"), of->word);
  EXPECT("GROUP", option(launch, "GROUP"), of->group_size);
  EXPECT("SOURCE_BITS", option(launch, "SOURCE_BITS"), problem->source_packed);
  EXPECT("DESTINATION_BITS", option(launch, "DESTINATION_BITS"), problem->destination_packed);
  EXPECT("REVERSED_BITS", option(launch, "REVERSED_BITS"),
         problem->source_high ? problem->source_packed : problem->reversed_bits);
  EXPECT("DESTINATION_HIGH", option(launch, "DESTINATION_HIGH"), problem->destination_high);
  EXPECT("unpacking", option(launch, "SOURCE_BITS") > 0, of->unpacks);
  EXPECT("packing", option(launch, "DESTINATION_BITS") > 0, of->packs);
  EXPECT("converting", converts, of->converts && !moves_by(of, "fill"));
  EXPECT("shuffling", of->shuffles, false);
  if (runs_kernel(launch, "interleave")) {
    const rlt_axis *const pixels = &problem->axes[of->columns.axes[0]];
    const bool joins = pixels->source_stride == 1;
    EXPECT("JOINS", option(launch, "JOINS"), joins);
    EXPECT("CHANNELS", option(launch, "CHANNELS"),
           joins ? pixels->destination_stride : pixels->source_stride);
  }
  if (runs_kernel(launch, "transpose")) {
    const int64_t columns = of->columns.block;
    const int64_t rows = of->rows.block;
    EXPECT("TILE_COLUMNS", option(launch, "TILE_COLUMNS"),
           columns > 0 ? columns : option(launch, "TILE_COLUMNS"));
    EXPECT("TILE_ROWS", option(launch, "TILE_ROWS"), rows > 0 ? rows : option(launch, "TILE_ROWS"));
  }
}

static int64_t extent_of(const rlt_problem *problem, const said *of, int32_t axis) {
  EXPECT("an axis", axis >= 0 && axis < problem->axis_count, true);
  return problem->axes[axis].extent;
}

/* Steps of this axis that tiles lie apart; 0 where one takes all of it. */
static int64_t steps_between(const rlt_problem *problem, const said *of, int32_t axis) {
  const said_group *const groups[] = {&of->columns, &of->rows};
  for (int g = 0; g < 2; ++g) {
    for (int32_t i = 0; i < groups[g]->count; ++i) {
      if (groups[g]->axes[i] == axis) {
        const bool is_last = i == groups[g]->count - 1;
        return is_last && groups[g]->block < extent_of(problem, of, axis) ? groups[g]->block : 0;
      }
    }
  }
  return 1;
}

/* How many tiles there are along this axis. */
static int64_t tiles_along(const rlt_problem *problem, const said *of, int32_t axis) {
  const int64_t steps = steps_between(problem, of, axis);
  return steps == 0 ? 1 : rlt_divide_up(extent_of(problem, of, axis), steps);
}

static int64_t iterations_inside(const said *of, int32_t axis) {
  for (int32_t l = 0; l < of->loop_count; ++l) {
    if (of->loops[l].axis == axis && of->loops[l].inside > 0) {
      return of->loops[l].inside;
    }
  }
  return 1;
}

/* The loop that counts the blocks of this axis: the last one over it. */
static int64_t loop_over(const said *of, int32_t axis) {
  int64_t found = -1;
  for (int32_t l = 0; l < of->loop_count; ++l) {
    found = of->loops[l].axis == axis ? l : found;
  }
  return found;
}

static void check_side(const said *of, const rlt_problem *problem, const said_group *group,
                       const kernel_side *side) {
  int64_t inner = 1;
  for (int32_t i = 0; i + 1 < group->count; ++i) {
    inner *= extent_of(problem, of, group->axes[i]);
  }
  const int32_t last = group->count > 0 ? group->axes[group->count - 1] : -1;
  const int64_t extent = last < 0 ? 1 : extent_of(problem, of, last);
  const int64_t block = group->block > 0 ? group->block : extent;
  EXPECT("inner", side->inner, inner);
  EXPECT("block", side->block, block);
  EXPECT("extent", side->extent, extent);
  EXPECT("length", side->length, inner * block);
  EXPECT("the loop over a side's blocks", side->loop_number,
         block < extent ? loop_over(of, last) : -1);
  EXPECT("a side's destination stride", side->destination_stride,
         last < 0 ? 0 : problem->axes[last].destination_stride);
  EXPECT("a side's source stride", side->source_stride,
         last < 0 || problem->index_program != NULL ? 0 : problem->axes[last].source_stride);
}

static void check_loops(const said *of, const rlt_problem *problem, const kernel_loop *loops) {
  for (int32_t l = 0; l < of->loop_count; ++l) {
    const int32_t axis = of->loops[l].axis;
    const bool is_inner = of->loops[l].inside > 0;
    const int64_t inside = iterations_inside(of, axis);
    const int64_t steps = steps_between(problem, of, axis) * (is_inner ? 1 : inside);
    EXPECT("a loop's count", loops[l].count,
           is_inner ? inside : rlt_divide_up(tiles_along(problem, of, axis), inside));
    EXPECT("a loop's destination step", loops[l].destination_step,
           steps * problem->axes[axis].destination_stride);
    EXPECT("a loop's source step", loops[l].source_step,
           problem->index_program != NULL ? 0 : steps * problem->axes[axis].source_stride);
  }
}

static void check_grid(const said *of, const rlt_problem *problem, const recorded_launch *launch) {
  kernel_grid grid;
  kernel_loop loops[MOST_SAID];
  const size_t loops_size = (size_t)of->loop_count * sizeof loops[0];
  EXPECT("the grid's size", launch->grid_size, sizeof grid + loops_size);
  memcpy(&grid, launch->grid, sizeof grid);
  memcpy(loops, launch->grid + sizeof grid, loops_size);
  int64_t tiles = 1;
  for (int32_t axis = 0; axis < problem->axis_count; ++axis) {
    tiles *= tiles_along(problem, of, axis);
  }
  int64_t counted = 1;
  for (int32_t l = 0; l < of->loop_count; ++l) {
    counted *= loops[l].count;
  }
  EXPECT("tile_count", grid.tile_count, tiles);
  EXPECT("what loops count", counted, tiles);
  EXPECT("loop_count", grid.loop_count, of->loop_count);
  EXPECT("tiles_per_group", grid.tiles_per_group, of->grain);
  EXPECT("streaming", of->streamed, false);
  EXPECT("fills", grid.fills, problem->fills);
  EXPECT("work-groups", launch->group_count, rlt_divide_up(tiles, of->grain));
  EXPECT("work-items of a group", launch->group_size, of->group_size);
  check_side(of, problem, &of->columns, &grid.columns);
  check_side(of, problem, &of->rows, &grid.rows);
  check_loops(of, problem, loops);
}

/* ---- Relayouts ---- */

static const struct relayout {
  const char *from;
  const char *to;
  double scale; /* 0: none */
} relayouts[] = {
    {"f32[]", "f32[]", 0},
    {"u8[63]", "u8[63]", 0},
    {"u8[200001]", "u8[200001]", 0},
    {"u8[37,1001]", "u8[37,1001]{1,0:PD(40,1003)}", 0},
    {"f32[500,96]", "f32[500,96]{1,0:PD(512,128)}", 0},
    {"u8[5000,3]", "u8[5000,3]{1,0:PD(5000,4)PV(255)}", 0},
    {"bf16[5,300,33]{2,1,0}", "bf16[5,300,33]{2,0,1}", 0},
    {"u8[96,64,8]{2,1,0}", "u8[96,64,8]{2,0,1}", 0},
    {"f32[256,128]", "f32[256,128]{0,1}", 0},
    {"u8[131,2100]", "u8[131,2100]{0,1:PD(140,2200)PV(7)}", 0},
    {"u16[5,70,67]", "u16[5,70,67]{1,2,0}", 0},
    {"f64[77,200]", "f64[77,200]{0,1}", 0},
    {"c128[45,100]", "c128[45,100]{0,1}", 0},
    {"u8[7001,3]", "u8[7001,3]{0,1}", 0},
    {"u16[7001,3]{0,1}", "u16[7001,3]{1,0:PD(7001,4)}", 0},
    {"f32[5,4,3,6,7]", "f32[5,4,3,6,7]{0,1,2,3,4:PD(5,4,5,6,7)}", 0},
    {"u32[2,3,4,5,6,7]", "u32[2,3,4,5,6,7]{1,3,5,0,2,4}", 0},
    {"f32[8,300]", "f32[8,300]{1,0:T(8,128)}", 0},
    {"bf16[512,384]{0,1}", "bf16[512,384]{1,0:T(8,128)(2,1)}", 0},
    {"bf16[512,384]{1,0:T(8,128)(2,1)}", "bf16[512,384]{0,1:T(8,128)(2,1)}", 0},
    {"s32[100,90]{1,0:T(3,5)}", "s32[100,90]{1,0:T(4,7)}", 0},
    {"u8[0]", "u8[0]{0:PD(100003)PV(3)}", 0},
    {"f32[0,4]", "f32[0,4]{1,0:PD(50,9)PV(1)}", 0},
    {"f32[400,500]", "bf16[400,500]", 0},
    {"f32[400,500]", "bf16[400,500]{0,1}", 0},
    {"bf16[401,503]", "f32[401,503]{0,1:PD(416,512)}", 0},
    {"f32[300,200]", "s8[300,200]{0,1}", 0.37},
    {"f16[300,200]", "s8[300,200]{1,0:PD(300,256)}", 3},
    {"f64[20,3000]", "f32[20,3000]", 0},
    {"u4[256,256]{1,0:E(4)}", "u4[256,256]{0,1:E(4)}", 0},
    {"u4[33,35]{1,0:E(4)}", "u4[33,35]{0,1:E(4)}", 0},
    {"u4[256,256]{1,0:E(4)}", "u4[256,256]", 0},
    {"s4[64,1000]", "s4[64,1000]{1,0:E(4)}", 0},
    {"u4[128,320]{1,0:E(4)}", "bf16[128,320]{0,1}", 0},
    {"f32[128,320]", "u4[128,320]{0,1:E(4)}", 0},
    {"u1[512,512]{1,0:E(1)}", "u1[512,512]{0,1:E(1)}", 0},
    {"u2[512,515]{1,0:E(2)}", "u2[512,515]{0,1:E(2)}", 0},
    {"u4[0]{0:E(4)}", "u4[0]{0:PD(101)PV(5)E(4)}", 0},
    {"u8[100,100]", "u8[100,100]{0,1:E(16)}", 0},
};
enum { RELAYOUTS = sizeof relayouts / sizeof relayouts[0] };

/* `texts` NULL: as the plan chooses. */
static relayout_plan *plan_of(const opencl_bench *bench, const struct relayout *of,
                              const char *const *texts, int32_t count) {
  const relayout_shape from = shape_of(of->from);
  const relayout_shape to = shape_of(of->to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = of->scale == 0 ? 1 : of->scale;
  options.schedules = texts;
  options.schedule_count = texts == NULL ? 0 : count;
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  if (relayout_plan_create(bench->device, &from, &to, &options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s -> %s: %s", of->from, of->to, error.message);
  }
  return plan;
}

static void enqueue(const opencl_bench *bench, const relayout_plan *plan, cl_mem source,
                    size_t source_offset, cl_mem destination, size_t destination_offset) {
  relayout_error error = {0};
  launch_recorder_clear();
  if (relayout_plan_enqueue(plan, bench->queue, source, source_offset, destination,
                            destination_offset, 0, NULL, NULL, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(launches_recorded.count, relayout_plan_part_count(plan));
  assert_true(launches_recorded.count <= RECORDED_LAUNCHES);
}

static cl_mem buffer_of(const opencl_bench *bench, size_t size) {
  const cl_mem made = clCreateBuffer(bench->context, CL_MEM_READ_WRITE, size + 1, NULL, NULL);
  assert_non_null(made);
  return made;
}

/* Sides begin at these bytes of two buffers. */
static void launch_at(const opencl_bench *bench, const relayout_plan *plan, size_t source_offset,
                      size_t destination_offset) {
  const cl_mem source = buffer_of(bench, source_offset + relayout_plan_source_size(plan));
  const cl_mem destination =
      buffer_of(bench, destination_offset + relayout_plan_destination_size(plan));
  enqueue(bench, plan, source, source_offset, destination, destination_offset);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
}

static void check_launch(const relayout_plan *plan, int32_t part, const char *text) {
  const recorded_launch *const launch = &launches_recorded.of[part];
  const said schedule = read_schedule(text);
  const rlt_problem *const problem = form_of(&plan->work.parts[part].forms, &schedule);
  check_options(&schedule, problem, launch);
  check_grid(&schedule, problem, launch);
}

/* ---- What was asked for is launched ---- */

/* Every move there is, and whether kernels can. */
static const struct known_move {
  const char *name;
  bool is_known;
} known_moves[] = {
    {"fill", true},      {"copy", true},           {"copy-runs", false}, {"interleave", true},
    {"transpose", true}, {"bit-transpose", false}, {"permute", true},    {"index", true},
};
enum { KNOWN_MOVES = sizeof known_moves / sizeof known_moves[0] };
_Static_assert((int)KNOWN_MOVES == (int)RLT_MOVES, "all moves are known");

/* How many launches moved by each. */
typedef size_t move_counts[KNOWN_MOVES];

static void count_move(const char *text, move_counts counts) {
  const said schedule = read_schedule(text);
  for (size_t m = 0; m < KNOWN_MOVES; ++m) {
    counts[m] += moves_by(&schedule, known_moves[m].name);
  }
}

static void launch_schedules(const opencl_bench *bench, const struct relayout *of,
                             move_counts counts) {
  relayout_plan *const chosen = plan_of(bench, of, NULL, 0);
  schedules all;
  assert_true(schedules_of(chosen, &all));
  for (size_t round = 0; round < all.count; ++round) {
    const char *texts[SCHEDULES_MOST_PARTS];
    schedules_of_round(&all, round, texts);
    relayout_plan *const plan = plan_of(bench, of, texts, all.part_count);
    launch_at(bench, plan, 0, 0);
    for (int32_t part = 0; part < all.part_count; ++part) {
      check_launch(plan, part, texts[part]);
      count_move(texts[part], counts);
    }
    relayout_plan_destroy(plan);
  }
  schedules_free(&all);
  relayout_plan_destroy(chosen);
}

static void launch_all(const opencl_bench *bench) {
  move_counts counts = {0};
  for (size_t i = 0; i < RELAYOUTS; ++i) {
    launch_schedules(bench, &relayouts[i], counts);
  }
  for (size_t m = 0; m < KNOWN_MOVES; ++m) {
    if ((counts[m] > 0) != known_moves[m].is_known) {
      fail_msg("%zu launches move by %s", counts[m], known_moves[m].name);
    }
  }
}

static void test_every_schedule(void **state) {
  launch_all(*state);
}

/* Destinations that are too large for the cache, and launches of few work-groups. */
static void test_every_schedule_elsewhere(void **state) {
  const opencl_bench *const bench = *state;
  rlt_facts *const facts = &bench->device->facts;
  const rlt_facts before = *facts;
  facts->cache_bytes = 1;
  facts->most_groups = 3;
  launch_all(bench);
  *facts = before;
}

/* ---- Problems at random ---- */

static relayout_plan *plan_of_problem(const opencl_bench *bench, const rlt_problem *problem,
                                      rlt_texts texts) {
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  if (rlt_plan_create_for_problem(bench->device, problem, &request, texts, &plan, &error) !=
      RELAYOUT_OK) {
    definition_print(problem);
    fail_msg("%s", error.message);
  }
  return plan;
}

typedef struct launching {
  const opencl_bench *bench;
  const rlt_problem *problem;
  size_t count;
} launching;

static void launch_schedule(void *context, const relayout_schedule_info *info) {
  launching *const at = context;
  relayout_plan *const plan = plan_of_problem(at->bench, at->problem, (rlt_texts){1, &info->text});
  launch_at(at->bench, plan, 0, 0);
  check_launch(plan, 0, info->text);
  at->count += 1;
  relayout_plan_destroy(plan);
}

/* What elements become in every third problem, and the next. */
static void change(uint64_t seed, rlt_problem *problem) {
  if (seed % 3 == 1) {
    problem->element_bytes = 4;
    problem->conversion = (rlt_conversion){RELAYOUT_F32, RELAYOUT_BF16, false, 1, false};
  } else if (seed % 3 == 2) {
    problem->element_bytes = 1;
    problem->source_packed = seed % 2 == 0 ? 4 : 1;
    problem->source_high = seed % 4 >= 2;
  }
}

static void test_random_problems(void **state) {
  enum { PROBLEMS = 400 };
  launching at = {.bench = *state};
  for (uint64_t first = 0; first < PROBLEMS; ++first) {
    uint64_t seed = 31000 + first;
    rlt_problem problem = definition_random_problem(&seed);
    change(first, &problem);
    at.problem = &problem;
    relayout_plan *const plan = plan_of_problem(at.bench, &problem, (rlt_texts){0, NULL});
    if (relayout_plan_part_count(plan) > 0) {
      assert_int_equal(relayout_plan_visit_schedules(plan, 0, launch_schedule, &at, NULL),
                       RELAYOUT_OK);
    }
    relayout_plan_destroy(plan);
  }
  assert_true(at.count > PROBLEMS);
}

/* ---- Each offset has its schedule ---- */

static void get_schedule(const relayout_plan *plan, int32_t part, relayout_schedule_use use,
                         char text[1024]) {
  assert_true(relayout_plan_get_schedule(plan, part, use, text, 1024) < 1024);
}

/* What the plan says of itself is what it launches here. */
static void launch_and_compare(const opencl_bench *bench, const relayout_plan *plan,
                               size_t source_offset, size_t destination_offset, size_t counts[2]) {
  launch_at(bench, plan, source_offset, destination_offset);
  for (int32_t part = 0; part < relayout_plan_part_count(plan); ++part) {
    char text[1024];
    get_schedule(plan, part, RELAYOUT_SCHEDULE_ALIGNED, text);
    const said aligned = read_schedule(text);
    const bool is_aligned = source_offset % (size_t)aligned.source_alignment == 0 &&
                            destination_offset % (size_t)aligned.destination_alignment == 0;
    if (!is_aligned) {
      get_schedule(plan, part, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, text);
    }
    check_launch(plan, part, text);
    counts[is_aligned] += 1;
  }
}

/* Bytes that offsets of a side are multiples of. */
static size_t element_size(const char *text) {
  const relayout_shape shape = shape_of(text);
  const size_t size = relayout_element_type_byte_size(shape.element_type);
  const size_t bits = (size_t)shape.layout.element_size_in_bits;
  return bits > 8 * size ? bits / 8 : size;
}

static void test_each_offset(void **state) {
  const opencl_bench *const bench = *state;
  size_t counts[2] = {0, 0};
  for (size_t i = 0; i < RELAYOUTS; ++i) {
    relayout_plan *const plan = plan_of(bench, &relayouts[i], NULL, 0);
    const size_t source = element_size(relayouts[i].from);
    const size_t destination = element_size(relayouts[i].to);
    launch_and_compare(bench, plan, 0, 0, counts);
    launch_and_compare(bench, plan, 16 * source, 16 * destination, counts);
    launch_and_compare(bench, plan, source, 0, counts);
    launch_and_compare(bench, plan, 0, destination, counts);
    launch_and_compare(bench, plan, 2 * source, 3 * destination, counts);
    relayout_plan_destroy(plan);
  }
  assert_true(counts[0] > 0);
  assert_true(counts[1] > counts[0]);
}

/* A buffer on the caller's memory begins where that does. */
static void test_host_memory(void **state) {
  const opencl_bench *const bench = *state;
  enum { SIZE = 96 * 64 * 8, SHIFT = 3, WORD = 8 };
  static const struct relayout runs = {"u8[96,64,8]{2,1,0}", "u8[96,64,8]{2,0,1}", 0};
  uint8_t *const memory = aligned_alloc(64, SIZE + 64);
  assert_non_null(memory);
  memset(memory, 0, SIZE + 64);
  cl_int code = CL_SUCCESS;
  const cl_mem source = clCreateBuffer(bench->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                       SIZE + WORD, memory + SHIFT, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_mem destination = buffer_of(bench, SIZE);
  relayout_plan *const plan = plan_of(bench, &runs, NULL, 0);
  char text[1024];
  enqueue(bench, plan, source, 0, destination, 0);
  get_schedule(plan, 0, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, text);
  assert_non_null(strstr(text, " align=1:1 "));
  check_launch(plan, 0, text);
  enqueue(bench, plan, source, WORD - SHIFT, destination, 0);
  get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text);
  assert_non_null(strstr(text, " align=8:8 "));
  check_launch(plan, 0, text);
  relayout_plan_destroy(plan);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  free(memory);
}

/* ---- Other devices ---- */

/* The bench with a device of its own. */
static opencl_bench with_own_device(const opencl_bench *bench) {
  opencl_bench own = *bench;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = bench->family;
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &own.device, NULL),
      RELAYOUT_OK);
  return own;
}

/* Another row of the tuning table makes other tiles, and kernels for these. */
static void test_other_tuning(void **state) {
  const opencl_bench *const bench = *state;
  const opencl_bench other = with_own_device(bench);
  rlt_tuning tuning = *other.device->tuning;
  tuning.tile_bytes /= 4;
  other.device->tuning = &tuning;
  static const struct relayout transposed = {"f32[512,300]{1,0}", "f32[512,300]{0,1}", 0};
  const recorded_launch *const launch = &launches_recorded.of[0];
  size_t counts[2] = {0, 0};
  relayout_plan *const plan = plan_of(&other, &transposed, NULL, 0);
  launch_and_compare(&other, plan, 0, 0, counts);
  assert_true(runs_kernel(launch, "transpose"));
  assert_int_equal(option(launch, "TILE_ROWS") * option(launch, "TILE_COLUMNS") * 4,
                   tuning.tile_bytes);
  relayout_plan_destroy(plan);
  relayout_device_destroy(other.device);
}

/* Of kernels that bear fewer work-items, the plan's schedule becomes one of smaller groups, which
 * is what it launches. */
static void test_smaller_groups(void **state) {
  const opencl_bench *const bench = *state;
  const opencl_bench smaller = with_own_device(bench);
  launch_recorder_allow_group_size(32);
  for (size_t i = 0; i < RELAYOUTS; ++i) {
    size_t counts[2] = {0, 0};
    relayout_plan *const plan = plan_of(&smaller, &relayouts[i], NULL, 0);
    launch_and_compare(&smaller, plan, 0, 0, counts);
    assert_int_equal(launches_recorded.of[0].group_size, 32);
    relayout_plan_destroy(plan);
  }
  launch_recorder_allow_group_size(1024);
  relayout_device_destroy(smaller.device);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_every_schedule, bench),
      cmocka_unit_test_prestate(test_every_schedule_elsewhere, bench),
      cmocka_unit_test_prestate(test_random_problems, bench),
      cmocka_unit_test_prestate(test_each_offset, bench),
      cmocka_unit_test_prestate(test_host_memory, bench),
      cmocka_unit_test_prestate(test_other_tuning, bench),
      cmocka_unit_test_prestate(test_smaller_groups, bench),
  };
  return cmocka_run_group_tests_name("recorded launches", tests, NULL, NULL);
}

int main(void) {
  setenv("RELAYOUT_CACHE", "off", 1); /* so that no program comes from a file */
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}
