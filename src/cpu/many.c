/* many.c: plans of several destinations on the CPU. A worker takes boxes in turns; all that a box
 * needs between source and destinations lies in the worker's memory. */
#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/float_control.h"
#include "base/memory.h"
#include "convert/float_bits.h"
#include "cpu/cpu.h"
#include "cpu/executable.h"
#include "cpu/scale_passes.h"
#include "cpu/wide.h"
#include "plan/many.h"

/* The greatest values and the scales of all groups of a destination, where boxes share groups. */
typedef struct all_groups {
  _Atomic uint32_t *greatest;
  _Atomic uint32_t *below; /* the least values, as rlt_find_ranges has them; NULL: not wanted */
  float *scales;
  float *points; /* likewise */
} all_groups;

/* A destination's tensor scale, and what finds scales by it. */
typedef struct scale_above {
  float tensor_scale; /* 1: none */
  rlt_scale_finder finder;
} scale_above;

struct rlt_cpu_many_call {
  const rlt_many *many;
  const rlt_cpu_device *device;
  const rlt_cpu_scale_passes *passes;
  const relayout_source_memory *from;
  const relayout_destination_memory *to;
  float factor; /* as the plan's, times the source's tensor scale */
  scale_above above[RLT_MOST_DESTINATIONS];
  all_groups groups[RLT_MOST_DESTINATIONS];
  bool is_finding; /* boxes are read for the greatest values alone */
  int32_t tasks;
  uint8_t *memory; /* of all workers */
  int64_t worker_bytes;
  atomic_int_fast64_t next; /* box */
  atomic_int status;        /* of the first that failed */
};

enum { PIECE = RLT_ROW_PIECE, MOST_RECORD = 34 /* bytes */ };

/* What a worker has for one box. */
typedef struct worker {
  rlt_cpu_many_call *call;
  rlt_index_box box;
  int64_t number;
  uint8_t *values; /* rows, where plans put them */
  uint8_t *elements;
  uint8_t *arranged;
  float *from_scales, *from_points;
  float *to_scales, *to_points, *to_inverses;
  float *to_products; /* of scales and the tensor scale */
  uint32_t *greatest, *below;
  float *piece, *rescaled; /* of a row */
} worker;

/* ---- Memory --------------------------------------------------------------------------------- */

static int64_t in_lines(int64_t bytes) {
  return rlt_divide_up(bytes, RLT_CPU_LINE_BYTES) * RLT_CPU_LINE_BYTES;
}

/* The bytes of the parts of a worker's memory, and of all of it. */
typedef struct worker_sizes {
  int64_t values, elements, arranged, from_groups, to_groups, piece;
  int64_t all;
} worker_sizes;

static worker_sizes sizes_of(const rlt_many *many) {
  worker_sizes of = {.values = many->values.of != NULL ? in_lines(many->rows.bytes) : 0,
                     .from_groups = in_lines(many->beside.rows.bytes)};
  for (int32_t i = 0; i < many->count; ++i) {
    const rlt_destination *const to = &many->to[i];
    of.piece = rlt_max(of.piece, in_lines(to->piece * (int64_t)sizeof(float)));
    of.elements = rlt_max(of.elements, in_lines(to->rows.bytes));
    of.arranged = rlt_max(of.arranged, in_lines(to->arranged_rows.bytes));
    of.to_groups = rlt_max(of.to_groups, in_lines(to->beside.rows.bytes));
  }
  of.all =
      of.values + of.elements + of.arranged + 2 * of.from_groups + 6 * of.to_groups + 2 * of.piece;
  return of;
}

static uint8_t *take(uint8_t **memory, int64_t bytes) {
  uint8_t *const taken = *memory;
  *memory += bytes;
  return taken;
}

static float *take_floats(uint8_t **memory, int64_t bytes) {
  return (float *)(void *)take(memory, bytes);
}

static worker worker_at(rlt_cpu_many_call *call, uint8_t *memory) {
  const worker_sizes of = sizes_of(call->many);
  worker made = {.call = call};
  made.values = take(&memory, of.values);
  made.elements = take(&memory, of.elements);
  made.arranged = take(&memory, of.arranged);
  made.from_scales = take_floats(&memory, of.from_groups);
  made.from_points = take_floats(&memory, of.from_groups);
  made.to_scales = take_floats(&memory, of.to_groups);
  made.to_points = take_floats(&memory, of.to_groups);
  made.to_inverses = take_floats(&memory, of.to_groups);
  made.to_products = take_floats(&memory, of.to_groups);
  made.greatest = (uint32_t *)(void *)take(&memory, of.to_groups);
  made.below = (uint32_t *)(void *)take(&memory, of.to_groups);
  made.piece = take_floats(&memory, of.piece);
  made.rescaled = take_floats(&memory, of.piece);
  return made;
}

/* ---- Steps that are plans ------------------------------------------------------------------- */

static void keep_status(rlt_cpu_many_call *call, relayout_status status) {
  int none = RELAYOUT_OK;
  if (status != RELAYOUT_OK) {
    atomic_compare_exchange_strong(&call->status, &none, (int)status);
  }
}

static bool has_failed(const rlt_cpu_many_call *call) {
  return atomic_load_explicit(&call->status, memory_order_relaxed) != RELAYOUT_OK;
}

/* Nothing once a step has failed: what it should have made is not there. */
static void run_plan(rlt_cpu_many_call *call, const relayout_plan *plan, uintptr_t source,
                     uintptr_t destination) {
  const void *const from = (const void *)(source + (uintptr_t)plan->source_lowest);
  void *const to = (void *)(destination + (uintptr_t)plan->destination_lowest);
  if (plan->work.part_count > 0 && !has_failed(call)) {
    keep_status(call, rlt_cpu_run(plan->device, &plan->work, from, to, NULL));
  }
}

