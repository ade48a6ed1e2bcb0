/* many_schedule.c: see many_schedule.h. */
#include "plan/many_schedule.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "metadata/fields.h"

/* X(NAME, text): in the order in which they are printed. */
#define FIELDS_TABLE(X)                                                                            \
  X(ORDER, "order")                                                                                \
  X(SIZES, "sizes")                                                                                \
  X(GROUP, "group")                                                                                \
  X(LOADS, "loads")                                                                                \
  X(STORES, "stores")

typedef enum field {
#define FIELD_ENUMERATOR(name, text) FIELD_##name,
  FIELDS_TABLE(FIELD_ENUMERATOR)
#undef FIELD_ENUMERATOR
      FIELDS
} field;

static const char *const names[] = {
#define FIELD_NAME(name, text) text,
    FIELDS_TABLE(FIELD_NAME)
#undef FIELD_NAME
};

/* ---- Printing ------------------------------------------------------------------------------- */

static void add_list(const char *name, const int64_t *numbers, int32_t count, rlt_text *text) {
  for (int32_t i = 0; i < count; ++i) {
    if (i == 0) {
      rlt_text_add(text, " %s=", name);
    }
    rlt_text_add(text, "%s%" PRId64, i == 0 ? "" : ",", numbers[i]);
  }
}

void rlt_many_schedule_add_text(const rlt_many_schedule *schedule, rlt_text *text) {
  int64_t order[RELAYOUT_MAX_RANK];
  for (int32_t i = 0; i < schedule->rank && schedule->has_order; ++i) {
    order[i] = schedule->order[i];
  }
  rlt_text_add(text, RLT_MANY_METHOD);
  add_list(names[FIELD_ORDER], order, schedule->has_order ? schedule->rank : 0, text);
  add_list(names[FIELD_SIZES], schedule->sizes, schedule->has_sizes ? schedule->rank : 0, text);
  add_list(names[FIELD_GROUP], &schedule->group_size, schedule->group_size > 0 ? 1 : 0, text);
  add_list(names[FIELD_LOADS], &schedule->loads, schedule->loads > 0 ? 1 : 0, text);
  add_list(names[FIELD_STORES], schedule->stores, schedule->store_count, text);
}

