/* capture_launches.c: the kernels of relayouts as launches that anything can run or compile.
 *
 * A plan is made and run by the kernels for GPUs on whatever OpenCL device there is; each launch
 * becomes a folder (captured_launch.h). With --sources nothing is compiled or run, and each program
 * comes once. */
#define CL_TARGET_OPENCL_VERSION 120

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arguments.h"
#include "base/hash.h"
#include "bench/embedded.h"
#include "bench/noise.h"
#include "bench/suite.h"
#include "captured_launch.h"
#include "conformance/schedules.h"
#include "kernel_choice.h"
#include "launch_capturer.h"
#include "relayout/opencl.h"
#include "smaller_case.h"

static const char help[] =
    "usage: capture_launches FOLDER --suite NAME... [--case NAME] [OPTIONS]\n"
    "       capture_launches FOLDER --from SHAPE --to SHAPE [--schedule TEXT]... [OPTIONS]\n"
    "\n"
    "Runs relayouts by the kernels for GPUs on any OpenCL device, and leaves a folder for each\n"
    "launch, with all that it takes to run it again. FOLDER must not be there yet.\n"
    "\n"
    "  --suite NAME     a suite of the benchmark: ml, ttc-u8; all: each suite in every type\n"
    "  --case NAME      this case of it alone\n"
    "  --from, --to     a relayout of your own\n"
    "  --schedule TEXT  by this schedule; once for each part of the plan\n"
    "  --bytes N        halves dimensions until each side takes N bytes at most; when left out,\n"
    "                   1048576 for the cases of a suite that are run, and else no limit\n"
    "  --sources        compiles and runs nothing: each program once, and no buffers' contents\n"
    "  --offered        by every schedule that is offered, instead of the chosen one\n"
    "  --specialize     by kernels that are compiled for one plan alone\n"
    "  --unaligned      both sides begin one element into their buffers\n"
    "  --device D       opencl when left out\n";

enum { SUITE_BYTES = 1 << 20, FOLDER_SIZE = 4096, MOST_SUITES = 32, POISON = 0xa5 };

typedef struct request {
  const char *folder;
  const char *suites[MOST_SUITES];
  size_t suite_count;
  const char *name; /* of the only case; NULL: all */
  const char *from;
  const char *to;
  const char *schedules[ARGUMENTS_MOST_VALUES];
  int32_t schedule_count;
  uint64_t bytes; /* 0: no limit */
  bool has_bytes;
  bool sources;
  bool offered;
  bool unaligned;
  bool specialize;
  const char *device;
} request;

/* A program that has been written. */
typedef struct known_program {
  struct known_program *next;
  uint64_t hash; /* of all that it is compiled from */
  size_t number; /* of its folder */
} known_program;

typedef struct capture {
  const request *asked;
  relayout_device *device;
  cl_context context;
  cl_command_queue queue;
  size_t folders;
  size_t launches;
  size_t cases;
  known_program *programs;
  /* What is captured now. */
  const bench_case *of;
  const relayout_plan *plan;
  int32_t part;
  size_t source_offset; /* bytes, like the other */
  size_t destination_offset;
} capture;

/* ---- A launch ---- */

static exit_code write_launch(capture *own, const captured_launch *launch, size_t number) {
  char folder[FOLDER_SIZE];
  const int length =
      snprintf(folder, sizeof folder, "%s/%03zu-%s", own->asked->folder, number, launch->kernel);
  return length < FOLDER_SIZE ? captured_launch_write(launch, folder)
                              : report(EXIT_CODE_USAGE, "the folder's path is too long");
}

static uint64_t hash_text(uint64_t hash, const char *text) {
  return rlt_hash(hash, text, strlen(text) + 1);
}

/* The program that the launch runs; `is_new` where none of its launches came before. NULL without
 * memory. */
static const known_program *find_program(capture *own, const captured_launch *launch,
                                         bool *is_new) {
  const uint64_t hash = hash_text(
      hash_text(hash_text(RLT_HASH_START, launch->kernel), launch->options), launch->source);
  for (const known_program *known = own->programs; known != NULL; known = known->next) {
    if (known->hash == hash) {
      *is_new = false;
      return known;
    }
  }
  known_program *const made = malloc(sizeof *made);
  if (made != NULL) {
    *made = (known_program){own->programs, hash, own->folders};
    own->programs = made;
  }
  *is_new = true;
  return made;
}

