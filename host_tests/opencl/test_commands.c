/* test_commands.c: what is enqueued for a relayout: kernels with which arguments, transfers of
 * which bytes, and what waits for what. The driver is one of memory, which notes that. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "opencl/launch.h"
#include "opencl/parts.h"
#include "opencl/staged.h"
#include "plan/plan.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"
#include "shape_of.h"
#include "view_of.h"

/* A device with what a caller has. */
typedef struct place {
  fake_device told;
  fake_platform platform;
  cl_context context;
  cl_command_queue queues[3];
  rlt_opencl_device *device;
} place;

static const char pocl[] = "Portable Computing Language";

static void make_device(place *at) {
  relayout_device *made = NULL;
  relayout_error error = {0};
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = "";
  fake_driver_begin(&at->platform);
  at->context = fake_context(1, at->platform.devices);
  for (int i = 0; i < 3; ++i) {
    at->queues[i] = fake_queue(at->context, &at->told);
  }
  if (relayout_opencl_device_create(at->context, (cl_device_id)(void *)&at->told, &options, &made,
                                    &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  at->device = (rlt_opencl_device *)made;
}

static place *gpu(void) {
  static place at;
  at = (place){.told = fake_gpu, .platform = {"Some", "OpenCL 3.0", 1, {&at.told}}};
  make_device(&at);
  return &at;
}

static place *pocl_cpu(void) {
  static place at;
  at = (place){.told = fake_gpu, .platform = {pocl, "OpenCL 3.0", 1, {&at.told}}};
  at.told.type = CL_DEVICE_TYPE_CPU;
  at.told.vector_bytes = 16;
  make_device(&at);
  return &at;
}

static relayout_plan *plan_with(const place *at, const char *from, const char *to,
                                const relayout_plan_options *options) {
  const relayout_shape from_shape = shape_of(from);
  const relayout_shape to_shape = shape_of(to);
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  if (relayout_plan_create(&at->device->base, &from_shape, &to_shape, options, &plan, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s -> %s: %s", from, to, error.message);
  }
  return plan;
}

static relayout_plan *plan_of(const place *at, const char *from, const char *to) {
  return plan_with(at, from, to, NULL);
}

static const rlt_launch *launch_of(const relayout_plan *plan) {
  return plan->work.parts[0].variants[0].executable;
}

static uint64_t number_of(const fake_argument *argument) {
  uint64_t number = 0;
  assert_true(argument->is_set && argument->size == sizeof number);
  memcpy(&number, argument->bytes, sizeof number);
  return number;
}

static const void *handle_of(const fake_argument *argument) {
  const void *handle = NULL;
  assert_true(argument->is_set && argument->size == sizeof handle);
  memcpy(&handle, argument->bytes, sizeof handle);
  return handle;
}

/* ---- Kernels ---- */

/* The destination and where it starts, the grid, the fill, the source and where it starts. */
enum { TO, TO_START, GRID, FILL, FROM, FROM_START };

static void test_arguments(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    size_t offsets[2];
    uint64_t starts[2];
    unsigned char fill[4];
  } cases[] = {
      {"f32[64,96]", "f32[64,96]{0,1}", {0, 0}, {0, 0}, {0}},
      {"f32[64,96]", "f32[64,96]{0,1}", {32, 64}, {8, 16}, {0}},
      {"u16[64,96]", "u16[64,96]{0,1:PD(64,100)PV(258)}", {6, 10}, {3, 5}, {2, 1}},
      {"s4[64,32]", "s4[64,32]{0,1:E(4)}", {5, 16}, {5, 32}, {0}},
      {"s4[64,32]{1,0:E(4)}", "s4[64,32]{0,1}", {5, 16}, {10, 16}, {0}},
      {"u2[64,32]{1,0:E(2)}", "u2[64,32]{0,1:E(2)}", {3, 8}, {12, 32}, {0}},
      {"f32[64,32]", "bf16[64,32]{0,1}", {8, 8}, {2, 4}, {0}},
      {"bf16[64,32]", "f32[64,32]{0,1}", {8, 8}, {4, 2}, {0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("%s -> %s\n", cases[i].from, cases[i].to);
    place *const at = gpu();
    relayout_plan *const plan = plan_of(at, cases[i].from, cases[i].to);
    const cl_mem from = fake_buffer(at->context, 1 << 16);
    const cl_mem to = fake_buffer(at->context, 1 << 16);
    const cl_event waited[2] = {fake_event(at->context), fake_event(at->context)};
    fake_forget();
    assert_int_equal(relayout_plan_enqueue(plan, at->queues[1], from, cases[i].offsets[0], to,
                                           cases[i].offsets[1], 2, waited, NULL, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake.command_count, 1);
    const fake_command *const command = fake_command_at("clEnqueueNDRangeKernel", 0);
    const fake_argument *const arguments = command->arguments;
    assert_ptr_equal(handle_of(&arguments[TO]), to);
    assert_ptr_equal(handle_of(&arguments[FROM]), from);
    assert_int_equal(number_of(&arguments[TO_START]), cases[i].starts[1]);
    assert_int_equal(number_of(&arguments[FROM_START]), cases[i].starts[0]);
    assert_ptr_equal(handle_of(&arguments[GRID]), launch_of(plan)->grid);
    assert_memory_equal(arguments[FILL].bytes, cases[i].fill, arguments[FILL].size);
    assert_ptr_equal(command->queue, at->queues[1]);
    assert_int_equal(command->n_wait, 2);
    assert_memory_equal(command->wait, waited, sizeof waited);
    assert_null(command->event);
    relayout_plan_destroy(plan);
    relayout_device_destroy(&at->device->base);
  }
}

/* Behind the sides come tables, local memory, and conversions or a scale, where they are there; no
 * more. */
static void test_more_arguments(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    double scale;
  } cases[] = {{"f32[64,96]", "f32[64,96]{0,1}", 1},
               {"f32[64,96]", "f32[64,96]", 1},
               {"u8[24,20,3]", "u8[24,20,3]{1,0,2}", 1},
               {"f32[5,4,3,6,7]", "f32[5,4,3,6,7]{0,1,2,3,4}", 1},
               {"u8[24,40]{1,0:T(6,10)}", "u8[24,40]{1,0:T(4,7)}", 1},
               {"f32[40,64]", "bf16[40,64]", 3},
               {"f32[40,64]", "bf16[40,64]{0,1}", 1},
               {"u8[40,64]", "bf16[40,64]{0,1}", 3},
               {"f8e4m3fn[40,64]", "f32[40,64]{0,1}", 1}};
  enum { FIRST = FROM_START + 1 };
  int with_tables = 0;
  int with_local = 0;
  int with_conversions = 0;
  int with_scale = 0;
  for (int i = 0; i < 2 * (int)(sizeof cases / sizeof cases[0]); ++i) {
    print_message("%s -> %s\n", cases[i / 2].from, cases[i / 2].to);
    place *const at = i % 2 == 0 ? gpu() : pocl_cpu();
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.scale = cases[i / 2].scale;
    relayout_plan *const plan = plan_with(at, cases[i / 2].from, cases[i / 2].to, &options);
    const rlt_launch *const launch = launch_of(plan);
    const cl_mem from = fake_buffer(at->context, 1 << 16);
    const cl_mem to = fake_buffer(at->context, 1 << 16);
    assert_int_equal(
        relayout_plan_enqueue(plan, at->queues[0], from, 0, to, 0, 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    const fake_argument *next = &fake_command_at("clEnqueueNDRangeKernel", 0)->arguments[FIRST];
    if (launch->tables != NULL) {
      assert_ptr_equal(handle_of(next++), launch->tables);
      ++with_tables;
      if (launch->local_bytes > 0) {
        assert_int_equal(next++->size, launch->local_bytes);
        ++with_local;
      }
    }
    if (launch->conversions != NULL) {
      assert_ptr_equal(handle_of(next++), launch->conversions);
      ++with_conversions;
    } else if (launch->has_scale) {
      assert_int_equal(next->size, sizeof launch->scale);
      assert_memory_equal(next++->bytes, &launch->scale, sizeof launch->scale);
      ++with_scale;
    }
    assert_false(next->is_set);
    relayout_plan_destroy(plan);
    relayout_device_destroy(&at->device->base);
  }
  assert_true(with_tables > 0 && with_local > 0 && with_conversions > 0 && with_scale > 0);
}

/* The last of ten elements is the first of a row that is read backwards. */
static void test_starts_of_views(void **state) {
  (void)state;
  place *const at = gpu();
  const relayout_shape shape = shape_of("f32[10]");
  relayout_view from = view_of(&shape, (const int64_t[]){-4});
  const relayout_view to = view_of(&shape, NULL);
  from.byte_offset = 36;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(&at->device->base, &from, &to, NULL, &plan, NULL),
                   RELAYOUT_OK);
  const cl_mem source = fake_buffer(at->context, 100);
  const cl_mem destination = fake_buffer(at->context, 100);
  assert_int_equal(
      relayout_plan_enqueue(plan, at->queues[0], source, 16, destination, 8, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  const fake_argument *const arguments = fake_command_at("clEnqueueNDRangeKernel", 0)->arguments;
  assert_int_equal(number_of(&arguments[FROM_START]), 4 + 9);
  assert_int_equal(number_of(&arguments[TO_START]), 2);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

static void test_fill_has_no_source(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_plan *const plan = plan_of(at, "u8[0]", "u8[0]{0:PD(9)PV(3)}");
  const cl_mem to = fake_buffer(at->context, 9);
  assert_int_equal(relayout_plan_enqueue(plan, at->queues[0], NULL, 0, to, 0, 0, NULL, NULL, NULL),
                   RELAYOUT_OK);
  const fake_command *const command = fake_command_at("clEnqueueNDRangeKernel", 0);
  assert_string_equal(command->kernel, "relayout_fill_1");
  assert_true(command->arguments[FILL].is_set && !command->arguments[FROM].is_set);
  assert_int_equal(command->arguments[FILL].bytes[0], 3);
  assert_false(rlt_launch_has_source(launch_of(plan)));
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* Work-groups are counted along the first dimension, of PoCL along the third. */
static void test_geometry(void **state) {
  (void)state;
  for (int is_pocl = 0; is_pocl < 2; ++is_pocl) {
    place *const at = is_pocl ? pocl_cpu() : gpu();
    relayout_plan *const plan = plan_of(at, "f32[640,960]", "f32[640,960]{0,1}");
    const cl_mem from = fake_buffer(at->context, 640 * 960 * 4);
    const cl_mem to = fake_buffer(at->context, 640 * 960 * 4);
    const rlt_launch *const launch = launch_of(plan);
    const size_t group_size = 64;
    assert_true(launch->group_count > 1);
    assert_int_equal(
        relayout_plan_enqueue(plan, at->queues[0], from, 0, to, 0, 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    const fake_command *const command = fake_command_at("clEnqueueNDRangeKernel", 0);
    assert_int_equal(command->rank, is_pocl ? 3 : 1);
    for (int d = 0; d < 3; ++d) {
      assert_int_equal(command->local_size[d], d == 0 ? group_size : 1);
      assert_int_equal(command->region[d], (d == 0 ? group_size : 1) *
                                               (d == (is_pocl ? 2 : 0) ? launch->group_count : 1));
    }
    assert_int_equal(rlt_launch_range(launch, 7).global_size[is_pocl ? 2 : 0],
                     7 * (is_pocl ? 1 : group_size) * launch->group_count);
    relayout_plan_destroy(plan);
    relayout_device_destroy(&at->device->base);
  }
}

/* A kernel that only smaller groups run gets those; and what a plan holds is the sum of its
 * buffers. */
static void test_smaller_groups(void **state) {
  (void)state;
  static const size_t most[] = {64, 63, 32, 31, 1};
  static const int64_t expected[] = {64, 32, 32, 16, 1};
  for (int i = 0; i < 5; ++i) {
    place *const at = gpu();
    at->told.kernel_group_size = most[i];
    relayout_plan *const plan = plan_of(at, i % 2 == 0 ? "f32[64,96]" : "f32[40,30]",
                                        i % 2 == 0 ? "f32[64,96]{0,1}" : "f32[40,30]{0,1}");
    const size_t groups = launch_of(plan)->group_count;
    char text[4096];
    char words[96];
    assert_int_equal(groups == 1, i % 2 == 1);
    assert_int_equal(launch_of(plan)->schedule->group_size, expected[i]);
    snprintf(words, sizeof words, ", %zu work-group%s of %d work-item%s, tiles of ", groups,
             groups == 1 ? "" : "s", (int)expected[i], expected[i] == 1 ? "" : "s");
    assert_in_range(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text), 1,
                    sizeof text - 1);
    assert_non_null(strstr(text, "work-group kernel transpose on 4-byte words, "));
    assert_non_null(strstr(text, words));
    assert_non_null(strstr(text, " bytes of local memory"));
    assert_int_equal(rlt_plan_device_bytes(plan), fake_memory_bytes());
    assert_true(fake_memory_bytes() > 0);
    relayout_plan_destroy(plan);
    relayout_device_destroy(&at->device->base);
  }
}

/* A buffer on the caller's memory is aligned as that is, wherever an offset leads: at multiples of
 * four bytes words of four are moved, and elsewhere bytes. */
static void test_ways_of_places(void **state) {
  (void)state;
  place *const at = pocl_cpu();
  relayout_plan *const plan = plan_of(at, "u8[32,32,4]", "u8[32,32,4]{2,0,1}");
  assert_int_equal(plan->work.parts[0].variant_count, 2);
  static unsigned char memory[2][8192 + 64] __attribute__((aligned(64)));
  static const struct {
    size_t begins[2];
    size_t offsets[2];
    bool has_words;
  } cases[] = {{{0, 0}, {0, 0}, true},  {{0, 0}, {4, 8}, true},  {{0, 0}, {1, 0}, false},
               {{0, 0}, {0, 2}, false}, {{1, 0}, {3, 0}, true},  {{0, 1}, {0, 3}, true},
               {{3, 1}, {1, 3}, true},  {{1, 0}, {1, 0}, false}, {{0, 3}, {0, 3}, false},
               {{1, 0}, {0, 0}, false}};
  enum { CASES = sizeof cases / sizeof cases[0] };
  relayout_opencl_move moves[CASES];
  for (size_t i = 0; i < CASES; ++i) {
    print_message("case %zu\n", i);
    cl_mem sides[2];
    for (int s = 0; s < 2; ++s) {
      sides[s] = fake_buffer_with(at->context, CL_MEM_READ_WRITE, 8192,
                                  memory[s] + cases[i].begins[s], NULL, 0);
    }
    fake_forget();
    assert_int_equal(relayout_plan_enqueue(plan, at->queues[0], sides[0], cases[i].offsets[0],
                                           sides[1], cases[i].offsets[1], 0, NULL, NULL, NULL),
                     RELAYOUT_OK);
    moves[i] = (relayout_opencl_move){sides[0], cases[i].offsets[0], sides[1], cases[i].offsets[1]};
    assert_int_equal(
        relayout_plan_enqueue_batch(plan, at->queues[0], 1, &moves[i], 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    for (size_t c = 0; c < 2; ++c) {
      const char *const kernel = fake_command_at("clEnqueueNDRangeKernel", c)->kernel;
      assert_string_equal(strrchr(kernel, '_'), cases[i].has_words ? "_4" : "_1");
    }
  }
  fake_forget();
  assert_int_equal(
      relayout_plan_enqueue_batch(plan, at->queues[0], CASES, moves, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake.command_count, CASES);
  for (size_t i = 0; i < CASES; ++i) {
    print_message("move %zu of all\n", i);
    const char *const kernel = fake_command_at("clEnqueueNDRangeKernel", i)->kernel;
    assert_string_equal(strrchr(kernel, '_'), cases[i].has_words ? "_4" : "_1");
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

typedef struct asked {
  char text[512];
} asked;

static void find_words(void *context, const relayout_schedule_info *info) {
  asked *const to = context;
  if (to->text[0] == '\0' && strstr(info->text, " word=4 align=4:4 ") != NULL) {
    snprintf(to->text, sizeof to->text, "%s", info->text);
  }
}

/* Where a schedule was asked for that wants words, each way to a device refuses what is not. */
static void test_places_that_a_schedule_wants(void **state) {
  (void)state;
  place *const at = pocl_cpu();
  relayout_plan *const any = plan_of(at, "u8[32,32,4]", "u8[32,32,4]{2,0,1}");
  asked found = {""};
  assert_int_equal(relayout_plan_visit_schedules(any, 0, find_words, &found, NULL), RELAYOUT_OK);
  assert_true(found.text[0] != '\0');
  const char *const text = found.text;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = &text;
  options.schedule_count = 1;
  relayout_plan *const plan = plan_with(at, "u8[32,32,4]", "u8[32,32,4]{2,0,1}", &options);
  static unsigned char memory[2][8192] __attribute__((aligned(64)));
  static const struct {
    size_t begin;
    size_t offset;
    bool is_right;
  } cases[] = {{0, 0, true},  {1, 3, true},  {3, 1, true},
               {1, 1, false}, {0, 2, false}, {2, 0, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_status expected = cases[i].is_right ? RELAYOUT_OK : RELAYOUT_INVALID_ARGUMENT;
    for (int side = 0; side < 2; ++side) {
      print_message("case %zu of side %d\n", i, side);
      relayout_opencl_memory sides[2] = {RELAYOUT_OPENCL_MEMORY_INIT, RELAYOUT_OPENCL_MEMORY_INIT};
      sides[0].kind = sides[1].kind = RELAYOUT_MEMORY_HOST;
      sides[0].pointer = memory[0];
      sides[1].pointer = memory[1];
      sides[side].pointer = memory[side] + cases[i].begin;
      sides[side].offset = cases[i].offset;
      cl_event done = NULL;
      assert_int_equal(relayout_plan_submit(plan, at->queues[0], &sides[0], &sides[1], NULL, 0,
                                            NULL, NULL, &done, NULL),
                       expected);
      assert_int_equal(done != NULL, cases[i].is_right);
      cl_mem buffers[2];
      size_t offsets[2];
      for (int s = 0; s < 2; ++s) {
        buffers[s] =
            fake_buffer_with(at->context, CL_MEM_READ_WRITE, 4096 + 64, sides[s].pointer, NULL, 0);
        offsets[s] = sides[s].offset;
      }
      assert_int_equal(relayout_plan_enqueue(plan, at->queues[0], buffers[0], offsets[0],
                                             buffers[1], offsets[1], 0, NULL, NULL, NULL),
                       expected);
      const relayout_opencl_move move = {buffers[0], offsets[0], buffers[1], offsets[1]};
      assert_int_equal(
          relayout_plan_enqueue_batch(plan, at->queues[0], 1, &move, 0, NULL, NULL, NULL),
          expected);
    }
  }
  relayout_plan_destroy(plan);
  relayout_plan_destroy(any);
  relayout_device_destroy(&at->device->base);
}

/* ---- Batches ---- */

enum { PAGE = 16 * 16 * 4 };

static relayout_plan *pages_plan(const place *at) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.for_batches = 1;
  return plan_with(at, "s32[16,16]", "s32[16,16]{0,1}", &options);
}

/* A side's arguments in a batch: sixteen buffers, then where each relayout starts, and the number
 * of its buffer. */
typedef struct starts {
  uint64_t of[RLT_MOST_BATCH];
  unsigned char buffer[RLT_MOST_BATCH];
} starts;

enum { BATCH_TO = 0, BATCH_FROM = RLT_BATCH_BUFFERS + 3 };

static starts starts_at(const fake_command *command, int side) {
  starts found;
  const fake_argument *const argument = &command->arguments[side + RLT_BATCH_BUFFERS];
  assert_int_equal(argument->size, sizeof found);
  memcpy(&found, argument->bytes, sizeof found);
  return found;
}

/* Pages from two buffers into three, which come by turns. */
static void test_batch_arguments(void **state) {
  (void)state;
  enum { MOVES = 7 };
  static const int from_buffer[MOVES] = {0, 0, 1, 0, 1, 1, 0};
  static const int to_buffer[MOVES] = {0, 1, 2, 2, 1, 0, 2};
  place *const at = gpu();
  relayout_plan *const plan = pages_plan(at);
  cl_mem from[2];
  cl_mem to[3];
  for (int i = 0; i < 3; ++i) {
    from[i % 2] = fake_buffer(at->context, 16 * PAGE);
    to[i] = fake_buffer(at->context, 16 * PAGE);
  }
  relayout_opencl_move moves[MOVES];
  for (size_t i = 0; i < MOVES; ++i) {
    moves[i] = (relayout_opencl_move){from[from_buffer[i]], (9 - i) * PAGE, to[to_buffer[i]],
                                      (i + 2) * PAGE};
  }
  fake_forget();
  assert_int_equal(
      relayout_plan_enqueue_batch(plan, at->queues[0], MOVES, moves, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake.command_count, 1);
  const fake_command *const command = fake_command_at("clEnqueueNDRangeKernel", 0);
  assert_int_equal(command->region[0], MOVES * 64 * launch_of(plan)->group_count);
  for (int i = 0; i < RLT_BATCH_BUFFERS; ++i) {
    assert_ptr_equal(handle_of(&command->arguments[BATCH_TO + i]), i < 3 ? to[i] : NULL);
    assert_ptr_equal(handle_of(&command->arguments[BATCH_FROM + i]), i < 2 ? from[i] : NULL);
  }
  const starts sources = starts_at(command, BATCH_FROM);
  const starts destinations = starts_at(command, BATCH_TO);
  for (int i = 0; i < MOVES; ++i) {
    assert_int_equal(sources.of[i], (9 - i) * PAGE / 4);
    assert_int_equal(sources.buffer[i], from_buffer[i]);
    assert_int_equal(destinations.of[i], (i + 2) * PAGE / 4);
    assert_int_equal(destinations.buffer[i], to_buffer[i]);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* A launch has 32 relayouts at most, in 16 buffers a side; behind the first ones' events, and each
 * behind the one before where an event is wanted, which is the last one's. */
static void test_batch_launches(void **state) {
  (void)state;
  enum { MOVES = 70 };
  place *const at = gpu();
  relayout_plan *const plan = pages_plan(at);
  const cl_mem all = fake_buffer(at->context, MOVES * PAGE);
  const cl_event waited = fake_event(at->context);
  cl_mem own[MOVES];
  relayout_opencl_move moves[MOVES];
  for (int i = 0; i < MOVES; ++i) {
    own[i] = fake_buffer(at->context, PAGE);
  }
  static const int expected[2][5] = {{32, 32, 6, 0, 0}, {16, 16, 16, 16, 6}};
  for (int is_apart = 0; is_apart < 2; ++is_apart) {
    const cl_mem other = fake_buffer(at->context, MOVES * PAGE);
    for (size_t i = 0; i < MOVES; ++i) {
      moves[i] = is_apart ? (relayout_opencl_move){all, i * PAGE, own[i], 0}
                          : (relayout_opencl_move){all, i * PAGE, other, i * PAGE};
    }
    for (int wants_event = 0; wants_event < 2; ++wants_event) {
      cl_event done = waited;
      fake_forget();
      assert_int_equal(relayout_plan_enqueue_batch(plan, at->queues[0], MOVES, moves, 1, &waited,
                                                   wants_event ? &done : NULL, NULL),
                       RELAYOUT_OK);
      const size_t count = is_apart ? 5 : 3;
      assert_int_equal(fake.command_count, count);
      for (size_t i = 0; i < count; ++i) {
        const fake_command *const command = fake_command_at(NULL, i);
        assert_int_equal(command->region[0],
                         (size_t)expected[is_apart][i] * 64 * launch_of(plan)->group_count);
        assert_int_equal(command->n_wait, 1);
        assert_ptr_equal(command->wait[0],
                         i == 0 || !wants_event ? waited : fake_command_at(NULL, i - 1)->event);
      }
      if (wants_event) {
        assert_ptr_equal(done, fake_command_at(NULL, count - 1)->event);
        fake_release(done);
      }
    }
  }
  assert_int_equal(fake_holders(FAKE_EVENT), 1);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* No launch has more work-groups than the device's largest, but for one relayout alone. */
static void test_most_of_a_batch(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_plan *const plan = pages_plan(at);
  rlt_launch *const launch = plan->work.parts[0].variants[0].executable;
  assert_int_equal(rlt_opencl_parts_most_batch(&plan->work), 32);
  launch->group_count = 10;
  static const int64_t most[] = {320, 319, 100, 99, 19, 10, 9, 1};
  static const int32_t expected[] = {32, 31, 10, 9, 1, 1, 1, 1};
  for (int i = 0; i < 8; ++i) {
    launch->most_groups = most[i];
    assert_int_equal(rlt_opencl_parts_most_batch(&plan->work), expected[i]);
  }
  relayout_plan *const alone = plan_of(at, "s32[16,16]", "s32[16,16]{0,1}");
  assert_int_equal(rlt_opencl_parts_most_batch(&alone->work), 1);
  relayout_plan_destroy(alone);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* Moves of places that allow other ways are launched apart. */
static void test_batches_of_ways(void **state) {
  (void)state;
  enum { MOVES = 6 };
  static const size_t offsets[MOVES][2] = {{0, 0}, {4, 4}, {1, 0}, {0, 3}, {8, 8}, {2, 2}};
  static const char *const kernels[] = {"_4", "_1", "_4", "_1"};
  static const size_t counts[] = {2, 2, 1, 1};
  place *const at = pocl_cpu();
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.for_batches = 1;
  relayout_plan *const plan = plan_with(at, "u8[32,32,4]", "u8[32,32,4]{2,0,1}", &options);
  const cl_mem from = fake_buffer(at->context, 8192);
  const cl_mem to = fake_buffer(at->context, 8192);
  relayout_opencl_move moves[MOVES];
  for (int i = 0; i < MOVES; ++i) {
    moves[i] = (relayout_opencl_move){from, offsets[i][0], to, offsets[i][1]};
  }
  fake_forget();
  assert_int_equal(
      relayout_plan_enqueue_batch(plan, at->queues[0], MOVES, moves, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake.command_count, 4);
  for (size_t i = 0; i < 4; ++i) {
    const fake_command *const command = fake_command_at("clEnqueueNDRangeKernel", i);
    const rlt_variant *const variants = plan->work.parts[0].variants;
    const rlt_launch *const launch = variants[kernels[i][1] == '4' ? 0 : 1].executable;
    assert_string_equal(strrchr(command->kernel, '_'), kernels[i]);
    assert_int_equal(command->region[2], counts[i] * launch->group_count);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* ---- Several parts ---- */

/* Each behind the one before it where an event is wanted, which is a marker's behind them all; else
 * all behind the caller's. */
static void test_parts(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_plan *const plan = plan_of(at, "f32[8,300]", "f32[8,300]{1,0:T(8,128)}");
  assert_int_equal(plan->work.part_count, 2);
  const cl_mem from = fake_buffer(at->context, 9600);
  const cl_mem to = fake_buffer(at->context, 12288);
  const cl_event waited[2] = {fake_event(at->context), fake_event(at->context)};
  for (int wants_event = 0; wants_event < 2; ++wants_event) {
    cl_event done = NULL;
    fake_forget();
    assert_int_equal(relayout_plan_enqueue(plan, at->queues[0], from, 0, to, 0, 2, waited,
                                           wants_event ? &done : NULL, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake.command_count, 2 + wants_event);
    assert_int_equal(fake_command_at(NULL, 0)->n_wait, 2);
    assert_ptr_equal(fake_command_at(NULL, 0)->wait[1], waited[1]);
    assert_int_equal(fake_command_at(NULL, 1)->n_wait, wants_event ? 1 : 2);
    assert_ptr_equal(fake_command_at(NULL, 1)->wait[0],
                     wants_event ? fake_command_at(NULL, 0)->event : waited[0]);
    if (wants_event) {
      const fake_command *const marker = fake_command_at("clEnqueueMarkerWithWaitList", 0);
      assert_int_equal(marker->n_wait, 1);
      assert_ptr_equal(marker->wait[0], fake_command_at(NULL, 1)->event);
      assert_ptr_equal(done, marker->event);
      fake_release(done);
    }
    assert_int_equal(fake_holders(FAKE_EVENT), 2);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* ---- Staging ---- */

static relayout_opencl_memory host_side(void *pointer, size_t offset) {
  relayout_opencl_memory side = RELAYOUT_OPENCL_MEMORY_INIT;
  side.kind = RELAYOUT_MEMORY_HOST;
  side.pointer = pointer;
  side.offset = offset;
  return side;
}

/* Behind the last byte that a transfer takes of a buffer. */
static size_t end_of(const fake_command *transfer) {
  return transfer->offset + (transfer->region[2] - 1) * transfer->slice_pitch +
         (transfer->region[1] - 1) * transfer->row_pitch + transfer->region[0];
}

static bool waits_for(const fake_command *command, cl_event event) {
  for (cl_uint i = 0; i < command->n_wait; ++i) {
    if (command->wait[i] == event) {
      return true;
    }
  }
  return false;
}

enum { ROWS = 64, COLUMNS = 32, ALL = ROWS * COLUMNS * 4, MOST_CHUNKS = 8 };

/* The commands of chunks on three queues: uploads, kernels, downloads. */
static void check_chunks(const place *at, size_t count, cl_event waited) {
  for (size_t i = 0; i < count; ++i) {
    const fake_command *const up = fake_command_at("clEnqueueWriteBuffer", i);
    const fake_command *const kernel = fake_command_at("clEnqueueNDRangeKernel", i);
    const fake_command *const down = fake_command_at("clEnqueueReadBufferRect", i);
    assert_ptr_equal(up->queue, at->queues[1]);
    assert_ptr_equal(kernel->queue, at->queues[0]);
    assert_ptr_equal(down->queue, at->queues[2]);
    assert_int_equal(up->n_wait, 1);
    assert_int_equal(down->n_wait, 1);
    assert_true(waits_for(down, kernel->event));
    assert_true(waits_for(kernel, up->event));
    if (i < 2) {
      assert_true(waits_for(up, waited));
      assert_int_equal(kernel->n_wait, 1);
    } else { /* behind those of the slot */
      assert_true(waits_for(up, fake_command_at("clEnqueueNDRangeKernel", i - 2)->event));
      assert_int_equal(kernel->n_wait, 2);
      assert_true(waits_for(kernel, fake_command_at("clEnqueueReadBufferRect", i - 2)->event));
      assert_int_equal(up->offset, fake_command_at("clEnqueueWriteBuffer", i - 2)->offset);
    }
    assert_int_equal(up->region[0] * count, ALL);
    assert_int_equal(down->region[0] * down->region[1] * count, ALL);
    assert_int_equal(down->region[1], COLUMNS);
    assert_int_equal(down->row_pitch, ROWS * 4);
    assert_ptr_equal(handle_of(&kernel->arguments[FROM]), up->memory);
    assert_int_equal(number_of(&kernel->arguments[FROM_START]) * 4 % 128, up->offset % 128);
  }
}

/* Transfers that meet in staging come one after the other. */
static void check_hazards(cl_mem staging) {
  for (size_t i = 0; i < fake.command_count; ++i) {
    const fake_command *const later = fake_command_at(NULL, i);
    for (size_t j = 0; j < i; ++j) {
      const fake_command *const earlier = fake_command_at(NULL, j);
      if (earlier->memory == staging && later->memory == staging &&
          earlier->offset < end_of(later) && later->offset < end_of(earlier)) {
        assert_true(fake_covers(later->event, earlier));
      }
    }
  }
}

/* Rows of a matrix that is transposed, two chunks of staging at a time. */
static void test_chunks(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = ALL / 4;
  relayout_plan *const plan = plan_with(at, "s32[64,32]", "s32[64,32]{0,1}", &options);
  static unsigned char source[ALL];
  static unsigned char destination[ALL];
  for (int i = 0; i < ALL; ++i) {
    source[i] = (unsigned char)(i % 251);
  }
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  size_t size = 0;
  assert_int_equal(
      relayout_plan_staging_size(plan, RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_HOST, &size, NULL),
      RELAYOUT_OK);
  staging.offset = 256;
  staging.buffer = fake_buffer(at->context, staging.offset + size);
  staging.upload_queue = at->queues[1];
  staging.download_queue = at->queues[2];
  memset(fake_bytes(staging.buffer), 0xab, staging.offset + size);
  const relayout_opencl_memory from = host_side(source, 0);
  const relayout_opencl_memory to = host_side(destination, 0);
  const cl_event waited = fake_event(at->context);
  cl_event events[2] = {NULL, NULL};
  fake_forget();
  assert_int_equal(relayout_plan_submit(plan, at->queues[0], &from, &to, &staging, 1, &waited,
                                        &events[0], &events[1], NULL),
                   RELAYOUT_OK);
  const size_t count = plan->chunk_count;
  assert_int_equal(count, 4);
  assert_int_equal(fake_count("clEnqueueWriteBuffer"), count);
  assert_int_equal(fake_count("clEnqueueReadBufferRect"), count);
  check_chunks(at, count, waited);
  check_hazards(staging.buffer);
  /* Two slots a side: as much as a quarter of the source, and what that spans transposed. */
  const size_t span = (COLUMNS - 1) * ROWS * 4 + ROWS / 4 * 4;
  assert_int_equal(size, 2 * ALL / 4 + 2 * ((span + 127) / 128 * 128));
  assert_int_equal(fake_command_at("clEnqueueWriteBuffer", 0)->offset, 256);
  assert_int_equal(fake_command_at("clEnqueueWriteBuffer", 1)->offset, 256 + ALL / 4);
  /* The events are of the last of each slot. */
  assert_int_equal(fake.command_count, 3 * count + 2);
  const fake_command *const done = fake_command_at("clEnqueueMarkerWithWaitList", 0);
  const fake_command *const source_done = fake_command_at("clEnqueueMarkerWithWaitList", 1);
  assert_ptr_equal(done->event, events[1]);
  assert_ptr_equal(source_done->event, events[0]);
  assert_ptr_equal(done->queue, at->queues[0]);
  assert_ptr_equal(source_done->queue, at->queues[1]);
  assert_true(done->n_wait == 2 && source_done->n_wait == 2);
  for (size_t i = count - 2; i < count; ++i) {
    assert_true(waits_for(done, fake_command_at("clEnqueueReadBufferRect", i)->event));
    assert_true(waits_for(source_done, fake_command_at("clEnqueueWriteBuffer", i)->event));
  }
  assert_int_equal(fake.flushes, 4);
  /* Uploads are the source, and all of the destination came back. */
  assert_memory_equal(fake_bytes(staging.buffer) + 256, source + ALL / 2, ALL / 2);
  for (int i = 0; i < ALL; ++i) {
    assert_int_equal(destination[i], 0xab);
  }
  fake_release(events[0]);
  fake_release(events[1]);
  assert_int_equal(fake_holders(FAKE_EVENT), 1);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* No chunk takes more of either side than was asked for, whether elements divide that or not. */
static void test_chunk_limits(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  for (size_t most = 2041; most < 2060; ++most) {
    options.source_chunk_bytes = most;
    options.destination_chunk_bytes = 2 * most;
    relayout_plan *const plan = plan_with(at, "s32[64,32]", "s32[64,32]", &options);
    assert_int_equal(plan->chunk_count, most < 2048 ? 8 : 4);
    for (size_t i = 0; i < plan->chunk_count; ++i) {
      assert_true(rlt_bytes_size(plan->chunks[i].plan->work.source_taken) <= most);
      assert_true(rlt_bytes_size(plan->chunks[i].plan->work.destination_taken) <= 2 * most);
    }
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(&at->device->base);
}

/* Chunks are for sides in staging: where either is, for both; where none is there are none. */
static void test_chunks_of_one_side(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = ALL / 4;
  relayout_plan *const plan = plan_with(at, "s32[64,32]", "s32[64,32]", &options);
  static const struct {
    relayout_memory_kind kinds[2];
    size_t size;
    size_t kernels;
  } cases[] = {{{RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_HOST}, ALL, 4},
               {{RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_BUFFER}, ALL / 2, 4},
               {{RELAYOUT_MEMORY_BUFFER, RELAYOUT_MEMORY_HOST}, ALL / 2, 4},
               {{RELAYOUT_MEMORY_BUFFER, RELAYOUT_MEMORY_BUFFER}, 0, 1}};
  static unsigned char bytes[2][ALL];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    size_t size = 1;
    assert_int_equal(
        relayout_plan_staging_size(plan, cases[i].kinds[0], cases[i].kinds[1], &size, NULL),
        RELAYOUT_OK);
    assert_int_equal(size, cases[i].size);
    relayout_opencl_memory sides[2];
    for (int s = 0; s < 2; ++s) {
      sides[s] = host_side(bytes[s], 0);
      sides[s].kind = cases[i].kinds[s];
      sides[s].memory = fake_buffer(at->context, ALL);
    }
    relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
    staging.buffer = fake_buffer(at->context, ALL);
    staging.upload_queue = at->queues[1];
    staging.download_queue = at->queues[2];
    cl_event source_done = NULL;
    fake_forget();
    assert_int_equal(relayout_plan_submit(plan, at->queues[0], &sides[0], &sides[1], &staging, 0,
                                          NULL, &source_done, NULL, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake_count("clEnqueueNDRangeKernel"), cases[i].kernels);
    /* It is an event of the queue that what reads the source is on. */
    const fake_command *last = fake_command_at(NULL, 0);
    for (size_t c = 1; last->event != source_done; ++c) {
      last = fake_command_at(NULL, c);
    }
    assert_ptr_equal(last->queue, at->queues[cases[i].kinds[0] == RELAYOUT_MEMORY_HOST]);
    fake_release(source_done);
    assert_int_equal(fake_holders(FAKE_EVENT), 0);
  }
  relayout_error error = {.message = ""};
  assert_int_equal(
      relayout_plan_staging_size(plan, RELAYOUT_MEMORY_HOST, RELAYOUT_MEMORY_HOST, NULL, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "bytes is NULL");
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* One side on the device: its kernels are what the other waits for; on one queue, which nobody
 * flushes. */
static void test_one_staged_side(void **state) {
  (void)state;
  static unsigned char bytes[ALL];
  for (int is_source = 0; is_source < 2; ++is_source) {
    place *const at = gpu();
    relayout_plan *const plan = plan_of(at, "s32[64,32]", "s32[64,32]{0,1}");
    relayout_opencl_memory sides[2] = {RELAYOUT_OPENCL_MEMORY_INIT, RELAYOUT_OPENCL_MEMORY_INIT};
    sides[1 - is_source] = host_side(bytes, 0); /* the source comes first */
    sides[is_source].memory = fake_buffer(at->context, ALL + 64);
    sides[is_source].offset = 64;
    relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
    staging.buffer = fake_buffer(at->context, ALL);
    cl_event events[2] = {NULL, NULL};
    fake_forget();
    assert_int_equal(relayout_plan_submit(plan, at->queues[0], &sides[0], &sides[1], &staging, 0,
                                          NULL, &events[0], &events[1], NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake.command_count, 2);
    assert_int_equal(fake.flushes, 0);
    const fake_command *const kernel = fake_command_at("clEnqueueNDRangeKernel", 0);
    const fake_command *const copy =
        fake_command_at(is_source ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", 0);
    assert_int_equal(copy->region[0], ALL);
    assert_true(waits_for(is_source ? kernel : copy, is_source ? copy->event : kernel->event));
    assert_ptr_equal(events[0], is_source ? copy->event : kernel->event);
    assert_ptr_equal(events[1], is_source ? kernel->event : copy->event);
    assert_ptr_equal(handle_of(&kernel->arguments[is_source ? TO : FROM]), sides[is_source].memory);
    assert_int_equal(number_of(&kernel->arguments[is_source ? TO_START : FROM_START]), 16);
    assert_int_equal(number_of(&kernel->arguments[is_source ? FROM_START : TO_START]), 0);
    relayout_plan_destroy(plan);
    relayout_device_destroy(&at->device->base);
  }
}

/* Where parts of bytes stay as they are the destination goes up first, and comes back whole. */
static void test_destination_that_goes_up(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_plan *const plan = plan_of(at, "s4[99]{0:E(4)}", "s4[99]{0:PD(103)PV(unknown)E(4)}");
  static unsigned char source[50];
  static unsigned char destination[52];
  memset(destination, 0x5a, sizeof destination);
  relayout_opencl_memory from = host_side(source, 0);
  relayout_opencl_memory to = host_side(destination, 0);
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  staging.buffer = fake_buffer(at->context, 256);
  cl_event done = NULL;
  fake_forget();
  assert_int_equal(
      relayout_plan_submit(plan, at->queues[0], &from, &to, &staging, 0, NULL, NULL, &done, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake.command_count, 4);
  const fake_command *const ups[] = {fake_command_at("clEnqueueWriteBuffer", 0),
                                     fake_command_at("clEnqueueWriteBuffer", 1)};
  const fake_command *const kernel = fake_command_at("clEnqueueNDRangeKernel", 0);
  const fake_command *const down = fake_command_at("clEnqueueReadBuffer", 0);
  assert_true(ups[0]->host == source && ups[0]->region[0] == 50 && ups[0]->offset == 0);
  assert_true(ups[1]->host == destination && ups[1]->region[0] == 52 && ups[1]->offset == 128);
  assert_int_equal(kernel->n_wait, 2);
  assert_true(waits_for(kernel, ups[0]->event) && waits_for(kernel, ups[1]->event));
  assert_true(down->host == destination && down->region[0] == 52);
  assert_ptr_equal(done, down->event);
  for (int i = 0; i < 52; ++i) {
    assert_int_equal(destination[i], 0x5a);
  }
  fake_release(done);
  assert_int_equal(fake_holders(FAKE_EVENT), 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* Views of matrices: only what is read goes up, only what is written comes back, in rectangles.
 * Pitches of slices that are no multiple of rows' part them. */
static void test_gaps(void **state) {
  (void)state;
  static const struct {
    int64_t strides[3]; /* of [3,4,5] bytes */
    const char *call;
    size_t count;
    size_t region[3];
    size_t row_pitch;
    size_t slice_pitch;
  } cases[] = {
      {{20, 5, 1}, "Buffer", 1, {60, 1, 1}, 0, 0},
      {{40, 5, 1}, "BufferRect", 1, {20, 3, 1}, 40, 0},
      {{40, 10, 1}, "BufferRect", 1, {5, 12, 1}, 10, 0},
      {{100, 10, 1}, "BufferRect", 1, {5, 4, 3}, 10, 100},
      {{103, 10, 1}, "BufferRect", 3, {5, 4, 1}, 10, 0},
      /* Rows that are as many as their pitch has bytes, which rusticl misreads. */
      {{48, 12, 1}, "BufferRect", 1, {5, 1, 12}, 12, 12},
      {{1, 4, 20}, "BufferRect", 5, {3, 1, 4}, 4, 4},
  };
  static unsigned char bytes[4096];
  static unsigned char dense[60];
  static unsigned char expected[4096];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int is_source = 0; is_source < 2; ++is_source) {
      print_message("case %zu, %s\n", i, is_source ? "source" : "destination");
      place *const at = gpu();
      const relayout_shape shape = shape_of("u8[3,4,5]");
      const relayout_view parted = view_of(&shape, cases[i].strides);
      const relayout_view plain = view_of(&shape, NULL);
      relayout_plan *plan = NULL;
      assert_int_equal(relayout_plan_create_between(&at->device->base, is_source ? &parted : &plain,
                                                    is_source ? &plain : &parted, NULL, &plan,
                                                    NULL),
                       RELAYOUT_OK);
      memset(bytes, 1, sizeof bytes);
      memset(expected, is_source ? 0xcd : 1, sizeof expected);
      for (int e = 0; e < 60; ++e) {
        const int64_t at_byte = e / 20 * cases[i].strides[0] + e / 5 % 4 * cases[i].strides[1] +
                                e % 5 * cases[i].strides[2];
        expected[at_byte] = is_source ? 1 : 0xcd;
      }
      relayout_opencl_memory from = host_side(is_source ? bytes : dense, 0);
      relayout_opencl_memory to = host_side(is_source ? dense : bytes, 0);
      relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
      staging.buffer = fake_buffer(at->context, sizeof bytes);
      memset(fake_bytes(staging.buffer), 0xcd, sizeof bytes);
      fake_forget();
      assert_int_equal(relayout_plan_submit(plan, at->queues[0], &from, &to, &staging, 0, NULL,
                                            NULL, NULL, NULL),
                       RELAYOUT_OK);
      char call[32];
      snprintf(call, sizeof call, "clEnqueue%s%s", is_source ? "Write" : "Read", cases[i].call);
      assert_int_equal(fake_count(call), cases[i].count);
      for (size_t c = 0; c < cases[i].count; ++c) {
        const fake_command *const command = fake_command_at(call, c);
        assert_memory_equal(command->region, cases[i].region, sizeof command->region);
        assert_int_equal(command->row_pitch, cases[i].row_pitch);
        assert_true(cases[i].slice_pitch == 0 || command->slice_pitch == cases[i].slice_pitch);
        assert_true(c == 0 || waits_for(command, fake_command_at(call, c - 1)->event));
      }
      /* Nothing between went up, nor came back. */
      const unsigned char *const there = is_source ? fake_bytes(staging.buffer) : bytes;
      assert_memory_equal(there, expected, is_source ? 2 * cases[i].strides[0] + 35 : 4096);
      relayout_plan_destroy(plan);
      relayout_device_destroy(&at->device->base);
    }
  }
}

/* ---- In place ---- */

/* A buffer on what is taken of each side; the destination is there for the host when it was
 * mapped. */
static void test_in_place(void **state) {
  (void)state;
  place *const at = pocl_cpu();
  relayout_plan *const plan = plan_of(at, "s32[64,32]", "s32[64,32]{0,1}");
  static unsigned char source[ALL + 64];
  static unsigned char destination[ALL + 64];
  relayout_opencl_memory from = host_side(source, 8);
  relayout_opencl_memory to = host_side(destination, 64);
  cl_event events[2] = {NULL, NULL};
  fake_forget();
  const int memory = fake_holders(FAKE_MEMORY);
  assert_int_equal(relayout_plan_submit(plan, at->queues[0], &from, &to, NULL, 0, NULL, &events[0],
                                        &events[1], NULL),
                   RELAYOUT_OK);
  assert_int_equal(fake.command_count, 3);
  const fake_command *const kernel = fake_command_at("clEnqueueNDRangeKernel", 0);
  const fake_command *const map = fake_command_at("clEnqueueMapBuffer", 0);
  const fake_command *const unmap = fake_command_at("clEnqueueUnmapMemObject", 0);
  assert_true(waits_for(map, kernel->event) && waits_for(unmap, map->event));
  assert_true(map->offset == 0 && map->region[0] == ALL);
  assert_ptr_equal(unmap->host, destination + 64);
  assert_ptr_equal(handle_of(&kernel->arguments[TO]), map->memory);
  assert_int_equal(number_of(&kernel->arguments[TO_START]), 0);
  assert_int_equal(number_of(&kernel->arguments[FROM_START]), 0);
  assert_ptr_equal(events[0], kernel->event);
  assert_ptr_equal(events[1], unmap->event);
  fake_release(events[0]);
  fake_release(events[1]);
  assert_int_equal(fake_holders(FAKE_EVENT), 0);
  assert_int_equal(fake_holders(FAKE_MEMORY), memory);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* Memory by its pointers: SVM, and all of the host's where that is SVM. */
static void test_pointers(void **state) {
  (void)state;
  place *const at = gpu();
  relayout_device_destroy(&at->device->base);
  at->told.svm = CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  make_device(at);
  relayout_plan *const plan = plan_of(at, "s32[64,32]", "s32[64,32]{0,1}");
  static unsigned char source[ALL + 64];
  static unsigned char destination[ALL + 64];
  relayout_opencl_memory from = host_side(source, 8);
  relayout_opencl_memory to = host_side(destination, 64);
  from.kind = RELAYOUT_MEMORY_SVM;
  fake_forget();
  assert_int_equal(
      relayout_plan_submit(plan, at->queues[0], &from, &to, NULL, 0, NULL, NULL, NULL, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake.command_count, 1);
  const fake_command *const kernel = fake_command_at("clEnqueueNDRangeKernel", 0);
  assert_true(kernel->arguments[FROM].is_pointer && kernel->arguments[TO].is_pointer);
  assert_ptr_equal(handle_of(&kernel->arguments[FROM]), source);
  assert_ptr_equal(handle_of(&kernel->arguments[TO]), destination);
  assert_int_equal(number_of(&kernel->arguments[FROM_START]), 2);
  assert_int_equal(number_of(&kernel->arguments[TO_START]), 16);
  assert_int_equal(fake_holders(FAKE_EVENT), 0);
  fake_forget();
  assert_int_equal(relayout_plan_execute(plan, source + 16, destination, NULL), RELAYOUT_OK);
  assert_int_equal(fake.command_count, 1);
  const fake_argument *const arguments = fake_command_at(NULL, 0)->arguments;
  assert_true(arguments[FROM].is_pointer && arguments[TO].is_pointer);
  assert_ptr_equal(handle_of(&arguments[FROM]), source + 16);
  assert_ptr_equal(handle_of(&arguments[TO]), destination);
  assert_int_equal(number_of(&arguments[FROM_START]), 0);
  assert_int_equal(number_of(&arguments[TO_START]), 0);
  /* Elements that are not aligned go through staging. */
  fake_forget();
  assert_int_equal(relayout_plan_execute(plan, source + 1, destination, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute(plan, source, destination + 2, NULL), RELAYOUT_OK);
  assert_int_equal(fake.command_count, 6);
  assert_int_equal(fake_count("clEnqueueWriteBuffer"), 2);
  assert_int_equal(fake_count("clEnqueueReadBuffer"), 2);
  assert_int_equal(fake_holders(FAKE_EVENT), 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* ---- Executions ---- */

/* Through staging of the execution's own, at once where that fits. */
static void test_execute(void **state) {
  (void)state;
  static unsigned char source[ALL];
  static unsigned char destination[ALL];
  static const struct {
    cl_ulong allocation_bytes; /* 0: unlimited */
    cl_ulong memory_bytes;
    size_t least_boxes;
    size_t most_boxes;
  } cases[] = {
      {1 << 28, 1 << 30, 1, 1},     {2 * ALL, 1 << 30, 1, 1}, /* both sides are in one buffer */
      {2 * ALL - 2, 1 << 30, 2, 4}, {ALL / 2, 1 << 30, 4, 8},
      {1 << 28, 4 * ALL, 1, 1}, /* and others have half of the memory */
      {1 << 28, 4 * ALL - 4, 2, 4}, {0, 1 << 30, 1, 1},
      {1 << 28, 0, 1, 1},           {0, 0, 1, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    place *const at = gpu();
    relayout_device_destroy(&at->device->base);
    at->told.allocation_bytes = cases[i].allocation_bytes;
    at->told.memory_bytes = cases[i].memory_bytes;
    make_device(at);
    relayout_plan *const plan = plan_of(at, "s32[64,32]", "s32[64,32]");
    const rlt_host_transfers transfers = plan->device->backend->host_transfers(plan);
    fake_forget();
    const int memory = fake_holders(FAKE_MEMORY);
    relayout_error error = {0};
    if (relayout_plan_execute(plan, source, destination, &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    const size_t boxes = fake_count("clEnqueueNDRangeKernel");
    assert_in_range(boxes, cases[i].least_boxes, cases[i].most_boxes);
    assert_int_equal(transfers.boxes, boxes);
    assert_int_equal(transfers.bytes_up, ALL);
    assert_int_equal(transfers.bytes_down, ALL);
    size_t up = 0;
    for (size_t c = 0; c < fake_count("clEnqueueWriteBuffer"); ++c) {
      up += fake_command_at("clEnqueueWriteBuffer", c)->region[0];
    }
    assert_int_equal(up, ALL);
    assert_int_equal(fake_holders(FAKE_MEMORY), memory);
    assert_int_equal(fake_holders(FAKE_EVENT), 0);
    relayout_plan_destroy(plan);
    relayout_device_destroy(&at->device->base);
  }
}

/* In staging, of which each side has half here, a part of the index space begins as far behind a
 * multiple of 128 as it does in the tensor. */
static void test_execute_a_range(void **state) {
  (void)state;
  enum { SIDE = 1024 };
  static unsigned char bytes[2][2 * SIDE];
  static const struct {
    int64_t first;
    int64_t size;
    bool fits;
  } cases[] = {{0, SIDE, true},        {0, SIDE + 1, false},    {128, SIDE, true},
               {128, SIDE + 1, false}, {640, SIDE, true},       {64, SIDE, false},
               {4, SIDE - 4, true},    {4, SIDE - 3, false},    {260, SIDE - 4, true},
               {260, SIDE - 3, false}, {127, SIDE - 127, true}, {127, SIDE - 126, false}};
  place *const at = gpu();
  const relayout_shape shape = shape_of("u8[2048]");
  const relayout_view view = view_of(&shape, NULL);
  at->told.allocation_bytes = at->device->base.info.allocation_bytes = 2 * SIDE;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    relayout_plan *plan = NULL;
    relayout_error error = {0};
    assert_int_equal(relayout_plan_create_range(&at->device->base, &view, &view, &cases[i].first,
                                                &cases[i].size, NULL, &plan, NULL),
                     RELAYOUT_OK);
    fake_forget();
    if (relayout_plan_execute(plan, bytes[0], bytes[1], &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    const size_t boxes = fake_count("clEnqueueNDRangeKernel");
    assert_int_equal(boxes == 1, cases[i].fits);
    assert_int_equal(plan->device->backend->host_transfers(plan).boxes, boxes);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(&at->device->base);
}

/* Either side alone may be what does not fit. */
static void test_execute_one_long_side(void **state) {
  (void)state;
  static unsigned char bytes[2][2000];
  static const struct {
    const char *from;
    const char *to;
    size_t up;
    size_t down;
  } cases[] = {{"u32[500]", "u8[500]", 2000, 500}, {"u8[500]", "u32[500]", 500, 2000}};
  place *const at = gpu();
  at->told.allocation_bytes = at->device->base.info.allocation_bytes = 2048;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *const plan = plan_of(at, cases[i].from, cases[i].to);
    const rlt_host_transfers transfers = plan->device->backend->host_transfers(plan);
    relayout_error error = {0};
    fake_forget();
    if (relayout_plan_execute(plan, bytes[0], bytes[1], &error) != RELAYOUT_OK) {
      fail_msg("%s -> %s: %s", cases[i].from, cases[i].to, error.message);
    }
    assert_in_range(transfers.boxes, 3, 4); /* of no more than 1024 - 127 bytes a side */
    assert_int_equal(fake_count("clEnqueueNDRangeKernel"), transfers.boxes);
    assert_int_equal(transfers.bytes_up, cases[i].up);
    assert_int_equal(transfers.bytes_down, cases[i].down);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(&at->device->base);
}

/* In place each side is a buffer of its own, on the caller's memory. */
static void test_execute_in_place(void **state) {
  (void)state;
  static unsigned char bytes[2][ALL] __attribute__((aligned(128)));
  static const struct {
    cl_ulong allocation_bytes; /* 0: unlimited */
    size_t least_boxes;
    size_t most_boxes;
  } cases[] = {{ALL, 1, 1}, {ALL - 1, 2, 4}, {ALL / 2 + 128, 2, 4}, {ALL / 2, 3, 8}, {0, 1, 1}};
  place *const at = pocl_cpu();
  relayout_plan *const plan = plan_of(at, "s32[64,32]", "s32[64,32]");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    at->told.allocation_bytes = at->device->base.info.allocation_bytes = cases[i].allocation_bytes;
    const size_t memory = fake_memory_bytes();
    relayout_error error = {0};
    fake_forget();
    if (relayout_plan_execute(plan, bytes[0], bytes[1], &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    assert_in_range(fake_count("clEnqueueNDRangeKernel"), cases[i].least_boxes,
                    cases[i].most_boxes);
    assert_int_equal(fake_count("clEnqueueWriteBuffer"), 0);
    assert_int_equal(fake_memory_bytes(), memory);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* Of a view what lies between its lowest and its highest byte crosses, wherever that is from the
 * pointer on. */
static void test_execute_views(void **state) {
  (void)state;
  static unsigned char bytes[2][256];
  place *const at = gpu();
  const relayout_shape shape = shape_of("f32[10]");
  relayout_view from = view_of(&shape, (const int64_t[]){-4});
  relayout_view to = view_of(&shape, NULL);
  from.byte_offset = 64 + 36; /* of the first element, the highest */
  to.byte_offset = -16;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(&at->device->base, &from, &to, NULL, &plan, NULL),
                   RELAYOUT_OK);
  fake_forget();
  assert_int_equal(relayout_plan_execute(plan, bytes[0], bytes[1] + 128, NULL), RELAYOUT_OK);
  assert_int_equal(fake.command_count, 3);
  const fake_command *const up = fake_command_at("clEnqueueWriteBuffer", 0);
  const fake_command *const down = fake_command_at("clEnqueueReadBuffer", 0);
  assert_ptr_equal(up->host, bytes[0] + 64);
  assert_ptr_equal(down->host, bytes[1] + 128 - 16);
  assert_int_equal(up->region[0], 40);
  assert_int_equal(down->region[0], 40);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* Where no box has room, and where there are no boxes, what all takes is told. */
static void test_no_room_for_staging(void **state) {
  (void)state;
  static unsigned char bytes[2][ALL];
  static const struct {
    const char *from;
    const char *to;
    cl_ulong allocation_bytes;
    const char *message;
  } cases[] = {{"s32[64,32]", "s32[64,32]", 255,
                "the relayout needs 16384 bytes of staging, but the device allocates at most 255 "
                "bytes at once"},
               {"u8[24,40]{1,0:T(6,10)}", "u8[24,40]{1,0:T(4,7)}", 2047,
                "the relayout needs 2048 bytes of staging, but the device allocates at most 2047 "
                "bytes at once"}};
  place *const at = gpu();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *const plan = plan_of(at, cases[i].from, cases[i].to);
    at->told.allocation_bytes = at->device->base.info.allocation_bytes = cases[i].allocation_bytes;
    const int holders = fake_all_holders();
    relayout_error error = {0};
    fake_forget();
    assert_int_equal(relayout_plan_execute(plan, bytes[0], bytes[1], &error),
                     RELAYOUT_OUT_OF_DEVICE_MEMORY);
    assert_string_equal(error.message, cases[i].message);
    assert_int_equal(error.cl_status, CL_INVALID_BUFFER_SIZE);
    assert_int_equal(fake.command_count, 0);
    assert_int_equal(fake_all_holders(), holders);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(&at->device->base);
}

/* Whatever the device allocates at once, boxes are made that fit, wherever in a line of staging
 * they begin. */
static void test_any_allocation(void **state) {
  (void)state;
  static unsigned char source[40 * 37 * 2];
  static unsigned char destination[40 * 37 * 2];
  static const char *const sides[][2] = {{"u8[40,37]", "u8[40,37]{0,1}"},
                                         {"u16[40,37]", "u16[40,37]"},
                                         {"u8[40,37]", "u8[40,37]{1,0:L(7)}"}};
  place *const at = gpu();
  for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s) {
    relayout_plan *const plan = plan_of(at, sides[s][0], sides[s][1]);
    for (cl_ulong most = 600; most < 6200; most += 61) {
      at->told.allocation_bytes = at->device->base.info.allocation_bytes = most;
      relayout_error error = {0};
      if (relayout_plan_execute(plan, source, destination, &error) != RELAYOUT_OK) {
        fail_msg("%s -> %s: %s", sides[s][0], sides[s][1], error.message);
      }
    }
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(&at->device->base);
}

/* Nothing crosses on a device that works in place; and chunks are counted as they are. */
static void test_host_transfers(void **state) {
  (void)state;
  place *at = pocl_cpu();
  relayout_plan *plan = plan_of(at, "s32[64,32]", "s32[64,32]{0,1}");
  rlt_host_transfers found = plan->device->backend->host_transfers(plan);
  assert_true(found.boxes == 0 && found.bytes_up == 0 && found.bytes_down == 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
  at = gpu();
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = ALL / 4;
  plan = plan_with(at, "s32[64,32]", "s32[64,32]{0,1}", &options);
  found = plan->device->backend->host_transfers(plan);
  assert_true(found.boxes == 4 && found.bytes_up == ALL && found.bytes_down == ALL);
  at->device->base.info.allocation_bytes = ALL; /* of chunks all need not fit */
  found = plan->device->backend->host_transfers(plan);
  assert_true(found.boxes == 4 && found.bytes_up == ALL && found.bytes_down == ALL);
  at->device->base.info.allocation_bytes = at->told.allocation_bytes;
  relayout_plan_destroy(plan);
  plan = plan_of(at, "s4[99]{0:E(4)}", "s4[99]{0:PD(103)PV(unknown)E(4)}");
  found = plan->device->backend->host_transfers(plan);
  assert_true(found.boxes == 1 && found.bytes_up == 50 + 52 && found.bytes_down == 52);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* ---- Measuring ---- */

static void test_timing(void **state) {
  (void)state;
  place *const at = gpu();
  const rlt_backend *const backend = at->device->base.backend;
  relayout_plan *const plan = plan_of(at, "s32[64,32]", "s32[64,32]{0,1}");
  relayout_error error = {0};
  void *scratch = NULL;
  double seconds = 0;
  assert_int_equal(backend->scratch_create(&at->device->base, ALL + 64, ALL + 128, &scratch, NULL),
                   RELAYOUT_OK);
  /* Every page was written. */
  for (size_t i = 0; i < 2; ++i) {
    const fake_command *const fill = fake_command_at("clEnqueueFillBuffer", i);
    assert_int_equal(fill->region[0], ALL + (i == 0 ? 64 : 128));
    assert_int_equal(fake_bytes(fill->memory)[ALL + 63], 1);
  }
  assert_int_equal(fake.finishes, 1);
  for (int i = 0; i < 3; ++i) {
    fake.nanoseconds = i == 0 ? 500 : i == 1 ? 2000000000 : 0;
    assert_int_equal(backend->executable_time(&at->device->base, launch_of(plan), scratch,
                                              (rlt_offsets){16, 32}, &seconds, NULL),
                     RELAYOUT_OK);
    assert_true(seconds > (i == 0   ? 0.499e-6
                           : i == 1 ? 1.999
                                    : -1e-12) &&
                seconds < (i == 0   ? 0.501e-6
                           : i == 1 ? 2.001
                                    : 1e-12));
  }
  const fake_command *const kernel = fake_command_at("clEnqueueNDRangeKernel", 0);
  assert_int_equal(number_of(&kernel->arguments[FROM_START]), 4);
  assert_int_equal(number_of(&kernel->arguments[TO_START]), 8);
  assert_ptr_equal(handle_of(&kernel->arguments[FROM]),
                   fake_command_at("clEnqueueFillBuffer", 0)->memory);
  assert_ptr_equal(handle_of(&kernel->arguments[TO]),
                   fake_command_at("clEnqueueFillBuffer", 1)->memory);
  assert_int_equal(kernel->n_wait, 0);
  fake.nanoseconds = 5;
  fake.runs_backwards = true; /* a clock that tells nothing */
  assert_int_equal(backend->executable_time(&at->device->base, launch_of(plan), scratch,
                                            (rlt_offsets){0, 0}, &seconds, &error),
                   RELAYOUT_OPENCL_ERROR);
  assert_int_equal(error.cl_status, CL_PROFILING_INFO_NOT_AVAILABLE);
  backend->scratch_destroy(&at->device->base, scratch);
  assert_int_equal(fake_holders(FAKE_EVENT), 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&at->device->base);
}

/* No source, and sizes up to what the device allocates at once. */
static void test_scratch(void **state) {
  (void)state;
  place *const at = gpu();
  const rlt_backend *const backend = at->device->base.backend;
  relayout_device *const device = &at->device->base;
  relayout_error error = {0};
  void *scratch = NULL;
  device->info.allocation_bytes = 4096;
  const int before = fake_all_holders();
  fake_forget();
  assert_int_equal(backend->scratch_create(device, 0, 4096, &scratch, NULL), RELAYOUT_OK);
  assert_int_equal(fake_count("clEnqueueFillBuffer"), 1);
  backend->scratch_destroy(device, scratch);
  assert_int_equal(fake_all_holders(), before);
  assert_int_equal(backend->scratch_create(device, 4096, 4097, &scratch, &error),
                   RELAYOUT_OUT_OF_DEVICE_MEMORY);
  assert_non_null(strstr(error.message, "destination needs 4097 bytes"));
  assert_non_null(strstr(error.message, "at most 4096 bytes"));
  assert_int_equal(backend->scratch_create(device, 4097, 1, &scratch, &error),
                   RELAYOUT_OUT_OF_DEVICE_MEMORY);
  assert_non_null(strstr(error.message, "source needs 4097 bytes"));
  assert_int_equal(fake_all_holders(), before);
  device->info.allocation_bytes = 0; /* unlimited */
  assert_int_equal(backend->scratch_create(device, 4097, 4097, &scratch, NULL), RELAYOUT_OK);
  backend->scratch_destroy(device, scratch);
  assert_int_equal(fake_all_holders(), before);
  relayout_device_destroy(device);
}

/* ---- Batches of several destinations ---- */

/* Moves wait for the caller's events alone, or, where they share temporary memory, each for the one
 * before; the event covers all of them. */
static void test_batches_of_many(void **state) {
  (void)state;
  static const struct {
    const char *to;
    bool is_shared;
  } cases[] = {{"s8[8,8] * f32[8,1]", false}, {"s8[8,8]{1,0:PD(8,12)} * f32[8,1]", true}};
  enum { MOVES = 3 };
  place *const at = gpu();
  const cl_mem source = fake_buffer(at->context, 4096),
               destination = fake_buffer(at->context, 4096);
  const cl_event waited = fake_event(at->context);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_scaled_view from, to[2];
    relayout_plan *plan = NULL;
    cl_event done = NULL;
    assert_int_equal(relayout_scaled_view_parse("f32[8,8]", &from, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_scaled_view_parse(cases[i].to, &to[0], NULL), RELAYOUT_OK);
    assert_int_equal(relayout_scaled_view_parse("f32[8,8]{0,1}", &to[1], NULL), RELAYOUT_OK);
    to[0].rule = RELAYOUT_SCALES_AMAX;
    assert_int_equal(relayout_plan_create_many(&at->device->base, &from, to, 2, NULL, &plan, NULL),
                     RELAYOUT_OK);
    relayout_side_buffers sides[MOVES][3];
    relayout_opencl_many_move moves[MOVES];
    for (size_t m = 0; m < MOVES; ++m) {
      memset(sides[m], 0, sizeof sides[m]);
      sides[m][0].elements = source;
      sides[m][1] = (relayout_side_buffers){.elements = destination,
                                            .elements_offset = 1024 * m,
                                            .scales = destination,
                                            .scales_offset = 1024 * m + 128};
      sides[m][2] =
          (relayout_side_buffers){.elements = destination, .elements_offset = 1024 * m + 512};
      moves[m] = (relayout_opencl_many_move){&sides[m][0], &sides[m][1]};
    }
    const int memory = fake_holders(FAKE_MEMORY);
    fake_forget();
    assert_int_equal(relayout_plan_enqueue_many_batch(plan, at->queues[0], MOVES, moves, 1, &waited,
                                                      &done, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake_holders(FAKE_MEMORY), memory);
    assert_int_equal(fake_count("clEnqueueMarkerWithWaitList"), cases[i].is_shared ? 0 : 1);
    assert_int_equal(fake_count("clEnqueueNDRangeKernel"), cases[i].is_shared ? 2 * MOVES : MOVES);
    for (size_t c = 0; c < fake_count("clEnqueueNDRangeKernel"); ++c) {
      const fake_command *const command = fake_command_at("clEnqueueNDRangeKernel", c);
      assert_int_equal(command->n_wait, 1);
      assert_true((command->wait[0] == waited) == (c == 0 || !cases[i].is_shared));
      assert_true(fake_covers(done, command));
    }
    fake_release(done);
    relayout_plan_destroy(plan);
  }
  fake_release(waited);
  relayout_device_destroy(&at->device->base);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_more_arguments),
      cmocka_unit_test(test_starts_of_views),
      cmocka_unit_test(test_fill_has_no_source),
      cmocka_unit_test(test_geometry),
      cmocka_unit_test(test_smaller_groups),
      cmocka_unit_test(test_ways_of_places),
      cmocka_unit_test(test_places_that_a_schedule_wants),
      cmocka_unit_test(test_batch_arguments),
      cmocka_unit_test(test_batch_launches),
      cmocka_unit_test(test_most_of_a_batch),
      cmocka_unit_test(test_batches_of_ways),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_chunks),
      cmocka_unit_test(test_chunk_limits),
      cmocka_unit_test(test_chunks_of_one_side),
      cmocka_unit_test(test_one_staged_side),
      cmocka_unit_test(test_destination_that_goes_up),
      cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_in_place),
      cmocka_unit_test(test_pointers),
      cmocka_unit_test(test_execute),
      cmocka_unit_test(test_execute_a_range),
      cmocka_unit_test(test_execute_one_long_side),
      cmocka_unit_test(test_execute_in_place),
      cmocka_unit_test(test_execute_views),
      cmocka_unit_test(test_no_room_for_staging),
      cmocka_unit_test(test_any_allocation),
      cmocka_unit_test(test_host_transfers),
      cmocka_unit_test(test_timing),
      cmocka_unit_test(test_scratch),
      cmocka_unit_test(test_batches_of_many),
  };
  fake_driver_use();
  return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
