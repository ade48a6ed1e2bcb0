/* schedule_text.c: schedules as fields of text, printed, read and compared. */
#include "schedule/schedule_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "metadata/quote.h"
#include "search/method.h"
#include "search/target.h"
#include "search/tile_order.h"

/* X(KEY, text): in the order in which they are printed. */
#define FIELD_TABLE(X)                                                                             \
  X(WORD, "word")                                                                                  \
  X(ALIGN, "align")                                                                                \
  X(ROWS, "rows")                                                                                  \
  X(COLUMNS, "columns")                                                                            \
  X(LOOPS, "loops")                                                                                \
  X(MOVE, "move")                                                                                  \
  X(STORE, "store")                                                                                \
  X(PREFETCH, "prefetch")                                                                          \
  X(THREADS, "threads")                                                                            \
  X(GROUP, "group")                                                                                \
  X(GRAIN, "grain")

typedef enum field {
#define FIELD_ENUMERATOR(name, text) FIELD_##name,
  FIELD_TABLE(FIELD_ENUMERATOR)
#undef FIELD_ENUMERATOR
      FIELDS
} field;

static const char *const field_names[] = {
#define FIELD_NAME(name, text) text,
    FIELD_TABLE(FIELD_NAME)
#undef FIELD_NAME
};

/* Of the loops, which are the most: fewer than 2^61 elements are in no more than 60 axes, and each
 * may be a loop twice, with few digits each. */
enum { LONGEST_FIELD = 1 << 10 };

/* ---- Printing ---- */

static void add_group(const rlt_problem *problem, const rlt_group *group, rlt_text *text) {
  if (group->axis_count == 0) {
    rlt_text_add(text, "-");
  }
  for (int32_t i = 0; i < group->axis_count; ++i) {
    rlt_text_add(text, "%s%" PRId32, i == 0 ? "" : ",", group->axes[i]);
  }
  if (group->axis_count > 0 && group->block < rlt_group_extent(problem, group)) {
    rlt_text_add(text, ":%" PRId64, group->block);
  }
}

static void add_loops(const rlt_loops *loops, rlt_text *text) {
  if (loops->inner_count + loops->outer_count == 0) {
    rlt_text_add(text, "-");
  }
  for (int32_t i = 0; i < loops->inner_count; ++i) {
    rlt_text_add(text, "%s%" PRId32 ":%" PRId64, i == 0 ? "" : ",", (int32_t)loops->inner[i],
                 loops->inside[i]);
  }
  for (int32_t i = 0; i < loops->outer_count; ++i) {
    rlt_text_add(text, "%s%" PRId32, i == 0 ? "/" : ",", (int32_t)loops->outer[i]);
  }
}

static void add_move(const rlt_schedule *schedule, rlt_text *text) {
  const rlt_problem *const problem = schedule->problem;
  rlt_text_add(text, "%s%s%s%s%s%s", schedule->loads ? "load>" : "",
               problem->source_packed > 0 ? "unpack>" : "",
               rlt_converts(&problem->conversion) ? "convert>" : "", rlt_move_name(schedule->move),
               problem->shuffles ? ">shuffle" : "", problem->destination_packed > 0 ? ">pack" : "");
}

/* Nothing where a field has the value that is not printed. */
static void add_field(const rlt_schedule *schedule, field number, rlt_text *text) {
  switch (number) {
  case FIELD_WORD:
    rlt_text_add(text, "%" PRId64, schedule->problem->element_bytes);
    return;
  case FIELD_ALIGN:
    rlt_text_add(text, "%" PRId64 ":%" PRId64, schedule->source_alignment,
                 schedule->destination_alignment);
    return;
  case FIELD_ROWS:
    add_group(schedule->problem, &schedule->rows, text);
    return;
  case FIELD_COLUMNS:
    add_group(schedule->problem, &schedule->columns, text);
    return;
  case FIELD_LOOPS:
    add_loops(&schedule->loops, text);
    return;
  case FIELD_MOVE:
    add_move(schedule, text);
    return;
  case FIELD_STORE:
    rlt_text_add(text, "%s%s%s", schedule->buffered ? "buffered" : "unbuffered",
                 schedule->streamed ? "+streamed" : "", schedule->combined ? "+combined" : "");
    return;
  case FIELD_PREFETCH:
    if (schedule->prefetch.tiles > 0) {
      rlt_text_add(text, "%" PRId32 ":%" PRId32, schedule->prefetch.tiles,
                   schedule->prefetch.level);
    }
    return;
  default:
    break;
  }
  const int64_t count = number == FIELD_THREADS ? schedule->threads
                        : number == FIELD_GROUP ? schedule->group_size
                                                : schedule->grain;
  if (count > 1) {
    rlt_text_add(text, "%" PRId64, count);
  }
}

