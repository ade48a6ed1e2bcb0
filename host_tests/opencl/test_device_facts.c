/* test_device_facts.c: what devices of all kinds become by what they tell: kernels, facts, ways to
 * memory, names, and which is the best. The driver is one of memory, so that there are such
 * devices; the linker leads questions about the host to the wrapper here. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/target.h"
#include "gpu/local_tile.h"
#include "gpu/target.h"
#include "machine/host.h"
#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "opencl/memory.h"
#include "relayout/hooks.h"
#include "relayout/relayout.h"

static rlt_machine host; /* what the host tells */

void __wrap_rlt_host_add_facts(rlt_machine *facts);
void __wrap_rlt_host_add_facts(rlt_machine *facts) {
  memcpy(facts->caches, host.caches, sizeof facts->caches);
  facts->line_bytes = host.line_bytes;
  facts->page_bytes = host.page_bytes;
}

static const char pocl[] = "Portable Computing Language";

static fake_platform platform_of(const char *name, fake_device *device) {
  return (fake_platform){name, "OpenCL 3.0 of the platform", 1, {device}};
}

static fake_device cpu_like(const fake_device *other) {
  fake_device made = *other;
  made.type = CL_DEVICE_TYPE_CPU;
  made.vector_bytes = 16;
  return made;
}

