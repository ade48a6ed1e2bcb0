/* convert.c: `relayout convert` moves a file's tensor from one layout to another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert_model.h"
#include "convert_scaled.h"
#include "convert_shards.h"
#include "file_kind.h"
#include "gguf.h"
#include "npy.h"
#include "npy_source.h"
#include "npz.h"
#include "tensor_move.h"

/* What is to be done, once the input's beginning is known. */
typedef struct job {
  bool input_is_npy;
  bool output_is_npy;
  const char *name; /* of the tensor in a model that is written */
  char *header;     /* of the output */
  size_t header_size;
  const convert_scaled_request *scaled; /* NULL: neither side has scales or blocks of its own */
  tensor_move move;
} job;

static bool is_npy_name(const char *path) {
  return file_kind_has_suffix(path, ".npy");
}

static bool is_pipe(const char *path) {
  return strcmp(path, "-") == 0;
}

/* Files are what their names say; what has no name or is no file, what it begins like. */
static bool is_npy(const convert_request *asked, const stream_input *input) {
  return is_npy_name(asked->input) || npz_is(asked->input) ||
         ((is_pipe(asked->input) || !stream_is_file(input)) &&
          npy_has_magic(input->ahead, input->ahead_size));
}

/* ---- The source's shape --------------------------------------------------------------------- */

/* Finds out what the input and the output are, reading no further than that. */
static exit_code find_kinds(const convert_request *asked, stream_input *input, job *work) {
  const bool is_raw = asked->raw || strcmp(asked->input, "/dev/stdin") == 0;
  work->input_is_npy = !is_raw && is_npy(asked, input);
  work->output_is_npy = is_pipe(asked->output) ? work->input_is_npy : is_npy_name(asked->output);
  return is_raw ? EXIT_CODE_OK : file_kind_check(input, work->input_is_npy ? FILE_KIND_NPY : NULL);
}

static exit_code read_source_shape(const convert_request *asked, stream_input *input, job *work) {
  if (work->input_is_npy) {
    return npy_source_read(asked->from, input, &work->move.from_order, &work->move.from);
  }
  if (asked->from == NULL || strchr(asked->from, '[') == NULL) {
    return report(EXIT_CODE_USAGE,
                  "--from must be a whole shape, as in f32[2,3]: %s holds raw bytes", input->name);
  }
  return arguments_read_shape("--from", asked->from, NULL, &work->move.from);
}

/* ---- The work ------------------------------------------------------------------------------- */

/* What comes before the tensor: a .npy file's header, a model file's of this one tensor, or
 * nothing. */
static exit_code make_header(const convert_request *asked, job *work) {
  if (convert_model_is(asked->output)) {
    return convert_model_header(asked, work->name, &work->move, &work->header, &work->header_size);
  }
  if (work->output_is_npy) {
    npy_header header = npy_describe(&work->move.to);
    header.byte_order = work->move.to_order;
    work->header = malloc(NPY_MAX_WRITTEN_SIZE);
    if (work->header == NULL) {
      return report(EXIT_CODE_FAILURE, "no memory for a header of %d bytes", NPY_MAX_WRITTEN_SIZE);
    }
    work->header_size = npy_write(&header, work->header);
  }
  return EXIT_CODE_OK;
}

/* With the plan made, nothing but the data can be wrong. */
static exit_code carry_out(const convert_request *asked, const job *work, stream_input *input) {
  stream_output output;
  exit_code code = stream_create(asked->output, &output);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  code = tensor_move_run(&work->move, input, true, work->header, work->header_size, &output);
  if (code == EXIT_CODE_OK && gguf_is(asked->output)) {
    code = gguf_pad(&output, asked->alignment);
  }
  if (code == EXIT_CODE_OK) {
    return stream_commit(&output);
  }
  stream_abandon(&output);
  return code;
}

static exit_code convert_array(const convert_request *asked, stream_input *input, job *work) {
  exit_code code = find_kinds(asked, input, work);
  if (code == EXIT_CODE_OK && !convert_scaled_is(asked->from)) {
    code = read_source_shape(asked, input, work);
  }
  if (code == EXIT_CODE_OK && work->scaled != NULL) {
    return convert_scaled(asked, work->scaled, &work->move, input, work->input_is_npy,
                          work->output_is_npy);
  }
  if (code == EXIT_CODE_OK) {
    code = tensor_move_aim(&work->move, asked->to, &asked->blocks);
  }
  if (code == EXIT_CODE_OK) {
    code = tensor_move_plan(&work->move);
  }
  if (code == EXIT_CODE_OK) {
    code = make_header(asked, work);
  }
  if (code == EXIT_CODE_OK) {
    code = carry_out(asked, work, input);
  }
  free(work->header);
  relayout_plan_destroy(work->move.plan);
  return code;
}