/* Runs the plan of the worker's box, if the step has plans. */
static void run_box(const worker *at, const rlt_box_plans *plans, const void *from, void *to) {
  if (plans->of != NULL) {
    const rlt_chunk *const chunk = &plans->of[at->number];
    run_plan(at->call, chunk->plan, (uintptr_t)from + (uintptr_t)chunk->source,
             (uintptr_t)to + (uintptr_t)chunk->destination);
  }
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Rows of a box, piece by piece: the dimensions minor to major, how many of them make a row, and
 * the most elements of a piece. */
typedef struct row_walk {
  const rlt_index_box *box;
  int32_t rank;
  const int32_t *order;
  int32_t joined;
  int64_t most;
} row_walk;

/* A piece of a row: the box's indices where it begins, of which that along the row counts through
 * all dimensions that make it, and how many elements it has; 0: the box is empty, or at its end. */
typedef struct box_row {
  int64_t index[RELAYOUT_MAX_RANK];
  int32_t along;  /* -1: a scalar */
  int32_t joined; /* dimensions that make the row */
  int64_t length; /* of the whole row */
  int64_t count;
} box_row;

static void set_count(const row_walk *by, box_row *row) {
  const int64_t done = row->along < 0 ? 0 : row->index[row->along];
  row->count = rlt_min(by->most, row->length - done);
}

static box_row first_row(const row_walk *by) {
  box_row made = {.along = by->rank > 0 ? by->order[0] : -1, .joined = by->joined, .length = 1};
  int64_t others = 1;
  for (int32_t i = 0; i < by->rank; ++i) {
    const int64_t size = by->box->sizes[by->order[i]];
    made.length *= i < by->joined ? size : 1;
    others = size == 0 ? 0 : others;
  }
  made.length *= others;
  set_count(by, &made);
  return made;
}

static void next_row(const row_walk *by, box_row *row) {
  if (row->along >= 0) {
    row->index[row->along] += row->count;
    if (row->index[row->along] < row->length) {
      set_count(by, row);
      return;
    }
    row->index[row->along] = 0;
  }
  row->count = 0;
  for (int32_t i = by->joined; i < by->rank; ++i) {
    if (++row->index[by->order[i]] < by->box->sizes[by->order[i]]) {
      set_count(by, row);
      return;
    }
    row->index[by->order[i]] = 0;
  }
}

/* Walks the rows of the values; the first `joined` dimensions make one row. */
static row_walk values_walk(const worker *at, int32_t joined, int64_t piece) {
  const rlt_many *const many = at->call->many;
  return (row_walk){&at->box, many->boxes.rank, many->order, joined, piece};
}

static int64_t place_of(const box_row *row, int32_t rank, const int64_t *strides) {
  int64_t place = 0;
  for (int32_t d = 0; d < rank; ++d) {
    place += row->index[d] * strides[d];
  }
  return place;
}

/* The same in a whole tensor. */
static int64_t place_in_all(const worker *at, const box_row *row, const int64_t *strides) {
  int64_t place = 0;
  for (int32_t d = 0; d < at->call->many->boxes.rank; ++d) {
    place += (at->box.start[d] + row->index[d]) * strides[d];
  }
  return place;
}

/* Whether a side has one scale for all of a row of several dimensions; it has one for each element
 * otherwise. */
static bool is_single(const worker *at, const relayout_scaled_view *side, const box_row *row) {
  const rlt_many *const many = at->call->many;
  bool is = true;
  for (int32_t i = 0; i < row->joined; ++i) {
    const int32_t d = many->order[i];
    is = is && side->group_sizes[d] >= many->boxes.dimensions[d];
  }
  return is;
}

/* The elements of a group along a row. */
static int64_t group_along(const worker *at, const relayout_scaled_view *side, const box_row *row) {
  if (row->joined > 1) {
    return is_single(at, side, row) ? INT64_MAX : 1;
  }
  return row->along < 0 ? 1 : side->group_sizes[row->along];
}

/* The first group of a row in the worker's memory, in f32s. Divisions take longer than all else of
 * a short row: most groups have one element along a dimension, or all of them. */
static int64_t group_of(const worker *at, const relayout_scaled_view *side,
                        const rlt_box_rows *rows, const box_row *row) {
  const rlt_boxes *const boxes = &at->call->many->boxes;
  int64_t place = 0;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    const int64_t size = side->group_sizes[d], start = at->box.start[d];
    if (row->index[d] == 0 || (d == row->along && row->joined > 1)) {
      continue;
    }
    if (size == 1) {
      place += row->index[d] * rows->strides[d];
    } else if (size < boxes->dimensions[d]) {
      place += ((start + row->index[d]) / size - start / size) * rows->strides[d];
    }
  }
  const bool is_each = row->joined > 1 && !is_single(at, side, row);
  return place / (int64_t)sizeof(float) + (is_each ? row->index[row->along] : 0);
}

/* How many elements of its first group come before a row. */
static int64_t skip_along(const worker *at, const box_row *row, int64_t group) {
  return group == 1 || group == INT64_MAX
             ? 0
             : (at->box.start[row->along] + row->index[row->along]) % group;
}

static uint8_t *elements_at(const relayout_scaled_view *side, const void *elements) {
  return (uint8_t *)((uintptr_t)elements + (uintptr_t)side->elements.byte_offset);
}

/* ---- Records -------------------------------------------------------------------------------- */

/* A row's records, of which those of several rows may lie together. */
typedef struct record_row {
  uint8_t *first; /* where the row's lie, or those that lie together */
  int64_t rows;   /* that lie together */
  int64_t number; /* of this one among them */
} record_row;

static record_row record_row_of(const worker *at, const relayout_scaled_view *side,
                                const rlt_box_rows *records, const void *elements,
                                const box_row *row) {
  const int32_t rank = at->call->many->boxes.rank;
  const int32_t next = rank > 1 ? side->elements.shape.layout.minor_to_major[1] : -1;
  record_row made = {elements_at(side, elements), rlt_rows_together(side), 0};
  for (int32_t d = 0; d < rank; ++d) {
    const int64_t index = at->box.start[d] + row->index[d];
    const int64_t together = d == row->along ? RELAYOUT_BLOCK_ELEMENTS : d == next ? made.rows : 1;
    made.first += index / together * records->strides[d];
    made.number = d == next ? index % made.rows : made.number;
  }
  return made;
}

/* Records that lie one after the other, of one piece of a row. */
typedef uint8_t plain_records[PIECE / RELAYOUT_BLOCK_ELEMENTS * MOST_RECORD];

