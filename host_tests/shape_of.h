/* shape_of.h: the shape of a text that is valid, else the test fails. */
#ifndef HOST_TESTS_SHAPE_OF_H
#define HOST_TESTS_SHAPE_OF_H

#include "cmocka_all.h"

#include "relayout/shape.h"

static inline relayout_shape shape_of(const char *text) {
  relayout_shape shape = {.rank = 0};
  relayout_error error;
  if (relayout_shape_parse(text, &shape, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return shape;
}

#endif
