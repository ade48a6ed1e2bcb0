/* many.c: plans of several destinations: which of their steps are plans of boxes, and which are
 * done by the device. */
#include "plan/many.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/float_control.h"
#include "base/memory.h"
#include "metadata/float_format.h"
#include "plan/chunks.h"

/* ---- Plans of boxes ------------------------------------------------------------------------- */

static void free_box_plans(rlt_box_plans *of) {
  for (size_t i = 0; i < of->plan_count; ++i) {
    relayout_plan_destroy(of->plans[i]);
  }
  rlt_free(of->plans);
  rlt_free(of->of);
}

static void free_beside(rlt_box_scales *of) {
  free_box_plans(&of->scales);
  free_box_plans(&of->points);
}

static void free_converter(const rlt_backend *backend, void *converter) {
  if (converter != NULL) {
    backend->converter_destroy(converter);
  }
}

void rlt_many_free(rlt_many *many) {
  if (many == NULL) {
    return;
  }
  const rlt_backend *const backend = many->device->backend;
  if (many->on_device != NULL) {
    backend->many_destroy(many->on_device);
  }
  free_converter(backend, many->converter);
  free_converter(backend, many->word_converter);
  free_box_plans(&many->values);
  free_beside(&many->beside);
  for (int32_t i = 0; many->to != NULL && i < many->count; ++i) {
    rlt_destination *const to = &many->to[i];
    free_converter(backend, to->converter);
    free_converter(backend, to->scale_writer);
    free_converter(backend, to->scale_reader);
    free_box_plans(&to->elements);
    free_box_plans(&to->found);
    free_box_plans(&to->found_points);
    free_box_plans(&to->arranged);
    free_beside(&to->beside);
    relayout_plan_destroy(to->all_found);
    relayout_plan_destroy(to->all_found_points);
  }
  rlt_free(many->to);
  rlt_free(many);
}

/* A whole tensor by the strides of a box: of it only one box is there at a time. */
static relayout_view rows_view(const relayout_shape *shape, relayout_element_type type,
                               const rlt_box_rows *rows) {
  relayout_view made = rlt_dense_view(shape);
  made.shape.element_type = type;
  made.is_strided = true;
  memcpy(made.byte_strides, rows->strides, sizeof made.byte_strides);
  return made;
}

/* What all plans of one kind share. */
typedef struct box_planning {
  relayout_device *device;
  const rlt_many *many;
  const rlt_plan_request *request;
  relayout_view from;
  relayout_view to;
  const relayout_scaled_view *groups; /* boxes are of groups of this side; NULL: of elements */
  const rlt_box_rows *from_rows;      /* the worker's memory; NULL: a view of the caller's */
  const rlt_box_rows *to_rows;
} box_planning;

/* How far the box begins from the start of rows that have all boxes. */
static int64_t place_in(const rlt_box_rows *rows, int32_t rank, const rlt_index_box *box) {
  int64_t place = 0;
  for (int32_t d = 0; rows != NULL && d < rank; ++d) {
    place += rows->strides[d] * box->start[d];
  }
  return place;
}

/* The plan that moves an equal box, or a new one. */
static relayout_status plan_box(const box_planning *by, const rlt_index_box *box,
                                rlt_box_plans *made, rlt_chunk *chunk, relayout_error *error) {
  const rlt_view from = rlt_view_of(&by->from), to = rlt_view_of(&by->to);
  rlt_plan_request request = *by->request;
  request.stages_destination = by->to_rows != NULL;
  relayout_status status = RELAYOUT_OK;
  if (made->plan_count > 0) {
    status = rlt_chunk_find(made->plans[0], box, made->plans, made->plan_count, chunk, error);
  }
  if (chunk->plan != NULL || status != RELAYOUT_OK) {
    return status;
  }
  const size_t size = made->plan_count * sizeof(relayout_plan *);
  relayout_plan **const plans = rlt_realloc(made->plans, size, size + sizeof *plans);
  if (plans == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the plans of boxes");
  }
  made->plans = plans;
  status =
      rlt_plan_create_in(by->device, &from, &to, box, &request, &plans[made->plan_count], error);
  if (status == RELAYOUT_OK) {
    *chunk = (rlt_chunk){plans[made->plan_count], 0, 0};
    made->plan_count += 1;
  }
  return status;
}

/* Where nothing is cut, or there are no elements, all is planned at once, which index programs can
 * do too. */
static relayout_status plan_boxes(const box_planning *by, rlt_box_plans *made,
                                  relayout_error *error) {
  const rlt_boxes *const boxes = &by->many->boxes;
  const bool is_whole = boxes->count == 1 && rlt_boxes_range(boxes) == NULL;
  relayout_status status = RELAYOUT_OK;
  made->of = rlt_calloc((size_t)rlt_max(boxes->count, 1), sizeof *made->of);
  if (made->of == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %" PRId64 " boxes", boxes->count);
  }
  for (int64_t i = 0; i < boxes->count && status == RELAYOUT_OK; ++i) {
    rlt_index_box box, groups;
    rlt_boxes_get(boxes, i, &box);
    if (by->groups != NULL) {
      rlt_groups_of_box(by->groups, &box, &groups);
    }
    const rlt_index_box *const taken = by->groups != NULL ? &groups : &box;
    status = plan_box(by, is_whole ? NULL : taken, made, &made->of[i], error);
    made->of[i].source -= place_in(by->from_rows, boxes->rank, taken);
    made->of[i].destination -= place_in(by->to_rows, boxes->rank, taken);
  }
  return status;
}

/* ---- Requests ------------------------------------------------------------------------------- */

rlt_plan_request rlt_plain_request(void) {
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  request.effort = RELAYOUT_PLAN_ESTIMATE;
  request.changes.scale = 1;
  return request;
}

rlt_plan_request rlt_many_request(const rlt_plan_request *asked) {
  rlt_plan_request request = rlt_plain_request();
  request.changes.wraps = asked->changes.wraps;
  request.changes.rounds_to_nearest = asked->changes.rounds_to_nearest;
  return request;
}

/* ---- Sides ---------------------------------------------------------------------------------- */

/* Planning of one plan, whose `many` becomes the plan's. */
typedef struct planning {
  relayout_device *device;
  rlt_many *many;
  rlt_plan_request asked;
} planning;

static const relayout_shape *shape_of(const planning *at) {
  return &at->many->from.elements.shape;
}