/* Writes the launch, unless its program alone counts and is there already. */
static exit_code keep_launch(capture *own, const captured_launch *launch) {
  size_t number = own->folders;
  bool is_new = true;
  if (own->asked->sources) {
    const known_program *const program = find_program(own, launch, &is_new);
    if (program == NULL) {
      return report(EXIT_CODE_FAILURE, "no memory for a program");
    }
    number = program->number;
  }
  if (is_new) {
    const exit_code code = write_launch(own, launch, number);
    if (code != EXIT_CODE_OK) {
      return code;
    }
    own->folders += 1;
  }
  own->launches += 1;
  printf("%03zu-%s\t%s\t%s\n", number, launch->kernel, launch->name, launch->schedule);
  return EXIT_CODE_OK;
}

/* The schedule that the plan's next part runs by, where the sides lie. False for none that fits. */
static bool get_schedule(capture *own, char text[CAPTURED_SCHEDULE_SIZE]) {
  const int32_t part = own->part++;
  size_t source;
  size_t destination;
  size_t length = relayout_plan_get_schedule(own->plan, part, RELAYOUT_SCHEDULE_ALIGNED, text,
                                             CAPTURED_SCHEDULE_SIZE);
  if (length == 0 || length >= CAPTURED_SCHEDULE_SIZE) {
    return false;
  }
  schedules_alignment((const char *const[]){text}, 1, &source, &destination);
  if (own->source_offset % source != 0 || own->destination_offset % destination != 0) {
    length = relayout_plan_get_schedule(own->plan, part, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, text,
                                        CAPTURED_SCHEDULE_SIZE);
  }
  return length > 0 && length < CAPTURED_SCHEDULE_SIZE;
}

/* NULL without memory. */
static char *explain(const relayout_plan *plan) {
  const size_t size = relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, NULL, 0) + 1;
  char *const text = malloc(size);
  if (text != NULL) {
    relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, size);
  }
  return text;
}

/* A plan's parts are launched in their order. */
static exit_code visit_launch(void *context, captured_launch *launch) {
  capture *const own = context;
  snprintf(launch->name, sizeof launch->name, "%s", own->of->name);
  relayout_shape_format(&own->of->from, launch->from, sizeof launch->from);
  relayout_shape_format(&own->of->to, launch->to, sizeof launch->to);
  if (!get_schedule(own, launch->schedule)) {
    return report(EXIT_CODE_FAILURE, "%s: a launch without a schedule", launch->name);
  }
  if (!own->asked->sources && (launch->explained = explain(own->plan)) == NULL) {
    return report(EXIT_CODE_FAILURE, "%s: no memory to explain it", launch->name);
  }
  return keep_launch(own, launch);
}

/* ---- A relayout ---- */