/* A byte, four or eight, with these bits turned. */
static inline void move_run(const uint8_t *from, size_t bytes, uint64_t turned, uint8_t *to) {
  uint64_t run = 0;
  memcpy(&run, from, bytes);
  run ^= turned;
  memcpy(to, &run, bytes);
}

/* How a record lies among those of other rows. */
typedef struct interleaving {
  size_t bytes, scale; /* of a record, and of what comes before its elements */
  size_t rows, number; /* that lie together, and of this one among them */
  uint64_t turned;
} interleaving;

/* From records that lie together with others' to plain ones, or back. Of one record the runs of its
 * elements lie as far apart as `rows` runs. Callers give constants for `run` and `to_plain`. */
static inline __attribute__((always_inline)) void move_records_by(const interleaving *of,
                                                                  size_t run, bool to_plain,
                                                                  uint8_t *together, uint8_t *plain,
                                                                  int64_t count) {
  const size_t bytes = of->bytes, scale = of->scale, apart = of->rows * run;
  const size_t first = of->rows * scale + of->number * run;
  for (int64_t r = 0; r < count; ++r, plain += bytes, together += of->rows * bytes) {
    uint8_t *const scales = together + of->number * scale;
    for (size_t b = 0; b < scale; ++b) {
      *(to_plain ? plain + b : scales + b) = *(to_plain ? scales + b : plain + b);
    }
    uint8_t *runs = together + first;
    for (size_t i = scale; i < bytes; i += run, runs += apart) {
      move_run(to_plain ? runs : plain + i, run, of->turned, to_plain ? plain + i : runs);
    }
  }
}

/* Compiled for each way. */
static inline void move_either_way(const interleaving *of, size_t run, bool to_plain,
                                   uint8_t *together, uint8_t *plain, int64_t count) {
  if (to_plain) {
    move_records_by(of, run, true, together, plain, count);
  } else {
    move_records_by(of, run, false, together, plain, count);
  }
}

static void move_interleaved(const relayout_scaled_view *side, record_row row, int64_t count,
                             uint8_t *plain, bool to_plain) {
  const bool is_turned = side->block_format == RELAYOUT_BLOCK_FORMAT_Q4_0;
  const interleaving of = {.bytes = relayout_block_format_record_bytes(side->block_format),
                           .scale = rlt_block_scale_bytes(side->block_format),
                           .rows = (size_t)row.rows,
                           .number = (size_t)row.number,
                           .turned = is_turned ? UINT64_C(0x8888888888888888) : 0};
  if (side->interleaved_bytes == 8) {
    move_either_way(&of, 8, to_plain, row.first, plain, count);
  } else if (side->interleaved_bytes == 4) {
    move_either_way(&of, 4, to_plain, row.first, plain, count);
  } else {
    move_either_way(&of, 1, to_plain, row.first, plain, count);
  }
}

/* Where `count` elements' records lie one after the other: in the side, or in `room`. */
static const uint8_t *take_records(const relayout_scaled_view *side, record_row of, int64_t count,
                                   plain_records room) {
  if (of.rows == 1) {
    return of.first;
  }
  move_interleaved(side, of, count / RELAYOUT_BLOCK_ELEMENTS, room, true);
  return room;
}

static void put_records(const worker *at, const relayout_scaled_view *side, record_row of,
                        const rlt_unaligned_float *values, int64_t count) {
  plain_records room;
  if (of.rows == 1) {
    at->call->passes->encode(side->block_format, values, count, of.first);
    return;
  }
  for (int64_t done = 0; done < count; done += PIECE) {
    const int64_t now = rlt_min(count - done, PIECE);
    at->call->passes->encode(side->block_format, values + done, now, room);
    move_interleaved(side, of, now / RELAYOUT_BLOCK_ELEMENTS, room, false);
    of.first += now / RELAYOUT_BLOCK_ELEMENTS * of.rows *
                (int64_t)relayout_block_format_record_bytes(side->block_format);
  }
}

/* ---- Values --------------------------------------------------------------------------------- */

/* What the box needs of the source beside its elements, and these where they are no rows. */
static void take_source(worker *at) {
  const rlt_many *const many = at->call->many;
  const relayout_source_memory *const from = at->call->from;
  run_box(at, &many->values, from->elements, at->values);
  run_box(at, &many->beside.scales, from->scales, at->from_scales);
  run_box(at, &many->beside.points, from->zero_points, at->from_points);
  const float factor = at->call->factor;
  for (int64_t i = 0; factor != 1 && i < many->beside.rows.bytes / (int64_t)sizeof(float); ++i) {
    at->from_scales[i] *= factor;
  }
}

/* The source's elements of a row, where they lie or where plans put them. */
static const uint8_t *source_row(const worker *at, const box_row *row) {
  const rlt_many *const many = at->call->many;
  if (many->values_from == RLT_VALUES_OF_SOURCE) {
    return elements_at(&many->from, at->call->from->elements) +
           place_in_all(at, row, many->strides);
  }
  return at->values + place_of(row, many->boxes.rank, many->strides);
}

/* The source's elements of the piece after this one, which come near meanwhile: what memory fetches
 * by itself ends with a row. */
typedef struct upcoming {
  const uint8_t *from; /* NULL: none */
  int64_t element_bytes;
} upcoming;

static upcoming next_of(const worker *at, const row_walk *by, const box_row *row) {
  const rlt_many *const many = at->call->many;
  const bool is_piece = row->count < row->length;
  if (many->values_from != RLT_VALUES_OF_SOURCE || (!is_piece && by->joined >= by->rank)) {
    return (upcoming){.from = NULL};
  }
  const relayout_element_type type = many->from.elements.shape.element_type;
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(type);
  const int64_t distance = is_piece ? row->count * bytes : many->strides[by->order[by->joined]];
  return (upcoming){(const uint8_t *)((uintptr_t)source_row(at, row) + (uintptr_t)distance), bytes};
}

/* `count` elements of it. */
static void fetch(const upcoming *next, int64_t first, int64_t count) {
  if (next->from == NULL) {
    return;
  }
  const uint8_t *const from =
      (const uint8_t *)((uintptr_t)next->from + (uintptr_t)(first * next->element_bytes));
  for (int64_t i = 0; i < count * next->element_bytes; i += RLT_CPU_LINE_BYTES) {
    rlt_cpu_fetch(from + i, 2);
  }
}

