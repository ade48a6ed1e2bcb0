/* shrink.c: steps from a case to smaller ones, the greatest first, each kept if what it leads to
 * fails too. */
#include "differential/shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/fault.h"
#include "oracle/oracle.h"

/* ---- One try -------------------------------------------------------------------------------- */

static void write_all(int to, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(to, bytes, size);
    if (written <= 0) {
      return;
    }
    bytes += written;
    size -= (size_t)written;
  }
}

static void read_all(int from, char *bytes, size_t size) {
  size_t length = 0;
  ssize_t count = 1;
  while (count > 0 && length + 1 < size) {
    count = read(from, bytes + length, size - length - 1);
    length += count > 0 ? (size_t)count : 0;
  }
  bytes[length] = '\0';
}

/* What a child that did not return was at. */
static void describe_end(checker *by, const drawn_case *what, int how, char *found) {
  char wrong[64];
  if (WIFSIGNALED(how)) {
    snprintf(wrong, sizeof(wrong), "ended by signal %d", WTERMSIG(how));
  } else {
    snprintf(wrong, sizeof(wrong), "ended with %d", WEXITSTATUS(how));
  }
  checker_describe(by->devices[0].of[what->threads], what, wrong, found);
}

/* In a child, which may crash or take for ever. */
static check_outcome try_in_child(checker *by, const drawn_case *what, char *found) {
  enum { MOST_SECONDS = 60 };
  int ends[2];
  if (pipe(ends) != 0) {
    return CHECK_NO_MEMORY;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(MOST_SECONDS);
    found[0] = '\0';
    const check_outcome outcome = checker_try(by, what, found);
    write_all(ends[1], found, strlen(found));
    _exit((int)outcome);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return CHECK_NO_MEMORY;
  }
  read_all(ends[0], found, DIFFERENTIAL_TEXT_SIZE);
  close(ends[0]);
  int how = 0;
  waitpid(child, &how, 0);
  if (WIFEXITED(how) && WEXITSTATUS(how) <= CHECK_NO_MEMORY &&
      (WEXITSTATUS(how) != CHECK_FAILED || found[0] != '\0')) {
    return (check_outcome)WEXITSTATUS(how);
  }
  describe_end(by, what, how, found);
  return CHECK_FAILED;
}

static check_outcome try_case(checker *by, const drawn_case *what, char *found) {
  return checker_is_of_cpu(by) ? try_in_child(by, what, found) : checker_try(by, what, found);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Takes step `number` of its kind; false where there is no such step. One that changes nothing is
 * no step down, and is passed over. */
typedef bool (*step)(drawn_case *of, int number);

static bool drop_check(drawn_case *of, int number) {
  of->checks &= ~(1U << number);
  return number < DRAWN_CHECKS;
}

static bool drop_rest(drawn_case *of, int number) {
  switch (number) {
  case 0:
    of->threads = THREADS_ONE;
    return true;
  case 1:
    of->from.offset = 0;
    return true;
  case 2:
    of->to.offset = 0;
    return true;
  case 3:
    of->wraps = false;
    return true;
  case 4:
    of->scale = 1;
    return true;
  case 5:
    of->offered = 0;
    return true;
  case 6:
    of->offered /= 2;
    return true;
  case 7:
    of->box_at = 0;
    return true;
  case 8:
    of->to_nearest = false;
    return true;
  }
  return false;
}

/* The shapes of a case. */
enum { SHAPES = 3 };

static relayout_shape *shape_number(drawn_case *of, int number) {
  relayout_shape *const all[SHAPES] = {&of->from.shape, &of->to.shape, &of->third};
  return all[number];
}

/* Bits that only the former type has are dropped too. */
static void set_type(relayout_shape *shape, relayout_element_type type) {
  relayout_layout *const layout = &shape->layout;
  shape->element_type = type;
  if (layout->padding_value == RELAYOUT_PADDING_LITERAL) {
    layout->padding_value = RELAYOUT_PADDING_ZERO;
    memset(layout->padding_literal, 0, sizeof(layout->padding_literal));
  }
  layout->element_size_in_bits = 0;
  layout->packing_order = RELAYOUT_PACKING_LOW_FIRST;
}

/* Both of one type: that of either side, or bytes. */
static bool drop_conversion(drawn_case *of, int number) {
  const relayout_element_type types[] = {of->from.shape.element_type, of->to.shape.element_type,
                                         RELAYOUT_U8};
  if (number >= 3) {
    return false;
  }
  if (number < 2 && of->from.shape.element_type == of->to.shape.element_type) {
    return true;
  }
  for (int i = 0; i < SHAPES; ++i) {
    set_type(shape_number(of, i), types[number]);
  }
  return true;
}

static void drop_dimension_of(relayout_shape *shape, int32_t d) {
  relayout_layout *const layout = &shape->layout;
  int32_t kept = 0;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t at = layout->minor_to_major[i];
    if (at != d) {
      layout->minor_to_major[kept++] = at > d ? at - 1 : at;
    }
  }
  for (int32_t i = d; i + 1 < shape->rank; ++i) {
    shape->dimensions[i] = shape->dimensions[i + 1];
    layout->padded_dimensions[i] = layout->padded_dimensions[i + 1];
  }
  shape->rank -= 1;
  layout->rank -= 1;
  layout->padded_dimension_count -= layout->padded_dimension_count > 0 ? 1 : 0;
  shape->dimensions[shape->rank] = 0;
  layout->padded_dimensions[shape->rank] = 0;
  layout->minor_to_major[shape->rank] = 0;
}

