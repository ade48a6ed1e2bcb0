/* remap.c: grids of processes as shardings, and the reshards between them, which are kept.
 *
 * The processes of a context first tell each other what each knows of the two matrices, by one sum.
 * All then know the same, so that each decides alone, and all alike, what to do. */
#include "scalapack/remap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalapack/blacs.h"

enum {
  MOST_DEVICES = 1024, /* that a sharding can list */
  KEPT = 8,            /* reshards of a group */
  LEAST_BYTES = 256 * 1024
};

/* ---- What processes tell each other --------------------------------------------------------- */

/* A process's place in a matrix's grid. All are 0 where it has none. */
typedef struct seat {
  int is_there;
  int grid_rows, grid_columns, grid_row, grid_column;
  int rows, columns, row_block, column_block, first_row, first_column, leading;
} seat;

/* What is the same on all processes is told by each, so that whoever is told knows the whole call.
 * Of ints alone, which are summed up. */
typedef struct told {
  int rank; /* in the communicator that the BLACS began with */
  int cannot;
  int type, transposes, rows, columns;
  int from_row, from_column, to_row, to_column; /* as the part of `to` has them */
  seat from, to;
} told;

enum { TOLD_INTS = sizeof(told) / sizeof(int) };

/* False for matrices that are no block-cyclic ones, or whose first block is smaller than others. */
static bool take_seat(const int *descriptor, seat *made) {
  int rows, columns, row, column;
  *made = (seat){.is_there = 0};
  Cblacs_gridinfo(descriptor[DESCRIPTOR_CONTEXT], &rows, &columns, &row, &column);
  if (row < 0 || column < 0) {
    return true;
  }
  const int type = descriptor[DESCRIPTOR_TYPE];
  const int *const sizes = descriptor + DESCRIPTOR_SIZES;
  const int *const first = descriptor + DESCRIPTOR_BLOCKS;
  const int *const blocks = type == FIRST_BLOCKS ? first + 2 : first;
  *made = (seat){.is_there = 1,
                 .grid_rows = rows,
                 .grid_columns = columns,
                 .grid_row = row,
                 .grid_column = column,
                 .rows = sizes[0],
                 .columns = sizes[1],
                 .row_block = blocks[0],
                 .column_block = blocks[1],
                 .first_row = blocks[2],
                 .first_column = blocks[3],
                 .leading = blocks[4]};
  return type == BLOCK_CYCLIC ||
         (type == FIRST_BLOCKS && first[0] == blocks[0] && first[1] == blocks[1]);
}

/* ---- Shardings ------------------------------------------------------------------------------ */

/* One side of a reshard, as all processes know it. */
typedef struct sharded {
  relayout_shape shape;
  relayout_sharding sharding;
  int64_t start[2];
} sharded;

static const seat *seat_of(const told *of, bool is_from) {
  return is_from ? &of->from : &of->to;
}

/* A process that is in the grid; NULL: there is none. */
static const seat *find_any(int count, const told *all, bool is_from) {
  for (int i = 0; i < count; i++) {
    if (seat_of(&all[i], is_from)->is_there) {
      return seat_of(&all[i], is_from);
    }
  }
  return NULL;
}

/* The number of the process at a place of the grid; -1: there is none. */
static int find_process(int count, const told *all, bool is_from, int row, int column) {
  for (int i = 0; i < count; i++) {
    const seat *const of = seat_of(&all[i], is_from);
    if (of->is_there && of->grid_row == row && of->grid_column == column) {
      return i;
    }
  }
  return -1;
}

/* The grid's processes, in the order of the blocks that they have; `turned` with columns first. */
static bool list_devices(int count, const told *all, bool is_from, bool turned, const seat *any,
                         relayout_sharding *made) {
  const int rows = any->grid_rows, columns = any->grid_columns;
  bool is_whole = rows > 0 && columns > 0 && rows <= MOST_DEVICES / columns;
  for (int i = 0; i < rows && is_whole; i++) {
    for (int j = 0; j < columns && is_whole; j++) {
      const int process = find_process(count, all, is_from, (any->first_row + i) % rows,
                                       (any->first_column + j) % columns);
      made->order.list[turned ? j * rows + i : i * columns + j] = process;
      is_whole = process >= 0;
    }
  }
  return is_whole;
}

