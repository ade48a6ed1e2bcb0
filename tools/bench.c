/* bench.c: `relayout bench` measures relayouts against plain copies on the same device. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "bench/chart.h"
#include "bench/comparison.h"
#include "bench/embedded.h"
#include "bench/measure.h"
#include "bench/results_file.h"
#include "bench/results_json.h"
#include "bench/table.h"
#include "progress.h"
#include "stream.h"

typedef struct request {
  const char *suite;
  const char *from;
  const char *to;
  const char *device;
  const char *kernels;
  const char *json;
  const char *svg;
  const char *compare;
  const char *results;
  const char *threads;
  const char *measured;
  const char *rounding;
  const char *scale;
  bool wraps;
  arguments_values schedules;
  bool with_peers;
  bool measures;
  bool specializes;
  bool trusts;
  bool stays_hot;
  bool wants_huge_pages;
} request;

/* ---- What to measure ------------------------------------------------------------------------ */

static exit_code fail_suite_name(const char *name) {
  char known[256] = "";
  size_t length = 0;
  for (const bench_embedded *suite = bench_suite_texts; suite->name != NULL; suite++) {
    length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                               length > 0 ? ", " : "", suite->name);
    if (length >= sizeof known) {
      break;
    }
  }
  return report(EXIT_CODE_USAGE, "--suite is '%s'; there are %s", name, known);
}

static exit_code read_suite(const char *text, bench_suite *suite) {
  char name[BENCH_NAME_SIZE];
  relayout_element_type generic;
  relayout_error error;
  if (bench_suite_parse_name(text, name, &generic, &error) != RELAYOUT_OK) {
    return report(EXIT_CODE_USAGE, "--suite is '%s': %s", text, error.message);
  }
  const char *const known = bench_embedded_find(bench_suite_texts, name);
  if (known == NULL) {
    return fail_suite_name(text);
  }
  return bench_suite_parse(known, generic, suite, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(name, &error);
}

static exit_code read_single(const request *asked, bench_suite *suite) {
  bench_case *const only = calloc(1, sizeof *only);
  if (only == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a case");
  }
  strcpy(only->name, "given");
  *suite = (bench_suite){.cases = only, .count = 1};
  exit_code code = arguments_read_shape("--from", asked->from, NULL, &only->from);
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("--to", asked->to, &only->from, &only->to);
  }
  return code;
}

static exit_code read_cases(const request *asked, bench_suite *suite) {
  if (asked->from == NULL && asked->to == NULL) {
    if (asked->schedules.count > 0) {
      return report(EXIT_CODE_USAGE, "--schedule needs --from and --to: it is for one case");
    }
    return read_suite(asked->suite != NULL ? asked->suite : "ttc", suite);
  }
  if (asked->suite != NULL) {
    return report(EXIT_CODE_USAGE, "give either --suite or --from and --to, not both");
  }
  if (asked->from == NULL || asked->to == NULL) {
    return report(EXIT_CODE_USAGE, "%s is missing: --from and --to are given together",
                  asked->from == NULL ? "--from" : "--to");
  }
  return read_single(asked, suite);
}

/* Reads a whole file as text, for the caller to free. */
static exit_code read_text(const char *option, const char *path, char **text) {
  stream_input input;
  exit_code code = stream_open(path, &input);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  const int64_t size = stream_remaining(&input);
  if (size < 0) {
    code =
        report(EXIT_CODE_FAILURE, "%s needs a regular file, and %s is not one", option, input.name);
  } else if ((*text = malloc((size_t)size + 1)) == NULL) {
    code = report(EXIT_CODE_FAILURE, "no memory for the %lld bytes of %s", (long long)size, path);
  }
  size_t got = 0;
  if (code == EXIT_CODE_OK) {
    code = stream_read(&input, *text, (size_t)size, &got);
  }
  stream_close(&input);
  if (code == EXIT_CODE_OK) {
    (*text)[got] = '\0';
  }
  return code;
}

