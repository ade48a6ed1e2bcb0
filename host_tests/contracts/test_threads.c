/* Many threads at once: the pure functions give each the same answers, and a device serves all. The
 * tsan preset runs this too.
 */
#include "cmocka_all.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"

enum { THREADS = 4 };

/* Runs `work` on several threads at once, each with this argument. */
static void run_at_once(void *(*work)(void *), void *argument) {
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(pthread_create(&threads[t], NULL, work, argument), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    pthread_join(threads[t], NULL);
  }
}

/* ---- Pure functions ---- */

static const char *const texts[] = {
    "f32[]",
    "f32[7,5,3]{0,2,1}",
    "bf16[20,30]{0,1:PD(20,40)PV(-1.5)T(8,16)(2,1)L(4)S(1)}",
    "s4[9,10]{1,0:PV(lowest)T(*,4)E(4)}",
    "c64[3,4]{1,0:PD(4,4)PV(0x123456789abcdef)}",
    "f8e4m3fn[0,3]{1,0}",
    "f32[2,3",
    "f64[2]{0:PV(1e-310)}",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

/* All that the answers about a text come to. */
typedef struct digest {
  uint64_t hash;
} digest;

static void add(digest *made, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    made->hash = (made->hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
  }
}

static void add_number(digest *made, int64_t number) {
  add(made, &number, sizeof number);
}

static void add_shape(digest *made, relayout_status status, const relayout_shape *shape) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE] = "";
  add_number(made, (int64_t)status);
  if (status == RELAYOUT_OK) {
    add(made, text, relayout_shape_format(shape, text, sizeof text));
  }
}

static void add_sizes(digest *made, const relayout_shape *shape) {
  int64_t numbers[RELAYOUT_MAX_RANK] = {0};
  size_t bytes[2] = {0, 0};
  uint8_t padding[RELAYOUT_MAX_ELEMENT_SIZE] = {0};
  add_number(made, (int64_t)relayout_shape_strides(shape, numbers, NULL));
  add(made, numbers, sizeof numbers);
  add_number(made, (int64_t)relayout_shape_byte_size(shape, &bytes[0], NULL));
  add_number(made, (int64_t)relayout_shape_padding_byte_size(shape, &bytes[1], NULL));
  add(made, bytes, sizeof bytes);
  add_number(made, (int64_t)relayout_layout_padding_bytes(&shape->layout, shape->element_type,
                                                          padding, NULL));
  add(made, padding, sizeof padding);
  add_number(made, relayout_shape_is_padded(shape));
  add_number(made, relayout_layout_is_packed(&shape->layout));
}

/* Both ways between multi-indices and places, for every element. */
static void add_places(digest *made, const relayout_shape *shape) {
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  do {
    int64_t back[RELAYOUT_MAX_RANK] = {0};
    int64_t linear = -1;
    add_number(made, (int64_t)relayout_index_to_linear(shape, index, &linear, NULL));
    add_number(made, (int64_t)relayout_index_from_linear(shape, linear, back, NULL));
    add_number(made, linear);
    add(made, back, sizeof back);
    add_number(made, relayout_index_in_bounds(shape, index));
  } while (relayout_index_bump(shape, index));
}

static void add_changes(digest *made, const relayout_shape *shape) {
  relayout_shape result = *shape;
  add_shape(made, relayout_shape_insert_dimension(shape, 0, 2, &result, NULL), &result);
  add_shape(made, relayout_shape_delete_dimension(shape, -1, &result, NULL), &result);
  add_shape(made, relayout_shape_move_dimension(shape, 0, -1, &result, NULL), &result);
  add_shape(made, relayout_shape_make_descending_same_physical(shape, &result, NULL), &result);
  add_number(made, relayout_shape_equal(shape, &result));
  add_number(made, relayout_shape_reshape_is_bitcast(shape, &result));
}

/* What devices hold of it. */
static void add_shards(digest *made, const relayout_shape *shape) {
  relayout_sharding sharding;
  relayout_sharding_parse("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", &sharding,
                          NULL);
  for (int64_t device = 0; device < 4; ++device) {
    int64_t start[RELAYOUT_MAX_RANK] = {0}, replica = 0;
    relayout_shape local = *shape;
    add_shape(made, relayout_sharding_local_shape(&sharding, shape, device, &local, NULL), &local);
    relayout_sharding_box(&sharding, shape, device, start, NULL, &replica, NULL);
    add(made, start, sizeof start);
    add_number(made, replica);
  }
}

