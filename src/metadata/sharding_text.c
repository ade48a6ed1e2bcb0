/* sharding_text.c: the text form of shardings, one function a rule of the grammar in sharding.h. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "metadata/quote.h"
#include "metadata/rules.h"
#include "metadata/sharding_grid.h"
#include "relayout/sharding.h"

/* ---- Numbers -------------------------------------------------------------------------------- */

bool rlt_numbers_parse(rlt_tokens *in, const char *brackets, const char *what, int64_t least,
                       int64_t most, int32_t capacity, int64_t *numbers, int32_t *count) {
  *count = 0;
  if (!rlt_tokens_expect(in, brackets[0])) {
    return false;
  }
  do {
    rlt_tokens_skip_space(in);
    const char *const start = in->at;
    int64_t number;
    if (!rlt_tokens_number(in, what, least, most, &number)) {
      return false;
    }
    if (*count == capacity) {
      return rlt_tokens_fail(in, start, RELAYOUT_UNSUPPORTED,
                             "there are more than %" PRId32 " numbers, each %s", capacity, what);
    }
    numbers[(*count)++] = number;
  } while (rlt_tokens_take(in, ','));
  return rlt_tokens_expect(in, brackets[1]);
}

bool rlt_device_list_parse(rlt_tokens *in, int64_t count, relayout_device_order *order) {
  const char *const start = in->at;
  *order = (relayout_device_order){.rank = 0};
  if (count > RELAYOUT_MAX_DEVICE_LIST) {
    return rlt_tokens_fail(in, start, RELAYOUT_UNSUPPORTED,
                           "%" PRId64 " devices are listed; expected %d at most, or <=[%" PRId64
                           "]",
                           count, RELAYOUT_MAX_DEVICE_LIST, count);
  }
  int64_t found = 0;
  do {
    rlt_tokens_skip_space(in);
    const char *const at = in->at;
    int64_t device;
    if (!rlt_tokens_number(in, "a device", 0, RELAYOUT_MAX_DEVICES - 1, &device)) {
      return false;
    }
    for (int64_t i = 0; i < found && i < count; ++i) {
      if (order->list[i] == device) {
        return rlt_tokens_fail(in, at, RELAYOUT_INVALID_TEXT, "device %" PRId64 " is listed twice",
                               device);
      }
    }
    if (found < count) {
      order->list[found] = (int32_t)device;
    }
    ++found;
  } while (rlt_tokens_take(in, ','));
  return found == count ||
         rlt_tokens_fail(in, start, RELAYOUT_INVALID_TEXT,
                         "%" PRId64 " devices are listed; expected %" PRId64, found, count);
}

bool rlt_device_array_parse(rlt_tokens *in, int64_t count, relayout_device_order *order) {
  int64_t dimensions[RLT_MOST_GRID_DIMENSIONS], order_of[RLT_MOST_GRID_DIMENSIONS];
  int32_t permutation[RLT_MOST_GRID_DIMENSIONS];
  int32_t rank, entries;
  rlt_tokens_skip_space(in);
  const char *const start = in->at;
  if (!rlt_numbers_parse(in, "[]", "a size", 1, RELAYOUT_MAX_DEVICES, RLT_MOST_GRID_DIMENSIONS,
                         dimensions, &rank)) {
    return false;
  }
  const int64_t product = rlt_sharding_grid_count(rank, dimensions);
  if (product != count) {
    return rlt_tokens_fail(in, start, RELAYOUT_INVALID_TEXT,
                           "the sizes' product is not %" PRId64 ", the number of devices", count);
  }
  if (rank == 1) {
    rlt_device_order_make(rank, dimensions, NULL, order);
    return true;
  }
  rlt_tokens_skip_space(in);
  const char *const transpose = in->at;
  if (!rlt_tokens_expect(in, 'T')) {
    return false;
  }
  if (!rlt_numbers_parse(in, "()", "a dimension number", 0, rank - 1, RLT_MOST_GRID_DIMENSIONS,
                         order_of, &entries)) {
    return false;
  }
  if (entries != rank) {
    return rlt_tokens_fail(in, transpose, RELAYOUT_INVALID_TEXT,
                           "T lists %" PRId32 " dimensions, but there are %" PRId32, entries, rank);
  }
  for (int32_t i = 0; i < rank; ++i) {
    permutation[i] = (int32_t)order_of[i];
  }
  relayout_error cause;
  if (rlt_check_permutation(rank, permutation, "T", RELAYOUT_INVALID_TEXT, &cause) != RELAYOUT_OK) {
    return rlt_tokens_fail(in, transpose, RELAYOUT_INVALID_TEXT, "%s", cause.message);
  }
  rlt_device_order_make(rank, dimensions, permutation, order);
  return true;
}

