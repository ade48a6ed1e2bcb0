/* launch.c: from a problem cut into tiles to a kernel, its buffers and its work-groups. */
#include "opencl/launch.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "convert/convert.h"
#include "opencl/arguments.h"
#include "opencl/assembly_tables.h"
#include "opencl/cl_error.h"
#include "opencl/gather.h"
#include "opencl/staged.h"
#include "plan/candidates.h"
#include "plan/grid.h"

/* The arguments of every kernel; fill has no source; packed and assembled tiles, and gathers by steps,
 * have tables. */
enum {
  ARGUMENT_DESTINATION = 0,
  ARGUMENT_DESTINATION_START = 1,
  ARGUMENT_GRID = 2,
  ARGUMENT_FILL = 3,
  ARGUMENT_SOURCE = 4,
  ARGUMENT_SOURCE_START = 5,
  ARGUMENT_TABLES = 6
  /* Local memory for packed tiles comes next, and how elements are converted behind all others. */
};

/* ---- Geometry ---- */

enum {
  /* A work-item of a CPU device moves about this much, or waking another core to start it is what
   * takes the time. */
  DIRECT_BYTES = 64 << 10
};

/* For n < 2^31 and d > 0, n / d is (mul_hi(n, multiplier) + n) >> shift. */
static kernel_divisor divisor_of(int64_t d) {
  if (d > INT32_MAX) {
    return (kernel_divisor){0, 31}; /* n / d is 0 */
  }
  uint32_t shift = 0;
  while ((INT64_C(1) << shift) < d) {
    ++shift;
  }
  const uint64_t excess = (UINT64_C(1) << shift) - (uint64_t)d;
  return (kernel_divisor){(uint32_t)((excess << 32) / (uint64_t)d + 1), shift};
}

/* The powers of two work-items that lie side by side along a row so that the fewest idle. */
static int64_t across_shift_of(int64_t rows, int64_t columns, int64_t group_size) {
  int64_t best = 0;
  int64_t best_rounds = INT64_MAX;
  for (int64_t shift = 0; (group_size >> shift) > 0; ++shift) {
    const int64_t across = INT64_C(1) << shift;
    const int64_t rounds =
        rlt_divide_up(columns, across) * rlt_divide_up(rows, group_size / across);
    if (rounds <= best_rounds) {
      best = shift;
      best_rounds = rounds;
    }
  }
  return best;
}

/* Iterations of all loops that one work-item goes through for a tile. In an assembly an element is
 * loaded, stored and, at the edge of a block, both twice, one by one at worst. */
static int64_t iterations_of(const rlt_problem *problem, const rlt_strategy *strategy,
                             const rlt_grid *grid, int64_t rows, int64_t columns) {
  const int64_t each = strategy->assembles                          ? 3
                       : strategy->kind == RELAYOUT_STRATEGY_GATHER ? rlt_gather_iterations(problem)
                                                                    : 1;
  return grid->loop_count + each * rows * columns + 2 * rows + 1;
}

static int64_t tiles_per_group(const rlt_opencl_device *device, const rlt_problem *problem,
                               const rlt_strategy *strategy, const rlt_grid *grid, int64_t rows,
                               int64_t columns) {
  int64_t tiles = 1;
  if (device->family == RELAYOUT_KERNELS_DIRECT) {
    const int64_t enough =
        DIRECT_BYTES * 8 / (rows * columns * rlt_problem_destination_bits(problem));
    const int64_t bearable =
        device->most_iterations / iterations_of(problem, strategy, grid, rows, columns);
    tiles = rlt_min(enough, bearable);
  }
  return rlt_max(rlt_max(tiles, 1), rlt_divide_up(grid->tile_count, device->most_groups));
}

static kernel_side side_of(const rlt_problem *problem, const rlt_group *group,
                           const rlt_side *side) {
  const rlt_axis *const axis =
      group->axis_count > 0 ? &problem->axes[group->axes[group->axis_count - 1]] : NULL;
  return (kernel_side){.inner = side->inner,
                       .block = side->block,
                       .halo = side->halo,
                       .extent = side->extent,
                       .valid = side->valid,
                       .loop_number = side->block_loop,
                       .source_stride = axis == NULL ? 0 : axis->source_stride,
                       .destination_stride = axis == NULL ? 0 : axis->destination_stride,
                       .length = rlt_group_held(group)};
}