/* Of the same elements with a scale for each, and as a text. */
static void add_scaled(digest *made, const relayout_shape *shape) {
  char text[3 * RELAYOUT_SHAPE_TEXT_SIZE] = "";
  relayout_view elements, scales;
  relayout_scaled_view view, again;
  relayout_shape of_scales = *shape;
  of_scales.element_type = RELAYOUT_F32;
  relayout_layout_make_descending(shape->rank, &of_scales.layout, NULL);
  relayout_view_make(shape, &elements, NULL);
  relayout_view_make(&of_scales, &scales, NULL);
  add_number(made, (int64_t)relayout_scaled_view_make(&elements, &view, NULL));
  add_number(made, (int64_t)relayout_scaled_view_add_scales(&view, &scales, NULL, NULL, NULL));
  add(made, text, relayout_scaled_view_format(&view, text, sizeof text));
  if (relayout_scaled_view_parse(text, &again, NULL) == RELAYOUT_OK) {
    add_number(made, relayout_scaled_view_equal(&view, &again));
  }
}

/* As source text. */
static void add_emitted(digest *made, const relayout_shape *shape) {
  relayout_emit_options options = RELAYOUT_EMIT_OPTIONS_INIT;
  char text[8192] = "";
  size_t length = 0;
  for (int i = 0; i <= RELAYOUT_LANGUAGE_PYTHON; ++i) {
    relayout_language_parse(relayout_language_name((relayout_language)i), &options.language, NULL);
    add_number(made, (int64_t)relayout_shape_emit_index(shape, &options, text, sizeof text, &length,
                                                        NULL));
    add(made, text, strlen(text));
  }
}

static digest digest_of(const char *text) {
  digest made = {UINT64_C(14695981039346656037)};
  relayout_shape shape;
  relayout_error error = {RELAYOUT_OK, 0, ""};
  const relayout_status status = relayout_shape_parse(text, &shape, &error);
  add(&made, error.message, strlen(error.message));
  add_shape(&made, status, &shape);
  if (status == RELAYOUT_OK) {
    add_sizes(&made, &shape);
    add_places(&made, &shape);
    add_changes(&made, &shape);
    add_shards(&made, &shape);
    add_scaled(&made, &shape);
    add_emitted(&made, &shape);
  }
  return made;
}

typedef struct expectation {
  digest digests[TEXTS];
  atomic_int differences;
} expectation;

static void *ask_again(void *argument) {
  expectation *const expected = argument;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < TEXTS; ++i) {
      if (digest_of(texts[i]).hash != expected->digests[i].hash) {
        atomic_fetch_add(&expected->differences, 1);
      }
    }
  }
  return NULL;
}

static void test_pure_functions(void **state) {
  (void)state;
  expectation expected = {.differences = 0};
  for (int i = 0; i < TEXTS; ++i) {
    expected.digests[i] = digest_of(texts[i]);
  }
  run_at_once(ask_again, &expected);
  assert_int_equal(atomic_load(&expected.differences), 0);
}

/* ---- One device ---- */

typedef struct shared {
  relayout_device *device;
  atomic_int number; /* of the next thread */
  atomic_int failures;
} shared;

enum { ROWS = 30, ROUNDS = 40 };

/* A plan that others make at the same time, or one that only this thread makes, run once. */
static bool transpose(relayout_device *device, int columns) {
  enum { MOST = ROWS * 100 };
  uint16_t source[MOST];
  uint16_t destination[MOST];
  const int64_t dimensions[] = {ROWS, columns};
  relayout_shape from;
  relayout_shape to;
  relayout_plan *plan = NULL;
  for (int i = 0; i < ROWS * columns; ++i) {
    source[i] = (uint16_t)i;
  }
  if (relayout_shape_make(RELAYOUT_U16, 2, dimensions, &from, NULL) != RELAYOUT_OK) {
    return false;
  }
  to = from;
  relayout_layout_make_ascending(2, &to.layout, NULL);
  if (relayout_plan_create(device, &from, &to, NULL, &plan, NULL) != RELAYOUT_OK) {
    return false;
  }
  char text[64];
  bool right = relayout_plan_execute(plan, source, destination, NULL) == RELAYOUT_OK &&
               relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text) > 0;
  for (int i = 0; i < ROWS * columns; ++i) {
    right = right && destination[i] == source[i % ROWS * columns + i / ROWS];
  }
  relayout_plan_destroy(plan);
  return right;
}

static bool ask_device(relayout_device *device) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  char wisdom[4096];
  const size_t size = relayout_device_export_wisdom(device, wisdom, sizeof wisdom);
  return relayout_device_get_info(device, &info, NULL) == RELAYOUT_OK && size < sizeof wisdom &&
         relayout_device_import_wisdom(device, wisdom, size, NULL) == RELAYOUT_OK;
}

static void *use_device(void *argument) {
  shared *const used = argument;
  const int own = 40 + atomic_fetch_add(&used->number, 1);
  for (int round = 0; round < ROUNDS; ++round) {
    const int columns = round % 2 == 0 ? own : 50 + round;
    if (!transpose(used->device, columns) || !ask_device(used->device)) {
      atomic_fetch_add(&used->failures, 1);
    }
  }
  return NULL;
}

