/* many.h: one source and any number of destinations, with scales or without: which boxes the index
 * space is taken in, and what is done with each of them.
 *
 * A worker takes a box at a time. A destination without scales gets its part of a source without
 * scales by a plan of the box. For others the box is taken row by row: a row's values become f32s,
 * these become elements by the scales of both sides, and the elements go to the destination, or to
 * rows in the worker's memory, from where a plan of the box takes them on.
 *
 * All that lies in a worker's memory has strides that are the same for each box.
 *
 * Depends on plan.h, many_schedule.h, metadata/scaled_view.h and convert/scale_rule.h. */
#ifndef RLT_PLAN_MANY_H
#define RLT_PLAN_MANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/scale_rule.h"
#include "metadata/scaled_view.h"
#include "plan/many_schedule.h"
#include "plan/plan.h"

/* Elements that go through a row's steps together: they stay in the nearest cache. More where their
 * scale is found in between, which are read again from the next cache at the farthest. */
enum { RLT_ROW_PIECE = 2048, RLT_LONGEST_PIECE = 8 * RLT_ROW_PIECE };

/* Bytes of a tensor that a plan reads or writes: where they begin, behind the pointer that calls
 * are given, and how many they are; as many as the whole tensor spans unless a range is moved. */
typedef struct rlt_used_bytes {
  bool is_used;
  bool is_written;
  int64_t lowest;
  size_t bytes;
  size_t whole;
} rlt_used_bytes;

/* Those of a side's elements, scales, zero points and tensor scale. */
enum { RLT_SIDE_TENSORS = 4, RLT_TENSOR_SCALE = 3 };
typedef rlt_used_bytes rlt_side_bytes[RLT_SIDE_TENSORS];

/* How the index space, or the range of it that is asked for, is cut: boxes of one size but for the
 * last ones of a dimension. */
typedef struct rlt_boxes {
  int32_t rank;
  int64_t dimensions[RELAYOUT_MAX_RANK]; /* of the tensors */
  rlt_index_box all;                     /* what is cut */
  int64_t sizes[RELAYOUT_MAX_RANK];
  int64_t counts[RELAYOUT_MAX_RANK];
  int64_t
      count; /* of all; 1 for tensors without elements, and 0 for a range without any of others */
} rlt_boxes;

/* A plan for each box, between a view and another one or a worker's memory. A chunk's offset on the
 * worker's side is such that the box begins where that memory does. */
typedef struct rlt_box_plans {
  rlt_chunk *of; /* by the boxes' numbers; NULL: nothing is moved */
  relayout_plan **plans;
  size_t plan_count;
} rlt_box_plans;

/* Elements of a box in a worker's memory: bytes from one to the next along each dimension. */
typedef struct rlt_box_rows {
  int64_t strides[RELAYOUT_MAX_RANK];
  int64_t bytes;
} rlt_box_rows;

/* The scales and zero points of a side. Both have the same rows, one for each group that a box
 * meets. */
typedef struct rlt_box_scales {
  rlt_box_plans scales;
  rlt_box_plans points;
  rlt_box_rows rows;
} rlt_box_scales;

/* Over what the greatest value of a group is looked for. Kernels have the first three, by their
 * numbers. */
typedef enum rlt_finding {
  RLT_FINDS_NOTHING,
  RLT_FINDS_IN_BOX,  /* no group lies in two boxes */
  RLT_FINDS_IN_ALL,  /* all boxes are read before the first element is written */
  RLT_FINDS_IN_PIECE /* a piece of a row has whole groups; not in kernels */
} rlt_finding;

/* How a destination comes by its elements. */
typedef enum rlt_making {
  RLT_MAKES_BY_PLAN, /* from the source's elements, by plans alone */
  RLT_MAKES_ROWS,    /* row by row */
  RLT_MAKES_SHARED,  /* from the rows of another destination, of the same element type */
  RLT_MAKES_RECORDS, /* row by row, in the destination */
  RLT_MAKES_MOVED,   /* records of the source's, row by row, of the same bits */
  RLT_MAKES_ARRANGED /* records of rows that run along another dimension than the values' */
} rlt_making;