/* The device, made from a context of its own. */
static rlt_opencl_device *make(fake_platform *platform, relayout_kernel_family family) {
  relayout_device *made = NULL;
  relayout_error error = {0};
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = family;
  options.cache_directory = "";
  fake_driver_begin(platform);
  const cl_context context = fake_context(1, platform->devices);
  if (relayout_opencl_device_create(context, (cl_device_id)(void *)platform->devices[0], &options,
                                    &made, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return (rlt_opencl_device *)made;
}

/* The device holds its context and its id, the test its context; no more, and nothing of it is left
 * but that. */
static void leave(rlt_opencl_device *device, const fake_device *told) {
  assert_int_equal(fake_all_holders(), 2);
  assert_int_equal(told->holders, 1);
  relayout_device_destroy(&device->base);
  assert_int_equal(fake_all_holders(), 1);
  assert_int_equal(told->holders, 0);
}

/* ---- Kernels ---- */

/* Work-group kernels on all devices that run no native ones. */
static void test_families(void **state) {
  (void)state;
  static const struct {
    cl_device_type type;
    int vector_bytes; /* -1: it does not know the question */
    relayout_kernel_family asked;
    const rlt_target *target;
    relayout_device_class device_class;
  } cases[] = {
      {CL_DEVICE_TYPE_GPU, 1, RELAYOUT_KERNELS_AUTO, &rlt_gpu_target, RELAYOUT_DEVICE_CLASS_GPU},
      {CL_DEVICE_TYPE_GPU, 16, RELAYOUT_KERNELS_AUTO, &rlt_gpu_target, RELAYOUT_DEVICE_CLASS_GPU},
      {CL_DEVICE_TYPE_ACCELERATOR, 16, RELAYOUT_KERNELS_AUTO, &rlt_gpu_target,
       RELAYOUT_DEVICE_CLASS_ACCELERATOR},
      {CL_DEVICE_TYPE_CUSTOM, 16, RELAYOUT_KERNELS_AUTO, &rlt_gpu_target,
       RELAYOUT_DEVICE_CLASS_OTHER},
      {CL_DEVICE_TYPE_CPU, 16, RELAYOUT_KERNELS_AUTO, &rlt_gpu_target, RELAYOUT_DEVICE_CLASS_CPU},
      {CL_DEVICE_TYPE_CPU, -1, RELAYOUT_KERNELS_AUTO, &rlt_gpu_target, RELAYOUT_DEVICE_CLASS_CPU},
      {CL_DEVICE_TYPE_CPU, 1, RELAYOUT_KERNELS_AUTO, &rlt_gpu_target, RELAYOUT_DEVICE_CLASS_CPU},
      {CL_DEVICE_TYPE_CPU, 16, RELAYOUT_KERNELS_STAGED, &rlt_gpu_target, RELAYOUT_DEVICE_CLASS_CPU},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    fake_device told = fake_gpu;
    told.type = cases[i].type;
    told.vector_bytes = cases[i].vector_bytes;
    fake_platform platform = platform_of("Some", &told);
    rlt_opencl_device *const device = make(&platform, cases[i].asked);
    assert_ptr_equal(device->base.facts.target, cases[i].target);
    assert_int_equal(device->base.info.device_class, cases[i].device_class);
    assert_int_equal(device->base.info.vector_bytes,
                     cases[i].vector_bytes < 0 ? 0 : cases[i].vector_bytes);
    leave(device, &told);
  }
}

/* Up to 64 work-items, a power of two that both of the device's limits allow. */
static void test_group_sizes(void **state) {
  (void)state;
  static const struct {
    size_t group_size;
    size_t along_first;
    int64_t expected;
  } cases[] = {{256, 256, 64}, {64, 64, 64}, {63, 256, 32}, {256, 63, 32}, {256, 16, 16},
               {16, 256, 16},  {2, 2, 2},    {1, 256, 1},   {256, 1, 1},   {0, 256, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    fake_device told = fake_gpu;
    told.group_size = cases[i].group_size;
    told.item_sizes[0] = cases[i].along_first;
    fake_platform platform = platform_of("Some", &told);
    rlt_opencl_device *const device = make(&platform, RELAYOUT_KERNELS_AUTO);
    assert_int_equal(device->base.facts.group_size, cases[i].expected);
    leave(device, &told);
  }
}

/* The kernels' own sizes, and what only PoCL is known not to bear: so many work-groups as others
 * do, which are counted along another dimension. */
static void test_facts_of_kernels(void **state) {
  (void)state;
  for (int is_pocl = 0; is_pocl < 2; ++is_pocl) {
    fake_device told = cpu_like(&fake_gpu);
    fake_platform platform = platform_of(is_pocl ? pocl : "Some", &told);
    rlt_opencl_device *const device = make(&platform, RELAYOUT_KERNELS_WORK_GROUP);
    const rlt_facts *const facts = &device->base.facts;
    assert_int_equal(facts->line_bytes, RLT_LOCAL_LINE_BYTES);
    assert_int_equal(facts->threads, 1);
    assert_int_equal(facts->group_size, 64);
    if (is_pocl) {
      assert_int_equal(facts->most_groups, 65534);
    } else {
      assert_in_range(facts->most_groups, 65535, INT32_MAX / 64);
    }
    assert_int_equal(device->native, is_pocl);
    assert_int_equal(device->driver_keeps_programs, is_pocl);
    assert_int_equal(device->grid_axis, is_pocl ? 2 : 0);
    assert_int_equal(device->base.info.streaming_stores, is_pocl);
    assert_int_equal(facts->staging_bytes, RLT_LOCAL_BYTES);
    assert_int_equal(facts->bit_transposed_rows, 0);
    assert_int_equal(facts->cache_bytes, 0);
    leave(device, &told);
  }
}

/* ---- Caches ---- */

/* A CPU device that shares the host's memory has the host's caches; where the host does not tell of
 * any, and for every other device, there is what the driver tells of one. */
static void test_caches(void **state) {
  (void)state;
  static const rlt_machine two_levels = {
      .line_bytes = 32, .page_bytes = 16384, .caches = {{48 << 10, 12, 1}, {1 << 20, 16, 2}}};
  static const rlt_machine one_level = {
      .line_bytes = 32, .page_bytes = 16384, .caches = {{48 << 10, 12, 1}}};
  static const rlt_machine nothing = {.page_bytes = 16384};
  const struct {
    const rlt_machine *host;
    cl_device_type type;
    cl_bool shares;
    int line_bytes;
    int64_t bytes[2];
    int64_t expected_line;
    int64_t page_bytes;
  } cases[] = {
      {&two_levels, CL_DEVICE_TYPE_CPU, CL_TRUE, 128, {48 << 10, 1 << 20}, 32, 16384},
      {&one_level, CL_DEVICE_TYPE_CPU, CL_TRUE, 128, {48 << 10, 0}, 32, 16384},
      {&nothing, CL_DEVICE_TYPE_CPU, CL_TRUE, 128, {2 << 20, 0}, 128, 16384},
      {&two_levels, CL_DEVICE_TYPE_CPU, CL_FALSE, 128, {2 << 20, 0}, 128, 0},
      {&two_levels, CL_DEVICE_TYPE_GPU, CL_TRUE, 128, {2 << 20, 0}, 128, 0},
      {&two_levels, CL_DEVICE_TYPE_GPU, CL_TRUE, 96, {2 << 20, 0}, 0, 0},   /* no power of two */
      {&two_levels, CL_DEVICE_TYPE_GPU, CL_TRUE, 8192, {2 << 20, 0}, 0, 0}, /* no line */
      {&two_levels, CL_DEVICE_TYPE_GPU, CL_TRUE, 4096, {2 << 20, 0}, 4096, 0},
      {&two_levels, CL_DEVICE_TYPE_GPU, CL_TRUE, -1, {2 << 20, 0}, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    fake_device told = fake_gpu;
    fake_platform platform = platform_of("Some", &told);
    told.type = cases[i].type;
    told.shares_memory = cases[i].shares;
    told.line_bytes = cases[i].line_bytes;
    host = *cases[i].host;
    rlt_opencl_device *const device = make(&platform, RELAYOUT_KERNELS_STAGED);
    const relayout_device_info *const info = &device->base.info;
    assert_int_equal(info->caches[0].bytes, cases[i].bytes[0]);
    assert_int_equal(info->caches[1].bytes, cases[i].bytes[1]);
    assert_int_equal(info->caches[2].bytes, 0);
    assert_int_equal(info->line_bytes, cases[i].expected_line);
    assert_int_equal(info->page_bytes, cases[i].page_bytes);
    assert_int_equal(device->base.facts.machine.page_bytes, cases[i].page_bytes);
    assert_int_equal(device->base.facts.machine.caches[0].bytes, cases[i].bytes[0]);
    leave(device, &told);
  }
  host = (rlt_machine){0};
}

/* ---- Ways to memory ---- */

#define USM "cl_intel_unified_shared_memory"

static void expect_access(const rlt_opencl_device *device, relayout_memory_kind kind,
                          relayout_status status, rlt_access expected) {
  rlt_access access = RLT_ACCESS_IMAGE;
  assert_int_equal(rlt_memory_access(device, "source", kind, &access, NULL), status);
  if (status == RELAYOUT_OK) {
    assert_int_equal(access, expected);
  }
}

/* Whole words of the list of extensions count, wherever they stand. */
static void test_usm(void **state) {
  (void)state;
  static const struct {
    const char *extensions;
    bool has;
  } cases[] = {
      {USM, true},
      {USM " cl_khr_fp16", true},
      {"cl_khr_fp16 " USM, true},
      {"cl_khr_fp16 " USM " cl_khr_fp64", true},
      {USM "_preview " USM " cl_khr_fp64", true},
      {"x" USM " " USM, true},
      {USM "_preview", false},
      {"x" USM, false},
      {"x" USM " cl_khr_fp64", false},
      {"cl_khr_fp64 " USM "_preview", false},
      {"cl_khr_fp64", false},
      {"", false},
      {NULL, false}, /* it does not answer */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    fake_device told = fake_gpu;
    told.extensions = cases[i].extensions;
    fake_platform platform = platform_of("Some", &told);
    rlt_opencl_device *const device = make(&platform, RELAYOUT_KERNELS_AUTO);
    assert_int_equal(device->set_usm_pointer != NULL, cases[i].has);
    expect_access(device, RELAYOUT_MEMORY_USM, cases[i].has ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED,
                  RLT_ACCESS_POINTER);
    assert_true(rlt_memory_setter(device, RELAYOUT_MEMORY_USM) == device->set_usm_pointer);
    leave(device, &told);
  }
}

/* Memory of the host: by its pointer, by a buffer on it, or through staging. */
static void test_memory_of_the_host(void **state) {
  (void)state;
  static const struct {
    const char *platform;
    cl_device_type type;
    long svm; /* -1: below OpenCL 2.0 */
    rlt_access host;
    bool has_svm;
  } cases[] = {
      {"Some", CL_DEVICE_TYPE_GPU, -1, RLT_ACCESS_STAGED, false},
      {"Some", CL_DEVICE_TYPE_GPU, 0, RLT_ACCESS_STAGED, false},
      {"Some", CL_DEVICE_TYPE_GPU, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, RLT_ACCESS_STAGED, true},
      {"Some", CL_DEVICE_TYPE_GPU,
       CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS,
       RLT_ACCESS_STAGED, true},
      {"Some", CL_DEVICE_TYPE_GPU,
       CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, RLT_ACCESS_POINTER,
       true},
      {"Some", CL_DEVICE_TYPE_CPU, 0, RLT_ACCESS_STAGED, false},
      {pocl, CL_DEVICE_TYPE_CPU, 0, RLT_ACCESS_WRAPPED, false},
      {pocl, CL_DEVICE_TYPE_GPU, 0, RLT_ACCESS_STAGED, false},
      {pocl, CL_DEVICE_TYPE_CPU, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, RLT_ACCESS_POINTER, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    fake_device told = fake_gpu;
    fake_platform platform = platform_of(cases[i].platform, &told);
    told.type = cases[i].type;
    told.svm = cases[i].svm;
    rlt_opencl_device *const device = make(&platform, RELAYOUT_KERNELS_AUTO);
    expect_access(device, RELAYOUT_MEMORY_BUFFER, RELAYOUT_OK, RLT_ACCESS_BUFFER);
    expect_access(device, RELAYOUT_MEMORY_IMAGE, RELAYOUT_OK, RLT_ACCESS_IMAGE);
    expect_access(device, RELAYOUT_MEMORY_HOST, RELAYOUT_OK, cases[i].host);
    expect_access(device, RELAYOUT_MEMORY_SVM,
                  cases[i].has_svm ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED, RLT_ACCESS_POINTER);
    expect_access(device, (relayout_memory_kind)9, RELAYOUT_INVALID_ARGUMENT, RLT_ACCESS_BUFFER);
    assert_true(rlt_memory_setter(device, RELAYOUT_MEMORY_SVM) == device->set_svm_pointer);
    leave(device, &told);
  }
}

/* ---- What can run relayouts ---- */

static void test_obstacles(void **state) {
  (void)state;
  static const struct {
    const char *version;
    const char *platform_version;
    const char *profile;
    bool has_compiler;
    bool is_available;
    const char *obstacle; /* NULL: none */
  } cases[] = {
      {"OpenCL 1.2 x", "OpenCL 1.2 x", "FULL_PROFILE", true, true, NULL},
      {"OpenCL 1.10", "OpenCL 2.0", "FULL_PROFILE", true, true, NULL},
      {"OpenCL 2.0 x", "OpenCL 10.1 x", "FULL_PROFILE", true, true, NULL},
      {"OpenCL 2.1 x", "OpenCL 2.1 x", "FULL_PROFILE", true, true, NULL},
      {"OpenCL 1.1 x", "OpenCL 1.2 x", "FULL_PROFILE", true, true, "device is older than"},
      {"OpenCL 0.9 x", "OpenCL 1.2 x", "FULL_PROFILE", true, true, "device is older than"},
      {"OpenCL 1", "OpenCL 1.2 x", "FULL_PROFILE", true, true, "device is older than"},
      {"3.0", "OpenCL 1.2 x", "FULL_PROFILE", true, true, "device is older than"},
      {"OpenCL 3.0", "OpenCL 1.1 x", "FULL_PROFILE", true, true, "platform is older than"},
      {"OpenCL 3.0", "OpenCL 3.0", "EMBEDDED_PROFILE", true, true, "the full profile"},
      {"OpenCL 3.0", "OpenCL 3.0", "FULL_PROFILE", false, true, "device has no compiler"},
      {"OpenCL 3.0", "OpenCL 3.0", "FULL_PROFILE", true, false, "device is not available"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    fake_device told = fake_gpu;
    told.version = cases[i].version;
    told.profile = cases[i].profile;
    told.has_compiler = cases[i].has_compiler;
    told.is_available = cases[i].is_available;
    fake_platform platform = {"Some", cases[i].platform_version, 1, {&told}};
    fake_driver_begin(&platform);
    relayout_error error = {0};
    assert_int_equal(rlt_opencl_device_check((cl_device_id)(void *)&told, &error),
                     cases[i].obstacle == NULL ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    assert_true(cases[i].obstacle == NULL || strstr(error.message, cases[i].obstacle) != NULL);
    size_t count = 9;
    assert_int_equal(rlt_opencl_list(NULL, 0, &count, NULL), RELAYOUT_OK);
    assert_int_equal(count, cases[i].obstacle == NULL);
    relayout_device *device = NULL;
    assert_int_equal(rlt_opencl_open_at(0, 0, &device, &error),
                     cases[i].obstacle == NULL ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    if (device != NULL) {
      relayout_device_destroy(device);
    }
    assert_int_equal(fake_all_holders() + told.holders, 0);
  }
}

/* ---- Lists ---- */

/* Three platforms: a CPU and a GPU that is too old; none; one that does not answer, an accelerator
 * and two GPUs. */
typedef struct machine {
  fake_device devices[6];
  fake_platform platforms[3];
} machine;

static machine *start(void) {
  static machine of;
  for (int i = 0; i < 6; ++i) {
    of.devices[i] = fake_gpu;
  }
  of.devices[0].type = CL_DEVICE_TYPE_CPU;
  of.devices[0].name = "The CPU";
  of.devices[1].version = "OpenCL 1.1";
  of.devices[2].is_dead = true;
  of.devices[3].type = CL_DEVICE_TYPE_ACCELERATOR;
  of.devices[3].name = "The accelerator";
  of.devices[4].name = "The first GPU";
  of.devices[5].name = "The second GPU";
  of.platforms[0] = (fake_platform){"A", "OpenCL 2.0", 2, {&of.devices[0], &of.devices[1]}};
  of.platforms[1] = (fake_platform){"B", "OpenCL 2.0", 0, {NULL}};
  of.platforms[2] = (fake_platform){
      "C", "OpenCL 3.0", 4, {&of.devices[2], &of.devices[3], &of.devices[4], &of.devices[5]}};
  fake_driver_begin(&of.platforms[0]);
  fake.platform_count = 3;
  fake.platforms[1] = &of.platforms[1];
  fake.platforms[2] = &of.platforms[2];
  return &of;
}

static void test_list(void **state) {
  (void)state;
  static const char *const names[] = {"opencl:0:0", "opencl:2:1", "opencl:2:2", "opencl:2:3"};
  static const char *const descriptions[] = {"The CPU", "The accelerator", "The first GPU",
                                             "The second GPU"};
  (void)start();
  relayout_device_info infos[5];
  for (int i = 0; i < 5; ++i) {
    infos[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  size_t count = 0;
  assert_int_equal(rlt_opencl_list(infos, 3, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 4);
  assert_string_equal(infos[3].name, ""); /* behind the room there was */
  assert_int_equal(rlt_opencl_list(infos, 5, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 4);
  for (int i = 0; i < 4; ++i) {
    assert_string_equal(infos[i].name, names[i]);
    assert_string_equal(infos[i].description, descriptions[i]);
    assert_string_equal(infos[i].platform, i == 0 ? "A, OpenCL 2.0" : "C, OpenCL 3.0");
    assert_string_equal(infos[i].driver, "1.2.3");
    assert_int_equal(infos[i].backend, RELAYOUT_BACKEND_OPENCL);
    assert_int_equal(infos[i].compute_units, 12);
    assert_int_equal(infos[i].memory_bytes, 1 << 30);
    assert_int_equal(infos[i].allocation_bytes, 1 << 28);
  }
  assert_string_equal(infos[4].name, "");
  fake.platforms_code = CL_OUT_OF_HOST_MEMORY;
  assert_int_equal(rlt_opencl_list(infos, 5, &count, NULL), RELAYOUT_OPENCL_ERROR);
  fake.platforms_code = -1001; /* the loader found none */
  assert_int_equal(rlt_opencl_list(infos, 5, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 0);
  fake.platforms_code = CL_SUCCESS;
  fake.platform_count = 0;
  assert_int_equal(rlt_opencl_list(infos, 5, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 0);
}

static void expect_opened(relayout_device *device, const char *name) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_string_equal(info.name, name);
  relayout_device_destroy(device);
  assert_int_equal(fake_all_holders(), 0);
}

static void expect_best(bool offload_only, const char *name) {
  relayout_device *device = NULL;
  relayout_error error = {0};
  if (rlt_opencl_open_best(offload_only, &device, &error) != RELAYOUT_OK) {
    assert_string_equal(error.message, name);
    assert_null(device);
    return;
  }
  expect_opened(device, name);
}

/* GPUs first, then accelerators, then any other, and the first of equals. */
static void test_best(void **state) {
  (void)state;
  machine *const of = start();
  expect_best(true, "opencl:2:2");
  expect_best(false, "opencl:2:2");
  of->devices[4].is_dead = true;
  expect_best(true, "opencl:2:3");
  of->devices[5].has_compiler = false;
  expect_best(true, "opencl:2:1");
  expect_best(false, "opencl:2:1");
  of->devices[3].type = CL_DEVICE_TYPE_CPU;
  expect_best(true, "no OpenCL platform offers a GPU or an accelerator");
  expect_best(false, "opencl:0:0");
  of->devices[0].is_available = false;
  expect_best(false, "opencl:2:1");
  of->devices[3].is_available = false;
  expect_best(false, "no OpenCL platform offers a device");
}

static void test_numbers(void **state) {
  (void)state;
  (void)start();
  relayout_device *device = NULL;
  relayout_error error = {0};
  assert_int_equal(rlt_opencl_open_at(2, 3, &device, NULL), RELAYOUT_OK);
  expect_opened(device, "opencl:2:3");
  assert_int_equal(rlt_opencl_open_at(0, 0, &device, NULL), RELAYOUT_OK);
  expect_opened(device, "opencl:0:0");
  device = NULL;
  assert_int_equal(rlt_opencl_open_at(2, 4, &device, &error), RELAYOUT_NO_DEVICE);
  assert_string_equal(error.message, "there is no OpenCL device 4 on platform 2");
  assert_int_equal(rlt_opencl_open_at(1, 0, &device, &error), RELAYOUT_NO_DEVICE);
  assert_int_equal(rlt_opencl_open_at(0, 1, &device, &error), RELAYOUT_UNSUPPORTED);
  assert_int_equal(rlt_opencl_open_at(2, 0, &device, &error), RELAYOUT_OPENCL_ERROR);
  assert_null(device);
  assert_int_equal(fake_all_holders(), 0);
}

/* Blocks that hold anything, with more of it behind. */
static void *allocate_noise(void *context, size_t size, size_t alignment) {
  (void)context;
  const size_t room = (size + 64 + alignment - 1) / alignment * alignment;
  void *const made = aligned_alloc(alignment, room);
  return made == NULL ? NULL : memset(made, 'x', room);
}

static void release_noise(void *context, void *block) {
  (void)context;
  free(block);
}

/* A driver that forgets the 0 behind its texts. */
static void test_texts_without_end(void **state) {
  (void)state;
  const relayout_allocator noise = {sizeof noise, allocate_noise, release_noise, NULL};
  fake_device told = fake_gpu;
  fake_platform platform = platform_of("Some", &told);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  fake_driver_begin(&platform);
  assert_int_equal(relayout_set_allocator(&noise, NULL), RELAYOUT_OK);
  for (int ends_none = 0; ends_none < 2; ++ends_none) {
    fake.ends_no_texts = ends_none == 1;
    assert_int_equal(rlt_opencl_device_info((cl_device_id)(void *)&told, &info, NULL), RELAYOUT_OK);
    assert_string_equal(info.description, "A GPU");
    assert_string_equal(info.driver, "1.2.3");
    assert_string_equal(info.platform, "Some, OpenCL 3.0 of the platform");
  }
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
}

/* ---- Contexts ---- */

static relayout_status create(cl_context context, fake_device *device, relayout_device **made) {
  *made = NULL;
  return relayout_opencl_device_create(context, (cl_device_id)(void *)device, NULL, made, NULL);
}

/* A device of the context, any of them, or a part of a part of one; no other. */
static void test_devices_of_contexts(void **state) {
  (void)state;
  machine *const of = start();
  fake_device part = fake_gpu;
  fake_device part_of_it = fake_gpu;
  part.parent = &of->devices[5];
  part_of_it.parent = &part;
  const cl_context context = fake_context(2, of->platforms[2].devices + 2);
  relayout_device *device = NULL;
  fake_device *const right[] = {&of->devices[4], &of->devices[5], &part, &part_of_it};
  for (int i = 0; i < 4; ++i) {
    relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
    assert_int_equal(create(context, right[i], &device), RELAYOUT_OK);
    assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
    assert_string_equal(info.name, i == 0 ? "opencl:2:2" : i == 1 ? "opencl:2:3" : "");
    relayout_device_destroy(device);
    assert_int_equal(right[i]->holders, 0);
  }
  part.parent = &of->devices[3];
  assert_int_equal(create(context, &of->devices[3], &device), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(create(context, &part_of_it, &device), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(create(context, &of->devices[2], &device), RELAYOUT_OPENCL_ERROR);
  assert_null(device);
  assert_int_equal(fake_all_holders(), 1);
}

/* ---- Arguments ---- */

static void expect_refused(cl_context context, fake_device *device,
                           const relayout_opencl_options *options, const char *text) {
  relayout_device *made = NULL;
  relayout_error error = {.message = ""};
  assert_int_equal(
      relayout_opencl_device_create(context, (cl_device_id)(void *)device, options, &made, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, text));
  assert_null(made);
}

static void test_arguments(void **state) {
  (void)state;
  fake_device told = fake_gpu;
  fake_platform platform = platform_of("Some", &told);
  fake_driver_begin(&platform);
  const cl_context context = fake_context(1, platform.devices);
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  expect_refused(NULL, &told, NULL, "context is NULL");
  expect_refused(context, NULL, NULL, "id is NULL");
  options.kernels = (relayout_kernel_family)4;
  expect_refused(context, &told, &options, "options->kernels is 4, which is not a kernel family");
  options = (relayout_opencl_options)RELAYOUT_OPENCL_OPTIONS_INIT;
  options.struct_size = 3;
  expect_refused(context, &told, &options, "options->struct_size is 3");
  options = (relayout_opencl_options)RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = "cache";
  expect_refused(context, &told, &options,
                 "options->cache_directory is `cache`; expected an absolute path");
  static const char *const directories[] = {NULL, "", "/nowhere"};
  for (int i = 0; i < 3; ++i) {
    relayout_device *device = NULL;
    cl_context its_context = NULL;
    cl_device_id id = NULL;
    relayout_error error = {.message = ""};
    options.cache_directory = directories[i];
    assert_int_equal(relayout_opencl_device_create(context, (cl_device_id)(void *)&told, &options,
                                                   &device, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_opencl_device_get_handles(device, &its_context, &id, NULL),
                     RELAYOUT_OK);
    assert_true(its_context == context && (void *)id == (void *)&told);
    assert_int_equal(relayout_opencl_device_get_handles(NULL, &its_context, &id, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_string_equal(error.message, "device is NULL");
    assert_int_equal(relayout_opencl_device_get_handles(device, NULL, &id, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_string_equal(error.message, "context is NULL");
    assert_int_equal(relayout_opencl_device_get_handles(device, &its_context, NULL, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_string_equal(error.message, "id is NULL");
    leave((rlt_opencl_device *)device, &told);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_families),
      cmocka_unit_test(test_group_sizes),
      cmocka_unit_test(test_facts_of_kernels),
      cmocka_unit_test(test_caches),
      cmocka_unit_test(test_usm),
      cmocka_unit_test(test_memory_of_the_host),
      cmocka_unit_test(test_obstacles),
      cmocka_unit_test(test_list),
      cmocka_unit_test(test_best),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_texts_without_end),
      cmocka_unit_test(test_devices_of_contexts),
  };
  setenv("RELAYOUT_CACHE", "off", 1);
  fake_driver_use();
  return cmocka_run_group_tests_name("device_facts", tests, NULL, NULL);
}
