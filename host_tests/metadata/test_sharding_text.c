/* test_sharding_text.c: the text form of shardings: what parses, what it prints as, which devices
 * it means, and what is refused with which words. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "relayout/sharding.h"

typedef struct round_trip {
  const char *text;
  const char *printed; /* NULL: the same */
  const char *devices; /* in the order of shards and subgroups; NULL: not tiled */
} round_trip;

/* Printed as XLA prints them; the devices were written down by hand. */
static const round_trip round_trips[] = {
    {"{replicated}", NULL, NULL},
    {" { replicated } ", "{replicated}", NULL},
    {"{manual}", NULL, NULL},
    {"{unreduced}", NULL, NULL},
    {"{unknown}", NULL, NULL},
    {"{maximal device=3}", NULL, NULL},
    {"{maximal device=2147483646}", NULL, NULL},
    /* Device numbers as arrays that are transposed. */
    {"{devices=[2,2]<=[4]}", NULL, "0 1 2 3"},
    {"{devices=[2,2]<=[2,2]T(0,1)}", "{devices=[2,2]<=[4]}", "0 1 2 3"},
    {"{devices=[2,2]<=[2,2]T(1,0)}", NULL, "0 2 1 3"},
    {"{devices=[3,2]<=[2,3]T(1,0)}", NULL, "0 3 1 4 2 5"},
    {"{devices=[2,3]<=[2,3]T(1,0)}", NULL, "0 3 1 4 2 5"},
    {"{devices=[2,2,2]<=[2,2,2]T(1,2,0)}", "{devices=[2,2,2]<=[2,4]T(1,0)}", "0 4 1 5 2 6 3 7"},
    {"{devices=[2,2,2]<=[2,2,2]T(2,0,1)}", "{devices=[2,2,2]<=[4,2]T(1,0)}", "0 2 4 6 1 3 5 7"},
    {"{devices=[3,4,5]<=[3,4,5]T(2,1,0)}", NULL,
     "0 20 40 5 25 45 10 30 50 15 35 55 1 21 41 6 26 46 11 31 51 16 36 56 2 22 42 7 27 47 12 32 52 "
     "17 37 57 3 23 43 8 28 48 13 33 53 18 38 58 4 24 44 9 29 49 14 34 54 19 39 59"},
    {"{devices=[6]<=[1,3,1,2]T(3,2,1,0)}", "{devices=[6]<=[3,2]T(1,0)}", "0 2 4 1 3 5"},
    {"{devices=[2]<=[1,2,1]T(2,1,0)}", "{devices=[2]<=[2]}", "0 1"},
    {"{devices=[1,1]<=[1]}", NULL, "0"},
    {"{devices=[1,1]<=[1,1]T(1,0)}", "{devices=[1,1]<=[1]}", "0"},
    {"{devices=[1,1]<=[1] last_tile_dim_replicate}", "{replicated}", NULL},
    {"{devices=[1,1]5}", NULL, "5"}, /* which XLA refuses */
    {"{devices=[1,1]5 last_tile_dims={manual, replicated}}", "{maximal device=5}", NULL},
    /* Lists. */
    {"{devices=[2,2]0,2,1,3}", NULL, "0 2 1 3"},
    {"{devices=[2,2] 0, 2 ,1, 3 }", "{devices=[2,2]0,2,1,3}", "0 2 1 3"},
    {"{devices=[3]7,1000,5}", NULL, "7 1000 5"},
    /* Replicated devices are sorted; what is no subgroup, or no shard, goes. */
    {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}", NULL, "0 1 2 3"},
    {"{devices=[2,1,2]1,0,3,2 last_tile_dim_replicate}",
     "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}", "0 1 2 3"},
    {"{devices=[4,2,4]<=[4,8]T(1,0) last_tile_dim_replicate}", NULL,
     "0 8 16 24 1 9 17 25 2 10 18 26 3 11 19 27 4 12 20 28 5 13 21 29 6 14 22 30 7 15 23 31"},
    {"{devices=[2,4]<=[2,2,2]T(0,2,1) last_tile_dim_replicate}",
     "{devices=[2,4]<=[8] last_tile_dim_replicate}", "0 1 2 3 4 5 6 7"},
    {"{devices=[2,3]<=[3,2]T(1,0) last_tile_dim_replicate}", NULL, "0 2 4 1 3 5"},
    {"{devices=[2,2]<=[4] last_tile_dims={replicated}}",
     "{devices=[2,2]<=[4] last_tile_dim_replicate}", "0 1 2 3"},
    {"{devices=[2,2,1]<=[4] last_tile_dim_replicate}", "{devices=[2,2]<=[4]}", "0 1 2 3"},
    {"{devices=[1,1,4]<=[4] last_tile_dim_replicate}", "{replicated}", NULL},
    {"{devices=[4]<=[4] last_tile_dim_replicate}", "{replicated}", NULL},
    {"{devices=[1,4]<=[4] last_tile_dims={manual}}", "{manual}", NULL},
    {"{devices=[1,2,2]<=[4] last_tile_dims={unreduced, unreduced}}", "{unreduced}", NULL},
    /* Subgroups are merged, and ordered manual, unreduced, replicated. */
    {"{devices=[2,2]<=[4] last_tile_dims={manual}}", NULL, "0 1 2 3"},
    {"{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}", NULL, "0 1 2 3 4 5 6 7"},
    {"{devices=[2,2,2]<=[8] last_tile_dims={replicated, manual}}",
     "{devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}", "0 2 1 3 4 6 5 7"},
    {"{devices=[2,2,2]0,1,2,3,4,5,6,7 last_tile_dims={replicated, unreduced}}",
     "{devices=[2,2,2]0,2,1,3,4,6,5,7 last_tile_dims={unreduced, replicated}}", "0 2 1 3 4 6 5 7"},
    {"{devices=[2,2,1,2]<=[8] last_tile_dims={manual, unreduced, manual}}",
     "{devices=[2,4]<=[8] last_tile_dims={manual}}", "0 1 2 3 4 5 6 7"},
    /* Named axes. Of an axis of 4, (1)2 is its more major half. */
    {"{mesh[x=2,y=4], [{x}, {y}]}", "{devices=[2,4]<=[8]}", "0 1 2 3 4 5 6 7"},
    {"{mesh[x=2,y=4], [{y}, {x}]}", "{devices=[4,2]<=[2,4]T(1,0)}", "0 4 1 5 2 6 3 7"},
    {"{mesh[x=2,y=4], [{x}, {y:(1)2}], replicated={y:(2)2}}",
     "{devices=[2,2,2]<=[8] last_tile_dim_replicate}", "0 1 2 3 4 5 6 7"},
    {"{mesh[x=2,y=4], [{y:(2)2}, {y:(1)2}]}",
     "{devices=[2,2,2]<=[2,2,2]T(2,1,0) last_tile_dim_replicate}", "0 4 2 6 1 5 3 7"},
    {"{mesh[x=2,y=2,z=2], [{z, x}, {}], manual={y}}",
     "{devices=[4,1,2]<=[4,2]T(1,0) last_tile_dims={manual}}", "0 2 4 6 1 3 5 7"},
    {"{mesh[a=2,b=2], device_ids=([2,2]T(1,0)), [{a}, {b}]}", "{devices=[2,2]<=[2,2]T(1,0)}",
     "0 2 1 3"},
    {"{mesh[a=2,b=2], device_ids=(3,2,1,0), [{b}, {a}]}", "{devices=[2,2]3,1,2,0}", "3 1 2 0"},
    {"{mesh[x=2,y=4], [{x, ?}, {?}]}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
     "0 1 2 3 4 5 6 7"},
    {"{mesh[x=2,y=4], replicated}", "{replicated}", NULL},
    {"{mesh[x=2,y=4], [{}, {}]}", "{replicated}", NULL},
    {"{mesh[x=2,y=4], manual}", "{manual}", NULL},
    {"{mesh[x=2], unreduced}", "{unreduced}", NULL},
    {"{maximal_mesh[device_id=3]}", "{maximal device=3}", NULL},
    /* Blocks that are dealt out. */
    {"{devices=[2,2]<=[4] block=[128,64]}", NULL, "0 1 2 3"},
    {"{devices=[2,1,2]<=[4] last_tile_dim_replicate block=[1,9223372036854775807]}", NULL,
     "0 1 2 3"},
    {"{devices=[1,4]<=[4] last_tile_dim_replicate block=[8]}", "{replicated}", NULL},
};