/* The farthest that a position of the group lies from the first, on either side and either way. */
static int64_t reach(const rlt_problem *problem, const rlt_group *group) {
  int64_t source = 0;
  int64_t destination = 0;
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    const int64_t steps = rlt_group_steps(problem, group, i);
    source += rlt_max(rlt_min(steps, axis->valid) - 1, 0) * llabs(axis->source_stride);
    destination += (steps - 1) * axis->destination_stride;
  }
  return rlt_max(source, destination);
}

/* What the work-items side by side along a row take one each of. Changed elements are more or fewer on either
 * side. */
static int64_t units_across(const rlt_opencl_device *device, const rlt_problem *problem,
                            int64_t columns) {
  if (device->family == RELAYOUT_KERNELS_DIRECT || rlt_problem_keeps_elements(problem)) {
    return columns;
  }
  return rlt_divide_up(columns, rlt_min(rlt_staged_unit(rlt_problem_source_bits(problem)),
                                        rlt_staged_unit(rlt_problem_destination_bits(problem))));
}

static kernel_grid grid_of(const rlt_opencl_device *device, const rlt_problem *problem,
                           const rlt_strategy *strategy, const rlt_grid *grid, int64_t group_size) {
  const int64_t columns = rlt_group_length(&strategy->columns);
  const int64_t rows = rlt_group_length(&strategy->rows);
  const bool direct = device->family == RELAYOUT_KERNELS_DIRECT;
  const uint64_t destination_bytes = rlt_problem_destination_size(problem);
  kernel_grid made = {
      .tile_count = (uint64_t)grid->tile_count,
      .tiles_per_group = (uint64_t)tiles_per_group(device, problem, strategy, grid, rows, columns),
      .loop_count = grid->loop_count,
      .columns = side_of(problem, &strategy->columns, &grid->columns),
      .rows = side_of(problem, &strategy->rows, &grid->rows),
      .fills = problem->fills,
      .across_shift = across_shift_of(rows, units_across(device, problem, columns), group_size),
      .streams = direct && device->cache_bytes > 0 && destination_bytes > device->cache_bytes,
  };
  if (strategy->kind == RELAYOUT_STRATEGY_GATHER) {
    /* The rows of a gather's group are further tiles. */
    made.across_shift = across_shift_of(
        grid->tile_count, rlt_divide_up(columns, rlt_in_byte(problem->destination_packed)),
        group_size);
    made.tiles_per_group =
        (uint64_t)rlt_max((int64_t)made.tiles_per_group, group_size >> made.across_shift);
  }
  return made;
}

/* 32 bits hold every tile's number and every offset in a tile; and where a group walks over no more
 * than one tile, its kernel need not loop. */
static bool is_narrow(const rlt_opencl_device *device, const rlt_problem *problem,
                      const rlt_strategy *strategy, const kernel_grid *grid) {
  const bool one_tile_a_group =
      device->family == RELAYOUT_KERNELS_STAGED && strategy->kind != RELAYOUT_STRATEGY_GATHER;
  return grid->tile_count <= INT32_MAX && (!one_tile_a_group || grid->tiles_per_group == 1) &&
         reach(problem, &strategy->columns) + reach(problem, &strategy->rows) <=
             device->most_offset;
}

/* ---- Buffers ---- */

/* A read-only buffer with a copy of `bytes`. */
static relayout_status make_buffer(const rlt_opencl_device *device, size_t size, const void *bytes,
                                   cl_mem *buffer, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size,
                                     (void *)bytes, &code);
  if (made == NULL) {
    return rlt_cl_fail(error, code, "clCreateBuffer for a plan's tables");
  }
  *buffer = made;
  return RELAYOUT_OK;
}

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's tables");
}

/* The grid and its loops. */
static relayout_status make_grid(const rlt_opencl_device *device, const rlt_grid *grid,
                                 const kernel_grid *head, cl_mem *buffer, relayout_error *error) {
  const size_t loop_count = (size_t)grid->loop_count;
  const size_t size = sizeof *head + loop_count * sizeof(kernel_loop);
  kernel_grid *const made = malloc(size);
  if (made == NULL) {
    return no_memory(error);
  }
  *made = *head;
  kernel_loop *const loops = (kernel_loop *)(made + 1);
  for (size_t l = 0; l < loop_count; ++l) {
    const rlt_loop *const loop = &grid->loops[l];
    loops[l] = (kernel_loop){loop->count, loop->valid, loop->source_step, loop->destination_step,
                             divisor_of(loop->count)};
  }
  const relayout_status status = make_buffer(device, size, made, buffer, error);
  free(made);
  return status;
}

