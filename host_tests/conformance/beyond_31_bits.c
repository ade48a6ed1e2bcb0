/* beyond_31_bits: more elements than 31 bits can count, on both sides of a relayout.
 *
 * Takes 4.3 GB of memory; exits with 77 where there is less. Every byte is checked, by a formula.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "relayout/relayout.h"

enum { EXIT_SKIPPED = 77 };

/* 3 * 715827883 is the least number above 2^31 that three divides. */
static const int64_t rows = 3;
static const int64_t columns = 715827883;

static unsigned char byte_at(int64_t row, int64_t column) {
  const uint64_t number = (uint64_t)(row * columns + column);
  return (unsigned char)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

/* Bytes of memory that new programs can have; 0 when the system does not say. */
static uint64_t available_memory(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  if (file == NULL) {
    return 0;
  }
  uint64_t kibibytes = 0;
  char line[256];
  while (fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "MemAvailable: %" SCNu64, &kibibytes) == 1) {
      break;
    }
  }
  fclose(file);
  return kibibytes * 1024;
}

static void fill(unsigned char *source) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      source[row * columns + column] = byte_at(row, column);
    }
  }
}

static bool is_transposed(const unsigned char *destination) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      if (destination[column * rows + row] != byte_at(row, column)) {
        fprintf(stderr, "element %" PRId64 ",%" PRId64 " is 0x%02x, not 0x%02x\n", row, column,
                destination[column * rows + row], byte_at(row, column));
        return false;
      }
    }
  }
  return true;
}

static bool transposes(const unsigned char *source, unsigned char *destination) {
  relayout_error error;
  relayout_device *device;
  relayout_shape from;
  relayout_shape to;
  if (relayout_shape_parse("u8[3,715827883]{1,0}", &from, &error) != RELAYOUT_OK ||
      relayout_shape_parse("u8[3,715827883]{0,1}", &to, &error) != RELAYOUT_OK ||
      relayout_device_open("cpu", &device, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return false;
  }
  const relayout_status status = relayout_copy(device, &from, &to, source, destination, &error);
  relayout_device_destroy(device);
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return false;
  }
  return is_transposed(destination);
}

int main(void) {
  const size_t size = (size_t)(rows * columns);
  const uint64_t spare = UINT64_C(1) << 29;
  if (available_memory() < 2 * (uint64_t)size + spare) {
    printf("not enough memory for 2 x %zu bytes\n", size);
    return EXIT_SKIPPED;
  }
  unsigned char *source = malloc(size);
  unsigned char *destination = malloc(size);
  int result = EXIT_SKIPPED;
  if (source != NULL && destination != NULL) {
    fill(source);
    result = transposes(source, destination) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  free(source);
  free(destination);
  return result;
}
