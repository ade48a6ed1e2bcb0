/* mesh_text.c: the named form of shardings: a mesh of devices whose axes have names, and for each
 * dimension of the tensor the axes that cut it. It stands for shards on transposed device numbers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "metadata/quote.h"
#include "metadata/sharding_grid.h"

enum { MOST_AXES = RELAYOUT_MAX_DEVICE_DIMENSIONS, MOST_REFERENCES = 32 };
enum { MOST_PARTS = MOST_AXES + 2 * MOST_REFERENCES };
_Static_assert((int)MOST_PARTS <= (int)RLT_MOST_GRID_DIMENSIONS, "parts of axes are a grid");

typedef struct axis {
  const char *name;
  size_t length;
  int64_t size;
} axis;

/* What axes are used for: numbers of dimensions, or these. What nothing uses is replicated. */
enum { MANUAL = -1, UNREDUCED = -2, REPLICATED = -3 };

/* What of an axis is used: all of it, or the part of `size` that has `before` in front of it, which
 * is more major. */
typedef struct reference {
  int32_t axis;
  int64_t before, size;
  int32_t use;
  int32_t number; /* in the text, counted from 0 */
} reference;

typedef struct mesh {
  int32_t axis_count;
  axis axes[MOST_AXES];
  relayout_device_order order;
  int32_t rank;
  int32_t reference_count;
  reference references[MOST_REFERENCES];
} mesh;

/* ---- Axes ----------------------------------------------------------------------------------- */

static int32_t find_axis(const mesh *of, const char *name, size_t length) {
  int32_t a = 0;
  while (a < of->axis_count &&
         (of->axes[a].length != length || memcmp(of->axes[a].name, name, length) != 0)) {
    ++a;
  }
  return a;
}

/* `x=2` */
static bool parse_axis(rlt_tokens *in, mesh *made) {
  rlt_tokens_skip_space(in);
  axis found = {.name = in->at, .length = rlt_tokens_word(in)};
  if (found.length == 0) {
    return rlt_tokens_fail_expected(in, "the name of an axis");
  }
  if (find_axis(made, found.name, found.length) < made->axis_count) {
    return rlt_tokens_fail(in, found.name, RELAYOUT_INVALID_TEXT, "axis %s is there twice",
                           rlt_quote_text(found.name, found.length).text);
  }
  if (made->axis_count == MOST_AXES) {
    return rlt_tokens_fail(in, found.name, RELAYOUT_UNSUPPORTED, "there are more than %d axes",
                           MOST_AXES);
  }
  in->at += found.length;
  if (!rlt_tokens_expect(in, '=') ||
      !rlt_tokens_number(in, "an axis's size", 1, RELAYOUT_MAX_DEVICES, &found.size)) {
    return false;
  }
  made->axes[made->axis_count++] = found;
  return true;
}

/* `[x=2,y=4]`, and the devices, which are 0, 1, 2, ... where no others are given. */
static bool parse_mesh(rlt_tokens *in, mesh *made) {
  rlt_tokens_skip_space(in);
  const char *const start = in->at;
  if (!rlt_tokens_expect(in, '[')) {
    return false;
  }
  do {
    if (!parse_axis(in, made)) {
      return false;
    }
  } while (rlt_tokens_take(in, ','));
  int64_t sizes[MOST_AXES];
  for (int32_t a = 0; a < made->axis_count; ++a) {
    sizes[a] = made->axes[a].size;
  }
  const int64_t count = rlt_sharding_grid_count(made->axis_count, sizes);
  if (count == 0) {
    return rlt_tokens_fail(in, start, RELAYOUT_SIZE_OVERFLOW, "there are more than %d devices",
                           RELAYOUT_MAX_DEVICES);
  }
  rlt_device_order_make(1, &count, NULL, &made->order);
  if (!rlt_tokens_expect(in, ']') || !rlt_tokens_expect(in, ',')) {
    return false;
  }
  if (!rlt_tokens_take_word(in, "device_ids")) {
    return true;
  }
  return rlt_tokens_expect(in, '=') && rlt_tokens_expect(in, '(') &&
         (rlt_tokens_peek(in) == '[' ? rlt_device_array_parse(in, count, &made->order)
                                     : rlt_device_list_parse(in, count, &made->order)) &&
         rlt_tokens_expect(in, ')') && rlt_tokens_expect(in, ',');
}

/* ---- What axes cut -------------------------------------------------------------------------- */

/* Two parts of an axis go together if they do not overlap, and the one ends where a multiple of its
 * size begins. */
static bool go_together(const reference *a, const reference *b) {
  const reference *const first = a->before < b->before ? a : b;
  const reference *const second = first == a ? b : a;
  return a->axis != b->axis || second->before % (first->before * first->size) == 0;
}