/* "0 1 2 3" */
static void list_devices(const relayout_sharding *of, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < relayout_sharding_device_count(of); ++i) {
    int64_t device;
    assert_int_equal(relayout_sharding_device(of, i, &device, NULL), RELAYOUT_OK);
    length += (size_t)snprintf(text + length, size - length, "%s%d", i > 0 ? " " : "", (int)device);
  }
}

static void test_round_trips(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof round_trips / sizeof round_trips[0]; ++i) {
    const round_trip *const of = &round_trips[i];
    relayout_sharding made, again;
    relayout_error error = {.message = ""};
    print_message("%s\n", of->text);
    assert_int_equal(relayout_sharding_parse(of->text, &made, &error), RELAYOUT_OK);
    assert_int_equal(relayout_sharding_validate(&made, NULL, 0, NULL), RELAYOUT_OK);
    char printed[RELAYOUT_SHARDING_TEXT_SIZE], devices[4096];
    const size_t length = relayout_sharding_format(&made, printed, sizeof printed);
    assert_string_equal(printed, of->printed != NULL ? of->printed : of->text);
    assert_int_equal(length, strlen(printed));
    if (of->devices != NULL) {
      list_devices(&made, devices, sizeof devices);
      assert_string_equal(devices, of->devices);
    }
    assert_int_equal(relayout_sharding_parse(printed, &again, NULL), RELAYOUT_OK);
    assert_true(relayout_sharding_equal(&made, &again));
    relayout_sharding_format(&again, devices, sizeof devices);
    assert_string_equal(devices, printed);
  }
}

