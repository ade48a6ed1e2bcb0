/* packed_view.h: a view as the few numbers that it uses, to be kept, compared and hashed.
 *
 * A view has room for 64 dimensions and 16 tiles; most use a twentieth of that. Views whose used
 * fields are equal have equal numbers. Several packed views may follow each other.
 *
 * Depends on view.h.
 */
#ifndef RLT_METADATA_PACKED_VIEW_H
#define RLT_METADATA_PACKED_VIEW_H

#include <stdint.h>

#include "metadata/view.h"

enum {
  RLT_SMALL_IN_NUMBER = 8, /* numbers below 256 that a packed number holds */
  RLT_MOST_VIEW_NUMBERS = 5 + RELAYOUT_MAX_ELEMENT_SIZE / 8 + 3 * RELAYOUT_MAX_RANK +
                          RELAYOUT_MAX_TILE_DIMENSIONS + RELAYOUT_MAX_RANK / RLT_SMALL_IN_NUMBER +
                          RELAYOUT_MAX_TILES / RLT_SMALL_IN_NUMBER
};

/* Packs a view that need not be valid. Returns how many numbers that takes; 0 if the view has
 * counts, or small numbers, that no valid view has. */
int32_t rlt_view_pack(const rlt_view *view, int64_t numbers[RLT_MOST_VIEW_NUMBERS]);

/* Unpacks the first of the views packed here; the fields that it does not use become 0. Returns how
 * many numbers it takes. */
int32_t rlt_view_unpack(const int64_t *numbers, relayout_view *view);

#endif