void rlt_schedule_add_text(const rlt_schedule *schedule, rlt_text *text) {
  rlt_text_add(text, "%s", schedule->method->name);
  for (int f = 0; f < FIELDS; ++f) {
    char value[LONGEST_FIELD];
    rlt_text value_text = rlt_text_in(value, sizeof value);
    add_field(schedule, (field)f, &value_text);
    if (value_text.length > 0) {
      rlt_text_add(text, " %s=%s", field_names[f], value);
    }
  }
}

/* ---- Reading ---- */

typedef struct fields {
  const rlt_method *method;
  rlt_word of[FIELDS]; /* NULL: the field is not there */
} fields;

static int field_named(const char *name, size_t length) {
  for (int f = 0; f < FIELDS; ++f) {
    if (strlen(field_names[f]) == length && memcmp(field_names[f], name, length) == 0) {
      return f;
    }
  }
  return -1;
}

static relayout_status read_field(rlt_word word, fields *read, relayout_error *error) {
  const char *const equals = memchr(word.at, '=', word.length);
  const int f = equals == NULL ? -1 : field_named(word.at, (size_t)(equals - word.at));
  if (f < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "schedule: `%s` is not a field of a schedule",
                    rlt_word_shown(word).text);
  }
  if (read->of[f].at != NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "schedule: `%s` is given twice", field_names[f]);
  }
  if (word.at + word.length == equals + 1) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "schedule: `%s=` has no value", field_names[f]);
  }
  read->of[f] = (rlt_word){equals + 1, word.length - (size_t)(equals + 1 - word.at)};
  return RELAYOUT_OK;
}

static relayout_status read_fields(const char *text, size_t length, fields *read,
                                   relayout_error *error) {
  const char *at = text;
  const char *const end = text + length;
  const rlt_word name = rlt_word_next(&at, end);
  *read = (fields){.method = rlt_method_named(name.at, name.length)};
  if (read->method == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "schedule: `%s` is not a method",
                    rlt_word_shown(name).text);
  }
  relayout_status status = RELAYOUT_OK;
  for (rlt_word word = rlt_word_next(&at, end); word.length > 0 && status == RELAYOUT_OK;
       word = rlt_word_next(&at, end)) {
    status = read_field(word, read, error);
  }
  return status;
}

/* What a field counts, 1 where it is not there; 0 where it is no number. */
static int64_t number_of(rlt_word of) {
  int64_t number = of.length == 0 ? 1 : 0;
  for (size_t i = 0; i < of.length; ++i) {
    const char digit = of.at[i];
    if (digit < '0' || digit > '9' || number > INT64_MAX / 10 - 1) {
      return 0;
    }
    number = 10 * number + (digit - '0');
  }
  return number;
}

/* What is offered is for the device's largest groups, and what ran may have been for a half or
 * less of one, which was all that its kernel bore. */
static bool is_smaller_group(const rlt_schedule *offered, rlt_word wanted) {
  const int64_t group_size = number_of(wanted);
  return group_size > 0 && group_size < offered->group_size && (group_size & (group_size - 1)) == 0;
}

/* Whether the schedule has this field as it is wanted. */
static bool is_alike(const rlt_schedule *schedule, field number, rlt_word wanted) {
  char value[LONGEST_FIELD];
  rlt_text text = rlt_text_in(value, sizeof value);
  add_field(schedule, number, &text);
  return (text.length == wanted.length &&
          (wanted.length == 0 || memcmp(value, wanted.at, wanted.length) == 0)) ||
         (number == FIELD_GROUP && is_smaller_group(schedule, wanted));
}

/* How many fields are as this schedule has them; `*other` becomes the first that is not, if any. */
static int count_alike(const rlt_schedule *schedule, const fields *read, int *other) {
  int alike = 0;
  *other = -1;
  for (int f = 0; f < FIELDS; ++f) {
    if (is_alike(schedule, (field)f, read->of[f])) {
      ++alike;
    } else if (*other < 0) {
      *other = f;
    }
  }
  return alike;
}

static relayout_status fail_as_unlike(const rlt_schedule *nearest, int f, rlt_word wanted,
                                      relayout_error *error) {
  char value[LONGEST_FIELD];
  rlt_text text = rlt_text_in(value, sizeof value);
  add_field(nearest, (field)f, &text);
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "schedule: no schedule of this relayout has `%s=%s`; the nearest has `%s=%.48s`",
                  field_names[f], rlt_word_shown(wanted).text, field_names[f],
                  text.length == 0 ? "" : value);
}

/* The candidate that is most like it, and in how many fields; -1: none is of its method. */
typedef struct likeness {
  int32_t nearest;
  int fields;
  int other; /* the first that differs; -1: none does */
} likeness;

