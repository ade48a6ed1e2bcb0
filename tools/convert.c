/* convert.c: `relayout convert` moves a file's tensor from one layout to another. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "large_files.h"
#include "npy.h"
#include "npy_source.h"
#include "stream.h"
#include "verify.h"

typedef struct request {
  const char *from;
  const char *to;
  const char *device;
  const char *scale;
  const char *input;
  const char *output;
  arguments_values schedules;
  bool wraps;
  bool verify;
  bool verbose;
} request;

/* What is to be done, once the input's beginning is known. */
typedef struct job {
  bool input_is_npy;
  bool output_is_npy;
  relayout_shape from;
  relayout_shape to;
  relayout_plan_options options;
  relayout_device *device;
  relayout_plan *plan;
} job;

static bool is_npy_name(const char *path) {
  const size_t length = strlen(path);
  const size_t suffix = strlen(".npy");
  return length >= suffix && strcmp(path + length - suffix, ".npy") == 0;
}

static bool is_pipe(const char *path) {
  return strcmp(path, "-") == 0;
}

/* ---- The source's shape --------------------------------------------------------------------- */

static exit_code read_npy_header(stream_input *input, npy_header *header) {
  relayout_error error;
  size_t size;
  if (npy_header_size(input->ahead, input->ahead_size, &size, &error) != RELAYOUT_OK) {
    return report_error(input->name, &error);
  }
  uint8_t *bytes = malloc(size);
  if (bytes == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a header of %zu bytes", size);
  }
  size_t got;
  exit_code code = stream_read(input, bytes, size, &got);
  if (code == EXIT_CODE_OK && npy_parse(bytes, got, header, &error) != RELAYOUT_OK) {
    code = report_error(input->name, &error);
  }
  free(bytes);
  return code;
}

/* Finds out what the input is and what its tensor's shape is, reading no further than that. */
static exit_code read_source_shape(const request *asked, stream_input *input, job *work) {
  exit_code code = stream_peek(input);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  work->input_is_npy = is_pipe(asked->input) ? npy_has_magic(input->ahead, input->ahead_size)
                                             : is_npy_name(asked->input);
  work->output_is_npy = is_pipe(asked->output) ? work->input_is_npy : is_npy_name(asked->output);
  if (work->input_is_npy) {
    npy_header header;
    code = read_npy_header(input, &header);
    return code == EXIT_CODE_OK ? npy_source_shape(asked->from, input->name, &header, &work->from)
                                : code;
  }
  if (asked->from == NULL || arguments_is_bare_layout(asked->from)) {
    return report(EXIT_CODE_USAGE, "--from must be a whole shape: %s holds raw bytes, not .npy",
                  input->name);
  }
  return arguments_read_shape("--from", asked->from, NULL, &work->from);
}

/* ---- The work ------------------------------------------------------------------------------- */

