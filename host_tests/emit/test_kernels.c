/* Kernels that are handed out: what the calls promise beside the text, which check_kernels.py runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "relayout/relayout.h"
#include "shape_of.h"

static relayout_device *device; /* a GPU that is not there */

static int set_up(void **state) {
  (void)state;
  return relayout_gpu_device_create(NULL, &device, NULL) == RELAYOUT_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  relayout_device_destroy(device);
  return 0;
}

static relayout_plan *plan_on(relayout_device *on, const char *from, const char *to,
                              const relayout_plan_options *options) {
  const relayout_shape from_shape = shape_of(from), to_shape = shape_of(to);
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  if (relayout_plan_create(on, &from_shape, &to_shape, options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

static relayout_plan *plan_of(const char *from, const char *to) {
  return plan_on(device, from, to, NULL);
}

static relayout_kernel_options in(relayout_language language) {
  relayout_kernel_options options = RELAYOUT_KERNEL_OPTIONS_INIT;
  options.language = language;
  return options;
}

static relayout_kernel kernel_of(const relayout_plan *plan, int32_t number,
                                 const relayout_kernel_options *options) {
  relayout_kernel kernel = RELAYOUT_KERNEL_INIT;
  relayout_error error = {.message = ""};
  if (relayout_plan_get_kernel(plan, number, options, &kernel, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(strlen(kernel.source), kernel.source_length);
  assert_int_equal(kernel.struct_size, sizeof kernel);
  return kernel;
}

/* ---- Devices that are not there ---- */

static void test_device(void **state) {
  (void)state;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_error error;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.backend, RELAYOUT_BACKEND_NONE);
  assert_int_equal(info.device_class, RELAYOUT_DEVICE_CLASS_GPU);
  assert_string_equal(info.name, "");
  static const int32_t refused[] = {-1, 3, 2048};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
    relayout_gpu_options options = RELAYOUT_GPU_OPTIONS_INIT;
    relayout_device *made = NULL;
    options.group_size = refused[i];
    assert_int_equal(relayout_gpu_device_create(&options, &made, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "options->group_size is "));
    assert_null(made);
  }
  relayout_gpu_options options = RELAYOUT_GPU_OPTIONS_INIT;
  options.struct_size = 1;
  relayout_device *made = NULL;
  assert_int_equal(relayout_gpu_device_create(&options, &made, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_gpu_device_create(NULL, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
}

static void test_group_size(void **state) {
  (void)state;
  static const int32_t sizes[] = {1, 128, 1024};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    relayout_gpu_options options = RELAYOUT_GPU_OPTIONS_INIT;
    relayout_device *made = NULL;
    options.group_size = sizes[i];
    options.cache_bytes = UINT64_MAX;
    assert_int_equal(relayout_gpu_device_create(&options, &made, NULL), RELAYOUT_OK);
    relayout_plan *const plan = plan_on(made, "f32[100,200]", "f32[100,200]{0,1}", NULL);
    relayout_kernel kernel = kernel_of(plan, 0, NULL);
    assert_int_equal(kernel.local_size, sizes[i]);
    relayout_kernel_free(&kernel);
    relayout_plan_destroy(plan);
    relayout_device_destroy(made);
  }
}

static int64_t group_on(relayout_device *on, const char *from, const char *to, int32_t specialize) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.specialize = specialize;
  relayout_plan *const plan = plan_on(on, from, to, &options);
  relayout_kernel kernel = kernel_of(plan, 0, NULL);
  const int64_t size = (int64_t)kernel.local_size;
  relayout_kernel_free(&kernel);
  relayout_plan_destroy(plan);
  return size;
}

/* Of transposes into 1 and 2 bytes that do not go by pieces of 16, where a plan asks for kernels of
 * its own; never more than a caller allows. */
static void test_larger_group(void **state) {
  (void)state;
  assert_int_equal(group_on(device, "u8[101,203]", "u8[101,203]{0,1}", 1), 128);
  assert_int_equal(group_on(device, "u8[101,203]", "u8[101,203]{0,1}", 0), 64);
  assert_int_equal(group_on(device, "bf16[101,203]", "bf16[101,203]{0,1}", 1), 128);
  assert_int_equal(group_on(device, "f32[128,256]", "f8e4m3fn[128,256]{0,1}", 1), 128);
  assert_int_equal(group_on(device, "u8[128,256]", "u8[128,256]{0,1}", 1), 64);
  assert_int_equal(group_on(device, "f32[101,203]", "f32[101,203]{0,1}", 1), 64);
  relayout_gpu_options small = RELAYOUT_GPU_OPTIONS_INIT;
  small.group_size = 64;
  relayout_device *made = NULL;
  assert_int_equal(relayout_gpu_device_create(&small, &made, NULL), RELAYOUT_OK);
  assert_int_equal(group_on(made, "u8[101,203]", "u8[101,203]{0,1}", 1), 64);
  relayout_device_destroy(made);
}

/* It is planned and described, and nothing else. */
static void test_nothing_runs(void **state) {
  (void)state;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  relayout_plan *const plan = plan_on(device, "f32[100,200]", "f32[100,200]{0,1}", &options);
  relayout_error error;
  static float from[100 * 200], to[100 * 200];
  assert_string_equal(relayout_plan_get_method(plan), "transpose");
  assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, NULL, 0) > 0);
  assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_SCHEDULES_JSON, NULL, 0) > 0);
  assert_int_equal(relayout_plan_execute(plan, from, to, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "relayout_plan_get_kernel"));
  relayout_plan_destroy(plan);
  relayout_scaled_view view;
  const relayout_shape shape = shape_of("f32[64]");
  relayout_view elements;
  relayout_plan *many = NULL;
  assert_int_equal(relayout_view_make(&shape, &elements, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_scaled_view_make(&elements, &view, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create_many(device, &view, &view, 1, NULL, &many, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_null(many);
  relayout_device_trim(device);
}

/* ---- Kernels ---- */

/* 100 x 200 words are 2 x 7 tiles of 64 x 32. */
static void test_launch(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("f32[100,200]", "f32[100,200]{0,1}");
  relayout_kernel kernel = kernel_of(plan, 0, NULL);
  int32_t count = 0;
  assert_int_equal(relayout_plan_count_kernels(plan, NULL, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 1);
  assert_string_equal(kernel.name, "relayout");
  assert_int_equal(kernel.local_size, 64);
  assert_int_equal(kernel.global_size, 2 * 7 * 64);
  assert_true(kernel.local_bytes >= 64 * 32 * 4 && kernel.local_bytes <= 32 << 10);
  assert_int_equal(kernel.argument_count, 4);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(kernel.arguments[i].role, i);
    assert_int_equal(kernel.arguments[i].size, i % 2 == 0 ? 80000 : 8);
  }
  assert_non_null(strstr(kernel.source, "\nlaunch: {\"name\": \"relayout\", \"global\": [896], "));
  assert_non_null(strstr(kernel.source, "f32[100,200]{1,0} to f32[100,200]{0,1}."));
  relayout_kernel_free(&kernel);
  assert_null(kernel.source);
  relayout_kernel_free(&kernel);
  relayout_kernel_free(NULL);
  relayout_plan_destroy(plan);
}

static void test_fill(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("f32[0]", "f32[0]{0:PD(100)PV(one)}");
  relayout_kernel kernel = kernel_of(plan, 0, NULL);
  assert_int_equal(kernel.argument_count, 2);
  assert_int_equal(kernel.arguments[0].role, RELAYOUT_ARGUMENT_DESTINATION);
  assert_int_equal(kernel.arguments[0].size, 400);
  assert_int_equal(kernel.arguments[1].role, RELAYOUT_ARGUMENT_DESTINATION_OFFSET);
  relayout_kernel_free(&kernel);
  relayout_plan_destroy(plan);
}

/* Tiles that leave ragged ends are several kernels. */
static void test_several(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("f32[7,11]", "f32[7,11]{1,0:T(4)}");
  relayout_kernel_options options = RELAYOUT_KERNEL_OPTIONS_INIT;
  int32_t count = 0;
  options.name = "ends";
  assert_int_equal(relayout_plan_count_kernels(plan, &options, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, relayout_plan_part_count(plan));
  assert_true(count > 1);
  relayout_kernel first = kernel_of(plan, 0, &options);
  relayout_kernel second = kernel_of(plan, 1, &options);
  assert_string_equal(first.name, "ends");
  assert_string_equal(second.name, "ends_1");
  relayout_kernel_free(&first);
  relayout_kernel_free(&second);
  options.language = RELAYOUT_LANGUAGE_C;
  assert_int_equal(relayout_plan_count_kernels(plan, &options, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 1);
  first = kernel_of(plan, 0, &options);
  assert_int_equal(first.global_size, 1);
  assert_int_equal(first.argument_count, 2);
  assert_int_equal(first.arguments[0].role, RELAYOUT_ARGUMENT_SOURCE);
  assert_int_equal(first.arguments[1].role, RELAYOUT_ARGUMENT_DESTINATION);
  assert_non_null(strstr(first.source, "\nvoid ends(const void *source, void *destination) {"));
  relayout_kernel_free(&first);
  relayout_plan_destroy(plan);
}

static void test_nothing_to_move(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("f32[0,3]", "f32[0,3]{0,1}");
  const relayout_kernel_options in_c = in(RELAYOUT_LANGUAGE_C);
  int32_t count = 77;
  assert_int_equal(relayout_plan_count_kernels(plan, NULL, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 0);
  assert_int_equal(relayout_plan_count_kernels(plan, &in_c, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 1);
  relayout_kernel kernel = kernel_of(plan, 0, &in_c);
  relayout_kernel_free(&kernel);
  relayout_plan_destroy(plan);
}

/* A schedule in wider words wants more of where the sides begin. */
static void test_alignment(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("u8[64,4096]", "u8[64,4096]{1,0:PD(64,8192)}");
  relayout_kernel_options options = RELAYOUT_KERNEL_OPTIONS_INIT;
  relayout_kernel aligned = kernel_of(plan, 0, &options);
  options.use = RELAYOUT_SCHEDULE_AT_ANY_OFFSET;
  relayout_kernel any = kernel_of(plan, 0, &options);
  assert_int_equal(any.source_alignment, 1);
  assert_int_equal(any.destination_alignment, 1);
  assert_true(aligned.destination_alignment >= 1);
  relayout_kernel_free(&aligned);
  relayout_kernel_free(&any);
  relayout_plan_destroy(plan);
}

/* Every name of a text begins with the function's, so that two can stand in one file. */
static void test_names(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("f32[100,200]", "bf16[100,200]{0,1}");
  for (int language = RELAYOUT_LANGUAGE_C; language <= RELAYOUT_LANGUAGE_HIP; ++language) {
    relayout_kernel_options options = in((relayout_language)language);
    options.name = "mine";
    relayout_kernel kernel = kernel_of(plan, 0, &options);
    assert_null(strstr(kernel.source, "\n#define WORD"));
    for (const char *at = kernel.source; (at = strstr(at, "\n#define ")) != NULL;) {
      at += strlen("\n#define ");
      assert_memory_equal(at, "mine", 4);
    }
    relayout_kernel_free(&kernel);
  }
  relayout_plan_destroy(plan);
}

static void test_same_text(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("u8[40,50,3]", "u8[40,50,3]{1,0,2}");
  const relayout_kernel_options options = in(RELAYOUT_LANGUAGE_CUDA);
  relayout_kernel first = kernel_of(plan, 0, &options);
  relayout_kernel second = kernel_of(plan, 0, &options);
  assert_string_equal(first.source, second.source);
  relayout_kernel_free(&first);
  relayout_kernel_free(&second);
  relayout_plan_destroy(plan);
}

/* ---- Refusals ---- */

static void assert_refuses(const relayout_plan *plan, int32_t number,
                           relayout_kernel_options options, relayout_status status,
                           const char *part) {
  relayout_kernel kernel = RELAYOUT_KERNEL_INIT;
  relayout_error error = {.message = ""};
  assert_int_equal(relayout_plan_get_kernel(plan, number, &options, &kernel, &error), status);
  assert_non_null(strstr(error.message, part));
  assert_null(kernel.source);
}

static void test_refusals(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("f32[3]", "f32[3]{0:PD(4)}");
  relayout_kernel_options options = RELAYOUT_KERNEL_OPTIONS_INIT;
  relayout_kernel kernel = RELAYOUT_KERNEL_INIT;
  relayout_error error;
  assert_refuses(plan, 1, options, RELAYOUT_OUT_OF_RANGE, "number is 1; the plan has 1 kernel");
  assert_refuses(plan, -1, options, RELAYOUT_OUT_OF_RANGE, "number is -1");
  assert_refuses(plan, 0, in(RELAYOUT_LANGUAGE_METAL), RELAYOUT_UNSUPPORTED, "not in metal");
  assert_refuses(plan, 0, in((relayout_language)77), RELAYOUT_INVALID_ARGUMENT,
                 "options->language is 77");
  options.name = "for";
  assert_refuses(plan, 0, options, RELAYOUT_INVALID_ARGUMENT, "options->name is 'for'");
  options = (relayout_kernel_options)RELAYOUT_KERNEL_OPTIONS_INIT;
  options.use = (relayout_schedule_use)2;
  assert_refuses(plan, 0, options, RELAYOUT_INVALID_ARGUMENT, "options->use is 2");
  options = (relayout_kernel_options)RELAYOUT_KERNEL_OPTIONS_INIT;
  options.struct_size = 1;
  assert_refuses(plan, 0, options, RELAYOUT_INVALID_ARGUMENT, "options->struct_size is 1");
  assert_refuses(NULL, 0, in(RELAYOUT_LANGUAGE_C), RELAYOUT_INVALID_ARGUMENT, "plan is NULL");
  assert_int_equal(relayout_plan_get_kernel(plan, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  kernel.struct_size = 1;
  assert_int_equal(relayout_plan_get_kernel(plan, 0, NULL, &kernel, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_plan_count_kernels(plan, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  relayout_plan_destroy(plan);
}

/* Positions of a tile that are sums over no few digits stand in tables. */
static void test_large_tables(void **state) {
  (void)state;
  static const char *const schedules[] = {
      "permute word=1 rows=- columns=0,1,2,3,4:35 move=permute store=buffered"};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = schedules;
  options.schedule_count = 1;
  const char *const from = "u8[2,3,5,7,11,13]", *const to = "u8[2,3,5,7,11,13]{5,0,4,1,3,2}";
  relayout_plan *const plan = plan_on(device, from, to, &options);
  assert_refuses(plan, 0, (relayout_kernel_options)RELAYOUT_KERNEL_OPTIONS_INIT,
                 RELAYOUT_UNSUPPORTED, "the constants of a text have 49152 at most");
  const relayout_kernel_options in_c = in(RELAYOUT_LANGUAGE_C);
  relayout_kernel kernel = kernel_of(plan, 0, &in_c);
  relayout_kernel_free(&kernel);
  relayout_plan_destroy(plan);
}

static void test_several_destinations(void **state) {
  (void)state;
  relayout_device *cpu = NULL;
  relayout_scaled_view view;
  relayout_view elements;
  relayout_plan *plan = NULL;
  const relayout_shape shape = shape_of("f32[64]");
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_make(&shape, &elements, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_scaled_view_make(&elements, &view, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create_many(cpu, &view, &view, 1, NULL, &plan, NULL), RELAYOUT_OK);
  assert_refuses(plan, 0, in(RELAYOUT_LANGUAGE_C), RELAYOUT_INVALID_ARGUMENT,
                 "relayout_plan_create_many");
  relayout_plan_destroy(plan);
  relayout_device_destroy(cpu);
}

/* A plan of the CPU backend has no work-group kernels, but can be handed out in C. */
static void test_other_devices(void **state) {
  (void)state;
  relayout_device *cpu = NULL;
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  relayout_plan *const plan = plan_on(cpu, "f32[3,5]", "f32[3,5]{0,1}", NULL);
  assert_refuses(plan, 0, in(RELAYOUT_LANGUAGE_CUDA), RELAYOUT_UNSUPPORTED,
                 "relayout_gpu_device_create");
  const relayout_kernel_options in_c = in(RELAYOUT_LANGUAGE_C);
  relayout_kernel kernel = kernel_of(plan, 0, &in_c);
  relayout_kernel_free(&kernel);
  relayout_plan_destroy(plan);
  relayout_device_destroy(cpu);
}

/* ---- Memory ---- */

static int until_failure; /* allocations that work, and the one that fails */

static void *allocate(void *context, size_t size, size_t alignment) {
  (void)context;
  if (until_failure > 0 && --until_failure == 0) {
    return NULL;
  }
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void *context, void *block) {
  (void)context;
  free(block);
}

static void check_without_memory(relayout_language language) {
  relayout_device *own = NULL;
  assert_int_equal(relayout_gpu_device_create(NULL, &own, NULL), RELAYOUT_OK);
  relayout_plan *const plan = plan_on(own, "f32[9,10,5]", "bf16[9,10,5]{0,2,1}", NULL);
  const relayout_kernel_options options = in(language);
  bool all_worked = false;
  for (int nth = 1; !all_worked; ++nth) {
    relayout_kernel kernel = RELAYOUT_KERNEL_INIT;
    relayout_error error;
    until_failure = nth;
    const relayout_status status = relayout_plan_get_kernel(plan, 0, &options, &kernel, &error);
    all_worked = until_failure > 0;
    until_failure = 0;
    assert_int_equal(status, all_worked ? RELAYOUT_OK : RELAYOUT_OUT_OF_MEMORY);
    assert_true(all_worked == (kernel.source != NULL));
    relayout_kernel_free(&kernel);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(own);
}

static void test_out_of_memory(void **state) {
  (void)state;
  const relayout_allocator counting = {sizeof counting, allocate, release, NULL};
  assert_int_equal(relayout_set_allocator(&counting, NULL), RELAYOUT_OK);
  for (int language = RELAYOUT_LANGUAGE_C; language <= RELAYOUT_LANGUAGE_HIP; ++language) {
    check_without_memory((relayout_language)language);
  }
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_out_of_memory), /* before there is any device */
      cmocka_unit_test_setup_teardown(test_device, set_up, tear_down),
      cmocka_unit_test(test_group_size),
      cmocka_unit_test_setup_teardown(test_larger_group, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nothing_runs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_launch, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_fill, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_several, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nothing_to_move, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_alignment, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_same_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_large_tables, set_up, tear_down),
      cmocka_unit_test(test_several_destinations),
      cmocka_unit_test(test_other_devices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
