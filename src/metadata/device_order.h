/* device_order.h: which device stands at each place of a grid, and changing the grid.
 *
 * * A grid is an array of devices, counted in row-major order. Its devices are listed, or they are
 * the numbers 0, 1, 2, ... seen as an array of other sizes that is transposed (sharding.h): then no
 * grid is too large, and a device's place takes no search.
 *
 * * Depends on the public shardings and on base/. */
#ifndef RLT_METADATA_DEVICE_ORDER_H
#define RLT_METADATA_DEVICE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/sharding.h"

enum { RLT_MOST_GRID_DIMENSIONS = RELAYOUT_MAX_RANK + 2 * RELAYOUT_MAX_DEVICE_DIMENSIONS };

/* The order of an array of `rank` dimensions, of any number, each 1 or more and at most
 * RELAYOUT_MAX_DEVICES together, that is transposed: dimensions of 1 are dropped, and neighbours
 * that stay neighbours are merged, as XLA does. `permutation` NULL: it is not transposed. */
void rlt_device_order_make(int32_t rank, const int64_t *dimensions, const int32_t *permutation,
                           relayout_device_order *order);

/* The device at a place, and the place of a device among `count`; -1: it has none. */
int64_t rlt_device_order_at(const relayout_device_order *order, int64_t place);
int64_t rlt_device_order_find(const relayout_device_order *order, int64_t count, int64_t device);

/* Makes it the order of the grid's transpose, whose dimension i is the grid's permutation[i]. false
 * where only a list could say it that would be too long. */
bool rlt_device_order_transpose(relayout_device_order *order, int32_t rank, const int64_t *sizes,
                                const int32_t *permutation);

/* Sorts the devices of each group of `size` that lie side by side, of `count` devices in all. false
 * as above. */
bool rlt_device_order_sort_groups(relayout_device_order *order, int64_t count, int64_t size);

#endif
