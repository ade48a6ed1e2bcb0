/* schedule_text.c: schedules as fields of text, printed and read. */
#include "schedule/schedule_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "search/method.h"

static const char *const field_names[] = {
#define FIELD_NAME(name, text) text,
    RLT_SCHEDULE_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

/* Of the loops, which are the most: fewer than 2^61 elements are in no more than 60 axes, and each
 * may be a loop twice, with few digits each. */
enum { LONGEST_FIELD = 1 << 10 };

static const char specialized[] = "specialized";

/* ---- Printing ---- */

static void add_group(const rlt_problem *problem, const rlt_group *group, rlt_text *text) {
  if (group->axis_count == 0) {
    rlt_text_add(text, "-");
  }
  for (int32_t i = 0; i < group->axis_count; ++i) {
    rlt_text_add(text, "%s%" PRId32, i == 0 ? "" : ",", group->axes[i]);
  }
  if (group->axis_count > 0 && group->steps < rlt_group_extent(problem, group)) {
    rlt_text_add(text, ":%" PRId64, group->steps);
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
  rlt_text_add(text, "%s%s%s%s%s%s%s", schedule->loads ? "load>" : "",
               problem->source_packed > 0 ? "unpack>" : "",
               rlt_converts(&problem->conversion) ? "convert>" : "", rlt_move_name(schedule->move),
               problem->shuffles ? ">shuffle" : "", problem->reversed_bits > 0 ? ">reverse" : "",
               problem->destination_packed > 0 ? ">pack" : "");
}

/* Nothing where a field has the value that is not printed. */
static void add_field(const rlt_schedule *schedule, rlt_schedule_field number, rlt_text *text) {
  switch (number) {
  case RLT_FIELD_WORD:
    rlt_text_add(text, "%" PRId64, schedule->problem->element_bytes);
    return;
  case RLT_FIELD_ALIGN:
    rlt_text_add(text, "%" PRId64 ":%" PRId64, schedule->source_alignment,
                 schedule->destination_alignment);
    return;
  case RLT_FIELD_ROWS:
    add_group(schedule->problem, &schedule->rows, text);
    return;
  case RLT_FIELD_COLUMNS:
    add_group(schedule->problem, &schedule->columns, text);
    return;
  case RLT_FIELD_LOOPS:
    add_loops(&schedule->loops, text);
    return;
  case RLT_FIELD_MOVE:
    add_move(schedule, text);
    return;
  case RLT_FIELD_STORE:
    rlt_text_add(text, "%s%s%s", schedule->buffered ? "buffered" : "unbuffered",
                 schedule->streamed ? "+streamed" : "", schedule->combined ? "+combined" : "");
    return;
  case RLT_FIELD_PREFETCH:
    if (schedule->prefetch.tiles > 0) {
      rlt_text_add(text, "%" PRId32 ":%" PRId32, schedule->prefetch.tiles,
                   schedule->prefetch.level);
    }
    return;
  case RLT_FIELD_KERNEL:
    rlt_text_add(text, "%s", schedule->specialized ? specialized : "");
    return;
  default:
    break;
  }
  const int64_t count = number == RLT_FIELD_THREADS ? schedule->threads
                        : number == RLT_FIELD_GROUP ? schedule->group_size
                                                    : schedule->grain;
  if (count > 1) {
    rlt_text_add(text, "%" PRId64, count);
  }
}

void rlt_schedule_add_text(const rlt_schedule *schedule, rlt_text *text) {
  rlt_text_add(text, "%s", schedule->method->name);
  for (int f = 0; f < RLT_FIELDS; ++f) {
    char value[LONGEST_FIELD];
    rlt_text value_text = rlt_text_in(value, sizeof value);
    add_field(schedule, (rlt_schedule_field)f, &value_text);
    if (value_text.length > 0) {
      rlt_text_add(text, " %s=%s", field_names[f], value);
    }
  }
}

/* ---- Reading ---- */

static int field_named(const char *name, size_t length) {
  for (int f = 0; f < RLT_FIELDS; ++f) {
    if (strlen(field_names[f]) == length && memcmp(field_names[f], name, length) == 0) {
      return f;
    }
  }
  return -1;
}

static relayout_status read_field(rlt_word word, rlt_schedule_fields *read, relayout_error *error) {
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

relayout_status rlt_schedule_read_fields(const char *text, size_t length, rlt_schedule_fields *read,
                                         relayout_error *error) {
  const char *at = text;
  const char *const end = text + length;
  const rlt_word name = rlt_word_next(&at, end);
  *read = (rlt_schedule_fields){.method = rlt_method_named(name.at, name.length)};
  if (read->method == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "schedule: `%s` is not a method",
                    rlt_word_shown(name).text);
  }
  relayout_status status = RELAYOUT_OK;
  for (rlt_word word = rlt_word_next(&at, end); word.length > 0 && status == RELAYOUT_OK;
       word = rlt_word_next(&at, end)) {
    status = read_field(word, read, error);
  }
  static const rlt_schedule_field counts[] = {RLT_FIELD_THREADS, RLT_FIELD_GROUP, RLT_FIELD_GRAIN};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    if (rlt_word_is(read->of[counts[i]], "1")) {
      read->of[counts[i]].length = 0; /* as it is printed */
    }
  }
  return status;
}

int64_t rlt_schedule_field_number(rlt_word of) {
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

bool rlt_schedule_field_specializes(rlt_word of) {
  return rlt_word_is(of, specialized);
}

/* What is offered is for the device's largest groups, and what ran may have been for a half or
 * less of one, which was all that its kernel bore. */
static bool is_smaller_group(const rlt_schedule *offered, rlt_word wanted) {
  const int64_t group_size = rlt_schedule_field_number(wanted);
  return group_size > 0 && group_size < offered->group_size && (group_size & (group_size - 1)) == 0;
}

bool rlt_schedule_has_field(const rlt_schedule *schedule, rlt_schedule_field number,
                            rlt_word wanted) {
  char value[LONGEST_FIELD];
  rlt_text text = rlt_text_in(value, sizeof value);
  add_field(schedule, number, &text);
  return (text.length == wanted.length &&
          (wanted.length == 0 || memcmp(value, wanted.at, wanted.length) == 0)) ||
         (number == RLT_FIELD_GROUP && is_smaller_group(schedule, wanted));
}

relayout_status rlt_schedule_fail_field(const rlt_schedule *nearest, rlt_schedule_field number,
                                        rlt_word wanted, relayout_error *error) {
  char value[LONGEST_FIELD];
  rlt_text text = rlt_text_in(value, sizeof value);
  add_field(nearest, number, &text);
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "schedule: no schedule of this relayout has `%s=%s`; the nearest has `%s=%.48s`",
                  field_names[number], rlt_word_shown(wanted).text, field_names[number],
                  text.length == 0 ? "" : value);
}
