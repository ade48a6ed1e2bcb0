/* sharding_of.h: the sharding of a text that is valid, else the test fails. */
#ifndef HOST_TESTS_SHARDING_OF_H
#define HOST_TESTS_SHARDING_OF_H

#include "cmocka_all.h"

#include "relayout/sharding.h"

static inline relayout_sharding sharding_of(const char *text) {
  relayout_sharding made;
  relayout_error error = {.message = ""};
  if (relayout_sharding_parse(text, &made, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return made;
}

#endif
