/* interchange.c: the same matrix as DLPack, NumPy and PJRT describe it, as views. */
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

static void must(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

int main(void) {
  /* Two rows of three 32-bit floats, each row the first part of one of four. */
  static const int64_t dimensions[] = {2, 3};
  static const int64_t strides[] = {4, 1};
  static const int64_t byte_strides[] = {16, 4};
  relayout_error error;
  relayout_view of_dlpack, of_numpy, of_pjrt;

  /* [dlpack] */
  const relayout_dlpack_fields dlpack = {
      .code = 2, /* kDLFloat */
      .bits = 32,
      .lanes = 1,
      .ndim = 2,
      .shape = dimensions,
      .strides = strides, /* in elements */
  };
  must(relayout_view_from_dlpack_fields(&dlpack, &of_dlpack, &error), &error);
  /* [numpy] */
  must(relayout_view_from_array_interface("<f4", 2, dimensions, byte_strides, false, &of_numpy,
                                          &error),
       &error);
  /* [pjrt] */
  const relayout_pjrt_fields pjrt = {
      .type = 11, /* PJRT_Buffer_Type_F32 */
      .dimensions = dimensions,
      .rank = 2,
      .layout = RELAYOUT_PJRT_LAYOUT_STRIDES,
      .byte_strides = byte_strides,
      .byte_stride_count = 2,
  };
  must(relayout_view_from_pjrt_fields(&pjrt, &of_pjrt, &error), &error);
  /* [move] */
  static const float memory[] = {1, 2, 3, -1, 4, 5, 6, -1};
  float columns[6];
  relayout_device *device = NULL;
  relayout_shape shape;
  relayout_view to;
  relayout_plan *plan = NULL;
  must(relayout_device_open("cpu", &device, &error), &error);
  must(relayout_shape_parse("f32[2,3]{0,1}", &shape, &error), &error);
  must(relayout_view_make(&shape, &to, &error), &error);
  must(relayout_plan_create_between(device, &of_dlpack, &to, NULL, &plan, &error), &error);
  must(relayout_plan_execute(plan, memory, columns, &error), &error);
  /* [end] */
  printf("one view: %s\n",
         relayout_view_equal(&of_dlpack, &of_numpy) && relayout_view_equal(&of_numpy, &of_pjrt)
             ? "yes"
             : "no");
  for (int i = 0; i < 6; i++) {
    printf("%g ", (double)columns[i]);
  }
  printf("\n");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return 0;
}
