/* program.c: a strategy made ready on a device, in elements and, where it pays, in wider words. */
#include "opencl/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "opencl/cl_error.h"
#include "opencl/staged.h"

enum { WIDEST_WORD = 16 };

/* ---- Wider words ---- */

static bool divides(int64_t factor, int64_t a, int64_t b) {
  return a % factor == 0 && b % factor == 0;
}

/* Whether `factor` elements along the columns' axis always move, or are filled, together. */
static bool words_stay_whole(const rlt_problem *problem, const rlt_strategy *strategy,
                             int64_t factor) {
  const bool has_source = strategy->kind != RELAYOUT_STRATEGY_FILL;
  if (!divides(factor, problem->destination_start, has_source ? problem->source_start : 0)) {
    return false;
  }
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    const int64_t source = has_source ? axis->source_stride : 0;
    const bool whole = a == strategy->columns.axes[0]
                           ? divides(factor, axis->extent, axis->valid) &&
                                 axis->destination_stride == 1 && (!has_source || source == 1)
                           : divides(factor, axis->destination_stride, source);
    if (!whole) {
      return false;
    }
  }
  return true;
}

/* Elements in the widest word that copies, fills and packed tiles can move in; 1 for other
 * strategies. */
static int64_t word_factor(const rlt_problem *problem, const rlt_strategy *strategy) {
  const bool packs = strategy->kind == RELAYOUT_STRATEGY_PACKED;
  const bool runs =
      strategy->kind == RELAYOUT_STRATEGY_COPY || strategy->kind == RELAYOUT_STRATEGY_FILL;
  if (!rlt_problem_keeps_elements(problem) ||
      (!packs && !(runs && strategy->columns.axis_count == 1))) {
    return 1;
  }
  int64_t factor = WIDEST_WORD / problem->element_bytes;
  while (factor > 1 && !words_stay_whole(problem, strategy, factor)) {
    factor /= 2;
  }
  /* One word alone is no tile. */
  return packs && problem->axis_count == 1 && problem->axes[0].extent == factor ? 1 : factor;
}

/* Restates problem and strategy in words of `factor` elements. */
static void widen(rlt_problem *problem, rlt_strategy *strategy, int64_t factor) {
  const int32_t columns = strategy->columns.axes[0];
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    rlt_axis *const axis = &problem->axes[a];
    if (a == columns) {
      axis->extent /= factor;
      axis->valid /= factor;
    } else {
      axis->source_stride /= factor;
      axis->destination_stride /= factor;
    }
  }
  for (int64_t i = 1; i < factor; ++i) {
    memcpy(problem->fill + i * problem->element_bytes, problem->fill,
           (size_t)problem->element_bytes);
  }
  problem->element_bytes *= factor;
  problem->source_elements /= factor;
  problem->destination_elements /= factor;
  problem->source_start /= factor;
  problem->destination_start /= factor;
  strategy->columns.block = rlt_max(strategy->columns.block / factor, 1);
}

/* ---- The program ---- */

static relayout_status make_words(rlt_opencl_device *device, const rlt_problem *problem,
                                  const rlt_strategy *strategy, int64_t factor, rlt_launch **launch,
                                  relayout_error *error) {
  rlt_problem *const wide = malloc(sizeof *wide);
  if (wide == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu bytes",
                    sizeof *wide);
  }
  *wide = *problem;
  rlt_strategy wide_strategy = *strategy;
  widen(wide, &wide_strategy, factor);
  relayout_status status = RELAYOUT_OK;
  if (strategy->kind == RELAYOUT_STRATEGY_PACKED) {
    rlt_problem_simplify(wide); /* axis 0 may be a single word */
    const rlt_traits traits = rlt_staged_traits(wide->element_bytes);
    rlt_variation variation = strategy->variation;
    variation.wanted = strategy->kind;
    status = rlt_strategy_vary(wide, &traits, &variation, &wide_strategy, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_launch_create(device, wide, &wide_strategy, launch, error);
  }
  free(wide);
  return status;
}

/* Short runs that both sides have, as words, by the variation that the strategy in elements is;
 * none where there are no such runs, or the kind that is wanted does not apply to words. */