static exit_code make_plan(const request *asked, job *work) {
  const exit_code code =
      arguments_open_device(asked->device != NULL ? asked->device : "auto", &work->device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_error error;
  const relayout_status status = relayout_plan_create(work->device, &work->from, &work->to,
                                                      &work->options, &work->plan, &error);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(work->device, &info, NULL);
  if (status != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  if (asked->verbose) {
    char from[RELAYOUT_SHAPE_TEXT_SIZE];
    char to[RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape_format(&work->from, from, sizeof from);
    relayout_shape_format(&work->to, to, sizeof to);
    report_line("%s to %s by %s on %s (%s)", from, to, relayout_plan_get_method(work->plan),
                info.name, info.description);
  }
  return EXIT_CODE_OK;
}

static exit_code fail_size(const stream_input *input, const relayout_shape *shape, size_t size,
                           int64_t held) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, text, sizeof text);
  return report(EXIT_CODE_BAD_INPUT, "%s holds %" PRId64 " bytes of data, but %s takes %zu",
                input->name, held, text, size);
}

/* Reads the whole source; exactly its bytes must be there. */
static exit_code read_source(stream_input *input, const relayout_shape *shape, size_t size,
                             uint8_t **source) {
  const int64_t remaining = stream_remaining(input);
  if (remaining > 0 && remaining != (int64_t)size) {
    return fail_size(input, shape, size, remaining);
  }
  size_t got;
  exit_code code = stream_read_all(input, size, source, &got);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (got < size) {
    return fail_size(input, shape, size, (int64_t)got);
  }
  uint8_t beyond;
  code = stream_read(input, &beyond, 1, &got);
  if (code == EXIT_CODE_OK && got > 0) {
    char text[RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape_format(shape, text, sizeof text);
    code = report(EXIT_CODE_BAD_INPUT, "%s goes on after the %zu bytes that %s takes", input->name,
                  size, text);
  }
  return code;
}

/* Of a .npy file; else 0 bytes. */
static size_t make_header(const job *work, char bytes[NPY_MAX_WRITTEN_SIZE]) {
  if (!work->output_is_npy) {
    return 0;
  }
  const npy_header header = npy_describe(&work->to);
  return npy_write(&header, bytes);
}

/* As much as any schedule asks of a destination: the largest line there is, and room to spare. */
enum { DESTINATION_ALIGNMENT = 4096 };

static exit_code move_and_write(const request *asked, const job *work, const uint8_t *source,
                                stream_output *output) {
  const size_t size = relayout_plan_destination_size(work->plan);
  /* Zeros, so that bytes which PV(unknown) leaves alone are the same every time. */
  uint8_t *const memory = calloc(size + DESTINATION_ALIGNMENT, 1);
  if (memory == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a destination of %zu bytes", size);
  }
  uint8_t *const destination = memory + (-(uintptr_t)memory % DESTINATION_ALIGNMENT);
  exit_code code = EXIT_CODE_OK;
  relayout_error error;
  if (relayout_plan_execute(work->plan, source, destination, &error) != RELAYOUT_OK) {
    code = report_error(NULL, &error);
  }
  if (code == EXIT_CODE_OK && asked->verify) {
    code = verify_relayout(&work->from, &work->to, &work->options, source, destination, size);
  }
  if (code == EXIT_CODE_OK) {
    char header[NPY_MAX_WRITTEN_SIZE];
    code = stream_write(output, header, make_header(work, header));
  }
  if (code == EXIT_CODE_OK) {
    code = stream_write(output, destination, size);
  }
  free(memory);
  return code;
}

/* By way of memory. */
static exit_code move_whole(const request *asked, const job *work, stream_input *input,
                            stream_output *output) {
  uint8_t *source = NULL;
  exit_code code = read_source(input, &work->from, relayout_plan_source_size(work->plan), &source);
  if (code == EXIT_CODE_OK) {
    code = move_and_write(asked, work, source, output);
  }
  free(source);
  return code;
}

/* A large file to another, where `*is_done` says so. */
static exit_code move_by_boxes(const request *asked, const job *work, const stream_input *input,
                               stream_output *output, bool *is_done) {
  char header[NPY_MAX_WRITTEN_SIZE];
  const size_t header_size = make_header(work, header);
  large_files_job files = {.device = work->device,
                           .whole = work->plan,
                           .options = &work->options,
                           .source_name = input->name,
                           .source_file = input->file,
                           .source_start = stream_position(input),
                           .destination_name = output->name,
                           .destination_file = output->file,
                           .destination_start = (int64_t)header_size};
  *is_done = false;
  if (asked->verify || asked->schedules.count > 0 || !output->is_whole || files.source_start < 0 ||
      stream_remaining(input) != (int64_t)relayout_plan_source_size(work->plan) ||
      relayout_view_make(&work->from, &files.from, NULL) != RELAYOUT_OK ||
      relayout_view_make(&work->to, &files.to, NULL) != RELAYOUT_OK || !large_files_suit(&files)) {
    return EXIT_CODE_OK;
  }
  exit_code code = stream_write(output, header, header_size);
  if (code == EXIT_CODE_OK) {
    code = large_files_move(&files, is_done);
  }
  return code == EXIT_CODE_OK && !*is_done ? stream_rewind(output) : code;
}

/* With the plan made, nothing but the data can be wrong. */
static exit_code carry_out(const request *asked, const job *work, stream_input *input) {
  stream_output output;
  exit_code code = stream_create(asked->output, &output);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  bool is_done = false;
  code = move_by_boxes(asked, work, input, &output, &is_done);
  if (code == EXIT_CODE_OK && !is_done) {
    code = move_whole(asked, work, input, &output);
  }
  if (code == EXIT_CODE_OK) {
    return stream_commit(&output);
  }
  stream_abandon(&output);
  return code;
}

static exit_code read_options(const request *asked, relayout_plan_options *options) {
  *options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  options->schedules = asked->schedules.of;
  options->schedule_count = asked->schedules.count;
  options->overflow = asked->wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  return asked->scale != NULL ? arguments_read_factor("--scale", asked->scale, &options->scale)
                              : EXIT_CODE_OK;
}

static exit_code convert(const request *asked, stream_input *input) {
  job work = {.plan = NULL};
  exit_code code = read_options(asked, &work.options);
  if (code == EXIT_CODE_OK) {
    code = read_source_shape(asked, input, &work);
  }
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("--to", asked->to, &work.from, &work.to);
  }
  if (code == EXIT_CODE_OK) {
    code = make_plan(asked, &work);
  }
  if (code == EXIT_CODE_OK) {
    code = carry_out(asked, &work, input);
  }
  relayout_plan_destroy(work.plan);
  relayout_device_destroy(work.device);
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  request asked = {.from = NULL};
  const arguments_option options[] = {
      {"from", .value = &asked.from},      {"to", .value = &asked.to},
      {"scale", .value = &asked.scale},    {"wrap", .flag = &asked.wraps},
      {"device", .value = &asked.device},  {"verify", .flag = &asked.verify},
      {"verbose", .flag = &asked.verbose}, {"schedule", .values = &asked.schedules},
  };
  const arguments_operand operands[] = {{"IN", &asked.input}, {"OUT", &asked.output}};
  exit_code code;
  if (!arguments_parse(&command_convert, argument_count, arguments,
                       sizeof options / sizeof options[0], options, 2, operands, &code)) {
    return code;
  }
  if (asked.to == NULL) {
    return report(EXIT_CODE_USAGE, "--to is missing; try 'relayout convert --help'");
  }
  stream_input input;
  code = stream_open(asked.input, &input);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  code = convert(&asked, &input);
  stream_close(&input);
  return code;
}

const command command_convert = {
    .name = "convert",
    .summary = "move a file's tensor from one layout to another",
    .help =
        "usage: relayout convert --from SHAPE --to SHAPE [--scale X] [--wrap] [--device D]\n"
        "                        [--schedule TEXT] [--verify] [--verbose] IN OUT\n"
        "\n"
        "Reads a tensor, moves it, and writes it. IN and OUT are .npy files by their names' ends\n"
        "and raw bytes otherwise, exactly the buffer's; - is a pipe. A pipe that is read is .npy\n"
        "when it begins like one (name it /dev/stdin to have it raw in any case); a pipe that is\n"
        "written is of the same kind as the input.\n"
        "\n"
        "Large files are moved from file to file a part at a time where the device is the CPU, "
        "in\n"
        "less than 512 MB of memory; all else must fit into memory, on both sides.\n"
        "\n"
        "A file OUT appears whole or not at all: one that was there stays as it was until then,\n"
        "and leaves its owner, group and permissions to the new one. A link is followed. Pipes,\n"
        "devices and /dev/stdout are written in place.\n"
        "\n"
        "  --from SHAPE   how the tensor lies in IN. May be left out for .npy, whose C order is\n"
        "                 {..,1,0} and whose Fortran order is {0,1,..}, or be a layout alone, "
        "which\n"
        "                 then puts the file's dimensions, major to minor, in its order. Says the\n"
        "                 type of elements NumPy has no name for: bf16, f8e5m2, s4, ...\n"
        "  --to SHAPE     how it shall lie in OUT; may be a layout alone. With another element\n"
        "                 type the values are rounded to it: to a float the nearest, to an "
        "integer\n"
        "                 towards zero, and what it does not hold to the nearest that it does\n"
        "  --scale X      multiply every value by X before it is rounded\n"
        "  --wrap         give integers that do not fit their low bits instead\n"
        "  --device D     as 'relayout devices' names it; auto when left out\n"
        "  --schedule TEXT  move it exactly so: one that 'relayout explain --schedules' lists\n"
        "                 for the same shapes and device; where the relayout has several parts,\n"
        "                 once for each of them, in order\n"
        "  --verify       check the result, element by element, before it is written\n"
        "  --verbose      say what ran on which device\n"
        "\n"
        "A .npy file holds the buffer as it lies in memory: the tensor itself in C or Fortran "
        "order\n"
        "for a layout of {..,1,0} or {0,1,..} without padding, otherwise an array of the padded\n"
        "dimensions, listed major to minor, or of what tiles T make of them. Packed elements E\n"
        "are bytes in one dimension, aligned tails L elements in one. Types that NumPy lacks are\n"
        "written as u1 and u2. Bytes that PV(unknown) leaves alone are zero.\n"
        "\n"
        "example: relayout convert --to '{0,1:PD(1024,1024)}' in.npy out.npy\n"
        "         relayout convert --from 'u8[480,640,3]' --to '{1,0,2}' - planes.raw <image.raw\n"
        "         relayout convert --to 'bf16[1000,1000]{1,0:T(8,128)(2,1)}' f32.npy weights.npy\n",
    .run = run,
};
