/* asked.h: texts of schedules for plans of several destinations, drawn from a number.
 *
 * Depends on drawn.h. */
#ifndef MANY_ASKED_H
#define MANY_ASKED_H

#include "many/drawn.h"

enum { ASKED_TEXT_SIZE = 2048 };

/* Writes a schedule that the plan of this range can have: rows in any order, boxes of any sizes
 * that part neither records nor bytes; and, for a device that `has_kernels`, work-groups of a few
 * work-items. Fields may be left out. */
void asked_schedule(const drawn_many *drawn, const cover_box *range, bool has_kernels,
                    uint64_t random, char *text);

/* From the text of a plan that has a kernel to one for shorter vectors. */
void asked_narrower(const drawn_many *drawn, const char *text, char *narrower);

/* Whether a plan may be refused by such a schedule alone: its boxes share bytes, or local memory
 * has no room for one. */
bool asked_may_be_refused(const drawn_many *drawn, const relayout_error *error);

#endif
