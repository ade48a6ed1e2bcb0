/* many.c: makes the kernel of a plan of several destinations, and the plans beside it. */
#include "opencl/many.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "gpu/local_tile.h"
#include "opencl/build.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"

enum {
  TILE_BYTES = RLT_LOCAL_BYTES / 2, /* of a box's elements at most */
  RUN_BYTES = 128,                  /* what GPUs take from memory at once */
  MOST_GROUP_SIZE = 256,
  TEMPORARY_ALIGNMENT = 256,
  MOST_FUSED_BYTES = 8 /* of elements that a kernel has in its tile */
};

/* Planning of one plan. */
typedef struct planning {
  rlt_opencl_device *device;
  rlt_many *many;
  const rlt_plan_request *asked;
  rlt_many_launch *made;
  rlt_many_kernel kernel;
  int32_t numbers[RLT_MOST_DESTINATIONS]; /* of the kernel's destinations among the plan's */
} planning;

/* ---- Where a caller's tensors lie ----------------------------------------------------------- */

static void find_side(const relayout_scaled_view *of, const rlt_used_bytes *used,
                      rlt_many_tensor *tensors) {
  const relayout_view *const views[] = {&of->elements, &of->scales, &of->zero_points,
                                        &of->tensor_scale};
  for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
    tensors[t].used = used[t];
    tensors[t].start = views[t]->byte_offset;
    tensors[t].element_size = t == 0 && rlt_has_blocks(of) ? 1
                              : used[t].is_used            ? (size_t)rlt_many_unit(views[t])
                                                           : 1;
  }
}

void rlt_many_find_tensors(const rlt_many *many, rlt_side_tensors *tensors) {
  find_side(&many->from, many->bytes[0], tensors[0]);
  for (int32_t i = 0; i < many->count; ++i) {
    find_side(&many->to[i].view, many->bytes[i + 1], tensors[i + 1]);
  }
}

/* ---- Tensors -------------------------------------------------------------------------------- */

static size_t take_temporary(rlt_many_launch *made, size_t bytes) {
  const size_t place = made->temporary_bytes;
  made->temporary_bytes +=
      (bytes + TEMPORARY_ALIGNMENT - 1) / TEMPORARY_ALIGNMENT * TEMPORARY_ALIGNMENT;
  return place;
}

/* Offsets are multiples of this too; both are powers of two. */
static void want_multiple(rlt_many_tensor *of, size_t bytes) {
  of->element_size = of->element_size > bytes ? of->element_size : bytes;
}

/* How a tensor is addressed by the kernel: as it lies, or in temporary memory, which has room for
 * the whole of it, and to which or from which `moved` is. `*seen` becomes that view. */
