/* device_order.c: orders of devices as transposed arrays of their numbers, or as lists. */
#include "metadata/device_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

enum { MOST_DIGITS = RLT_MOST_GRID_DIMENSIONS + RELAYOUT_MAX_DEVICE_DIMENSIONS };

/* ---- Arrays that are transposed ------------------------------------------------------------- */

/* Dimensions of 1 do not count. */
static int32_t drop_ones(int32_t rank, int64_t *dimensions, int32_t *permutation) {
  int32_t number[MOST_DIGITS]; /* of a dimension among those that stay */
  int32_t kept = 0;
  for (int32_t d = 0; d < rank; ++d) {
    number[d] = dimensions[d] == 1 ? -1 : kept;
    dimensions[kept] = dimensions[d];
    kept += dimensions[d] != 1;
  }
  int32_t at = 0;
  for (int32_t i = 0; i < rank; ++i) {
    if (number[permutation[i]] >= 0) {
      permutation[at++] = number[permutation[i]];
    }
  }
  return kept;
}

/* Of dimensions that follow each other before and after, the first takes the others in, which
 * become 1. */
static bool merge_neighbours(int32_t rank, int64_t *dimensions, const int32_t *permutation) {
  bool merged = false;
  int32_t first = 0; /* of those that go together, in the transpose */
  for (int32_t i = 1; i < rank; ++i) {
    if (permutation[i] == permutation[first] + (i - first)) {
      dimensions[permutation[first]] *= dimensions[permutation[i]];
      dimensions[permutation[i]] = 1;
      merged = true;
    } else {
      first = i;
    }
  }
  return merged;
}

void rlt_device_order_make(int32_t rank, const int64_t *dimensions, const int32_t *permutation,
                           relayout_device_order *order) {
  int64_t of[MOST_DIGITS];
  int32_t to[MOST_DIGITS];
  for (int32_t d = 0; d < rank; ++d) {
    of[d] = dimensions[d];
    to[d] = permutation != NULL ? permutation[d] : d;
  }
  do {
    rank = drop_ones(rank, of, to);
  } while (merge_neighbours(rank, of, to));
  *order = (relayout_device_order){.rank = 1, .dimensions = {1}}; /* of one device, or else */
  for (int32_t d = 0; d < rank; ++d) {
    order->rank = rank;
    order->dimensions[d] = of[d];
    order->permutation[d] = to[d];
  }
}

/* ---- Places --------------------------------------------------------------------------------- */

int64_t rlt_device_order_at(const relayout_device_order *order, int64_t place) {
  if (order->rank == 0) {
    return order->list[place];
  }
  int64_t index[RELAYOUT_MAX_DEVICE_DIMENSIONS];
  for (int32_t i = order->rank - 1; i >= 0; --i) {
    const int32_t d = order->permutation[i];
    index[d] = place % order->dimensions[d];
    place /= order->dimensions[d];
  }
  int64_t device = 0;
  for (int32_t d = 0; d < order->rank; ++d) {
    device = device * order->dimensions[d] + index[d];
  }
  return device;
}

int64_t rlt_device_order_find(const relayout_device_order *order, int64_t count, int64_t device) {
  if (order->rank == 0) {
    int64_t place = 0;
    while (place < count && order->list[place] != device) {
      ++place;
    }
    return place < count ? place : -1;
  }
  if (device < 0 || device >= count) {
    return -1;
  }
  int64_t index[RELAYOUT_MAX_DEVICE_DIMENSIONS];
  for (int32_t d = order->rank - 1; d >= 0; --d) {
    index[d] = device % order->dimensions[d];
    device /= order->dimensions[d];
  }
  int64_t place = 0;
  for (int32_t i = 0; i < order->rank; ++i) {
    const int32_t d = order->permutation[i];
    place = place * order->dimensions[d] + index[d];
  }
  return place;
}

/* ---- Digits --------------------------------------------------------------------------------- */

/* A digit of a place: its size, and how many devices further on its next value is. */
typedef struct digit {
  int64_t size;
  int64_t step;
} digit;

/* A place's digits, the most major first, so fine that each belongs to one dimension of the grid.
 * Those of dimension d begin at first[d], and end at first[d + 1]. */
typedef struct digits {
  int32_t count;
  digit of[MOST_DIGITS];
  int32_t first[RLT_MOST_GRID_DIMENSIONS + 1];
} digits;

static int64_t step_of(const relayout_device_order *order, int32_t dimension) {
  int64_t step = 1;
  for (int32_t d = order->rank - 1; d > dimension; --d) {
    step *= order->dimensions[d];
  }
  return step;
}

/* From the most minor one on, each the largest that lies within a dimension of both the grid and
 * the array. false where one of the two does not divide the other. */
