/* measure.c: one case measured: in turns with a plain copy and with peers. */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room.h"
#include "statistics.h"
#include "verify.h"

enum { LEAST_REPETITIONS = 7, MOST_REPETITIONS = 201 };

/* What a case is repeated for once it has its least repetitions. */
static const double ENOUGH_SECONDS = 0.4;

/* ---- Limits --------------------------------------------------------------------------------- */

/* Bytes that programs can have without pushing others out; 0 when unknown. */
static uint64_t free_host_bytes(void) {
  FILE *const file = fopen("/proc/meminfo", "r");
  if (file == NULL) {
    return 0;
  }
  char line[128];
  uint64_t kibibytes = 0;
  while (fgets(line, sizeof line, file) != NULL &&
         sscanf(line, "MemAvailable: %" SCNu64, &kibibytes) != 1) {
  }
  fclose(file);
  return kibibytes << 10;
}

/* What the target's buffers take already counts as free. */
static bench_limits limits_of(const bench_target *target) {
  const uint64_t available = free_host_bytes();
  return (bench_limits){
      .allocation = target->info.allocation_bytes,
      .device = target->info.memory_bytes,
      .host =
          available == 0 ? 0 : available + target->source_capacity + target->destination_capacity,
  };
}

/* ---- One case ------------------------------------------------------------------------------- */

/* What the repetitions took, by what was run. */
typedef struct samples {
  double copies[BENCH_MOST_COPIES][MOST_REPETITIONS];
  double counted[MOST_REPETITIONS]; /* of the relayout, as wall */
  double wall[MOST_REPETITIONS];
  double peers[BENCH_MOST_PEERS][MOST_REPETITIONS];
  size_t repetitions;
} samples;

typedef struct attempt {
  bench_target *target;
  const bench_case *of;
  bench_room room;
  relayout_plan *plan;
  bool is_hot;
  size_t place; /* the one that has its turn */
  bench_result *result;
} attempt;

static void skip(bench_result *result, const char *reason) {
  snprintf(result->skipped, sizeof result->skipped, "%s", reason);
}

static exit_code skip_for(bench_result *result, const relayout_error *error) {
  skip(result, error->message);
  return error->status == RELAYOUT_OPENCL_ERROR || error->status == RELAYOUT_OUT_OF_DEVICE_MEMORY ||
                 error->status == RELAYOUT_OUT_OF_MEMORY
             ? EXIT_CODE_FAILURE
             : EXIT_CODE_BAD_INPUT;
}

/* What is measured hot is done so often before it counts, so that everyone finds the cache as it
 * leaves it itself, and not as a streaming copy does. */
enum { WARMING_RUNS = 2 };

typedef relayout_status step_of(attempt *at, size_t which, size_t source, size_t destination,
                                bench_time *time, relayout_error *error);