/* The source's elements of a row, as another type. */
static const void *convert_source(const worker *at, const void *converter, const box_row *row) {
  const rlt_many *const many = at->call->many;
  const uint8_t *const source = source_row(at, row);
  uint8_t *const made = (uint8_t *)at->piece;
  if (many->values_from == RLT_VALUES_OF_ROWS) {
    rlt_cpu_codec_encode_within(converter, source, at->values + many->rows.bytes, made, row->count);
  } else {
    rlt_cpu_codec_encode(converter, source, made, row->count);
  }
  return made;
}

/* Elements of a row, before zero points and scales of the source, as f32s. */
static const rlt_unaligned_float *values_of(const worker *at, const box_row *row) {
  const rlt_many *const many = at->call->many;
  if (many->values_from == RLT_VALUES_OF_RECORDS) {
    plain_records room;
    const record_row of =
        record_row_of(at, &many->from, &many->records, at->call->from->elements, row);
    at->call->passes->decode(many->from.block_format,
                             take_records(&many->from, of, row->count, room), row->count,
                             at->piece);
    return at->piece;
  }
  return many->converter != NULL ? convert_source(at, many->converter, row)
                                 : (const rlt_unaligned_float *)(const void *)source_row(at, row);
}

/* ---- Scales --------------------------------------------------------------------------------- */

static const scale_above *above_of(const worker *at, const rlt_destination *to) {
  return &at->call->above[to - at->call->many->to];
}

/* What values are divided by: the destination's scales, or their products by the tensor scale. */
static float *divisors_of(const worker *at, const rlt_destination *to) {
  return to->view.has_tensor_scale ? at->to_products : at->to_scales;
}

/* Makes divisors, and what they are multiplied by, of the scales of groups from the first on. */
static void make_divisors(const worker *at, const rlt_destination *to, int64_t first,
                          int64_t count) {
  const float factor = above_of(at, to)->tensor_scale;
  for (int64_t i = first; to->view.has_tensor_scale && i < first + count; ++i) {
    at->to_products[i] = at->to_scales[i] * factor;
  }
  at->call->passes->invert(divisors_of(at, to) + first, count, at->to_inverses + first);
}

static rlt_scale_row scale_row(const worker *at, const relayout_scaled_view *side,
                               const rlt_box_scales *beside, const float *scales,
                               const float *points, const box_row *row) {
  const int64_t first = group_of(at, side, &beside->rows, row);
  const int64_t group = group_along(at, side, row);
  return (rlt_scale_row){.scales = scales + first,
                         .points = side->has_zero_points ? points + first : NULL,
                         .group = group,
                         .skip = skip_along(at, row, group)};
}

/* What a row is multiplied by; what it is divided by where `to` has scales. */
static rlt_rescaling rescaling_of(const worker *at, const rlt_destination *to, const box_row *row) {
  const rlt_many *const many = at->call->many;
  rlt_rescaling made = {.is_exact = to->is_exact,
                        .is_narrow = to->is_narrow,
                        .are_powers = to->are_powers,
                        .are_short = to->are_short,
                        .most = to->most,
                        .rounding = to->rounding};
  if (!many->from.has_scales && many->factor != 1) {
    made.from = (rlt_scale_row){.scales = &many->factor, .group = INT64_MAX};
  } else if (many->from.has_scales) {
    made.from = scale_row(at, &many->from, &many->beside, at->from_scales, at->from_points, row);
  }
  if (to->view.has_scales) {
    const float *const divisors = divisors_of(at, to);
    made.to = scale_row(at, &to->view, &to->beside, divisors, at->to_points, row);
    made.to.inverses = at->to_inverses + (made.to.scales - divisors);
  }
  return made;
}

/* What a row of such elements is made of: the source's, or f32s of its records or rows. */
static const void *wide_elements(const worker *at, const box_row *row) {
  return at->call->many->is_wide ? (const void *)source_row(at, row)
                                 : (const void *)values_of(at, row);
}

static rlt_wide_rescaling wide_rescaling(const worker *at, const rlt_rescaling *of,
                                         relayout_element_type to, bool to_nearest) {
  const rlt_many *const many = at->call->many;
  return (rlt_wide_rescaling){.from = many->is_wide ? many->row_type : RELAYOUT_F32,
                              .to = to,
                              .rounds_to_nearest = to_nearest,
                              .scales = of};
}

/* Elements of a row by the source's scales. */
static const rlt_unaligned_float *scaled(const worker *at, const rlt_rescaling *of,
                                         const rlt_unaligned_float *elements, int64_t count) {
  if (of->from.scales == NULL) {
    return elements;
  }
  const rlt_rescaling by_source = {
      .from = of->from, .is_exact = of->is_exact, .rounding = RLT_SCALE_TO_F32};
  at->call->passes->rescale(&by_source, elements, 0, at->rescaled, count);
  return at->rescaled;
}

/* The values of a row as f32s. */
static const rlt_unaligned_float *scaled_values_of(const worker *at, const rlt_destination *to,
                                                   const row_walk *by, const box_row *row) {
  const upcoming next = next_of(at, by, row);
  fetch(&next, 0, row->count);
  if (!rlt_many_has_scales(at->call->many)) {
    return values_of(at, row);
  }
  const rlt_rescaling of = rescaling_of(at, to, row);
  if (at->call->many->is_wide) {
    const rlt_rescaling by_source = {.from = of.from};
    const rlt_wide_rescaling wide = wide_rescaling(at, &by_source, RELAYOUT_F32, false);
    rlt_cpu_rescale_wide(&wide, source_row(at, row), 0, row->count, at->rescaled);
    return at->rescaled;
  }
  return scaled(at, &of, values_of(at, row), row->count);
}

static void find_greatest(const worker *at, const rlt_destination *to) {
  const row_walk by = values_walk(at, to->joined, to->piece);
  const rlt_cpu_scale_passes *const passes = at->call->passes;
  const bool has_range = rlt_finds_points(&to->view);
  memset(at->greatest, 0, (size_t)to->beside.rows.bytes);
  memset(at->below, 0, has_range ? (size_t)to->beside.rows.bytes : 0);
  for (box_row row = first_row(&by); row.count > 0; next_row(&by, &row)) {
    const int64_t group = group_along(at, &to->view, &row), skip = skip_along(at, &row, group);
    const int64_t first = group_of(at, &to->view, &to->beside.rows, &row);
    const rlt_unaligned_float *const values = scaled_values_of(at, to, &by, &row);
    if (has_range) {
      passes->find_ends(values, row.count, group, skip, at->greatest + first, at->below + first);
    } else {
      passes->find_greatest(values, row.count, group, skip, at->greatest + first);
    }
  }
}