/* Scales, and zero points, from the caller's memory to a worker's. */
static relayout_status plan_beside(const planning *at, const relayout_scaled_view *side,
                                   rlt_box_scales *made, relayout_error *error) {
  const rlt_plan_request request = rlt_plain_request();
  const rlt_boxes *const boxes = &at->many->boxes;
  int64_t sizes[RELAYOUT_MAX_RANK];
  for (int32_t d = 0; d < boxes->rank; ++d) {
    sizes[d] = rlt_groups_met(boxes, d, side->group_sizes[d]);
  }
  rlt_box_rows_make(boxes->rank, sizes, at->many->order, (int64_t)sizeof(float), &made->rows);
  box_planning by = {.device = at->device,
                     .many = at->many,
                     .request = &request,
                     .from = side->scales,
                     .to = rows_view(&side->scales.shape, RELAYOUT_F32, &made->rows),
                     .groups = side,
                     .to_rows = &made->rows};
  relayout_status status = plan_boxes(&by, &made->scales, error);
  if (status == RELAYOUT_OK && side->has_zero_points) {
    by.from = side->zero_points;
    status = plan_boxes(&by, &made->points, error);
  }
  return status;
}

/* Whether a view's elements lie in rows along the values' minor dimension, one beside the other;
 * then returns their strides. */
static bool has_rows(const planning *at, const relayout_view *view, int64_t *strides) {
  const int32_t rank = view->shape.rank, minor = at->many->order[0];
  const relayout_element_type type = view->shape.element_type;
  relayout_view strided;
  if (relayout_element_type_kind(type) == RELAYOUT_KIND_COMPLEX ||
      rlt_is_swapped(type, view->byte_order) ||
      rlt_view_as_strided(view, &strided, NULL) != RELAYOUT_OK) {
    return false;
  }
  memcpy(strides, strided.byte_strides, (size_t)rank * sizeof strides[0]);
  return rank == 0 || view->shape.dimensions[minor] == 1 ||
         strides[minor] == (int64_t)relayout_element_type_byte_size(type);
}

/* NONE where elements keep their bits. */
static rlt_conversion conversion_of(const rlt_plan_request *by, relayout_element_type from,
                                    relayout_element_type to) {
  rlt_conversion made = {.from = RELAYOUT_ELEMENT_TYPE_INVALID};
  if (from != to) {
    made = (rlt_conversion){.from = from,
                            .to = to,
                            .wraps = by->changes.wraps,
                            .scale = 1,
                            .rounds_to_nearest = by->changes.rounds_to_nearest};
  }
  return made;
}

/* How many of the first dimensions of the order lie behind one another, so that a box of all
 * indices of all but the last of them has them in one row. */
static int32_t joined_by(const planning *at, int64_t element_bytes, const int64_t *strides) {
  const rlt_boxes *const boxes = &at->many->boxes;
  const int32_t *const order = at->many->order;
  int32_t joined = boxes->rank > 0 ? 1 : 0;
  while (joined > 0 && joined < boxes->rank && strides[order[0]] == element_bytes) {
    const int32_t inner = order[joined - 1];
    if (boxes->sizes[inner] < boxes->dimensions[inner] ||
        strides[order[joined]] != strides[inner] * boxes->dimensions[inner]) {
      break;
    }
    joined += 1;
  }
  return joined;
}

/* Of these dimensions those within which a side has one scale, or as many as elements. */
static int32_t joined_by_scales(const planning *at, const relayout_scaled_view *side,
                                int32_t joined) {
  const rlt_boxes *const boxes = &at->many->boxes;
  bool are_single = true, are_all = true;
  for (int32_t i = 0; i < joined && side->has_scales; ++i) {
    const int32_t d = at->many->order[i];
    are_single = are_single && side->group_sizes[d] >= boxes->dimensions[d];
    are_all = are_all && side->group_sizes[d] == 1;
    if (!are_single && !are_all) {
      return i > 0 ? i : 1;
    }
  }
  return joined;
}

/* Elements narrower than f32 go to rows as they are: less is transposed. So do those that scales
 * come to as they are. */
static relayout_element_type row_type_of(const rlt_many *many) {
  const relayout_element_type type = many->from.elements.shape.element_type;
  const bool is_narrow = relayout_element_type_byte_size(type) < sizeof(float);
  return (is_narrow && relayout_element_type_kind(type) != RELAYOUT_KIND_COMPLEX) || many->is_wide
             ? type
             : RELAYOUT_F32;
}

/* Of the dimensions that make one row those in which a source's records follow each other too. */
static int32_t joined_by_records(const rlt_many *many, int32_t joined) {
  const relayout_scaled_view *const from = &many->from;
  const int32_t *const order = from->elements.shape.layout.minor_to_major;
  int32_t together = joined > 0 ? 1 : 0;
  while (together < joined && rlt_rows_together(from) == 1 &&
         many->order[together] == order[together]) {
    together += 1;
  }
  return rlt_has_blocks(from) ? together : joined;
}

static void choose_values(const planning *at) {
  rlt_many *const many = at->many;
  const rlt_plan_request request = rlt_plain_request();
  int64_t strides[RELAYOUT_MAX_RANK];
  many->row_type = row_type_of(many);
  many->values_from = RLT_VALUES_OF_ROWS;
  if (rlt_has_blocks(&many->from)) {
    rlt_records_place(&many->from, &many->records);
    many->values_from = RLT_VALUES_OF_RECORDS;
  } else if (has_rows(at, &many->from.elements, strides)) {
    many->row_type = many->from.elements.shape.element_type;
    many->values_from = RLT_VALUES_OF_SOURCE;
  }
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(many->row_type);
  rlt_box_rows_make(many->boxes.rank, many->boxes.sizes, many->order, bytes, &many->rows);
  memcpy(many->strides, many->values_from == RLT_VALUES_OF_SOURCE ? strides : many->rows.strides,
         sizeof many->strides);
  many->conversion = conversion_of(&request, many->row_type, RELAYOUT_F32);
  many->joined = joined_by_records(
      many, joined_by_scales(at, &many->from, joined_by(at, bytes, many->strides)));
}

/* From elements of this type. */
static relayout_status make_converter(const planning *at, relayout_element_type from,
                                      const rlt_conversion *conversion, void **made,
                                      relayout_error *error) {
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(from);
  return at->device->backend->converter_create(at->device, bytes, conversion, made, error);
}

