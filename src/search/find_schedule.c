/* find_schedule.c: looks among what is offered, and else makes what is asked for. */
#include "search/find_schedule.h"

#include <string.h>

#include "base/error.h"
#include "schedule/schedule_text.h"
#include "search/asked_schedule.h"
#include "search/method.h"
#include "search/target.h"

/* The first field that differs; -1: none does. */
static int other_field(const rlt_schedule *schedule, const rlt_schedule_fields *read) {
  int f = 0;
  while (f < RLT_FIELDS && rlt_schedule_has_field(schedule, (rlt_schedule_field)f, read->of[f])) {
    ++f;
  }
  return f < RLT_FIELDS ? f : -1;
}

/* The same for a schedule that was made from the text. Its tile is the text's, which may say `:n`
 * of a whole axis; a text may leave out alignment, loops and grain, which follow from the rest. */
static int other_asked_field(const rlt_schedule *made, const rlt_schedule_fields *read) {
  int f = 0;
  while (f < RLT_FIELDS &&
         (((f == RLT_FIELD_ALIGN || f == RLT_FIELD_LOOPS || f == RLT_FIELD_GRAIN) &&
           read->of[f].length == 0) ||
          ((f == RLT_FIELD_ROWS || f == RLT_FIELD_COLUMNS) && read->of[f].length > 0) ||
          rlt_schedule_has_field(made, (rlt_schedule_field)f, read->of[f]))) {
    ++f;
  }
  return f < RLT_FIELDS ? f : -1;
}

static int count_alike(const rlt_schedule *schedule, const rlt_schedule_fields *read) {
  int alike = 0;
  for (int f = 0; f < RLT_FIELDS; ++f) {
    alike += rlt_schedule_has_field(schedule, (rlt_schedule_field)f, read->of[f]);
  }
  return alike;
}

/* The candidate of the wanted method that has the most fields alike; -1: there is none. */
static int32_t find_nearest(const rlt_candidates *candidates, const rlt_schedule_fields *read) {
  int32_t nearest = -1;
  int most = -1;
  for (int32_t i = 0; i < candidates->count && most < RLT_FIELDS; ++i) {
    const rlt_schedule *const offered = &candidates->of[i].schedule;
    const int alike = offered->method == read->method ? count_alike(offered, read) : -1;
    if (alike > most) {
      nearest = i;
      most = alike;
    }
  }
  return nearest;
}

/* ---- What runs without having been offered ---- */

static const char load[] = "load>";

static bool loads(rlt_word move) {
  return move.length > strlen(load) && memcmp(move.at, load, strlen(load)) == 0;
}

/* The first field, of those that a tile does not decide, that the candidate differs in; -1: none
 * does. Whether it loads is asked for like its stores. */
static int other_move_field(const rlt_schedule *offered, const rlt_schedule_fields *read) {
  rlt_schedule like = *offered;
  like.loads = loads(read->of[RLT_FIELD_MOVE]);
  static const rlt_schedule_field fields[] = {RLT_FIELD_WORD, RLT_FIELD_MOVE};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
    if (!rlt_schedule_has_field(&like, fields[i], read->of[fields[i]])) {
      return (int)fields[i];
    }
  }
  return -1;
}

/* The first candidate with the wanted method, word and move; -1: there is none. */
static int32_t find_move(const rlt_candidates *candidates, const rlt_schedule_fields *read) {
  for (int32_t i = 0; i < candidates->count; ++i) {
    const rlt_schedule *const offered = &candidates->of[i].schedule;
    if (offered->method == read->method && other_move_field(offered, read) < 0) {
      return i;
    }
  }
  return -1;
}

/* The wanted work-items of a group where they are more than this candidate's, and no more than
 * another one may have. */
static int64_t larger_group(const rlt_facts *facts, int64_t group_size, rlt_word wanted) {
  const int64_t asked = rlt_schedule_field_number(wanted);
  const bool is_taken =
      asked > group_size && asked <= facts->most_group_size && (asked & (asked - 1)) == 0;
  return is_taken ? asked : group_size;
}

/* Adds a schedule with the wanted method, word and move, which some candidate has, and with the
 * wanted tile, stores and order. */
static relayout_status add_asked(rlt_candidates *candidates, const rlt_schedule_fields *read,
                                 int32_t nearest, int32_t *found, relayout_error *error) {
  int32_t like = find_move(candidates, read);
  if (like < 0) {
    rlt_candidates_add_all(candidates);
    like = find_move(candidates, read);
  }
  if (like < 0) {
    const rlt_schedule *const other = &candidates->of[nearest].schedule;
    const int f = other_move_field(other, read);
    return rlt_schedule_fail_field(other, (rlt_schedule_field)f, read->of[f], error);
  }
  const rlt_asked_schedule asked = {.rows = read->of[RLT_FIELD_ROWS],
                                    .columns = read->of[RLT_FIELD_COLUMNS],
                                    .store = read->of[RLT_FIELD_STORE],
                                    .loops = read->of[RLT_FIELD_LOOPS],
                                    .prefetch = read->of[RLT_FIELD_PREFETCH],
                                    .threads = read->of[RLT_FIELD_THREADS],
                                    .grain = read->of[RLT_FIELD_GRAIN],
                                    .loads = loads(read->of[RLT_FIELD_MOVE])};
  rlt_schedule made = candidates->of[like].schedule;
  made.suits = false;
  made.group_size = larger_group(candidates->facts, made.group_size, read->of[RLT_FIELD_GROUP]);
  made.specialized =
      candidates->facts->specializes && rlt_schedule_field_specializes(read->of[RLT_FIELD_KERNEL]);
  const relayout_status status =
      rlt_asked_schedule_read(candidates->facts, candidates->tuning, &asked, &made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int other = other_asked_field(&made, read);
  if (other >= 0) {
    return rlt_schedule_fail_field(&made, (rlt_schedule_field)other, read->of[other], error);
  }
  *found = rlt_candidates_add_finished(candidates, &made);
  return *found >= 0 ? RELAYOUT_OK
                     : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's schedules");
}

/* ---- Finding ---- */

relayout_status rlt_candidates_find(rlt_candidates *candidates, const char *schedule, size_t length,
                                    int32_t *found, int64_t *group_size, relayout_error *error) {
  rlt_schedule_fields read;
  relayout_status status = rlt_schedule_read_fields(schedule, length, &read, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  *found = find_nearest(candidates, &read);
  if (*found < 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: method `%s` has no schedule for this relayout", read.method->name);
  }
  const rlt_schedule *const nearest = &candidates->of[*found].schedule;
  if (other_field(nearest, &read) >= 0) {
    status = add_asked(candidates, &read, *found, found, error);
  }
  if (status == RELAYOUT_OK && group_size != NULL) {
    *group_size = rlt_schedule_field_number(read.of[RLT_FIELD_GROUP]);
  }
  return status;
}
