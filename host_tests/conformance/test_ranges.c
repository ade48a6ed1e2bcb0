/* test_ranges.c: boxes of the index space that have each index once, moved one after the other in
 * random order and by several threads at once, make what the definition does of the whole: on the
 * CPU backend, and on each OpenCL device. A box alone writes nothing that is another's. */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/cover.h"
#include "conformance/random.h"
#include "oracle/oracle.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

enum { MOST_ELEMENTS = 3000, POISON = 0xa5, THREADS = 3 };

/* Of the same type and sizes, without a layout of its own. */
static relayout_shape shape_of_dimensions(const relayout_shape *shape) {
  relayout_shape made;
  assert_int_equal(
      relayout_shape_make(shape->element_type, shape->rank, shape->dimensions, &made, NULL),
      RELAYOUT_OK);
  return made;
}

typedef struct move {
  relayout_device *device;
  relayout_view from;
  relayout_view to;
  relayout_plan_options options;
  const uint8_t *source;
  uint8_t *destination;
  cover boxes;
  bool is_refused; /* by what the headers say */
  int failures;
} move;

static relayout_status move_box(move *of, const cover_box *one, uint8_t *destination) {
  relayout_plan *plan = NULL;
  relayout_error error;
  relayout_status status = relayout_plan_create_range(of->device, &of->from, &of->to, one->start,
                                                      one->sizes, &of->options, &plan, &error);
  if (status == RELAYOUT_OK) {
    status = relayout_plan_execute(plan, of->source, destination, &error);
  }
  if (status != RELAYOUT_OK && status != RELAYOUT_UNSUPPORTED) {
    print_message("%s\n", error.message);
  }
  relayout_plan_destroy(plan);
  return status;
}

/* ---- One after the other, and at once ---- */

static void move_in_order(move *of) {
  for (int i = 0; i < of->boxes.count && !of->is_refused; ++i) {
    const relayout_status status = move_box(of, &of->boxes.of[i], of->destination);
    of->is_refused = status == RELAYOUT_UNSUPPORTED;
    of->failures += status != RELAYOUT_OK && !of->is_refused;
  }
}

typedef struct worker {
  move *of;
  int number;
} worker;

static void *move_some(void *argument) {
  const worker *const self = argument;
  for (int i = self->number; i < self->of->boxes.count; i += THREADS) {
    if (move_box(self->of, &self->of->boxes.of[i], self->of->destination) != RELAYOUT_OK) {
      return argument;
    }
  }
  return NULL;
}