/* What all tensors have in common. */
static exit_code begin_move(const convert_request *asked, tensor_move *move) {
  *move = (tensor_move){
      .options = RELAYOUT_PLAN_OPTIONS_INIT, .verifies = asked->verify, .says = asked->verbose};
  move->options.schedules = asked->schedules.of;
  move->options.schedule_count = asked->schedules.count;
  move->options.specialize = asked->specializes;
  const exit_code code =
      arguments_read_values(asked->scale, asked->rounding, asked->wraps, &move->options);
  return code == EXIT_CODE_OK
             ? arguments_read_byte_order("--byte-order", asked->byte_order, &move->to_order)
             : code;
}

static exit_code convert_npz(const convert_request *asked, job *work) {
  npz_array array;
  exit_code code = npz_open(asked->input, &asked->choice, &array);
  if (code == EXIT_CODE_OK) {
    work->name = array.name;
    code = stream_peek(&array.input);
  }
  if (code == EXIT_CODE_OK) {
    code = convert_array(asked, &array.input, work);
  }
  npz_close(&array);
  return code;
}

static exit_code convert_file(const convert_request *asked, job *work) {
  if (!asked->raw && convert_model_is(asked->input)) {
    return convert_model(asked, &work->move);
  }
  if (!asked->raw && npz_is(asked->input)) {
    return convert_npz(asked, work);
  }
  work->name = asked->choice.tensors.count > 0 ? asked->choice.tensors.of[0] : NULL;
  stream_input input;
  exit_code code = stream_open(asked->input, &input);
  if (code == EXIT_CODE_OK) {
    code = stream_peek(&input);
    if (code == EXIT_CODE_OK) {
      code = convert_array(asked, &input, work);
    }
    stream_close(&input);
  }
  return code;
}

static exit_code convert(const convert_request *asked, const convert_shards_request *shards,
                         const convert_scaled_request *scaled) {
  job work = {.scaled = convert_scaled_suits(asked) ? scaled : NULL};
  exit_code code = begin_move(asked, &work.move);
  if (code == EXIT_CODE_OK) {
    /* Schedules that 'relayout explain' lists are those of the device that auto opens. */
    code = asked->schedules.count > 0 && asked->device == NULL
               ? arguments_open_device("auto", asked->kernels, &work.move.device)
               : arguments_open_host_device(asked->device, asked->kernels, &work.move.device);
  }
  if (code == EXIT_CODE_OK) {
    code = convert_shards_suits(asked, shards) ? convert_shards(asked, shards, &work.move)
                                               : convert_file(asked, &work);
  }
  relayout_device_destroy(work.move.device);
  return code;
}

/* ---- The words ------------------------------------------------------------------------------ */

enum { DEFAULT_ALIGNMENT = 64, LARGEST_ALIGNMENT = 1 << 20 };

static exit_code check_output(const convert_request *asked) {
  return convert_model_is(asked->output) && strstr(asked->output, ".index.json") != NULL
             ? report(EXIT_CODE_USAGE, "OUT %s is an index, so IN must be one too, not %s",
                      asked->output, asked->input)
             : EXIT_CODE_OK;
}

/* An array becomes the one tensor of a model that --tensor names; only models have more to say. */
static exit_code check_names(const convert_request *asked) {
  const tensor_choice *const choice = &asked->choice;
  const bool is_npz = !asked->raw && npz_is(asked->input);
  if (!asked->raw && convert_model_is(asked->input)) {
    return EXIT_CODE_OK;
  }
  if (is_npz && choice->rank_text == NULL) {
    return check_output(asked);
  }
  if (choice->exceptions.count > 0 || choice->rank_text != NULL) {
    return report(EXIT_CODE_USAGE, "%s needs an IN that is a .safetensors or .gguf file, not %s",
                  choice->rank_text != NULL ? "--rank" : "--except", asked->input);
  }
  if (!convert_model_is(asked->output)) {
    return choice->tensors.count == 0
               ? EXIT_CODE_OK
               : report(EXIT_CODE_USAGE,
                        "--tensor needs an IN that is a .safetensors, .gguf or .npz file, or a "
                        ".safetensors or .gguf OUT, not %s and %s",
                        asked->input, asked->output);
  }
  const exit_code code = check_output(asked);
  return code != EXIT_CODE_OK || choice->tensors.count == 1
             ? code
             : report(EXIT_CODE_USAGE,
                      "--tensor NAME must be given once: it names the one tensor of %s",
                      asked->output);
}