static relayout_status place_tensor(const planning *at, const relayout_view *view,
                                    const rlt_index_box *moved, bool is_direct,
                                    rlt_many_tensor *made, relayout_view *seen,
                                    relayout_error *error) {
  made->by_kernel = true;
  *seen = *view;
  if (is_direct) {
    return RELAYOUT_OK;
  }
  *seen = rlt_dense_view(&view->shape);
  relayout_status status = relayout_shape_byte_size(&seen->shape, &made->temporary_bytes, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->temporary = take_temporary(at->made, made->temporary_bytes);
  const rlt_plan_request request = rlt_plain_request();
  const rlt_view caller = rlt_view_of(view), dense = rlt_view_of(seen);
  const rlt_view *const from = made->used.is_written ? &dense : &caller;
  const rlt_view *const to = made->used.is_written ? &caller : &dense;
  status = rlt_plan_create_in(&at->device->base, from, to, moved, &request, &made->plan, error);
  if (status == RELAYOUT_OK) {
    want_multiple(made, made->used.is_written ? made->plan->destination_element_size
                                              : made->plan->source_element_size);
  }
  return status;
}

/* Scales and zero points of a side, and its elements unless these are none of the kernel's. */
static relayout_status place_side(const planning *at, int32_t side, const relayout_scaled_view *of,
                                  relayout_scaled_view *seen, relayout_error *error) {
  rlt_many_tensor *const tensors = at->made->tensors[side];
  const bool is_written = side > 0, has_blocks = rlt_has_blocks(of);
  const bool finds = is_written && rlt_finds_scales(of);
  *seen = *of;
  const bool is_direct =
      has_blocks || (is_written ? rlt_many_writes(&of->elements) : rlt_many_reads(&of->elements));
  const rlt_index_box *const range = rlt_boxes_range(&at->many->boxes);
  rlt_index_box groups;
  if (of->has_scales && range != NULL) {
    rlt_groups_of_box(of, range, &groups);
  }
  const rlt_index_box *const met = range == NULL ? NULL : &groups;
  relayout_status status =
      place_tensor(at, &of->elements, range, is_direct, &tensors[0], &seen->elements, error);
  if (status == RELAYOUT_OK && of->has_scales) {
    status = place_tensor(at, &of->scales, met,
                          finds ? rlt_many_writes(&of->scales) : rlt_many_reads(&of->scales),
                          &tensors[1], &seen->scales, error);
  }
  if (status == RELAYOUT_OK && of->has_zero_points) {
    const relayout_view *const points = &of->zero_points; /* in whole bytes */
    const bool is_packed = !points->is_strided && relayout_layout_is_packed(&points->shape.layout);
    const bool reaches =
        is_written && rlt_finds_points(of) ? rlt_many_writes(points) : rlt_many_reads(points);
    status = place_tensor(at, points, met, reaches && !is_packed, &tensors[2], &seen->zero_points,
                          error);
  }
  if (status == RELAYOUT_OK && of->has_tensor_scale) {
    rlt_many_tensor *const made = &tensors[RLT_TENSOR_SCALE];
    const bool reaches = !made->used.is_used || rlt_many_reads(&of->tensor_scale);
    status = place_tensor(at, &of->tensor_scale, NULL, reaches, made, &seen->tensor_scale, error);
  }
  return status;
}

/* ---- Destinations --------------------------------------------------------------------------- */

static bool is_plain(const planning *at, const relayout_scaled_view *to) {
  const rlt_many *const many = at->many;
  return !rlt_many_has_scales(many) && !rlt_has_blocks(&many->from) && !to->has_scales &&
         !rlt_has_blocks(to);
}

static bool is_real(const relayout_view *view) {
  return relayout_element_type_kind(view->shape.element_type) != RELAYOUT_KIND_COMPLEX;
}

/* Whether the kernel may make what plans can make too. */
static bool is_fused(const planning *at, const relayout_scaled_view *to) {
  const relayout_view *const source = &at->many->from.elements, *const elements = &to->elements;
  const bool keeps = source->shape.element_type == elements->shape.element_type;
  return rlt_many_reads(source) && rlt_many_writes(elements) &&
         (keeps || (is_real(source) && is_real(elements))) &&
         relayout_element_type_byte_size(source->shape.element_type) <= MOST_FUSED_BYTES &&
         relayout_element_type_byte_size(elements->shape.element_type) <= MOST_FUSED_BYTES;
}

/* Destinations that plans make as well go to the kernel where it has others too. */
static void choose_destinations(planning *at) {
  const rlt_many *const many = at->many;
  int32_t needed = 0, fused = 0;
  for (int32_t i = 0; i < many->count; ++i) {
    needed += !is_plain(at, &many->to[i].view);
    fused += is_plain(at, &many->to[i].view) && is_fused(at, &many->to[i].view);
  }
  const bool fuses = needed + fused > 1;
  for (int32_t i = 0; i < many->count; ++i) {
    const relayout_scaled_view *const to = &many->to[i].view;
    if (!is_plain(at, to) || (fuses && is_fused(at, to))) {
      at->numbers[at->kernel.count++] = i;
    }
  }
}

static relayout_status plan_alone(const planning *at, int32_t number, relayout_error *error) {
  const rlt_view from = rlt_view_of(&at->many->from.elements);
  const rlt_view to = rlt_view_of(&at->many->to[number].view.elements);
  const rlt_plan_request request = rlt_many_request(at->asked);
  rlt_many_tensor *const made = &at->made->tensors[number + 1][0];
  const relayout_status status =
      rlt_plan_create_in(&at->device->base, &from, &to, rlt_boxes_range(&at->many->boxes), &request,
                         &made->plan, error);
  if (status == RELAYOUT_OK) {
    want_multiple(made, made->plan->destination_element_size);
    want_multiple(&at->made->tensors[0][0], made->plan->source_element_size);
  }
  return status;
}

static relayout_status place_destinations(planning *at, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  int32_t next = 0;
  for (int32_t i = 0; i < at->many->count && status == RELAYOUT_OK; ++i) {
    relayout_error cause;
    const relayout_scaled_view *const view = &at->many->to[i].view;
    const bool by_kernel = next < at->kernel.count && at->numbers[next] == i;
    status = by_kernel ? place_side(at, i + 1, view, &at->kernel.to[next].view, &cause)
                       : plan_alone(at, i, &cause);
    next += by_kernel;
    if (status != RELAYOUT_OK) {
      return rlt_fail_at(error, &cause, "to[%" PRId32 "]", i);
    }
  }
  return status;
}

/* ---- Boxes ---------------------------------------------------------------------------------- */

static void place_groups(rlt_many_kernel *kernel) {
  const rlt_boxes *const boxes = &kernel->boxes;
  kernel->groups = kernel->all_groups = 0;
  for (int32_t i = 0; i < kernel->count; ++i) {
    rlt_kernel_view *const to = &kernel->to[i];
    const bool finds = rlt_finds_scales(&to->view);
    to->finding = finds ? rlt_finding_of(boxes, &to->view) : RLT_FINDS_NOTHING;
    to->groups = finds ? 1 : 0;
    for (int32_t d = 0; d < boxes->rank && finds; ++d) {
      to->group_counts[d] = rlt_groups_met(boxes, d, to->view.group_sizes[d]);
      to->groups *= to->group_counts[d];
    }
    to->all_groups = to->finding == RLT_FINDS_IN_ALL ? 1 : 0;
    if (finds) {
      rlt_groups_of_box(&to->view, &boxes->all, &to->met);
    }
    for (int32_t d = 0; d < boxes->rank && finds; ++d) {
      to->all_groups *= to->met.sizes[d];
    }
    to->first_group = kernel->groups;
    to->first_of_all = kernel->all_groups;
    const int64_t ends = rlt_finds_points(&to->view) ? 2 : 1; /* of a group's values */
    kernel->groups += ends * to->groups;
    kernel->all_groups += ends * to->all_groups;
  }
}

/* Rows of an odd length: those of work-items side by side then lie in different banks. */
static void place_tile(rlt_many_kernel *kernel) {
  const rlt_boxes *const boxes = &kernel->boxes;
  kernel->places = 1;
  for (int32_t i = 0; i < boxes->rank; ++i) {
    const int32_t d = kernel->order[i];
    kernel->strides[d] = kernel->places;
    kernel->places *= i == 0 && boxes->rank > 1 ? boxes->sizes[d] | 1 : boxes->sizes[d];
  }
}

static int64_t local_bytes_of(const rlt_many_kernel *kernel) {
  return kernel->places * kernel->word_bytes + 2 * kernel->groups * (int64_t)sizeof(cl_uint);
}

/* Boxes that are asked for, or as large as local memory holds, with the groups whose scales are
 * found. */
static relayout_status cut_boxes(planning *at, const relayout_scaled_view *views,
                                 relayout_error *error) {
  rlt_many_kernel *const kernel = &at->kernel;
  rlt_box_limits limits = {TILE_BYTES / kernel->word_bytes, RUN_BYTES};
  relayout_status status = RELAYOUT_OK;
  kernel->boxes = at->many->boxes;
  do {
    at->many->limits = limits;
    if (at->many->schedule.has_sizes) {
      status = rlt_boxes_take(&kernel->from.view, views, kernel->count, at->many->schedule.sizes,
                              &kernel->boxes, error);
      limits.elements = 0;
    } else {
      rlt_boxes_choose(&kernel->from.view, views, kernel->count, kernel->order, limits,
                       &kernel->boxes);
    }
    place_groups(kernel);
    place_tile(kernel);
    limits.elements /= 2;
  } while (local_bytes_of(kernel) > RLT_LOCAL_BYTES && limits.elements > 0);
  return status;
}

static relayout_status fail_local_bytes(const planning *at, relayout_error *error) {
  const int64_t bytes = local_bytes_of(&at->kernel);
  return at->many->schedule.has_sizes
             ? rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: `sizes` makes a box of %" PRId64
                        " bytes, of which a work-group has at most %d",
                        bytes, (int)RLT_LOCAL_BYTES)
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "the records of all destinations together take a box of %" PRId64
                        " bytes, of which a work-group has at most %d",
                        bytes, (int)RLT_LOCAL_BYTES);
}

