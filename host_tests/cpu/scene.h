/* scene.h: a matrix to transpose, and a device that uses several threads for it. */
#ifndef HOST_TESTS_CPU_SCENE_H
#define HOST_TESTS_CPU_SCENE_H

#include <stdbool.h>

#include "relayout/relayout.h"
#include "search/tuning.h"

enum { SCENE_SIDE = 128, SCENE_THREADS = 4 };

/* To the device a few kilobytes are worth a thread, however many processors there are, and it has
 * no cache, so that tiles are put together first. */
typedef struct scene {
  relayout_device *device;
  rlt_tuning tuning; /* the device's */
  relayout_shape from;
  relayout_shape to;
  relayout_plan *plan;
  float source[SCENE_SIDE][SCENE_SIDE];
} scene;

void scene_set_up(scene *made);
void scene_tear_down(scene *made);

/* Whether both transpose: the plan that is there, and one that is asked for. */
bool scene_works(const scene *of);

#endif
