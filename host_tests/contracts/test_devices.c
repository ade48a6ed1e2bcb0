/* Devices as any caller sees them: what they say of themselves, how they are listed and named. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"

enum { MOST = 65 };

static void assert_strings(const relayout_device_info *info) {
  assert_non_null(memchr(info->name, '\0', sizeof info->name));
  assert_non_null(memchr(info->description, '\0', sizeof info->description));
  assert_non_null(memchr(info->platform, '\0', sizeof info->platform));
  assert_non_null(memchr(info->driver, '\0', sizeof info->driver));
  assert_non_null(memchr(info->instructions, '\0', sizeof info->instructions));
}

/* Strings are compared up to their ends. */
static void assert_same(const relayout_device_info *a, const relayout_device_info *b) {
  assert_int_equal(a->backend, b->backend);
  assert_int_equal(a->device_class, b->device_class);
  assert_string_equal(a->name, b->name);
  assert_string_equal(a->description, b->description);
  assert_string_equal(a->platform, b->platform);
  assert_string_equal(a->driver, b->driver);
  assert_int_equal(a->compute_units, b->compute_units);
  assert_true(a->memory_bytes == b->memory_bytes);
  assert_true(a->allocation_bytes == b->allocation_bytes);
  assert_memory_equal(a->caches, b->caches, sizeof a->caches);
  assert_true(a->page_bytes == b->page_bytes);
  assert_int_equal(a->line_bytes, b->line_bytes);
  assert_memory_equal(a->tlb_pages, b->tlb_pages, sizeof a->tlb_pages);
  assert_int_equal(a->vector_bytes, b->vector_bytes);
  assert_int_equal(a->streaming_stores, b->streaming_stores);
  assert_string_equal(a->instructions, b->instructions);
}

/* All devices; returns how many. */
static size_t list(relayout_device_info infos[MOST]) {
  size_t count = 0;
  for (size_t i = 0; i < MOST; ++i) {
    memset(&infos[i], 0x5a, sizeof infos[i]);
    infos[i].struct_size = sizeof infos[i];
  }
  assert_int_equal(relayout_device_list(infos, MOST, &count, NULL), RELAYOUT_OK);
  assert_in_range(count, 1, MOST);
  return count;
}

static relayout_device_usage usage_of(relayout_device *device) {
  relayout_device_usage usage;
  memset(&usage, 0x5a, sizeof usage);
  usage.struct_size = sizeof usage;
  assert_int_equal(relayout_device_get_usage(device, &usage, NULL), RELAYOUT_OK);
  assert_int_equal(usage.struct_size, sizeof usage);
  return usage;
}

/* Plans that nobody holds go; one that somebody holds goes on. */
static void test_trim(void **state) {
  (void)state;
  const relayout_shape from = shape_of("u8[2,3]{1,0}");
  const relayout_shape to = shape_of("u8[2,3]{0,1}");
  static const uint8_t source[] = {1, 2, 3, 4, 5, 6};
  static const uint8_t moved[] = {1, 4, 2, 5, 3, 6};
  uint8_t destination[6] = {0};
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_true(usage_of(device).budget_bytes == RELAYOUT_DEFAULT_BUDGET);
  assert_int_equal(usage_of(device).plans, 0);
  assert_int_equal(relayout_copy(device, &to, &from, moved, destination, NULL), RELAYOUT_OK);
  assert_int_equal(usage_of(device).plans, 1);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(usage_of(device).plans, 2);
  assert_int_equal(usage_of(device).programs, 0);
  assert_int_equal(usage_of(device).device_bytes, 0);
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  assert_int_equal(relayout_plan_get_info(plan, &info, NULL), RELAYOUT_OK);
  assert_true(info.host_bytes > 1000);
  assert_true(usage_of(device).host_bytes > info.host_bytes); /* the other plan's too */
  relayout_device_trim(device);
  assert_int_equal(usage_of(device).plans, 0);
  assert_int_equal(usage_of(device).host_bytes, 0);
  assert_int_equal(relayout_plan_execute(plan, source, destination, NULL), RELAYOUT_OK);
  assert_memory_equal(destination, moved, sizeof moved);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  relayout_device_trim(NULL);
}

