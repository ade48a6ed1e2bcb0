/* selftest.c: exchanges at random. Every rank draws the same ones, and knows by the definition what
 * its shard is to hold. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "conformance/random.h"
#include "conformance/shards.h"
#include "oracle/oracle.h"

enum { RUNS = 2 };

typedef struct trial {
  const command_scene *scene;
  shards_case drawn;
  uint8_t *tensor;
  shards_shard source, destination, wanted;
  relayout_mpi_reshard *reshard;
  bool is_refused; /* by all ranks: there are no plans for it */
} trial;

/* What the rank is on that side; a number outside of the side's devices if it has no part in it. */
static int64_t own_device(const trial *of, bool is_from) {
  const relayout_exchange_options *const options = &of->drawn.options;
  return of->scene->rank - (is_from ? options->from_first_peer : options->to_first_peer);
}

static bool make_shard(const trial *of, bool is_from, shards_shard *made) {
  const shards_case *const drawn = &of->drawn;
  return is_from ? shards_make(&drawn->from, &drawn->from_sharding, own_device(of, true),
                               drawn->options.from_devices, made)
                 : shards_make(&drawn->to, &drawn->to_sharding, own_device(of, false),
                               drawn->options.to_devices, made);
}

static bool fill_shard(const trial *of, bool is_from, shards_shard *filled) {
  const shards_case *const drawn = &of->drawn;
  return filled->memory == NULL ||
         shards_fill(NULL, of->tensor, &drawn->from,
                     is_from ? &drawn->from_sharding : &drawn->to_sharding, own_device(of, is_from),
                     &filled->shape, shards_bytes(filled));
}

/* Peers of both sides among the ranks. */
static void draw(const command_scene *scene, uint64_t *random, shards_case *made) {
  const int64_t most = scene->ranks < 12 ? scene->ranks : 12;
  shards_draw(random, most, most - 1, made);
  relayout_exchange_options *const options = &made->options;
  if (options->from_first_peer > scene->ranks - options->from_devices) {
    options->from_first_peer = scene->ranks - options->from_devices;
  }
  if (options->to_first_peer > scene->ranks - options->to_devices) {
    options->to_first_peer = scene->ranks - options->to_devices;
  }
}

static bool set_up(trial *of, uint64_t seed) {
  uint64_t random = seed;
  draw(of->scene, &random, &of->drawn);
  relayout_shape dense;
  relayout_shape_make(of->drawn.from.element_type, of->drawn.from.rank, of->drawn.from.dimensions,
                      &dense, NULL);
  const size_t bytes = oracle_byte_size(&dense);
  of->tensor = malloc(bytes + 1);
  for (size_t i = 0; i < bytes && of->tensor != NULL; i++) {
    of->tensor[i] = random_element_byte(&random, dense.element_type);
  }
  return of->tensor != NULL && make_shard(of, true, &of->source) &&
         make_shard(of, false, &of->destination) && make_shard(of, false, &of->wanted) &&
         fill_shard(of, true, &of->source) && fill_shard(of, false, &of->wanted);
}

static void tear_down(trial *of) {
  free(of->tensor);
  free(of->source.memory);
  free(of->destination.memory);
  free(of->wanted.memory);
}

static relayout_status end_by_tests(relayout_mpi_reshard *reshard, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  bool is_done = false;
  while (status == RELAYOUT_OK && !is_done) {
    status = relayout_mpi_reshard_test(reshard, &is_done, error);
  }
  return status;
}

/* Runs it once; an empty text if all is well, else what is wrong. */
static void run_once(trial *of, bool tests, char *text, size_t size) {
  relayout_error error;
  const size_t bytes = of->destination.bytes + 2 * (size_t)SHARDS_GUARD;
  if (of->destination.memory != NULL) {
    memset(of->destination.memory, SHARDS_POISON, bytes);
  }
  relayout_status status = relayout_mpi_reshard_start(of->reshard, shards_bytes(&of->source),
                                                      shards_bytes(&of->destination), &error);
  if (status == RELAYOUT_OK) {
    status =
        tests ? end_by_tests(of->reshard, &error) : relayout_mpi_reshard_wait(of->reshard, &error);
  }
  if (status != RELAYOUT_OK) {
    snprintf(text, size, "%s", error.message);
  } else if (of->destination.memory != NULL &&
             memcmp(of->destination.memory, of->wanted.memory, bytes) != 0) {
    snprintf(text, size, "the destination has other bytes than the definition says");
  }
}

static void run(trial *of, uint64_t seed, char *text, size_t size) {
  relayout_mpi_reshard_options options = RELAYOUT_MPI_RESHARD_OPTIONS_INIT;
  relayout_error error;
  options.exchange = &of->drawn.options;
  options.depth = (int32_t)(seed % 5);
  const relayout_status status = relayout_mpi_reshard_create(
      MPI_COMM_WORLD, of->scene->device, &of->drawn.from, &of->drawn.from_sharding, &of->drawn.to,
      &of->drawn.to_sharding, &options, &of->reshard, &error);
  of->is_refused = status == RELAYOUT_UNSUPPORTED;
  if (status != RELAYOUT_OK) {
    snprintf(text, size, "%s", of->is_refused ? "" : error.message);
    return;
  }
  for (int i = 0; i < RUNS && text[0] == '\0'; i++) {
    run_once(of, i > 0, text, size);
  }
  relayout_mpi_reshard_destroy(of->reshard);
}

int command_selftest(const command_scene *of, int64_t cases, uint64_t seed) {
  int64_t moved = 0;
  int has_failed = 0;
  for (int64_t i = 0; i < cases && !has_failed; i++) {
    trial one = {.scene = of};
    char text[RELAYOUT_MESSAGE_SIZE + 1] = "";
    if (set_up(&one, seed + (uint64_t)i)) {
      run(&one, seed + (uint64_t)i, text, sizeof text);
    } else {
      snprintf(text, sizeof text, "no memory"); /* the other ranks wait for this one */
      MPI_Abort(MPI_COMM_WORLD, COMMAND_FAILURE);
    }
    tear_down(&one);
    moved += !one.is_refused;
    int failed = text[0] != '\0';
    if (failed) {
      fprintf(stderr, "relayout-mpi: seed %" PRIu64 ", rank %d: %s\n", seed + (uint64_t)i, of->rank,
              text);
    }
    MPI_Allreduce(&failed, &has_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  if (has_failed) {
    return COMMAND_DIFFERENT;
  }
  command_say(of, "%" PRId64 " exchanges between %d ranks moved, %" PRId64 " refused, 0 failed\n",
              moved, of->ranks, cases - moved);
  return COMMAND_OK;
}
