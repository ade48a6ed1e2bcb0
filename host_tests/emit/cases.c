/* cases.c: index functions of random shapes in a language, and what they are to return.
 *
 *     emit_cases LANGUAGE FOLDER
 *
 * Writes into the folder: `emitted`, the text of all shapes, whose functions are called shape_0,
 * shape_1, ...; `calls.inc`, functions of one signature that call them, for languages that compile
 * as C; `cases`, for each shape a list of multi-indices and one of linear indices with what the
 * oracle says of them, in 64-bit numbers. RELAYOUT_EMIT_CASES and RELAYOUT_EMIT_SEED in the
 * environment say how many shapes, and which. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "oracle/oracle.h"
#include "relayout/emit.h"

#define PROGRAM "emit_cases"
#include "case_files.h"

enum { FEW = 3000, SAMPLES = 40, MOST_RANK = 6 };

typedef struct output {
  relayout_language language;
  bool is_narrow; /* the language has no more than 32 bits */
  FILE *text;
  FILE *calls;
  FILE *cases;
} output;

/* ---- Shapes --------------------------------------------------------------------------------- */

/* A dimension that no one looks through: of any size, or at a power of two that matters. */
static int64_t large_dimension(uint64_t *random, int64_t most) {
  const int64_t power = INT64_C(1) << random_below(random, 35);
  const int64_t size = power + random_below(random, 5) - 2;
  return size < 1 ? 1 : size > most ? 1 + random_below(random, most) : size;
}

static void draw_shape(uint64_t seed, int64_t most, relayout_shape *shape) {
  uint64_t random = seed;
  const bool is_large = random_below(&random, 4) == 0;
  const int32_t rank = (int32_t)random_below(&random, MOST_RANK + 1);
  const relayout_element_type type = random_element_type(&random);
  random_dimensions(&random, type, rank, FEW, shape);
  if (is_large) {
    int64_t room = most;
    for (int32_t d = 0; d < rank; ++d) {
      shape->dimensions[d] = large_dimension(&random, room);
      room /= shape->dimensions[d];
      room = room < 1 ? 1 : room;
    }
  }
  random_order(&random, shape);
  if (random_below(&random, 3) == 0) {
    random_padding(&random, shape);
  }
  if (random_below(&random, 3) > 0) {
    random_tiles(&random, is_large ? 4 * most : 4 * FEW, shape);
  }
  if (random_below(&random, 4) == 0) {
    random_tail(&random, shape);
  }
  shape->layout.element_size_in_bits = random_element_bits(&random, type);
  random_packing_order(&random, shape);
}

static int64_t width_of(const relayout_shape *shape, int32_t d) {
  return shape->layout.padded_dimension_count == 0 ? shape->dimensions[d]
                                                   : shape->layout.padded_dimensions[d];
}

static bool is_element(const relayout_shape *shape, const int64_t *index) {
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (index[d] >= shape->dimensions[d]) {
      return false;
    }
  }
  return true;
}

/* The next multi-index, those of padded dimensions among them. */
static bool advance(const relayout_shape *shape, int64_t *index) {
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    if (++index[d] < width_of(shape, d)) {
      return true;
    }
    index[d] = 0;
  }
  return false;
}

/* ---- Cases ---------------------------------------------------------------------------------- */

/* A list, whose length becomes known at its end. */
typedef struct list {
  int64_t *numbers;
  size_t count;
  size_t room;
  int64_t entries;
} list;

static void append(list *to, int64_t number) {
  if (to->count == to->room) {
    to->room = 2 * to->room + 64;
    to->numbers = realloc(to->numbers, to->room * sizeof *to->numbers);
    require(to->numbers != NULL, "no memory");
  }
  to->numbers[to->count++] = number;
}

static void append_index(list *to, const relayout_shape *shape, const int64_t *index) {
  for (int32_t d = 0; d < shape->rank; ++d) {
    append(to, index == NULL ? 0 : index[d]);
  }
}

/* index ..., linear */
static void append_forward(list *to, const relayout_shape *shape, const int64_t *index,
                           int64_t linear) {
  append_index(to, shape, index);
  append(to, linear);
  ++to->entries;
}

/* linear, whether an element lies there, index ... */
static void append_inverse(list *to, const relayout_shape *shape, const int64_t *index,
                           int64_t linear) {
  append(to, linear);
  append(to, index != NULL);
  append_index(to, shape, index);
  ++to->entries;
}

/* Every multi-index, and every place: what no element is found at is padding. */
static void list_all(const relayout_shape *shape, int64_t count, list *forward, list *inverse) {
  bool *const is_taken = calloc((size_t)count + 1, sizeof *is_taken);
  require(is_taken != NULL, "no memory");
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  bool has_more = true;
  for (int32_t d = 0; d < shape->rank; ++d) {
    has_more = has_more && width_of(shape, d) > 0;
  }
  for (; has_more; has_more = advance(shape, index)) {
    const int64_t linear = oracle_linear_index(shape, index);
    append_forward(forward, shape, index, linear);
    if (is_element(shape, index)) {
      append_inverse(inverse, shape, index, linear);
      is_taken[linear] = true;
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!is_taken[i]) {
      append_inverse(inverse, shape, NULL, i);
    }
  }
  free(is_taken);
}

