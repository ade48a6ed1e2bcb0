/* test_batch.c: the conformance suite's relayouts in batches, in one pair of buffers and in
 * several, at all kinds of offsets; how many launches that takes; and what is refused. The linker
 * leads launches to the wrapper here. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/cases.h"
#include "conformance/random.h"
#include "opencl/bench.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static int launches;

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offsets, const size_t *global,
                                     const size_t *local, cl_uint n_wait, const cl_event *wait,
                                     cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offsets, const size_t *global,
                                     const size_t *local, cl_uint n_wait, const cl_event *wait,
                                     cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offsets, const size_t *global,
                                     const size_t *local, cl_uint n_wait, const cl_event *wait,
                                     cl_event *event) {
  ++launches;
  return __real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offsets, global, local, n_wait,
                                       wait, event);
}

cl_int __real_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *kernel)(void *),
                                    void *arguments, size_t size, cl_uint count,
                                    const cl_mem *memory, const void **places, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *kernel)(void *),
                                    void *arguments, size_t size, cl_uint count,
                                    const cl_mem *memory, const void **places, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *kernel)(void *),
                                    void *arguments, size_t size, cl_uint count,
                                    const cl_mem *memory, const void **places, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event) {
  ++launches;
  return __real_clEnqueueNativeKernel(queue, kernel, arguments, size, count, memory, places, n_wait,
                                      wait, event);
}

/* How many commands are right: so many work-group kernels, or one native kernel, before which PoCL
 * is asked for the address of each buffer but one. */
static int right_launches(const opencl_bench *bench, int kernels, int buffers) {
  return bench->family != RELAYOUT_KERNELS_NATIVE        ? kernels
         : strstr(bench->label, "Portable Comp") != NULL ? buffers
                                                         : 1;
}

/* ---- The conformance suite ---- */

enum { MOST_MOVES = 40, GUARD_BYTE = 0xf9, STEP = 16 };

typedef struct suite {
  const opencl_bench *bench;
  uint64_t random;
  size_t batches;
  size_t differing;
} suite;

static relayout_plan *plan_of(const suite *s, const trial *t) {
  const oracle_options *const asked = &t->asked->options;
  const relayout_view from = view_of(t->asked->from, asked->source_byte_strides);
  const relayout_view to = view_of(t->asked->to, asked->destination_byte_strides);
  relayout_plan_options options = request_plan_options(t->asked);
  relayout_plan *plan = NULL;
  options.for_batches = 1;
  assert_int_equal(
      relayout_plan_create_between(s->bench->device, &from, &to, &options, &plan, NULL),
      RELAYOUT_OK);
  return plan;
}

/* Each destination has a slot of its own, in random order, between guards. Slots lie in one buffer
 * a side, or in several, of equally many each. */
typedef struct batch {
  size_t count;
  size_t slots_per_buffer;
  size_t source_room; /* of a slot */
  size_t destination_room;
  size_t source_offsets[MOST_MOVES]; /* counted through all buffers */
  size_t destination_offsets[MOST_MOVES];
  size_t source_size;
  size_t destination_size;
  unsigned char *sources;
  unsigned char *before;
  unsigned char *after;
} batch;

static size_t up(size_t size) {
  return (size + STEP - 1) / STEP * STEP;
}

static void make_batch(suite *s, const trial *t, batch *made) {
  static const size_t slots[] = {MOST_MOVES, MOST_MOVES / 4, 1};
  made->count = (size_t)random_below(&s->random, MOST_MOVES + 1);
  made->slots_per_buffer = slots[random_below(&s->random, 3)];
  const size_t source_room = up(t->source_size) + STEP;
  const size_t destination_room = up(t->destination_size) + STEP;
  made->source_room = source_room;
  made->destination_room = destination_room;
  made->source_size = source_room * MOST_MOVES;
  made->destination_size = destination_room * MOST_MOVES;
  made->sources = malloc(made->source_size);
  made->before = malloc(made->destination_size);
  made->after = malloc(made->destination_size);
  assert_true(made->sources != NULL && made->before != NULL && made->after != NULL);
  memset(made->sources, 0, made->source_size);
  memset(made->before, GUARD_BYTE, made->destination_size);
  memset(made->after, GUARD_BYTE, made->destination_size);
  const size_t turn = (size_t)random_below(&s->random, MOST_MOVES);
  const size_t skew = (size_t)random_below(&s->random, 2) * STEP / 2;
  for (size_t i = 0; i < made->count; ++i) {
    const size_t source = source_room * (size_t)random_below(&s->random, MOST_MOVES);
    const size_t destination = destination_room * ((i * 7 + turn) % MOST_MOVES) + skew;
    memcpy(made->sources + source, t->source, t->source_size);
    memcpy(made->before + destination, t->before, t->destination_size);
    memcpy(made->after + destination, t->after, t->destination_size);
    made->source_offsets[i] = source + t->source_origin;
    made->destination_offsets[i] = destination + t->destination_origin;
  }
}