static bool split(const relayout_device_order *order, int32_t rank, const int64_t *sizes,
                  digits *made) {
  digit reversed[MOST_DIGITS];
  int32_t ends[RLT_MOST_GRID_DIMENSIONS];
  int32_t count = 0;
  int32_t i = order->rank - 1;
  int64_t left = order->dimensions[order->permutation[i]]; /* of the array's dimension */
  int64_t step = step_of(order, order->permutation[i]);
  for (int32_t d = rank - 1; d >= 0; --d) {
    for (int64_t rest = sizes[d]; rest > 1;) {
      while (left == 1) {
        --i;
        left = order->dimensions[order->permutation[i]];
        step = step_of(order, order->permutation[i]);
      }
      const int64_t size = rlt_min(rest, left);
      if (rest % size != 0 || left % size != 0) {
        return false;
      }
      reversed[count++] = (digit){size, step};
      rest /= size;
      left /= size;
      step *= size;
    }
    ends[d] = count;
  }
  made->count = count;
  for (int32_t c = 0; c < count; ++c) {
    made->of[c] = reversed[count - 1 - c];
  }
  for (int32_t d = 0; d < rank; ++d) {
    made->first[d] = count - ends[d];
  }
  made->first[rank] = count;
  return true;
}

static int by_step_down(const void *a, const void *b) {
  const int64_t x = ((const digit *)a)->step, y = ((const digit *)b)->step;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* The order whose places have these digits, which make up all devices. */
static void make_of_digits(int32_t count, const digit *of, relayout_device_order *order) {
  digit sorted[MOST_DIGITS];
  int64_t dimensions[MOST_DIGITS];
  int32_t permutation[MOST_DIGITS];
  memcpy(sorted, of, (size_t)count * sizeof *of);
  qsort(sorted, (size_t)count, sizeof *sorted, by_step_down);
  for (int32_t c = 0; c < count; ++c) {
    dimensions[c] = sorted[c].size;
    permutation[c] = 0;
    while (sorted[permutation[c]].step != of[c].step) {
      ++permutation[c];
    }
  }
  rlt_device_order_make(count, dimensions, permutation, order);
}

/* ---- Changing the grid ---------------------------------------------------------------------- */

static int64_t product_of(int32_t rank, const int64_t *sizes) {
  int64_t product = 1;
  for (int32_t d = 0; d < rank; ++d) {
    product *= sizes[d];
  }
  return product;
}

static bool make_list(relayout_device_order *order, int64_t count) {
  if (count > RELAYOUT_MAX_DEVICE_LIST) {
    return false;
  }
  relayout_device_order listed = {.rank = 0};
  for (int64_t place = 0; place < count; ++place) {
    listed.list[place] = (int32_t)rlt_device_order_at(order, place);
  }
  *order = listed;
  return true;
}

/* Of a list. */
static void transpose_list(relayout_device_order *order, int32_t rank, const int64_t *sizes,
                           const int32_t *permutation) {
  const relayout_device_order before = *order;
  const int64_t count = product_of(rank, sizes);
  for (int64_t place = 0; place < count; ++place) {
    int64_t index[RLT_MOST_GRID_DIMENSIONS];
    int64_t rest = place;
    for (int32_t i = rank - 1; i >= 0; --i) {
      index[permutation[i]] = rest % sizes[permutation[i]];
      rest /= sizes[permutation[i]];
    }
    int64_t from = 0;
    for (int32_t d = 0; d < rank; ++d) {
      from = from * sizes[d] + index[d];
    }
    order->list[place] = before.list[from];
  }
}

/* True if nothing but dimensions of 1 changes its place. */
static bool is_identity(int32_t rank, const int64_t *sizes, const int32_t *permutation) {
  int32_t last = -1;
  for (int32_t i = 0; i < rank; ++i) {
    if (sizes[permutation[i]] > 1) {
      if (permutation[i] < last) {
        return false;
      }
      last = permutation[i];
    }
  }
  return true;
}

bool rlt_device_order_transpose(relayout_device_order *order, int32_t rank, const int64_t *sizes,
                                const int32_t *permutation) {
  if (is_identity(rank, sizes, permutation)) {
    return true;
  }
  const int64_t count = product_of(rank, sizes);
  digits of;
  if (order->rank > 0 && split(order, rank, sizes, &of)) {
    digit moved[MOST_DIGITS];
    int32_t moved_count = 0;
    for (int32_t i = 0; i < rank; ++i) {
      for (int32_t c = of.first[permutation[i]]; c < of.first[permutation[i] + 1]; ++c) {
        moved[moved_count++] = of.of[c];
      }
    }
    make_of_digits(moved_count, moved, order);
    return true;
  }
  if (order->rank > 0 && !make_list(order, count)) {
    return false;
  }
  transpose_list(order, rank, sizes, permutation);
  return true;
}

static int by_value(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

bool rlt_device_order_sort_groups(relayout_device_order *order, int64_t count, int64_t size) {
  const int64_t sizes[] = {count / size, size};
  digits of;
  if (order->rank > 0 && split(order, 2, sizes, &of)) {
    qsort(of.of + of.first[1], (size_t)(of.count - of.first[1]), sizeof of.of[0], by_step_down);
    make_of_digits(of.count, of.of, order);
    return true;
  }
  if (order->rank > 0 && !make_list(order, count)) {
    return false;
  }
  for (int64_t place = 0; place < count; place += size) {
    qsort(order->list + place, (size_t)size, sizeof order->list[0], by_value);
  }
  return true;
}