/* At first a device keeps a thousand plans. */
static void test_a_thousand_plans(void **state) {
  (void)state;
  enum { MANY = 1000 };
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (int i = 1; i <= MANY; ++i) {
    char text[32];
    relayout_plan *plan = NULL;
    snprintf(text, sizeof text, "f32[%d,40]", i);
    const relayout_shape from = shape_of(text);
    snprintf(text, sizeof text, "f32[%d,40]{0,1}", i);
    const relayout_shape to = shape_of(text);
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    relayout_plan_destroy(plan);
  }
  assert_int_equal(usage_of(device).plans, MANY);
  assert_int_equal(relayout_device_set_budget(device, 0, NULL), RELAYOUT_OK);
  assert_int_equal(usage_of(device).plans, 0);
  relayout_device_destroy(device);
}

/* Whatever was in the struct before: the CPU has no platform and no driver. */
static void test_what_does_not_apply_is_empty(void **state) {
  (void)state;
  relayout_device *device = NULL;
  relayout_device_info info;
  memset(&info, 0x5a, sizeof info);
  info.struct_size = sizeof info;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_strings(&info);
  assert_string_equal(info.name, "cpu");
  assert_string_equal(info.platform, "");
  assert_string_equal(info.driver, "");
  assert_true(info.allocation_bytes == 0);
  relayout_device_destroy(device);
}

/* The CPU backend first, and each name opens the device that it stands for. */
static void test_list_names_what_can_be_opened(void **state) {
  (void)state;
  relayout_device_info infos[MOST];
  const size_t count = list(infos);
  assert_string_equal(infos[0].name, "cpu");
  for (size_t i = 0; i < count; ++i) {
    assert_strings(&infos[i]);
    assert_int_equal(infos[i].struct_size, sizeof infos[i]);
    assert_int_equal(infos[i].backend, i == 0 ? RELAYOUT_BACKEND_CPU : RELAYOUT_BACKEND_OPENCL);
    assert_int_equal(infos[i].instructions[0] != '\0', i == 0);
    assert_true(infos[i].shares_host_memory == 1 || i > 0);
    relayout_device *device = NULL;
    relayout_device_info opened = RELAYOUT_DEVICE_INFO_INIT;
    assert_int_equal(relayout_device_open(infos[i].name, &device, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_device_get_info(device, &opened, NULL), RELAYOUT_OK);
    assert_same(&opened, &infos[i]);
    relayout_device_destroy(device);
  }
}

static void test_list_fills_no_more_than_there_is_room(void **state) {
  (void)state;
  relayout_device_info all[MOST];
  const size_t count = list(all);
  size_t found = 0;
  assert_int_equal(relayout_device_list(NULL, 0, &found, NULL), RELAYOUT_OK);
  assert_int_equal(found, count);
  for (size_t capacity = 0; capacity < count + 2 && capacity < MOST; ++capacity) {
    relayout_device_info infos[MOST];
    memset(infos, 0x5a, sizeof infos);
    for (size_t i = 0; i < capacity; ++i) {
      infos[i].struct_size = sizeof infos[i];
    }
    assert_int_equal(relayout_device_list(infos, capacity, &found, NULL), RELAYOUT_OK);
    assert_int_equal(found, count);
    const size_t filled = capacity < count ? capacity : count;
    for (size_t i = 0; i < filled; ++i) {
      assert_same(&infos[i], &all[i]);
    }
    const unsigned char *const rest = (const unsigned char *)&infos[capacity];
    for (size_t b = 0; b < (MOST - capacity) * sizeof infos[0]; ++b) {
      assert_int_equal(rest[b], 0x5a);
    }
  }
}

/* One struct_size that is wrong, and no info is filled. */
static void test_each_listed_info_must_have_its_size(void **state) {
  (void)state;
  relayout_device_info infos[2];
  memset(infos, 0x5a, sizeof infos);
  infos[0].struct_size = sizeof infos[0];
  relayout_device_info before[2];
  memcpy(before, infos, sizeof infos);
  size_t count = 12345;
  relayout_error error;
  assert_int_equal(relayout_device_list(infos, 2, &count, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "infos[1].struct_size"));
  assert_memory_equal(infos, before, sizeof infos);
  assert_int_equal(count, 12345);
}

/* Infos lie as far apart as the first is long, so that all are as long, and a whole number of the
 * words that they begin with. */
static void test_listed_infos_have_one_size(void **state) {
  (void)state;
  enum { SIZE = sizeof(relayout_device_info), MORE = sizeof(void *) };
  static const struct {
    size_t sizes[2];
    const char *message; /* NULL: they may be so long */
  } cases[] = {
      {{SIZE, SIZE}, NULL},
      {{SIZE + MORE, SIZE + MORE}, NULL},
      {{SIZE, SIZE + MORE}, "infos[1].struct_size is "},
      {{SIZE + MORE, SIZE}, "infos[1].struct_size is "},
      {{SIZE + MORE / 2, SIZE + MORE / 2}, "infos[0].struct_size is "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const size_t *const sizes = cases[i].sizes;
    _Alignas(relayout_device_info) unsigned char infos[2 * (SIZE + MORE)];
    unsigned char before[sizeof infos];
    size_t count = 12345;
    relayout_error error;
    memset(infos, 0x5a, sizeof infos);
    memcpy(infos, &sizes[0], sizeof sizes[0]);
    memcpy(infos + sizes[0], &sizes[1], sizeof sizes[1]);
    memcpy(before, infos, sizeof infos);
    const relayout_status status =
        relayout_device_list((relayout_device_info *)(void *)infos, 2, &count, &error);
    if (cases[i].message == NULL) {
      assert_int_equal(status, RELAYOUT_OK);
    } else {
      assert_int_equal(status, RELAYOUT_INVALID_ARGUMENT);
      assert_non_null(strstr(error.message, cases[i].message));
      assert_non_null(strstr(error.message, "; expected the same: "));
      assert_memory_equal(infos, before, sizeof infos);
      assert_int_equal(count, 12345);
    }
  }
}

/* A caller with newer headers has a longer struct, of which the rest becomes 0. */
static void test_newer_infos(void **state) {
  (void)state;
  typedef struct newer_info {
    relayout_device_info known;
    uint64_t unknown[3];
  } newer_info;
  relayout_device_info all[MOST];
  const size_t count = list(all);
  newer_info infos[MOST];
  memset(infos, 0x5a, sizeof infos);
  for (size_t i = 0; i < MOST; ++i) {
    infos[i].known.struct_size = sizeof infos[i];
  }
  size_t found = 0;
  assert_int_equal(relayout_device_list(&infos[0].known, MOST, &found, NULL), RELAYOUT_OK);
  assert_int_equal(found, count);
  for (size_t i = 0; i < count; ++i) {
    assert_same(&infos[i].known, &all[i]);
    assert_int_equal(infos[i].known.struct_size, sizeof infos[i]);
    for (int field = 0; field < 3; ++field) {
      assert_true(infos[i].unknown[field] == 0);
    }
  }
  relayout_device *device = NULL;
  newer_info info;
  memset(&info, 0x5a, sizeof info);
  info.known.struct_size = sizeof info;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &info.known, NULL), RELAYOUT_OK);
  assert_same(&info.known, &all[0]);
  assert_true(info.unknown[2] == 0);
  relayout_device_destroy(device);
}