/* Cut to the buffer, as snprintf does. */
static void test_short_buffers(void **state) {
  (void)state;
  relayout_sharding made;
  assert_int_equal(relayout_sharding_parse("{devices=[2,2]<=[4]}", &made, NULL), RELAYOUT_OK);
  char text[] = "############";
  assert_int_equal(relayout_sharding_format(&made, NULL, 0), 20);
  assert_int_equal(relayout_sharding_format(&made, text, 9), 20);
  assert_memory_equal(text, "{devices\0###", 12);
}

/* The longest text: as many listed devices, dimensions and block sizes as there can be. */
static void test_longest(void **state) {
  (void)state;
  relayout_sharding made = {.kind = RELAYOUT_SHARDING_TILED,
                            .rank = RELAYOUT_MAX_RANK,
                            .block_count = RELAYOUT_MAX_RANK,
                            .subgroup_count = 3,
                            .subgroups = {RELAYOUT_SUBGROUP_MANUAL, RELAYOUT_SUBGROUP_UNREDUCED,
                                          RELAYOUT_SUBGROUP_UNREDUCED},
                            .subgroup_sizes = {1, 1, 1}};
  for (int32_t d = 0; d < RELAYOUT_MAX_RANK; ++d) {
    made.shards[d] = d == 0 ? RELAYOUT_MAX_DEVICE_LIST : 1;
    made.blocks[d] = INT64_MAX;
  }
  for (int32_t i = 0; i < RELAYOUT_MAX_DEVICE_LIST; ++i) {
    made.order.list[i] = INT32_MAX - i;
  }
  char text[RELAYOUT_SHARDING_TEXT_SIZE];
  const size_t length = relayout_sharding_format(&made, text, sizeof text);
  assert_in_range(length, 11 * RELAYOUT_MAX_DEVICE_LIST, sizeof text - 1);
  assert_int_equal(length, strlen(text));
}