static exit_code read_comparison(const char *path, comparison *old) {
  char *text = NULL;
  exit_code code = read_text("--compare", path, &text);
  relayout_error error;
  if (code == EXIT_CODE_OK && comparison_parse(text, old, &error) != RELAYOUT_OK) {
    code = report_error(path, &error);
  }
  free(text);
  return code;
}

static exit_code read_results(const char *path, results_file *file) {
  char *text = NULL;
  exit_code code = read_text("--results", path, &text);
  relayout_error error;
  if (code == EXIT_CODE_OK && results_file_parse(text, file, &error) != RELAYOUT_OK) {
    code = report_error(path, &error);
  }
  free(text);
  return code;
}

/* ---- On what --------------------------------------------------------------------------------- */

/* The backend takes fewer threads than it is asked for where it has no more; a
 * benchmark must not. */
static exit_code open_cpu(const char *threads, relayout_device **device) {
  uint64_t count;
  const exit_code code = arguments_read_count("--threads", threads, 1, INT32_MAX, &count);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = (int32_t)count;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_error error;
  if (relayout_cpu_device_create(&options, device, &error) != RELAYOUT_OK) {
    return report(EXIT_CODE_USAGE, "--threads: %s", error.message);
  }
  if (relayout_device_get_info(*device, &info, &error) != RELAYOUT_OK ||
      info.compute_units != count) {
    relayout_device_destroy(*device);
    return report(EXIT_CODE_USAGE, "--threads is %s, but the CPU backend has no more than %" PRIu32,
                  threads, info.compute_units);
  }
  return EXIT_CODE_OK;
}

static exit_code open_device(const request *asked, relayout_device **device) {
  const char *const name = asked->device != NULL ? asked->device : "auto";
  const char *const of_cpu = asked->threads != NULL    ? "--threads"
                             : asked->wants_huge_pages ? "--huge-pages"
                                                       : NULL;
  if (of_cpu != NULL && strcmp(name, "cpu") != 0) {
    return report(EXIT_CODE_USAGE, "%s is for --device cpu, not for '%s'", of_cpu, name);
  }
  return asked->threads != NULL ? open_cpu(asked->threads, device)
                                : arguments_open_device(name, asked->kernels, device);
}

/* As many schedules as options->measured may say. */
enum { MOST_MEASURED = 1024 };

static exit_code read_plan_options(const request *asked, relayout_plan_options *options) {
  *options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  options->schedules = asked->schedules.of;
  options->schedule_count = asked->schedules.count;
  options->specialize = asked->specializes;
  options->effort =
      asked->measures || asked->measured != NULL ? RELAYOUT_PLAN_MEASURE : RELAYOUT_PLAN_ESTIMATE;
  exit_code code = arguments_read_values(asked->scale, asked->rounding, asked->wraps, options);
  if (code != EXIT_CODE_OK || asked->measured == NULL) {
    return code;
  }
  uint64_t count;
  code = arguments_read_count("--measured", asked->measured, 1, MOST_MEASURED, &count);
  options->measured = (int32_t)count;
  return code;
}