static void drop_stride_of(drawn_side *side, int32_t d) {
  for (int32_t i = d; i < side->shape.rank; ++i) { /* which is one less than there are strides */
    side->byte_strides[i] = side->byte_strides[i + 1];
  }
}

static bool drop_dimension(drawn_case *of, int number) {
  if (number >= of->from.shape.rank) {
    return false;
  }
  for (int i = 0; i < SHAPES; ++i) {
    drop_dimension_of(shape_number(of, i), number);
  }
  drop_stride_of(&of->from, number);
  drop_stride_of(&of->to, number);
  of->box_at = of->box_dimension == number ? 0 : of->box_at;
  if (of->box_dimension > number ||
      (of->box_dimension > 0 && of->box_dimension == of->from.shape.rank)) {
    of->box_dimension -= 1;
  }
  return true;
}

/* To 1, to half, or by one; padding stays as wide as it was beyond the dimension. */
static bool narrow_dimension(drawn_case *of, int number) {
  enum { WAYS = 3 };
  const int32_t d = number / WAYS;
  if (d >= of->from.shape.rank) {
    return false;
  }
  const int64_t size = of->from.shape.dimensions[d];
  const int64_t ways[WAYS] = {1, size / 2, size - 1};
  const int64_t narrowed = size > 1 ? ways[number % WAYS] : size;
  for (int i = 0; i < SHAPES; ++i) {
    relayout_shape *const shape = shape_number(of, i);
    shape->dimensions[d] = narrowed;
    if (shape->layout.padded_dimension_count > 0) {
      shape->layout.padded_dimensions[d] -= size - narrowed;
    }
  }
  if (of->box_dimension == d && of->box_at > narrowed) {
    of->box_at = narrowed;
  }
  return true;
}

static bool drop_strides(drawn_case *of, int number) {
  drawn_side *const sides[] = {&of->from, &of->to};
  if (number >= 2) {
    return false;
  }
  sides[number]->is_strided = false;
  memset(sides[number]->byte_strides, 0, sizeof(sides[number]->byte_strides));
  return true;
}

static bool drop_byte_order(drawn_case *of, int number) {
  drawn_side *const sides[] = {&of->from, &of->to};
  if (number >= 2) {
    return false;
  }
  sides[number]->is_swapped = false;
  return true;
}

/* The dimensions of a tile and of those behind it. */
static int64_t *dimensions_of_tile(relayout_layout *layout, int32_t tile) {
  int64_t *first = layout->tile_dimensions;
  for (int32_t i = 0; i < tile; ++i) {
    first += layout->tile_ranks[i];
  }
  return first;
}

static void drop_last_tile(relayout_layout *layout) {
  layout->tile_count -= 1;
  int32_t *const rank = &layout->tile_ranks[layout->tile_count];
  int64_t *const dimensions = dimensions_of_tile(layout, layout->tile_count);
  memset(dimensions, 0, (size_t)*rank * sizeof(dimensions[0]));
  *rank = 0;
}

static void make_descending(relayout_layout *layout) {
  for (int32_t i = 0; i < layout->rank; ++i) {
    layout->minor_to_major[i] = layout->rank - 1 - i;
  }
}

static bool drop_from_layout(drawn_case *of, int number) {
  enum { WAYS = 8 };
  if (number >= SHAPES * WAYS) {
    return false;
  }
  relayout_layout *const layout = &shape_number(of, number % SHAPES)->layout;
  switch (number / SHAPES) {
  case 0:
    while (layout->tile_count > 0) {
      drop_last_tile(layout);
    }
    break;
  case 1:
    if (layout->tile_count > 0) {
      drop_last_tile(layout);
    }
    break;
  case 2:
    layout->padded_dimension_count = 0;
    memset(layout->padded_dimensions, 0, sizeof(layout->padded_dimensions));
    break;
  case 3:
    layout->padding_value = RELAYOUT_PADDING_ZERO;
    memset(layout->padding_literal, 0, sizeof(layout->padding_literal));
    break;
  case 4:
    layout->tail_padding_alignment_in_elements = 0;
    break;
  case 5:
    layout->element_size_in_bits = 0;
    layout->packing_order = RELAYOUT_PACKING_LOW_FIRST;
    break;
  case 6:
    make_descending(layout);
    break;
  case 7:
    layout->packing_order = RELAYOUT_PACKING_LOW_FIRST;
    break;
  }
  return true;
}

