/* tuning.h: what was measured on one kind of machine: how much of what is worth
 * it, and what it takes.
 *
 * A row holds for all devices of its kind. Facts say what a device is able to do; nothing here
 * decides whether a schedule is right.
 *
 * Depends on facts.h.
 */
#ifndef RLT_PLAN_TUNING_H
#define RLT_PLAN_TUNING_H

#include "plan/facts.h"

/* How far a tile goes on either side. */
typedef struct rlt_runs {
  int64_t read_bytes;
  int64_t write_bytes;
} rlt_runs;

/* What a device takes for what plain copies need not do, in units of copying one line; cost.h says
 * what is counted. */
typedef struct rlt_rates {
  double line_again;      /* one that another run has read, or will */
  double line_in_parts;   /* reading a line, merging a part of it, writing it */
  double run;             /* prefetching begins anew */
  double straight_run;    /* on top, for one that is copied while nothing else is under way */
  double transposed_line; /* of a block that is transposed in registers */
  double line;            /* put in its place in a staging buffer */
  double element;         /* moved by itself, at its index or by tables */
  double tile;            /* finding where it lies */
  double page;            /* opening one */
} rlt_rates;

enum { RLT_OTHER_RUNS = 4 };

/* Of words of one size. */
typedef struct rlt_word_tuning {
  rlt_runs runs;        /* of staged tiles, where runs of the destination begin with lines, */
  rlt_runs far_runs;    /* and these are long, and come from rows that lie far apart; */
  rlt_runs apart_runs;  /* where they begin anywhere in lines; */
  rlt_runs cached_runs; /* all of these where the cache holds the destination; or zeros */
  rlt_rates rates;
} rlt_word_tuning;

typedef struct rlt_tuning {
  const char *kind;   /* of machine */
  const char *date;   /* when, and by which suites, */
  const char *suites; /* it was found; "none": by counting, on no machine */

  int64_t straight_columns_bytes; /* the longest run that one tile copies or fills */
  int64_t straight_tile_bytes;    /* rows are added to short runs up to this */
  int64_t straight_run_bytes;     /* shorter runs are staged */
  int64_t tile_bytes;             /* of a tile in local memory */

  /* Tiles in private memory. */
  int64_t least_tile_bytes;
  int64_t together_bytes; /* the least where both sides go on with the same axis; or 0 */
  rlt_runs joined_runs;   /* tiles that read so far at once write so far; or zeros */
  rlt_runs other_runs[RLT_OTHER_RUNS]; /* that are offered beside the word size's own */

  int64_t near_bytes;    /* blocks of tiles go so far along each side's pages */
  int64_t block_bytes;   /* and blocks of long runs take so much */
  int64_t thread_bytes;  /* what makes it worth to wake a thread, */
  int32_t thread_blocks; /* and how many blocks each takes at least */
  int64_t item_bytes;    /* what makes it worth to start a work-item that moves tiles by itself */

  rlt_word_tuning words[RLT_WORD_SIZES];
} rlt_tuning;

/* The row for a device of these facts. Static storage. */
const rlt_tuning *rlt_tuning_of(const rlt_facts *facts);

#endif
