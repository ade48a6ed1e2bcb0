/* image.h: what is to be known of an image to copy it. Depends on cl.h and the public status. */
#ifndef RLT_OPENCL_IMAGE_H
#define RLT_OPENCL_IMAGE_H

#include <stddef.h>

#include "opencl/cl.h"
#include "relayout/status.h"

typedef struct rlt_image {
  size_t region[3]; /* all of it, as copies count: pixels, lines, layers */
  size_t bytes;     /* of all pixels, without gaps */
} rlt_image;

/* Asks an image of two or three dimensions, or an array of such. */
relayout_status rlt_image_of(cl_mem image, rlt_image *told, relayout_error *error);

#endif