static relayout_status choose_boxes(planning *at, relayout_error *error) {
  rlt_many_kernel *const kernel = &at->kernel;
  relayout_scaled_view *const views = rlt_malloc((size_t)kernel->count * sizeof *views);
  if (views == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the views of a kernel");
  }
  for (int32_t i = 0; i < kernel->count; ++i) {
    views[i] = kernel->to[i].view;
  }
  relayout_status status = cut_boxes(at, views, error);
  rlt_free(views);
  if (status == RELAYOUT_OK && local_bytes_of(kernel) > RLT_LOCAL_BYTES) {
    status = fail_local_bytes(at, error);
  }
  return status == RELAYOUT_OK ? rlt_many_choose_widths(kernel, &at->many->schedule, error)
                               : status;
}

/* ---- The kernel's text ---------------------------------------------------------------------- */

/* Whether 32 bits hold all addresses and numbers of elements. */
static bool is_wide(const planning *at) {
  enum { MOST = 1 << 28 };
  bool is = false;
  for (int32_t s = 0; s < at->made->side_count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      const rlt_many_tensor *const tensor = &at->made->tensors[s][t];
      is = is || tensor->used.whole >= MOST || tensor->temporary_bytes >= MOST;
    }
  }
  return is || relayout_shape_element_count(&at->many->from.elements.shape) >= MOST;
}