static void raise(_Atomic uint32_t *to, uint32_t value) {
  uint32_t there = atomic_load_explicit(to, memory_order_relaxed);
  while (value > there && !atomic_compare_exchange_weak_explicit(
                              to, &there, value, memory_order_relaxed, memory_order_relaxed)) {
  }
}

/* The box's greatest values to those of all boxes. */
static void add_greatest(const worker *at, const rlt_destination *to, all_groups *all) {
  const int32_t rank = at->call->many->boxes.rank;
  rlt_index_box groups;
  rlt_groups_of_box(&to->view, &at->box, &groups);
  const row_walk by = {&groups, rank, at->call->many->order, 1, 1};
  for (box_row group = first_row(&by); group.count > 0; next_row(&by, &group)) {
    const int64_t from = place_of(&group, rank, to->beside.rows.strides);
    int64_t place = place_of(&group, rank, to->group_rows.strides) - to->first_group;
    for (int32_t d = 0; d < rank; ++d) {
      place += groups.start[d] * to->group_rows.strides[d];
    }
    const int64_t number = place / (int64_t)sizeof(float), own = from / (int64_t)sizeof(float);
    raise(&all->greatest[number], at->greatest[own]);
    if (all->below != NULL) {
      raise(&all->below[number], at->below[own]);
    }
  }
}

/* The scales of `count` groups, and their zero points where the rule finds these; `greatest` may be
 * overwritten. */
static void find_by_rule(const rlt_cpu_many_call *call, int32_t number, uint32_t *greatest,
                         const uint32_t *below, int64_t count, float *scales, float *points) {
  const relayout_scaled_view *const view = &call->many->to[number].view;
  const scale_above *const by = &call->above[number];
  if (rlt_finds_points(view)) {
    rlt_find_spans(greatest, below, count);
  }
  rlt_scale_finder_level(&by->finder, greatest, count);
  call->passes->find_scales(&by->finder, greatest, count, scales);
  if (rlt_finds_points(view)) {
    const rlt_integer_range range = rlt_range_of(view->elements.shape.element_type);
    rlt_find_points(&by->finder, by->tensor_scale, range, below, scales, count, points);
  }
}

/* The scales of a piece of a row that has whole groups, as they are in their type. */
static void find_in_piece(const worker *at, const rlt_destination *to, const rlt_rescaling *of,
                          const rlt_unaligned_float *elements, int64_t count) {
  const rlt_cpu_scale_passes *const passes = at->call->passes;
  const rlt_scale_finder *const finder = &above_of(at, to)->finder;
  const int64_t first = of->to.scales - divisors_of(at, to);
  const int64_t groups = rlt_divide_up(count, of->to.group);
  uint32_t *const greatest = at->greatest + first;
  float *const scales = at->to_scales + first;
  memset(greatest, 0, (size_t)groups * sizeof *greatest);
  passes->find_greatest(scaled(at, of, elements, count), count, of->to.group, 0, greatest);
  rlt_scale_finder_level(finder, greatest, groups);
  passes->find_scales(finder, greatest, groups, scales);
  if (to->scale_writer != NULL) {
    uint8_t *const written = (uint8_t *)at->rescaled;
    rlt_cpu_codec_encode(to->scale_writer, (const uint8_t *)scales, written, groups);
    rlt_cpu_codec_encode(to->scale_reader, written, (uint8_t *)scales, groups);
  }
  make_divisors(at, to, first, groups);
}

static void find_in_box(const worker *at, const rlt_destination *to,
                        const relayout_destination_memory *memory) {
  find_greatest(at, to);
  find_by_rule(at->call, (int32_t)(to - at->call->many->to), at->greatest, at->below,
               to->beside.rows.bytes / (int64_t)sizeof(float), at->to_scales, at->to_points);
  run_box(at, &to->found, at->to_scales, memory->scales);
  run_box(at, &to->found_points, at->to_points, memory->zero_points);
}

/* The destination's scales for this box, as they are in its type, and its zero points. */
static void take_scales(const worker *at, const rlt_destination *to,
                        const relayout_destination_memory *memory) {
  if (to->finding == RLT_FINDS_IN_BOX) {
    find_in_box(at, to, memory);
  }
  run_box(at, &to->beside.points, memory->zero_points, at->to_points);
  if (!to->view.has_scales || to->finding == RLT_FINDS_IN_PIECE) {
    return;
  }
  run_box(at, &to->beside.scales, memory->scales, at->to_scales);
  make_divisors(at, to, 0, to->beside.rows.bytes / (int64_t)sizeof(float));
}

/* ---- Destinations --------------------------------------------------------------------------- */

/* From memory that may be read up to `end`. Boxes have floating point as programs start with it,
 * which is right for all converters; what they want besides makes them faster alone. */
static void put_row(const rlt_destination *to, const void *row, const void *end, uint8_t *place,
                    int64_t count) {
  if (to->streams) {
    rlt_cpu_codec_stream_within(to->converter, row, end, place, count);
  } else {
    rlt_cpu_codec_encode_within(to->converter, row, end, place, count);
  }
}

/* Whether a side has the same scales in each row. */
static bool repeats(const worker *at, const relayout_scaled_view *side) {
  const rlt_many *const many = at->call->many;
  bool are = true;
  for (int32_t i = 1; i < many->boxes.rank && side->has_scales; ++i) {
    const int32_t d = many->order[i];
    are = are && side->group_sizes[d] >= many->boxes.dimensions[d];
  }
  return are;
}

static int64_t destination_bytes(const rlt_destination *to) {
  return (int64_t)relayout_element_type_byte_size(to->view.elements.shape.element_type);
}