/* The first of this class in the list; NULL where there is none. */
static const char *first_of(const relayout_device_info *infos, size_t count,
                            relayout_device_class wanted) {
  for (size_t i = 1; i < count; ++i) {
    if (infos[i].device_class == wanted) {
      return infos[i].name;
    }
  }
  return NULL;
}

static void expect_opened(const char *name, const char *expected) {
  relayout_device *device = NULL;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  const relayout_status status = relayout_device_open(name, &device, NULL);
  if (expected == NULL) {
    assert_int_equal(status, RELAYOUT_NO_DEVICE);
    assert_null(device);
    return;
  }
  assert_int_equal(status, RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_string_equal(info.name, expected);
  relayout_device_destroy(device);
}

static void test_best_devices(void **state) {
  (void)state;
  relayout_device_info infos[MOST];
  const size_t count = list(infos);
  const char *best = first_of(infos, count, RELAYOUT_DEVICE_CLASS_GPU);
  if (best == NULL) {
    best = first_of(infos, count, RELAYOUT_DEVICE_CLASS_ACCELERATOR);
  }
  expect_opened("auto", best == NULL ? "cpu" : best);
  expect_opened("opencl", best != NULL ? best : count > 1 ? infos[1].name : NULL);
  expect_opened("cpu", "cpu");
}

/* Nothing to let go. */
static void test_nothing_may_be_destroyed(void **state) {
  (void)state;
  relayout_device_destroy(NULL);
  relayout_plan_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_does_not_apply_is_empty),
      cmocka_unit_test(test_list_names_what_can_be_opened),
      cmocka_unit_test(test_list_fills_no_more_than_there_is_room),
      cmocka_unit_test(test_each_listed_info_must_have_its_size),
      cmocka_unit_test(test_listed_infos_have_one_size),
      cmocka_unit_test(test_newer_infos),
      cmocka_unit_test(test_best_devices),
      cmocka_unit_test(test_trim),
      cmocka_unit_test(test_a_thousand_plans),
      cmocka_unit_test(test_nothing_may_be_destroyed),
  };
  return cmocka_run_group_tests_name("contracts.devices", tests, NULL, NULL);
}
