/* room.c: where the bytes of a case lie while it is measured. */
#include "room.h"

#include <stdio.h>

#include "size_text.h"

enum {
  LINE = 64,
  PAGE = 4096,
  LEAST_COLD_BYTES = 256 << 20,
  /* What is touched before a place has its turn again, in caches: this much where there is room,
   * and never less than the least. */
  CACHES_BETWEEN = 8,
  LEAST_CACHES_BETWEEN = 2
};

static size_t round_up(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static size_t places_for(const bench_room *room, size_t bytes) {
  const size_t cold = larger(LEAST_COLD_BYTES, bytes);
  const size_t step = larger(room->source_step, room->destination_step) < cold
                          ? room->source_step + room->destination_step
                          : cold;
  return round_up(cold, step) / step;
}

bench_room bench_room_of(const bench_case *of, bool is_hot, uint64_t cache_bytes) {
  size_t source = 0;
  size_t destination = 0;
  relayout_shape_byte_size(&of->from, &source, NULL);
  relayout_shape_byte_size(&of->to, &destination, NULL);
  bench_room room = {
      .copy_size = round_up((bench_case_bytes(of) + 1) / 2, LINE), .places = 1, .least_places = 1};
  room.source_step = round_up(larger(larger(source, room.copy_size), 1), PAGE);
  room.destination_step = round_up(larger(larger(destination, room.copy_size), 1), PAGE);
  if (!is_hot) {
    room.places = places_for(&room, (size_t)cache_bytes * CACHES_BETWEEN);
    room.least_places = places_for(&room, (size_t)cache_bytes * LEAST_CACHES_BETWEEN);
  }
  return room;
}

/* Sizes near 2^64 stay too large instead of wrapping around. */
static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool within(uint64_t limit, uint64_t bytes, const char *who, const char *holder,
                   char reason[BENCH_REASON_SIZE]) {
  if (limit == 0 || bytes <= limit) {
    return true;
  }
  char needed[SIZE_TEXT_CAPACITY];
  char offered[SIZE_TEXT_CAPACITY];
  size_text(bytes, needed);
  size_text(limit, offered);
  snprintf(reason, BENCH_REASON_SIZE, "%s takes %s, but %s %s", who, needed, holder, offered);
  return false;
}

bool bench_room_fits(const bench_room *room, const bench_limits *limits,
                     char reason[BENCH_REASON_SIZE]) {
  const uint64_t source = (uint64_t)room->source_step * room->places;
  const uint64_t destination = (uint64_t)room->destination_step * room->places;
  return within(limits->allocation, source, "the source", "one buffer of the device holds at most",
                reason) &&
         within(limits->allocation, destination, "the destination",
                "one buffer of the device holds at most", reason) &&
         within(limits->device, sum(source, destination), "the case", "the device has", reason) &&
         within(limits->host, sum(sum(source, destination), room->destination_step), "the case",
                "the host has free", reason);
}