static void test_one_device(void **state) {
  (void)state;
  shared used = {.number = 0, .failures = 0};
  assert_int_equal(relayout_device_open("cpu", &used.device, NULL), RELAYOUT_OK);
  run_at_once(use_device, &used);
  assert_int_equal(atomic_load(&used.failures), 0);
  relayout_device_destroy(used.device);
}

/* ---- One plan of several destinations ---- */

enum { ELEMENTS = 300 * 400 };

typedef struct shared_plan {
  relayout_plan *plan;
  const float *source;
  atomic_int failures;
} shared_plan;

/* What one thread gets, and all are to get. */
typedef struct quantised {
  uint16_t turned[ELEMENTS];
  int8_t elements[ELEMENTS];
  float scales[300];
} quantised;

static bool quantise(const relayout_plan *plan, const float *source, quantised *made) {
  const relayout_source_memory from = {.elements = source};
  const relayout_destination_memory to[] = {{.elements = made->turned},
                                            {.elements = made->elements, .scales = made->scales}};
  memset(made, 0, sizeof *made);
  return relayout_plan_execute_many(plan, &from, to, NULL) == RELAYOUT_OK;
}

static void *quantise_often(void *argument) {
  shared_plan *const used = argument;
  quantised *const first = malloc(2 * sizeof *first);
  bool is_right = first != NULL && quantise(used->plan, used->source, first);
  for (int round = 0; round < ROUNDS && is_right; ++round) {
    is_right = quantise(used->plan, used->source, first + 1) &&
               memcmp(first, first + 1, sizeof *first) == 0 && first->elements[0] == 0 &&
               first->elements[399] == 127 && first->scales[1] == 799.0F / 127;
  }
  atomic_fetch_add(&used->failures, is_right ? 0 : 1);
  free(first);
  return NULL;
}

static void test_one_plan_of_several_destinations(void **state) {
  (void)state;
  static float source[ELEMENTS];
  shared_plan used = {.source = source, .failures = 0};
  relayout_device *device = NULL;
  relayout_scaled_view from, to[2];
  for (int i = 0; i < ELEMENTS; ++i) {
    source[i] = (float)i;
  }
  assert_int_equal(relayout_scaled_view_parse("f32[300,400]", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_scaled_view_parse("bf16[300,400]{0,1}", &to[0], NULL), RELAYOUT_OK);
  assert_int_equal(relayout_scaled_view_parse("s8[300,400]*f32[300,1]", &to[1], NULL), RELAYOUT_OK);
  to[1].rule = RELAYOUT_SCALES_AMAX;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create_many(device, &from, to, 2, NULL, &used.plan, NULL),
                   RELAYOUT_OK);
  relayout_device_destroy(device); /* which the plan keeps */
  run_at_once(quantise_often, &used);
  assert_int_equal(atomic_load(&used.failures), 0);
  relayout_plan_destroy(used.plan);
}

/* ---- The library's own threads ---- */

/* Whether this thread of the process waits for something, as Linux tells it: "PID (NAME) S ...". */
static bool sleeps(const char *task) {
  char path[300];
  char line[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/stat", task);
  FILE *const file = fopen(path, "r");
  if (file == NULL) {
    return true; /* it is gone */
  }
  if (fgets(line, sizeof line, file) == NULL) {
    line[0] = '\0';
  }
  fclose(file);
  const char *const name_end = strrchr(line, ')');
  return name_end == NULL || name_end[1] == '\0' || name_end[2] == 'S';
}

/* How many threads the process has, and how many of them sleep. False where nobody tells. */
static bool count_threads(int *all, int *asleep) {
  DIR *const listing = opendir("/proc/self/task");
  *all = *asleep = 0;
  if (listing == NULL) {
    return false;
  }
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    if (entry->d_name[0] != '.') {
      ++*all;
      *asleep += sleeps(entry->d_name);
    }
  }
  closedir(listing);
  return true;
}

/* After a relayout that all of them took part in, sooner or later none but this thread runs. */
static void test_threads_sleep(void **state) {
  (void)state;
  enum { BYTES = 16 << 20 };
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  const relayout_shape from = shape_of("u8[4096,4096]");
  const relayout_shape to = shape_of("u8[4096,4096]{0,1}");
  unsigned char *const source = calloc(2, BYTES);
  int all = 0;
  int asleep = 0;
  assert_non_null(source);
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute(plan, source, source + BYTES, NULL), RELAYOUT_OK);
  while (count_threads(&all, &asleep) && asleep < all - 1) {
    sched_yield();
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  free(source);
  if (all < 2) {
    skip(); /* no such threads, or no such files */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pure_functions),
      cmocka_unit_test(test_one_device),
      cmocka_unit_test(test_one_plan_of_several_destinations),
      cmocka_unit_test(test_threads_sleep),
  };
  return cmocka_run_group_tests_name("contracts.threads", tests, NULL, NULL);
}
