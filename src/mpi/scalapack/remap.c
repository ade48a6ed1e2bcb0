/* remap.c: reshards between grids of processes, which are kept.
 *
 * The processes of a context first tell each other what each knows of the two matrices, by one sum.
 * All then know the same, so that each decides alone, and all alike, what to do. */
#include "scalapack/remap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalapack/blacs.h"
#include "scalapack/grids.h"

enum {
  KEPT = 8, /* reshards of a group */
  LEAST_BYTES = 256 * 1024
};

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
  if (!grid_make_side(count, all, true, turned, &from) ||
      !grid_make_side(count, all, false, false, &to)) {
    return NULL;
  }
  const int64_t sizes[] = {own->rows, own->columns};
  exchange.from_start = from.start;
  exchange.to_start = to.start;
  exchange.sizes = sizes;
  if (own->from.is_there && grid_make_view(&from, &own->from, number, turned, &from_view)) {
    exchange.from_shard = &from_view;
  }
  if (own->to.is_there && grid_make_view(&to, &own->to, number, false, &to_view)) {
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
    return false; /* the grid's processes do not expect this one to take part */
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
  const bool is_from = grid_take_seat(from.descriptor, &own->from);
  const bool is_to = grid_take_seat(to.descriptor, &own->to);
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
