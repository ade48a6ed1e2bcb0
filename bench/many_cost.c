/* many_cost.c: what a plan of several destinations takes, beside a plain copy of as many bytes;
 * beside a plan for each destination that changes the elements without scales, where none has
 * blocks; and, of one destination with scales on either side, beside a plan that has one scale for
 * all elements.
 *
 *   many_cost [--measure] THREADS FROM TO ...
 *
 * With --measure the plan's schedule is the fastest of those that are run, not the one that is
 * chosen. FROM and each TO are texts of scaled views. A TO may begin with the rule of its scales:
 * amax:, amax_up: or power2:; without one the scales are given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/statistics.h"
#include "cost.h"
#include "relayout/relayout.h"

enum { MOST_DESTINATIONS = 16, ROUNDS = 25 };

const char cost_program[] = "many_cost";

typedef struct scene {
  relayout_device *device;
  int count;
  relayout_scaled_view from, to[MOST_DESTINATIONS];
  relayout_plan_options options;
  relayout_plan *many;
  relayout_plan *single[MOST_DESTINATIONS]; /* without scales; NULL where there is no such plan */
  relayout_plan *with_one_scale;            /* likewise */
  relayout_source_memory source;
  relayout_destination_memory destinations[MOST_DESTINATIONS];
  size_t bytes; /* of all sides */
  char *copied;
} scene;

static void *make_memory(size_t bytes) {
  char *const made = aligned_alloc(4096, (bytes + 8191) / 4096 * 4096);
  if (made == NULL) {
    cost_stop("no memory for a tensor");
    return NULL;
  }
  memset(made, 0, bytes + 1);
  return made;
}

/* Numbers of a moderate size in any type of 1, 2 or 4 bytes. */
static void *make_elements(scene *of, const relayout_scaled_view *side) {
  relayout_error error;
  size_t bytes = 0;
  cost_check(relayout_scaled_view_elements_size(side, &bytes, &error), &error);
  unsigned char *const made = make_memory(bytes);
  const size_t size = side->block_format != RELAYOUT_BLOCK_FORMAT_NONE
                          ? 1
                          : relayout_element_type_byte_size(side->elements.shape.element_type);
  for (size_t i = 0; i < bytes; ++i) {
    const unsigned number = (unsigned)(i * 2654435761U) >> 16;
    made[i] = (unsigned char)(i % size == size - 1 ? 0x3c + (number & 3) : number & 0x3f);
  }
  of->bytes += bytes;
  return made;
}

static void *make_beside(scene *of, bool is_there, const relayout_view *view, int byte) {
  relayout_error error;
  int64_t lowest = 0;
  size_t bytes = 0;
  if (!is_there) {
    return NULL;
  }
  cost_check(relayout_view_span(view, &lowest, &bytes, &error), &error);
  of->bytes += bytes;
  return memset(make_memory(bytes), byte, bytes);
}

static void read_destination(const char *text, relayout_scaled_view *view) {
  static const char *const rules[] = {"given:", "amax:", "amax_up:", "power2:"};
  relayout_error error;
  int rule = RELAYOUT_SCALES_GIVEN;
  for (int i = 0; i < (int)(sizeof rules / sizeof rules[0]); ++i) {
    if (strncmp(text, rules[i], strlen(rules[i])) == 0) {
      rule = i;
      text += strlen(rules[i]);
      break;
    }
  }
  cost_check(relayout_scaled_view_parse(text, view, &error), &error);
  view->rule = (relayout_scale_rule)rule;
}

static bool has_blocks(const relayout_scaled_view *view) {
  return view->block_format != RELAYOUT_BLOCK_FORMAT_NONE;
}

/* Whether a plan with options.scale does as much. */
static bool has_one_destination_with_scales(const scene *of) {
  return of->count == 1 && !has_blocks(&of->from) && !has_blocks(&of->to[0]) &&
         of->from.has_scales != of->to[0].has_scales;
}

static void plan_with_one_scale(scene *of) {
  relayout_error error;
  relayout_plan_options options = of->options;
  options.scale = of->from.has_scales ? 0.013F : 76.9F; /* 24 digits, as most scales have */
  cost_check(relayout_plan_create_between(of->device, &of->from.elements, &of->to[0].elements,
                                          &options, &of->with_one_scale, &error),
             &error);
}

static double make_plans(scene *of) {
  relayout_error error;
  const double start = cost_now();
  cost_check(relayout_plan_create_many(of->device, &of->from, of->to, of->count, &of->options,
                                       &of->many, &error),
             &error);
  const double taken = cost_now() - start;
  for (int i = 0; i < of->count && !has_blocks(&of->from) && !has_blocks(&of->to[i]); ++i) {
    cost_check(relayout_plan_create_between(of->device, &of->from.elements, &of->to[i].elements,
                                            &of->options, &of->single[i], &error),
               &error);
  }
  if (has_one_destination_with_scales(of)) {
    plan_with_one_scale(of);
  }
  return taken;
}

