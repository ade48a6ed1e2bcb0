/* shard_picture.c: a table of parts, filled device by device. */
#include "shard_picture.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_LINES = 16, MOST_COLUMNS = 8, CELL = 16, MOST_DEVICES = 256 };

typedef struct picture {
  int32_t rank;
  int32_t counts[2]; /* of parts along dimension 0 and 1 */
  int64_t starts[2][MOST_LINES];
  char cells[MOST_LINES][MOST_COLUMNS][CELL];
  int64_t device; /* whose parts are visited */
  bool is_full;   /* something did not fit */
} picture;

/* The part that starts there; starts are kept in order. */
static void add_start(picture *made, int d, int64_t start) {
  const int32_t most = d == 0 ? MOST_LINES : MOST_COLUMNS;
  int32_t at = 0;
  while (at < made->counts[d] && made->starts[d][at] < start) {
    ++at;
  }
  if (at < made->counts[d] && made->starts[d][at] == start) {
    return;
  }
  if (made->counts[d] == most) {
    made->is_full = true;
    return;
  }
  memmove(&made->starts[d][at + 1], &made->starts[d][at],
          (size_t)(made->counts[d] - at) * sizeof made->starts[d][0]);
  made->starts[d][at] = start;
  ++made->counts[d];
}

static void see_starts(void *context, const int64_t *start, const int64_t *sizes,
                       const int64_t *local_start) {
  picture *const made = context;
  (void)sizes;
  (void)local_start;
  add_start(made, 0, start[0]);
  add_start(made, 1, made->rank > 1 ? start[1] : 0);
}

static int32_t find_start(const picture *in, int d, int64_t start) {
  int32_t at = 0;
  while (in->starts[d][at] != start) {
    ++at;
  }
  return at;
}

static void add_device(void *context, const int64_t *start, const int64_t *sizes,
                       const int64_t *local_start) {
  picture *const made = context;
  (void)sizes;
  (void)local_start;
  char *const cell = made->cells[find_start(made, 0, start[0])]
                                [find_start(made, 1, made->rank > 1 ? start[1] : 0)];
  const size_t length = strlen(cell);
  const int added =
      snprintf(cell + length, CELL - length, "%s%" PRId64, length > 0 ? " " : "", made->device);
  made->is_full = made->is_full || (size_t)added >= CELL - length;
}

static bool visit_all(const relayout_shape *shape, const relayout_sharding *sharding,
                      size_t device_count, const int64_t *devices, relayout_box_visitor *visitor,
                      picture *made) {
  bool is_known = true;
  for (size_t i = 0; i < device_count && is_known && !made->is_full; i++) {
    made->device = devices[i];
    is_known = relayout_sharding_visit_boxes(sharding, shape, devices[i], visitor, made, NULL) ==
               RELAYOUT_OK;
  }
  return is_known && !made->is_full;
}

void shard_picture_draw(const relayout_shape *shape, const relayout_sharding *sharding,
                        size_t device_count, const int64_t *devices, FILE *file) {
  picture made = {.rank = shape->rank};
  if (shape->rank < 1 || shape->rank > 2 || device_count > MOST_DEVICES ||
      !visit_all(shape, sharding, device_count, devices, see_starts, &made) ||
      !visit_all(shape, sharding, device_count, devices, add_device, &made) ||
      made.counts[0] == 0 || made.counts[1] == 0) {
    return;
  }
  int width = 1;
  for (int32_t line = 0; line < made.counts[0]; line++) {
    for (int32_t column = 0; column < made.counts[1]; column++) {
      const int own = (int)strlen(made.cells[line][column]);
      width = own > width ? own : width;
    }
  }
  for (int32_t column = 0; column < made.counts[1]; column++) {
    const int own = snprintf(NULL, 0, "%" PRId64, made.starts[1][column]);
    width = own > width ? own : width;
  }
  fprintf(file, "\n%13s", "");
  for (int32_t column = 0; column < made.counts[1]; column++) {
    const bool is_last = column == made.counts[1] - 1;
    fprintf(file, "  %-*" PRId64 "%s", is_last ? 0 : width, made.starts[1][column],
            is_last ? "" : " ");
  }
  fputc('\n', file);
  for (int32_t line = 0; line < made.counts[0]; line++) {
    fprintf(file, "%12" PRId64 " ", made.starts[0][line]);
    for (int32_t column = 0; column < made.counts[1]; column++) {
      fprintf(file, "| %-*s ", width, made.cells[line][column]);
    }
    fprintf(file, "|\n");
  }
}