/* A matrix lies column by column; its transpose, row by row. */
static bool make_side(int count, const told *all, bool is_from, bool turned, sharded *made) {
  static const int32_t by_columns[] = {0, 1}, by_rows[] = {1, 0};
  const seat *const any = find_any(count, all, is_from);
  if (any == NULL || any->row_block <= 0 || any->column_block <= 0 || any->first_row < 0 ||
      any->first_column < 0) {
    return false;
  }
  const int64_t dimensions[] = {any->rows, any->columns};
  const int64_t grid[] = {any->grid_rows, any->grid_columns};
  const int64_t blocks[] = {any->row_block, any->column_block};
  const int64_t start[] = {(is_from ? all->from_row : all->to_row) - 1,
                           (is_from ? all->from_column : all->to_column) - 1};
  *made = (sharded){.sharding = {.kind = RELAYOUT_SHARDING_TILED, .rank = 2, .block_count = 2}};
  int64_t sizes[2];
  for (int d = 0; d < 2; d++) {
    const int of = turned ? 1 - d : d;
    sizes[d] = dimensions[of];
    made->sharding.shards[d] = grid[of];
    made->sharding.blocks[d] = blocks[of];
    made->start[d] = start[d];
  }
  relayout_layout layout;
  return list_devices(count, all, is_from, turned, any, &made->sharding) &&
         relayout_layout_make(2, turned ? by_rows : by_columns, &layout, NULL) == RELAYOUT_OK &&
         relayout_shape_make_with_layout((relayout_element_type)all->type, 2, sizes, &layout,
                                         &made->shape, NULL) == RELAYOUT_OK;
}

/* This process's part of a side, with its leading dimension. */
static bool make_view(const sharded *side, const seat *own, int number, bool turned,
                      relayout_view *made) {
  relayout_shape local;
  if (relayout_sharding_local_shape(&side->sharding, &side->shape, number, &local, NULL) !=
      RELAYOUT_OK) {
    return false;
  }
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(side->shape.element_type);
  *made = (relayout_view){.is_strided = true};
  made->byte_strides[turned ? 1 : 0] = bytes;
  made->byte_strides[turned ? 0 : 1] = own->leading * bytes;
  return relayout_shape_make(side->shape.element_type, 2, local.dimensions, &made->shape, NULL) ==
         RELAYOUT_OK;
}

/* ---- Groups --------------------------------------------------------------------------------- */

/* A reshard, and the call that it is for. */
typedef struct kept {
  told *call;                    /* of each process; NULL: there is none */
  relayout_mpi_reshard *reshard; /* NULL: it cannot be one */
} kept;

/* Processes that have called together, which are the ranks of a communicator of their own. All of
 * them have kept the same, as they have made the same calls. */
typedef struct group {
  struct group *next;
  MPI_Comm comm;
  int count;
  int *ranks; /* in the owner's communicator */
  kept kept[KEPT];
  int oldest;
} group;

/* A communicator that a context of the BLACS began with. */
typedef struct owner {
  struct owner *next;
  MPI_Comm comm;
  group *groups;
} owner;

static owner *owners;
static int owner_key = MPI_KEYVAL_INVALID; /* of its communicator, which may be freed */
static int end_key = MPI_KEYVAL_INVALID;   /* of MPI_COMM_SELF, which MPI_Finalize frees first */
static relayout_device *device;

static void end_program(MPI_Comm comm, const char *message) {
  fprintf(stderr, "relayout-scalapack: %s\n", message);
  MPI_Abort(comm, 1);
  abort();
}

static void *take_memory(MPI_Comm comm, size_t bytes) {
  void *const made = calloc(1, bytes);
  if (made == NULL) {
    end_program(comm, "no memory for a reshard between grids");
  }
  return made;
}

static void forget(kept *of) {
  relayout_mpi_reshard_destroy(of->reshard);
  free(of->call);
  *of = (kept){.call = NULL};
}