typedef struct rlt_destination {
  relayout_scaled_view view;
  int32_t joined; /* how many dimensions of the order make one row */
  rlt_making making;
  int32_t leader;      /* of RLT_MAKES_SHARED: whose rows */
  bool is_rescaled;    /* its elements have scales, or the source's values do */
  bool by_words;       /* elements are multiplied as bf16, and rows are of the destination's type */
  bool is_wide;        /* rescaled from elements or to elements that f32 does not hold: rows are of
                          the destination's type */
  int64_t piece;       /* elements of a row that go through its steps together */
  bool in_place;       /* rows lie in the destination itself, with `strides` */
  bool streams;        /* and are stored past the cache */
  bool is_moved_alone; /* by a plan of its own, beside a kernel */
  rlt_box_rows rows;   /* in a worker's memory: of elements, or of f32s that are arranged */
  int64_t strides[RELAYOUT_MAX_RANK];
  rlt_box_plans elements;    /* from the source, or from rows */
  rlt_conversion conversion; /* from f32 to elements in rows, or from the source's where nothing is
                                rescaled */
  rlt_box_scales beside;
  bool is_exact;   /* as rlt_rescaling has it */
  float most;      /* likewise */
  bool is_narrow;  /* likewise */
  bool are_powers; /* likewise */
  bool are_short;  /* likewise */
  rlt_scale_rounding rounding;
  bool rounds_to_nearest; /* what becomes an integer, if it is wide */
  rlt_finding finding;
  rlt_scale_finder finder;
  rlt_box_plans found;               /* scales that were found to the destination, */
  rlt_box_plans found_points;        /* and zero points */
  void *scale_writer, *scale_reader; /* the device's, from f32 to the scales' type and back; NULL:
                                        that is f32, or no scales are found in pieces */
  relayout_plan *all_found;          /* the same at once, from `group_rows` */
  relayout_plan *all_found_points;
  rlt_index_box all_groups;         /* whose scales are found in all boxes */
  rlt_box_rows group_rows;          /* of these, */
  int64_t first_group;              /* of which the first would lie here if they were all groups */
  int32_t order[RELAYOUT_MAX_RANK]; /* of rows of records, minor to major */
  rlt_box_plans arranged;           /* from rows to `arranged_rows` */
  rlt_box_rows arranged_rows;
  rlt_box_rows records; /* along the minor dimension a stride is a record's */
  void *converter;      /* the device's, for `conversion` */
} rlt_destination;

/* Where rows of values come from. */
typedef enum rlt_values_from {
  RLT_VALUES_OF_SOURCE,  /* its elements lie in such rows */
  RLT_VALUES_OF_RECORDS, /* its records do */
  RLT_VALUES_OF_ROWS     /* plans of boxes put them into a worker's memory */
} rlt_values_from;

/* How large boxes are. Memory is slower where it is read or written in short runs. */
typedef struct rlt_box_limits {
  int64_t elements;  /* at most, unless records make a box larger */
  int64_t run_bytes; /* of each side that lie together: as many, if `elements` allows it */
} rlt_box_limits;

/* What a plan is made of. */
typedef struct rlt_many_sides {
  const relayout_scaled_view *from;
  const relayout_scaled_view *to;
  int32_t count;
  const rlt_index_box *range; /* NULL: all */
} rlt_many_sides;