/* Of boxes that can be moved. */
static void move_at_once(move *of) {
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (int t = 0; t < THREADS; ++t) {
    workers[t] = (worker){of, t};
    assert_int_equal(pthread_create(&threads[t], NULL, move_some, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    void *failed = NULL;
    pthread_join(threads[t], &failed);
    of->failures += failed != NULL;
  }
}

/* ---- Each box alone ---- */

/* What one box takes: of a source of which nothing else is right, into two destinations that were
 * poisoned differently, so that every byte that is written differs from one of them. */
typedef struct alone {
  const uint8_t *right;
  uint8_t *source;
  uint8_t *destinations[2];
  uint8_t *told;    /* how often a byte was said to be written */
  uint8_t *written; /* by any box */
} alone;

static void take(void *context, int64_t first, size_t size) {
  alone *const one = context;
  memcpy(one->source + first, one->right + first, size);
}

static void count(void *context, int64_t first, size_t size) {
  alone *const one = context;
  for (size_t b = 0; b < size; ++b) {
    one->told[first + (int64_t)b] += 1;
  }
}

static relayout_plan *plan_of(const move *of, const cover_box *one) {
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(of->device, &of->from, &of->to, one->start,
                                              one->sizes, &of->options, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

/* Returns how many bytes are not as they should be: written though nobody said so, or the other way
 * round, or by two boxes. */
static int64_t check_box(const move *of, const cover_box *which, alone *one, size_t source_size,
                         size_t size) {
  relayout_plan *const plan = plan_of(of, which);
  for (size_t b = 0; b < source_size; ++b) {
    one->source[b] = (uint8_t)~of->source[b];
  }
  memset(one->told, 0, size);
  assert_int_equal(relayout_plan_visit_bytes_read(plan, take, one, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_visit_bytes_written(plan, count, one, NULL), RELAYOUT_OK);
  for (int i = 0; i < 2; ++i) {
    memset(one->destinations[i], i == 0 ? POISON : 0xff ^ POISON, size);
    assert_int_equal(relayout_plan_execute(plan, one->source, one->destinations[i], NULL),
                     RELAYOUT_OK);
  }
  relayout_plan_destroy(plan);
  int64_t wrong = 0;
  for (size_t b = 0; b < size; ++b) {
    const bool is_written =
        one->destinations[0][b] != POISON || one->destinations[1][b] != (0xff ^ POISON);
    wrong += one->told[b] != is_written || (is_written && one->written[b]) ||
             (is_written && one->destinations[0][b] != of->destination[b]);
    one->written[b] |= is_written;
  }
  return wrong;
}

static int64_t check_each_box(const move *of, size_t source_size, size_t size) {
  uint8_t *const memory = calloc(source_size + 4 * size + 1, 1);
  assert_non_null(memory);
  alone one = {.right = of->source,
               .source = memory,
               .destinations = {memory + source_size, memory + source_size + size},
               .told = memory + source_size + 2 * size,
               .written = memory + source_size + 3 * size};
  int64_t wrong = 0;
  for (int i = 0; i < of->boxes.count; ++i) {
    wrong += check_box(of, &of->boxes.of[i], &one, source_size, size);
  }
  free(memory);
  return wrong;
}

/* ---- Random relayouts ---- */

static size_t bytes_of(const relayout_shape *shape) {
  size_t bytes = 0;
  assert_int_equal(relayout_shape_byte_size(shape, &bytes, NULL), RELAYOUT_OK);
  return bytes;
}

static void check_move(move *of, uint64_t seed) {
  const size_t source_size = bytes_of(&of->from.shape);
  const size_t size = bytes_of(&of->to.shape);
  uint8_t *const source = malloc(source_size + 1);
  uint8_t *const found = malloc(size + 1);
  uint8_t *const expected = malloc(size + 1);
  for (size_t b = 0; b < source_size; ++b) {
    source[b] = (uint8_t)random_mix(seed + b);
  }
  memset(found, POISON, size);
  memset(expected, POISON, size);
  oracle_relayout(&of->from.shape, &of->to.shape, source, expected);
  of->source = source;
  of->destination = found;
  move_in_order(of);
  if (!of->is_refused && memcmp(found, expected, size) != 0) {
    fail_msg("seed %llu, %d boxes", (unsigned long long)seed, of->boxes.count);
  }
  if (!of->is_refused) {
    memset(found, POISON, size);
    move_at_once(of);
    assert_memory_equal(found, expected, size);
    const int64_t wrong = check_each_box(of, source_size, size);
    if (wrong > 0) {
      fail_msg("seed %llu: %lld bytes of boxes", (unsigned long long)seed, (long long)wrong);
    }
  }
  assert_int_equal(of->failures, 0);
  free(source);
  free(found);
  free(expected);
}

static void random_layout(uint64_t *random, relayout_shape *shape) {
  random_order(random, shape);
  if (shape->rank > 0 && random_below(random, 2) == 0) {
    random_padding(random, shape);
    random_padding_value(random, shape);
  }
  if (shape->rank > 0 && random_below(random, 2) == 0) {
    random_tiles(random, MOST_ELEMENTS, shape);
  }
  if (random_below(random, 4) == 0) {
    random_tail(random, shape);
  }
}

/* Returns whether the boxes could be moved. */
static bool try_seed(relayout_device *device, uint64_t seed) {
  uint64_t random = seed;
  static const relayout_element_type types[] = {RELAYOUT_U8,  RELAYOUT_BF16, RELAYOUT_F32,
                                                RELAYOUT_F64, RELAYOUT_C128, RELAYOUT_S4};
  const relayout_element_type type = types[random_below(&random, 6)];
  move of = {.device = device, .options = RELAYOUT_PLAN_OPTIONS_INIT};
  relayout_shape from = {.rank = 0};
  random_dimensions(&random, type, (int32_t)random_below(&random, 5), MOST_ELEMENTS, &from);
  relayout_shape to = from;
  random_layout(&random, &from);
  random_layout(&random, &to);
  if (type == RELAYOUT_S4) {
    from.layout.element_size_in_bits = random_packing(&random, type);
    random_packing_order(&random, &from);
    to.layout.element_size_in_bits = random_packing(&random, type);
    random_packing_order(&random, &to);
  }
  if (relayout_shape_validate(&from, NULL) != RELAYOUT_OK ||
      relayout_shape_validate(&to, NULL) != RELAYOUT_OK) {
    return false;
  }
  of.from = view_of(&from, NULL);
  of.to = view_of(&to, NULL);
  cover_draw(&random, &to, NULL, 1 + (int)random_below(&random, 12), &of.boxes);
  check_move(&of, seed);
  return !of.is_refused;
}

static void test_random_boxes(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  int moved = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    moved += try_seed(device, seed);
  }
  print_message("%d of 3000 moved by boxes\n", moved);
  assert_in_range(moved, 1500, 3000);
  relayout_device_destroy(device);
}

/* ---- What need not be there ---- */

/* Rows 6 and 7 of eight, of which alone there is memory, on either side; and these lie one behind
 * the other, where whole tensors would overlap. */
static void move_last_rows(relayout_device *device) {
  const relayout_shape shape = shape_of("u8[8,8]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *plan = NULL;
  relayout_error error;
  assert_int_equal(relayout_plan_create_range(device, &view, &view, (const int64_t[]){6, 0},
                                              (const int64_t[]){2, 8}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  char *const rows = malloc(32);
  memcpy(rows, "abcdefghijklmnop................", 32);
  const uintptr_t source = (uintptr_t)rows - 48;
  if (relayout_plan_execute(plan, (const void *)source, (void *)(source + 16), &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_memory_equal(rows + 16, "abcdefghijklmnop", 16);
  assert_int_equal(relayout_plan_execute(plan, (const void *)source, (void *)(source + 15), NULL),
                   RELAYOUT_BUFFERS_OVERLAP);
  free(rows);
  relayout_plan_destroy(plan);
}

/* ---- Boxes as messages ---- */

/* A box of a tensor, dense in memory of its own: whole tensors would overlap there. */
static relayout_view message_of(const relayout_shape *shape, const cover_box *one) {
  const relayout_shape dense = shape_of_dimensions(shape);
  int64_t strides[RELAYOUT_MAX_RANK];
  int64_t stride = (int64_t)relayout_element_type_byte_size(shape->element_type);
  int64_t offset = 0;
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    strides[d] = stride;
    offset -= one->start[d] * stride;
    stride *= one->sizes[d];
  }
  relayout_view made = view_of(&dense, strides);
  made.byte_offset = offset;
  return made;
}

/* Out of a tensor of any layout into a message, and back into another tensor of that layout. */
static void send_box(relayout_device *device, const char *text, cover_box one) {
  static uint8_t source[MOST_ELEMENTS * 8], dense[MOST_ELEMENTS * 8], message[MOST_ELEMENTS * 8],
      back[MOST_ELEMENTS * 8];
  const relayout_shape shape = shape_of(text);
  const relayout_shape plain = shape_of_dimensions(&shape);
  const relayout_view whole = view_of(&shape, NULL), sent = message_of(&shape, &one);
  const size_t bytes = relayout_element_type_byte_size(shape.element_type);
  relayout_plan *pack = NULL, *unpack = NULL;
  print_message("  a box of %s\n", text);
  assert_in_range(oracle_byte_size(&shape), 1, sizeof source);
  for (size_t i = 0; i < sizeof source; ++i) {
    source[i] = (uint8_t)(i * 7 + i / 256);
  }
  memset(message, POISON, sizeof message);
  memset(back, POISON, sizeof back);
  assert_int_equal(
      relayout_plan_create_range(device, &whole, &sent, one.start, one.sizes, NULL, &pack, NULL),
      RELAYOUT_OK);
  assert_int_equal(
      relayout_plan_create_range(device, &sent, &whole, one.start, one.sizes, NULL, &unpack, NULL),
      RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute(pack, source, message, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute(unpack, message, back, NULL), RELAYOUT_OK);
  oracle_relayout(&shape, &plain, source, dense);
  size_t at = 0;
  for (int64_t y = one.start[0]; y < one.start[0] + one.sizes[0]; ++y) {
    for (int64_t x = one.start[1]; x < one.start[1] + one.sizes[1]; ++x, at += bytes) {
      const size_t element = (size_t)(y * shape.dimensions[1] + x) * bytes;
      assert_memory_equal(message + at, dense + element, bytes);
    }
  }
  assert_int_equal(message[at], POISON);
  oracle_relayout(&shape, &plain, back, dense);
  for (int64_t y = 0; y < shape.dimensions[0]; ++y) {
    for (int64_t x = 0; x < shape.dimensions[1]; ++x) {
      const size_t element = (size_t)(y * shape.dimensions[1] + x) * bytes;
      const bool is_in = y >= one.start[0] && y < one.start[0] + one.sizes[0] &&
                         x >= one.start[1] && x < one.start[1] + one.sizes[1];
      const size_t place = (size_t)((y - one.start[0]) * one.sizes[1] + x - one.start[1]) * bytes;
      for (size_t b = 0; b < bytes; ++b) {
        assert_int_equal(dense[element + b], is_in ? message[place + b] : POISON);
      }
    }
  }
  relayout_plan_destroy(pack);
  relayout_plan_destroy(unpack);
}

/* ---- Known ones, on all devices ---- */

/* Moves by boxes of these sizes, those at the ends being smaller. */
static void move_by(relayout_device *device, const char *from_text, const char *to_text,
                    const int64_t *sizes) {
  move of = {.device = device, .options = RELAYOUT_PLAN_OPTIONS_INIT};
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  of.from = view_of(&from, NULL);
  of.to = view_of(&to, NULL);
  for (int64_t y = 0; y < to.dimensions[0]; y += sizes[0]) {
    for (int64_t x = 0; x < to.dimensions[1]; x += sizes[1]) {
      cover_box *const one = &of.boxes.of[of.boxes.count++];
      *one = (cover_box){{y, x}, {sizes[0], sizes[1]}};
      for (int32_t d = 0; d < 2; ++d) {
        const int64_t left = to.dimensions[d] - one->start[d];
        one->sizes[d] = left < sizes[d] ? left : sizes[d];
      }
    }
  }
  print_message("%s to %s by %d boxes\n", from_text, to_text, of.boxes.count);
  check_move(&of, 7);
  assert_false(of.is_refused);
}

static void test_on_all_devices(void **state) {
  (void)state;
  enum { MOST = 16 };
  relayout_device_info infos[MOST];
  size_t count = 0;
  for (size_t i = 0; i < MOST; ++i) {
    infos[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  assert_int_equal(relayout_device_list(infos, MOST, &count, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < count && i < MOST; ++i) {
    if (strstr(infos[i].platform, "Oclgrind") != NULL) {
      continue; /* takes very long */
    }
    relayout_device *device = NULL;
    print_message("%s\n", infos[i].name);
    assert_int_equal(relayout_device_open(infos[i].name, &device, NULL), RELAYOUT_OK);
    move_by(device, "f32[37,50]", "f32[37,50]{0,1:PD(40,50)PV(-1)}", (const int64_t[]){13, 50});
    move_by(device, "bf16[40,300]", "bf16[40,300]{1,0:T(8,128)(2,1)}", (const int64_t[]){9, 100});
    move_last_rows(device);
    send_box(device, "bf16[40,70]{1,0:T(8,16)(2,1)}", (cover_box){{9, 17}, {20, 30}});
    send_box(device, "f32[33,21]{0,1}", (cover_box){{0, 3}, {33, 5}});
    send_box(device, "u8[40,70]{1,0:T(8,128)(4,1)}", (cover_box){{39, 0}, {1, 70}});
    move_by(device, "s4[16,64]{1,0:E(4)}", "s4[16,64]{0,1:E(4)}", (const int64_t[]){6, 32});
    relayout_device_destroy(device);
  }
}

/* ---- What is refused ---- */

/* The plan tells nobody anything. */
static void test_bytes_that_nobody_tells(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"f32[4,6]{1,0:T(2,4)}", "f32[4,6]{1,0:T(3,4)}"},
                                         {"s4[3,3]", "s4[3,3]{1,0:PD(3,4)PV(unknown)E(4)}"}};
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (int i = 0; i < 2; ++i) {
    const relayout_shape from = shape_of(pairs[i][0]);
    const relayout_shape to = shape_of(pairs[i][1]);
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_plan_visit_bytes_written(plan, count, NULL, NULL),
                     RELAYOUT_UNSUPPORTED);
    if (i == 0) {
      assert_int_equal(relayout_plan_visit_bytes_read(plan, take, NULL, NULL),
                       RELAYOUT_UNSUPPORTED);
    }
    assert_int_equal(relayout_plan_visit_bytes_read(plan, NULL, NULL, NULL),
                     RELAYOUT_INVALID_ARGUMENT);
    relayout_plan_destroy(plan);
  }
  assert_int_equal(relayout_plan_visit_bytes_written(NULL, count, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  relayout_device_destroy(device);
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    int64_t start[2];
    int64_t sizes[2];
    relayout_status status;
    const char *message;
  } cases[] = {
      {"f32[4,6]", "f32[4,6]{0,1}", {-1, 0}, {1, 1}, RELAYOUT_OUT_OF_RANGE, "start[0] is -1"},
      {"f32[4,6]", "f32[4,6]{0,1}", {0, 0}, {1, 7}, RELAYOUT_OUT_OF_RANGE, "sizes[1] is 7"},
      {"f32[4,6]", "f32[4,6]{0,1}", {0, 2}, {1, 5}, RELAYOUT_OUT_OF_RANGE, "a dimension of size 6"},
      {"f32[4,6]", "f32[4,6]{0,1}", {0, 0}, {-1, 1}, RELAYOUT_OUT_OF_RANGE, "sizes[0] is -1"},
      {"f32[4,6]", "f32[4,6]", {INT64_MAX, 0}, {INT64_MAX, 1}, RELAYOUT_OUT_OF_RANGE, "start[0]"},
      {"s4[4,6]", "s4[4,6]{1,0:E(4)}", {0, 0}, {4, 3}, RELAYOUT_UNSUPPORTED, "share a byte"},
      {"f32[4,6]{1,0:T(2,4)}",
       "f32[4,6]{1,0:T(3,4)}",
       {0, 0},
       {2, 6},
       RELAYOUT_UNSUPPORTED,
       "no common divisor"},
  };
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from_shape = shape_of(cases[i].from);
    const relayout_shape to_shape = shape_of(cases[i].to);
    const relayout_view from = view_of(&from_shape, NULL);
    const relayout_view to = view_of(&to_shape, NULL);
    relayout_plan *plan = NULL;
    relayout_error error;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_plan_create_range(device, &from, &to, cases[i].start, cases[i].sizes,
                                                NULL, &plan, &error),
                     cases[i].status);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_null(plan);
  }
  const relayout_shape shape = shape_of("f32[4,6]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *plan = NULL;
  assert_int_equal(
      relayout_plan_create_range(device, &view, &view, NULL, cases[0].sizes, NULL, &plan, NULL),
      RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(
      relayout_plan_create_range(device, &view, &view, cases[0].sizes, NULL, NULL, &plan, NULL),
      RELAYOUT_INVALID_ARGUMENT);
  relayout_device_destroy(device);
}

/* A box without an index writes nothing, whatever follows it, and one of a tensor without any is
 * all of it or nothing. */
static void test_empty(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  const relayout_shape from_shape = shape_of("u8[2,3]");
  const relayout_shape to_shape = shape_of("u8[2,3]{1,0:PD(4,4)}");
  const relayout_view from = view_of(&from_shape, NULL);
  const relayout_view to = view_of(&to_shape, NULL);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(device, &from, &to, (const int64_t[]){2, 0},
                                              (const int64_t[]){0, 3}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_part_count(plan), 0);
  relayout_plan_destroy(plan);
  const relayout_shape none_from = shape_of("u8[0,3]");
  const relayout_shape none_to = shape_of("u8[0,3]{1,0:PD(2,3)PV(7)}");
  const relayout_view nothing = view_of(&none_from, NULL);
  const relayout_view padding = view_of(&none_to, NULL);
  for (int64_t width = 0; width < 4; ++width) {
    char moved[] = "......";
    assert_int_equal(relayout_plan_create_range(device, &nothing, &padding, (const int64_t[]){0, 0},
                                                (const int64_t[]){0, width}, NULL, &plan, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_plan_execute(plan, NULL, moved, NULL), RELAYOUT_OK);
    assert_memory_equal(moved, width == 3 ? "\7\7\7\7\7\7" : "......", 6);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

static void test_explained(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  const relayout_shape shape = shape_of("f32[4,6]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(device, &view, &view, (const int64_t[]){1, 2},
                                              (const int64_t[]){3, 4}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  char text[4096];
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  assert_non_null(strstr(text, "\nbox: indices from 1,2 on, 3,4 of them\n"));
  assert_non_null(strstr(text, "bytes: 48 read, 48 written"));
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  assert_non_null(strstr(text, "\"start\":[1,2],\"sizes\":[3,4],"));
  assert_int_equal(relayout_plan_source_size(plan), 96);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_boxes),
      cmocka_unit_test(test_on_all_devices),
      cmocka_unit_test(test_bytes_that_nobody_tells),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