static exit_code open_target(const request *asked, bench_target **target) {
  relayout_plan_options options;
  exit_code code = read_plan_options(asked, &options);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_device *device;
  code = open_device(asked, &device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_error error;
  if (bench_target_open(device, target, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  bench_target *const made = *target;
  if (asked->wants_huge_pages && made->use_huge_pages(made, &error) != RELAYOUT_OK) {
    made->destroy(made);
    return report_error("--huge-pages", &error);
  }
  if (asked->with_peers && made->find_peers != NULL) {
    made->find_peers(made);
  }
  made->options = options;
  made->is_unverified = asked->trusts;
  return EXIT_CODE_OK;
}

/* ---- Where it goes -------------------------------------------------------------------------- */

/* Better to fail before hours of work than after. */
static exit_code check_output(const char *path) {
  return path != NULL ? stream_check(path) : EXIT_CODE_OK;
}

typedef enum output_kind { OUTPUT_JSON, OUTPUT_SVG } output_kind;

static exit_code print_results(stream_output *output, output_kind kind,
                               const bench_results *results, const bench_summary *summary) {
  FILE *const text = stream_begin_text(output);
  if (text == NULL) {
    return EXIT_CODE_FAILURE;
  }
  exit_code code = EXIT_CODE_OK;
  if (kind == OUTPUT_JSON) {
    code = results_json_write(results, summary, text);
  } else if (!chart_write(results, summary, text)) {
    code = report(EXIT_CODE_FAILURE, "no memory for %s", output->name);
  }
  const exit_code end_code = stream_end_text(output, text);
  return code != EXIT_CODE_OK ? code : end_code;
}

static exit_code write_results(const char *path, output_kind kind, const bench_results *results,
                               const bench_summary *summary) {
  stream_output output;
  exit_code code = path != NULL ? stream_create(path, &output) : EXIT_CODE_OK;
  if (path == NULL || code != EXIT_CODE_OK) {
    return code;
  }
  code = print_results(&output, kind, results, summary);
  if (code != EXIT_CODE_OK) {
    stream_abandon(&output);
    return code;
  }
  return stream_commit(&output);
}

static bool is_stdout(const char *path) {
  return path != NULL && strcmp(path, "-") == 0;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* Measures all cases, each line of the table being printed as soon as it is known, and ends when
 * nobody can read it any more. A case that cannot be measured shows as skipped; only a wrong result
 * is the whole suite's failure. */
static exit_code measure_all(bench_target *target, const bench_suite *suite, FILE *table,
                             bench_results *results) {
  exit_code worst = EXIT_CODE_OK;
  bool any = false;
  for (size_t i = 0; i < suite->count; i++) {
    progress bar = progress_begin("measuring", suite->count, 1);
    progress_update(&bar, i);
    bench_result *const result = &results->cases[i];
    const exit_code code = bench_measure(target, &suite->cases[i], suite->is_hot, result);
    progress_end(&bar);
    results->count = i + 1;
    any = any || code == EXIT_CODE_OK;
    if (code == EXIT_CODE_DIFFERENT || worst == EXIT_CODE_OK) {
      worst = code;
    }
    if (table != NULL) {
      table_row(result, table);
      if (fflush(table) != 0) {
        break; /* main() says so */
      }
    }
  }
  if (!any && suite->count == 1) {
    return worst == EXIT_CODE_DIFFERENT ? worst : report(worst, "%s", results->cases[0].skipped);
  }
  return any && worst != EXIT_CODE_DIFFERENT ? EXIT_CODE_OK : worst;
}

static exit_code finish(const request *asked, const comparison *old, FILE *table,
                        const bench_results *results) {
  bench_summary summary;
  if (!bench_summarize(results, &summary)) {
    return report(EXIT_CODE_FAILURE, "no memory for a summary");
  }
  if (table != NULL) {
    table_end(results, &summary, table);
  }
  if (old != NULL && table != NULL) {
    fputc('\n', table);
    if (!comparison_print(old, results, table)) {
      return report(EXIT_CODE_FAILURE, "no memory for a comparison");
    }
  }
  const exit_code code = write_results(asked->json, OUTPUT_JSON, results, &summary);
  const exit_code svg_code = write_results(asked->svg, OUTPUT_SVG, results, &summary);
  return code != EXIT_CODE_OK ? code : svg_code;
}

static exit_code run_suite(const request *asked, const bench_suite *suite, const comparison *old) {
  bench_target *target;
  exit_code code = open_target(asked, &target);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  bench_results results = {.suite = asked->from != NULL    ? "one case"
                                    : asked->suite != NULL ? asked->suite
                                                           : "ttc",
                           .is_hot = suite->is_hot,
                           .device = target->info,
                           .clock = target->clock,
                           .pages = target->pages,
                           .effort = target->options.effort,
                           .is_unverified = target->is_unverified,
                           .with_peers = asked->with_peers,
                           .peer_count = target->peer_count,
                           .cases = calloc(suite->count, sizeof *results.cases)};
  memcpy(results.peers, target->peers, sizeof results.peers);
  FILE *const table = is_stdout(asked->json) || is_stdout(asked->svg) ? NULL : stdout;
  if (results.cases == NULL) {
    code = report(EXIT_CODE_FAILURE, "no memory for the results of %zu cases", suite->count);
  } else {
    if (table != NULL) {
      table_begin(&results, table);
    }
    code = measure_all(target, suite, table, &results);
    const exit_code finish_code = finish(asked, old, table, &results);
    code = code != EXIT_CODE_OK ? code : finish_code;
  }
  bench_results_free(&results);
  target->destroy(target);
  return code;
}

/* Prints and draws results that an earlier run wrote. */
static exit_code show_results(const request *asked, const comparison *old) {
  results_file file = {.json = NULL};
  exit_code code = read_results(asked->results, &file);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  FILE *const table = is_stdout(asked->json) || is_stdout(asked->svg) ? NULL : stdout;
  if (table != NULL) {
    table_begin(&file.results, table);
    for (size_t i = 0; i < file.results.count; i++) {
      table_row(&file.results.cases[i], table);
    }
  }
  code = finish(asked, old, table, &file.results);
  results_file_free(&file);
  return code;
}

/* --results measures nothing, so nothing may say what to measure, or how. */
static exit_code check_measures_nothing(const request *asked) {
  const struct {
    const char *name;
    bool is_given;
  } options[] = {{"suite", asked->suite != NULL},
                 {"from", asked->from != NULL},
                 {"to", asked->to != NULL},
                 {"device", asked->device != NULL},
                 {"kernels", asked->kernels != NULL},
                 {"threads", asked->threads != NULL},
                 {"measured", asked->measured != NULL},
                 {"schedule", asked->schedules.count > 0},
                 {"round", asked->rounding != NULL},
                 {"scale", asked->scale != NULL},
                 {"wrap", asked->wraps},
                 {"peers", asked->with_peers},
                 {"measure", asked->measures},
                 {"specialize", asked->specializes},
                 {"unverified", asked->trusts},
                 {"hot", asked->stays_hot},
                 {"huge-pages", asked->wants_huge_pages}};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    if (options[i].is_given) {
      return report(EXIT_CODE_USAGE, "--results measures nothing, so --%s cannot go with it",
                    options[i].name);
    }
  }
  return EXIT_CODE_OK;
}

static exit_code measure_cases(const request *asked, const comparison *old) {
  bench_suite suite = {.cases = NULL};
  exit_code code = read_cases(asked, &suite);
  suite.is_hot = suite.is_hot || asked->stays_hot;
  if (code == EXIT_CODE_OK) {
    code = run_suite(asked, &suite, old);
  }
  bench_suite_free(&suite);
  return code;
}

static exit_code run_request(const request *asked) {
  if (is_stdout(asked->json) && is_stdout(asked->svg)) {
    return report(EXIT_CODE_USAGE, "--json and --svg cannot both go to standard output");
  }
  comparison old = {.cases = NULL};
  exit_code code = asked->results != NULL ? check_measures_nothing(asked) : EXIT_CODE_OK;
  if (code == EXIT_CODE_OK && asked->compare != NULL) {
    code = read_comparison(asked->compare, &old);
  }
  if (code == EXIT_CODE_OK) {
    code = check_output(asked->json);
  }
  if (code == EXIT_CODE_OK) {
    code = check_output(asked->svg);
  }
  if (code == EXIT_CODE_OK) {
    const comparison *const compared = asked->compare != NULL ? &old : NULL;
    code = asked->results != NULL ? show_results(asked, compared) : measure_cases(asked, compared);
  }
  comparison_free(&old);
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  request asked = {.suite = NULL};
  const arguments_option options[] = {{"suite", .value = &asked.suite},
                                      {"from", .value = &asked.from},
                                      {"to", .value = &asked.to},
                                      {"device", .value = &asked.device},
                                      {"kernels", .value = &asked.kernels},
                                      {"json", .value = &asked.json},
                                      {"svg", .value = &asked.svg},
                                      {"compare", .value = &asked.compare},
                                      {"results", .value = &asked.results},
                                      {"threads", .value = &asked.threads},
                                      {"measured", .value = &asked.measured},
                                      {"schedule", .values = &asked.schedules},
                                      {"round", .value = &asked.rounding},
                                      {"scale", .value = &asked.scale},
                                      {"wrap", .flag = &asked.wraps},
                                      {"peers", .flag = &asked.with_peers},
                                      {"measure", .flag = &asked.measures},
                                      {"specialize", .flag = &asked.specializes},
                                      {"unverified", .flag = &asked.trusts},
                                      {"hot", .flag = &asked.stays_hot},
                                      {"huge-pages", .flag = &asked.wants_huge_pages}};
  exit_code code;
  if (!arguments_parse(&command_bench, argument_count, arguments,
                       sizeof options / sizeof options[0], options, 0, NULL, &code)) {
    return code;
  }
  return run_request(&asked);
}

const command command_bench = {
    .name = "bench",
    .summary = "measure relayouts against plain copies on a device",
    .help =
        "usage: relayout bench [--suite NAME | --from SHAPE --to SHAPE] [--device D]\n"
        "                      [--kernels K] [--json F] [--svg F] [--compare F] [--peers]\n"
        "                      [--measure] [--schedule TEXT] [--specialize] [--threads N]\n"
        "                      [--huge-pages] [--unverified] [--hot] [--scale X] [--round R]\n"
        "                      [--wrap]\n"
        "       relayout bench --results F [--json F] [--svg F] [--compare F]\n"
        "\n"
        "Measures each case of a suite, or one of your own, against the best plain copy of as\n"
        "many bytes, in turns. Every result is verified before it is timed. The table ends with\n"
        "the geomean, the median and the worst fraction of the copy.\n"
        "\n"
        "  --suite NAME   ttc (the default), ml, pad, perm6, small, tiles, subbyte,\n"
        "                 convert, matrix or channels; ttc-u8 is ttc with elements of type\n"
        "                 u8, and so on\n"
        "  --from, --to   one case; --to may be a layout, a type or both\n"
        "  --device D     as 'relayout devices' names it; auto by default\n"
        "  --kernels K    native (the CPU backend's code, on OpenCL's CPUs), opencl\n"
        "                 (kernels that OpenCL compiles) or auto: native if the device can\n"
        "  --json F       write the results for programs; - is standard output, without a table\n"
        "  --svg F        draw them\n"
        "  --compare F    say what got slower and faster since the results in F, another --json\n"
        "  --results F    measure nothing: print and draw the results in F, another --json\n"
        "  --peers        measure others that can do a case, where installed, in turns with it:\n"
        "                 clEnqueueCopyBufferRect and CLBlast's omatcopy on OpenCL, oneDNN's\n"
        "                 reorder, OpenBLAS's omatcopy and Eigen's Tensor on the CPU\n"
        "  --measure      measure plans instead of estimating them\n"
        "  --measured N   the same, of the N best predicted schedules; eight by default\n"
        "  --schedule TEXT  measure one case exactly so: by one that 'relayout explain\n"
        "                 --schedules' lists for it, or on the CPU by one with other tiles; where\n"
        "                 it has several parts, once for each of them, in order\n"
        "  --specialize   compile OpenCL kernels for each case alone\n"
        "  --unverified   trust relayouts that an earlier run has verified: much quicker\n"
        "  --hot          move the same bytes over and over, so that they stay in the caches, as\n"
        "                 the suite small does\n"
        "  --scale X      multiply every value by X before it is rounded\n"
        "  --round R      nearest: to the nearest integer; zero, the default: towards zero\n"
        "  --wrap         keep the low bits of integers that do not fit\n"
        "  --threads N    with --device cpu: relayouts and copies by N threads\n"
        "  --huge-pages   with --device cpu: in memory of huge pages, or not at all\n"
        "\n"
        "example: relayout bench --suite ml --device opencl --json ml.json --svg ml.svg\n",
    .run = run,
};