static void complete_views(planning *at) {
  rlt_many_kernel *const kernel = &at->kernel;
  const relayout_element_type source = kernel->from.view.elements.shape.element_type;
  kernel->is_wide = is_wide(at);
  kernel->wraps = at->asked->changes.wraps;
  kernel->rounds_to_nearest = at->asked->changes.rounds_to_nearest;
  for (int32_t i = 0; i < kernel->count; ++i) {
    rlt_kernel_view *const to = &kernel->to[i];
    to->converts = to->view.elements.shape.element_type != source;
  }
}

static relayout_status make_finders(planning *at, relayout_error *error) {
  for (int32_t i = 0; i < at->kernel.count; ++i) {
    rlt_kernel_view *const to = &at->kernel.to[i];
    if (to->finding != RLT_FINDS_NOTHING) {
      const relayout_status status = rlt_scale_finder_make(&to->view, &to->finder, error);
      if (status != RELAYOUT_OK) {
        return status;
      }
    }
  }
  return RELAYOUT_OK;
}

static void add_text(const planning *at, const char *name, rlt_many_pass pass,
                     rlt_index_program *program, rlt_text *text) {
  static const char *const before[] = {"numbers", "records"};
  for (size_t i = 0; i < sizeof before / sizeof before[0]; ++i) {
    rlt_text_add(text, "%s", rlt_kernel_text(before[i]));
  }
  rlt_many_add_head(&at->kernel, name, program, text);
  rlt_text_add(text, "%s", rlt_kernel_text("many"));
  for (int32_t i = 0; i < at->kernel.count; ++i) {
    rlt_many_add_destination(&at->kernel, i, program, text);
    rlt_text_add(text, "%s", rlt_kernel_text("many_destination"));
  }
  rlt_many_add_tail(&at->kernel, pass, text);
}

/* What comes between convert.cl and many_kernel.cl; the caller frees it. */
static relayout_status make_text(const planning *at, const char *name, rlt_many_pass pass,
                                 char **made, relayout_error *error) {
  rlt_index_program *const program = rlt_malloc(sizeof *program);
  rlt_text counted = rlt_text_in(NULL, 0);
  *made = NULL;
  if (program != NULL) {
    add_text(at, name, pass, program, &counted);
    *made = rlt_malloc(counted.length + 1);
  }
  if (*made != NULL) {
    rlt_text text = rlt_text_in(*made, counted.length + 1);
    add_text(at, name, pass, program, &text);
  }
  rlt_free(program);
  return *made != NULL ? RELAYOUT_OK
                       : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                                  "no memory for the %zu bytes of a kernel's text", counted.length);
}

/* ---- The kernel ----------------------------------------------------------------------------- */

/* Whether a kernel can have so many work-items a group: registers may allow fewer than the device
 * does. */