/* ---- Tiled ---------------------------------------------------------------------------------- */

static bool expect_text(rlt_tokens *in, const char *text) {
  for (const char *c = text; *c != '\0'; ++c) {
    if (!rlt_tokens_expect(in, *c)) {
      return false;
    }
  }
  return true;
}

static bool parse_subgroup(rlt_tokens *in, relayout_subgroup *subgroup) {
  static const struct {
    const char *name;
    relayout_subgroup subgroup;
  } names[] = {{"replicated", RELAYOUT_SUBGROUP_REPLICATED},
               {"manual", RELAYOUT_SUBGROUP_MANUAL},
               {"unreduced", RELAYOUT_SUBGROUP_UNREDUCED}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (rlt_tokens_take_word(in, names[i].name)) {
      *subgroup = names[i].subgroup;
      return true;
    }
  }
  return rlt_tokens_fail_expected(in, "replicated, manual or unreduced");
}

/* `={manual, replicated}`; the last dimensions of the grid become subgroups. */
static bool parse_subgroups(rlt_tokens *in, const char *where, rlt_sharding_grid *grid) {
  relayout_subgroup found[RLT_MOST_GRID_DIMENSIONS];
  int32_t count = 0;
  if (!expect_text(in, "={")) {
    return false;
  }
  do {
    if (count == grid->rank) {
      return rlt_tokens_fail(in, where, RELAYOUT_INVALID_TEXT,
                             "last_tile_dims has more entries than the %" PRId32
                             " dimensions of devices=",
                             grid->rank);
    }
    if (!parse_subgroup(in, &found[count])) {
      return false;
    }
    ++count;
  } while (rlt_tokens_take(in, ','));
  grid->rank -= count;
  grid->subgroup_count = count;
  memcpy(grid->subgroups, found, (size_t)count * sizeof *found);
  return rlt_tokens_expect(in, '}');
}

/* What may follow the devices, up to but without the closing brace. */
static bool parse_endings(rlt_tokens *in, rlt_sharding_grid *grid, int64_t *blocks,
                          int32_t *block_count) {
  rlt_tokens_skip_space(in);
  const char *const start = in->at;
  if (rlt_tokens_take_word(in, "last_tile_dim_replicate")) {
    grid->rank -= 1;
    grid->subgroup_count = 1;
    grid->subgroups[0] = RELAYOUT_SUBGROUP_REPLICATED;
  } else if (rlt_tokens_take_word(in, "last_tile_dims") && !parse_subgroups(in, start, grid)) {
    return false;
  }
  rlt_tokens_skip_space(in);
  const char *const block = in->at;
  if (!rlt_tokens_take_word(in, "block")) {
    return true;
  }
  if (!rlt_tokens_expect(in, '=') || !rlt_numbers_parse(in, "[]", "a block size", 1, INT64_MAX,
                                                        RELAYOUT_MAX_RANK, blocks, block_count)) {
    return false;
  }
  return *block_count == grid->rank ||
         rlt_tokens_fail(in, block, RELAYOUT_INVALID_TEXT,
                         "block lists %" PRId32 " sizes, but there are shards along %" PRId32
                         " dimensions",
                         *block_count, grid->rank);
}