/* What a row becomes from `first` on: f32s or, by words, elements of the destination. */
static void rescale(const worker *at, const rlt_destination *to, const rlt_rescaling *of,
                    const void *elements, int64_t first, void *made, int64_t count) {
  const rlt_cpu_scale_passes *const passes = at->call->passes;
  if (to->by_words) {
    passes->multiply_words(&of->from, (const uint16_t *)elements + first, first,
                           destination_bytes(to) == sizeof(uint16_t), made, count);
  } else {
    passes->rescale(of, (const rlt_unaligned_float *)elements + first, first, made, count);
  }
}

/* A few of a row at a time, as fetching many at once would make all wait. */
static void make_rescaled(const worker *at, const rlt_destination *to, const row_walk *by,
                          const box_row *row, const rlt_rescaling *of, uint8_t *place) {
  enum { SOME = 512 };
  const bool is_straight =
      !rlt_converts(&to->conversion) && !to->streams && (to->by_words || !to->in_place);
  const int64_t bytes = destination_bytes(to);
  const upcoming next = next_of(at, by, row);
  const void *const elements = to->by_words
                                   ? convert_source(at, at->call->many->word_converter, row)
                                   : (const void *)values_of(at, row);
  if (to->finding == RLT_FINDS_IN_PIECE) {
    find_in_piece(at, to, of, elements, row->count);
  }
  for (int64_t first = 0; first < row->count; first += SOME) {
    const int64_t count = rlt_min(SOME, row->count - first);
    uint8_t *const made = place + first * bytes;
    void *const rescaled = is_straight ? made : (uint8_t *)at->rescaled;
    fetch(&next, first, count);
    rescale(at, to, of, elements, first, rescaled, count);
    if (!is_straight) {
      put_row(to, rescaled, at->rescaled + SOME, made, count);
    }
  }
}

/* Elements that f32 does not hold, or that come of such ones. */
static void make_wide(const worker *at, const rlt_destination *to, const row_walk *by,
                      const box_row *row, const rlt_rescaling *of, uint8_t *place) {
  const upcoming next = next_of(at, by, row);
  const rlt_wide_rescaling wide =
      wide_rescaling(at, of, to->view.elements.shape.element_type, to->rounds_to_nearest);
  fetch(&next, 0, row->count);
  const void *const elements = wide_elements(at, row);
  const bool are_signed = wide.from == RELAYOUT_S32;
  const bool are_multiplied =
      (are_signed || wide.from == RELAYOUT_U32) && wide.to == RELAYOUT_F32 && !to->view.has_scales;
  if (!are_multiplied || !at->call->passes->multiply_integers(&of->from, elements, are_signed,
                                                              (float *)(void *)place, row->count)) {
    rlt_cpu_rescale_wide(&wide, elements, 0, row->count, place);
  }
}

static void make_converted(const worker *at, const rlt_destination *to, const row_walk *by,
                           const box_row *row, uint8_t *place) {
  const upcoming next = next_of(at, by, row);
  fetch(&next, 0, row->count);
  if (at->call->many->values_from == RLT_VALUES_OF_RECORDS) {
    put_row(to, values_of(at, row), at->piece + PIECE, place, row->count);
    return;
  }
  const uint8_t *const source = source_row(at, row);
  const int64_t bytes = row->count * (int64_t)relayout_element_type_byte_size(
                                         at->call->many->from.elements.shape.element_type);
  const rlt_float_control was = rlt_cpu_codec_enter(to->converter);
  put_row(to, source, source + bytes, place, row->count);
  rlt_cpu_codec_leave(to->converter, was);
}

static void make_rows(const worker *at, const rlt_destination *to,
                      const relayout_destination_memory *memory) {
  const row_walk by = values_walk(at, to->joined, to->piece);
  take_scales(at, to, memory);
  if (has_failed(at->call)) {
    return;
  }
  box_row row = first_row(&by);
  const bool is_same =
      row.count == row.length && repeats(at, &at->call->many->from) && repeats(at, &to->view);
  rlt_rescaling of = rescaling_of(at, to, &row);
  for (; row.count > 0; next_row(&by, &row)) {
    uint8_t *const place = to->in_place ? elements_at(&to->view, memory->elements) +
                                              place_in_all(at, &row, to->strides)
                                        : at->elements + place_of(&row, by.rank, to->strides);
    if (!to->is_rescaled) {
      make_converted(at, to, &by, &row, place);
      continue;
    }
    of = is_same ? of : rescaling_of(at, to, &row);
    if (to->is_wide) {
      make_wide(at, to, &by, &row, &of, place);
    } else {
      make_rescaled(at, to, &by, &row, &of, place);
    }
  }
  if (to->finding == RLT_FINDS_IN_PIECE) {
    run_box(at, &to->found, at->to_scales, memory->scales);
  }
  run_box(at, &to->elements, at->elements, memory->elements);
}

static void make_records(const worker *at, const rlt_destination *to,
                         const relayout_destination_memory *memory) {
  const row_walk by = values_walk(at, 1, to->piece);
  for (box_row row = first_row(&by); row.count > 0; next_row(&by, &row)) {
    put_records(at, &to->view, record_row_of(at, &to->view, &to->records, memory->elements, &row),
                scaled_values_of(at, to, &by, &row), row.count);
  }
}

/* One row's records. */
static void move_row(const relayout_scaled_view *from, const relayout_scaled_view *to,
                     record_row source, record_row made, int64_t elements) {
  plain_records room;
  const int64_t count = elements / RELAYOUT_BLOCK_ELEMENTS;
  const uint8_t *const plain = take_records(from, source, elements, room);
  if (made.rows == 1) {
    memcpy(made.first, plain, (size_t)count * relayout_block_format_record_bytes(to->block_format));
  } else {
    move_interleaved(to, made, count, (uint8_t *)(uintptr_t)plain, false);
  }
}

/* Of the rows whose records lie together on one side of a move, and not on the other: along which
 * dimension they are neighbours; -1: there are none. */
static int32_t group_dimension(const relayout_scaled_view *from, const relayout_scaled_view *to) {
  const relayout_scaled_view *const side = from->interleaved_rows > 0 ? from : to;
  return (from->interleaved_rows > 0) != (to->interleaved_rows > 0)
             ? side->elements.shape.layout.minor_to_major[1]
             : -1;
}

/* Records of the source's format, whose bits stay. Where the box has all rows of a group, the first
 * of them takes all along. */