static relayout_status make_wide(rlt_opencl_device *device, const rlt_problem *problem,
                                 const rlt_strategy *strategy, rlt_launch **launch,
                                 relayout_error *error) {
  rlt_problem *const wide = malloc(sizeof *wide);
  if (wide == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu bytes",
                    sizeof *wide);
  }
  *wide = *problem;
  rlt_problem_widen(wide);
  relayout_status status = RELAYOUT_OK;
  if (wide->element_bytes > problem->element_bytes) {
    const rlt_traits traits = rlt_opencl_traits(&device->base, wide->element_bytes);
    rlt_strategy wide_strategy;
    if (rlt_strategy_vary(wide, &traits, &strategy->variation, &wide_strategy, NULL) ==
        RELAYOUT_OK) {
      status = rlt_launch_create(device, wide, &wide_strategy, launch, error);
    }
  }
  free(wide);
  return status;
}

relayout_status rlt_opencl_program_create(relayout_device *device, const rlt_problem *problem,
                                          const rlt_strategy *strategy, void **program,
                                          relayout_error *error) {
  rlt_opencl_device *const opened = (rlt_opencl_device *)device;
  rlt_opencl_program *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu bytes",
                    sizeof *made);
  }
  relayout_status status = rlt_launch_create(opened, problem, strategy, &made->elements, error);
  /* DIRECT kernels move whole lines whatever the element, and gain by wide ones only where they turn them. */
  const bool direct = opened->family == RELAYOUT_KERNELS_DIRECT;
  const int64_t factor = direct ? 1 : word_factor(problem, strategy);
  if (status == RELAYOUT_OK && factor > 1) {
    status = make_words(opened, problem, strategy, factor, &made->words, error);
  } else if (status == RELAYOUT_OK && direct && strategy->assembles) {
    status = make_wide(opened, problem, strategy, &made->words, error);
  }
  if (status != RELAYOUT_OK) {
    rlt_opencl_program_destroy(device, made);
    return status;
  }
  *program = made;
  return RELAYOUT_OK;
}

void rlt_opencl_program_destroy(relayout_device *device, void *program) {
  (void)device;
  rlt_opencl_program *const made = program;
  rlt_launch_destroy(made->elements);
  rlt_launch_destroy(made->words);
  free(made);
}

static bool is_aligned(rlt_place place, size_t word) {
  return ((uintptr_t)place.host + place.offset) % word == 0;
}

rlt_launch *rlt_opencl_program_launch(const rlt_opencl_program *program, rlt_place source,
                                      rlt_place destination) {
  rlt_launch *const words = program->words;
  if (words == NULL) {
    return program->elements;
  }
  const size_t word = (size_t)words->options.word_bytes;
  return is_aligned(source, word) && is_aligned(destination, word) ? words : program->elements;
}

/* What is timed lies at whole words. */
static const rlt_launch *timed_launch(const rlt_opencl_program *program) {
  const rlt_place whole_words = {.offset = 0};
  return rlt_opencl_program_launch(program, whole_words, whole_words);
}

bool rlt_opencl_programs_match(const relayout_device *device, const void *a, const void *b) {
  (void)device;
  return rlt_launches_equal(timed_launch(a), timed_launch(b));
}

void rlt_opencl_program_describe(const relayout_device *device, const void *program,
                                 rlt_text *text) {
  (void)device;
  const rlt_opencl_program *const made = program;
  const rlt_launch *const launch = made->words == NULL ? made->elements : made->words;
  const rlt_build_options *const options = &launch->options;
  const bool direct = options->family == RELAYOUT_KERNELS_DIRECT;
  rlt_text_add(text, "%s kernel %s on %d-byte words, %zu work-group%s of %d work-item%s",
               direct ? "direct" : "staged", relayout_strategy_name(options->strategy),
               (int)options->word_bytes, launch->group_count, launch->group_count == 1 ? "" : "s",
               (int)options->group_size, options->group_size == 1 ? "" : "s");
  rlt_text_add(text, ", tiles of %" PRId64 " x %" PRId64, launch->tile_rows, launch->tile_columns);
  if (launch->local_bytes > 0) {
    rlt_text_add(text, ", %" PRId64 " bytes of local memory", launch->local_bytes);
  }
}