/* The steps of a gather: how many, where the result is, and each. */
static relayout_status make_steps(const rlt_opencl_device *device, const rlt_steps *steps,
                                  cl_mem *buffer, relayout_error *error) {
  const size_t size = offsetof(rlt_steps, of) + (size_t)steps->count * sizeof steps->of[0];
  return make_buffer(device, size, steps, buffer, error);
}

static bool is_scaled(const rlt_conversion *conversion) {
  return conversion->from != RELAYOUT_ELEMENT_TYPE_INVALID && conversion->scale != 1;
}

/* Scaling takes long numbers, but words so short are few. */
static bool converts_by_table(const rlt_problem *problem, const rlt_strategy *strategy) {
  return strategy->kind != RELAYOUT_STRATEGY_FILL && is_scaled(&problem->conversion) &&
         problem->element_bytes <= 2;
}

/* What each word of the source becomes. */
static relayout_status make_conversions(const rlt_opencl_device *device, const rlt_problem *problem,
                                        cl_mem *buffer, relayout_error *error) {
  const size_t count = (size_t)1 << 8 * problem->element_bytes;
  const size_t size = count * (size_t)rlt_problem_destination_bytes(problem);
  uint8_t *const made = malloc(count * (size_t)problem->element_bytes + size);
  if (made == NULL) {
    return no_memory(error);
  }
  uint8_t *const words = made + size;
  for (size_t i = 0; i < count; ++i) {
    if (problem->element_bytes == 1) {
      words[i] = (uint8_t)i;
    } else {
      memcpy(words + 2 * i, &(uint16_t){(uint16_t)i}, 2);
    }
  }
  rlt_convert_elements(&problem->conversion, words, made, (int64_t)count);
  const relayout_status status = make_buffer(device, size, made, buffer, error);
  free(made);
  return status;
}

static relayout_status make_tables(const rlt_opencl_device *device, const rlt_problem *problem,
                                   const rlt_strategy *strategy, const rlt_build_options *options,
                                   cl_mem *buffer, relayout_error *error) {
  if (problem->steps != NULL) {
    return make_steps(device, problem->steps, buffer, error);
  }
  void *tables = NULL;
  size_t size = 0;
  relayout_status status =
      strategy->assembles
          ? rlt_assembly_tables_make(problem, strategy, options->wide, &tables, &size, error)
          : rlt_staged_tables_make(problem, strategy, options->group_size, options->wide, &tables,
                                   &size, error);
  if (status == RELAYOUT_OK) {
    status = make_buffer(device, size, tables, buffer, error);
    free(tables);
  }
  return status;
}

/* ---- The kernel ---- */

