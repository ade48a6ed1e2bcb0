/* plan_kernel.c: a plan's kernels, handed out with all that a runtime wants to know to launch them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "base/text.h"
#include "emit/language.h"
#include "gpu/c_function.h"
#include "gpu/kernel_text.h"
#include "gpu/target.h"
#include "metadata/view.h"
#include "plan/plan.h"
#include "relayout/kernel.h"
#include "relayout/version.h"

typedef struct request {
  const relayout_plan *plan;
  relayout_kernel_options options;
} request;

static relayout_status read_language(const request *of, relayout_error *error) {
  const relayout_language language = of->options.language;
  const bool is_kernels = language == RELAYOUT_LANGUAGE_OPENCL ||
                          language == RELAYOUT_LANGUAGE_CUDA || language == RELAYOUT_LANGUAGE_HIP;
  if (rlt_language_find(language) == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->language is %d, not a relayout_language", (int)language);
  }
  if (!is_kernels && language != RELAYOUT_LANGUAGE_C) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "kernels are in c, opencl, cuda and hip, not in %s",
                    relayout_language_name(language));
  }
  const relayout_device *const device = rlt_planner_of(of->plan->device);
  if (is_kernels && device->facts.target != &rlt_gpu_target) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "plan is of a device that runs no work-group kernels; "
                    "relayout_gpu_device_create makes one whose plans can be handed out in %s",
                    relayout_language_name(language));
  }
  return rlt_language_check_name(language, of->options.name, error);
}

static relayout_status read_request(const relayout_plan *plan,
                                    const relayout_kernel_options *options, request *read,
                                    relayout_error *error) {
  read->plan = plan;
  read->options = (relayout_kernel_options)RELAYOUT_KERNEL_OPTIONS_INIT;
  relayout_status status = rlt_plan_check_single(plan, error);
  if (status == RELAYOUT_OK) {
    status = rlt_struct_read(options, "options->", sizeof *options, &read->options,
                             sizeof read->options, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int use = (int)read->options.use;
  if (use != RELAYOUT_SCHEDULE_ALIGNED && use != RELAYOUT_SCHEDULE_AT_ANY_OFFSET) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->use is %d, not a relayout_schedule_use", use);
  }
  if (read->options.name == NULL) {
    read->options.name = "relayout";
  }
  return read_language(read, error);
}

static int32_t count_of(const request *of) {
  return of->options.language == RELAYOUT_LANGUAGE_C ? 1 : of->plan->work.part_count;
}

relayout_status relayout_plan_count_kernels(const relayout_plan *plan,
                                            const relayout_kernel_options *options, int32_t *count,
                                            relayout_error *error) {
  request read;
  if (count == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "count is NULL");
  }
  const relayout_status status = read_request(plan, options, &read, error);
  if (status == RELAYOUT_OK) {
    *count = count_of(&read);
  }
  return status;
}

/* ---- The comment ---- */

static const char *role_name(relayout_argument_role role) {
  static const char *const names[] = {"destination", "destination_offset", "source",
                                      "source_offset"};
  return names[role];
}

static bool is_offset(const relayout_kernel_argument *argument) {
  return argument->role == RELAYOUT_ARGUMENT_DESTINATION_OFFSET ||
         argument->role == RELAYOUT_ARGUMENT_SOURCE_OFFSET;
}

static void add_launch(const relayout_kernel *kernel, rlt_text *text) {
  rlt_text_add(text,
               "launch: {\"name\": \"%s\", \"global\": [%zu], \"local\": [%zu], \"arguments\": [",
               kernel->name, kernel->global_size, kernel->local_size);
  for (int32_t i = 0; i < kernel->argument_count; ++i) {
    const relayout_kernel_argument *const argument = &kernel->arguments[i];
    rlt_text_add(text, "%s{\"name\": \"%s\", ", i == 0 ? "" : ", ", role_name(argument->role));
    if (is_offset(argument)) {
      rlt_text_add(text, "\"type\": \"ulong\", \"value\": 0}");
    } else {
      rlt_text_add(text, "\"type\": \"buffer\", \"bytes\": %zu, \"alignment\": %zu}",
                   argument->size,
                   argument->role == RELAYOUT_ARGUMENT_SOURCE ? kernel->source_alignment
                                                              : kernel->destination_alignment);
    }
  }
  rlt_text_add(text, "]}\n");
}

