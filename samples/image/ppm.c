/* ppm.c: reads and writes binary PPM files. */
#include "ppm.h"

#include <stdio.h>
#include <stdlib.h>

static const size_t most_pixels = (size_t)1 << 28;

static picture read_from(FILE *file) {
  picture image = {0, 0, NULL};
  unsigned maximum = 0;
  if (fscanf(file, "P6 %zu %zu %u", &image.width, &image.height, &maximum) != 3 || maximum != 255 ||
      image.width == 0 || image.height == 0 || image.width > most_pixels / image.height) {
    return image;
  }
  fgetc(file); /* the one white space before the pixels */
  const size_t size = image.width * image.height * 3;
  image.bytes = malloc(size);
  if (image.bytes != NULL && fread(image.bytes, 1, size, file) != size) {
    free(image.bytes);
    image.bytes = NULL;
  }
  return image;
}

picture ppm_read(const char *path) {
  picture image = {0, 0, NULL};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return image;
  }
  image = read_from(file);
  if (image.bytes == NULL) {
    fprintf(stderr, "%s: not a whole binary PPM of 8 bits a colour\n", path);
  }
  fclose(file);
  return image;
}

int ppm_write(const char *path, const picture *image) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    perror(path);
    return 1;
  }
  const size_t size = image->width * image->height * 3;
  fprintf(file, "P6\n%zu %zu\n255\n", image->width, image->height);
  const size_t written = fwrite(image->bytes, 1, size, file);
  if (fclose(file) != 0 || written != size) {
    fprintf(stderr, "%s: could not write all of it\n", path);
    return 1;
  }
  return 0;
}
