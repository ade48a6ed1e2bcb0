/* fuzz_npy.c: any bytes either are refused with a message fit to print, or are a .npy header whose
 * array has a shape, and which reads the same when it is written again. */
#include <string.h>

#include "fuzz_target.h"
#include "npy.h"
#include "promise.h"

static void check_header(const npy_header *header) {
  require(header->rank >= 0 && header->rank <= RELAYOUT_MAX_RANK, "the rank is in bounds");
  require(header->item_size > 0, "elements have a size");
  for (int32_t d = 0; d < header->rank; d++) {
    require(header->dimensions[d] >= 0, "no dimension is negative");
  }
}

static void check_rewritten(const npy_header *header) {
  char bytes[NPY_MAX_WRITTEN_SIZE];
  const size_t size = npy_write(header, bytes);
  require(size < sizeof bytes && size % 64 == 0, "every header fits, in whole lines");
  npy_header again;
  require(npy_parse((const uint8_t *)bytes, size, &again, NULL) == RELAYOUT_OK,
          "what is written can be read");
  require(again.kind == header->kind && again.item_size == header->item_size &&
              again.fortran_order == header->fortran_order && again.rank == header->rank &&
              memcmp(again.dimensions, header->dimensions,
                     (size_t)header->rank * sizeof *header->dimensions) == 0,
          "and is the same");
}

/* What has a type has a shape, or one too large; a file of that shape would say as much. */
static void check_shape(const npy_header *header) {
  relayout_error error;
  relayout_element_type type;
  relayout_status status = npy_element_type(header, RELAYOUT_ELEMENT_TYPE_INVALID, &type, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    return;
  }
  relayout_shape shape;
  status = npy_shape(header, type, &shape, &error);
  if (status != RELAYOUT_OK) {
    require(status == RELAYOUT_SIZE_OVERFLOW, "a shape can only be too large");
    check_error(status, &error);
    return;
  }
  require(relayout_shape_validate(&shape, NULL) == RELAYOUT_OK, "the shape is valid");
  const npy_header described = npy_describe(&shape);
  require(described.kind == header->kind && described.item_size == header->item_size &&
              described.rank == header->rank &&
              (described.fortran_order == header->fortran_order || header->rank < 2) &&
              memcmp(described.dimensions, header->dimensions,
                     (size_t)header->rank * sizeof *header->dimensions) == 0,
          "the shape is described as the file was");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  npy_header header;
  relayout_error error;
  const relayout_status status = npy_parse(data, size, &header, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
    return 0;
  }
  check_header(&header);
  check_rewritten(&header);
  check_shape(&header);
  return 0;
}