/* From `=` on. */
static bool parse_devices(rlt_tokens *in, const char *where, relayout_sharding *made) {
  rlt_sharding_grid grid = {.rank = 0};
  int64_t blocks[RELAYOUT_MAX_RANK];
  int32_t block_count = 0;
  if (!rlt_tokens_expect(in, '=') ||
      !rlt_numbers_parse(in, "[]", "a number of shards", 1, RELAYOUT_MAX_DEVICES,
                         RLT_MOST_GRID_DIMENSIONS, grid.sizes, &grid.rank)) {
    return false;
  }
  const int64_t count = rlt_sharding_grid_count(grid.rank, grid.sizes);
  if (count == 0) {
    return rlt_tokens_fail(in, where, RELAYOUT_SIZE_OVERFLOW, "there are more than %d devices",
                           RELAYOUT_MAX_DEVICES);
  }
  if (rlt_tokens_take(in, '<')
          ? !rlt_tokens_expect(in, '=') || !rlt_device_array_parse(in, count, &grid.order)
          : !rlt_device_list_parse(in, count, &grid.order)) {
    return false;
  }
  if (!parse_endings(in, &grid, blocks, &block_count) ||
      !rlt_sharding_grid_finish(in, where, &grid, made)) {
    return false;
  }
  if (made->kind == RELAYOUT_SHARDING_TILED) {
    made->block_count = block_count;
    memcpy(made->blocks, blocks, (size_t)block_count * sizeof *blocks);
  }
  return true;
}

/* ---- Shardings ------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  relayout_sharding_kind kind;
} whole_kinds[] = {{"replicated", RELAYOUT_SHARDING_REPLICATED},
                   {"manual", RELAYOUT_SHARDING_MANUAL},
                   {"unreduced", RELAYOUT_SHARDING_UNREDUCED},
                   {"unknown", RELAYOUT_SHARDING_UNKNOWN}};

enum { WHOLE_KINDS = sizeof whole_kinds / sizeof whole_kinds[0] };

static bool parse_maximal(rlt_tokens *in, relayout_sharding *made) {
  *made = (relayout_sharding){.kind = RELAYOUT_SHARDING_MAXIMAL};
  return (rlt_tokens_take_word(in, "device") || rlt_tokens_fail_expected(in, "device=")) &&
         rlt_tokens_expect(in, '=') &&
         rlt_tokens_number(in, "a device", 0, RELAYOUT_MAX_DEVICES - 1, &made->device);
}

/* What XLA may add to any sharding, and nothing here could keep. */
static bool parse_end(rlt_tokens *in) {
  static const char *const others[] = {"shard_as", "shard_like", "metadata"};
  rlt_tokens_skip_space(in);
  const char *const start = in->at;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    if (rlt_tokens_take_word(in, others[i])) {
      return rlt_tokens_fail(in, start, RELAYOUT_UNSUPPORTED, "%s is not supported", others[i]);
    }
  }
  return rlt_tokens_expect(in, '}') &&
         (rlt_tokens_peek(in) == '\0' || rlt_tokens_fail_expected(in, "the text's end"));
}

static bool parse_body(rlt_tokens *in, relayout_sharding *made) {
  rlt_tokens_skip_space(in);
  const char *const start = in->at;
  if (*start == '{' || *start == '}') {
    return rlt_tokens_fail(in, start, RELAYOUT_UNSUPPORTED,
                           "shardings of tuples are not supported");
  }
  for (int i = 0; i < WHOLE_KINDS; ++i) {
    if (rlt_tokens_take_word(in, whole_kinds[i].name)) {
      *made = (relayout_sharding){.kind = whole_kinds[i].kind};
      return true;
    }
  }
  const bool is_mesh = rlt_tokens_take_word(in, "mesh") || rlt_tokens_take_word(in, "maximal_mesh");
  if (is_mesh) {
    in->at = start;
    return rlt_mesh_parse(in, made);
  }
  return rlt_tokens_take_word(in, "maximal") ? parse_maximal(in, made)
         : rlt_tokens_take_word(in, "devices")
             ? parse_devices(in, start, made)
             : rlt_tokens_fail_expected(in, "replicated, maximal, devices= or mesh");
}