static void move_records(const worker *at, const rlt_destination *to,
                         const relayout_destination_memory *memory) {
  const rlt_many *const many = at->call->many;
  const rlt_cpu_scale_passes *const passes = at->call->passes;
  const row_walk by = values_walk(at, 1, to->piece);
  const int32_t d = group_dimension(&many->from, &to->view);
  const bool joins = to->view.interleaved_rows > 0;
  const relayout_scaled_view *const side = joins ? &to->view : &many->from;
  const rlt_interleaving how = {side->block_format, side->interleaved_rows,
                                side->interleaved_bytes};
  const int64_t apart = d < 0 ? 0 : joins ? many->records.strides[d] : to->records.strides[d];
  for (box_row row = first_row(&by); row.count > 0; next_row(&by, &row)) {
    const int64_t count = row.count / RELAYOUT_BLOCK_ELEMENTS;
    const int64_t number = d < 0 ? 0 : (at->box.start[d] + row.index[d]) % how.rows;
    const int64_t first = d < 0 ? -1 : row.index[d] - number;
    const bool is_whole = first >= 0 && first + how.rows <= at->box.sizes[d];
    if (is_whole && number > 0) {
      continue;
    }
    const record_row source =
        record_row_of(at, &many->from, &many->records, at->call->from->elements, &row);
    const record_row made = record_row_of(at, &to->view, &to->records, memory->elements, &row);
    if (is_whole && joins) {
      passes->join(&how, source.first, apart, count, made.first);
    } else if (is_whole) {
      passes->part(&how, source.first, count, made.first, apart);
    } else {
      move_row(&many->from, &to->view, source, made, row.count);
    }
  }
}

static void make_arranged(const worker *at, const rlt_destination *to,
                          const relayout_destination_memory *memory) {
  const row_walk by = values_walk(at, 1, to->piece);
  const row_walk arranged = {&at->box, by.rank, to->order, 1, INT64_MAX};
  for (box_row row = first_row(&by); row.count > 0; next_row(&by, &row)) {
    memcpy(at->elements + place_of(&row, by.rank, to->rows.strides),
           scaled_values_of(at, to, &by, &row), (size_t)row.count * sizeof(float));
  }
  run_box(at, &to->arranged, at->elements, at->arranged);
  if (has_failed(at->call)) {
    return;
  }
  for (box_row row = first_row(&arranged); row.count > 0; next_row(&arranged, &row)) {
    const void *const values = at->arranged + place_of(&row, by.rank, to->arranged_rows.strides);
    put_records(at, &to->view, record_row_of(at, &to->view, &to->records, memory->elements, &row),
                values, row.count);
  }
}

/* A destination that shares rows gets them right after they were made. */
static void share_rows(const worker *at, int32_t leader) {
  const rlt_many *const many = at->call->many;
  for (int32_t i = leader + 1; i < many->count; ++i) {
    const rlt_destination *const to = &many->to[i];
    if (to->making == RLT_MAKES_SHARED && to->leader == leader) {
      run_box(at, &to->elements, at->elements, at->call->to[i].elements);
    }
  }
}

static void make_destination(const worker *at, int32_t number) {
  const rlt_destination *const to = &at->call->many->to[number];
  const relayout_destination_memory *const memory = &at->call->to[number];
  switch (to->making) {
  case RLT_MAKES_BY_PLAN:
    run_box(at, &to->elements, at->call->from->elements, memory->elements);
    break;
  case RLT_MAKES_ROWS:
    make_rows(at, to, memory);
    share_rows(at, number);
    break;
  case RLT_MAKES_SHARED:
    break;
  case RLT_MAKES_RECORDS:
    make_records(at, to, memory);
    break;
  case RLT_MAKES_MOVED:
    move_records(at, to, memory);
    break;
  default:
    make_arranged(at, to, memory);
  }
}

/* ---- Boxes ---------------------------------------------------------------------------------- */

static void do_box(worker *at) {
  rlt_cpu_many_call *const call = at->call;
  const rlt_many *const many = call->many;
  rlt_boxes_get(&many->boxes, at->number, &at->box);
  if (many->has_rows) {
    take_source(at);
  }
  for (int32_t i = 0; i < many->count && !has_failed(call); ++i) {
    if (!call->is_finding) {
      make_destination(at, i);
    } else if (many->to[i].finding == RLT_FINDS_IN_ALL) {
      find_greatest(at, &many->to[i]);
      add_greatest(at, &many->to[i], &call->groups[i]);
    }
  }
}

static void work(void *data, size_t number) {
  rlt_cpu_many_call *const call = data;
  worker own = worker_at(call, call->memory + (int64_t)number * call->worker_bytes);
  const rlt_float_control was = rlt_floats_enter();
  for (;;) {
    own.number = atomic_fetch_add_explicit(&call->next, 1, memory_order_relaxed);
    if (own.number >= call->many->boxes.count || has_failed(call)) {
      break;
    }
    do_box(&own);
  }
  call->device->instructions->lines->finish();
  rlt_floats_leave(was);
}