/* A dimension's padding: to none, to half, or by one. */
static bool narrow_padding(drawn_case *of, int number) {
  enum { WAYS = 3 };
  const int32_t d = number / (SHAPES * WAYS);
  relayout_shape *const shape = shape_number(of, number % SHAPES);
  if (d >= shape->rank) {
    return false;
  }
  int64_t *const padded = &shape->layout.padded_dimensions[d];
  const int64_t beyond = *padded - shape->dimensions[d];
  const int64_t ways[WAYS] = {beyond, (beyond + 1) / 2, 1};
  if (shape->layout.padded_dimension_count > 0 && beyond > 0) {
    *padded -= ways[number / SHAPES % WAYS];
  }
  return true;
}

/* A tile's dimension: to 1, to half, or by one. */
static bool narrow_tile(drawn_case *of, int number) {
  enum { WAYS = 3, MOST = RELAYOUT_MAX_TILE_DIMENSIONS };
  const int at = number / (SHAPES * WAYS);
  if (at >= MOST) {
    return false;
  }
  int64_t *const size = &shape_number(of, number % SHAPES)->layout.tile_dimensions[at];
  const int64_t ways[WAYS] = {1, *size / 2, *size - 1};
  if (*size > 1) {
    *size = ways[number / SHAPES % WAYS];
  } else if (*size == RELAYOUT_TILE_COMBINE) {
    *size = 1;
  }
  return true;
}

/* The most major dimension of a tile that has others. */
static bool shorten_tile(drawn_case *of, int number) {
  const int tile = number / SHAPES;
  if (tile >= RELAYOUT_MAX_TILES) {
    return false;
  }
  relayout_layout *const layout = &shape_number(of, number % SHAPES)->layout;
  if (tile >= layout->tile_count || layout->tile_ranks[tile] < 2) {
    return true;
  }
  int64_t *const first = dimensions_of_tile(layout, tile);
  int64_t *const last = layout->tile_dimensions + RELAYOUT_MAX_TILE_DIMENSIONS - 1;
  memmove(first, first + 1, (size_t)(last - first) * sizeof(first[0]));
  *last = 0;
  layout->tile_ranks[tile] -= 1;
  return true;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* Whether a case is the same, or its shapes are not valid. */
static bool is_no_step(const drawn_case *before, const drawn_case *after) {
  return memcmp(before, after, sizeof(*after)) == 0 ||
         relayout_shape_validate(&after->from.shape, NULL) != RELAYOUT_OK ||
         relayout_shape_validate(&after->to.shape, NULL) != RELAYOUT_OK ||
         relayout_shape_validate(&after->third, NULL) != RELAYOUT_OK;
}

/* Takes the first step of the kind that fails, and those behind it; whether there was one. */
static bool take_steps(checker *by, step take, drawn_case *what, uint64_t *tries, char *found) {
  char *const text = malloc(DIFFERENTIAL_TEXT_SIZE);
  bool has_shrunk = false;
  drawn_case smaller = *what;
  for (int number = 0; text != NULL && take(&smaller, number); smaller = *what) {
    drawn_case_keep_apt_checks(&smaller);
    bool fails = false;
    if (!is_no_step(what, &smaller)) {
      *tries += 1;
      fails = try_case(by, &smaller, text) == CHECK_FAILED;
    }
    if (fails) {
      *what = smaller;
      memcpy(found, text, DIFFERENTIAL_TEXT_SIZE);
      has_shrunk = true;
    }
    number += fails ? 0 : 1; /* the same again, of what is left */
  }
  free(text);
  return has_shrunk;
}

check_outcome shrink(checker *by, drawn_case *what, uint64_t *tries, char *found) {
  static const step steps[] = {drop_check,      drop_rest,       drop_dimension,   drop_strides,
                               drop_byte_order, drop_conversion, drop_from_layout, narrow_dimension,
                               narrow_padding,  shorten_tile,    narrow_tile};
  const check_outcome outcome = try_case(by, what, found);
  *tries = 1;
  bool goes_on = outcome == CHECK_FAILED;
  while (goes_on) {
    goes_on = false;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); ++i) {
      goes_on = take_steps(by, steps[i], what, tries, found) || goes_on;
    }
  }
  return outcome;
}
