/* drawn_case.c: drawing a relayout. Most are small, so that many are tried; one in thousands is
 * large enough for threads. */
#include "differential/drawn_case.h"

#include <stdio.h>
#include <string.h>

#include "conformance/random.h"
#include "oracle/oracle.h"
#include "view_of.h"

enum { LARGE_BYTES = 2600000 };

static bool chance(uint64_t *random, int64_t count) {
  return random_below(random, count) == 0;
}

/* ---- Types and sizes ------------------------------------------------------------------------ */

static bool is_complex(relayout_element_type type) {
  return relayout_element_type_kind(type) == RELAYOUT_KIND_COMPLEX;
}

static void draw_conversion(uint64_t *random, drawn_case *drawn) {
  static const double scales[] = {1, 1, 0.5, -3, 1e-3, 255};
  relayout_element_type type;
  do {
    type = random_element_type(random);
  } while (is_complex(type));
  drawn->to.shape.element_type = type;
  drawn->wraps = chance(random, 3);
  drawn->scale = scales[random_below(random, sizeof(scales) / sizeof(scales[0]))];
  drawn->to_nearest = chance(random, 2);
}

/* Elements of a relayout: few of them, some more, or those that threads share. */
static int64_t draw_most_elements(uint64_t *random, relayout_element_type type, bool is_large) {
  if (is_large) {
    return LARGE_BYTES / (int64_t)oracle_element_size(type);
  }
  const int64_t few = (int64_t)8 << random_below(random, 4);
  return chance(random, 512) ? 5000 : chance(random, 32) ? 600 : few;
}

/* ---- Layouts -------------------------------------------------------------------------------- */

/* Padding that leaves so many elements at most. */
static void draw_padding(uint64_t *random, int64_t most, relayout_shape *shape) {
  random_padding(random, shape);
  if (oracle_element_count(shape) > most) {
    shape->layout.padded_dimension_count = 0;
    memset(shape->layout.padded_dimensions, 0, sizeof(shape->layout.padded_dimensions));
  }
}

static void draw_layout(uint64_t *random, int64_t most, relayout_shape *shape) {
  random_order(random, shape);
  if (chance(random, 2)) {
    draw_padding(random, 8 * most, shape);
  }
  if (chance(random, 4)) {
    random_tiles(random, 8 * most, shape);
  }
  if (chance(random, 8)) {
    random_tail(random, shape);
  }
  if (chance(random, 3)) {
    shape->layout.element_size_in_bits = random_element_bits(random, shape->element_type);
    random_packing_order(random, shape);
  }
  random_padding_value(random, shape);
}

/* ---- Strides -------------------------------------------------------------------------------- */

static bool takes_own_bytes(const relayout_shape *shape) {
  return oracle_element_bits(shape) == 8 * (int64_t)oracle_element_size(shape->element_type);
}

/* Any bytes will do only where elements go from whole bytes to the same. */
static random_strides draw_kind(uint64_t *random, const drawn_case *drawn,
                                const relayout_shape *other) {
  random_strides kind;
  do {
    kind = (random_strides)random_below(random, RANDOM_STRIDES);
  } while (random_strides_are_of_bytes(kind) &&
           (drawn_case_converts(drawn) || !takes_own_bytes(other)));
  return kind;
}

/* A strided side has the default layout, as far as its shape goes. */
static void make_strided(drawn_side *side) {
  relayout_shape *const shape = &side->shape;
  side->is_strided = true;
  relayout_layout_make_descending(shape->rank, &shape->layout, NULL);
}

static void draw_strides(uint64_t *random, drawn_case *drawn) {
  if (chance(random, 8)) {
    make_strided(&drawn->from);
    random_source_strides(random, draw_kind(random, drawn, &drawn->to.shape), &drawn->from.shape,
                          drawn->from.byte_strides);
  }
  if (chance(random, 12)) {
    make_strided(&drawn->to);
    random_destination_strides(random, draw_kind(random, drawn, &drawn->from.shape),
                               &drawn->to.shape, drawn->to.byte_strides);
  }
}

/* ---- Cases ---------------------------------------------------------------------------------- */

/* What costs little is tried often. */
static unsigned draw_checks(uint64_t *random, bool is_large) {
  static const struct {
    drawn_check check;
    int64_t one_in;
    bool also_large;
  } all[] = {
      {CHECK_THIRD, 8, true},        {CHECK_BACK, 8, true},    {CHECK_TEXTS, 64, true},
      {CHECK_OFFERED, 64, false},    {CHECK_BOXES, 16, true},  {CHECK_EXPLAIN, 1024, true},
      {CHECK_MEASURE, 65536, false}, {CHECK_FENCES, 32, true}, {CHECK_BUFFERS, 2, true},
  };
  unsigned checks = 0;
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
    if (chance(random, all[i].one_in) && (!is_large || all[i].also_large)) {
      checks |= all[i].check;
    }
  }
  return checks;
}

static void draw_box(uint64_t *random, drawn_case *drawn) {
  const relayout_shape *const shape = &drawn->from.shape;
  if (shape->rank > 0) {
    drawn->box_dimension = (int32_t)random_below(random, shape->rank);
    drawn->box_at = random_below(random, shape->dimensions[drawn->box_dimension] + 1);
  }
}

/* Wider containers have the host's alone. */
static void draw_byte_order(uint64_t *random, drawn_side *side) {
  side->is_swapped = chance(random, 6) && takes_own_bytes(&side->shape) &&
                     oracle_element_size(side->shape.element_type) > 1;
}

