/* test_xla.c: relayout/pjrt.h against XLA's own CPU plugin, by PJRT's C API: arrays of the host in
 * random strides become device buffers in random orders, and arrays of the host again. Each time
 * XLA's bytes must be those that a plan makes between the views of the same structs.
 *
 *     test_counterparts_xla PLUGIN
 */
#include "cmocka_all.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xla/pjrt/c/pjrt_c_api.h>

#include "conformance/random.h"
#include "relayout/pjrt.h"
#include "relayout/relayout.h"

enum { CASES = 2000, MOST_RANK = 5, MOST_ELEMENTS = 2000, SKIPPED = 77 };

/* Up to this version of PJRT XLA's CPU plugin had the layout of a device buffer as it was asked to,
 * and its bytes in the default one. */
enum { WITHOUT_DEVICE_LAYOUTS = 106 };

#define ARGUMENTS(name)                                                                            \
  { .struct_size = name##_Args_STRUCT_SIZE }

static const PJRT_Api *pjrt;
static PJRT_Client *client;
static PJRT_Device *xla_device;
static relayout_device *device;

/* ---- PJRT's calls --------------------------------------------------------------------------- */

static void expect_ok(PJRT_Error *error) {
  if (error != NULL) {
    PJRT_Error_Message_Args message = ARGUMENTS(PJRT_Error_Message);
    message.error = error;
    pjrt->PJRT_Error_Message(&message);
    fail_msg("%.*s", (int)message.message_size, message.message);
  }
}

static void await(PJRT_Event *event) {
  PJRT_Event_Await_Args done = ARGUMENTS(PJRT_Event_Await);
  done.event = event;
  expect_ok(pjrt->PJRT_Event_Await(&done));
  PJRT_Event_Destroy_Args destroy = ARGUMENTS(PJRT_Event_Destroy);
  destroy.event = event;
  expect_ok(pjrt->PJRT_Event_Destroy(&destroy));
}

static int open_devices(void **state) {
  (void)state;
  PJRT_Plugin_Initialize_Args initialize = ARGUMENTS(PJRT_Plugin_Initialize);
  expect_ok(pjrt->PJRT_Plugin_Initialize(&initialize));
  PJRT_Client_Create_Args create = ARGUMENTS(PJRT_Client_Create);
  expect_ok(pjrt->PJRT_Client_Create(&create));
  client = create.client;
  PJRT_Client_AddressableDevices_Args devices = ARGUMENTS(PJRT_Client_AddressableDevices);
  devices.client = client;
  expect_ok(pjrt->PJRT_Client_AddressableDevices(&devices));
  assert_true(devices.num_addressable_devices > 0);
  xla_device = devices.addressable_devices[0];
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  return 0;
}

static int close_devices(void **state) {
  (void)state;
  relayout_device_destroy(device);
  PJRT_Client_Destroy_Args destroy = ARGUMENTS(PJRT_Client_Destroy);
  destroy.client = client;
  expect_ok(pjrt->PJRT_Client_Destroy(&destroy));
  return 0;
}

/* ---- Arrays --------------------------------------------------------------------------------- */

/* One array as it lies at one place. */
typedef struct place {
  relayout_view view;
  relayout_pjrt_lists lists;
  PJRT_Buffer_MemoryLayout layout; /* what PJRT is given */
  unsigned char *bytes;            /* as many as the view spans */
  size_t size;
  unsigned char *pointer; /* the view's */
} place;

static PJRT_Buffer_Type pjrt_type(const relayout_shape *shape) {
  int32_t type = 0;
  assert_int_equal(relayout_element_type_to_pjrt(shape->element_type, &type, NULL), RELAYOUT_OK);
  return (PJRT_Buffer_Type)type;
}

static relayout_view view_of_layout(const relayout_shape *shape,
                                    const PJRT_Buffer_MemoryLayout *layout) {
  relayout_view view;
  relayout_error error;
  if (relayout_view_from_pjrt(pjrt_type(shape), shape->dimensions, (size_t)shape->rank, layout,
                              &view, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return view;
}

static void allocate(place *at) {
  int64_t lowest = 0;
  assert_int_equal(relayout_view_span(&at->view, &lowest, &at->size, NULL), RELAYOUT_OK);
  at->bytes = calloc(at->size + 1, 1);
  assert_non_null(at->bytes);
  at->pointer = at->bytes - lowest;
}

/* As relayout describes the view to PJRT, which is the same view when it is read again. */
static void place_view(const relayout_view *view, place *at) {
  relayout_error error;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  at->view = *view;
  if (relayout_view_to_pjrt(view, &at->lists, &type, &at->layout, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(type, pjrt_type(&view->shape));
  const relayout_view again = view_of_layout(&view->shape, &at->layout);
  assert_true(relayout_view_equal(&again, view));
  allocate(at);
}

/* By strides: any order of dimensions, backwards along some, repeated along a few, with gaps behind
 * others. */
static void place_by_strides(uint64_t *random, const relayout_shape *dimensions, place *at) {
  relayout_shape shape = *dimensions;
  random_order(random, &shape);
  int64_t strides[MOST_RANK];
  int64_t stride = (int64_t)relayout_element_type_byte_size(shape.element_type);
  const bool is_dense = random_below(random, 2) == 0;
  for (int32_t i = 0; i < shape.rank; ++i) {
    const int32_t d = shape.layout.minor_to_major[i];
    const int64_t kind = is_dense ? 1 : random_below(random, 10);
    strides[d] = kind == 0 ? 0 : kind < 7 ? stride : -stride;
    stride *= kind == 0 || shape.dimensions[d] == 0 ? 1 : shape.dimensions[d];
    stride += is_dense ? 0 : stride * (random_below(random, 4) / 3);
  }
  relayout_view view;
  assert_int_equal(relayout_view_make_strided(shape.element_type, shape.rank, shape.dimensions,
                                              strides, &view, NULL),
                   RELAYOUT_OK);
  place_view(&view, at);
}

/* By a random order of dimensions. */
static void place_by_order(uint64_t *random, const relayout_shape *dimensions, place *at) {
  relayout_shape shape = *dimensions;
  relayout_view view;
  random_order(random, &shape);
  assert_int_equal(relayout_view_make(&shape, &view, NULL), RELAYOUT_OK);
  place_view(&view, at);
}

static int32_t bits_of(const relayout_shape *shape) {
  return relayout_element_type_bits(shape->element_type);
}

/* On XLA's CPU devices elements of 2 and 4 bits are packed, which no PJRT_Buffer_MemoryLayout says:
 * such arrays get none. */
static bool is_packed(const relayout_shape *shape) {
  return bits_of(shape) < 8 && shape->element_type != RELAYOUT_PRED;
}

static void place_on_device(uint64_t *random, const relayout_shape *shape, place *at) {
  if (is_packed(shape)) {
    at->view = view_of_layout(shape, NULL);
    at->view.shape.layout.element_size_in_bits = bits_of(shape);
    allocate(at);
  } else {
    place_by_order(random, shape, at);
  }
}

/* Random elements, whose unused bits are 0. */
static void fill(uint64_t *random, const place *at) {
  const int32_t bits = bits_of(&at->view.shape);
  for (size_t i = 0; i < at->size; ++i) {
    at->bytes[i] = (unsigned char)(random_next(random) & (bits < 8 ? (1u << bits) - 1 : 0xffu));
  }
}

static void relay(const place *from, const place *to) {
  relayout_plan *plan = NULL;
  relayout_error error;
  if (relayout_plan_create_between(device, &from->view, &to->view, NULL, &plan, &error) !=
          RELAYOUT_OK ||
      relayout_plan_execute(plan, from->pointer, to->pointer, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  relayout_plan_destroy(plan);
}

static void expect_bytes(const place *ours, const void *theirs, const char *where) {
  if (ours->size > 0 && memcmp(ours->bytes, theirs, ours->size) != 0) {
    char text[512];
    relayout_shape_format(&ours->view.shape, text, sizeof text);
    fail_msg("%s: XLA has other bytes %s", text, where);
  }
}

/* ---- To the device and back ----------------------------------------------------------------- */

static PJRT_Buffer *upload(const place *host, const place *on_device) {
  const relayout_shape *shape = &host->view.shape;
  PJRT_Buffer_MemoryLayout layout = on_device->layout;
  PJRT_Client_BufferFromHostBuffer_Args args = ARGUMENTS(PJRT_Client_BufferFromHostBuffer);
  args.client = client;
  args.data = host->pointer;
  args.type = pjrt_type(shape);
  args.dims = shape->dimensions;
  args.num_dims = (size_t)shape->rank;
  args.byte_strides = host->layout.strides.byte_strides;
  args.num_byte_strides = host->layout.strides.num_byte_strides;
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = xla_device;
  args.device_layout = is_packed(shape) ? NULL : &layout;
  expect_ok(pjrt->PJRT_Client_BufferFromHostBuffer(&args));
  await(args.done_with_host_buffer);
  PJRT_Buffer_ReadyEvent_Args ready = ARGUMENTS(PJRT_Buffer_ReadyEvent);
  ready.buffer = args.buffer;
  expect_ok(pjrt->PJRT_Buffer_ReadyEvent(&ready));
  await(ready.event);
  return args.buffer;
}

static void expect_on_device(PJRT_Buffer *buffer, const place *ours) {
  PJRT_Buffer_OnDeviceSizeInBytes_Args size = ARGUMENTS(PJRT_Buffer_OnDeviceSizeInBytes);
  size.buffer = buffer;
  expect_ok(pjrt->PJRT_Buffer_OnDeviceSizeInBytes(&size));
  assert_int_equal(size.on_device_size_in_bytes, ours->size);
  PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args data =
      ARGUMENTS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer);
  data.buffer = buffer;
  expect_ok(pjrt->PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&data));
  expect_bytes(ours, data.device_memory_ptr, "on the device");

  PJRT_Buffer_GetMemoryLayout_Args told = ARGUMENTS(PJRT_Buffer_GetMemoryLayout);
  told.buffer = buffer;
  expect_ok(pjrt->PJRT_Buffer_GetMemoryLayout(&told));
  relayout_view view = view_of_layout(&ours->view.shape, &told.layout);
  view.shape.layout.element_size_in_bits = ours->view.shape.layout.element_size_in_bits;
  assert_true(relayout_view_equal(&view, &ours->view));
}

static void expect_download(PJRT_Buffer *buffer, const place *ours) {
  unsigned char *theirs = calloc(ours->size + 1, 1);
  assert_non_null(theirs);
  PJRT_Buffer_MemoryLayout layout = ours->layout;
  PJRT_Buffer_ToHostBuffer_Args args = ARGUMENTS(PJRT_Buffer_ToHostBuffer);
  args.src = buffer;
  args.host_layout = &layout;
  args.dst = theirs;
  args.dst_size = ours->size;
  expect_ok(pjrt->PJRT_Buffer_ToHostBuffer(&args));
  await(args.event);
  expect_bytes(ours, theirs, "on the host again");
  free(theirs);
}

static void test_both_ways(void **state) {
  (void)state;
  uint64_t random = 23;
  for (int i = 0; i < CASES; ++i) {
    relayout_shape shape = {.rank = 0};
    relayout_element_type type;
    int32_t number = 0;
    do {
      type = random_element_type(&random);
    } while (relayout_element_type_to_pjrt(type, &number, NULL) != RELAYOUT_OK);
    random_dimensions(&random, type, (int32_t)random_below(&random, MOST_RANK + 1), MOST_ELEMENTS,
                      &shape);
    place host = {.size = 0};
    place on_device = {.size = 0};
    place back = {.size = 0};
    place_by_strides(&random, &shape, &host);
    place_on_device(&random, &shape, &on_device);
    place_by_order(&random, &shape, &back);
    fill(&random, &host);
    relay(&host, &on_device);
    relay(&on_device, &back);

    PJRT_Buffer *buffer = upload(&host, &on_device);
    expect_on_device(buffer, &on_device);
    expect_download(buffer, &back);
    PJRT_Buffer_Destroy_Args destroy = ARGUMENTS(PJRT_Buffer_Destroy);
    destroy.buffer = buffer;
    expect_ok(pjrt->PJRT_Buffer_Destroy(&destroy));
    free(host.bytes);
    free(on_device.bytes);
    free(back.bytes);
  }
}

int main(int argc, char **argv) {
  void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = plugin != NULL ? dlsym(plugin, "GetPjrtApi") : NULL;
  const PJRT_Api *(*get_api)(void);
  if (symbol == NULL) {
    printf("%s\n", argc == 2 ? dlerror() : "usage: test_counterparts_xla PLUGIN");
    return 1;
  }
  memcpy(&get_api, &symbol, sizeof get_api);
  pjrt = get_api();
  const int version = pjrt->pjrt_api_version.minor_version;
  printf("PJRT %d.%d\n", pjrt->pjrt_api_version.major_version, version);
  if (version <= WITHOUT_DEVICE_LAYOUTS) {
    printf("its CPU devices know no order but the default one\n");
    return SKIPPED;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways)};
  return cmocka_run_group_tests(tests, open_devices, close_devices);
}