static void add_opencl_example(const relayout_kernel *kernel, rlt_text *text) {
  rlt_text_add(text,
               "In an OpenCL program, with this file in `text`:\n\n"
               "  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);\n"
               "  code = clBuildProgram(program, 1, &device, \"\", NULL, NULL);\n"
               "  cl_kernel kernel = clCreateKernel(program, \"%s\", &code);\n"
               "  const cl_ulong offset = 0;\n",
               kernel->name);
  for (int32_t i = 0; i < kernel->argument_count; ++i) {
    const relayout_kernel_argument *const argument = &kernel->arguments[i];
    const char *const name = is_offset(argument) ? "offset" : role_name(argument->role);
    rlt_text_add(text, "  clSetKernelArg(kernel, %" PRId32 ", sizeof %s, &%s);\n", i, name, name);
  }
  rlt_text_add(text,
               "  const size_t global = %zu, local = %zu;\n"
               "  code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL,\n"
               "                                NULL);\n",
               kernel->global_size, kernel->local_size);
}

static void add_cuda_example(const relayout_kernel *kernel, const char *api, rlt_text *text) {
  const char *const system = strcmp(api, "cuda") == 0 ? "CUDA" : "HIP";
  const size_t blocks = kernel->global_size / kernel->local_size;
  rlt_text_add(text,
               "In a %s program, with pointers to the device's memory:\n\n"
               "  unsigned long long offset = 0;\n"
               "  void *arguments[] = {",
               system);
  for (int32_t i = 0; i < kernel->argument_count; ++i) {
    const relayout_kernel_argument *const argument = &kernel->arguments[i];
    rlt_text_add(text, "%s&%s", i == 0 ? "" : ", ",
                 is_offset(argument) ? "offset" : role_name(argument->role));
  }
  rlt_text_add(text,
               "};\n"
               "  %sLaunchKernel((const void *)%s, dim3(%zu), dim3(%zu), arguments, 0, stream);\n\n"
               "or, of a module that %s has made,\n\n"
               "  %s(function, %zu, 1, 1, %zu, 1, 1, 0, stream, arguments, NULL);\n",
               api, kernel->name, blocks, kernel->local_size,
               strcmp(api, "cuda") == 0 ? "NVRTC" : "HIPRTC",
               strcmp(api, "cuda") == 0 ? "cuLaunchKernel" : "hipModuleLaunchKernel", blocks,
               kernel->local_size);
}

static void add_sides(const relayout_plan *plan, rlt_text *text) {
  rlt_plan_views views;
  char from[RELAYOUT_SHAPE_TEXT_SIZE];
  char to[RELAYOUT_SHAPE_TEXT_SIZE];
  if (plan->packed_views == NULL) {
    return;
  }
  rlt_plan_get_views(plan, &views);
  relayout_shape_format(&views.from.shape, from, sizeof from);
  relayout_shape_format(&views.to.shape, to, sizeof to);
  rlt_text_add(text, "%s to %s.\n", from, to);
}

static void add_comment(const request *of, const relayout_kernel *kernel, rlt_text *text) {
  rlt_text_add(text, "/*\n");
  add_sides(of->plan, text);
  rlt_text_add(text, "Generated by relayout %s.\n\n", relayout_version());
  add_launch(kernel, text);
  rlt_text_add(text, "\n");
  switch (of->options.language) {
  case RELAYOUT_LANGUAGE_CUDA:
  case RELAYOUT_LANGUAGE_HIP:
    add_cuda_example(kernel, relayout_language_name(of->options.language), text);
    break;
  case RELAYOUT_LANGUAGE_OPENCL:
    add_opencl_example(kernel, text);
    break;
  default:
    rlt_text_add(text, "  void %s(const void *source, void *destination);\n", kernel->name);
    break;
  }
  rlt_text_add(text, "*/\n\n");
}

/* `source` begins with the comment, and ends with the text that is there. */
static relayout_status add_source(const request *of, const rlt_source *text,
                                  relayout_kernel *kernel, relayout_error *error) {
  rlt_text counted = rlt_text_in(NULL, 0);
  add_comment(of, kernel, &counted);
  kernel->source_length = counted.length + text->length;
  kernel->source = rlt_malloc(kernel->source_length + 1);
  if (kernel->source == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a kernel's %zu bytes",
                    kernel->source_length);
  }
  rlt_text written = rlt_text_in(kernel->source, counted.length + 1);
  add_comment(of, kernel, &written);
  memcpy(kernel->source + counted.length, text->text, text->length + 1);
  return RELAYOUT_OK;
}

/* ---- Kernels ---- */

static const rlt_variant *variant_of(const rlt_part *part, relayout_schedule_use use) {
  return use == RELAYOUT_SCHEDULE_AT_ANY_OFFSET ? &part->variants[part->variant_count - 1]
                                                : &part->variants[0];
}

static void add_arguments(const relayout_plan *plan, bool has_source, relayout_kernel *kernel) {
  const relayout_kernel_argument all[] = {
      {RELAYOUT_ARGUMENT_DESTINATION, plan->work.destination_size},
      {RELAYOUT_ARGUMENT_DESTINATION_OFFSET, sizeof(uint64_t)},
      {RELAYOUT_ARGUMENT_SOURCE, plan->work.source_size},
      {RELAYOUT_ARGUMENT_SOURCE_OFFSET, sizeof(uint64_t)}};
  kernel->argument_count = has_source ? 4 : 2;
  memcpy(kernel->arguments, all, (size_t)kernel->argument_count * sizeof all[0]);
}