static relayout_status plan_values(const planning *at, relayout_error *error) {
  rlt_many *const many = at->many;
  const rlt_plan_request request = rlt_plain_request();
  relayout_status status = RELAYOUT_OK;
  if (!many->has_rows || many->values_from == RLT_VALUES_OF_RECORDS) {
    return RELAYOUT_OK;
  }
  if (many->row_type != RELAYOUT_F32) {
    status = make_converter(at, many->row_type, &many->conversion, &many->converter, error);
  }
  if (status != RELAYOUT_OK || many->values_from == RLT_VALUES_OF_SOURCE) {
    return status;
  }
  const box_planning by = {.device = at->device,
                           .many = many,
                           .request = &request,
                           .from = many->from.elements,
                           .to = rows_view(shape_of(at), many->row_type, &many->rows),
                           .to_rows = &many->rows};
  return plan_boxes(&by, &many->values, error);
}

/* ---- Destinations --------------------------------------------------------------------------- */

/* The digits that numbers of a type have, and the exponent of the last one of the least. */
typedef struct digits {
  int32_t count;
  int32_t last;
} digits;

static digits digits_of(relayout_element_type type) {
  const rlt_float_format *const format = rlt_float_format_of(type);
  return format == NULL
             ? (digits){relayout_element_type_bits(type), 0}
             : (digits){format->mantissa_bits + 1, 1 - format->bias - format->mantissa_bits};
}

/* Whether f32 holds all products of elements, less their zero points, and scales. The exponents of
 * f8e8m0fnu begin one below those of its format's normal numbers. */
static bool are_exact(const relayout_scaled_view *side) {
  enum { F32_DIGITS = 24, F32_LAST = -149, POINTED_DIGITS = 17, POWER_LAST = -127 };
  const relayout_element_type type = side->scales.shape.element_type;
  digits element = digits_of(side->elements.shape.element_type), scale = digits_of(type);
  element.count = side->has_zero_points ? POINTED_DIGITS : element.count;
  scale.last = type == RELAYOUT_F8E8M0FNU ? POWER_LAST : scale.last;
  return element.count + scale.count <= F32_DIGITS && element.last + scale.last >= F32_LAST;
}

static void choose_rounding(const planning *at, rlt_destination *to) {
  enum { MOST_SHORT = 11 };
  const relayout_element_type type = to->view.elements.shape.element_type;
  const relayout_element_kind kind = relayout_element_type_kind(type);
  const bool is_integer = kind == RELAYOUT_KIND_SIGNED || kind == RELAYOUT_KIND_UNSIGNED;
  to->is_exact = at->many->factor == 1 && at->many->from.has_scales &&
                 !at->many->from.has_tensor_scale && are_exact(&at->many->from);
  to->rounds_to_nearest = at->asked.changes.rounds_to_nearest;
  to->is_narrow = to->view.has_scales && kind == RELAYOUT_KIND_FLOAT &&
                  relayout_element_type_bits(type) <= 8 && type != RELAYOUT_F8E8M0FNU;
  const bool are_own = to->is_narrow && !to->view.has_tensor_scale; /* which products are not */
  to->are_short = are_own && digits_of(to->view.scales.shape.element_type).count <= MOST_SHORT;
  to->are_powers = are_own && to->view.scales.shape.element_type == RELAYOUT_F8E8M0FNU;
  to->most = to->view.has_scales ? (float)rlt_greatest_element(type) : 0;
  to->rounding = rlt_has_blocks(&to->view) || type == RELAYOUT_F32 ? RLT_SCALE_TO_F32
                 : !is_integer || !to->view.has_scales             ? RLT_SCALE_TO_ODD
                 : at->asked.changes.rounds_to_nearest             ? RLT_SCALE_TO_NEAREST
                                                                   : RLT_SCALE_TO_ZERO;
}

/* The scales of all groups that the boxes make up, as f32s. */
static relayout_status plan_all_found(const planning *at, rlt_destination *to,
                                      relayout_error *error) {
  const rlt_plan_request request = rlt_plain_request();
  const rlt_boxes *const boxes = &at->many->boxes;
  const relayout_shape *const scales = &to->view.scales.shape;
  rlt_groups_of_box(&to->view, &boxes->all, &to->all_groups);
  rlt_box_rows_make(scales->rank, to->all_groups.sizes, at->many->order, (int64_t)sizeof(float),
                    &to->group_rows);
  const rlt_index_box *const met = rlt_boxes_range(boxes) == NULL ? NULL : &to->all_groups;
  const relayout_view from = rows_view(scales, RELAYOUT_F32, &to->group_rows);
  const rlt_view source = rlt_view_of(&from), destination = rlt_view_of(&to->view.scales);
  to->first_group = place_in(&to->group_rows, scales->rank, &to->all_groups);
  const relayout_status status =
      rlt_plan_create_in(at->device, &source, &destination, met, &request, &to->all_found, error);
  if (status != RELAYOUT_OK || !rlt_finds_points(&to->view)) {
    return status;
  }
  const rlt_view points = rlt_view_of(&to->view.zero_points);
  return rlt_plan_create_in(at->device, &source, &points, met, &request, &to->all_found_points,
                            error);
}

/* The elements of a row that have whole groups, at least as many as usual; 0: groups lie across
 * rows, or are too long. */
static int64_t piece_with_groups(const planning *at, const rlt_destination *to) {
  const rlt_many *const many = at->many;
  const rlt_boxes *const boxes = &many->boxes;
  const int32_t along = boxes->rank > 0 ? many->order[0] : -1;
  bool lies_along = along >= 0 && to->joined == 1;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    lies_along = lies_along && (d == along || to->view.group_sizes[d] == 1);
  }
  if (!lies_along) {
    return 0;
  }
  const int64_t group = rlt_min(to->view.group_sizes[along], boxes->sizes[along]);
  return RLT_ROW_PIECE % group == 0 ? RLT_ROW_PIECE
         : group > RLT_ROW_PIECE && group <= RLT_LONGEST_PIECE && !rlt_has_blocks(&many->from)
             ? group
             : 0;
}

/* Scales that are found piece by piece are made what their type makes of them as they are found;
 * powers of two are found as f8e8m0fnu has them, but for what a tensor scale brings beyond it. */
