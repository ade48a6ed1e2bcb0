/* schedule_text.h: a schedule as one line of text: what `explain` shows, what is remembered, and
 * what a user can ask for.
 *
 *     transpose word=4 align=4:4 rows=1:64 columns=0:64 loops=1:16,0:16/1,0 move=transpose
 *         store=buffered+streamed prefetch=1:2 threads=2
 *
 * (on one line) is the method, and
 *
 *     word           bytes of the words that move
 *     align          bytes that the source's start is a multiple of, and the destination's
 *     rows, columns  the axes of a tile, the innermost first; all are taken whole but the last,
 *                    of which `:n` steps are if not all; `-`: no axis
 *     loops          axes over which tiles are counted, the innermost first: `axis:n` are n
 *                    iterations within a block; behind `/` the loops over blocks; `-`: one tile
 *     move           load, unpack, convert, one of rlt_move's names, shuffle, pack, joined by `>`
 *     store          unbuffered or buffered, then streamed and combined where they are, with `+`
 *     prefetch       `tiles:level`: how many tiles ahead the source is fetched, into which level of
 *                    the caches; not printed where it is not
 *     threads        workers that blocks are shared out to,
 *     group, grain   work-items of a work-group, and tiles that each group takes one after the
 *                    other; none of the three is printed where it is 1
 *
 * Depends on candidates.h, metadata/ and base/.
 */
#ifndef RLT_SCHEDULE_SCHEDULE_TEXT_H
#define RLT_SCHEDULE_SCHEDULE_TEXT_H

#include "base/text.h"
#include "search/candidates.h"

/* Room for any schedule's text. */
enum { RLT_SCHEDULE_TEXT_SIZE = 4 << 10 };

void rlt_schedule_add_text(const rlt_schedule *schedule, rlt_text *text);

/* The candidate that this text describes, with fields in any order and any spaces between them, or
 * with work-groups of fewer than the candidate's work-items: `*group_size` of them; that may be
 * NULL. What is hardly ever the best is offered where nothing else is alike: there may be more
 * candidates then. RELAYOUT_INVALID_TEXT for what is no schedule, RELAYOUT_UNSUPPORTED for what is
 * not offered. */
relayout_status rlt_candidates_find(rlt_candidates *candidates, const char *schedule, size_t length,
                                    int32_t *found, int64_t *group_size, relayout_error *error);

#endif
