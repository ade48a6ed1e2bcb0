/* ppm.h: reads and writes pictures, for the samples that need one. A picture is u8[height,width,3]
 * with the three colours of a pixel side by side; the files are binary PPM (P6, 8 bits). */
#ifndef SAMPLES_IMAGE_PPM_H
#define SAMPLES_IMAGE_PPM_H

#include <stddef.h>

typedef struct picture {
  size_t width;
  size_t height;
  unsigned char *bytes; /* height * width * 3 of them, malloc'ed; NULL when there is no picture */
} picture;

/* No bytes when the file is none or there is no memory; says why on stderr. */
picture ppm_read(const char *path);

/* 0, or 1 with the reason on stderr. */
int ppm_write(const char *path, const picture *image);

#endif