static relayout_status make_scale_converters(const planning *at, rlt_destination *to,
                                             relayout_error *error) {
  const rlt_plan_request request = rlt_plain_request();
  const relayout_element_type type = to->view.scales.shape.element_type;
  const rlt_conversion there = conversion_of(&request, RELAYOUT_F32, type);
  const rlt_conversion back = conversion_of(&request, type, RELAYOUT_F32);
  if (type == RELAYOUT_F32 ||
      (type == RELAYOUT_F8E8M0FNU && to->view.rule == RELAYOUT_SCALES_POWER2 &&
       !to->view.has_tensor_scale)) {
    return RELAYOUT_OK;
  }
  const relayout_status status = make_converter(at, RELAYOUT_F32, &there, &to->scale_writer, error);
  return status == RELAYOUT_OK ? make_converter(at, type, &back, &to->scale_reader, error) : status;
}

static relayout_status plan_found(const planning *at, rlt_destination *to, relayout_error *error) {
  const rlt_boxes *const boxes = &at->many->boxes;
  const rlt_plan_request request = rlt_plain_request();
  const int64_t piece = piece_with_groups(at, to);
  relayout_status status = rlt_scale_finder_make(&to->view, &to->finder, error);
  to->finding = rlt_finding_of(boxes, &to->view);
  if (status == RELAYOUT_OK && to->finding == RLT_FINDS_IN_BOX && piece > 0 && !to->is_wide &&
      !rlt_finds_points(&to->view)) {
    to->finding = RLT_FINDS_IN_PIECE;
    to->piece = piece;
    status = make_scale_converters(at, to, error);
  }
  if (status != RELAYOUT_OK || to->finding == RLT_FINDS_IN_ALL) {
    return status == RELAYOUT_OK ? plan_all_found(at, to, error) : status;
  }
  box_planning by = {.device = at->device,
                     .many = at->many,
                     .request = &request,
                     .from = rows_view(&to->view.scales.shape, RELAYOUT_F32, &to->beside.rows),
                     .to = to->view.scales,
                     .groups = &to->view,
                     .from_rows = &to->beside.rows};
  status = plan_boxes(&by, &to->found, error);
  if (status == RELAYOUT_OK && rlt_finds_points(&to->view)) {
    by.to = to->view.zero_points;
    status = plan_boxes(&by, &to->found_points, error);
  }
  return status;
}

/* From the source's elements, or from rows. */
static relayout_status plan_elements(const planning *at, rlt_destination *to,
                                     relayout_error *error) {
  const rlt_many *const many = at->many;
  const bool from_source = to->making == RLT_MAKES_BY_PLAN;
  const rlt_plan_request request = from_source ? rlt_many_request(&at->asked) : rlt_plain_request();
  const rlt_box_rows *const rows =
      to->making == RLT_MAKES_SHARED ? &many->to[to->leader].rows : &to->rows;
  const relayout_element_type type = to->view.elements.shape.element_type;
  const box_planning by = {.device = at->device,
                           .many = many,
                           .request = &request,
                           .from = from_source ? many->from.elements
                                               : rows_view(shape_of(at), type, rows),
                           .to = to->view.elements,
                           .from_rows = from_source ? NULL : rows};
  return plan_boxes(&by, &to->elements, error);
}

static bool is_past_cache(const planning *at, const rlt_destination *to) {
  size_t bytes = 0;
  const int64_t cache = at->device->facts.cache_bytes;
  return cache > 0 && relayout_scaled_view_elements_size(&to->view, &bytes, NULL) == RELAYOUT_OK &&
         bytes > (size_t)cache;
}

/* Whether another destination shares the rows of this one. */
static bool is_leader(const rlt_many *many, const rlt_destination *to) {
  bool is = false;
  for (int32_t i = 0; i < many->count; ++i) {
    is = is || (many->to[i].making == RLT_MAKES_SHARED && &many->to[many->to[i].leader] == to);
  }
  return is;
}

/* Whether a source's elements, each a byte that bf16 holds, times its scales become f32s, or bf16s
 * by products that f32 holds. */
static bool goes_by_words(const rlt_many *many, const rlt_destination *to) {
  const relayout_scaled_view *const from = &many->from;
  const relayout_element_type type = to->view.elements.shape.element_type;
  return from->has_scales && !from->has_zero_points && !to->view.has_scales &&
         relayout_element_type_bits(from->elements.shape.element_type) <= 8 &&
         (type == RELAYOUT_F32 || (type == RELAYOUT_BF16 && to->is_exact));
}

static relayout_status choose_words(const planning *at, rlt_destination *to,
                                    relayout_error *error) {
  rlt_many *const many = at->many;
  const rlt_plan_request request = rlt_plain_request();
  const rlt_conversion conversion = conversion_of(&request, many->row_type, RELAYOUT_BF16);
  to->by_words = goes_by_words(many, to) && !to->is_wide;
  return to->by_words && many->word_converter == NULL
             ? make_converter(at, many->row_type, &conversion, &many->word_converter, error)
             : RELAYOUT_OK;
}

static relayout_status plan_rows(const planning *at, rlt_destination *to, relayout_error *error) {
  rlt_many *const many = at->many;
  const relayout_element_type type = to->view.elements.shape.element_type;
  const relayout_element_type source = many->from.elements.shape.element_type;
  const bool is_f32 = to->is_rescaled || rlt_has_blocks(&many->from);
  relayout_status status = choose_words(at, to, error);
  const relayout_element_type rows = to->by_words || to->is_wide ? type
                                     : is_f32                    ? RELAYOUT_F32
                                                                 : source;
  to->conversion = conversion_of(&at->asked, rows, type);
  if (status == RELAYOUT_OK) {
    status = make_converter(at, rows, &to->conversion, &to->converter, error);
  }
  if (status == RELAYOUT_OK && to->view.has_scales) {
    status = plan_beside(at, &to->view, &to->beside, error);
  }
  if (status == RELAYOUT_OK && rlt_finds_scales(&to->view)) {
    status = plan_found(at, to, error);
  }
  to->in_place = !is_leader(many, to) && !rlt_view_has_padding(&to->view.elements) &&
                 has_rows(at, &to->view.elements, to->strides);
  to->streams = to->in_place && !to->is_wide && is_past_cache(at, to);
  if (to->in_place || status != RELAYOUT_OK) {
    const int64_t bytes = (int64_t)relayout_element_type_byte_size(type);
    to->joined = (int32_t)rlt_min(to->joined, joined_by(at, bytes, to->strides));
    return status;
  }
  rlt_box_rows_make(many->boxes.rank, many->boxes.sizes, many->order,
                    (int64_t)relayout_element_type_byte_size(type), &to->rows);
  memcpy(to->strides, to->rows.strides, sizeof to->strides);
  return plan_elements(at, to, error);
}