typedef struct rlt_many {
  relayout_device *device; /* that runs it: the plan's, or the one behind that */
  void *on_device;         /* the backend's own; NULL: it goes by what follows */
  /* Beside a kernel: plans that move elements to or from temporary memory, or a destination alone;
   * NULL: none. They are the backend's. */
  const relayout_plan *moves[RLT_MOST_SIDES];
  relayout_scaled_view from;
  /* What the source's scales are multiplied by, each product being rounded to an f32; the scale of
   * all elements of a source without. 1: nothing is multiplied. */
  float factor;
  rlt_side_bytes bytes[RLT_MOST_SIDES]; /* the source's first */
  rlt_many_schedule schedule; /* while the plan is made, what is asked for; then what it does */
  rlt_choice choice;          /* of the schedule */
  bool is_sketch;             /* to be predicted, not run: no kernel of its own is built */
  rlt_box_limits limits;      /* of boxes, where no sizes are asked for */
  rlt_boxes boxes;
  int32_t order[RELAYOUT_MAX_RANK]; /* of rows, minor to major */
  bool has_rows;                    /* some destination is made row by row */
  bool is_wide;                     /* scales come to elements of the source that f32 does not hold:
                                       rows are of the source's type */
  rlt_values_from values_from;
  int64_t strides[RELAYOUT_MAX_RANK]; /* of values in the source, or in rows */
  int32_t joined;                     /* as a destination's, as far as values are concerned */
  relayout_element_type row_type;     /* of rows in a worker's memory: the source's, or f32 */
  rlt_conversion conversion;          /* of what lies in rows to f32 */
  rlt_box_plans values;
  rlt_box_rows rows;
  rlt_box_rows records; /* as a destination's */
  void *converter;      /* likewise; NULL where these are f32s already */
  void *word_converter; /* likewise, to bf16; NULL: no destination wants that */
  rlt_box_scales beside;
  int32_t count;
  rlt_destination *to;
} rlt_many;

/* Whether the source's values are elements times scales: its own, or the caller's one for all. */
static inline bool rlt_many_has_scales(const rlt_many *many) {
  return many->from.has_scales || many->factor != 1;
}

/* Whether f32 does not hold all numbers of a real type. */
static inline bool rlt_is_wide(relayout_element_type type) {
  return relayout_element_type_kind(type) != RELAYOUT_KIND_COMPLEX && type != RELAYOUT_F32 &&
         relayout_element_type_bits(type) >= 32;
}

/* Whether a destination has the source's records as they are. */
static inline bool rlt_many_keeps_records(const rlt_many *many, const relayout_scaled_view *to) {
  return many->factor == 1 && rlt_keeps_records(&many->from, to);
}

/* The box of this number: where it begins, and its sizes. */
void rlt_boxes_get(const rlt_boxes *boxes, int64_t number, rlt_index_box *box);

/* Begins with what is to be cut; `range` NULL: all. */
void rlt_boxes_begin(const relayout_shape *shape, const rlt_index_box *range, rlt_boxes *made);

/* Chooses the size of boxes for these sides; `order` is that of the values. */
void rlt_boxes_choose(const relayout_scaled_view *from, const relayout_scaled_view *to,
                      int32_t count, const int32_t *order, rlt_box_limits limits, rlt_boxes *boxes);

/* Takes these sizes, of which each is 1 or more. RELAYOUT_UNSUPPORTED where they go beyond what is
 * cut, or part a record or a byte. */
relayout_status rlt_boxes_take(const relayout_scaled_view *from, const relayout_scaled_view *to,
                               int32_t count, const int64_t *sizes, rlt_boxes *boxes,
                               relayout_error *error);

/* Along each dimension what sizes are multiples of so that no record, byte or group lies in two
 * boxes, and tiles are whole; at most the tensors' size. */
void rlt_boxes_units(const rlt_many *many, int64_t *units);

/* Cuts by the sizes that are there. */
void rlt_boxes_cut(rlt_boxes *boxes);

/* Makes one of them. */
void rlt_boxes_join(rlt_boxes *boxes);

/* What they make up; NULL: whole tensors. */
const rlt_index_box *rlt_boxes_range(const rlt_boxes *boxes);

/* Whether they make up a range without elements, of tensors that have some. */
bool rlt_boxes_are_none(const rlt_boxes *boxes);

/* Finds `bytes`, of the range that `boxes` has. */
relayout_status rlt_many_find_bytes(rlt_many *many, relayout_error *error);

/* How records lie in memory: along each dimension the bytes from one to the next, of those that lie
 * together, and how many elements these have along the dimension at this position of the order. */
void rlt_records_place(const relayout_scaled_view *side, rlt_box_rows *made);
int64_t rlt_records_together(const relayout_scaled_view *side, int32_t position);

/* Elements along the minor dimension that lie in one record, or share a byte where rows begin with
 * bytes; 1 for others. Boxes do not part them. */
int64_t rlt_elements_together(const relayout_scaled_view *side);

