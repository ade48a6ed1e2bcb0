/* executable.h: what the CPU runs for one schedule, and how.
 *
 * Depends on device.h, kernels.h, planning.h, rows.h, walk.h and plan/.
 */
#ifndef RLT_CPU_PROGRAM_H
#define RLT_CPU_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cpu/device.h"
#include "cpu/kernels.h"
#include "cpu/planning.h"
#include "cpu/rows.h"
#include "cpu/unpacked_tile.h"
#include "cpu/walk.h"
#include "schedule/grid.h"
#include "schedule/schedule.h"

typedef struct rlt_cpu_call rlt_cpu_call;

/* Bytes that lie together on both sides, from so many behind their starts. */
typedef struct rlt_cpu_copy {
  int64_t source;
  int64_t destination;
  int64_t bytes;
} rlt_cpu_copy;

/* Constant once it is made; all that changes during a call lives on that call's stack and in
 * scratch. */
typedef struct rlt_cpu_executable {
  const rlt_schedule *schedule;
  const rlt_problem *problem; /* the schedule's */
  int64_t source_bits;        /* of its elements */
  int64_t destination_bits;
  int64_t source_bytes; /* of the whole source */
  const rlt_cpu_line_kernels *lines;
  const rlt_cpu_kernels *kernels;
  rlt_cpu_shuffle_kernel *shuffle;
  bool is_buffered; /* tiles are put together first, instead of moved by this */
  rlt_cpu_move *move;
  rlt_grid *grid;
  rlt_tile only_tile; /* where the grid has one tile */
  rlt_cpu_copy copy;  /* all there is to do, where it has any bytes */
  rlt_cpu_frame frame;
  rlt_cpu_table_kernel *fill_tile; /* by tables: in its buffer, or where it goes */
  rlt_cpu_codec *codec;            /* NULL where elements stay as they are */
  bool encodes;                    /* words become other elements, or packed ones */
  bool streams_encoded;            /* buffered ones become other elements line by line */
  bool merges;                     /* buffered ones leave for bytes that other tiles write too */
  int64_t last_source;             /* rlt_cpu_last_source of whole tiles */
  rlt_order order;
  rlt_combined_loops combined_loops; /* the order's loops that lines are combined along */

  /* Where the runs that a tile reads are brought together first, or bits transposed among them. */
  bool unpacks;
  bool narrows;       /* they become the destination's elements then */
  int64_t strip_rows; /* how many rows of a tile leave at a time; 0: all */
  rlt_unpacking unpacking;
  rlt_tile_run *runs;
  rlt_cpu_bit_transpose *transpose; /* NULL where they are loaded or unpacked */
} rlt_cpu_executable;

/* One call: its workers take blocks in turn until none is left. */
struct rlt_cpu_call {
  const rlt_cpu_executable *made;
  const uint8_t *source;
  uint8_t *destination;
  rlt_cpu_kept_scratch *kept_scratch;
  rlt_cpu_scratch *own; /* the first worker's; NULL where tiles are not put together */
  _Atomic int64_t next; /* the first block that nobody has taken */
};

/* A worker's way through its blocks. */
typedef struct rlt_cpu_iterator {
  rlt_cpu_call *call;
  int64_t block; /* to go on with after this one */
  rlt_walk walk;
} rlt_cpu_iterator;

/* To the next tile; false if none is left. */
bool rlt_cpu_iterator_step(rlt_cpu_iterator *at);

/* The last position of the source where a tile of these columns and rows may start: a tile that
 * starts there, or before, has a line behind all that it reads. */
int64_t rlt_cpu_last_source(const rlt_cpu_executable *made, const rlt_group *columns,
                            const rlt_group *rows);

/* Where a tile lies in a call's memory. */
rlt_cpu_tile rlt_cpu_place_tile(const rlt_cpu_call *call, const rlt_tile *tile);

/* True if columns are contiguous on both sides. */
static inline bool rlt_cpu_is_dense(const rlt_cpu_executable *made) {
  return made->frame.source_column == made->problem->element_bytes &&
         made->frame.destination_column == made->problem->element_bytes;
}

/* Runs of bytes that are as they were, side by side on both sides. */
void rlt_cpu_move_straight(const rlt_cpu_call *call, const rlt_tile *tile);

/* The movers of rows of moves (planning.h). */
rlt_cpu_move *rlt_cpu_fill_mover(const rlt_cpu_executable *made);
rlt_cpu_move *rlt_cpu_copy_mover(const rlt_cpu_executable *made);
rlt_cpu_move *rlt_cpu_table_mover(const rlt_cpu_executable *made);
rlt_cpu_move *rlt_cpu_index_mover(const rlt_cpu_executable *made);

/* A row of columns, element by element, for what no kernel does. With an index program the columns
 * are positions of the destination, and where a packed one's last byte is used in part, its other
 * bits become 0. */
void rlt_cpu_look_up(const rlt_cpu_call *call, const rlt_tile *tile);

