/* promise.h: assertions that the fuzz targets share. */
#ifndef FUZZ_PROMISE_H
#define FUZZ_PROMISE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "relayout/status.h"

/* Aborts, naming the promise, unless it holds. */
static inline void require(bool holds, const char *promise) {
  if (!holds) {
    fprintf(stderr, "broken: %s\n", promise);
    abort();
  }
}

/* What every refusal promises. */
static inline void check_error(relayout_status status, const relayout_error *error) {
  require(error->status == status, "the error holds the status");
  require(error->message[0] != '\0', "the error has a message");
  for (const char *c = error->message; *c != '\0'; ++c) {
    require(*c >= ' ' && *c <= '~', "the message is one line of printable characters");
  }
}

/* What the command's messages promise, which quote names in UTF-8. */
static inline void check_file_message(const char *message) {
  require(message[0] != '\0', "the error has a message");
  for (const char *c = message; *c != '\0'; ++c) {
    require((unsigned char)*c >= ' ' && *c != 0x7f, "the message is one line");
  }
}

/* What errors about files promise. */
static inline void check_file_error(relayout_status status, const relayout_error *error) {
  require(error->status == status, "the error holds the status");
  check_file_message(error->message);
}

#endif