/* Fills a buffer with noise, or with poison; without a run they have no contents. */
static cl_int fill(const capture *own, cl_mem buffer, size_t size, bool with_noise) {
  const size_t whole_words = (size + 7) / 8 * 8;
  unsigned char *const bytes = own->asked->sources ? NULL : malloc(whole_words + 1);
  if (bytes == NULL) {
    return own->asked->sources ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  memset(bytes, POISON, whole_words);
  if (with_noise) {
    bench_fill_noise(bytes, whole_words);
  }
  const cl_int code =
      clEnqueueWriteBuffer(own->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
  free(bytes);
  return code;
}

/* NULL where there is no room for it, which has been reported. */
static cl_mem make_buffer(const capture *own, size_t size, bool with_noise) {
  cl_int code = CL_SUCCESS;
  const size_t taken = size > 0 ? size : 1;
  cl_mem buffer = clCreateBuffer(own->context, CL_MEM_READ_WRITE, taken, NULL, &code);
  if (buffer != NULL) {
    code = fill(own, buffer, taken, with_noise);
  }
  if (code != CL_SUCCESS) {
    report_line("%s: no buffer of %zu bytes: OpenCL error %d", own->of->name, taken, (int)code);
  }
  if (buffer != NULL && code != CL_SUCCESS) {
    clReleaseMemObject(buffer);
    buffer = NULL;
  }
  return buffer;
}

/* Bytes that an offset of this side is a multiple of. */
static size_t element_size(const relayout_shape *side) {
  const size_t own = relayout_element_type_byte_size(side->element_type);
  const size_t stated = (size_t)side->layout.element_size_in_bits / 8;
  return stated > own ? stated : own;
}

static exit_code run_plan(capture *own, const relayout_plan *plan) {
  own->source_offset = own->asked->unaligned ? element_size(&own->of->from) : 0;
  own->destination_offset = own->asked->unaligned ? element_size(&own->of->to) : 0;
  const cl_mem source =
      make_buffer(own, own->source_offset + relayout_plan_source_size(plan), true);
  if (source == NULL) {
    return EXIT_CODE_FAILURE;
  }
  const cl_mem destination =
      make_buffer(own, own->destination_offset + relayout_plan_destination_size(plan), false);
  exit_code code = EXIT_CODE_FAILURE;
  if (destination != NULL) {
    relayout_error error;
    own->plan = plan;
    own->part = 0;
    const relayout_status status =
        relayout_plan_enqueue(plan, own->queue, source, own->source_offset, destination,
                              own->destination_offset, 0, NULL, NULL, &error);
    code = status == RELAYOUT_OK ? EXIT_CODE_OK : report_error(own->of->name, &error);
    clFinish(own->queue);
    clReleaseMemObject(destination);
  }
  clReleaseMemObject(source);
  return code;
}

static exit_code make_plan(const capture *own, const char *const *texts, int32_t count,
                           relayout_plan **plan) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.specialize = own->asked->specialize;
  options.schedules = count > 0 ? texts : NULL;
  options.schedule_count = count;
  relayout_error error;
  return relayout_plan_create(own->device, &own->of->from, &own->of->to, &options, plan, &error) ==
                 RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(own->of->name, &error);
}

static exit_code run_schedules(capture *own, const char *const *texts, int32_t count) {
  relayout_plan *plan;
  exit_code code = make_plan(own, texts, count, &plan);
  if (code == EXIT_CODE_OK) {
    code = run_plan(own, plan);
    relayout_plan_destroy(plan);
  }
  return code;
}

static exit_code run_offered(capture *own) {
  relayout_plan *plan;
  exit_code code = make_plan(own, NULL, 0, &plan);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  schedules all;
  if (!schedules_of(plan, &all)) {
    code = report(EXIT_CODE_FAILURE, "%s: no memory for its schedules", own->of->name);
  }
  for (size_t round = 0; round < all.count && code == EXIT_CODE_OK; ++round) {
    const char *texts[SCHEDULES_MOST_PARTS];
    schedules_of_round(&all, round, texts);
    code = run_schedules(own, texts, all.part_count);
  }
  schedules_free(&all);
  relayout_plan_destroy(plan);
  return code;
}

static exit_code capture_case(capture *own, const bench_case *wanted) {
  const request *const asked = own->asked;
  bench_case smaller = *wanted;
  if (asked->bytes > 0 && !smaller_case_make(&smaller, (size_t)asked->bytes)) {
    return report(EXIT_CODE_BAD_INPUT, "%s cannot be cut to %" PRIu64 " bytes a side", wanted->name,
                  asked->bytes);
  }
  own->of = &smaller;
  own->cases += 1;
  return asked->offered ? run_offered(own)
                        : run_schedules(own, asked->schedules, asked->schedule_count);
}

/* ---- Suites ---- */

static exit_code capture_suite(capture *own, const char *text, relayout_element_type type,
                               bool *is_generic) {
  bench_suite suite;
  relayout_error error;
  if (bench_suite_parse(text, type, &suite, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  exit_code code = EXIT_CODE_OK;
  *is_generic = false;
  for (size_t i = 0; i < suite.count && code == EXIT_CODE_OK; ++i) {
    const bench_case *const at = &suite.cases[i];
    *is_generic = *is_generic || at->is_generic;
    if (own->asked->name == NULL || strcmp(at->name, own->asked->name) == 0) {
      code = capture_case(own, at);
    }
  }
  bench_suite_free(&suite);
  return code;
}

/* Elements of every size, where the suite says that they may be of any type. */
static exit_code capture_all_suites(capture *own) {
  static const relayout_element_type types[] = {RELAYOUT_F32, RELAYOUT_U8, RELAYOUT_U16,
                                                RELAYOUT_F64, RELAYOUT_C128};
  exit_code code = EXIT_CODE_OK;
  for (const bench_embedded *at = bench_suite_texts; at->name != NULL; ++at) {
    bool is_generic = true;
    for (size_t t = 0; t < sizeof types / sizeof types[0] && is_generic; ++t) {
      code = capture_suite(own, at->text, types[t], &is_generic);
      if (code != EXIT_CODE_OK) {
        return code;
      }
    }
  }
  return code;
}

static exit_code capture_named_suite(capture *own, const char *name) {
  char bare[BENCH_NAME_SIZE];
  relayout_element_type type;
  relayout_error error;
  bool is_generic;
  if (strcmp(name, "all") == 0) {
    return capture_all_suites(own);
  }
  if (bench_suite_parse_name(name, bare, &type, &error) != RELAYOUT_OK) {
    return report_error("--suite", &error);
  }
  const char *const text = bench_embedded_find(bench_suite_texts, bare);
  return text == NULL ? report(EXIT_CODE_BAD_INPUT, "there is no suite '%s'", bare)
                      : capture_suite(own, text, type, &is_generic);
}

static exit_code capture_own(capture *own) {
  bench_case made = {.name = "own"};
  exit_code code = arguments_read_shape("--from", own->asked->from, NULL, &made.from);
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("--to", own->asked->to, &made.from, &made.to);
  }
  return code == EXIT_CODE_OK ? capture_case(own, &made) : code;
}

static exit_code capture_asked(capture *own) {
  const request *const asked = own->asked;
  exit_code code = asked->suite_count == 0 ? capture_own(own) : EXIT_CODE_OK;
  for (size_t i = 0; i < asked->suite_count && code == EXIT_CODE_OK; ++i) {
    code = capture_named_suite(own, asked->suites[i]);
  }
  return code == EXIT_CODE_OK && own->cases == 0
             ? report(EXIT_CODE_BAD_INPUT, "no suite has a case '%s'", asked->name)
             : code;
}

/* ---- The device ---- */

static exit_code open_device(capture *own) {
  exit_code code = arguments_open_device(own->asked->device, NULL, &own->device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_error error;
  cl_device_id id = NULL;
  if (relayout_opencl_device_get_handles(own->device, &own->context, &id, &error) != RELAYOUT_OK) {
    return report(EXIT_CODE_NO_DEVICE, "%s: %s", own->asked->device, error.message);
  }
  code = kernel_choice_apply("opencl", &own->device); /* which holds the context too */
  if (code != EXIT_CODE_OK) {
    return code;
  }
  cl_int status = CL_SUCCESS;
  own->queue = clCreateCommandQueue(own->context, id, 0, &status);
  return own->queue != NULL ? EXIT_CODE_OK
                            : report(EXIT_CODE_FAILURE, "no queue: OpenCL error %d", (int)status);
}

static void close_device(capture *own) {
  if (own->queue != NULL) {
    clReleaseCommandQueue(own->queue);
  }
  relayout_device_destroy(own->device);
}

static exit_code run(const request *asked) {
  capture own = {.asked = asked};
  launch_capturer_begin(!asked->sources, visit_launch, &own);
  exit_code code = open_device(&own);
  if (code == EXIT_CODE_OK && mkdir(asked->folder, 0777) != 0) {
    code = report(EXIT_CODE_FAILURE, "cannot make %s: %s", asked->folder, strerror(errno));
  }
  if (code == EXIT_CODE_OK) {
    code = capture_asked(&own);
  }
  close_device(&own);
  while (own.programs != NULL) {
    known_program *const gone = own.programs;
    own.programs = gone->next;
    free(gone);
  }
  if (code == EXIT_CODE_OK) {
    fprintf(stderr, "%zu cases, %zu launches, %zu folders\n", own.cases, own.launches, own.folders);
  }
  return code;
}

/* ---- The command line ---- */

static exit_code report_usage(const char *what) {
  return report(EXIT_CODE_USAGE, "%s; try 'capture_launches --help'", what);
}

static exit_code check(request *asked) {
  const bool is_own = asked->from != NULL && asked->to != NULL;
  if (asked->folder == NULL) {
    return report_usage("FOLDER is missing");
  }
  if (is_own == (asked->suite_count > 0) || (asked->from != NULL) != (asked->to != NULL)) {
    return report_usage("either --suite is wanted, or --from and --to");
  }
  if ((is_own && asked->name != NULL) || (!is_own && asked->schedule_count > 0)) {
    return report_usage("--case is for suites, --schedule for relayouts of your own");
  }
  if ((asked->schedule_count > 0) + asked->offered + asked->unaligned > 1) {
    return report_usage("--schedule, --offered and --unaligned exclude each other");
  }
  if (!is_own && !asked->has_bytes && !asked->sources) {
    asked->bytes = SUITE_BYTES;
  }
  return EXIT_CODE_OK;
}

/* The value of an option that may be there several times. */
static exit_code add(const char *value, size_t count, size_t capacity, const char **values) {
  if (count == capacity) {
    return report_usage("an option is there too often");
  }
  values[count] = value;
  return EXIT_CODE_OK;
}

static exit_code take(int option, const char *value, request *asked) {
  switch (option) {
  case 'u':
    return add(value, asked->suite_count++, MOST_SUITES, asked->suites);
  case 'e':
    return add(value, (size_t)asked->schedule_count++, ARGUMENTS_MOST_VALUES, asked->schedules);
  case 'b':
    asked->has_bytes = true;
    return arguments_read_unsigned("--bytes", value, &asked->bytes);
  case 'c':
    asked->name = value;
    return EXIT_CODE_OK;
  case 'f':
    asked->from = value;
    return EXIT_CODE_OK;
  case 't':
    asked->to = value;
    return EXIT_CODE_OK;
  case 'd':
    asked->device = value;
    return EXIT_CODE_OK;
  case 's':
    asked->sources = true;
    return EXIT_CODE_OK;
  case 'o':
    asked->offered = true;
    return EXIT_CODE_OK;
  case 'n':
    asked->unaligned = true;
    return EXIT_CODE_OK;
  case 'z':
    asked->specialize = true;
    return EXIT_CODE_OK;
  default:
    return report_usage("there is no such option");
  }
}

int main(int count, char **values) {
  static const struct option options[] = {{"suite", required_argument, NULL, 'u'},
                                          {"case", required_argument, NULL, 'c'},
                                          {"from", required_argument, NULL, 'f'},
                                          {"to", required_argument, NULL, 't'},
                                          {"schedule", required_argument, NULL, 'e'},
                                          {"bytes", required_argument, NULL, 'b'},
                                          {"sources", no_argument, NULL, 's'},
                                          {"offered", no_argument, NULL, 'o'},
                                          {"device", required_argument, NULL, 'd'},
                                          {"unaligned", no_argument, NULL, 'n'},
                                          {"specialize", no_argument, NULL, 'z'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  static request asked = {.device = "opencl"};
  exit_code code = EXIT_CODE_OK;
  report_set_command("capture_launches");
  for (int option;
       code == EXIT_CODE_OK && (option = getopt_long(count, values, "", options, NULL)) != -1;) {
    if (option == 'h') {
      fputs(help, stdout);
      return EXIT_CODE_OK;
    }
    code = take(option, optarg, &asked);
  }
  asked.folder = optind + 1 == count ? values[optind] : NULL;
  if (code == EXIT_CODE_OK) {
    code = check(&asked);
  }
  setenv("RELAYOUT_CACHE", "off", 1); /* no program comes from a file, no plan from a memory */
  return code == EXIT_CODE_OK ? run(&asked) : code;
}
