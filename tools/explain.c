/* explain.c: `relayout explain` says what a relayout will do on a device, and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "explain_exchange.h"
#include "progress.h"
#include "scaled_text.h"

typedef struct request {
  const char *from;
  const char *to;
  const char *device;
  const char *kernels;
  const char *rounding;
  const char *scale;
  bool wraps;
  bool specializes;
  arguments_values also;      /* further destinations of the same plan */
  arguments_values schedules; /* that are asked for */
  bool lists_schedules;
  bool as_json;
  explain_exchange_request exchange; /* between shardings, if either side has one */
} request;

static bool is_exchange(const request *asked) {
  return asked->exchange.from_sharding != NULL || asked->exchange.to_sharding != NULL;
}

/* ---- What a plain copy does here ---- */

enum { COPY_BYTES = 32 << 20, MOST_COPIES = 6 };

static const double most_seconds = 0.1; /* that copies take before the last begins */

/* The least seconds of some copies behind the first, which finds memory that nobody has touched; 0
 * where one fails. */
static double time_copies(const relayout_plan *copy, const void *from, void *to) {
  const double begun = progress_seconds();
  double least = 0;
  for (int i = 0; i < MOST_COPIES && (i < 2 || progress_seconds() - begun < most_seconds); i++) {
    const double start = progress_seconds();
    if (relayout_plan_execute(copy, from, to, NULL) != RELAYOUT_OK) {
      return 0;
    }
    const double seconds = progress_seconds() - start;
    least = i == 1 || (i > 1 && seconds < least) ? seconds : least;
  }
  return least;
}

/* Bytes read and written in a second; 0 where that is not known: memory of an OpenCL device is
 * measured by 'relayout bench' alone. */
static double copy_speed(relayout_device *device) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_shape bytes;
  relayout_plan *copy;
  const int64_t size = COPY_BYTES;
  if (relayout_device_get_info(device, &info, NULL) != RELAYOUT_OK ||
      info.backend != RELAYOUT_BACKEND_CPU ||
      relayout_shape_make(RELAYOUT_U8, 1, &size, &bytes, NULL) != RELAYOUT_OK ||
      relayout_plan_create(device, &bytes, &bytes, NULL, &copy, NULL) != RELAYOUT_OK) {
    return 0;
  }
  void *const from = calloc(1, COPY_BYTES);
  void *const to = malloc(COPY_BYTES);
  const double seconds = from != NULL && to != NULL ? time_copies(copy, from, to) : 0;
  free(from);
  free(to);
  relayout_plan_destroy(copy);
  return seconds > 0 ? 2.0 * COPY_BYTES / seconds : 0;
}

/* What the predicted fraction comes to here; nothing where that is not known. */
static void print_speed(relayout_device *device, const relayout_plan *plan) {
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  if (relayout_plan_get_info(plan, &info, NULL) != RELAYOUT_OK || info.predicted_fraction <= 0) {
    return;
  }
  const double copy = copy_speed(device);
  const double speed = info.predicted_fraction * copy;
  if (speed > 0) {
    const double bytes = (double)info.bytes_read + (double)info.bytes_written;
    printf("here that is about %.1f GB/s, or %.3g ms; a plain copy does %.1f GB/s just now\n",
           1e-9 * speed, 1e3 * bytes / speed, 1e-9 * copy);
  }
}

/* ---- The explanation ---- */

static relayout_explain_form form_of(const request *asked) {
  if (asked->lists_schedules) {
    return asked->as_json ? RELAYOUT_EXPLAIN_SCHEDULES_JSON : RELAYOUT_EXPLAIN_SCHEDULES_TEXT;
  }
  return asked->as_json ? RELAYOUT_EXPLAIN_JSON : RELAYOUT_EXPLAIN_TEXT;
}

/* In words, the first line is a sentence, behind which comes what it means here. */
static exit_code print_explanation(const request *asked, relayout_device *device,
                                   const relayout_plan *plan) {
  const relayout_explain_form form = form_of(asked);
  const size_t length = relayout_plan_explain(plan, form, NULL, 0);
  char *text = malloc(length + 1);
  if (text == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu bytes of text", length);
  }
  relayout_plan_explain(plan, form, text, length + 1);
  const char *rest = text;
  const char *const line_end = asked->as_json ? NULL : strchr(text, '\n');
  if (line_end != NULL && relayout_plan_part_count(plan) > 0) {
    rest = line_end + 1;
    printf("%.*s", (int)(rest - text), text);
    print_speed(device, plan);
  }
  fputs(rest, stdout);
  if (length == 0 || text[length - 1] != '\n') {
    putchar('\n');
  }
  free(text);
  return EXIT_CODE_OK;
}

