/* scene.c: a matrix to transpose, on a CPU device that uses several threads for it. */
#include "cpu/scene.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cpu/device.h"

void scene_set_up(scene *made) {
  const relayout_layout rows = {.rank = 2, .minor_to_major = {1, 0}};
  made->from = (relayout_shape){.element_type = RELAYOUT_F32,
                                .rank = 2,
                                .dimensions = {SCENE_SIDE, SCENE_SIDE},
                                .layout = rows};
  made->to = made->from;
  made->to.layout = (relayout_layout){.rank = 2, .minor_to_major = {0, 1}};
  for (int r = 0; r < SCENE_SIDE; ++r) {
    for (int c = 0; c < SCENE_SIDE; ++c) {
      made->source[r][c] = (float)(r * SCENE_SIDE + c);
    }
  }
  assert_int_equal(relayout_cpu_device_create(NULL, &made->device, NULL), RELAYOUT_OK);
  made->tuning = *made->device->tuning;
  made->tuning.thread_bytes = 1024;
  made->device->tuning = &made->tuning;
  made->device->facts.threads = SCENE_THREADS;
  made->device->facts.cache_bytes = 1;
  assert_int_equal(
      relayout_plan_create(made->device, &made->from, &made->to, NULL, &made->plan, NULL),
      RELAYOUT_OK);
}

static bool is_transposed(const scene *of, float found[SCENE_SIDE][SCENE_SIDE]) {
  for (int r = 0; r < SCENE_SIDE; ++r) {
    for (int c = 0; c < SCENE_SIDE; ++c) {
      if (found[c][r] != of->source[r][c]) {
        return false;
      }
    }
  }
  return true;
}

bool scene_works(const scene *of) {
  float(*const found)[SCENE_SIDE] = calloc(SCENE_SIDE, sizeof *found);
  bool passed = relayout_plan_execute(of->plan, of->source, found, NULL) == RELAYOUT_OK &&
                is_transposed(of, found);
  memset(found, 0, SCENE_SIDE * sizeof *found);
  passed = passed &&
           relayout_copy(of->device, &of->from, &of->to, of->source, found, NULL) == RELAYOUT_OK &&
           is_transposed(of, found);
  free(found);
  return passed;
}

void scene_tear_down(scene *made) {
  relayout_plan_destroy(made->plan);
  relayout_device_destroy(made->device);
}