/* Values go to rows of f32s first, and from there to rows along the records. */
static relayout_status plan_arranged(const planning *at, rlt_destination *to,
                                     relayout_error *error) {
  rlt_many *const many = at->many;
  const rlt_plan_request request = rlt_plain_request();
  rlt_box_rows_make(many->boxes.rank, many->boxes.sizes, many->order, (int64_t)sizeof(float),
                    &to->rows);
  rlt_box_rows_make(many->boxes.rank, many->boxes.sizes, to->order, (int64_t)sizeof(float),
                    &to->arranged_rows);
  const box_planning by = {.device = at->device,
                           .many = many,
                           .request = &request,
                           .from = rows_view(shape_of(at), RELAYOUT_F32, &to->rows),
                           .to = rows_view(shape_of(at), RELAYOUT_F32, &to->arranged_rows),
                           .from_rows = &to->rows,
                           .to_rows = &to->arranged_rows};
  return plan_boxes(&by, &to->arranged, error);
}

static relayout_status plan_destination(const planning *at, rlt_destination *to,
                                        relayout_error *error) {
  choose_rounding(at, to);
  to->joined = joined_by_scales(at, &to->view, at->many->joined);
  to->piece = RLT_ROW_PIECE;
  switch (to->making) {
  case RLT_MAKES_ROWS:
    return plan_rows(at, to, error);
  case RLT_MAKES_RECORDS:
  case RLT_MAKES_MOVED:
    rlt_records_place(&to->view, &to->records);
    return RELAYOUT_OK;
  case RLT_MAKES_ARRANGED:
    rlt_records_place(&to->view, &to->records);
    return plan_arranged(at, to, error);
  default:
    return plan_elements(at, to, error);
  }
}

/* ---- Checks --------------------------------------------------------------------------------- */

typedef rlt_many_sides sides;

/* The name of a side in messages. */
static void name_side(int32_t number, size_t capacity, char *name) {
  rlt_text text = rlt_text_in(name, capacity);
  if (number < 0) {
    rlt_text_add(&text, "from");
  } else {
    rlt_text_add(&text, "to[%" PRId32 "]", number);
  }
}

static relayout_status check_side(const relayout_scaled_view *side, int32_t number,
                                  const relayout_shape *from, relayout_error *error) {
  char name[16];
  relayout_error cause;
  name_side(number, sizeof name, name);
  const relayout_status status = relayout_scaled_view_validate(side, &cause);
  if (status != RELAYOUT_OK) {
    return rlt_fail_at(error, &cause, "%s", name);
  }
  if (number < 0) {
    return RELAYOUT_OK;
  }
  if (!relayout_shape_same_dimensions(&side->elements.shape, from)) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH, "%s has other dimensions than the source",
                    name);
  }
  const bool finds = rlt_finds_scales(side);
  if (side->elements.is_read_only || (finds && side->scales.is_read_only) ||
      (rlt_finds_points(side) && side->zero_points.is_read_only)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is read-only: it cannot be written",
                    name);
  }
  return RELAYOUT_OK;
}

/* Real numbers alone have scales, and what they are found for are elements that f32 holds. */
static relayout_status check_pair(const relayout_scaled_view *from, bool has_scales,
                                  const relayout_scaled_view *to, int32_t number,
                                  relayout_error *error) {
  const relayout_element_type source = from->elements.shape.element_type;
  const relayout_element_type destination = to->elements.shape.element_type;
  const bool from_complex = relayout_element_type_kind(source) == RELAYOUT_KIND_COMPLEX;
  const bool to_complex = relayout_element_type_kind(destination) == RELAYOUT_KIND_COMPLEX;
  if (to->has_scales && from_complex) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "from: elements of %s cannot be divided by the scales of to[%" PRId32
                    "]; expected real numbers",
                    relayout_element_type_name(source), number);
  }
  if (has_scales && to_complex) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "to[%" PRId32 "]: elements of %s cannot be made of a source with scales; "
                    "expected real numbers",
                    number, relayout_element_type_name(destination));
  }
  if (rlt_finds_scales(to) && rlt_is_wide(destination)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "to[%" PRId32 "]: scales cannot be found for elements of %s; expected an "
                    "integer type of at most 16 bits, or a float type",
                    number, relayout_element_type_name(destination));
  }
  return (from_complex && rlt_has_blocks(to)) || (to_complex && rlt_has_blocks(from))
             ? rlt_fail(
                   error, RELAYOUT_UNSUPPORTED,
                   "%s has complex elements, and %s holds real numbers",
                   from_complex ? "from" : "to",
                   relayout_block_format_name(from_complex ? to->block_format : from->block_format))
             : RELAYOUT_OK;
}

static relayout_status check_options(const relayout_plan_options *options, relayout_error *error) {
  const float factor = (float)options->scale;
  if (options->scale != 0 && (factor == 0 || !isfinite(factor))) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->scale is %g, which is %g as an f32; expected a finite number that is "
                    "not 0",
                    options->scale, (double)factor);
  }
  return options->schedule_count <= 1
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "options->schedule_count is %" PRId32
                        "; expected 1 at most for a plan of several destinations",
                        options->schedule_count);
}

/* That elements can have the one scale of all that a caller asks for: those that can have any. */
static relayout_status check_factor(const relayout_scaled_view *from, float factor,
                                    relayout_error *error) {
  const relayout_element_type type = from->elements.shape.element_type;
  const relayout_element_kind kind = relayout_element_type_kind(type);
  return factor == 1 || from->has_scales ||
                 (kind != RELAYOUT_KIND_COMPLEX && kind != RELAYOUT_KIND_PRED)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "from: elements of %s cannot be multiplied by options->scale; expected "
                        "integers or floats",
                        relayout_element_type_name(type));
}

static relayout_status check_sides(const sides *of, const rlt_changes *changes,
                                   relayout_error *error) {
  const relayout_scaled_view *const from = of->from;
  const float factor = (float)changes->scale;
  const bool has_scales = from->has_scales || factor != 1;
  relayout_status status = check_side(from, -1, NULL, error);
  if (status == RELAYOUT_OK) {
    status = check_factor(from, factor, error);
  }
  for (int32_t i = 0; i < of->count && status == RELAYOUT_OK; ++i) {
    status = check_side(&of->to[i], i, &from->elements.shape, error);
    if (status == RELAYOUT_OK) {
      status = check_pair(from, has_scales, &of->to[i], i, error);
    }
    if (status == RELAYOUT_OK && changes->wraps && (has_scales || of->to[i].has_scales)) {
      status = rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "options->overflow is RELAYOUT_OVERFLOW_WRAP; integers with scales "
                        "saturate");
    }
  }
  return status;
}