/* Where groups of one side lie in a box: those that it meets. */
void rlt_groups_of_box(const relayout_scaled_view *of, const rlt_index_box *box,
                       rlt_index_box *groups);

/* The order of a side's dimensions in memory, minor to major. */
void rlt_order_of(const relayout_scaled_view *view, int32_t *order);

/* Strides of what lies in a worker's memory without gaps: `sizes` along each dimension. */
void rlt_box_rows_make(int32_t rank, const int64_t *sizes, const int32_t *order,
                       int64_t element_bytes, rlt_box_rows *made);

/* The most groups that a box meets along a dimension: boxes need not begin where groups do. */
int64_t rlt_groups_met(const rlt_boxes *boxes, int32_t dimension, int64_t group);

/* Over what the scales of a side are found that are to be. */
rlt_finding rlt_finding_of(const rlt_boxes *boxes, const relayout_scaled_view *side);

/* Requests of plans that change no value, or round as to the nearest f32; and of those that change
 * values as a caller asked. */
rlt_plan_request rlt_plain_request(void);
rlt_plan_request rlt_many_request(const rlt_plan_request *asked);

/* Plans all of it for the device that runs it, by a schedule, or parts of one, that is asked for;
 * NULL: by the one that is chosen. Free the result after a failure too. */
relayout_status rlt_many_make(relayout_device *device, const rlt_many_sides *of,
                              const rlt_plan_request *asked, const rlt_many_schedule *schedule,
                              bool is_sketch, rlt_many **made, relayout_error *error);

/* The same plan on a device, of this range alone. The request counts as far as values change.
 * Returns the statuses of relayout_plan_create_many_range. */
relayout_status rlt_many_create_again(const rlt_many *many, relayout_device *device,
                                      const rlt_index_box *range, const rlt_plan_request *asked,
                                      relayout_plan **plan, relayout_error *error);

/* What a device has room for, in bytes. */
typedef struct rlt_many_room {
  uint64_t tensor; /* of one tensor */
  uint64_t all;    /* of all together */
} rlt_many_room;

/* Whether there is room for what a plan reads and writes. */
bool rlt_many_has_room(const rlt_many *many, rlt_many_room room);

/* Cuts what a plan moves into boxes for which there is room, and which ranges move one by one
 * (many_ranges.c). `*can` becomes false where there are none; the boxes at the end of a dimension
 * may take more for padding. */
relayout_status rlt_many_cut(const rlt_many *many, rlt_many_room room, rlt_boxes *boxes, bool *can,
                             relayout_error *error);

/* What rlt_many holds, and itself; NULL is allowed. */
void rlt_many_free(rlt_many *many);

/* Whether there are boxes to go through, and so a schedule. */
static inline bool rlt_many_has_schedule(const rlt_many *many) {
  return many->boxes.count > 0;
}

/* Predicts what a plan takes. Each term counts as cost.h says, in all steps of all boxes; what a
 * box reads once more is in a cache, and costs nothing. */
void rlt_many_estimate(const rlt_many *many, rlt_cost *cost);

/* relayout_plan_visit_costs of a plan that has a schedule. */
void rlt_many_visit_costs(const rlt_many *many, relayout_cost_visitor visitor, void *context);

/* A schedule that the plan could have, and what it is predicted to take. */
typedef struct rlt_many_candidate {
  rlt_many_schedule schedule;
  double fraction;
} rlt_many_candidate;

/* Those of a plan that has one, its own among them, the best predicted first, equal ones in the
 * order in which they are found; the caller frees them. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_many_candidates(const rlt_many *many, const rlt_plan_request *asked,
                                    rlt_many_candidate **made, int32_t *count,
                                    relayout_error *error);

/* Makes the plan by the schedule that is remembered, or, with the effort MEASURE, by the fastest;
 * by the one that is chosen where there is neither. Returns the statuses of rlt_many_make. */
relayout_status rlt_many_make_best(relayout_device *device, const rlt_many_sides *of,
                                   const rlt_plan_request *asked, rlt_many **made,
                                   relayout_error *error);

/* relayout_plan_explain of such a plan. */
void rlt_many_explain(const relayout_plan *plan, relayout_explain_form form, rlt_text *text);

#endif