static void run_batch(suite *s, const relayout_plan *plan, const batch *of) {
  const opencl_bench *const bench = s->bench;
  const size_t source_size = of->slots_per_buffer * of->source_room;
  const size_t destination_size = of->slots_per_buffer * of->destination_room;
  const size_t buffer_count = MOST_MOVES / of->slots_per_buffer;
  relayout_error error = {0};
  relayout_opencl_move moves[MOST_MOVES];
  cl_mem sources[MOST_MOVES];
  cl_mem destinations[MOST_MOVES];
  cl_event done = NULL;
  for (size_t i = 0; i < buffer_count; ++i) {
    sources[i] = opencl_buffer(bench, source_size, of->sources + i * source_size);
    destinations[i] = opencl_buffer(bench, destination_size, of->before + i * destination_size);
  }
  for (size_t i = 0; i < of->count; ++i) {
    const size_t from = of->source_offsets[i];
    const size_t to = of->destination_offsets[i];
    moves[i] = (relayout_opencl_move){sources[from / source_size], from % source_size,
                                      destinations[to / destination_size], to % destination_size};
  }
  if (relayout_plan_enqueue_batch(plan, bench->queue, of->count, moves, 0, NULL, &done, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  for (size_t i = 0; i < buffer_count; ++i) {
    opencl_read(bench, destinations[i], destination_size, of->before + i * destination_size);
    clReleaseMemObject(sources[i]);
    clReleaseMemObject(destinations[i]);
  }
  s->differing += memcmp(of->before, of->after, of->destination_size) != 0;
  ++s->batches;
  clReleaseEvent(done);
}

/* Where elements take more than eight bytes places are multiples of sixteen. */
static void run_request(void *context, const request *asked) {
  suite *const s = context;
  trial t;
  batch of;
  if (request_converts(asked) || random_below(&s->random, 3) > 0) {
    return; /* a kernel to be compiled for each */
  }
  assert_true(trial_make(asked, &t));
  if (relayout_element_type_byte_size(asked->to->element_type) <= STEP / 2) {
    relayout_plan *const plan = plan_of(s, &t);
    make_batch(s, &t, &of);
    run_batch(s, plan, &of);
    relayout_plan_destroy(plan);
    free(of.sources);
    free(of.before);
    free(of.after);
  }
  trial_free(&t);
}

static void test_suite(void **state) {
  suite s = {.bench = *state, .random = 5};
  cases_visit(CONFORMANCE_TINY, true, 1, run_request, &s);
  print_message("%zu batches\n", s.batches);
  assert_true(s.batches > 8);
  assert_int_equal(s.differing, 0);
}

/* ---- Launches ---- */

enum { PAGES = 100, PAGE = 16 * 16 * 4 };

static relayout_plan *pages_plan(const opencl_bench *bench, int32_t for_batches) {
  const relayout_shape from = shape_of("s32[16,16]{1,0}");
  const relayout_shape to = shape_of("s32[16,16]{0,1}");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.for_batches = for_batches;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(bench->device, &from, &to, &options, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

static void check_pages(const opencl_bench *bench, cl_mem destination, const int32_t *from) {
  static int32_t to[PAGES * PAGE / 4];
  opencl_read(bench, destination, sizeof to, to);
  for (int page = 0; page < PAGES; ++page) {
    for (int i = 0; i < 256; ++i) {
      assert_int_equal(to[page * 256 + i], from[(PAGES - 1 - page) * 256 + i % 16 * 16 + i / 16]);
    }
  }
}

/* A hundred pages and one in another buffer are four launches, and a launch each by a plan that was
 * not made for batches. */
static void test_launches(void **state) {
  const opencl_bench *const bench = *state;
  static int32_t from[PAGES * PAGE / 4];
  for (int i = 0; i < PAGES * 256; ++i) {
    from[i] = 3 * i + 1;
  }
  const cl_mem source = opencl_buffer(bench, sizeof from, from);
  const cl_mem destination = opencl_buffer(bench, sizeof from, from);
  const cl_mem other = opencl_buffer(bench, PAGE, from);
  relayout_opencl_move moves[PAGES + 1];
  for (size_t i = 0; i < PAGES; ++i) {
    moves[i] = (relayout_opencl_move){source, (PAGES - 1 - i) * PAGE, destination, i * PAGE};
  }
  moves[PAGES] = (relayout_opencl_move){source, 0, other, 0};
  for (int32_t for_batches = 0; for_batches < 2; ++for_batches) {
    relayout_plan *const plan = pages_plan(bench, for_batches);
    launches = 0;
    assert_int_equal(
        relayout_plan_enqueue_batch(plan, bench->queue, PAGES + 1, moves, 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    assert_int_equal(launches, right_launches(bench, for_batches ? 4 : PAGES + 1, 3));
    check_pages(bench, destination, from);
    launches = 0;
    assert_int_equal(
        relayout_plan_enqueue(plan, bench->queue, source, 0, other, 0, 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    assert_int_equal(launches, right_launches(bench, 1, 2));
    relayout_plan_destroy(plan);
  }
  clFinish(bench->queue);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  clReleaseMemObject(other);
}

/* Forty tensors, each in a buffer of its own on one side or on both: sixteen of them a launch. */
static void test_buffers(void **state) {
  enum { TENSORS = 40 };
  const opencl_bench *const bench = *state;
  static int32_t from[TENSORS][256];
  cl_mem destinations[TENSORS];
  relayout_opencl_move moves[TENSORS];
  relayout_plan *const plan = pages_plan(bench, 1);
  for (int i = 0; i < TENSORS * 256; ++i) {
    from[i / 256][i % 256] = 7 * i + 5;
  }
  const cl_mem all = opencl_buffer(bench, sizeof from, from);
  for (int is_apart = 0; is_apart < 2; ++is_apart) {
    for (size_t i = 0; i < TENSORS; ++i) {
      destinations[i] = opencl_buffer(bench, PAGE, from[0]);
      moves[i] = is_apart ? (relayout_opencl_move){opencl_buffer(bench, PAGE, from[i]), 0,
                                                   destinations[i], 0}
                          : (relayout_opencl_move){all, i * PAGE, destinations[i], 0};
    }
    launches = 0;
    assert_int_equal(
        relayout_plan_enqueue_batch(plan, bench->queue, TENSORS, moves, 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    assert_int_equal(launches, right_launches(bench, 3, (is_apart ? 2 : 1) * TENSORS + !is_apart));
    for (size_t i = 0; i < TENSORS; ++i) {
      int32_t to[256];
      opencl_read(bench, destinations[i], PAGE, to);
      for (int e = 0; e < 256; ++e) {
        assert_int_equal(to[e], from[i][e % 16 * 16 + e / 16]);
      }
      clReleaseMemObject(destinations[i]);
      if (is_apart) {
        clReleaseMemObject(moves[i].source);
      }
    }
  }
  clReleaseMemObject(all);
  relayout_plan_destroy(plan);
}

/* ---- What is refused ---- */

static void test_refusals(void **state) {
  const opencl_bench *const bench = *state;
  static const unsigned char zeros[2 * PAGE];
  relayout_plan *const plan = pages_plan(bench, 1);
  const cl_mem source = opencl_buffer(bench, 2 * PAGE, zeros);
  const cl_mem destination = opencl_buffer(bench, 2 * PAGE, zeros);
  relayout_opencl_move moves[] = {{source, 0, destination, 0}, {source, PAGE, destination, PAGE}};
  relayout_error error = {0};
  cl_event done = (cl_event)&error;
  launches = 0;
  moves[1].destination_offset = PAGE + 4;
  assert_int_equal(
      relayout_plan_enqueue_batch(plan, bench->queue, 2, moves, 0, NULL, &done, &error),
      RELAYOUT_BUFFER_TOO_SMALL);
  assert_null(done);
  assert_non_null(strstr(error.message, "moves[1]: destination has 2048 bytes"));
  moves[1].destination_offset = 2;
  assert_int_equal(relayout_plan_enqueue_batch(plan, bench->queue, 2, moves, 0, NULL, NULL, &error),
                   RELAYOUT_MISALIGNED_OFFSET);
  moves[1] = (relayout_opencl_move){NULL, 0, destination, 0};
  assert_int_equal(relayout_plan_enqueue_batch(plan, bench->queue, 2, moves, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "moves[1]: source is NULL"));
  assert_int_equal(relayout_plan_enqueue_batch(plan, bench->queue, 2, NULL, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(launches, 0);
  assert_int_equal(relayout_plan_enqueue_batch(plan, bench->queue, 0, NULL, 0, NULL, &done, NULL),
                   RELAYOUT_OK);
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_suite, bench),
      cmocka_unit_test_prestate(test_launches, bench),
      cmocka_unit_test_prestate(test_buffers, bench),
      cmocka_unit_test_prestate(test_refusals, bench),
  };
  return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device(run);
}