static void free_group(group *of) {
  for (int i = 0; i < KEPT; i++) {
    forget(&of->kept[i]);
  }
  MPI_Comm_free(&of->comm);
  free(of->ranks);
  free(of);
}

static int free_owner(MPI_Comm comm, int key, void *value, void *extra) {
  owner *const of = value;
  owner **at = &owners;
  (void)comm;
  (void)key;
  (void)extra;
  while (*at != of) {
    at = &(*at)->next;
  }
  *at = of->next;
  for (group *each = of->groups, *next; each != NULL; each = next) {
    next = each->next;
    free_group(each);
  }
  free(of);
  return MPI_SUCCESS;
}

static int free_all(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  while (owners != NULL) {
    MPI_Comm_delete_attr(owners->comm, owner_key);
  }
  relayout_device_destroy(device);
  device = NULL;
  return MPI_SUCCESS;
}

static owner *find_owner(MPI_Comm comm) {
  owner *found = NULL;
  int is_there = 0;
  if (owner_key == MPI_KEYVAL_INVALID) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_owner, &owner_key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &end_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
  }
  MPI_Comm_get_attr(comm, owner_key, &found, &is_there);
  if (!is_there) {
    found = take_memory(comm, sizeof *found);
    *found = (owner){.next = owners, .comm = comm};
    owners = found;
    MPI_Comm_set_attr(comm, owner_key, found);
  }
  return found;
}

static bool has_ranks(const group *of, int count, const told *all) {
  bool has = of->count == count;
  for (int i = 0; i < count && has; i++) {
    has = of->ranks[i] == all[i].rank;
  }
  return has;
}

static group *make_group(MPI_Comm comm, int count, const told *all) {
  enum { TAG = 7 };
  MPI_Group whole, part;
  group *const made = take_memory(comm, sizeof *made);
  made->count = count;
  made->ranks = take_memory(comm, (size_t)count * sizeof *made->ranks);
  for (int i = 0; i < count; i++) {
    made->ranks[i] = all[i].rank;
  }
  MPI_Comm_group(comm, &whole);
  MPI_Group_incl(whole, count, made->ranks, &part);
  MPI_Comm_create_group(comm, part, TAG, &made->comm);
  MPI_Group_free(&part);
  MPI_Group_free(&whole);
  return made;
}

/* The group in which process i of those that call is rank i. */
static group *find_group(MPI_Comm comm, int count, const told *all) {
  owner *const of = find_owner(comm);
  group *found = of->groups;
  while (found != NULL && !has_ranks(found, count, all)) {
    found = found->next;
  }
  if (found == NULL) {
    found = make_group(comm, count, all);
    found->next = of->groups;
    of->groups = found;
  }
  return found;
}

/* ---- Reshards ------------------------------------------------------------------------------- */

static relayout_device *find_device(void) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1; /* there is a rank for each processor */
  if (device == NULL) {
    relayout_cpu_device_create(&options, &device, NULL);
  }
  return device;
}

/* NULL if none can be made, on all ranks. */
static relayout_mpi_reshard *make_reshard(MPI_Comm comm, int number, int count, const told *all) {
  relayout_exchange_options exchange = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  relayout_mpi_reshard_options options = RELAYOUT_MPI_RESHARD_OPTIONS_INIT;
  relayout_mpi_reshard *made = NULL;
  relayout_view from_view, to_view;
  sharded from, to;
  const told *const own = &all[number];
  const bool turned = own->transposes != 0;
  if (!make_side(count, all, true, turned, &from) || !make_side(count, all, false, false, &to)) {
    return NULL;
  }
  const int64_t sizes[] = {own->rows, own->columns};
  exchange.from_start = from.start;
  exchange.to_start = to.start;
  exchange.sizes = sizes;
  if (own->from.is_there && make_view(&from, &own->from, number, turned, &from_view)) {
    exchange.from_shard = &from_view;
  }
  if (own->to.is_there && make_view(&to, &own->to, number, false, &to_view)) {
    exchange.to_shard = &to_view;
  }
  options.exchange = &exchange;
  relayout_mpi_reshard_create(comm, find_device(), &from.shape, &from.sharding, &to.shape,
                              &to.sharding, &options, &made, NULL);
  return made;
}