static likeness find_nearest(const rlt_candidates *candidates, const fields *read) {
  likeness found = {.nearest = -1, .fields = -1, .other = -1};
  for (int32_t i = 0; i < candidates->count && found.fields < FIELDS; ++i) {
    const rlt_schedule *const offered = &candidates->of[i].schedule;
    int differs;
    const int alike = offered->method == read->method ? count_alike(offered, read, &differs) : -1;
    if (alike > found.fields) {
      found = (likeness){.nearest = i, .fields = alike, .other = differs};
    }
  }
  return found;
}

/* The nearest candidate that has the wanted tile and was not varied; -1 where there is none. */
static int32_t find_unvaried(const rlt_candidates *candidates, const fields *read) {
  static const field tile[] = {FIELD_ROWS, FIELD_COLUMNS, FIELD_WORD};
  enum { TILE_FIELDS = sizeof tile / sizeof tile[0] };
  int32_t nearest = -1;
  int most = -1;
  for (int32_t i = 0; i < candidates->count; ++i) {
    const rlt_schedule *const offered = &candidates->of[i].schedule;
    bool counts = offered->method == read->method && !candidates->of[i].varied;
    for (int f = 0; f < TILE_FIELDS && counts; ++f) {
      counts = is_alike(offered, tile[f], read->of[tile[f]]);
    }
    int differs;
    const int alike = counts ? count_alike(offered, read, &differs) : -1;
    if (alike > most) {
      most = alike;
      nearest = i;
    }
  }
  return nearest;
}

/* What is hardly ever the best is offered only now, and then what differs from the nearest in one
 * respect, and from those in another. */
static likeness find_among_all(rlt_candidates *candidates, const fields *read) {
  enum { MOST_VARIED = 8 };
  likeness found = find_nearest(candidates, read);
  if (found.fields < FIELDS) {
    rlt_candidates_add_all(candidates);
    found = find_nearest(candidates, read);
  }
  for (int i = 0; i < MOST_VARIED && found.fields < FIELDS; ++i) {
    const int32_t varied = find_unvaried(candidates, read);
    if (varied < 0) {
      break;
    }
    rlt_candidates_vary(candidates, varied);
    found = find_nearest(candidates, read);
  }
  return found;
}

/* The first field that differs and is no part of the order of tiles; -1: none does. The loops of
 * tiles that finish each other's lines are their own. */
static int other_tile_field(const rlt_schedule *schedule, const fields *read) {
  for (int f = 0; f < FIELDS; ++f) {
    const bool is_order =
        f == FIELD_PREFETCH || f == FIELD_THREADS || (f == FIELD_LOOPS && !schedule->combined);
    if (!is_order && !is_alike(schedule, (field)f, read->of[f])) {
      return f;
    }
  }
  return -1;
}

/* The candidate with the wanted tile, whatever its order; -1: there is none. */
static int32_t find_tile(const rlt_candidates *candidates, const fields *read) {
  for (int32_t i = 0; i < candidates->count; ++i) {
    const rlt_schedule *const offered = &candidates->of[i].schedule;
    if (offered->method == read->method && other_tile_field(offered, read) < 0) {
      return i;
    }
  }
  return -1;
}

/* Adds the wanted schedule where it only has the tiles of a candidate in another order. Otherwise
 * the error names what the nearest has not. */
static relayout_status add_reordered(rlt_candidates *candidates, const fields *read,
                                     const likeness *best, int32_t *found, relayout_error *error) {
  const rlt_schedule *const nearest = &candidates->of[best->nearest].schedule;
  const bool reorders = candidates->facts->target->reorders;
  const int32_t like = reorders ? find_tile(candidates, read) : -1;
  if (like < 0) {
    const int other = reorders ? other_tile_field(nearest, read) : best->other;
    return fail_as_unlike(nearest, other, read->of[other], error);
  }
  const rlt_tile_order_text order = {read->of[FIELD_LOOPS], read->of[FIELD_PREFETCH],
                                     read->of[FIELD_THREADS]};
  rlt_schedule made = candidates->of[like].schedule;
  const relayout_status status = rlt_tile_order_read(candidates->facts, &order, &made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  *found = rlt_candidates_add_finished(candidates, &made);
  return *found >= 0 ? RELAYOUT_OK
                     : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's schedules");
}

relayout_status rlt_candidates_find(rlt_candidates *candidates, const char *schedule, size_t length,
                                    int32_t *found, int64_t *group_size, relayout_error *error) {
  fields read;
  relayout_status status = read_fields(schedule, length, &read, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const likeness best = find_among_all(candidates, &read);
  if (best.nearest < 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: method `%s` has no schedule for this relayout", read.method->name);
  }
  *found = best.nearest;
  if (best.other >= 0) {
    status = add_reordered(candidates, &read, &best, found, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (group_size != NULL) {
    *group_size = number_of(read.of[FIELD_GROUP]);
  }
  return RELAYOUT_OK;
}