/* That a range has all or nothing of what lies together along a dimension. */
static relayout_status check_parted(const sides *of, int32_t number, int32_t d, int64_t together,
                                    const char *what, relayout_error *error) {
  const int64_t start = of->range->start[d], size = of->range->sizes[d];
  const bool ends = start + size == of->from->elements.shape.dimensions[d];
  char name[16];
  if (start % together == 0 && (ends || (start + size) % together == 0)) {
    return RELAYOUT_OK;
  }
  name_side(number, sizeof name, name);
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "%s: start[%" PRId32 "] is %" PRId64 " and sizes[%" PRId32 "] is %" PRId64
                  ", which parts %s of %" PRId64 " elements",
                  name, d, start, d, size, what, together);
}

static relayout_status check_side_range(const sides *of, int32_t number, relayout_error *error) {
  const relayout_scaled_view *const side = number < 0 ? of->from : &of->to[number];
  const relayout_shape *const shape = &side->elements.shape;
  const bool finds = number >= 0 && rlt_finds_scales(side);
  const int64_t together = rlt_elements_together(side);
  relayout_status status = RELAYOUT_OK;
  if (together > 1 && (number >= 0 || rlt_has_blocks(side))) {
    status = check_parted(of, number, shape->layout.minor_to_major[0], together,
                          rlt_has_blocks(side) ? "a record" : "a byte", error);
  }
  for (int32_t d = 0; d < shape->rank && finds && status == RELAYOUT_OK; ++d) {
    status = check_parted(of, number, d, side->group_sizes[d],
                          "a group, whose scale is to be found,", error);
  }
  return status;
}

static relayout_status check_range(const sides *of, relayout_error *error) {
  relayout_status status = rlt_index_box_check(&of->from->elements.shape, of->range, error);
  for (int32_t i = -1; i < of->count && status == RELAYOUT_OK; ++i) {
    status = check_side_range(of, i, error);
  }
  return status;
}

/* ---- Making --------------------------------------------------------------------------------- */

/* Whether the source's elements had better be transposed than this destination's, which are
 * wider. */
static bool is_widened(const rlt_many *many, const relayout_scaled_view *to) {
  return (to->has_scales || rlt_many_has_scales(many)) &&
         relayout_element_type_byte_size(to->elements.shape.element_type) >
             relayout_element_type_byte_size(many->from.elements.shape.element_type);
}

/* That which is asked for; that of records, which are made row by row; that of wider elements; else
 * that of the source. */
static void choose_order(rlt_many *many) {
  const relayout_scaled_view *along = &many->from;
  if (many->schedule.has_order) {
    memcpy(many->order, many->schedule.order, sizeof many->order);
    return;
  }
  bool is_found = rlt_has_blocks(&many->from);
  for (int32_t i = 0; i < many->count && !is_found; ++i) {
    is_found = rlt_has_blocks(&many->to[i].view);
    along = is_found ? &many->to[i].view : along;
  }
  for (int32_t i = 0; i < many->count && !is_found; ++i) {
    is_found = is_widened(many, &many->to[i].view);
    along = is_found ? &many->to[i].view : along;
  }
  rlt_order_of(along, many->order);
}

/* The first destination without scales of the same type, which is not the source's: values that
 * change are changed once; -1: none. */
static int32_t leader_of(const rlt_many *many, int32_t number) {
  const relayout_element_type type = many->to[number].view.elements.shape.element_type;
  for (int32_t i = 0; i < number; ++i) {
    const rlt_destination *const to = &many->to[i];
    if (!to->is_rescaled && !rlt_has_blocks(&to->view) && to->making != RLT_MAKES_SHARED &&
        to->view.elements.shape.element_type == type &&
        type != many->from.elements.shape.element_type) {
      return i;
    }
  }
  return -1;
}

static void choose_makings(rlt_many *many) {
  const bool from_blocks = rlt_has_blocks(&many->from);
  for (int32_t i = 0; i < many->count; ++i) {
    rlt_destination *const to = &many->to[i];
    to->is_rescaled = to->view.has_scales || rlt_many_has_scales(many);
    to->is_wide = to->is_rescaled && !rlt_has_blocks(&to->view) &&
                  (many->is_wide || rlt_is_wide(to->view.elements.shape.element_type));
    memcpy(to->order, many->order, sizeof to->order);
    if (rlt_has_blocks(&to->view)) {
      rlt_order_of(&to->view, to->order);
      to->making = rlt_many_keeps_records(many, &to->view) ? RLT_MAKES_MOVED
                   : to->order[0] == many->order[0]        ? RLT_MAKES_RECORDS
                                                           : RLT_MAKES_ARRANGED;
    } else if (to->is_rescaled || from_blocks) {
      to->making = RLT_MAKES_ROWS;
    } else {
      to->making = RLT_MAKES_BY_PLAN;
      to->leader = many->values_from == RLT_VALUES_OF_SOURCE ? leader_of(many, i) : -1;
      if (to->leader >= 0) {
        to->making = RLT_MAKES_SHARED;
        many->to[to->leader].making = RLT_MAKES_ROWS;
      }
    }
    many->has_rows = many->has_rows || to->making != RLT_MAKES_BY_PLAN;
  }
}

/* Plans every side by boxes of these sizes. */
static relayout_status plan_sides(const planning *at, relayout_error *error) {
  rlt_many *const many = at->many;
  choose_values(at);
  choose_makings(many);
  relayout_status status = plan_values(at, error);
  if (status == RELAYOUT_OK && many->from.has_scales) {
    status = plan_beside(at, &many->from, &many->beside, error);
  }
  for (int32_t i = 0; i < many->count && status == RELAYOUT_OK; ++i) {
    relayout_error cause;
    status = plan_destination(at, &many->to[i], &cause);
    if (status != RELAYOUT_OK) {
      return rlt_fail_at(error, &cause, "to[%" PRId32 "]", i);
    }
  }
  return status;
}

/* Whether scales of either side come to the source's elements, which f32 does not hold. */
static bool has_wide_source(const rlt_many *many) {
  bool has_scales = rlt_many_has_scales(many);
  for (int32_t i = 0; i < many->count; ++i) {
    has_scales = has_scales || many->to[i].view.has_scales;
  }
  return has_scales && !rlt_has_blocks(&many->from) &&
         rlt_is_wide(many->from.elements.shape.element_type);
}