/* `y` or `y:(1)2` */
static bool parse_reference(rlt_tokens *in, int32_t use, mesh *made) {
  rlt_tokens_skip_space(in);
  const char *const start = in->at;
  reference found = {.before = 1, .use = use, .number = made->reference_count};
  const size_t length = rlt_tokens_word(in);
  found.axis = find_axis(made, in->at, length);
  if (length == 0) {
    return rlt_tokens_fail_expected(in, "an axis");
  }
  if (found.axis == made->axis_count) {
    return rlt_tokens_fail(in, start, RELAYOUT_INVALID_TEXT, "%s is no axis of the mesh",
                           rlt_quote_text(start, length).text);
  }
  in->at += length;
  const int64_t whole = made->axes[found.axis].size;
  found.size = whole;
  if (rlt_tokens_take(in, ':')) {
    if (!rlt_tokens_expect(in, '(') ||
        !rlt_tokens_number(in, "what is before", 1, RELAYOUT_MAX_DEVICES, &found.before) ||
        !rlt_tokens_expect(in, ')') ||
        !rlt_tokens_number(in, "a part of an axis", 2, RELAYOUT_MAX_DEVICES, &found.size)) {
      return false;
    }
    if (found.size == whole || found.before > whole || whole % (found.before * found.size) != 0) {
      return rlt_tokens_fail(in, start, RELAYOUT_INVALID_TEXT,
                             "(%" PRId64 ")%" PRId64 " is no part of an axis of %" PRId64,
                             found.before, found.size, whole);
    }
  }
  for (int32_t r = 0; r < made->reference_count; ++r) {
    if (!go_together(&made->references[r], &found)) {
      return rlt_tokens_fail(in, start, RELAYOUT_INVALID_TEXT,
                             "axis %s is used twice, or its parts do not go together",
                             rlt_quote_text(start, length).text);
    }
  }
  if (made->reference_count == MOST_REFERENCES) {
    return rlt_tokens_fail(in, start, RELAYOUT_UNSUPPORTED, "axes are used more than %d times",
                           MOST_REFERENCES);
  }
  made->references[made->reference_count++] = found;
  return true;
}

/* `{x, y}`; a `?` at its end, which leaves the dimension open to XLA's propagation, says nothing of
 * where the tensor is. */
static bool parse_references(rlt_tokens *in, int32_t use, mesh *made) {
  if (!rlt_tokens_expect(in, '{')) {
    return false;
  }
  if (rlt_tokens_take(in, '}')) {
    return true;
  }
  do {
    if (use >= 0 && rlt_tokens_take(in, '?')) {
      return rlt_tokens_expect(in, '}');
    }
    if (!parse_reference(in, use, made)) {
      return false;
    }
  } while (rlt_tokens_take(in, ','));
  return rlt_tokens_expect(in, '}');
}

/* `[{x}, {y}]` */
static bool parse_dimensions(rlt_tokens *in, mesh *made) {
  if (!rlt_tokens_expect(in, '[')) {
    return false;
  }
  if (rlt_tokens_take(in, ']')) {
    return true;
  }
  do {
    rlt_tokens_skip_space(in);
    if (made->rank == RELAYOUT_MAX_RANK) {
      return rlt_tokens_fail(in, in->at, RELAYOUT_INVALID_TEXT, "there are more than %d dimensions",
                             RELAYOUT_MAX_RANK);
    }
    if (!parse_references(in, made->rank, made)) {
      return false;
    }
    ++made->rank;
  } while (rlt_tokens_take(in, ','));
  return rlt_tokens_expect(in, ']');
}

/* `, replicated={x}, unreduced={y}, manual={z}`, as many of them as there are. */
static bool parse_others(rlt_tokens *in, mesh *made) {
  static const struct {
    const char *name;
    int32_t use;
  } uses[] = {{"replicated", REPLICATED}, {"unreduced", UNREDUCED}, {"manual", MANUAL}};
  enum { USES = sizeof uses / sizeof uses[0] };
  while (rlt_tokens_take(in, ',')) {
    int u = 0;
    while (u < USES && !rlt_tokens_take_word(in, uses[u].name)) {
      ++u;
    }
    if (u == USES) {
      return rlt_tokens_fail_expected(in, "replicated, unreduced or manual");
    }
    if (!rlt_tokens_expect(in, '=') || !parse_references(in, uses[u].use, made)) {
      return false;
    }
  }
  return true;
}

/* ---- The grid ------------------------------------------------------------------------------- */

/* A part of an axis that is used in one way. */
typedef struct part {
  int64_t size;
  int32_t use;
  int32_t number; /* in the text; MOST_REFERENCES of those that are replicated */
} part;

static int by_place(const void *a, const void *b) {
  const reference *const x = a, *const y = b;
  return x->axis != y->axis       ? (x->axis < y->axis ? -1 : 1)
         : x->before != y->before ? (x->before < y->before ? -1 : 1)
                                  : 0;
}

