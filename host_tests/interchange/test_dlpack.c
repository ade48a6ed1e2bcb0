/* test_dlpack.c: the structs of DLPack's header, or of one with the same fields, as views. */
#include "cmocka_all.h"

#include <stdint.h>
#include <string.h>

#include <dlpack/dlpack.h>

#include "relayout/dlpack.h"
#include "relayout/relayout.h"

/* Handles of devices are no pointers. */
static void *const handle = (void *)(uintptr_t)0x5a5a;

static void test_both_ways(void **state) {
  (void)state;
  int64_t shape[] = {2, 3};
  int64_t strides[] = {1, 7};
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = handle;
  tensor.ndim = 2;
  tensor.dtype = (DLDataType){kDLBfloat, 16, 1};
  tensor.shape = shape;
  tensor.strides = strides;
  tensor.byte_offset = 12;
  relayout_view view;
  assert_int_equal(relayout_view_from_dlpack(&tensor, 1, &view, NULL), RELAYOUT_OK);
  assert_int_equal(view.shape.element_type, RELAYOUT_BF16);
  assert_int_equal(view.shape.dimensions[1], 3);
  assert_int_equal(view.byte_strides[0], 2);
  assert_int_equal(view.byte_strides[1], 14);
  assert_int_equal(view.byte_offset, 12);
  assert_true(view.is_read_only);
  int64_t shape_back[2];
  int64_t strides_back[2];
  uint64_t flags = 0;
  DLTensor back;
  memset(&back, 0, sizeof back);
  assert_int_equal(relayout_view_to_dlpack(&view, shape_back, strides_back, &back, &flags, NULL),
                   RELAYOUT_OK);
  assert_int_equal(flags, 1);
  assert_int_equal(back.ndim, 2);
  assert_int_equal(back.dtype.code, kDLBfloat);
  assert_int_equal(back.dtype.bits, 16);
  assert_int_equal(back.dtype.lanes, 1);
  assert_int_equal(back.byte_offset, 12);
  assert_memory_equal(back.shape, shape, sizeof shape);
  assert_memory_equal(back.strides, strides, sizeof strides);
}

static void test_refused(void **state) {
  (void)state;
  relayout_view view;
  relayout_error error;
  assert_int_equal(relayout_view_from_dlpack(NULL, 0, &view, &error), RELAYOUT_INVALID_ARGUMENT);
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.dtype = (DLDataType){kDLFloat, 80, 1};
  assert_int_equal(relayout_view_from_dlpack(&tensor, 0, &view, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "code 2 with 80 bits"));
}

#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
static void test_versioned(void **state) {
  (void)state;
  int64_t shape[] = {3};
  DLManagedTensorVersioned managed;
  memset(&managed, 0, sizeof managed);
  managed.version.major = DLPACK_MAJOR_VERSION;
  managed.flags = 1;
  managed.dl_tensor.data = handle;
  managed.dl_tensor.ndim = 1;
  managed.dl_tensor.dtype = (DLDataType){kDLInt, 16, 1};
  managed.dl_tensor.shape = shape;
  managed.dl_tensor.byte_offset = 6;
  relayout_view view;
  relayout_error error;
  assert_int_equal(relayout_view_from_dlpack_versioned(&managed, &view, NULL), RELAYOUT_OK);
  assert_int_equal(view.shape.element_type, RELAYOUT_S16);
  assert_int_equal(view.byte_offset, 6);
  assert_true(view.is_read_only);
  managed.flags = 0;
  assert_int_equal(relayout_view_from_dlpack_versioned(&managed, &view, NULL), RELAYOUT_OK);
  assert_false(view.is_read_only);

  memset(&managed.dl_tensor, 0xff, sizeof managed.dl_tensor);
  managed.version.major = DLPACK_MAJOR_VERSION + 1;
  const relayout_view before = view;
  memset(&error, 0xff, sizeof error);
  assert_int_equal(relayout_view_from_dlpack_versioned(&managed, &view, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_int_equal(error.status, RELAYOUT_UNSUPPORTED);
  assert_int_equal(error.cl_status, 0);
  assert_non_null(strstr(error.message, "version.major is"));
  assert_memory_equal(&view, &before, sizeof view);
  assert_int_equal(relayout_view_from_dlpack_versioned(&managed, &view, NULL),
                   RELAYOUT_UNSUPPORTED);
  assert_int_equal(relayout_view_from_dlpack_versioned(NULL, &view, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}
#endif

#if defined(HAVE_HEADER) && defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
/* The numbers that the library knows types by are the header's names. */
static void test_names(void **state) {
  (void)state;
  static const struct {
    int code;
    int bits;
    relayout_element_type type;
  } cases[] = {
    {kDLInt, 4, RELAYOUT_S4},
    {kDLUInt, 4, RELAYOUT_U4},
    {kDLFloat, 16, RELAYOUT_F16},
    {kDLBfloat, 16, RELAYOUT_BF16},
    {kDLComplex, 64, RELAYOUT_C64},
    {kDLBool, 8, RELAYOUT_PRED},
#if DLPACK_MAJOR_VERSION > 1 || DLPACK_MINOR_VERSION >= 1
    {kDLFloat8_e3m4, 8, RELAYOUT_F8E3M4},
    {kDLFloat8_e4m3, 8, RELAYOUT_F8E4M3},
    {kDLFloat8_e4m3b11fnuz, 8, RELAYOUT_F8E4M3B11FNUZ},
    {kDLFloat8_e4m3fn, 8, RELAYOUT_F8E4M3FN},
    {kDLFloat8_e4m3fnuz, 8, RELAYOUT_F8E4M3FNUZ},
    {kDLFloat8_e5m2, 8, RELAYOUT_F8E5M2},
    {kDLFloat8_e5m2fnuz, 8, RELAYOUT_F8E5M2FNUZ},
    {kDLFloat8_e8m0fnu, 8, RELAYOUT_F8E8M0FNU},
    {kDLFloat4_e2m1fn, 4, RELAYOUT_F4E2M1FN},
#endif
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    DLTensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.dtype = (DLDataType){(uint8_t)cases[i].code, (uint8_t)cases[i].bits, 1};
    relayout_view view;
    assert_int_equal(relayout_view_from_dlpack(&tensor, 0, &view, NULL), RELAYOUT_OK);
    assert_int_equal(view.shape.element_type, cases[i].type);
  }
}

static void test_flags(void **state) {
  (void)state;
  int64_t shape[] = {3};
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.ndim = 1;
  tensor.dtype = (DLDataType){kDLInt, 4, 1};
  tensor.shape = shape;
  relayout_view view;
  assert_int_equal(relayout_view_from_dlpack(&tensor, DLPACK_FLAG_BITMASK_READ_ONLY, &view, NULL),
                   RELAYOUT_OK);
  assert_true(view.is_read_only);
  assert_int_equal(view.shape.layout.element_size_in_bits, 4);
#ifdef DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED
  assert_int_equal(
      relayout_view_from_dlpack(&tensor, DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, &view, NULL),
      RELAYOUT_OK);
  assert_int_equal(view.shape.layout.element_size_in_bits, 0);
#endif
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_both_ways),
    cmocka_unit_test(test_refused),
#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
    cmocka_unit_test(test_versioned),
#endif
#if defined(HAVE_HEADER) && defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_flags),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
