/* strided.c: a relayout as the axes that both shapes have in common. */
#include "strided.h"

/* Keeps the axes in order. */
static void insert(bench_strided *into, bench_axis axis) {
  size_t at = into->axis_count;
  while (at > 0 && into->axes[at - 1].destination_stride > axis.destination_stride) {
    into->axes[at] = into->axes[at - 1];
    at -= 1;
  }
  into->axes[at] = axis;
  into->axis_count += 1;
}

static void fuse(bench_strided *of) {
  size_t kept = 0;
  for (size_t i = 1; i < of->axis_count; i++) {
    bench_axis *const last = &of->axes[kept];
    const bench_axis next = of->axes[i];
    if (next.source_stride == last->extent * last->source_stride &&
        next.destination_stride == last->extent * last->destination_stride) {
      last->extent *= next.extent;
      continue;
    }
    kept += 1;
    of->axes[kept] = next;
  }
  of->axis_count = of->axis_count > 0 ? kept + 1 : 0;
}

bool bench_strided_of(const relayout_shape *from, const relayout_shape *to, bench_strided *made) {
  int64_t source[RELAYOUT_MAX_RANK];
  int64_t destination[RELAYOUT_MAX_RANK];
  int64_t held;
  *made = (bench_strided){.element_bytes = relayout_element_type_byte_size(to->element_type)};
  if (from->element_type != to->element_type || !bench_is_strided(from) || !bench_is_strided(to) ||
      relayout_shape_strides(from, source, NULL) != RELAYOUT_OK ||
      relayout_shape_strides(to, destination, NULL) != RELAYOUT_OK ||
      relayout_shape_byte_size(to, &made->destination_bytes, NULL) != RELAYOUT_OK ||
      relayout_shape_physical_element_count(to, &held, NULL) != RELAYOUT_OK ||
      relayout_shape_element_count(to) == 0) {
    return false;
  }
  for (int32_t d = 0; d < to->rank; d++) {
    if (to->dimensions[d] > 1) {
      insert(made,
             (bench_axis){(size_t)to->dimensions[d], (size_t)source[d], (size_t)destination[d]});
    }
  }
  fuse(made);
  made->fills = held > relayout_shape_element_count(to) &&
                to->layout.padding_value != RELAYOUT_PADDING_UNKNOWN;
  return !made->fills || relayout_layout_padding_bytes(&to->layout, to->element_type, made->fill,
                                                       NULL) == RELAYOUT_OK;
}

bool bench_transposition_of(const bench_strided *moved, bench_transposition *made) {
  const bench_axis *const columns = &moved->axes[1]; /* of the source */
  const bench_axis *const rows = &moved->axes[0];
  const size_t bytes = moved->element_bytes;
  if (moved->axis_count != 2 || rows->destination_stride != 1 || columns->source_stride != 1 ||
      (bytes != 4 && bytes != 8 && bytes != 16)) {
    return false;
  }
  *made = (bench_transposition){.element_bytes = bytes,
                                .rows = rows->extent,
                                .columns = columns->extent,
                                .source_pitch = rows->source_stride,
                                .destination_pitch = columns->destination_stride};
  return true;
}
