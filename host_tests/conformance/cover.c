/* cover.c: see cover.h. */
#include "conformance/cover.h"

#include <stdbool.h>

#include "conformance/random.h"

static bool has_indices(const relayout_shape *shape) {
  bool has = shape->rank > 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    has = has && shape->dimensions[d] > 0;
  }
  return has;
}

static void shuffle(uint64_t *random, cover *of) {
  for (int i = of->count - 1; i > 0; --i) {
    const int64_t at = random_below(random, i + 1);
    const cover_box moved = of->of[i];
    of->of[i] = of->of[at];
    of->of[at] = moved;
  }
}

void cover_draw(uint64_t *random, const relayout_shape *shape, const int64_t *units, int count,
                cover *made) {
  made->count = 1;
  for (int32_t d = 0; d < shape->rank; ++d) {
    made->of[0].start[d] = 0;
    made->of[0].sizes[d] = shape->dimensions[d];
  }
  while (has_indices(shape) && made->count < count) {
    cover_box *const one = &made->of[random_below(random, made->count)];
    const int64_t d = random_below(random, shape->rank);
    const int64_t unit = units == NULL ? 1 : units[d];
    const int64_t kept = random_below(random, one->sizes[d] / unit + 1) * unit;
    cover_box *const other = &made->of[made->count++];
    *other = *one;
    one->sizes[d] = kept;
    other->start[d] += kept;
    other->sizes[d] -= kept;
  }
  shuffle(random, made);
}