relayout_status relayout_sharding_parse(const char *text, relayout_sharding *sharding,
                                        relayout_error *error) {
  if (text == NULL || sharding == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    text == NULL ? "text" : "sharding");
  }
  relayout_sharding made;
  rlt_tokens in = rlt_tokens_of(text, error);
  if (!rlt_tokens_expect(&in, '{') || !parse_body(&in, &made) || !parse_end(&in)) {
    return in.status;
  }
  *sharding = made;
  return RELAYOUT_OK;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void add_numbers(rlt_text *text, const char *before, int64_t count, const int64_t *numbers,
                        const char *behind) {
  for (int64_t i = 0; i < count; ++i) {
    rlt_text_add(text, "%s%" PRId64, i == 0 ? before : ",", numbers[i]);
  }
  rlt_text_add(text, "%s", behind);
}

static void add_order(rlt_text *text, const relayout_device_order *order, int64_t count) {
  for (int64_t i = 0; order->rank == 0 && i < count; ++i) {
    rlt_text_add(text, "%s%" PRId32, i == 0 ? "" : ",", order->list[i]);
  }
  if (order->rank > 0) {
    add_numbers(text, "<=[", order->rank, order->dimensions, "]");
  }
  for (int32_t i = 0; order->rank > 1 && i < order->rank; ++i) {
    rlt_text_add(text, "%s%" PRId32 "%s", i == 0 ? "T(" : ",", order->permutation[i],
                 i == order->rank - 1 ? ")" : "");
  }
}

static void add_subgroups(rlt_text *text, const relayout_sharding *sharding) {
  static const char *const names[] = {[RELAYOUT_SUBGROUP_REPLICATED] = "replicated",
                                      [RELAYOUT_SUBGROUP_MANUAL] = "manual",
                                      [RELAYOUT_SUBGROUP_UNREDUCED] = "unreduced"};
  const int32_t count = sharding->subgroup_count;
  if (count == 1 && sharding->subgroups[0] == RELAYOUT_SUBGROUP_REPLICATED) {
    rlt_text_add(text, " last_tile_dim_replicate");
    return;
  }
  for (int32_t i = 0; i < count; ++i) {
    rlt_text_add(text, "%s%s%s", i == 0 ? " last_tile_dims={" : ", ", names[sharding->subgroups[i]],
                 i == count - 1 ? "}" : "");
  }
}

static void add_tiled(rlt_text *text, const relayout_sharding *sharding) {
  add_numbers(text, "{devices=[", sharding->rank, sharding->shards, "");
  add_numbers(text, sharding->rank > 0 ? "," : "{devices=[", sharding->subgroup_count,
              sharding->subgroup_sizes, "]");
  add_order(text, &sharding->order, relayout_sharding_device_count(sharding));
  add_subgroups(text, sharding);
  if (sharding->block_count > 0) {
    add_numbers(text, " block=[", sharding->block_count, sharding->blocks, "]");
  }
  rlt_text_add(text, "}");
}

size_t relayout_sharding_format(const relayout_sharding *sharding, char *buffer, size_t size) {
  rlt_text text = rlt_text_in(buffer, size);
  if (relayout_sharding_validate(sharding, NULL, 0, NULL) != RELAYOUT_OK) {
    return 0;
  }
  for (int i = 0; i < WHOLE_KINDS; ++i) {
    if (whole_kinds[i].kind == sharding->kind) {
      rlt_text_add(&text, "{%s}", whole_kinds[i].name);
    }
  }
  if (sharding->kind == RELAYOUT_SHARDING_MAXIMAL) {
    rlt_text_add(&text, "{maximal device=%" PRId64 "}", sharding->device);
  } else if (sharding->kind == RELAYOUT_SHARDING_TILED) {
    add_tiled(&text, sharding);
  }
  return text.length;
}