/* `*most` becomes the most work-items that a group of this kernel can have. */
static relayout_status make_kernel(rlt_opencl_device *device, const rlt_build_options *options,
                                   cl_kernel *kernel, size_t *most, relayout_error *error) {
  cl_program program = NULL;
  const relayout_status status = rlt_build_get(device, options, &program, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_int code = CL_SUCCESS;
  const cl_kernel made = clCreateKernel(program, relayout_strategy_name(options->strategy), &code);
  clReleaseProgram(program);
  if (made == NULL) {
    return rlt_cl_fail(error, code, "clCreateKernel");
  }
  rlt_build_keep(device, options);
  code = clGetKernelWorkGroupInfo(made, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof *most, most,
                                  NULL);
  if (code != CL_SUCCESS) {
    clReleaseKernel(made);
    return rlt_cl_fail(error, code, "clGetKernelWorkGroupInfo");
  }
  *kernel = made;
  return RELAYOUT_OK;
}

/* The arguments that stay the same from one enqueue to the next. */
static relayout_status set_lasting_arguments(rlt_launch *launch, const rlt_problem *problem,
                                             relayout_error *error) {
  const cl_kernel kernel = launch->kernel;
  cl_int code = clSetKernelArg(kernel, ARGUMENT_GRID, sizeof launch->grid, &launch->grid);
  if (code == CL_SUCCESS) {
    code = clSetKernelArg(kernel, ARGUMENT_FILL, (size_t)rlt_problem_destination_bytes(problem),
                          problem->fill);
  }
  cl_uint last = ARGUMENT_TABLES;
  if (code == CL_SUCCESS && launch->tables != NULL) {
    code = clSetKernelArg(kernel, last++, sizeof launch->tables, &launch->tables);
    if (code == CL_SUCCESS && launch->local_bytes > 0) {
      code = clSetKernelArg(kernel, last++, (size_t)launch->local_bytes, NULL);
    }
  }
  if (code == CL_SUCCESS && launch->conversions != NULL) {
    code = clSetKernelArg(kernel, last, sizeof launch->conversions, &launch->conversions);
  } else if (code == CL_SUCCESS && is_scaled(&launch->options.conversion)) {
    const rlt_scale_factor scale = rlt_conversion_scale_factor(&problem->conversion);
    code = clSetKernelArg(kernel, last, sizeof scale, &scale);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clSetKernelArg");
}

/* None is compiled in where nothing is read, or a table says what becomes of it. */
static rlt_conversion compiled_conversion(const rlt_problem *problem,
                                          const rlt_strategy *strategy) {
  const bool is_compiled =
      strategy->kind != RELAYOUT_STRATEGY_FILL && !converts_by_table(problem, strategy);
  return is_compiled ? problem->conversion
                     : (rlt_conversion){.from = RELAYOUT_ELEMENT_TYPE_INVALID};
}

static relayout_status fill_launch(rlt_opencl_device *device, const rlt_problem *problem,
                                   const rlt_strategy *strategy, rlt_launch *launch,
                                   relayout_error *error) {
  rlt_grid grid;
  rlt_grid_make(problem, strategy, &grid);
  kernel_grid head;
  relayout_status status = RELAYOUT_OK;
  int64_t group_size = device->family == RELAYOUT_KERNELS_DIRECT ? 1 : (int64_t)device->group_size;
  const bool transposes =
      device->family == RELAYOUT_KERNELS_STAGED && strategy->kind == RELAYOUT_STRATEGY_TRANSPOSE;
  const rlt_staged_tile tile = rlt_staged_transpose_tile(problem);
  for (size_t most = 0;; group_size /= 2) {
    head = grid_of(device, problem, strategy, &grid, group_size);
    launch->options = (rlt_build_options){
        .strategy = strategy->assembles && strategy->kind == RELAYOUT_STRATEGY_TRANSPOSE
                        ? RELAYOUT_STRATEGY_PACKED
                        : strategy->kind,
        .assembles = strategy->assembles,
        .family = device->family,
        .word_bytes = (int32_t)rlt_problem_destination_bytes(problem),
        .source_bytes = (int32_t)problem->element_bytes,
        .source_bits = (int32_t)problem->source_packed,
        .destination_bits = (int32_t)problem->destination_packed,
        .conversion = compiled_conversion(problem, strategy),
        .converts_by_table = converts_by_table(problem, strategy),
        .shuffles = problem->shuffles,
        .tile_rows = transposes ? (int32_t)tile.rows : 0,
        .tile_columns = transposes ? (int32_t)tile.columns : 0,
        .swapped_bits = (int32_t)problem->swapped_bits,
        .numbers = rlt_gather_numbers(problem),
        .wide = !is_narrow(device, problem, strategy, &head),
        .group_size = (int32_t)group_size,
        .grid_axis = device->grid_axis};
    memcpy(launch->options.shuffle, problem->shuffle, sizeof problem->shuffle);
    status = make_kernel(device, &launch->options, &launch->kernel, &most, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    if (group_size == 1 || (size_t)group_size <= most) {
      break;
    }
    clReleaseKernel(launch->kernel); /* too many registers for such a group: a smaller one */
    launch->kernel = NULL;
  }
  launch->group_count =
      (size_t)rlt_divide_up((int64_t)head.tile_count, (int64_t)head.tiles_per_group);
  launch->strategy = *strategy;
  launch->tile_rows = rlt_group_length(&strategy->rows);
  launch->tile_columns = rlt_group_length(&strategy->columns);
  launch->source_start = problem->source_start;
  launch->destination_start = problem->destination_start;
  launch->local_bytes =
      device->family == RELAYOUT_KERNELS_STAGED ? rlt_staged_local_bytes(problem, strategy) : 0;
  status = make_grid(device, &grid, &head, &launch->grid, error);
  if (status == RELAYOUT_OK && (strategy->assembles || problem->steps != NULL ||
                                strategy->kind == RELAYOUT_STRATEGY_PACKED)) {
    status = make_tables(device, problem, strategy, &launch->options, &launch->tables, error);
  }
  if (status == RELAYOUT_OK && launch->options.converts_by_table) {
    status = make_conversions(device, problem, &launch->conversions, error);
  }
  return status == RELAYOUT_OK ? set_lasting_arguments(launch, problem, error) : status;
}

/* In the form that its kernel wants. */
static relayout_status fit_launch(rlt_opencl_device *device, const rlt_problem *problem,
                                  const rlt_strategy *strategy, rlt_launch *launch,
                                  relayout_error *error) {
  if (rlt_is_gather(problem, strategy)) {
    rlt_gather *const gather = malloc(sizeof *gather);
    if (gather == NULL) {
      return no_memory(error);
    }
    rlt_gather_make(device, problem, strategy, gather);
    const relayout_status status =
        fill_launch(device, &gather->problem, &gather->strategy, launch, error);
    free(gather);
    return status;
  }
  if (device->family == RELAYOUT_KERNELS_STAGED) {
    const rlt_strategy fitted = rlt_staged_fit(problem, strategy);
    return fill_launch(device, problem, &fitted, launch, error);
  }
  return fill_launch(device, problem, strategy, launch, error);
}

relayout_status rlt_launch_create(rlt_opencl_device *device, const rlt_problem *problem,
                                  const rlt_strategy *strategy, rlt_launch **launch,
                                  relayout_error *error) {
  rlt_launch *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    return no_memory(error);
  }
  if (pthread_mutex_init(&made->lock, NULL) != 0) {
    free(made);
    return no_memory(error);
  }
  const relayout_status status = fit_launch(device, problem, strategy, made, error);
  if (status != RELAYOUT_OK) {
    rlt_launch_destroy(made);
    return status;
  }
  *launch = made;
  return RELAYOUT_OK;
}

bool rlt_launches_equal(const rlt_launch *a, const rlt_launch *b) {
  return a->options.word_bytes == b->options.word_bytes &&
         rlt_strategies_equal(&a->strategy, &b->strategy);
}

void rlt_launch_destroy(rlt_launch *launch) {
  if (launch == NULL) {
    return;
  }
  if (launch->kernel != NULL) {
    clReleaseKernel(launch->kernel);
  }
  if (launch->grid != NULL) {
    clReleaseMemObject(launch->grid);
  }
  if (launch->tables != NULL) {
    clReleaseMemObject(launch->tables);
  }
  if (launch->conversions != NULL) {
    clReleaseMemObject(launch->conversions);
  }
  pthread_mutex_destroy(&launch->lock);
  free(launch);
}

/* ---- Enqueuing ---- */

/* Where one side lies; kernels count its start in elements. */
static cl_int set_place(const rlt_launch *launch, cl_uint argument, rlt_place place) {
  const rlt_build_options *const options = &launch->options;
  const bool is_source = argument == ARGUMENT_SOURCE;
  const int32_t bytes = is_source ? options->source_bytes : options->word_bytes;
  const int64_t packed = is_source ? options->source_bits : options->destination_bits;
  const cl_ulong start = place.offset / (size_t)bytes * (size_t)rlt_in_byte(packed) +
                         (cl_ulong)(is_source ? launch->source_start : launch->destination_start);
  const cl_int code = clSetKernelArg(launch->kernel, argument, sizeof place.buffer, &place.buffer);
  return code == CL_SUCCESS ? clSetKernelArg(launch->kernel, argument + 1, sizeof start, &start)
                            : code;
}

static relayout_status set_places(const rlt_launch *launch, rlt_place source, rlt_place destination,
                                  relayout_error *error) {
  cl_int code = set_place(launch, ARGUMENT_DESTINATION, destination);
  if (code == CL_SUCCESS && launch->options.strategy != RELAYOUT_STRATEGY_FILL) {
    code = set_place(launch, ARGUMENT_SOURCE, source);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clSetKernelArg");
}

relayout_status rlt_launch_hold(rlt_launch *launch, rlt_place source, rlt_place destination,
                                relayout_error *error) {
  pthread_mutex_lock(&launch->lock);
  const relayout_status status = set_places(launch, source, destination, error);
  if (status != RELAYOUT_OK) {
    pthread_mutex_unlock(&launch->lock);
  }
  return status;
}

relayout_status rlt_launch_enqueue(const rlt_launch *launch, cl_command_queue queue, cl_uint n_wait,
                                   const cl_event *wait, cl_event *event, relayout_error *error) {
  const int32_t grid_axis = launch->options.grid_axis;
  const size_t local_size[3] = {(size_t)launch->options.group_size, 1, 1};
  size_t global_size[3] = {local_size[0], 1, 1};
  global_size[grid_axis] *= launch->group_count;
  const cl_int code = clEnqueueNDRangeKernel(queue, launch->kernel, (cl_uint)grid_axis + 1, NULL,
                                             global_size, local_size, n_wait, wait, event);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueNDRangeKernel");
}

void rlt_launch_let_go(rlt_launch *launch) {
  pthread_mutex_unlock(&launch->lock);
}
