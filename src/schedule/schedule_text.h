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
 *     kernel         `specialized` where it is compiled for this problem alone; else not printed
 *
 * Depends on schedule.h, metadata/ and base/.
 */
#ifndef RLT_SCHEDULE_SCHEDULE_TEXT_H
#define RLT_SCHEDULE_SCHEDULE_TEXT_H

#include "base/text.h"
#include "metadata/fields.h"
#include "schedule/schedule.h"

/* X(KEY, text): in the order in which they are printed. */
#define RLT_SCHEDULE_FIELDS(X)                                                                     \
  X(WORD, "word")                                                                                  \
  X(ALIGN, "align")                                                                                \
  X(ROWS, "rows")                                                                                  \
  X(COLUMNS, "columns")                                                                            \
  X(LOOPS, "loops")                                                                                \
  X(MOVE, "move")                                                                                  \
  X(STORE, "store")                                                                                \
  X(PREFETCH, "prefetch")                                                                          \
  X(THREADS, "threads")                                                                            \
  X(GROUP, "group")                                                                                \
  X(GRAIN, "grain")                                                                                \
  X(KERNEL, "kernel")

typedef enum rlt_schedule_field {
#define RLT_FIELD_ENUMERATOR(name, text) RLT_FIELD_##name,
  RLT_SCHEDULE_FIELDS(RLT_FIELD_ENUMERATOR)
#undef RLT_FIELD_ENUMERATOR
      RLT_FIELDS
} rlt_schedule_field;

/* Room for any schedule's text. */
enum { RLT_SCHEDULE_TEXT_SIZE = 4 << 10 };

void rlt_schedule_add_text(const rlt_schedule *schedule, rlt_text *text);

/* A text's fields, in any order and with any spaces between them. */
typedef struct rlt_schedule_fields {
  const struct rlt_method *method;
  rlt_word of[RLT_FIELDS]; /* of no length if the field is not there */
} rlt_schedule_fields;

/* RELAYOUT_INVALID_TEXT if it is not a schedule's text. */
relayout_status rlt_schedule_read_fields(const char *text, size_t length, rlt_schedule_fields *read,
                                         relayout_error *error);

/* The number that a field has; 1 if it is not there, 0 if it is not a number. */
int64_t rlt_schedule_field_number(rlt_word of);

/* Whether a schedule has this field, or its lack, as it is wanted. A work-group of fewer work-items
 * than the schedule's counts as the same. */
bool rlt_schedule_has_field(const rlt_schedule *schedule, rlt_schedule_field number,
                            rlt_word wanted);

/* Whether a text's kernel is compiled for one problem. */
bool rlt_schedule_field_specializes(rlt_word of);

/* RELAYOUT_UNSUPPORTED: says what is wanted, and what the nearest schedule has. */
relayout_status rlt_schedule_fail_field(const rlt_schedule *nearest, rlt_schedule_field number,
                                        rlt_word wanted, relayout_error *error);

#endif