bool rlt_many_schedules_equal(const rlt_many_schedule *a, const rlt_many_schedule *b) {
  char first[RLT_MANY_TEXT_SIZE], second[RLT_MANY_TEXT_SIZE];
  rlt_text text = rlt_text_in(first, sizeof first);
  rlt_many_schedule_add_text(a, &text);
  text = rlt_text_in(second, sizeof second);
  rlt_many_schedule_add_text(b, &text);
  return strcmp(first, second) == 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct reader {
  const char *text;
  relayout_error *error;
  uint32_t given; /* bit f: field f */
} reader;

static relayout_status fail_at(const reader *at, rlt_word word, const char *what) {
  return rlt_fail(at->error, RELAYOUT_INVALID_TEXT, "schedule: column %td: `%s` %s",
                  word.at - at->text + 1, rlt_word_shown(word).text, what);
}

/* Numbers from `least` to `most`, with commas between them: exactly, or at most, `count`. */
static relayout_status read_list(const reader *at, field which, rlt_word list, int64_t least,
                                 int64_t most, int32_t count, int64_t *numbers, int32_t *read) {
  rlt_word rest = list;
  *read = 0;
  do {
    const rlt_word word = rlt_word_cut(&rest, ',');
    const bool is_last = word.at + word.length == list.at + list.length;
    if (*read == count) {
      return rlt_fail(at->error, RELAYOUT_INVALID_TEXT,
                      "schedule: column %td: `%s` has more than %" PRId32 " numbers",
                      word.at - at->text + 1, names[which], count);
    }
    if (!rlt_word_number(word, least, most, &numbers[*read])) {
      return rlt_fail(at->error, RELAYOUT_INVALID_TEXT,
                      "schedule: column %td: `%s` is no number of `%s`: expected %" PRId64
                      " to %" PRId64,
                      word.at - at->text + 1, rlt_word_shown(word).text, names[which], least, most);
    }
    *read += 1;
    if (is_last) {
      return RELAYOUT_OK;
    }
  } while (true);
}

static relayout_status read_dimensions(const reader *at, field which, rlt_word list, int64_t least,
                                       int64_t most, int32_t rank, int64_t *numbers) {
  int32_t read = 0;
  const relayout_status status = read_list(at, which, list, least, most, rank, numbers, &read);
  return status == RELAYOUT_OK && read < rank
             ? rlt_fail(at->error, RELAYOUT_INVALID_TEXT,
                        "schedule: column %td: `%s` has %" PRId32 " numbers; expected %" PRId32
                        ", one for each dimension",
                        list.at - at->text + 1, names[which], read, rank)
             : status;
}

static relayout_status read_order(const reader *at, rlt_word list, rlt_many_schedule *made) {
  bool is_there[RELAYOUT_MAX_RANK] = {false};
  int64_t order[RELAYOUT_MAX_RANK];
  const relayout_status status =
      read_dimensions(at, FIELD_ORDER, list, 0, made->rank - 1, made->rank, order);
  for (int32_t i = 0; i < made->rank && status == RELAYOUT_OK; ++i) {
    if (is_there[order[i]]) {
      return rlt_fail(at->error, RELAYOUT_INVALID_TEXT,
                      "schedule: column %td: `%s` has dimension %" PRId64 " twice",
                      list.at - at->text + 1, names[FIELD_ORDER], order[i]);
    }
    is_there[order[i]] = true;
    made->order[i] = (int32_t)order[i];
  }
  made->has_order = true;
  return status;
}

static relayout_status read_field(reader *at, rlt_word word, rlt_many_schedule *made) {
  enum { MOST_COUNT = 1 << 20 };
  rlt_word value = word;
  const rlt_word name = rlt_word_cut(&value, '=');
  int32_t read = 0;
  int f = 0;
  while (f < FIELDS && !rlt_word_is(name, names[f])) {
    ++f;
  }
  if (f == FIELDS || name.length == word.length ||
      (made->rank == 0 && (f == FIELD_ORDER || f == FIELD_SIZES))) {
    return fail_at(at, word, "is not a field of a schedule of boxes");
  }
  if ((at->given >> f & 1) != 0) {
    return fail_at(at, name, "is given twice");
  }
  at->given |= 1U << f;
  switch ((field)f) {
  case FIELD_ORDER:
    return read_order(at, value, made);
  case FIELD_SIZES:
    made->has_sizes = true;
    return read_dimensions(at, FIELD_SIZES, value, 1, INT64_MAX, made->rank, made->sizes);
  case FIELD_GROUP:
    return read_list(at, FIELD_GROUP, value, 1, MOST_COUNT, 1, &made->group_size, &read);
  case FIELD_LOADS:
    return read_list(at, FIELD_LOADS, value, 1, MOST_COUNT, 1, &made->loads, &read);
  default:
    return read_list(at, FIELD_STORES, value, 1, MOST_COUNT, RLT_MOST_DESTINATIONS, made->stores,
                     &made->store_count);
  }
}

relayout_status rlt_many_schedule_read(const char *text, int32_t rank, rlt_many_schedule *made,
                                       relayout_error *error) {
  reader at = {text, error, 0};
  const char *next = text;
  const char *const end = text + strlen(text);
  const rlt_word name = rlt_word_next(&next, end);
  *made = (rlt_many_schedule){.rank = rank};
  if (!rlt_word_is(name, RLT_MANY_METHOD)) {
    return fail_at(&at, name, "is not `" RLT_MANY_METHOD "`, the method of several destinations");
  }
  relayout_status status = RELAYOUT_OK;
  for (rlt_word word = rlt_word_next(&next, end); word.length > 0 && status == RELAYOUT_OK;
       word = rlt_word_next(&next, end)) {
    status = read_field(&at, word, made);
  }
  return status;
}