static exit_code explain(const request *asked, const relayout_shape *from,
                         const relayout_shape *to) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  exit_code code = arguments_read_values(asked->scale, asked->rounding, asked->wraps, &options);
  relayout_device *device = NULL;
  if (code == EXIT_CODE_OK && is_exchange(asked)) {
    return explain_exchange(&asked->exchange, from, to, &options);
  }
  if (code == EXIT_CODE_OK) {
    code = arguments_open_device(asked->device != NULL ? asked->device : "auto", asked->kernels,
                                 &device);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  options.schedules = asked->schedules.of;
  options.schedule_count = asked->schedules.count;
  options.specialize = asked->specializes;
  relayout_plan *plan;
  relayout_error error;
  if (relayout_plan_create(device, from, to, &options, &plan, &error) == RELAYOUT_OK) {
    code = print_explanation(asked, device, plan);
    relayout_plan_destroy(plan);
  } else {
    code = report_error(NULL, &error);
  }
  relayout_device_destroy(device);
  return code;
}

/* An option that is there, but for a single relayout alone; NULL: there is none. */
static const char *relayout_option(const request *asked) {
  return asked->device != NULL        ? "--device"
         : asked->kernels != NULL     ? "--kernels"
         : asked->lists_schedules     ? "--schedules"
         : asked->schedules.count > 0 ? "--schedule"
         : asked->also.count > 0      ? "--also"
         : asked->specializes         ? "--specialize"
                                      : NULL;
}

/* The same for options of an exchange. */
static const char *exchange_option(const explain_exchange_request *asked) {
  return asked->devices != NULL            ? "--devices"
         : asked->devices_per_node != NULL ? "--devices-per-node"
         : asked->to_first_peer != NULL    ? "--to-first-peer"
         : asked->message_bytes != NULL    ? "--message-bytes"
         : asked->wire != NULL             ? "--wire"
                                           : NULL;
}

static exit_code check_options(const request *asked) {
  if (is_exchange(asked)) {
    const char *const other = relayout_option(asked);
    return other == NULL ? EXIT_CODE_OK
                         : report(EXIT_CODE_USAGE,
                                  "%s is not for an exchange: leave it out, or leave out "
                                  "--from-sharding and --to-sharding",
                                  other);
  }
  const char *const other = exchange_option(&asked->exchange);
  return other == NULL
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE,
                      "%s is for an exchange: it needs --from-sharding or --to-sharding", other);
}

/* An option that is there, but not for sides with scales or blocks; NULL: there is none. */
static const char *option_without_scales(const request *asked) {
  return is_exchange(asked)   ? "--from-sharding and --to-sharding"
         : asked->specializes ? "--specialize"
                              : NULL;
}

/* A text that has no dimensions takes those of the source. */
static exit_code read_destination(const char *text, const relayout_scaled_view *from,
                                  relayout_scaled_view *to) {
  relayout_shape shape;
  relayout_view elements;
  relayout_error error;
  if (scaled_text_is(text) || strchr(text, '[') != NULL) {
    return scaled_text_read("TO", text, from, to);
  }
  const exit_code code = arguments_read_shape("TO", text, &from->elements.shape, &shape);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  return relayout_view_make(&shape, &elements, &error) == RELAYOUT_OK &&
                 relayout_scaled_view_make(&elements, to, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error("TO", &error);
}

static exit_code read_destinations(const request *asked, const relayout_scaled_view *from,
                                   relayout_scaled_view *to) {
  exit_code code = read_destination(asked->to, from, &to[0]);
  for (int32_t i = 0; i < asked->also.count && code == EXIT_CODE_OK; ++i) {
    code = read_destination(asked->also.of[i], from, &to[i + 1]);
  }
  return code;
}

static exit_code explain_many(const request *asked) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  static relayout_scaled_view from, to[ARGUMENTS_MOST_VALUES + 1];
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_error error;
  const char *const other = option_without_scales(asked);
  if (other != NULL) {
    return report(EXIT_CODE_USAGE,
                  "%s: not for several destinations, or sides with scales or blocks", other);
  }
  exit_code code = arguments_read_values(asked->scale, asked->rounding, asked->wraps, &options);
  if (code == EXIT_CODE_OK) {
    code = scaled_text_read("FROM", asked->from, NULL, &from);
  }
  if (code == EXIT_CODE_OK) {
    code = read_destinations(asked, &from, to);
  }
  if (code == EXIT_CODE_OK) {
    code = arguments_open_device(asked->device != NULL ? asked->device : "auto", asked->kernels,
                                 &device);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  options.schedules = asked->schedules.of;
  options.schedule_count = asked->schedules.count;
  code = relayout_plan_create_many(device, &from, to, asked->also.count + 1, &options, &plan,
                                   &error) == RELAYOUT_OK
             ? print_explanation(asked, device, plan)
             : report_error(NULL, &error);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  request asked = {.from = NULL};
  const arguments_option options[] = {
      {"device", .value = &asked.device},
      {"kernels", .value = &asked.kernels},
      {"round", .value = &asked.rounding},
      {"scale", .value = &asked.scale},
      {"wrap", .flag = &asked.wraps},
      {"json", .flag = &asked.as_json},
      {"also", .values = &asked.also},
      {"schedules", .flag = &asked.lists_schedules},
      {"schedule", .values = &asked.schedules},
      {"specialize", .flag = &asked.specializes},
      {"from-sharding", .value = &asked.exchange.from_sharding},
      {"to-sharding", .value = &asked.exchange.to_sharding},
      {"devices", .value = &asked.exchange.devices},
      {"devices-per-node", .value = &asked.exchange.devices_per_node},
      {"to-first-peer", .value = &asked.exchange.to_first_peer},
      {"message-bytes", .value = &asked.exchange.message_bytes},
      {"wire", .value = &asked.exchange.wire}};
  const arguments_operand operands[] = {{"FROM", &asked.from}, {"TO", &asked.to}};
  exit_code code;
  if (!arguments_parse(&command_explain, argument_count, arguments,
                       sizeof options / sizeof options[0], options, 2, operands, &code)) {
    return code;
  }
  code = check_options(&asked);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (asked.also.count > 0 || scaled_text_is(asked.from) || scaled_text_is(asked.to)) {
    return explain_many(&asked);
  }
  asked.exchange.as_json = asked.as_json;
  relayout_shape from;
  relayout_shape to;
  code = arguments_read_shape("FROM", asked.from, NULL, &from);
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("TO", asked.to, &from, &to);
  }
  return code == EXIT_CODE_OK ? explain(&asked, &from, &to) : code;
}

