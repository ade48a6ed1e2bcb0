/* convert.c: `relayout convert` moves a file's tensor from one layout to another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert_model.h"
#include "npy.h"
#include "npy_source.h"
#include "tensor_move.h"

/* What is to be done, once the input's beginning is known. */
typedef struct job {
  bool input_is_npy;
  bool output_is_npy;
  tensor_move move;
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
static exit_code read_source_shape(const convert_request *asked, stream_input *input, job *work) {
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
    return code == EXIT_CODE_OK
               ? npy_source_shape(asked->from, input->name, &header, &work->move.from)
               : code;
  }
  if (asked->from == NULL || arguments_is_bare_layout(asked->from)) {
    return report(EXIT_CODE_USAGE, "--from must be a whole shape: %s holds raw bytes, not .npy",
                  input->name);
  }
  return arguments_read_shape("--from", asked->from, NULL, &work->move.from);
}

/* ---- The work ------------------------------------------------------------------------------- */

/* Of a .npy file; else 0 bytes. */
static size_t make_header(const job *work, char bytes[NPY_MAX_WRITTEN_SIZE]) {
  if (!work->output_is_npy) {
    return 0;
  }
  const npy_header header = npy_describe(&work->move.to);
  return npy_write(&header, bytes);
}

/* With the plan made, nothing but the data can be wrong. */
static exit_code carry_out(const convert_request *asked, const job *work, stream_input *input) {
  stream_output output;
  exit_code code = stream_create(asked->output, &output);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  char header[NPY_MAX_WRITTEN_SIZE];
  code = tensor_move_run(&work->move, input, true, header, make_header(work, header), &output);
  if (code == EXIT_CODE_OK) {
    return stream_commit(&output);
  }
  stream_abandon(&output);
  return code;
}

static exit_code convert_array(const convert_request *asked, stream_input *input, job *work) {
  exit_code code = read_source_shape(asked, input, work);
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("--to", asked->to, &work->move.from, &work->move.to);
  }
  if (code == EXIT_CODE_OK) {
    code = tensor_move_plan(&work->move);
  }
  if (code == EXIT_CODE_OK) {
    code = carry_out(asked, work, input);
  }
  relayout_plan_destroy(work->move.plan);
  return code;
}

/* What all tensors have in common. */
static exit_code begin_move(const convert_request *asked, tensor_move *move) {
  *move = (tensor_move){
      .options = RELAYOUT_PLAN_OPTIONS_INIT, .verifies = asked->verify, .says = asked->verbose};
  move->options.schedules = asked->schedules.of;
  move->options.schedule_count = asked->schedules.count;
  move->options.overflow = asked->wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  const exit_code code =
      arguments_read_rounding("--round", asked->rounding, &move->options.rounding);
  return code == EXIT_CODE_OK && asked->scale != NULL
             ? arguments_read_factor("--scale", asked->scale, &move->options.scale)
             : code;
}

static exit_code convert(const convert_request *asked, stream_input *input) {
  job work = {.output_is_npy = false};
  exit_code code = begin_move(asked, &work.move);
  if (code == EXIT_CODE_OK) {
    /* Schedules that 'relayout explain' lists are those of the device that auto opens. */
    code = asked->schedules.count > 0 && asked->device == NULL
               ? arguments_open_device("auto", &work.move.device)
               : arguments_open_host_device(asked->device, &work.move.device);
  }
  if (code == EXIT_CODE_OK) {
    code = convert_model_is(asked->input) ? convert_model(asked, &work.move, input)
                                          : convert_array(asked, input, &work);
  }
  relayout_device_destroy(work.move.device);
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  convert_request asked = {.from = NULL};
  const arguments_option options[] = {
      {"from", .value = &asked.from},           {"to", .value = &asked.to},
      {"scale", .value = &asked.scale},         {"round", .value = &asked.rounding},
      {"wrap", .flag = &asked.wraps},           {"device", .value = &asked.device},
      {"verify", .flag = &asked.verify},        {"verbose", .flag = &asked.verbose},
      {"schedule", .values = &asked.schedules}, {"tensor", .value = &asked.tensors},
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
  if (!convert_model_is(asked.input) && (asked.tensors != NULL || convert_model_is(asked.output))) {
    return report(EXIT_CODE_USAGE, "%s wants an IN that is a .safetensors file, not %s",
                  asked.tensors != NULL ? "--tensor" : asked.output, asked.input);
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
        "usage: relayout convert --from SHAPE --to SHAPE [--scale X] [--round R] [--wrap]\n"
        "                        [--device D] [--schedule TEXT] [--verify] [--verbose] IN OUT\n"
        "       relayout convert --tensor T [--from SHAPE] --to SHAPE ... IN.safetensors OUT\n"
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
        "  --round R      nearest: to an integer the nearest, of two as near the even one, "
        "instead\n"
        "                 of towards zero, which is half as precise\n"
        "  --wrap         give integers that do not fit their low bits instead\n"
        "  --tensor T     the tensors of a .safetensors file that are relaid, by their names\n"
        "  --device D     as 'relayout devices' names it; auto when left out: cpu, unless there "
        "is\n"
        "                 a GPU that shares the host's memory\n"
        "  --schedule TEXT  move it exactly so: one that 'relayout explain --schedules' lists\n"
        "                 for the same shapes and device; where the relayout has several parts,\n"
        "                 once for each of them, in order\n"
        "  --verify       check the result, element by element, before it is written\n"
        "  --verbose      say what ran on which device, how many bytes it moved, and how fast\n"
        "\n"
        "A .npy file holds the buffer as it lies in memory: the tensor itself in C or Fortran "
        "order\n"
        "for a layout of {..,1,0} or {0,1,..} without padding, otherwise an array of the padded\n"
        "dimensions, listed major to minor, or of what tiles T make of them. Packed elements E\n"
        "are bytes in one dimension, aligned tails L elements in one. Types that NumPy lacks are\n"
        "written as u1 and u2. Bytes that PV(unknown) leaves alone are zero.\n"
        "\n"
        "Of a .safetensors file --tensor names what is relaid, with * ? and [..] as shells have\n"
        "them. All else is copied to an OUT of that kind; any other OUT gets one tensor. What a\n"
        "tensor's new shape does not tell of its layout is kept in the metadata, where the next\n"
        "'relayout convert' finds it.\n"
        "\n"
        "example: relayout convert --to '{0,1:PD(1024,1024)}' in.npy out.npy\n"
        "         relayout convert --from 'u8[480,640,3]' --to '{1,0,2}' - planes.raw <image.raw\n"
        "         relayout convert --to 'bf16[1000,1000]{1,0:T(8,128)(2,1)}' f32.npy weights.npy\n"
        "         relayout convert --tensor '*.weight' --to '{1,0:T(8,128)}' model.safetensors \\\n"
        "                          tiled.safetensors\n",
    .run = run,
};
