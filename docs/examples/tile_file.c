/* tile_file.c: the program that the tutorial ends with. It reads a matrix of floats from a file,
 * brings it into tiles of 8 x 128 and writes these to another file.
 *
 *     tile_file ROWS COLUMNS IN OUT */
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what, const char *why) {
  fprintf(stderr, "tile_file: %s: %s\n", what, why);
  return 1;
}

/* The matrix in rows, and the same in tiles. */
static relayout_status describe(int64_t rows, int64_t columns, relayout_shape *from,
                                relayout_shape *to, relayout_error *error) {
  static const int64_t order[] = {1, 0}; /* minor to major */
  static const size_t tile_ranks[] = {2};
  static const int64_t tile[] = {8, 128};
  const int64_t dimensions[] = {rows, columns};
  relayout_layout tiled;
  relayout_status status = relayout_shape_make(RELAYOUT_F32, 2, dimensions, from, error);
  if (status == RELAYOUT_OK) {
    status = relayout_layout_make_tiled(2, order, 1, tile_ranks, tile, &tiled, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_shape_make_with_layout(RELAYOUT_F32, 2, dimensions, &tiled, to, error);
  }
  return status;
}

/* From one file to the other by this plan. */
static int move_file(const relayout_plan *plan, const char *in, const char *out) {
  const size_t in_size = relayout_plan_source_size(plan);
  const size_t out_size = relayout_plan_destination_size(plan);
  relayout_error error;
  int code = 0;
  FILE *source = fopen(in, "rb");
  FILE *destination = fopen(out, "wb");
  void *rows = malloc(in_size);
  void *tiles = malloc(out_size);
  if (source == NULL || destination == NULL || rows == NULL || tiles == NULL) {
    code = fail(in, "no file or no memory");
  } else if (fread(rows, 1, in_size, source) != in_size) {
    code = fail(in, "the file is too short");
  } else if (relayout_plan_execute(plan, rows, tiles, &error) != RELAYOUT_OK) {
    code = fail("relayout", error.message);
  } else if (fwrite(tiles, 1, out_size, destination) != out_size) {
    code = fail(out, "cannot write");
  } else {
    printf("%zu bytes became %zu\n", in_size, out_size);
  }
  free(rows);
  free(tiles);
  if (source != NULL) {
    fclose(source);
  }
  if (destination != NULL && fclose(destination) != 0 && code == 0) {
    code = fail(out, "cannot write");
  }
  return code;
}

int main(int argc, char **argv) {
  relayout_error error;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_shape from, to;
  if (argc != 5) {
    return fail("usage", "tile_file ROWS COLUMNS IN OUT");
  }
  if (describe(atoll(argv[1]), atoll(argv[2]), &from, &to, &error) != RELAYOUT_OK ||
      relayout_device_open("auto", &device, &error) != RELAYOUT_OK ||
      relayout_plan_create(device, &from, &to, NULL, &plan, &error) != RELAYOUT_OK) {
    relayout_device_destroy(device);
    return fail("relayout", error.message);
  }
  const int code = move_file(plan, argv[3], argv[4]);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return code;
}