static void do_boxes(rlt_cpu_many_call *call, int32_t tasks) {
  atomic_store(&call->next, 0);
  rlt_cpu_run_tasks(call->device, tasks, work, call);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void free_groups(rlt_cpu_many_call *call) {
  for (int32_t i = 0; i < call->many->count; ++i) {
    rlt_free((void *)call->groups[i].greatest);
    rlt_free((void *)call->groups[i].below);
    rlt_free(call->groups[i].scales);
    rlt_free(call->groups[i].points);
  }
}

static bool make_groups(rlt_cpu_many_call *call) {
  bool are_there = true;
  for (int32_t i = 0; i < call->many->count; ++i) {
    const rlt_destination *const to = &call->many->to[i];
    if (to->finding == RLT_FINDS_IN_ALL) {
      call->groups[i].greatest = rlt_malloc((size_t)to->group_rows.bytes);
      call->groups[i].scales = rlt_malloc((size_t)to->group_rows.bytes);
      are_there = are_there && call->groups[i].greatest != NULL && call->groups[i].scales != NULL;
    }
    if (to->finding == RLT_FINDS_IN_ALL && rlt_finds_points(&to->view)) {
      call->groups[i].below = rlt_malloc((size_t)to->group_rows.bytes);
      call->groups[i].points = rlt_malloc((size_t)to->group_rows.bytes);
      are_there = are_there && call->groups[i].below != NULL && call->groups[i].points != NULL;
    }
  }
  return are_there;
}

/* Reads all for the greatest values of groups that lie in several boxes, and writes their
 * scales. */
static void find_scales(rlt_cpu_many_call *call, int32_t tasks) {
  bool finds = false;
  for (int32_t i = 0; i < call->many->count; ++i) {
    const rlt_destination *const to = &call->many->to[i];
    if (to->finding == RLT_FINDS_IN_ALL) {
      memset((void *)call->groups[i].greatest, 0, (size_t)to->group_rows.bytes);
      if (call->groups[i].below != NULL) {
        memset((void *)call->groups[i].below, 0, (size_t)to->group_rows.bytes);
      }
      finds = true;
    }
  }
  if (!finds) {
    return;
  }
  call->is_finding = true;
  do_boxes(call, tasks);
  call->is_finding = false;
  for (int32_t i = 0; i < call->many->count && atomic_load(&call->status) == RELAYOUT_OK; ++i) {
    const rlt_destination *const to = &call->many->to[i];
    if (to->finding == RLT_FINDS_IN_ALL) {
      const all_groups *const all = &call->groups[i];
      find_by_rule(call, i, (uint32_t *)(void *)all->greatest,
                   (const uint32_t *)(const void *)all->below,
                   to->group_rows.bytes / (int64_t)sizeof(float), all->scales, all->points);
      run_plan(call, to->all_found, (uintptr_t)all->scales - (uintptr_t)to->first_group,
               (uintptr_t)call->to[i].scales);
      if (to->all_found_points != NULL) {
        run_plan(call, to->all_found_points, (uintptr_t)all->points - (uintptr_t)to->first_group,
                 (uintptr_t)call->to[i].zero_points);
      }
    }
  }
}

relayout_status rlt_cpu_converter_create(const relayout_device *device, int64_t element_bytes,
                                         const rlt_conversion *conversion, void **converter,
                                         relayout_error *error) {
  const rlt_cpu_device *const on = (const rlt_cpu_device *)device;
  const rlt_problem problem = {.element_bytes = element_bytes, .conversion = *conversion};
  rlt_cpu_codec *made = NULL;
  const relayout_status status = rlt_cpu_codec_create(on->instructions, &problem, &made, error);
  *converter = made;
  return status;
}

void rlt_cpu_converter_destroy(void *converter) {
  rlt_cpu_codec_destroy(converter);
}

relayout_status rlt_cpu_many_prepare(const relayout_plan *plan, rlt_cpu_many_call **call,
                                     relayout_error *error) {
  const rlt_many *const many = plan->many;
  const rlt_cpu_device *const device = (const rlt_cpu_device *)many->device;
  const int64_t worker_bytes = sizes_of(many).all;
  const int64_t boxes = rlt_max(many->boxes.count, 1);
  const int32_t tasks = (int32_t)rlt_min(device->base.facts.threads, boxes);
  rlt_cpu_many_call *const made = rlt_calloc(1, sizeof *made);
  if (made != NULL) {
    *made = (rlt_cpu_many_call){.many = many,
                                .device = device,
                                .passes = device->instructions->scales,
                                .tasks = tasks,
                                .worker_bytes = worker_bytes};
    made->memory = rlt_aligned_alloc(RLT_CPU_LINE_BYTES,
                                     (size_t)rlt_max(tasks * worker_bytes, RLT_CPU_LINE_BYTES));
  }
  if (made == NULL || !make_groups(made) || made->memory == NULL) {
    rlt_cpu_many_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %d workers of %zu bytes each",
                    (int)tasks, (size_t)worker_bytes);
  }
  *call = made;
  return RELAYOUT_OK;
}

static float read_tensor_scale(const relayout_scaled_view *side, const rlt_used_bytes *used,
                               const void *memory) {
  const relayout_view *const view = &side->tensor_scale;
  uint32_t bits;
  if (!used[RLT_TENSOR_SCALE].is_used) {
    return 1;
  }
  memcpy(&bits, (const void *)((uintptr_t)memory + (uintptr_t)view->byte_offset), sizeof bits);
  return f32_of_bits(rlt_is_swapped(RELAYOUT_F32, view->byte_order) ? __builtin_bswap32(bits)
                                                                    : bits);
}

static void read_tensor_scales(rlt_cpu_many_call *call) {
  const rlt_many *const many = call->many;
  call->factor =
      many->factor * read_tensor_scale(&many->from, many->bytes[0], call->from->tensor_scale);
  for (int32_t i = 0; i < many->count; ++i) {
    const rlt_destination *const to = &many->to[i];
    const float scale = read_tensor_scale(&to->view, many->bytes[i + 1], call->to[i].tensor_scale);
    call->above[i] = (scale_above){scale, rlt_scale_finder_below(&to->finder, scale)};
  }
}

relayout_status rlt_cpu_many_run(rlt_cpu_many_call *call, const relayout_source_memory *from,
                                 const relayout_destination_memory *to) {
  const rlt_float_control was = rlt_floats_enter();
  call->from = from;
  call->to = to;
  read_tensor_scales(call);
  find_scales(call, call->tasks);
  do_boxes(call, call->tasks);
  rlt_floats_leave(was);
  return (relayout_status)atomic_load(&call->status);
}

void rlt_cpu_many_free(rlt_cpu_many_call *call) {
  if (call != NULL) {
    free_groups(call);
    rlt_free(call->memory);
    rlt_free(call);
  }
}

relayout_status rlt_cpu_execute_many(const relayout_plan *plan, const relayout_source_memory *from,
                                     const relayout_destination_memory *to, relayout_error *error) {
  rlt_cpu_many_call *call = NULL;
  relayout_status status = rlt_cpu_many_prepare(plan, &call, error);
  if (status == RELAYOUT_OK) {
    status = rlt_cpu_many_run(call, from, to);
    rlt_cpu_many_free(call);
    status = status == RELAYOUT_OK ? RELAYOUT_OK
                                   : rlt_fail(error, status, "no memory for a step of the plan");
  }
  return status;
}