const command command_explain = {
    .name = "explain",
    .summary = "say what a relayout will do on a device, and why",
    .help =
        "usage: relayout explain FROM TO [--also TO] ... [--device D] [--kernels K] [--json]\n"
        "                        [--schedules] [--schedule TEXT] [--specialize] [--scale X]\n"
        "                        [--round R] [--wrap]\n"
        "       relayout explain FROM TO --from-sharding S --to-sharding S [--devices N]\n"
        "                        [--devices-per-node N] [--to-first-peer N]\n"
        "                        [--message-bytes N] [--wire TEXT] [--json]\n"
        "\n"
        "Prints how a tensor of shape FROM is moved to shape TO, and how fast: a sentence, and\n"
        "for the CPU what that comes to in GB/s and milliseconds, by a copy of 32 MiB that is\n"
        "timed; then the bytes, the axes, the schedule and what the device will run. TO may be\n"
        "a layout, a type or both: what it does not say is that of FROM.\n"
        "\n"
        "With scales beside the elements, as in 'f8e4m3fn[64,64] * f8e8m0fnu[64,2]', or in\n"
        "blocks, as q8_0, prints how that is read or written, in boxes of what size.\n"
        "\n"
        "With shardings, as 'relayout shard' reads them, prints which bytes move between\n"
        "devices: what each sends, receives and keeps, and the messages if they are few.\n"
        "\n"
        "  --also TO         a further destination of the same reading; up to 15 times\n"
        "  --device D        as 'relayout devices' names it; auto by default\n"
        "  --kernels K       native (the CPU backend's code, on OpenCL's CPUs), opencl\n"
        "                    (kernels that OpenCL compiles) or auto: native if the device can\n"
        "  --json            the same for a program to read\n"
        "  --schedules       also every candidate, the best predicted first\n"
        "  --schedule TEXT   explain exactly this one; where the relayout has\n"
        "                    several parts, once for each of them, in order\n"
        "  --specialize      compile OpenCL kernels for this relayout alone\n"
        "  --scale X         multiply every value by X before it is rounded\n"
        "  --round R         nearest: to the nearest integer; zero, the default: towards zero\n"
        "  --wrap            keep the low bits of integers that do not fit\n"
        "\n"
        "  --from-sharding S, --to-sharding S\n"
        "                    who holds what before and after; a side without one is the\n"
        "                    whole tensor on its device 0\n"
        "  --devices N       how many devices a {replicated} side has; by default as many\n"
        "                    as the other side\n"
        "  --devices-per-node N\n"
        "                    N peers share a node, and take from there what it holds\n"
        "  --to-first-peer N\n"
        "                    device 0 of TO is peer N, where FROM's is peer 0; 0 by default\n"
        "  --message-bytes N\n"
        "                    a message has at most N bytes; 16 MiB by default\n"
        "  --wire TEXT       the elements of messages and their order, as bf16{0,1}, or\n"
        "                    one of the two; what is not said is chosen\n"
        "\n"
        "example: relayout explain 'f32[1024,1000]' '{0,1:PD(1024,1024)}'\n"
        "         relayout explain 'f32[64,512]' 'bf16{0,1}' --to-first-peer 4 \\\n"
        "           --from-sharding '{devices=[4,1]<=[4]}' --to-sharding '{devices=[1,2]<=[2]}'\n",
    .run = run,
};