/* The parts of all axes, the most major first; how many there are. */
static int32_t parts_of(const mesh *of, part parts[MOST_PARTS]) {
  reference sorted[MOST_REFERENCES];
  memcpy(sorted, of->references, sizeof sorted);
  qsort(sorted, (size_t)of->reference_count, sizeof *sorted, by_place);
  int32_t count = 0, r = 0;
  for (int32_t a = 0; a < of->axis_count; ++a) {
    int64_t before = 1;
    for (; r < of->reference_count && sorted[r].axis == a; ++r) {
      parts[count++] = (part){sorted[r].before / before, REPLICATED, MOST_REFERENCES};
      parts[count++] = (part){sorted[r].size, sorted[r].use,
                              sorted[r].use == REPLICATED ? MOST_REFERENCES : sorted[r].number};
      before = sorted[r].before * sorted[r].size;
    }
    parts[count++] = (part){of->axes[a].size / before, REPLICATED, MOST_REFERENCES};
  }
  return count;
}

/* The parts that are used in this way become the next dimension of the grid: those of the tensor's
 * dimensions in the text's order, replicated ones in the mesh's. */
static int64_t take_parts(const part *parts, int32_t count, int32_t use, int32_t *permutation,
                          int32_t *taken) {
  int64_t size = 1;
  const int32_t first = use == REPLICATED ? MOST_REFERENCES : 0;
  for (int32_t number = first; number <= MOST_REFERENCES; ++number) {
    for (int32_t i = 0; i < count; ++i) {
      if (parts[i].use == use && parts[i].number == number) {
        permutation[(*taken)++] = i;
        size *= parts[i].size;
      }
    }
  }
  return size;
}

static bool finish(rlt_tokens *in, const char *where, mesh *of, relayout_sharding *made) {
  static const struct {
    int32_t use;
    relayout_subgroup subgroup;
  } subgroups[] = {{MANUAL, RELAYOUT_SUBGROUP_MANUAL},
                   {UNREDUCED, RELAYOUT_SUBGROUP_UNREDUCED},
                   {REPLICATED, RELAYOUT_SUBGROUP_REPLICATED}};
  part parts[MOST_PARTS];
  int64_t sizes[MOST_PARTS];
  int32_t permutation[MOST_PARTS];
  const int32_t count = parts_of(of, parts);
  int32_t taken = 0;
  rlt_sharding_grid grid = {.rank = of->rank};
  for (int32_t i = 0; i < count; ++i) {
    sizes[i] = parts[i].size;
  }
  for (int32_t d = 0; d < of->rank; ++d) {
    grid.sizes[d] = take_parts(parts, count, d, permutation, &taken);
  }
  for (size_t s = 0; s < sizeof subgroups / sizeof subgroups[0]; ++s) {
    const int32_t i = grid.subgroup_count++;
    grid.sizes[of->rank + i] = take_parts(parts, count, subgroups[s].use, permutation, &taken);
    grid.subgroups[i] = subgroups[s].subgroup;
  }
  grid.order = of->order;
  if (!rlt_device_order_transpose(&grid.order, count, sizes, permutation)) {
    return rlt_tokens_fail(in, where, RELAYOUT_UNSUPPORTED,
                           "this order of devices could only be listed, which ends at %d devices",
                           RELAYOUT_MAX_DEVICE_LIST);
  }
  return rlt_sharding_grid_finish(in, where, &grid, made);
}

/* ---- Both forms ----------------------------------------------------------------------------- */

/* `maximal_mesh[device_id=3]` */
static bool parse_maximal(rlt_tokens *in, relayout_sharding *made) {
  int64_t device;
  if (!rlt_tokens_expect(in, '[')) {
    return false;
  }
  if (!rlt_tokens_take_word(in, "device_id")) {
    return rlt_tokens_fail_expected(in, "device_id=");
  }
  if (!rlt_tokens_expect(in, '=') ||
      !rlt_tokens_number(in, "a device", 0, RELAYOUT_MAX_DEVICES - 1, &device) ||
      !rlt_tokens_expect(in, ']')) {
    return false;
  }
  *made = (relayout_sharding){.kind = RELAYOUT_SHARDING_MAXIMAL, .device = device};
  return true;
}

bool rlt_mesh_parse(rlt_tokens *in, relayout_sharding *made) {
  static const struct {
    const char *name;
    relayout_sharding_kind kind;
  } wholes[] = {{"replicated", RELAYOUT_SHARDING_REPLICATED},
                {"unreduced", RELAYOUT_SHARDING_UNREDUCED},
                {"manual", RELAYOUT_SHARDING_MANUAL}};
  const char *const start = in->at;
  if (rlt_tokens_take_word(in, "maximal_mesh")) {
    return parse_maximal(in, made);
  }
  mesh found = {.axis_count = 0};
  if (!rlt_tokens_take_word(in, "mesh") || !parse_mesh(in, &found)) {
    return false;
  }
  for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; ++i) {
    if (rlt_tokens_take_word(in, wholes[i].name)) {
      *made = (relayout_sharding){.kind = wholes[i].kind};
      return true;
    }
  }
  return parse_dimensions(in, &found) && parse_others(in, &found) &&
         finish(in, start, &found, made);
}