static relayout_status make_many(relayout_device *device, const sides *of,
                                 const rlt_plan_request *asked, const rlt_many_schedule *schedule,
                                 rlt_many **made, relayout_error *error) {
  const size_t count = (size_t)of->count;
  *made = rlt_calloc(1, sizeof **made);
  rlt_destination *const destinations = rlt_calloc(count, sizeof *destinations);
  if (*made == NULL || destinations == NULL) {
    rlt_free(*made);
    rlt_free(destinations);
    *made = NULL;
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu destinations",
                    count);
  }
  **made = (rlt_many){.device = device,
                      .from = *of->from,
                      .factor = (float)asked->changes.scale,
                      .count = of->count,
                      .to = destinations};
  for (size_t i = 0; i < count; ++i) {
    destinations[i].view = of->to[i];
  }
  if (schedule != NULL) {
    (*made)->schedule = *schedule;
  }
  (*made)->is_wide = has_wide_source(*made);
  rlt_boxes_begin(&of->from->elements.shape, of->range, &(*made)->boxes);
  choose_order(*made);
  return RELAYOUT_OK;
}

static int64_t element_bytes(const relayout_scaled_view *side) {
  return (int64_t)relayout_element_type_byte_size(side->elements.shape.element_type);
}

/* What a destination's elements take between a box's values and the destination, at most: nothing
 * where each row goes there at once, and no other destination can share it. */
static int64_t row_bytes(const planning *at, const relayout_scaled_view *to) {
  int64_t strides[RELAYOUT_MAX_RANK];
  const bool is_alone = at->many->count == 1;
  if (rlt_has_blocks(to)) {
    int32_t order[RELAYOUT_MAX_RANK];
    rlt_order_of(to, order);
    return order[0] == at->many->order[0] ? 0 : 2 * (int64_t)sizeof(float);
  }
  return is_alone && !rlt_view_has_padding(&to->elements) && has_rows(at, &to->elements, strides)
             ? 0
             : element_bytes(to);
}

/* What a box takes for each element: in the source, in rows of values, and in rows of the
 * destination that needs most. */
static int64_t box_bytes(const planning *at) {
  const rlt_many *const many = at->many;
  int64_t strides[RELAYOUT_MAX_RANK], most = 0;
  for (int32_t i = 0; i < many->count; ++i) {
    most = rlt_max(most, row_bytes(at, &many->to[i].view));
  }
  if (rlt_has_blocks(&many->from)) {
    return most + 1;
  }
  const bool is_row = has_rows(at, &many->from.elements, strides);
  return element_bytes(&many->from) + most +
         (is_row ? 0 : (int64_t)relayout_element_type_byte_size(row_type_of(many)));
}

/* A box takes half of the second cache; where that is unknown, half of a small one. */
static rlt_box_limits limits_of(const planning *at) {
  enum { MOST = 1 << 17, SMALL_CACHE = 512 << 10, RUN_BYTES = 512 };
  const int64_t known = at->device->facts.machine.caches[1].bytes;
  const int64_t bytes = known > 0 ? known : SMALL_CACHE;
  const int64_t elements = rlt_min(MOST, bytes / 2 / box_bytes(at));
  return (rlt_box_limits){rlt_max(1, elements), RUN_BYTES};
}

/* That sums of what a worker has for a box do not overflow. */
static relayout_status check_box(const rlt_boxes *boxes, relayout_error *error) {
  enum { MOST_BYTES = 256 }; /* for an element, of all sides */
  int64_t count = MOST_BYTES;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    if (!rlt_multiply(count, rlt_max(boxes->sizes[d], 1), &count)) {
      return rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                      "the tensor cannot be cut into boxes, and is too large for one");
    }
  }
  return RELAYOUT_OK;
}

/* A worker has a list of all boxes, which what is asked for must not make endless. */
static relayout_status take_boxes(const planning *at, const sides *of, relayout_error *error) {
  enum { MOST_BOXES = 1 << 24 };
  rlt_boxes *const boxes = &at->many->boxes;
  const relayout_status status =
      rlt_boxes_take(of->from, of->to, of->count, at->many->schedule.sizes, boxes, error);
  return status == RELAYOUT_OK && boxes->count > MOST_BOXES
             ? rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: `sizes` makes %" PRId64 " boxes; expected %d at most",
                        boxes->count, (int)MOST_BOXES)
             : status;
}

/* Rows of values of a source in records run as these do. */
static relayout_status check_fields(const rlt_many *many, relayout_error *error) {
  const rlt_many_schedule *const asked = &many->schedule;
  if (asked->group_size > 0 || asked->loads > 0 || asked->store_count > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `%s` is for work-group kernels, which this device does not run",
                    asked->group_size > 0 ? "group"
                    : asked->loads > 0    ? "loads"
                                          : "stores");
  }
  const int32_t minor = many->from.elements.shape.layout.minor_to_major[0];
  return !rlt_has_blocks(&many->from) || many->order[0] == minor
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: `order` begins with dimension %" PRId32
                        "; the source's records run along dimension %" PRId32,
                        many->order[0], minor);
}

/* What is asked for, or chosen; `is_cut` false: one box. */
static relayout_status cut(const planning *at, const sides *of, bool is_cut,
                           relayout_error *error) {
  rlt_many *const many = at->many;
  many->limits = limits_of(at);
  if (many->schedule.has_sizes) {
    return take_boxes(at, of, error);
  }
  rlt_boxes_choose(of->from, of->to, of->count, many->order, many->limits, &many->boxes);
  if (!is_cut) {
    rlt_boxes_join(&many->boxes);
  }
  return RELAYOUT_OK;
}

/* What a plan does, whose order and boxes are there. */
static void keep_schedule(rlt_many *many) {
  rlt_many_schedule *const made = &many->schedule;
  made->rank = many->boxes.rank;
  made->has_order = made->has_sizes = made->rank > 0;
  memcpy(made->order, many->order, sizeof made->order);
  memcpy(made->sizes, many->boxes.sizes, sizeof made->sizes);
}