static relayout_status fits_group(const planning *at, cl_kernel kernel, bool *fits,
                                  relayout_error *error) {
  size_t most = 0;
  const cl_int code = clGetKernelWorkGroupInfo(kernel, at->device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                               sizeof most, &most, NULL);
  *fits = at->made->group_size == 1 || (size_t)at->made->group_size <= most;
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetKernelWorkGroupInfo");
}

static rlt_kernel_options options_of(const rlt_many_launch *of) {
  return (rlt_kernel_options){.kernel = RLT_KERNEL_MANY,
                              .word_bytes = of->word_bytes,
                              .group_size = (int32_t)of->group_size};
}

static relayout_status make_kernel(const planning *at, rlt_many_pass pass, bool *fits,
                                   relayout_error *error) {
  char name[RLT_KERNEL_NAME_SIZE];
  char *text = NULL;
  rlt_kernel_options options = options_of(at->made);
  rlt_kernel_function(&options, name);
  relayout_status status = make_text(at, name, pass, &text, error);
  if (status == RELAYOUT_OK) {
    options.text = text;
    status = rlt_kernel_make(at->device, &options, &at->made->kernels[pass], error);
  }
  rlt_free(text);
  return status == RELAYOUT_OK ? fits_group(at, at->made->kernels[pass], fits, error) : status;
}

relayout_status rlt_opencl_many_make_kernel(const rlt_many_launch *launch, rlt_many_pass pass,
                                            cl_kernel *kernel, relayout_error *error) {
  const rlt_kernel_options options = options_of(launch);
  return rlt_kernel_make_another(launch->kernels[pass], &options, kernel, error);
}

static void free_kernels(rlt_many_launch *made) {
  for (int p = 0; p < RLT_PASS_COUNT; ++p) {
    if (made->kernels[p] != NULL) {
      clReleaseKernel(made->kernels[p]);
      made->kernels[p] = NULL;
    }
  }
}

/* What is asked for, or as many as the device has. */
static relayout_status choose_group_size(const planning *at, relayout_error *error) {
  const int64_t asked = at->many->schedule.group_size;
  int64_t *const made = &at->made->group_size;
  const relayout_status status =
      rlt_opencl_group_size(at->device, asked > 0 ? asked : MOST_GROUP_SIZE, made, error);
  return status == RELAYOUT_OK && asked > 0 && (*made != asked || (asked & (asked - 1)) != 0)
             ? rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: `group` is %" PRId64
                        "; expected a power of two that the device's work-groups have room for",
                        asked)
             : status;
}

/* That the kernel's tensors, and what else it is given, are no more than any device passes on. */
static relayout_status check_arguments(const planning *at, relayout_error *error) {
  enum { MOST = 1024 / sizeof(cl_ulong), OTHERS = 3 }; /* 1024 bytes are OpenCL's least */
  int64_t count = 0;
  for (int32_t i = 0; i < at->made->side_count * RLT_SIDE_TENSORS; ++i) {
    count += at->made->tensors[i / RLT_SIDE_TENSORS][i % RLT_SIDE_TENSORS].by_kernel;
  }
  return 2 * count + OTHERS <= MOST
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "the plan has %" PRId64 " tensors: elements, scales, zero points and "
                        "tensor scales; a kernel has arguments for %d",
                        count, (MOST - OTHERS) / 2);
}

