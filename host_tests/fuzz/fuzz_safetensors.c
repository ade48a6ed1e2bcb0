/* fuzz_safetensors.c: any header either is refused with a message fit to print, or is of tensors
 * that have shapes or none, take other shapes, and are written as a header that can be read. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "promise.h"
#include "safetensors.h"

static void change_shapes(safetensors *of) {
  for (size_t i = 0; i < of->count; i++) {
    relayout_shape shape;
    relayout_error error;
    const relayout_status status = safetensors_shape(of, &of->tensors[i], &shape, &error);
    if (status != RELAYOUT_OK) {
      check_file_error(status, &error);
      continue;
    }
    require(relayout_shape_validate(&shape, NULL) == RELAYOUT_OK, "a shape is valid");
    if (shape.layout.tile_count == 0 && shape.rank > 0) {
      relayout_layout_make_ascending(shape.rank, &shape.layout, NULL);
    }
    require(safetensors_set_shape(of, &of->tensors[i], &shape, NULL) == RELAYOUT_OK,
            "a tensor takes a shape");
  }
  safetensors_place(of, 64);
}

static void write_and_read(const safetensors *of) {
  char *bytes = NULL;
  size_t size = 0;
  safetensors again;
  uint64_t end = of->count == 0 ? 0 : of->tensors[of->count - 1].end;
  require(safetensors_write(of, 64, &bytes, &size, NULL) == RELAYOUT_OK, "there is memory");
  require(safetensors_parse(bytes + 8, size - 8, end, &again, NULL) == RELAYOUT_OK,
          "what is written is read");
  require(again.count == of->count, "with all its tensors");
  safetensors_free(&again);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  safetensors of;
  relayout_error error;
  /* All bytes that tensors say they have: the first input byte tells how many there would be. */
  const uint64_t data_size = size > 0 ? data[0] : 0;
  const char *const text = size > 0 ? (const char *)data + 1 : "";
  const relayout_status status =
      safetensors_parse(text, size > 0 ? size - 1 : 0, data_size, &of, &error);
  if (status != RELAYOUT_OK) {
    check_file_error(status, &error);
    return 0;
  }
  change_shapes(&of);
  write_and_read(&of);
  safetensors_free(&of);
  return 0;
}