/* At the next place. */
static relayout_status go_on(attempt *at, step_of *step, size_t which, bench_time *time,
                             relayout_error *error) {
  at->place = (at->place + 1) % at->room.places;
  const size_t source = at->place * at->room.source_step;
  const size_t destination = at->place * at->room.destination_step;
  for (int i = 0; at->is_hot && i < WARMING_RUNS; i++) {
    const relayout_status status = step(at, which, source, destination, time, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  return step(at, which, source, destination, time, error);
}

static relayout_status move(attempt *at, size_t which, size_t source, size_t destination,
                            bench_time *time, relayout_error *error) {
  (void)which;
  return at->target->move(at->target, at->plan, source, destination, time, error);
}

static relayout_status copy(attempt *at, size_t which, size_t source, size_t destination,
                            bench_time *time, relayout_error *error) {
  return at->target->copy(at->target, which, source, destination, at->room.copy_size, time, error);
}

static relayout_status run_peer(attempt *at, size_t which, size_t source, size_t destination,
                                bench_time *time, relayout_error *error) {
  return at->target->run_peer(at->target, which, source, destination, time, error);
}

static relayout_status move_next(attempt *at, bench_time *time, relayout_error *error) {
  return go_on(at, move, 0, time, error);
}

static relayout_status copy_next(attempt *at, size_t which, bench_time *time,
                                 relayout_error *error) {
  return go_on(at, copy, which, time, error);
}

static relayout_status run_peer_next(attempt *at, size_t which, bench_time *time,
                                     relayout_error *error) {
  return go_on(at, run_peer, which, time, error);
}

static bool is_of_use(const attempt *at, size_t which) {
  const size_t most = at->target->copies[which].most_bytes;
  return most == 0 || at->room.copy_size <= most;
}

static void fail_peer(bench_peer_result *peer, const char *message) {
  peer->state = BENCH_PEER_FAILED;
  snprintf(peer->message, sizeof peer->message, "%s", message);
}

/* Lets a peer move the first place's bytes and holds its result against what is right. */
static void verify_peer(attempt *at, size_t which, const uint8_t *right) {
  bench_target *const target = at->target;
  bench_peer_result *const peer = &at->result->peers[which];
  const size_t size = relayout_plan_destination_size(at->plan);
  relayout_error error;
  bench_time time;
  const uint8_t *source;
  const uint8_t *made;
  at->place = at->room.places - 1;
  if (target->clear(target, size, &error) != RELAYOUT_OK ||
      run_peer_next(at, which, &time, &error) != RELAYOUT_OK ||
      target->map(target, 1, size, &source, &made, &error) != RELAYOUT_OK) {
    fail_peer(peer, error.message);
    return;
  }
  const relayout_element_type taken_for = bench_peer_takes_for(
      &target->peers[which], at->of->from.element_type, at->of->to.element_type);
  const bench_verdict verdict = bench_judge_peer(taken_for, made, right, size);
  target->unmap(target);
  peer->state = verdict == BENCH_WRONG ? BENCH_PEER_WRONG : BENCH_PEER_MEASURED;
  peer->is_exact = verdict == BENCH_EXACT;
}

/* Finds out which peers can do the case, and verifies them. `right` is the relayout's own result,
 * verified already. */
static void verify_peers(attempt *at, const uint8_t *right) {
  bool takes[BENCH_MOST_PEERS];
  at->target->prepare_peers(at->target, &at->of->from, &at->of->to, takes);
  for (size_t i = 0; i < at->target->peer_count; i++) {
    bench_peer_result *const peer = &at->result->peers[i];
    if (at->target->peers[i].missing != NULL) {
      continue;
    }
    peer->state = BENCH_PEER_IDLE;
    if (takes[i] && right == NULL) {
      fail_peer(peer, "no memory to verify with");
    } else if (takes[i]) {
      verify_peer(at, i, right);
    }
  }
}

/* Moves the first place's bytes and holds the result against the oracle's, which takes most
 * of the time of a large case. */
static exit_code verify(attempt *at) {
  bench_target *const target = at->target;
  const size_t source_size = relayout_plan_source_size(at->plan);
  const size_t destination_size = relayout_plan_destination_size(at->plan);
  relayout_error error;
  bench_time time;
  at->place = at->room.places - 1;
  if (target->clear(target, destination_size, &error) != RELAYOUT_OK ||
      move_next(at, &time, &error) != RELAYOUT_OK) {
    return skip_for(at->result, &error);
  }
  const uint8_t *source;
  const uint8_t *destination;
  if (target->map(target, source_size, destination_size, &source, &destination, &error) !=
      RELAYOUT_OK) {
    return skip_for(at->result, &error);
  }
  const exit_code code = target->is_unverified
                             ? EXIT_CODE_OK
                             : verify_relayout(&at->of->from, &at->of->to, &at->target->options,
                                               source, destination, destination_size);
  uint8_t *const right = target->peer_count > 0 ? malloc(destination_size) : NULL;
  if (right != NULL) {
    memcpy(right, destination, destination_size);
  }
  target->unmap(target);
  if (code != EXIT_CODE_OK) {
    skip(at->result,
         code == EXIT_CODE_DIFFERENT ? "the result is wrong" : "it could not be verified");
  } else if (target->peer_count > 0) {
    verify_peers(at, right);
  }
  free(right);
  return code;
}

/* One repetition: all the ways to copy, the relayout and the peers, in turns, so that whatever else
 * goes on in the machine meets them alike. */
static relayout_status take_turns(attempt *at, size_t repetition, samples *taken,
                                  relayout_error *error) {
  bench_time time;
  for (size_t i = 0; i < at->target->copy_count; i++) {
    if (is_of_use(at, i)) {
      const relayout_status status = copy_next(at, i, &time, error);
      if (status != RELAYOUT_OK) {
        return status;
      }
      taken->copies[i][repetition] = time.counted;
    }
  }
  const relayout_status status = move_next(at, &time, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  taken->counted[repetition] = time.counted;
  taken->wall[repetition] = time.wall;
  for (size_t i = 0; i < at->target->peer_count; i++) {
    bench_peer_result *const peer = &at->result->peers[i];
    if (peer->state == BENCH_PEER_MEASURED) {
      relayout_error peer_error;
      if (run_peer_next(at, i, &time, &peer_error) != RELAYOUT_OK) {
        fail_peer(peer, peer_error.message);
      }
      taken->peers[i][repetition] = time.counted;
    }
  }
  return RELAYOUT_OK;
}

static relayout_status repeat(attempt *at, samples *taken, relayout_error *error) {
  relayout_status status = take_turns(at, 0, taken, error); /* to warm up, and not kept */
  size_t n = 0;
  const double begin = bench_now();
  while (status == RELAYOUT_OK && n < MOST_REPETITIONS &&
         (n < LEAST_REPETITIONS || bench_now() - begin < ENOUGH_SECONDS)) {
    status = take_turns(at, n, taken, error);
    n += 1;
  }
  taken->repetitions = n;
  return status;
}

/* Sorts the samples; what depends on their order comes first. */
static void conclude(const attempt *at, samples *taken) {
  bench_result *const result = at->result;
  const size_t count = taken->repetitions;
  double ratios[MOST_REPETITIONS];
  double best = 0;
  for (size_t i = 0; i < at->target->copy_count; i++) {
    if (!is_of_use(at, i)) {
      continue;
    }
    double sorted[MOST_REPETITIONS];
    memcpy(sorted, taken->copies[i], count * sizeof *sorted);
    const double median = statistics_median(sorted, count);
    if (best == 0 || median < best) {
      best = median;
      result->copy = at->target->copies[i].name;
      for (size_t n = 0; n < count; n++) {
        ratios[n] = taken->copies[i][n] / taken->counted[n];
      }
    }
  }
  result->repetitions = count;
  result->bytes = bench_case_bytes(at->of);
  result->spread = statistics_spread(ratios, count);
  result->median_s = statistics_median(taken->counted, count);
  result->median_wall_s = statistics_median(taken->wall, count);
  result->gbps = (double)result->bytes / result->median_s * 1e-9;
  result->copy_gbps = 2 * (double)at->room.copy_size / best * 1e-9;
  result->fraction = result->gbps / result->copy_gbps;
  for (size_t i = 0; i < at->target->peer_count; i++) {
    bench_peer_result *const peer = &result->peers[i];
    if (peer->state == BENCH_PEER_MEASURED) {
      peer->median_s = statistics_median(taken->peers[i], count);
      peer->fraction = (double)result->bytes / peer->median_s * 1e-9 / result->copy_gbps;
    }
  }
}

static exit_code verify_and_time(attempt *at) {
  const exit_code code = verify(at);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  samples *const taken = malloc(sizeof *taken);
  if (taken == NULL) {
    skip(at->result, "no memory for the measurements");
    return EXIT_CODE_FAILURE;
  }
  relayout_error error;
  const relayout_status status = repeat(at, taken, &error);
  if (status == RELAYOUT_OK) {
    conclude(at, taken);
  }
  free(taken);
  return status == RELAYOUT_OK ? EXIT_CODE_OK : skip_for(at->result, &error);
}

/* Finds room for the case, in fewer places where memory is short, and at last in a smaller one. */
static bool make_room(bench_target *target, bool is_hot, bench_result *result, bench_room *room) {
  const bench_limits limits = limits_of(target);
  char reason[BENCH_REASON_SIZE];
  *room = bench_room_of(&result->of, is_hot, target->cache_bytes);
  while (!bench_room_fits(room, &limits, reason)) {
    if (room->places > room->least_places) {
      room->places -= 1;
      continue;
    }
    if (!bench_case_shrink(&result->of)) {
      skip(result, reason);
      return false;
    }
    result->was_shrunk = true;
    *room = bench_room_of(&result->of, is_hot, target->cache_bytes);
  }
  return true;
}

static const char BETWEEN_PARTS[] = " | ";

/* Those of the plan's parts, one behind the other; NULL without memory. */
static char *schedules_of(const relayout_plan *plan) {
  const int32_t parts = relayout_plan_part_count(plan);
  size_t capacity = 1;
  for (int32_t i = 0; i < parts; i++) {
    capacity += strlen(BETWEEN_PARTS) +
                relayout_plan_get_schedule(plan, i, RELAYOUT_SCHEDULE_ALIGNED, NULL, 0);
  }
  char *const text = calloc(capacity, 1);
  size_t length = 0;
  for (int32_t i = 0; text != NULL && i < parts; i++) {
    if (i > 0) {
      strcpy(text + length, BETWEEN_PARTS);
      length += strlen(BETWEEN_PARTS);
    }
    length += relayout_plan_get_schedule(plan, i, RELAYOUT_SCHEDULE_ALIGNED, text + length,
                                         capacity - length);
  }
  return text;
}

exit_code bench_measure(bench_target *target, const bench_case *of, bool is_hot,
                        bench_result *result) {
  *result = (bench_result){.of = *of, .copy = "", .peer_count = target->peer_count};
  if (bench_case_bytes(of) == 0) {
    skip(result, "there is nothing to move");
    return EXIT_CODE_BAD_INPUT;
  }
  attempt at = {.target = target, .of = &result->of, .is_hot = is_hot, .result = result};
  if (!make_room(target, is_hot, result, &at.room)) {
    return EXIT_CODE_FAILURE;
  }
  relayout_error error;
  if (target->reserve(target, at.room.source_step * at.room.places,
                      at.room.destination_step * at.room.places, &error) != RELAYOUT_OK ||
      relayout_plan_create(target->device, &at.of->from, &at.of->to, &target->options, &at.plan,
                           &error) != RELAYOUT_OK) {
    return skip_for(result, &error);
  }
  result->method = relayout_plan_get_method(at.plan);
  result->predicted = relayout_plan_get_predicted_fraction(at.plan);
  result->schedule = schedules_of(at.plan);
  exit_code code = EXIT_CODE_FAILURE;
  if (result->schedule == NULL) {
    skip(result, "no memory for the text of its schedule");
  } else {
    code = verify_and_time(&at);
  }
  relayout_plan_destroy(at.plan);
  return code;
}