void drawn_case_of(uint64_t number, drawn_case *drawn) {
  static const int32_t ranks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6, 8};
  uint64_t state = random_mix(number);
  uint64_t *const random = &state;
  memset(drawn, 0, sizeof(*drawn));
  const bool is_large = chance(random, 65536);
  relayout_element_type type = random_element_type(random);
  while (is_large && oracle_element_size(type) < 4) {
    type = random_element_type(random);
  }
  const int32_t rank = is_large ? 4 : ranks[random_below(random, sizeof(ranks) / sizeof(ranks[0]))];
  const int64_t most = draw_most_elements(random, type, is_large);
  random_dimensions(random, type, rank, most, &drawn->from.shape);
  drawn->to.shape = drawn->from.shape;
  drawn->scale = 1;
  if (!is_complex(type) && chance(random, 4)) {
    draw_conversion(random, drawn);
  }
  drawn->third = drawn->to.shape;
  draw_layout(random, most, &drawn->from.shape);
  draw_layout(random, most, &drawn->to.shape);
  draw_layout(random, most, &drawn->third);
  draw_strides(random, drawn);
  drawn->checks = draw_checks(random, is_large);
  drawn->offered = (uint32_t)random_next(random);
  drawn->threads = (drawn_threads)random_below(random, DRAWN_THREADS);
  draw_box(random, drawn);
  drawn->from.offset = chance(random, 2) ? 0 : (size_t)random_below(random, 20);
  drawn->to.offset = chance(random, 2) ? 0 : (size_t)random_below(random, 20);
  draw_byte_order(random, &drawn->from);
  draw_byte_order(random, &drawn->to);
  drawn->shardings = random_next(random);
  drawn->checks |= !is_large && chance(random, 8) ? CHECK_RESHARD : 0;
  drawn_case_keep_apt_checks(drawn);
}

relayout_view drawn_side_view(const drawn_side *side) {
  const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  relayout_view made = view_of(&side->shape, side->is_strided ? side->byte_strides : NULL);
  if (side->is_swapped) {
    made.byte_order = host_is_little ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE;
  }
  return made;
}

request drawn_case_request(const drawn_case *of) {
  return (request){&of->from.shape,
                   &of->to.shape,
                   {of->wraps, of->scale, of->from.is_strided ? of->from.byte_strides : NULL,
                    of->to.is_strided ? of->to.byte_strides : NULL, of->to_nearest,
                    of->from.is_swapped, of->to.is_swapped},
                   false};
}

bool drawn_case_converts(const drawn_case *of) {
  return of->from.shape.element_type != of->to.shape.element_type || of->scale != 1;
}

/* Elements of fewer bits than a byte keep what else is in theirs, unless they are packed. */
static bool keeps_bits(const drawn_case *of, const relayout_shape *end) {
  const int64_t before = oracle_element_bits(&of->from.shape);
  const int64_t after = oracle_element_bits(end);
  return drawn_case_converts(of) || relayout_element_type_bits(of->from.shape.element_type) >= 8 ||
         oracle_element_bits(&of->to.shape) >= (before < after ? before : after);
}

/* Only what the way there keeps can come back: not what a container, or a packed array's last byte,
 * has beyond elements. */
static bool can_go_back(const drawn_case *of) {
  const relayout_shape *const shape = &of->from.shape;
  const int64_t bits = oracle_element_bits(shape);
  return !drawn_case_converts(of) && !of->from.is_strided && keeps_bits(of, shape) &&
         bits <= 8 * (int64_t)oracle_element_size(shape->element_type) &&
         oracle_element_count(shape) * bits % 8 == 0;
}

/* Shards are neither views nor padded. */
static bool can_be_sharded(const drawn_side *side) {
  relayout_shape shard;
  const relayout_sharding whole = {.kind = RELAYOUT_SHARDING_REPLICATED};
  return !side->is_strided && !side->is_swapped &&
         relayout_sharding_local_shape(&whole, &side->shape, 0, &shard, NULL) == RELAYOUT_OK;
}

void drawn_case_keep_apt_checks(drawn_case *of) {
  if (!keeps_bits(of, &of->third)) {
    of->checks &= ~(unsigned)CHECK_THIRD;
  }
  if (!can_go_back(of)) {
    of->checks &= ~(unsigned)CHECK_BACK;
  }
  if (of->from.shape.rank == 0) {
    of->checks &= ~(unsigned)CHECK_BOXES;
  }
  if (!can_be_sharded(&of->from) || !can_be_sharded(&of->to)) {
    of->checks &= ~(unsigned)CHECK_RESHARD;
  }
}

void drawn_case_describe(const drawn_case *of, char *text, size_t size) {
  static const char *const threads[] = {"1 thread", "2 threads", "3 threads", "lent threads"};
  int length = snprintf(text, size, "%s, offsets %zu and %zu", threads[of->threads],
                        of->from.offset, of->to.offset);
  if ((of->checks & CHECK_THIRD) != 0) {
    char third[RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape_format(&of->third, third, sizeof(third));
    length += snprintf(text + length, size - (size_t)length, ", third layout %s", third);
  }
  if ((of->checks & CHECK_BOXES) != 0) {
    length += snprintf(text + length, size - (size_t)length, ", boxes part at %lld of dimension %d",
                       (long long)of->box_at, (int)of->box_dimension);
  }
  if ((of->checks & CHECK_OFFERED) != 0) {
    length += snprintf(text + length, size - (size_t)length, ", schedule %u of those offered",
                       (unsigned)of->offered);
  }
  if ((of->checks & CHECK_RESHARD) != 0) {
    length += snprintf(text + length, size - (size_t)length, ", shardings 0x%016llx",
                       (unsigned long long)of->shardings);
  }
  if ((of->checks & CHECK_FENCES) != 0) {
    snprintf(text + length, size - (size_t)length, ", between fences");
  }
}
