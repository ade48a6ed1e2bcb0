/* compare.c: says whether a filter did its job: whether FILTERED is nearer to
 * CLEAN than GRAINY was.
 *
 *     compare CLEAN.ppm GRAINY.ppm FILTERED.ppm */
#include "ppm.h"

#include <stdio.h>
#include <stdlib.h>

/* The mean difference of a byte; -1 when the pictures have different sizes. */
static double distance(const picture *a, const picture *b) {
  if (a->width != b->width || a->height != b->height) {
    return -1;
  }
  const size_t size = a->width * a->height * 3;
  double sum = 0;
  for (size_t i = 0; i < size; i++) {
    sum += abs(a->bytes[i] - b->bytes[i]);
  }
  return sum / (double)size;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: compare CLEAN.ppm GRAINY.ppm FILTERED.ppm\n");
    return 2;
  }
  picture pictures[3];
  for (int i = 0; i < 3; i++) {
    pictures[i] = ppm_read(argv[i + 1]);
    if (pictures[i].bytes == NULL) {
      return 1;
    }
  }
  const double before = distance(&pictures[0], &pictures[1]);
  const double after = distance(&pictures[0], &pictures[2]);
  printf("mean error of a colour: %.2f before the filter, %.2f after it\n", before, after);
  for (int i = 0; i < 3; i++) {
    free(pictures[i].bytes);
  }
  return after >= 0 && after < before ? 0 : 1;
}
