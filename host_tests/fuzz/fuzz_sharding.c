/* fuzz_sharding.c: any text either is refused with a message fit to print, or is a valid sharding
 * that prints and parses to itself, of whose devices each has a place of its own. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "input.h"
#include "promise.h"
#include "relayout/sharding.h"

static void count_box(void *context, const int64_t *start, const int64_t *sizes,
                      const int64_t *local_start) {
  int64_t *const elements = context;
  (void)start;
  (void)local_start;
  *elements += sizes[0];
}

/* The elements that a device holds of a tensor of one dimension, which has 1000. */
static void check_device(const relayout_sharding *sharding, int64_t device) {
  relayout_shape shape, local;
  const int64_t thousand = 1000;
  int64_t elements = 0, start = 0, size = 0, replica = 0;
  require(relayout_shape_make(RELAYOUT_U8, 1, &thousand, &shape, NULL) == RELAYOUT_OK,
          "a shape of one dimension");
  const relayout_status status =
      relayout_sharding_local_shape(sharding, &shape, device, &local, NULL);
  require(status == RELAYOUT_OK || status == RELAYOUT_UNSUPPORTED ||
              status == RELAYOUT_SHAPE_MISMATCH,
          "a shard, or none that can be known");
  if (status != RELAYOUT_OK) {
    return;
  }
  require(relayout_sharding_visit_boxes(sharding, &shape, device, count_box, &elements, NULL) ==
              RELAYOUT_OK,
          "what has a shape has boxes");
  require(elements == local.dimensions[0] && elements <= thousand, "of as many elements");
  if (relayout_sharding_box(sharding, &shape, device, &start, &size, &replica, NULL) ==
      RELAYOUT_OK) {
    require(size == elements && start >= 0 && start + size <= thousand, "or one box");
  }
}

static void check_devices(const relayout_sharding *sharding) {
  enum { MOST_DEVICES = 4096 };
  const int64_t count = relayout_sharding_device_count(sharding);
  static uint8_t is_there[MOST_DEVICES];
  memset(is_there, 0, sizeof is_there);
  for (int64_t i = 0; i < count && i < MOST_DEVICES; ++i) {
    int64_t device = -1;
    require(relayout_sharding_device(sharding, i, &device, NULL) == RELAYOUT_OK,
            "every place has a device");
    require(device >= 0 && device < RELAYOUT_MAX_DEVICES, "of a number");
    if (device < MOST_DEVICES) {
      require(is_there[device]++ == 0, "that no other place has");
    }
    if (i < 8) {
      check_device(sharding, device);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = input_text(data, size);
  relayout_sharding sharding, again;
  relayout_error error;
  char printed[RELAYOUT_SHARDING_TEXT_SIZE], reprinted[RELAYOUT_SHARDING_TEXT_SIZE];
  const relayout_status status = relayout_sharding_parse(text, &sharding, &error);
  if (status != RELAYOUT_OK) {
    check_error(status, &error);
  } else {
    require(relayout_sharding_validate(&sharding, NULL, 0, NULL) == RELAYOUT_OK,
            "what parses is valid");
    require(relayout_sharding_format(&sharding, printed, sizeof printed) < sizeof printed,
            "every sharding's text fits");
    require(relayout_sharding_parse(printed, &again, NULL) == RELAYOUT_OK,
            "what is printed parses");
    require(relayout_sharding_equal(&sharding, &again), "to an equal sharding");
    require(relayout_sharding_format(&again, reprinted, sizeof reprinted) > 0 &&
                strcmp(printed, reprinted) == 0,
            "which prints the same");
    check_devices(&sharding);
  }
  free(text);
  return 0;
}