/* Some, the first and the last of each dimension often among them. */
static void list_some(uint64_t seed, const relayout_shape *shape, list *forward, list *inverse) {
  uint64_t random = seed;
  for (int i = 0; i < SAMPLES; ++i) {
    int64_t index[RELAYOUT_MAX_RANK];
    for (int32_t d = 0; d < shape->rank; ++d) {
      const int64_t width = width_of(shape, d), kind = random_below(&random, 4);
      index[d] = kind == 0 ? width - 1 : kind == 1 ? 0 : random_below(&random, width);
    }
    const int64_t linear = oracle_linear_index(shape, index);
    append_forward(forward, shape, index, linear);
    append_inverse(inverse, shape, is_element(shape, index) ? index : NULL, linear);
  }
}

static void list_outside(const output *to, const relayout_shape *shape, int64_t count,
                         list *inverse) {
  const int64_t outside[] = {count,     count + 1, UINT32_MAX,  UINT32_MAX + count,
                             INT64_MAX, -1,        -UINT32_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
    const bool fits = outside[i] >= 0 && outside[i] <= UINT32_MAX;
    if ((outside[i] < 0 || outside[i] >= count) && (fits || !to->is_narrow)) {
      append_inverse(inverse, shape, NULL, outside[i]);
    }
  }
}

static void write_list(const output *to, const list *of) {
  fwrite(&of->entries, sizeof of->entries, 1, to->cases);
  if (of->count > 0) { // fwrite takes no null pointer, even for no numbers.
    fwrite(of->numbers, sizeof of->numbers[0], of->count, to->cases);
  }
  free(of->numbers);
}

static void write_cases(const output *to, uint64_t seed, const relayout_shape *shape) {
  list forward = {.entries = 0}, inverse = {.entries = 0};
  const int64_t count = oracle_element_count(shape), rank = shape->rank;
  if (count <= 4 * FEW) {
    list_all(shape, count, &forward, &inverse);
  } else {
    list_some(seed, shape, &forward, &inverse);
  }
  list_outside(to, shape, count, &inverse);
  fwrite(&rank, sizeof rank, 1, to->cases);
  write_list(to, &forward);
  write_list(to, &inverse);
}

/* ---- Text ----------------------------------------------------------------------------------- */

static void write_call(const output *to, uint64_t number, const relayout_shape *shape) {
  fprintf(to->calls,
          "RETURNS call_%" PRIu64 "(INDICES i) {\n  (void)i;\n  return (int64_t)shape_%" PRIu64 "(",
          number, number);
  for (int32_t d = 0; d < shape->rank; ++d) {
    fprintf(to->calls, "%s(integer)i[%d]", d > 0 ? ", " : "", (int)d);
  }
  fprintf(to->calls, ");\n}\n");
  fprintf(to->calls,
          "FINDS find_%" PRIu64 "(int64_t linear, NUMBERS indices) {\n  (void)indices;\n", number);
  fprintf(to->calls, "  return shape_%" PRIu64 "_inverse((integer)linear%s);\n}\n", number,
          !to->is_narrow || shape->rank > 0 ? ", indices" : "");
}

static void write_text(const output *to, uint64_t number, const relayout_shape *shape) {
  char name[32];
  snprintf(name, sizeof name, "shape_%" PRIu64, number);
  relayout_emit_options options = RELAYOUT_EMIT_OPTIONS_INIT;
  relayout_error error = {.message = ""};
  size_t length;
  options.language = to->language;
  options.name = name;
  require(relayout_shape_emit_index(shape, &options, NULL, 0, &length, &error) == RELAYOUT_OK,
          error.message);
  char *const text = malloc(length + 1);
  require(text != NULL, "no memory");
  relayout_shape_emit_index(shape, &options, text, length + 1, &length, &error);
  require(strlen(text) == length, "the text's length is not what was said");
  fprintf(to->text, "%s\n", text);
  free(text);
}

int main(int argument_count, char **arguments) {
  require(argument_count == 3, "usage: emit_cases LANGUAGE FOLDER");
  output to = {.is_narrow = false};
  require(relayout_language_parse(arguments[1], &to.language, NULL) == RELAYOUT_OK, arguments[1]);
  to.is_narrow = to.language == RELAYOUT_LANGUAGE_WGSL || to.language == RELAYOUT_LANGUAGE_GLSL;
  to.text = create(arguments[2], "emitted");
  to.calls = create(arguments[2], "calls.inc");
  to.cases = create(arguments[2], "cases");
  const uint64_t wanted = setting("RELAYOUT_EMIT_CASES", 500),
                 seed = setting("RELAYOUT_EMIT_SEED", 1);
  const int64_t most = to.is_narrow ? INT64_C(1) << 30 : INT64_C(1) << 44;
  uint64_t count = 0;
  for (uint64_t i = 0; count < wanted; ++i) {
    relayout_shape shape;
    draw_shape(seed + i, most, &shape);
    if (relayout_shape_validate(&shape, NULL) != RELAYOUT_OK ||
        (to.is_narrow && oracle_element_count(&shape) > UINT32_MAX)) {
      continue;
    }
    write_text(&to, count, &shape);
    write_call(&to, count, &shape);
    write_cases(&to, seed + i, &shape);
    ++count;
  }
  fprintf(to.calls, "static const calls all[] = {\n");
  for (uint64_t i = 0; i < count; ++i) {
    fprintf(to.calls, "  {call_%" PRIu64 ", find_%" PRIu64 "},\n", i, i);
  }
  fprintf(to.calls, "};\n");
  printf("%" PRIu64 " shapes from seed %" PRIu64 " on\n", count, seed);
  return fclose(to.text) + fclose(to.calls) + fclose(to.cases) == 0 ? 0 : 1;
}