static relayout_mpi_reshard *find_reshard(group *of, int number, const told *all) {
  const size_t bytes = (size_t)of->count * sizeof *all;
  for (int i = 0; i < KEPT; i++) {
    if (of->kept[i].call != NULL && memcmp(of->kept[i].call, all, bytes) == 0) {
      return of->kept[i].reshard;
    }
  }
  kept *const replaced = &of->kept[of->oldest];
  of->oldest = (of->oldest + 1) % KEPT;
  forget(replaced);
  replaced->call = take_memory(of->comm, bytes);
  memcpy(replaced->call, all, bytes);
  replaced->reshard = make_reshard(of->comm, number, of->count, all);
  return replaced->reshard;
}

/* ---- A call --------------------------------------------------------------------------------- */

static bool cannot_any(int count, const told *all) {
  bool cannot = false;
  for (int i = 0; i < count; i++) {
    cannot = cannot || all[i].cannot != 0;
  }
  return cannot;
}

static void run(MPI_Comm comm, relayout_mpi_reshard *reshard, const void *source,
                void *destination) {
  relayout_error error;
  if (relayout_mpi_reshard_start(reshard, source, destination, &error) != RELAYOUT_OK ||
      relayout_mpi_reshard_wait(reshard, &error) != RELAYOUT_OK) {
    end_program(comm, error.message);
  }
}

/* Fewer bytes are left to ScaLAPACK: telling each other takes longer. */
static int64_t least_bytes(void) {
  static int64_t least = -1;
  if (least < 0) {
    const char *const asked = secure_getenv("RELAYOUT_SCALAPACK_LEAST_BYTES");
    char *end = NULL;
    const long long number = asked != NULL ? strtoll(asked, &end, 10) : -1;
    least = number >= 0 && end != asked && *end == '\0' ? number : LEAST_BYTES;
  }
  return least;
}

bool remap(relayout_element_type type, bool transposes, int rows, int columns, remap_side from,
           const void *source, remap_side to, void *destination, int context) {
  const int64_t bytes = (int64_t)rows * columns * (int64_t)relayout_element_type_byte_size(type);
  int grid_rows, grid_columns, row, column, system, rank;
  if (rows <= 0 || columns <= 0 || bytes < least_bytes()) {
    return false;
  }
  Cblacs_gridinfo(context, &grid_rows, &grid_columns, &row, &column);
  if (row < 0 || column < 0) {
    return false; /* nobody waits for it */
  }
  Cblacs_get(context, BLACS_SYSTEM_OF_CONTEXT, &system);
  const MPI_Comm comm = Cblacs2sys_handle(system);
  MPI_Comm_rank(comm, &rank);
  const int count = grid_rows * grid_columns, number = row * grid_columns + column;
  told *const all = take_memory(comm, (size_t)count * sizeof *all);
  told *const own = &all[number];
  *own = (told){.rank = rank,
                .type = (int)type,
                .transposes = transposes,
                .rows = rows,
                .columns = columns,
                .from_row = transposes ? from.column : from.row,
                .from_column = transposes ? from.row : from.column,
                .to_row = to.row,
                .to_column = to.column};
  const bool is_from = take_seat(from.descriptor, &own->from);
  const bool is_to = take_seat(to.descriptor, &own->to);
  const bool is_in_place = own->from.is_there && own->to.is_there && source == destination;
  own->cannot = !is_from || !is_to || is_in_place;
  Cigsum2d(context, "All", " ", count * TOLD_INTS, 1, (int *)all, count * TOLD_INTS, -1, -1);
  group *const of = cannot_any(count, all) ? NULL : find_group(comm, count, all);
  relayout_mpi_reshard *const reshard = of != NULL ? find_reshard(of, number, all) : NULL;
  free(all);
  if (reshard != NULL) {
    run(of->comm, reshard, source, destination);
  }
  return reshard != NULL;
}