/* A name of blocks stands for all of --to. */
static exit_code read_blocks(convert_request *asked) {
  if (asked->to == NULL || !record_form_parse(asked->to, strlen(asked->to), &asked->blocks)) {
    return EXIT_CODE_OK;
  }
  if (gguf_is(asked->output) && gguf_type_named(asked->to) == NULL) {
    return report(EXIT_CODE_USAGE,
                  "--to is %s, a type that .gguf files have not; with rows interleaved they have "
                  "q4_0_4_4, q4_0_4_8 and q4_0_8_8",
                  asked->to);
  }
  return gguf_is(asked->output) || (!convert_model_is(asked->output) && !is_npy_name(asked->output))
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE,
                      "--to is %s, which needs an OUT that is raw or a .gguf file, not %s",
                      asked->to, asked->output);
}

static exit_code check_words(convert_request *asked, const convert_shards_request *shards,
                             convert_scaled_request *scaled) {
  const bool is_sharded = convert_shards_suits(asked, shards);
  if (asked->to == NULL && !is_sharded) {
    return report(EXIT_CODE_USAGE, "--to is missing; try 'relayout convert --help'");
  }
  if (asked->alignment_text != NULL && !convert_model_is(asked->output)) {
    return report(EXIT_CODE_USAGE,
                  "--align needs an OUT that is a .safetensors or .gguf file, not %s",
                  asked->output);
  }
  if (asked->byte_order != NULL && strcmp(asked->byte_order, "big") == 0 &&
      convert_model_is(asked->output)) {
    return report(EXIT_CODE_USAGE,
                  "--byte-order is big, but model files such as %s are little-endian",
                  asked->output);
  }
  asked->alignment = gguf_is(asked->output) ? GGUF_DEFAULT_ALIGNMENT : DEFAULT_ALIGNMENT;
  exit_code code = convert_scaled_check(asked, scaled, is_sharded);
  if (code == EXIT_CODE_OK) {
    code = is_sharded ? convert_shards_check(asked, shards) : check_names(asked);
  }
  if (code == EXIT_CODE_OK && !convert_scaled_suits(asked)) {
    code = read_blocks(asked);
  }
  if (code == EXIT_CODE_OK) {
    code = tensor_choice_read(&asked->choice);
  }
  if (code == EXIT_CODE_OK && asked->alignment_text != NULL) {
    code = arguments_read_alignment("--align", asked->alignment_text, LARGEST_ALIGNMENT,
                                    &asked->alignment);
  }
  if (gguf_is(asked->output) && asked->alignment < GGUF_LEAST_ALIGNMENT) {
    asked->alignment = GGUF_LEAST_ALIGNMENT;
  }
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  convert_request asked = {.from = NULL};
  convert_shards_request shards = {.is_dry = false};
  convert_scaled_request scaled = {.rule_text = NULL};
  const arguments_option options[] = {
      {"from", .value = &asked.from},
      {"to", .value = &asked.to},
      {"scale", .value = &asked.scale},
      {"round", .value = &asked.rounding},
      {"byte-order", .value = &asked.byte_order},
      {"raw", .flag = &asked.raw},
      {"wrap", .flag = &asked.wraps},
      {"device", .value = &asked.device},
      {"kernels", .value = &asked.kernels},
      {"verify", .flag = &asked.verify},
      {"verbose", .flag = &asked.verbose},
      {"schedule", .values = &asked.schedules},
      {"specialize", .flag = &asked.specializes},
      {"tensor", .list = &asked.choice.tensors},
      {"except", .list = &asked.choice.exceptions},
      {"rank", .value = &asked.choice.rank_text},
      {"align", .value = &asked.alignment_text},
      {"from-sharding", .value = &shards.from_sharding},
      {"to-sharding", .value = &shards.to_sharding},
      {"rules", .value = &shards.rules},
      {"devices", .value = &shards.devices},
      {"memory", .value = &shards.memory},
      {"dry-run", .flag = &shards.is_dry},
      {"from-scales", .value = &scaled.from_scales},
      {"from-zero-points", .value = &scaled.from_zero_points},
      {"from-tensor-scale", .value = &scaled.from_tensor_scale},
      {"to-scales", .value = &scaled.to_scales},
      {"to-zero-points", .value = &scaled.to_zero_points},
      {"to-tensor-scale", .value = &scaled.to_tensor_scale},
      {"scale-rule", .value = &scaled.rule_text},
  };
  const arguments_operand operands[] = {{"IN", &asked.input}, {"OUT", &asked.output}};
  exit_code code;
  if (arguments_parse(&command_convert, argument_count, arguments,
                      sizeof options / sizeof options[0], options, 2, operands, &code)) {
    code = check_words(&asked, &shards, &scaled);
    if (code == EXIT_CODE_OK) {
      code = convert(&asked, &shards, &scaled);
    }
  }
  arguments_free_list(&asked.choice.tensors);
  arguments_free_list(&asked.choice.exceptions);
  return code;
}