/* All are built again, for smaller groups, if one takes too many registers. */
static relayout_status make_kernels(const planning *at, relayout_error *error) {
  rlt_many_launch *const made = at->made;
  const rlt_many_pass first = made->all_groups > 0 ? RLT_PASS_FIND : RLT_PASS_WRITE;
  relayout_status status = choose_group_size(at, error);
  bool fits = at->many->is_sketch;
  while (status == RELAYOUT_OK && !fits) {
    fits = true;
    for (int p = first; p < RLT_PASS_COUNT && status == RELAYOUT_OK && fits; ++p) {
      status = make_kernel(at, (rlt_many_pass)p, &fits, error);
    }
    if (!fits) {
      free_kernels(made);
      made->group_size /= 2;
    }
  }
  return status;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void keep_sizes(const planning *at) {
  rlt_many_launch *const made = at->made;
  const rlt_many_kernel *const kernel = &at->kernel;
  made->grid_axis = at->device->grid_axis;
  made->most_groups = at->device->base.facts.most_groups;
  made->word_bytes = kernel->word_bytes;
  made->all_groups = kernel->all_groups;
  made->found = take_temporary(made, (size_t)kernel->all_groups * sizeof(cl_uint));
  at->many->boxes = kernel->boxes;
  memcpy(at->many->order, kernel->order, sizeof kernel->order);
  for (int32_t i = 0; i < kernel->count; ++i) {
    at->many->to[at->numbers[i]].finding = kernel->to[i].finding;
  }
}

/* Keeps the kernel's work-group and vectors in the schedule; 0 where plans do everything. */
static void keep_widths(const planning *at, bool has_kernel) {
  const rlt_many_kernel *const kernel = &at->kernel;
  rlt_many_schedule *const made = &at->many->schedule;
  made->group_size = has_kernel ? at->made->group_size : 0;
  made->loads = has_kernel ? kernel->loads : 0;
  made->store_count = has_kernel ? kernel->count : 0;
  for (int32_t i = 0; i < made->store_count; ++i) {
    made->stores[i] = kernel->to[i].stores;
  }
}

static relayout_status plan_kernel(planning *at, relayout_error *error) {
  rlt_many_kernel *const kernel = &at->kernel;
  const relayout_shape *const shape = &at->many->from.elements.shape;
  relayout_status status = place_side(at, 0, &at->many->from, &kernel->from.view, error);
  if (status == RELAYOUT_OK) {
    status = place_destinations(at, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (at->many->schedule.has_order) {
    memcpy(kernel->order, at->many->schedule.order, sizeof kernel->order);
  } else {
    rlt_order_of(&kernel->from.view, kernel->order);
  }
  kernel->word_bytes = (int32_t)relayout_element_type_byte_size(shape->element_type);
  status = choose_boxes(at, error);
  if (status == RELAYOUT_OK) {
    status = make_finders(at, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  keep_sizes(at);
  complete_views(at);
  const bool has_boxes = kernel->boxes.count > 0 && relayout_shape_element_count(shape) > 0;
  status = check_arguments(at, error);
  if (status == RELAYOUT_OK && has_boxes) {
    status = make_kernels(at, error);
  }
  keep_widths(at, has_boxes);
  return status;
}

static relayout_status plan_all(planning *at, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  rlt_many_find_tensors(at->many, at->made->tensors);
  at->kernel.factor = at->many->factor;
  choose_destinations(at);
  if (at->kernel.count == 0) {
    return place_destinations(at, error);
  }
  at->kernel.to = rlt_calloc((size_t)at->kernel.count, sizeof *at->kernel.to);
  status = at->kernel.to == NULL ? rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                                            "no memory for the destinations of a kernel")
                                 : plan_kernel(at, error);
  rlt_free(at->kernel.to);
  return status;
}

static void keep_moves(const planning *at) {
  for (int32_t s = 0; s < at->made->side_count; ++s) {
    const rlt_many_tensor *const elements = &at->made->tensors[s][0];
    at->many->moves[s] = elements->plan;
    if (s > 0) {
      at->many->to[s - 1].is_moved_alone = !elements->by_kernel;
    }
  }
}

relayout_status rlt_opencl_many_create(relayout_device *device, const rlt_plan_request *asked,
                                       rlt_many *many, relayout_error *error) {
  rlt_many_launch *const made = rlt_calloc(1, sizeof *made);
  planning *const at = rlt_calloc(1, sizeof *at);
  if (made == NULL || at == NULL || pthread_mutex_init(&made->lock, NULL) != 0) {
    rlt_free(made);
    rlt_free(at);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory for a plan of %" PRId32 " destinations", many->count);
  }
  made->side_count = many->count + 1;
  many->on_device = made;
  at->device = (rlt_opencl_device *)device;
  at->many = many;
  at->asked = asked;
  at->made = made;
  const relayout_status status = plan_all(at, error);
  keep_moves(at);
  rlt_free(at);
  return status;
}

void rlt_opencl_many_destroy(void *on_device) {
  rlt_many_launch *const made = on_device;
  for (int32_t s = 0; s < made->side_count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      relayout_plan_destroy(made->tensors[s][t].plan);
    }
  }
  free_kernels(made);
  pthread_mutex_destroy(&made->lock);
  rlt_free(made);
}
