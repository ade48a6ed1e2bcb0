/* hand_in.c: addresses that the linker may have wrapped (--wrap), handed in where no test can
 * forget it. */
#include "opencl/hand_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/entry_points.h"
#include "relayout/opencl.h"

typedef struct function {
  const char *name;
  void (*address)(void);
} function;

static const function functions[] = {
#define FUNCTION(name, is_needed) {#name, (void (*)(void))name},
    RLT_CL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

void *hand_in_find(void *context, const char *name) {
  (void)context;
  void *found = NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    if (strcmp(functions[i].name, name) == 0) {
      memcpy(&found, &functions[i].address, sizeof found);
    }
  }
  return found;
}

__attribute__((constructor)) static void hand_in(void) {
  relayout_error error;
  if (relayout_opencl_use(hand_in_find, NULL, &error) != RELAYOUT_OK) {
    fprintf(stderr, "relayout_opencl_use: %s\n", error.message);
    _Exit(EXIT_FAILURE);
  }
}