static relayout_status make_of_schedule(const request *of, const rlt_schedule *schedule,
                                        relayout_kernel *kernel, relayout_error *error) {
  const relayout_plan *const plan = of->plan;
  const rlt_sides_before before = {plan->source_lowest, plan->destination_lowest};
  const bool is_opencl = of->options.language == RELAYOUT_LANGUAGE_OPENCL;
  rlt_alone_kernel text;
  relayout_status status = rlt_kernel_text_make(
      schedule, before, kernel->name, is_opencl ? RLT_SOURCE_OPENCL : RLT_SOURCE_CPP, &text, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  kernel->local_size = (size_t)text.group_size;
  kernel->global_size = (size_t)text.group_count * kernel->local_size;
  kernel->local_bytes = (size_t)text.local_bytes;
  kernel->source_alignment = (size_t)schedule->source_alignment;
  kernel->destination_alignment = (size_t)schedule->destination_alignment;
  add_arguments(plan, text.has_source, kernel);
  status = add_source(of, &text.source, kernel, error);
  rlt_source_free(&text.source);
  return status;
}

/* The best predicted of all schedules whose tables are small enough. */
static relayout_status make_of_others(const request *of, int32_t number, relayout_kernel *kernel,
                                      relayout_error *error) {
  rlt_candidates candidates;
  relayout_status status = rlt_plan_candidates(of->plan, number, &candidates, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = RELAYOUT_UNSUPPORTED;
  for (int32_t i = 0; i < candidates.count && status == RELAYOUT_UNSUPPORTED; ++i) {
    if (rlt_candidate_is_allowed(&candidates.of[i],
                                 of->options.use == RELAYOUT_SCHEDULE_AT_ANY_OFFSET)) {
      status = make_of_schedule(of, &candidates.of[i].schedule, kernel, error);
    }
  }
  rlt_candidates_free(&candidates);
  return status;
}

static relayout_status make_work_group_kernel(const request *of, int32_t number,
                                              relayout_kernel *kernel, relayout_error *error) {
  const rlt_part *const part = &of->plan->work.parts[number];
  const relayout_status status =
      make_of_schedule(of, &variant_of(part, of->options.use)->candidate.schedule, kernel, error);
  return status == RELAYOUT_UNSUPPORTED && part->choice != RLT_CHOICE_ASKED_FOR
             ? make_of_others(of, number, kernel, error)
             : status;
}

static relayout_status make_c_function(const request *of, relayout_kernel *kernel,
                                       relayout_error *error) {
  rlt_source text = {NULL, 0, 0, false};
  const rlt_work *const work = &of->plan->work;
  relayout_status status = rlt_c_function_make(of->plan, kernel->name, &text, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  kernel->global_size = kernel->local_size = 1;
  kernel->source_alignment = kernel->destination_alignment = 1;
  kernel->argument_count = 2;
  kernel->arguments[0] = (relayout_kernel_argument){RELAYOUT_ARGUMENT_SOURCE, work->source_size};
  kernel->arguments[1] =
      (relayout_kernel_argument){RELAYOUT_ARGUMENT_DESTINATION, work->destination_size};
  status = add_source(of, &text, kernel, error);
  rlt_source_free(&text);
  return status;
}

relayout_status relayout_plan_get_kernel(const relayout_plan *plan, int32_t number,
                                         const relayout_kernel_options *options,
                                         relayout_kernel *kernel, relayout_error *error) {
  request read;
  relayout_status status = kernel == NULL
                               ? rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "kernel is NULL")
                               : rlt_struct_check(kernel, "kernel->", sizeof *kernel, error);
  if (status == RELAYOUT_OK) {
    status = read_request(plan, options, &read, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (number < 0 || number >= count_of(&read)) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "number is %" PRId32 "; the plan has %" PRId32 " kernel%s", number,
                    count_of(&read), count_of(&read) == 1 ? "" : "s");
  }
  relayout_kernel made = RELAYOUT_KERNEL_INIT;
  char suffix[12] = "";
  if (number > 0) {
    snprintf(suffix, sizeof suffix, "_%" PRId32, number);
  }
  snprintf(made.name, sizeof made.name, "%s%s", read.options.name, suffix);
  status = read.options.language == RELAYOUT_LANGUAGE_C
               ? make_c_function(&read, &made, error)
               : make_work_group_kernel(&read, number, &made, error);
  if (status == RELAYOUT_OK) {
    rlt_struct_write(&made, sizeof made, kernel);
  }
  return status;
}

void relayout_kernel_free(relayout_kernel *kernel) {
  if (kernel != NULL) {
    rlt_free(kernel->source);
    kernel->source = NULL;
    kernel->source_length = 0;
  }
}