/* Moves all tiles of a tour, or the only one of a call, by putting them together here first. */
void rlt_cpu_run_buffered(rlt_cpu_iterator *at, rlt_cpu_scratch *here);
void rlt_cpu_move_buffered(const rlt_cpu_call *call, const rlt_tile *tile, rlt_cpu_scratch *here);

/* Puts what a tile reads beside each other, as it is, a byte an element, as bytes that the
 * destination has too or as its narrower elements, RLT_AROUND_RUN behind the start of `unpacked`:
 * to the kernels that is the source. While elements become narrower a tile that starts at `next` in
 * the source is fetched; NULL: none is. */
void rlt_cpu_unpack(const rlt_cpu_call *call, const rlt_tile *tile, const uint8_t *next,
                    uint8_t *unpacked);

/* From bit 0 of `bits` to packed elements position .. position+count-1 of the destination, which
 * may begin and end within a byte whose other bits are written by others, perhaps at the same time:
 * atomically. The spare bits of the last byte become 0 with its last element. One byte more than
 * the last one wanted may be read. */
void rlt_cpu_merge_elements(const rlt_problem *problem, const uint8_t *bits, uint8_t *destination,
                            int64_t position, int64_t count);

/* So a tile's segments, each from bit 0 of where it has been encoded, while a tile that starts at
 * `next` in the source is fetched; NULL: none is. Lines leave whole and past the cache where
 * `partial` says that tiles go on with each other's segments. `lines`, which begin with one, are
 * RLT_CPU_UNPACKED_BYTES to put them together in. */
void rlt_cpu_merge_segments(const rlt_cpu_executable *made, const rlt_cpu_tile *tile,
                            const uint8_t *encoded, rlt_cpu_partial_lines *partial,
                            const uint8_t *next, uint8_t *lines);

/* The first fills in what unpacking needs; the second the frame's tables, for the problem as it
 * arrives there: unpacked, if it is. RELAYOUT_OUT_OF_MEMORY. rlt_cpu_tables_free frees what is
 * made, also after a failure. */
relayout_status rlt_cpu_unpacking_make(const rlt_cpu_instruction_set *set,
                                       const rlt_unpacked_tile *unpacked, rlt_cpu_executable *made,
                                       relayout_error *error);
relayout_status rlt_cpu_tables_make(const rlt_problem *arrived, rlt_cpu_executable *made,
                                    relayout_error *error);
void rlt_cpu_tables_free(rlt_cpu_executable *made);
/* The memory that both take. */
size_t rlt_cpu_tables_bytes(const rlt_cpu_executable *made);

/* Moves one part. RELAYOUT_OUT_OF_MEMORY, with nothing written. */
relayout_status rlt_cpu_executable_run(relayout_device *device, const void *executable,
                                       const void *source, void *destination,
                                       relayout_error *error);

/* The rlt_backend functions of these names. */
relayout_status rlt_cpu_executable_create(relayout_device *device, const rlt_schedule *schedule,
                                          void **executable, int64_t *most_group_size,
                                          relayout_error *error);
void rlt_cpu_executable_destroy(relayout_device *device, void *executable);
size_t rlt_cpu_executable_host_bytes(const void *executable);
relayout_status rlt_cpu_execute(const relayout_plan *plan, const void *source, void *destination,
                                relayout_error *error);
relayout_status rlt_cpu_scratch_create(relayout_device *device, size_t source_size,
                                       size_t destination_size, void **scratch,
                                       relayout_error *error);
void rlt_cpu_scratch_destroy(relayout_device *device, void *scratch);
relayout_status rlt_cpu_executable_time(relayout_device *device, const void *executable,
                                        void *scratch, rlt_offsets offsets, double *seconds,
                                        relayout_error *error);
void rlt_cpu_executable_describe(const relayout_device *device, const void *executable,
                                 rlt_text *text);

/* Calls task(data, i) for each i in 0 .. count-1, count <= threads, and returns when all have
 * returned: on the device's threads, or by the caller's pool. */
void rlt_cpu_run_tasks(const rlt_cpu_device *device, int32_t count,
                       void (*task)(void *data, size_t i), void *data);

/* The rlt_backend functions of these names; converters are codecs. */
relayout_status rlt_cpu_converter_create(const relayout_device *device, int64_t element_bytes,
                                         const rlt_conversion *conversion, void **converter,
                                         relayout_error *error);
void rlt_cpu_converter_destroy(void *converter);
relayout_status rlt_cpu_execute_many(const relayout_plan *plan, const relayout_source_memory *from,
                                     const relayout_destination_memory *to, relayout_error *error);
relayout_status rlt_cpu_many_scratch_create(const struct rlt_many *many, void **scratch,
                                            relayout_error *error);
void rlt_cpu_many_scratch_destroy(relayout_device *device, void *scratch);
relayout_status rlt_cpu_many_time(const relayout_plan *plan, void *scratch, double *seconds,
                                  relayout_error *error);

#endif
