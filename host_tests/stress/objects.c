/* objects.c: counted by the wrappers that stand before all of OpenCL's functions. */
#include "stress/objects.h"

#include "faults/live.h"

objects objects_held(void) {
  static const live_kind kinds[OBJECT_KINDS] = {
#define OBJECT_LIVE(name, text) LIVE_##name,
      OBJECT_TABLE(OBJECT_LIVE)
#undef OBJECT_LIVE
  };
  objects held;
  for (int kind = 0; kind < OBJECT_KINDS; ++kind) {
    held.of[kind] = live_count(kinds[kind]);
  }
  live_mark(); /* forgets what is gone, whose places others take */
  return held;
}
