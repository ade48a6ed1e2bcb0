/* no_objects.c: builds without OpenCL hold none. */
#include "stress/objects.h"

objects objects_held(void) {
  return (objects){{0}};
}