static relayout_status plan_boxes_of(relayout_device *device, const sides *of,
                                     const rlt_plan_request *asked, bool is_cut, rlt_many *many,
                                     relayout_error *error) {
  const planning at = {.device = device, .many = many, .asked = *asked};
  relayout_status status = check_fields(many, error);
  if (status == RELAYOUT_OK) {
    status = cut(&at, of, is_cut, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_box(&many->boxes, error);
  }
  return status == RELAYOUT_OK ? plan_sides(&at, error) : status;
}

static relayout_status plan_many(relayout_device *device, const sides *of,
                                 const rlt_plan_request *asked, const rlt_many_schedule *schedule,
                                 bool is_sketch, bool is_cut, rlt_many **made,
                                 relayout_error *error) {
  relayout_status status = make_many(device, of, asked, schedule, made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  (*made)->is_sketch = is_sketch;
  status = rlt_many_find_bytes(*made, error);
  if (status == RELAYOUT_OK) {
    status = device->backend->many_create != NULL
                 ? device->backend->many_create(device, asked, *made, error)
                 : plan_boxes_of(device, of, asked, is_cut, *made, error);
  }
  keep_schedule(*made);
  return status;
}

/* Where boxes would share bytes, there is one, unless their sizes are asked for. */
relayout_status rlt_many_make(relayout_device *device, const rlt_many_sides *of,
                              const rlt_plan_request *asked, const rlt_many_schedule *schedule,
                              bool is_sketch, rlt_many **made, relayout_error *error) {
  const bool has_sizes = schedule != NULL && schedule->has_sizes;
  relayout_status status = plan_many(device, of, asked, schedule, is_sketch, true, made, error);
  if (status == RELAYOUT_UNSUPPORTED && *made != NULL && (*made)->boxes.count > 1 && !has_sizes) {
    rlt_many_free(*made);
    *made = NULL;
    status = plan_many(device, of, asked, schedule, is_sketch, false, made, error);
  }
  return status;
}

/* By the text that is asked for. */
static relayout_status make_asked(relayout_device *device, const sides *of,
                                  const rlt_plan_request *asked, const char *text, rlt_many **made,
                                  relayout_error *error) {
  rlt_many_schedule schedule;
  relayout_status status =
      rlt_many_schedule_read(text, of->from->elements.shape.rank, &schedule, error);
  if (status == RELAYOUT_OK) {
    status = rlt_many_make(device, of, asked, &schedule, false, made, error);
  }
  if (status == RELAYOUT_OK && !rlt_many_has_schedule(*made)) {
    status = rlt_fail(error, RELAYOUT_UNSUPPORTED, "schedule: this plan has no boxes: %s",
                      rlt_boxes_are_none(&(*made)->boxes) ? "the range is empty"
                                                          : "each destination is moved by itself");
  }
  if (status == RELAYOUT_OK) {
    (*made)->choice = RLT_CHOICE_ASKED_FOR;
  }
  return status;
}

/* A device that runs native kernels leaves the work to the CPU device behind it. */
static relayout_status create(relayout_device *device, const sides *of,
                              const rlt_plan_request *asked, rlt_texts schedules,
                              relayout_plan **plan, relayout_error *error) {
  relayout_device *const runs = rlt_planner_of(device);
  rlt_many *made = NULL;
  relayout_status status = schedules.count > 0
                               ? make_asked(runs, of, asked, schedules.of[0], &made, error)
                               : rlt_many_make_best(runs, of, asked, &made, error);
  if (status == RELAYOUT_OK) {
    status = rlt_plan_create_for_many(device, asked, made, plan, error);
  }
  if (status != RELAYOUT_OK) {
    rlt_many_free(made);
  }
  return status;
}

relayout_status rlt_many_create_again(const rlt_many *many, relayout_device *device,
                                      const rlt_index_box *range, const rlt_plan_request *asked,
                                      relayout_plan **plan, relayout_error *error) {
  relayout_scaled_view *const views = rlt_malloc((size_t)many->count * sizeof *views);
  if (views == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory for the views of %" PRId32 " destinations", many->count);
  }
  for (int32_t i = 0; i < many->count; ++i) {
    views[i] = many->to[i].view;
  }
  const sides of = {&many->from, views, many->count, range};
  const relayout_status status = create(device, &of, asked, (rlt_texts){0, NULL}, plan, error);
  rlt_free(views);
  return status;
}

static relayout_status check_count(int32_t count, relayout_error *error) {
  return count >= 1 && count <= RLT_MOST_DESTINATIONS
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "count is %" PRId32 "; expected 1 to %d",
                        count, RLT_MOST_DESTINATIONS);
}

/* The device and the number of sides have been checked. */
static relayout_status create_by_options(relayout_device *device, const sides *of,
                                         const relayout_plan_options *options, relayout_plan **plan,
                                         relayout_error *error) {
  relayout_plan_options copy;
  const relayout_plan_options *read = NULL;
  relayout_status status = rlt_options_read(options, &copy, &read, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const rlt_plan_request asked = rlt_plan_request_of(read);
  const rlt_float_control was = rlt_floats_enter();
  status = check_options(read, error);
  if (status == RELAYOUT_OK) {
    status = check_sides(of, &asked.changes, error);
  }
  if (status == RELAYOUT_OK && of->range != NULL) {
    status = check_range(of, error);
  }
  if (status == RELAYOUT_OK) {
    status =
        create(device, of, &asked, (rlt_texts){read->schedule_count, read->schedules}, plan, error);
  }
  rlt_floats_leave(was);
  return status;
}

relayout_status relayout_plan_create_many(relayout_device *device, const relayout_scaled_view *from,
                                          const relayout_scaled_view *to, int32_t count,
                                          const relayout_plan_options *options,
                                          relayout_plan **plan, relayout_error *error) {
  relayout_status status = rlt_plan_check_arguments(device, from, to, plan, error);
  if (status == RELAYOUT_OK) {
    status = check_count(count, error);
  }
  const sides of = {from, to, count, NULL};
  return status == RELAYOUT_OK ? create_by_options(device, &of, options, plan, error) : status;
}

relayout_status relayout_plan_create_many_range(relayout_device *device,
                                                const relayout_scaled_view *from,
                                                const relayout_scaled_view *to, int32_t count,
                                                const int64_t *start, const int64_t *sizes,
                                                const relayout_plan_options *options,
                                                relayout_plan **plan, relayout_error *error) {
  rlt_index_box range;
  relayout_status status = rlt_plan_check_arguments(device, from, to, plan, error);
  if (status == RELAYOUT_OK) {
    status = check_count(count, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_plan_read_box(&from->elements.shape, start, sizes, &range, error);
  }
  const sides of = {from, to, count, &range};
  return status == RELAYOUT_OK ? create_by_options(device, &of, options, plan, error) : status;
}

int32_t relayout_plan_destination_count(const relayout_plan *plan) {
  return plan == NULL ? 0 : plan->many != NULL ? plan->many->count : 1;
}
