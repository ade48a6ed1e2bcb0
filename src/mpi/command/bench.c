/* bench.c: a reshard beside bare messages, of as many bytes, and a plain copy of what stays; and
 * beside MPI_Alltoallw with derived types where those can say it. Ways take turns; a round's time
 * is that of the slowest rank. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"

enum { MOST_ROUNDS = 101, PAIR_BYTES = 1 << 30 };

typedef enum way { RESHARD, BARE, ALLTOALLW, WAYS } way;

typedef struct bench {
  const command_scene *scene;
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
  relayout_view source_view, destination_view; /* of this rank's shards */
  size_t source_bytes, destination_bytes;
  uint8_t *source, *destination;
  relayout_mpi_reshard *reshard;
  const relayout_exchange *exchange;
  relayout_exchange *pairs; /* with one message for each pair of ranks */
  uint8_t *bare[2];         /* what is sent, and received */
  uint64_t kept;            /* bytes that stay with this rank */
  MPI_Request *requests;
  MPI_Status *statuses;
  int *counts[2], *places[2];
  MPI_Datatype *types[2];
  bool has_types;
} bench;

static int complain(const bench *of, const relayout_error *error) {
  if (of->scene->rank == 0) {
    fprintf(stderr, "relayout-mpi: %s\n", error->message);
  }
  return COMMAND_FAILURE;
}

/* ---- Making --------------------------------------------------------------------------------- */

/* Several ranks of a sharding may have nothing, and a shape of no element then. */
static bool make_shard(const bench *of, const relayout_shape *shape,
                       const relayout_sharding *sharding, relayout_view *view, size_t *bytes,
                       uint8_t **memory) {
  relayout_shape local;
  *bytes = 0;
  if (relayout_sharding_local_shape(sharding, shape, of->scene->rank, &local, NULL) ==
      RELAYOUT_OK) {
    *view = (relayout_view){.shape = local};
    relayout_shape_byte_size(&local, bytes, NULL);
  }
  *memory = malloc(*bytes + 1);
  if (*memory != NULL) {
    memset(*memory, of->scene->rank + 1, *bytes + 1);
  }
  return *memory != NULL;
}

static bool make_bare(bench *made) {
  const int64_t count = relayout_exchange_message_count(made->exchange);
  size_t bytes[2] = {1, 1};
  for (int64_t i = 0; i < count; i++) {
    relayout_exchange_message message;
    relayout_exchange_get_message(made->exchange, i, &message, NULL);
    bytes[message.is_sent ? 0 : 1] += message.bytes;
  }
  for (int i = 0; i < 2; i++) {
    made->bare[i] = malloc(bytes[i]);
    if (made->bare[i] == NULL) {
      return false;
    }
    memset(made->bare[i], 1, bytes[i]);
  }
  relayout_exchange_volume volume = {.kept = 0};
  relayout_exchange_get_volume(made->exchange, made->scene->rank, &volume, NULL);
  made->kept = volume.kept;
  made->requests = calloc((size_t)count + 1, sizeof *made->requests);
  made->statuses = calloc((size_t)count + 1, sizeof *made->statuses);
  return made->requests != NULL && made->statuses != NULL;
}

/* ---- Derived types -------------------------------------------------------------------------- */

/* A box of a shard, in the order of the destination's layout, the fastest dimension innermost;
 * neighbours as one where they touch. */
static MPI_Datatype type_of(const bench *of, const int64_t *strides, const int64_t *sizes,
                            size_t element) {
  MPI_Datatype made, next;
  int64_t run = (int64_t)element;
  int32_t i = 0;
  const relayout_layout *const layout = &of->to.layout;
  while (i < layout->rank &&
         (strides[layout->minor_to_major[i]] == run || sizes[layout->minor_to_major[i]] == 1)) {
    run *= sizes[layout->minor_to_major[i++]];
  }
  MPI_Type_contiguous((int)run, MPI_BYTE, &made);
  for (; i < layout->rank; i++) {
    const int32_t d = layout->minor_to_major[i];
    MPI_Type_create_hvector((int)sizes[d], 1, (MPI_Aint)strides[d], made, &next);
    MPI_Type_free(&made);
    made = next;
  }
  MPI_Type_commit(&made);
  return made;
}

static bool set_type(bench *of, const relayout_exchange_message *message) {
  const int side = message->is_sent ? 0 : 1;
  const relayout_view *const view = side == 0 ? &of->source_view : &of->destination_view;
  const int64_t *const start = side == 0 ? message->from_start : message->to_start;
  int64_t strides[RELAYOUT_MAX_RANK];
  int64_t place = 0;
  if (relayout_view_byte_strides(view, strides, NULL) != RELAYOUT_OK || message->box_count > 1 ||
      of->counts[side][message->peer] > 0) {
    return false;
  }
  for (int32_t d = 0; d < view->shape.rank; d++) {
    place += start[d] * strides[d];
  }
  if (place > INT32_MAX) {
    return false;
  }
  of->counts[side][message->peer] = 1;
  of->places[side][message->peer] = (int)place;
  of->types[side][message->peer] = type_of(
      of, strides, message->sizes, relayout_element_type_byte_size(view->shape.element_type));
  return true;
}

