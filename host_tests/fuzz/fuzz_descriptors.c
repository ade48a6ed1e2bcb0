/* fuzz_descriptors.c: whatever somebody says of a tensor, in the fields of DLPack, PJRT or NumPy,
 * either is refused with a message fit to print, or is a valid view; and what can be said back
 * makes the same view again. */
#include <string.h>

#include "fuzz_target.h"
#include "input.h"
#include "promise.h"
#include "relayout/relayout.h"

enum { LISTS = 3, LENGTH = RELAYOUT_MAX_RANK };

/* Small, or of any size and sign. */
static int64_t take_number(input *from) {
  const uint8_t first = take(from);
  if (first < 200) {
    return first % 40 - 4;
  }
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) {
    number = number << 8 | take(from);
  }
  return (int64_t)number;
}

static const int64_t *take_list(input *from, int64_t *list) {
  const uint8_t length = take(from);
  for (int i = 0; i < LENGTH; ++i) {
    list[i] = i < length % 8 ? take_number(from) : 1;
  }
  return length >= 240 ? NULL : list;
}

/* ---- DLPack ---- */

static void check_dlpack(input *from) {
  static int64_t lists[LISTS][LENGTH];
  relayout_dlpack_fields fields = {.code = (uint8_t)(take(from) % 20), .bits = take(from)};
  fields.lanes = (uint16_t)(take(from) % 5);
  fields.ndim = (int32_t)take_number(from);
  fields.shape = take_list(from, lists[0]);
  fields.strides = take_list(from, lists[1]);
  fields.byte_offset = (uint64_t)take_number(from);
  fields.flags = take(from);
  relayout_view view, again;
  relayout_error error;
  relayout_status status = relayout_view_from_dlpack_fields(&fields, &view, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    return;
  }
  require(relayout_view_validate(&view, &error) == RELAYOUT_OK, "a view is valid");
  static int64_t shape[LENGTH], strides[LENGTH];
  relayout_dlpack_fields told;
  status = relayout_view_to_dlpack_fields(&view, shape, strides, &told, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    require(status == RELAYOUT_UNSUPPORTED, "what was said can be said back");
    return;
  }
  require(relayout_view_from_dlpack_fields(&told, &again, &error) == RELAYOUT_OK,
          "what is said is understood");
  require(relayout_shape_same_dimensions(&again.shape, &view.shape) &&
              again.shape.element_type == view.shape.element_type &&
              again.byte_offset == view.byte_offset && again.is_read_only == view.is_read_only,
          "and says the same");
  int64_t lowest[2] = {0, 0};
  size_t bytes[2] = {0, 0};
  require(relayout_view_span(&view, &lowest[0], &bytes[0], NULL) == RELAYOUT_OK &&
              relayout_view_span(&again, &lowest[1], &bytes[1], NULL) == RELAYOUT_OK &&
              lowest[0] == lowest[1] && bytes[0] >= bytes[1],
          "of the same bytes, but for padding");
}

/* ---- PJRT ---- */

static void check_pjrt(input *from) {
  static int64_t lists[LISTS][LENGTH];
  size_t ranks[LENGTH];
  relayout_pjrt_fields fields = {.type = take(from) % 34,
                                 .rank = take(from) % 70,
                                 .layout = (relayout_pjrt_layout)(take(from) % 4)};
  fields.dimensions = take_list(from, lists[0]);
  fields.minor_to_major = take_list(from, lists[1]);
  fields.byte_strides = fields.minor_to_major;
  fields.tile_dimensions = take_list(from, lists[2]);
  fields.minor_to_major_size = take(from) % 8 == 0 ? take(from) : fields.rank;
  fields.byte_stride_count = fields.minor_to_major_size;
  fields.tile_count = take(from) % 20;
  size_t tile_dimensions = 0;
  for (size_t i = 0; i < LENGTH; ++i) {
    ranks[i] = take(from) % 4;
    tile_dimensions += i < fields.tile_count ? ranks[i] : 0;
  }
  fields.tile_ranks = tile_dimensions <= LENGTH ? ranks : NULL;
  relayout_view view;
  relayout_error error;
  const relayout_status status = relayout_view_from_pjrt_fields(&fields, &view, &error);
  if (status == RELAYOUT_OK) {
    require(relayout_view_validate(&view, &error) == RELAYOUT_OK, "a view is valid");
  } else {
    check_error(status, &error);
  }
}

/* ---- NumPy ---- */

static void check_array_interface(input *from) {
  static int64_t lists[LISTS][LENGTH];
  char typestr[8];
  for (size_t i = 0; i < sizeof typestr; ++i) {
    typestr[i] = (char)take(from);
  }
  typestr[sizeof typestr - 1] = '\0';
  const int32_t rank = (int32_t)take_number(from);
  const int64_t *const shape = take_list(from, lists[0]);
  const int64_t *const strides = take_list(from, lists[1]);
  relayout_view view, again;
  relayout_error error;
  const relayout_status status =
      relayout_view_from_array_interface(typestr, rank, shape, strides, false, &view, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    return;
  }
  static int64_t shape_told[LENGTH], strides_told[LENGTH];
  char typestr_told[RELAYOUT_TYPESTR_SIZE];
  require(relayout_view_to_array_interface(&view, typestr_told, shape_told, strides_told, NULL) ==
                  RELAYOUT_OK &&
              relayout_view_from_array_interface(typestr_told, rank, shape_told, strides_told,
                                                 false, &again, NULL) == RELAYOUT_OK &&
              relayout_shape_equal(&view.shape, &again.shape),
          "what was said can be said back");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input from = {data, size};
  switch (take(&from) % 3) {
  case 0:
    check_dlpack(&from);
    break;
  case 1:
    check_pjrt(&from);
    break;
  default:
    check_array_interface(&from);
  }
  return 0;
}