const command command_convert = {
    .name = "convert",
    .summary = "move a file's tensor from one layout to another",
    .help =
        "usage: relayout convert --from SHAPE --to SHAPE [--scale X] [--round R] [--wrap]\n"
        "                        [--byte-order O] [--raw] [--device D] [--kernels K]\n"
        "                        [--schedule TEXT] [--specialize] [--verify] [--verbose] IN OUT\n"
        "       relayout convert --from SHAPE --to SHAPE [--from-scales FILE]\n"
        "                        [--to-scales FILE] [--from-zero-points FILE]\n"
        "                        [--to-zero-points FILE] [--from-tensor-scale FILE]\n"
        "                        [--to-tensor-scale FILE] [--scale-rule RULE] ... IN OUT\n"
        "       relayout convert --tensor T [--except T] [--rank N] [--align N] [--from SHAPE]\n"
        "                        --to SHAPE ... IN.safetensors OUT\n"
        "       relayout convert --tensor T [--from-sharding S] [--to-sharding S] | --rules FILE\n"
        "                        [--to SHAPE] [--devices N] [--memory N] [--dry-run] ...\n"
        "                        'IN-{device}.safetensors' 'OUT-{device}.safetensors'\n"
        "\n"
        "Reads a tensor, moves it, and writes it. IN and OUT are .npy files by their names' ends\n"
        "and raw bytes otherwise, exactly the buffer's; - is a pipe. A pipe that is read is .npy\n"
        "when it begins like one (name it /dev/stdin to have it raw in any case); a pipe that is\n"
        "written is of the same kind as the input. --tensor names an array of a .npz file. An IN\n"
        "that begins like another kind of file is refused.\n"
        "\n"
        "Large files are moved from file to file a part at a time where the device is the CPU, in\n"
        "less than 512 MB of memory; all else must fit into memory, on both sides.\n"
        "\n"
        "A file OUT appears whole or not at all. Pipes, devices and /dev/stdout are written in\n"
        "place.\n"
        "\n"
        "  --from SHAPE   how the tensor lies in IN. May be left out for .npy, whose C order is\n"
        "                 {..,1,0} and whose Fortran order is {0,1,..}, or be a layout, a type or\n"
        "                 both, which put the file's dimensions, major to minor, in their order.\n"
        "                 Says the type of elements NumPy has no name for: bf16, f8e5m2, s4, ...\n"
        "  --to SHAPE     how it lies in OUT. May be a layout, a type or both: {0,1}, bf16,\n"
        "                 bf16{1,0:T(8,128)}; the rest is taken from the source. Values are\n"
        "                 rounded to another type: to the nearest float, to an integer towards\n"
        "                 zero; values out of range become the nearest end of the range. In a\n"
        "                 raw or .gguf OUT also q8_0, q4_0, q4_1, q5_0, q5_1 or mxfp4, and with\n"
        "                 the blocks of several rows interleaved q4_0_4_8 and others\n"
        "  --scale X      multiply every value by X before it is rounded\n"
        "  --round R      nearest: to the nearest integer, ties to even; zero, the default:\n"
        "                 towards zero, which is half as precise\n"
        "  --byte-order O big or little: the order of bytes in OUT; the machine's by default\n"
        "  --raw          read IN as raw bytes, whatever its name and first bytes are\n"
        "  --wrap         keep the low bits of integers that do not fit\n"
        "  --from-scales FILE, --to-scales FILE\n"
        "                 the scales of a side that has some\n"
        "  --from-zero-points FILE, --to-zero-points FILE\n"
        "                 its zero points, which are read on both sides\n"
        "  --from-tensor-scale FILE, --to-tensor-scale FILE\n"
        "                 its tensor scale, an f32 that is read on both sides\n"
        "  --scale-rule RULE  given, the default: the scales of --to are read; amax, amax-up or\n"
        "                 power2: they are found for each group, and written; range: its zero\n"
        "                 points too\n",
    .more_help =
        "  --tensor T     the tensors of a .safetensors or .gguf file that are relaid, by their\n"
        "                 names; any number of times. With another IN, the name of the one tensor\n"
        "                 of OUT\n"
        "  --except T     leave these tensors out; any number of times\n"
        "  --rank N       only those of N dimensions\n"
        "  --align N      the alignment of tensors in a model OUT, a power of two; 64 by default,\n"
        "                 32 in a .gguf file\n"
        "  --from-sharding S  how the tensors are dealt out to the files of IN, one for each\n"
        "                 device: {devices=[2,1]<=[2]}; without it IN is one file, or index\n"
        "  --to-sharding S  likewise for OUT; without it OUT is one file\n"
        "  --rules FILE   instead of --tensor: lines of a pattern, the sharding in IN, that in\n"
        "                 OUT and, if it changes, a SHAPE as --to has it. The first that matches\n"
        "                 counts; the others are on all devices\n"
        "  --devices N    how many files a side has, where its shardings name fewer\n"
        "  --memory N     take no more memory for tensors than this, as in 512M, the default\n"
        "  --dry-run      print what would become of each tensor; write nothing\n"
        "  --device D     as 'relayout devices' names it; auto by default: cpu, unless there "
        "is\n"
        "                 a GPU that shares the host's memory\n"
        "  --kernels K    native (the CPU backend's code, on OpenCL's CPUs), opencl\n"
        "                 (kernels that OpenCL compiles) or auto: native if the device can\n"
        "  --schedule TEXT  move it exactly so: by one that 'relayout explain --schedules' lists\n"
        "                 for the same shapes and device, or on the CPU by one with other tiles;\n"
        "                 where the relayout has several parts, once for each of them, in order\n"
        "  --specialize   compile OpenCL kernels for this relayout alone\n"
        "  --verify       check every element of the result before it is written\n"
        "  --verbose      print what ran on which device, how many bytes it moved, and how fast\n"
        "\n"
        "A .npy file holds the buffer as it lies in memory: an array of the padded dimensions,\n"
        "major to minor, or of what tiles T make of them. Types that NumPy lacks are u1 and u2.\n"
        "\n"
        "A side may also have scales, as in 's8[64,64] * f32[64,2]' and\n"
        "'(u8[64,64] - u8[64,1]) * f32[64,1]', or lie in blocks, as in 'q8_0[64,64]'.\n"
        "What goes to scales is divided by them, and rounded as --round says. Scales and zero\n"
        "points are files as IN and OUT are; blocks are raw. All must fit into memory.\n"
        "\n"
        "Of a .safetensors file --tensor names what is relaid, with * ? and [..] as shells have\n"
        "them. All else is copied to an OUT of that kind, also what matches, but is of another\n"
        "rank than a layout of --to; any other OUT gets one tensor. Layouts are kept in the\n"
        "metadata. A model.safetensors.index.json stands for all its files: where OUT is an index\n"
        "too, files of the same names are written beside it, and a .safetensors OUT gets all.\n"
        "\n"
        "A .gguf file is such a file too, of either side. Its types q8_0, q4_0, q4_1, q5_0, q5_1\n"
        "and mxfp4, and q4_0_4_4, q4_0_4_8 and q4_0_8_8, which llama.cpp reads no longer, are\n"
        "read as f32 and written by their names in --to; tensors of less than two dimensions, or\n"
        "with a last one that is no multiple of 32, stay as they are under a pattern. Other\n"
        "blocks (q4_k, iq2_xs, ..) are copied to a .gguf OUT.\n"
        "\n"
        "Shardings are written as XLA prints them ('relayout shard' shows what they say). "
        "{device}\n"
        "in a name is the number of a device, which has a file of its own.\n"
        "\n"
        "example: relayout convert --from 'u8[480,640,3]' --to '{1,0,2}' - planes.raw <image.raw\n"
        "         relayout convert --to 'bf16{1,0:T(8,128)(2,1)}' f32.npy weights.npy\n"
        "         relayout convert --tensor '*.weight' --to '{1,0:T(8,128)}' model.safetensors \\\n"
        "                          tiled.safetensors\n"
        "         relayout convert --tensor '*' --to q8_0 model.safetensors model.gguf\n"
        "         relayout convert --from 'f32[64,64]' --to 's8[64,64] * f32[64,2]' \\\n"
        "                          --scale-rule amax --to-scales scales.raw in.raw out.raw\n"
        "         relayout convert --rules rules 'tp2-{device}.safetensors' \\\n"
        "                          'tp8-{device}.safetensors'\n",
    .run = run,
};
