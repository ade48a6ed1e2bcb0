/* exchange_cost.c: what an exchange takes whose peers are all here, beside what its messages take
 * if they are only copied in and out, and what planning takes.
 *
 *   exchange_cost FROM FROM_SHARDING TO TO_SHARDING PEERS [ROUNDS]
 *
 * Peers are numbered by their devices, those of the destination behind those of the source. One
 * thread does all of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/statistics.h"
#include "cost.h"
#include "relayout/relayout.h"

enum { MOST_PEERS = 64, MOST_ROUNDS = 101 };

const char cost_program[] = "exchange_cost";

typedef struct scene {
  relayout_device *device;
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
  relayout_exchange_options options;
  int64_t peers;
  relayout_exchange *exchanges[MOST_PEERS];
  void *sources[MOST_PEERS];
  void *destinations[MOST_PEERS];
  char *message;
} scene;

static void *make_shard(const relayout_sharding *sharding, const relayout_shape *shape,
                        int64_t device) {
  relayout_shape local;
  relayout_error error;
  size_t bytes = 0;
  if (device < 0) {
    return NULL;
  }
  cost_check(relayout_sharding_local_shape(sharding, shape, device, &local, &error), &error);
  cost_check(relayout_shape_byte_size(&local, &bytes, &error), &error);
  void *const made = aligned_alloc(4096, (bytes + 8191) / 4096 * 4096);
  if (made != NULL) {
    memset(made, 1, bytes);
  }
  return made;
}

static double make_exchanges(scene *of) {
  relayout_error error;
  const double start = cost_now();
  for (int64_t p = 0; p < of->peers; ++p) {
    cost_check(relayout_exchange_create(of->device, &of->from, &of->from_sharding, &of->to,
                                        &of->to_sharding, p, &of->options, &of->exchanges[p],
                                        &error),
               &error);
  }
  return cost_now() - start;
}

static double execute(const scene *of) {
  const relayout_exchange *exchanges[MOST_PEERS];
  const void *sources[MOST_PEERS];
  void *destinations[MOST_PEERS];
  relayout_error error;
  for (int64_t p = 0; p < of->peers; ++p) {
    exchanges[p] = of->exchanges[p];
    sources[p] = of->sources[p];
    destinations[p] = of->destinations[p];
  }
  const double start = cost_now();
  cost_check(relayout_exchange_execute(of->peers, exchanges, sources, destinations, &error),
             &error);
  return cost_now() - start;
}

/* As many bytes from each shard to a message and on to a shard. */
static double copy(const scene *of) {
  size_t received[MOST_PEERS] = {0};
  const double start = cost_now();
  for (int64_t p = 0; p < of->peers; ++p) {
    size_t at = 0;
    for (int64_t i = 0; i < relayout_exchange_message_count(of->exchanges[p]); ++i) {
      relayout_exchange_message message;
      relayout_exchange_get_message(of->exchanges[p], i, &message, NULL);
      if (message.is_sent) {
        memcpy(of->message, (const char *)of->sources[p] + at, message.bytes);
        memcpy((char *)of->destinations[message.peer] + received[message.peer], of->message,
               message.bytes);
        at += message.bytes;
        received[message.peer] += message.bytes;
      }
    }
  }
  return cost_now() - start;
}

int main(int argc, char **argv) {
  scene of = {.options = RELAYOUT_EXCHANGE_OPTIONS_INIT};
  relayout_error error;
  double times[2][MOST_ROUNDS];
  if (argc < 6 || argc > 7) {
    fprintf(stderr, "%s: wants FROM FROM_SHARDING TO TO_SHARDING PEERS [ROUNDS]\n", cost_program);
    return 2;
  }
  cost_check(relayout_shape_parse(argv[1], &of.from, &error), &error);
  cost_check(relayout_sharding_parse(argv[2], &of.from_sharding, &error), &error);
  cost_check(relayout_shape_parse(argv[3], &of.to, &error), &error);
  cost_check(relayout_sharding_parse(argv[4], &of.to_sharding, &error), &error);
  of.peers = atoi(argv[5]);
  const int rounds = argc > 6 ? atoi(argv[6]) : 11;
  of.options.to_first_peer = relayout_sharding_device_count(&of.from_sharding);
  if (of.peers < 1 || of.peers > MOST_PEERS || rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "%s: 1 to %d peers, 1 to %d rounds\n", cost_program, MOST_PEERS, MOST_ROUNDS);
    return 2;
  }
  relayout_cpu_options cpu = RELAYOUT_CPU_OPTIONS_INIT;
  cpu.threads = 1;
  cost_check(relayout_cpu_device_create(&cpu, &of.device, &error), &error);
  of.message = malloc(64 << 20);
  for (int64_t p = 0; p < of.peers; ++p) {
    of.sources[p] =
        p < of.options.to_first_peer ? make_shard(&of.from_sharding, &of.from, p) : NULL;
    of.destinations[p] = make_shard(&of.to_sharding, &of.to, p - of.options.to_first_peer);
  }
  const double planning = make_exchanges(&of);
  if (relayout_exchange_peer_count(of.exchanges[0]) > of.peers) {
    fprintf(stderr, "%s: the shardings have devices for %d peers\n", cost_program,
            (int)relayout_exchange_peer_count(of.exchanges[0]));
    return 2;
  }
  for (int i = -3; i < rounds; ++i) { /* plans adapt in the first calls */
    const double copied = copy(&of), moved = execute(&of);
    times[0][i < 0 ? 0 : i] = copied;
    times[1][i < 0 ? 0 : i] = moved;
  }
  const double copied = statistics_median(times[0], (size_t)rounds);
  const double moved = statistics_median(times[1], (size_t)rounds);
  printf("plans for %d peers in %.2f ms; moved in %.2f ms, copied in %.2f ms: %.2f\n",
         (int)of.peers, planning * 1e3, moved * 1e3, copied * 1e3, moved / copied);
  for (int64_t p = 0; p < of.peers; ++p) {
    relayout_exchange_destroy(of.exchanges[p]);
    free(of.sources[p]);
    free(of.destinations[p]);
  }
  free(of.message);
  relayout_device_destroy(of.device);
  return 0;
}