/* As many devices as there can be take no list. */
static void test_many_devices(void **state) {
  (void)state;
  static const char text[] = "{devices=[1024,1024,1024]<=[1024,1048576]T(1,0)}";
  char printed[128];
  relayout_sharding made;
  assert_int_equal(relayout_sharding_parse(text, &made, NULL), RELAYOUT_OK);
  relayout_sharding_format(&made, printed, sizeof printed);
  assert_string_equal(printed, text);
  assert_int_equal(relayout_sharding_device_count(&made), 1 << 30);
  int64_t device;
  assert_int_equal(relayout_sharding_device(&made, 1025, &device, NULL), RELAYOUT_OK);
  assert_int_equal(device, 1 + (1 << 20)); /* row 1 of column 1 */

  /* Nor where subgroups change places, which XLA would list. */
  assert_int_equal(relayout_sharding_parse("{devices=[64,64,8]<=[8,4096]T(1,0) "
                                           "last_tile_dims={replicated, manual}}",
                                           &made, NULL),
                   RELAYOUT_OK);
  assert_int_equal(made.subgroup_sizes[1], 64);
  /* Of shard 3 the manual subgroup 5 begins with what was its replica 0: row 5, column 3 * 64. */
  assert_int_equal(relayout_sharding_device(&made, 3 * 512 + 5 * 64, &device, NULL), RELAYOUT_OK);
  assert_int_equal(device, 5 * 4096 + 3 * 64);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

typedef struct refusal {
  const char *text;
  relayout_status status;
  const char *message;
} refusal;

#define INVALID     RELAYOUT_INVALID_TEXT
#define UNSUPPORTED RELAYOUT_UNSUPPORTED
#define OVERFLOW    RELAYOUT_SIZE_OVERFLOW

static const refusal refusals[] = {
    {"", INVALID, "column 1: expected '{', but the text ends"},
    {"replicated", INVALID, "column 1: expected '{', found 'replicated'"},
    {"{replicated", INVALID, "column 12: expected '}', but the text ends"},
    {"{replicated}x", INVALID, "column 13: expected the text's end, found 'x'"},
    {"{replicate}", INVALID,
     "column 2: expected replicated, maximal, devices= or mesh, found 'replicate}'"},
    {"{}", UNSUPPORTED, "column 2: shardings of tuples are not supported"},
    {"{{replicated}, {manual}}", UNSUPPORTED, "column 2: shardings of tuples are not supported"},
    {"{replicated shard_as 3}", UNSUPPORTED, "column 13: shard_as is not supported"},
    {"{manual metadata={op_name=\"a\"}}", UNSUPPORTED, "column 9: metadata is not supported"},
    {"{maximal}", INVALID, "column 9: expected device=, found '}'"},
    {"{maximal device=-1}", INVALID, "column 17: a device is -1; expected 0 to 2147483646"},
    {"{maximal device=99999999999999999999}", OVERFLOW,
     "column 17: '99999999999999999999' does not fit 64 bits"},
    {"{devices}", INVALID, "column 9: expected '=', found '}'"},
    {"{devices=[]<=[1]}", INVALID, "column 11: expected a number of shards, found ']<=[1]}'"},
    {"{devices=[2,0]<=[0]}", INVALID,
     "column 13: a number of shards is 0; expected 1 to 2147483647"},
    {"{devices=[65536,65536]<=[4294967296]}", OVERFLOW,
     "column 2: there are more than 2147483647 devices"},
    {"{devices=[2,2]}", INVALID, "column 15: expected a device, found '}'"},
    {"{devices=[2,2]0,1,2}", INVALID, "column 15: 3 devices are listed; expected 4"},
    {"{devices=[2,2]0,1,2,3,4}", INVALID, "column 15: 5 devices are listed; expected 4"},
    {"{devices=[2,2]0,1,2,1}", INVALID, "column 21: device 1 is listed twice"},
    {"{devices=[2048]0}", UNSUPPORTED,
     "column 16: 2048 devices are listed; expected 1024 at most, or <=[2048]"},
    {"{devices=[2,2]<[4]}", INVALID, "column 16: expected '=', found '[4]}'"},
    {"{devices=[2,2]<=[5]}", INVALID,
     "column 17: the sizes' product is not 4, the number of devices"},
    {"{devices=[2,2]<=[2,2]}", INVALID, "column 22: expected 'T', found '}'"},
    {"{devices=[4]<=[4]T(0)}", INVALID, "column 18: expected '}', found 'T(0)}'"},
    {"{devices=[2,2]<=[2,2]T(1)}", INVALID, "column 22: T lists 1 dimensions, but there are 2"},
    {"{devices=[2,2]<=[2,2]T(1,1)}", INVALID, "column 22: T[1] is 1, which is listed twice"},
    {"{devices=[2,2]<=[2,2]T(0,2)}", INVALID,
     "column 26: a dimension number is 2; expected 0 to 1"},
    {"{devices=[2,2]<=[4] last_tile_dims={other}}", INVALID,
     "column 37: expected replicated, manual or unreduced, found 'other}}'"},
    {"{devices=[2]<=[2] last_tile_dims={manual, manual}}", INVALID,
     "column 19: last_tile_dims has more entries than the 1 dimensions of devices="},
    {"{devices=[2,2]<=[4] block=[4]}", INVALID,
     "column 21: block lists 1 sizes, but there are shards along 2 dimensions"},
    {"{devices=[2]<=[2] block=[0]}", INVALID,
     "column 26: a block size is 0; expected 1 to 9223372036854775807"},
    {"{mesh}", INVALID, "column 6: expected '[', found '}'"},
    {"{mesh[=2]}", INVALID, "column 7: expected the name of an axis, found '=2]}'"},
    {"{mesh[x=0], [{x}]}", INVALID, "column 9: an axis's size is 0; expected 1 to 2147483647"},
    {"{mesh[x=2,x=2], [{x}]}", INVALID, "column 11: axis 'x' is there twice"},
    {"{mesh[x=65536,y=65536], [{x}]}", OVERFLOW,
     "column 6: there are more than 2147483647 devices"},
    {"{mesh[x=2,y=4], [{z}]}", INVALID, "column 19: 'z' is no axis of the mesh"},
    {"{mesh[x=2,y=4], [{x}, {x}]}", INVALID,
     "column 24: axis 'x' is used twice, or its parts do not go together"},
    {"{mesh[x=8], [{x:(1)4}, {x:(2)2}]}", INVALID,
     "column 25: axis 'x' is used twice, or its parts do not go together"},
    {"{mesh[x=36], [{x:(1)2}, {x:(3)2}]}", INVALID,
     "column 26: axis 'x' is used twice, or its parts do not go together"},
    {"{mesh[x=8], [{x:(3)2}]}", INVALID, "column 15: (3)2 is no part of an axis of 8"},
    {"{mesh[x=8], [{x:(1)8}]}", INVALID, "column 15: (1)8 is no part of an axis of 8"},
    {"{mesh[x=2], [{x}], other={x}}", INVALID,
     "column 20: expected replicated, unreduced or manual, found 'other={x}}'"},
    {"{mesh[x=2], device_ids=(1,1), [{x}]}", INVALID, "column 27: device 1 is listed twice"},
    {"{maximal_mesh[device=3]}", INVALID, "column 15: expected device_id=, found 'device=3]}'"},
};

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    relayout_sharding made, before;
    memset(&made, 0x5a, sizeof made);
    before = made;
    relayout_error error = {.message = ""};
    print_message("%s\n", refusals[i].text);
    const relayout_status status = relayout_sharding_parse(refusals[i].text, &made, &error);
    assert_string_equal(error.message, refusals[i].message);
    assert_int_equal(status, refusals[i].status);
    assert_int_equal(error.status, status);
    assert_memory_equal(&made, &before, sizeof made);
  }
  relayout_sharding made;
  assert_int_equal(relayout_sharding_parse(NULL, &made, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_parse("{manual}", NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
}

/* An order that only a list could say is one, up to as many devices as a list has. */
static void test_lists_end(void **state) {
  (void)state;
  relayout_sharding made;
  relayout_error error;
  /* Groups of four do not end where columns of six do. */
  assert_int_equal(relayout_sharding_parse("{devices=[2,6,4]<=[6,8]T(1,0) "
                                           "last_tile_dims={replicated, manual}}",
                                           &made, &error),
                   RELAYOUT_OK);
  assert_int_equal(made.order.rank, 0);
  assert_int_equal(relayout_sharding_parse("{devices=[64,6,4]<=[6,256]T(1,0) "
                                           "last_tile_dims={replicated, manual}}",
                                           &made, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "column 2: this order of devices could only be listed, which "
                                     "ends at 1024 devices");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips), cmocka_unit_test(test_short_buffers),
      cmocka_unit_test(test_longest),     cmocka_unit_test(test_many_devices),
      cmocka_unit_test(test_refusals),    cmocka_unit_test(test_lists_end),
  };
  return cmocka_run_group_tests_name("metadata.sharding_text", tests, NULL, NULL);
}
