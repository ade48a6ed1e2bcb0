/* structs.c: what a caller's struct and this version's have in common. */
#include "base/structs.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"

/* No struct of any version has more, so that a size that nobody set is mostly found out. */
enum { MOST_BYTES = 4096 };

/* It comes first in all of them. */
static size_t size_of(const void *given) {
  size_t size = 0;
  memcpy(&size, given, sizeof size);
  return size;
}

static bool is_zero(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] != 0) {
      return false;
    }
  }
  return true;
}

relayout_status rlt_struct_check(const void *given, const char *owner, size_t first_size,
                                 relayout_error *error) {
  const size_t given_size = size_of(given);
  return given_size >= first_size && given_size <= MOST_BYTES
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "%sstruct_size is %zu; expected %zu to %d: initialise with the struct's "
                        "RELAYOUT_..._INIT",
                        owner, given_size, first_size, MOST_BYTES);
}

relayout_status rlt_struct_read(const void *given, const char *owner, size_t first_size,
                                void *known, size_t size, relayout_error *error) {
  const relayout_status status =
      given == NULL ? RELAYOUT_OK : rlt_struct_check(given, owner, first_size, error);
  if (given == NULL || status != RELAYOUT_OK) {
    return status;
  }
  const size_t given_size = size_of(given);
  if (given_size > size && !is_zero((const unsigned char *)given + size, given_size - size)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "%sstruct_size is %zu, but this version of the library knows %zu bytes of it; "
                    "the rest must be 0",
                    owner, given_size, size);
  }
  memcpy(known, given, given_size < size ? given_size : size);
  return RELAYOUT_OK;
}

void rlt_struct_write(const void *known, size_t size, void *given) {
  const size_t given_size = size_of(given);
  memcpy(given, known, given_size < size ? given_size : size);
  if (given_size > size) {
    memset((unsigned char *)given + size, 0, given_size - size);
  }
  memcpy(given, &given_size, sizeof given_size);
}
