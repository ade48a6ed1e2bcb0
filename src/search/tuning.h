/* tuning.h: what was measured on one kind of machine: how much of what is worth
 * it, and what it takes.
 *
 * A row holds for all devices of its kind. Facts say what a device is able to do; nothing here
 * decides whether a schedule is right.
 *
 * Depends on facts.h and blocking.h.
 */
#ifndef RLT_SEARCH_TUNING_H
#define RLT_SEARCH_TUNING_H

#include "schedule/blocking.h"
#include "schedule/facts.h"

/* All that are worth trying: runs by number, of a tile or of one that joins or parts
 * channels, while there are any; */
bool rlt_run_reach(bool has_channels, int32_t number, rlt_reach *runs);
/* and how far blocks go, and what is fetched. */
enum { RLT_BLOCK_REACHES = 6, RLT_PREFETCHES = 6 };
extern const rlt_reach rlt_block_reaches[RLT_BLOCK_REACHES];
extern const rlt_prefetch rlt_prefetches[RLT_PREFETCHES];

/* X(NAME, text): problems whose tiles are alike; the first counts that holds and for
 * which there is a blocking. */
#define RLT_TILES_TABLE(X)                                                                         \
  X(CHANNELS, "channels") /* a few short runs side by side, joined or parted */                    \
  X(CACHED, "cached")     /* the cache holds the destination */                                    \
  X(APART, "apart")       /* runs of the destination begin anywhere in lines */                    \
  X(CROWDED, "crowded")   /* large matrices whose rows meet in few sets of the nearest cache */    \
  X(FAR, "far")           /* other large matrices: both sides run as far as a page */              \
  X(ANY, "any")           /* all others */

typedef enum rlt_tiles {
#define RLT_TILES_ENUMERATOR(name, text) RLT_TILES_##name,
  RLT_TILES_TABLE(RLT_TILES_ENUMERATOR)
#undef RLT_TILES_ENUMERATOR
      RLT_TILES
} rlt_tiles;

/* "cached", ...; static storage. */
const char *rlt_tiles_name(rlt_tiles tiles);

/* X(NAME, text): what a device takes for what plain copies need not do, in units of copying one
 * line; cost.h says what is counted. */
#define RLT_RATE_TABLE(X)                                                                          \
  X(LINE_AGAIN, "line_again")       /* one that another run has read, or will */                   \
  X(LINE_IN_PARTS, "line_in_parts") /* reading a line, merging a part of it, writing it */         \
  X(RUN, "run")                     /* prefetching begins anew */                                  \
  X(STRAIGHT_RUN, "straight_run")   /* on top, for one copied while nothing else is under way */   \
  X(TRANSPOSED_LINE, "transposed_line")   /* of a block that is transposed in registers */         \
  X(LINE, "line")                         /* put in its place in a tile buffer */                  \
  X(ELEMENT, "element")                   /* moved by itself, at its index or by tables */         \
  X(TILE, "tile")                         /* finding where it lies */                              \
  X(PAGE, "page")                         /* opening one */                                        \
  X(REWORKED_ELEMENT, "reworked_element") /* changed, or put together of two units, in groups */

typedef enum rlt_rate {
  RLT_RATE_NONE, /* what costs nothing */
#define RLT_RATE_ENUMERATOR(name, text) RLT_RATE_##name,
  RLT_RATE_TABLE(RLT_RATE_ENUMERATOR)
#undef RLT_RATE_ENUMERATOR
      RLT_RATES
} rlt_rate;

/* "line_again", ...; NULL for NONE; static storage. */
const char *rlt_rate_name(rlt_rate rate);

typedef struct rlt_rates {
  double of[RLT_RATES]; /* of[RLT_RATE_NONE] is 0 */
} rlt_rates;

enum { RLT_OTHER_RUNS = 4 };

/* Of words of one size. */
typedef struct rlt_word_tuning {
  rlt_tile_blocking tiles[RLT_TILES];
  rlt_rates rates;
} rlt_word_tuning;

enum { RLT_KIND_SIZE = 192, RLT_DATE_SIZE = 16, RLT_SUITES_SIZE = 64 };

typedef struct rlt_tuning {
  char kind[RLT_KIND_SIZE];     /* of machine */
  char date[RLT_DATE_SIZE];     /* when, and by which suites, */
  char suites[RLT_SUITES_SIZE]; /* it was found; "none": by counting, on no machine */

  int64_t straight_columns_bytes; /* the longest run that one tile copies or fills */
  int64_t straight_tile_bytes;    /* rows are added to short runs up to this */
  int64_t straight_run_bytes;     /* shorter runs are buffered */
  int64_t tile_bytes;             /* of a tile in local memory */

  /* Tiles in private memory. */
  int64_t least_tile_bytes;
  int64_t most_tile_bytes; /* unless their asked runs take more; 0: half of the nearest cache */
  int64_t together_bytes;  /* the least where both sides go on with the same axis; or 0 */
  rlt_reach joined_runs;   /* tiles that read so far at once write so far; or zeros */
  rlt_reach other_runs[RLT_OTHER_RUNS]; /* that are offered beside the word size's own */

  int64_t block_bytes;   /* blocks of long runs take so much */
  int64_t thread_bytes;  /* what makes it worth to wake a thread, if there are any, */
  int32_t thread_blocks; /* and how many blocks each takes at least */

  rlt_word_tuning words[RLT_WORD_SIZES];
} rlt_tuning;

/* The row that was found on the kind of machine that is nearest to these facts, among those for
 * devices that work in the same way. Static storage. */
const rlt_tuning *rlt_tuning_of(const rlt_facts *facts);

/* True if that kind of machine has the same caches and vectors, and as many ways of the second
 * cache; false if it is only similar. */
bool rlt_tuning_is_of(const rlt_facts *facts);

/* The rows for devices that work in the same way as this one, one after another; NULL behind the
 * last. */
const rlt_tuning *rlt_tuning_for(const rlt_facts *facts, int number);

/* The rows that the library has by itself, one after another; NULL behind the last. */
const rlt_tuning *rlt_tuning_shipped(int number);

#endif