/* Where a pair has more than one box, or a side has tiles, no type is made. */
static bool make_types(bench *made) {
  const int64_t count = relayout_exchange_message_count(made->pairs);
  const size_t ranks = (size_t)made->scene->ranks;
  for (int i = 0; i < 2; i++) {
    made->counts[i] = calloc(ranks, sizeof(int));
    made->places[i] = calloc(ranks, sizeof(int));
    made->types[i] = calloc(ranks, sizeof(MPI_Datatype));
    if (made->counts[i] == NULL || made->places[i] == NULL || made->types[i] == NULL) {
      return false;
    }
    for (size_t r = 0; r < ranks; r++) {
      made->types[i][r] = MPI_BYTE;
    }
  }
  int can = made->from.element_type == made->to.element_type, all_can = 0;
  for (int64_t i = 0; i < count && can; i++) {
    relayout_exchange_message message;
    relayout_exchange_get_message(made->pairs, i, &message, NULL);
    can = set_type(made, &message);
  }
  MPI_Allreduce(&can, &all_can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  made->has_types = all_can;
  return true;
}

static void free_types(bench *of) {
  for (int i = 0; i < 2; i++) {
    for (int r = 0; r < of->scene->ranks && of->counts[i] != NULL && of->types[i] != NULL; r++) {
      if (of->counts[i][r] > 0) {
        MPI_Type_free(&of->types[i][r]);
      }
    }
    free(of->counts[i]);
    free(of->places[i]);
    free(of->types[i]);
  }
}

/* ---- Ways ----------------------------------------------------------------------------------- */

static bool run_reshard(bench *of) {
  return relayout_mpi_reshard_start(of->reshard, of->source, of->destination, NULL) ==
             RELAYOUT_OK &&
         relayout_mpi_reshard_wait(of->reshard, NULL) == RELAYOUT_OK;
}

static bool run_bare(bench *of) {
  const int64_t count = relayout_exchange_message_count(of->exchange);
  size_t at[2] = {0, 0};
  for (int64_t i = count - 1; i >= 0; i--) { /* receives first */
    relayout_exchange_message message;
    relayout_exchange_get_message(of->exchange, i, &message, NULL);
    const int side = message.is_sent ? 0 : 1;
    uint8_t *const memory = of->bare[side] + at[side];
    at[side] += message.bytes;
    if (side == 0) {
      MPI_Isend(memory, (int)message.bytes, MPI_BYTE, (int)message.peer, message.tag,
                MPI_COMM_WORLD, &of->requests[i]);
    } else {
      MPI_Irecv(memory, (int)message.bytes, MPI_BYTE, (int)message.peer, message.tag,
                MPI_COMM_WORLD, &of->requests[i]);
    }
  }
  memcpy(of->destination, of->source, of->kept);
  MPI_Waitall((int)count, of->requests, of->statuses);
  return true;
}

static bool run_alltoallw(bench *of) {
  MPI_Alltoallw(of->source, of->counts[0], of->places[0], of->types[0], of->destination,
                of->counts[1], of->places[1], of->types[1], MPI_COMM_WORLD);
  relayout_exchange_keep(of->exchange, of->source, of->destination, NULL);
  return true;
}

static double timed(bench *of, way how) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  const bool is_done = how == RESHARD ? run_reshard(of)
                       : how == BARE  ? run_bare(of)
                                      : run_alltoallw(of);
  const double own = is_done ? MPI_Wtime() - begun : INFINITY;
  double slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(bench *of, int64_t rounds, double medians[WAYS]) {
  static double seconds[WAYS][MOST_ROUNDS];
  for (int64_t round = -1; round < rounds; round++) { /* the first one warms up */
    for (int w = 0; w < WAYS; w++) {
      const double found = w != ALLTOALLW || of->has_types ? timed(of, (way)w) : NAN;
      seconds[w][round < 0 ? 0 : round] = found;
    }
  }
  for (int w = 0; w < WAYS; w++) {
    qsort(seconds[w], (size_t)rounds, sizeof(double), compare);
    medians[w] = seconds[w][rounds / 2];
  }
}

/* ---- All of it ------------------------------------------------------------------------------ */

static relayout_status read_case(bench *made, const char *const *words, relayout_error *error) {
  relayout_status status = relayout_shape_parse(words[0], &made->from, error);
  if (status == RELAYOUT_OK) {
    status = relayout_sharding_parse(words[1], &made->from_sharding, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_shape_parse_with_defaults(words[2], &made->from, &made->to, error);
  }
  return status == RELAYOUT_OK ? relayout_sharding_parse(words[3], &made->to_sharding, error)
                               : status;
}

static relayout_status make_reshard(bench *made, const command_measure *how,
                                    relayout_error *error) {
  relayout_exchange_options pairs = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  relayout_exchange_options exchange = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  relayout_mpi_reshard_options options = RELAYOUT_MPI_RESHARD_OPTIONS_INIT;
  pairs.message_bytes = PAIR_BYTES;
  exchange.message_bytes = (size_t)how->message_bytes;
  options.exchange = &exchange;
  options.depth = (int32_t)how->depth;
  const relayout_status status = relayout_mpi_reshard_create(
      MPI_COMM_WORLD, made->scene->device, &made->from, &made->from_sharding, &made->to,
      &made->to_sharding, &options, &made->reshard, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->exchange = relayout_mpi_reshard_exchange(made->reshard);
  return relayout_exchange_create(NULL, &made->from, &made->from_sharding, &made->to,
                                  &made->to_sharding, made->scene->rank, &pairs, &made->pairs,
                                  error);
}

static void print_case(const bench *of, const double medians[WAYS]) {
  char from[RELAYOUT_SHAPE_TEXT_SIZE], to[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(&of->from, from, sizeof from);
  relayout_shape_format(&of->to, to, sizeof to);
  command_say(of->scene, "%s to %s\n  reshard %.2f ms, bare messages %.2f ms: %.2f\n", from, to,
              1e3 * medians[RESHARD], 1e3 * medians[BARE], medians[RESHARD] / medians[BARE]);
  if (of->has_types) {
    command_say(of->scene, "  MPI_Alltoallw %.2f ms: reshard is %.2f times as fast\n",
                1e3 * medians[ALLTOALLW], medians[ALLTOALLW] / medians[RESHARD]);
  }
}

static int run_case(const command_scene *scene, const char *const *words,
                    const command_measure *how) {
  bench *const of = calloc(1, sizeof *of);
  relayout_error error = {.message = "no memory"};
  double medians[WAYS];
  if (of == NULL) {
    MPI_Abort(MPI_COMM_WORLD, COMMAND_FAILURE);
    return COMMAND_FAILURE;
  }
  of->scene = scene;
  if (read_case(of, words, &error) != RELAYOUT_OK || make_reshard(of, how, &error) != RELAYOUT_OK) {
    const int code = complain(of, &error);
    free(of);
    return code;
  }
  if (!make_shard(of, &of->from, &of->from_sharding, &of->source_view, &of->source_bytes,
                  &of->source) ||
      !make_shard(of, &of->to, &of->to_sharding, &of->destination_view, &of->destination_bytes,
                  &of->destination) ||
      !make_bare(of) || !make_types(of)) {
    MPI_Abort(MPI_COMM_WORLD, COMMAND_FAILURE);
  }
  measure(of, how->rounds < MOST_ROUNDS ? how->rounds : MOST_ROUNDS, medians);
  print_case(of, medians);
  free_types(of);
  free(of->requests);
  free(of->statuses);
  free(of->bare[0]);
  free(of->bare[1]);
  free(of->source);
  free(of->destination);
  relayout_exchange_destroy(of->pairs);
  relayout_mpi_reshard_destroy(of->reshard);
  free(of);
  return COMMAND_OK;
}

/* The text of a sharding that cuts dimension `cut` into as many shards as there are ranks. */
static void cut_text(int32_t rank, int32_t cut, int ranks, size_t size, char *text) {
  relayout_sharding made = {.kind = RELAYOUT_SHARDING_TILED, .rank = rank};
  for (int32_t d = 0; d < rank; d++) {
    made.shards[d] = d == cut ? ranks : 1;
  }
  made.order.rank = 1;
  made.order.dimensions[0] = ranks;
  relayout_sharding_format(&made, text, size);
}

int command_bench(const command_scene *of, char *const *words, const command_measure *how) {
  static const struct {
    const char *from, *to;
    int32_t rank, from_cut, to_cut; /* the dimensions that the shardings cut */
  } table[] = {
      {"f32[8192,8192]", "{1,0}", 2, 0, 1},
      {"f32[8192,8192]", "{0,1}", 2, 0, 1},
      {"f32[32,56,56,256]", "{2,1,3,0}", 4, 0, 3},
      {"f32[2048,2048,16]", "{2,1,0}", 3, 0, 2},
      {"f32[8192,8192]", "bf16{1,0:T(8,128)(2,1)}", 2, 0, 1},
  };
  if (words != NULL) {
    const char *const one[] = {words[0], words[1], words[2], words[3]};
    return run_case(of, one, how);
  }
  int code = COMMAND_OK;
  for (size_t i = 0; i < sizeof table / sizeof table[0] && code == COMMAND_OK; i++) {
    char from[64], to[64];
    cut_text(table[i].rank, table[i].from_cut, of->ranks, sizeof from, from);
    cut_text(table[i].rank, table[i].to_cut, of->ranks, sizeof to, to);
    const char *const one[] = {table[i].from, from, table[i].to, to};
    code = run_case(of, one, how);
  }
  return code;
}