static double run_many(const void *context) {
  const scene *const of = context;
  relayout_error error;
  const double start = cost_now();
  cost_check(relayout_plan_execute_many(of->many, &of->source, of->destinations, &error), &error);
  return cost_now() - start;
}

static double run_plan(const scene *of, const relayout_plan *plan, int destination) {
  relayout_error error;
  const double start = cost_now();
  cost_check(relayout_plan_execute(plan, of->source.elements,
                                   of->destinations[destination].elements, &error),
             &error);
  return cost_now() - start;
}

static double run_each(const void *context) {
  const scene *const of = context;
  double taken = 0;
  for (int i = 0; i < of->count && of->single[i] != NULL; ++i) {
    taken += run_plan(of, of->single[i], i);
  }
  return taken;
}

static double run_with_one_scale(const void *context) {
  const scene *const of = context;
  return run_plan(of, of->with_one_scale, 0);
}

static double copy(const void *context) {
  const scene *const of = context;
  const double start = cost_now();
  memcpy(of->copied + of->bytes / 2, of->copied, of->bytes / 2);
  return cost_now() - start;
}

static void report(const scene *of, double planning) {
  double medians[4];
  cost_way ways[4] = {{copy, of}, {run_many, of}};
  int count = 2;
  if (of->single[of->count - 1] != NULL) {
    ways[count++] = (cost_way){run_each, of};
  }
  if (of->with_one_scale != NULL) {
    ways[count++] = (cost_way){run_with_one_scale, of};
  }
  cost_measure_in_turns(ways, count, ROUNDS, medians);
  printf("planned in %.2f ms, run in %.2f ms: %.2f of a plain copy, %.2f predicted", planning * 1e3,
         medians[1] * 1e3, medians[0] / medians[1], relayout_plan_get_predicted_fraction(of->many));
  for (int i = 2; i < count; ++i) {
    const bool is_scaled = ways[i].run == run_with_one_scale;
    printf(", %.2f of the time of %d plan%s %s", medians[1] / medians[i], is_scaled ? 1 : of->count,
           is_scaled || of->count == 1 ? "" : "s", is_scaled ? "with one scale" : "without scales");
  }
  char schedule[2048];
  relayout_plan_get_schedule(of->many, 0, RELAYOUT_SCHEDULE_ALIGNED, schedule, sizeof schedule);
  printf("\n  %s\n", schedule);
}

int main(int argc, char **argv) {
  const int skipped = argc > 1 && strcmp(argv[1], "--measure") == 0 ? 1 : 0;
  scene of = {.options = RELAYOUT_PLAN_OPTIONS_INIT, .count = argc - 3 - skipped};
  relayout_cpu_options cpu = RELAYOUT_CPU_OPTIONS_INIT;
  relayout_error error;
  if (of.count < 1 || of.count > MOST_DESTINATIONS) {
    fprintf(stderr, "%s: wants [--measure] THREADS FROM TO ..., at most %d of these\n",
            cost_program, MOST_DESTINATIONS);
    return 2;
  }
  argv += skipped;
  of.options.effort = skipped == 1 ? RELAYOUT_PLAN_MEASURE : RELAYOUT_PLAN_ESTIMATE;
  cpu.threads = atoi(argv[1]);
  of.options.rounding = RELAYOUT_ROUNDING_NEAREST;
  cost_check(relayout_cpu_device_create(&cpu, &of.device, &error), &error);
  read_destination(argv[2], &of.from);
  of.source = (relayout_source_memory){
      .elements = make_elements(&of, &of.from),
      .scales = make_beside(&of, of.from.has_scales, &of.from.scales, 0x3c),
      .zero_points = make_beside(&of, of.from.has_zero_points, &of.from.zero_points, 1),
      .tensor_scale = make_beside(&of, of.from.has_tensor_scale, &of.from.tensor_scale, 0x3c)};
  for (int i = 0; i < of.count; ++i) {
    read_destination(argv[3 + i], &of.to[i]);
    const relayout_scaled_view *const to = &of.to[i];
    of.destinations[i] = (relayout_destination_memory){
        .elements = make_elements(&of, to),
        .scales = make_beside(&of, to->has_scales, &to->scales, 0x3c),
        .zero_points = make_beside(&of, to->has_zero_points, &to->zero_points, 1),
        .tensor_scale = make_beside(&of, to->has_tensor_scale, &to->tensor_scale, 0x3c)};
  }
  of.copied = make_memory(of.bytes + 1);
  report(&of, make_plans(&of));
  for (int i = 0; i < of.count; ++i) {
    relayout_plan_destroy(of.single[i]);
    free(of.destinations[i].elements);
    free(of.destinations[i].scales);
    free(of.destinations[i].zero_points);
    free((void *)of.destinations[i].tensor_scale);
  }
  relayout_plan_destroy(of.with_one_scale);
  relayout_plan_destroy(of.many);
  free((void *)of.source.elements);
  free((void *)of.source.scales);
  free((void *)of.source.zero_points);
  free((void *)of.source.tensor_scale);
  free(of.copied);
  relayout_device_destroy(of.device);
  return 0;
}
