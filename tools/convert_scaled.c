/* convert_scaled.c: reads up to six files into memory, and writes up to three, which appear when
 * all are complete. */
#include "convert_scaled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "file_kind.h"
#include "npy.h"
#include "npy_source.h"
#include "progress.h"
#include "scaled_text.h"

enum { SCALED_TEXT_SIZE = 4 * RELAYOUT_SHAPE_TEXT_SIZE };

/* What has a file of its own. */
typedef enum part_name {
  FROM_ELEMENTS,
  FROM_SCALES,
  FROM_ZERO_POINTS,
  FROM_TENSOR_SCALE,
  TO_TENSOR_SCALE,
  TO_ZERO_POINTS,
  TO_SCALES,
  TO_ELEMENTS,
  PART_COUNT
} part_name;

typedef struct part {
  const char *option; /* that names the file; NULL for IN and OUT */
  const char *path;
  relayout_block_format blocks; /* NONE: the view says what the bytes are */
  relayout_view *view;          /* within a side of the job; NULL for a part that is not there */
  bool is_npy;
  bool is_written;
  size_t size;
  uint8_t *bytes;
} part;

typedef struct job {
  const convert_request *asked;
  const convert_scaled_request *files;
  const tensor_move *like;
  relayout_scaled_view from;
  relayout_scaled_view to;
  part parts[PART_COUNT];
  relayout_plan *plan;
} job;

/* ---- The words ------------------------------------------------------------------------------ */

bool convert_scaled_is(const char *text) {
  return text != NULL && scaled_text_is(text);
}

static bool is_format_alone(const char *text) {
  record_form form;
  return record_form_parse(text, strlen(text), &form);
}

static bool reads_model(const convert_request *asked) {
  return !asked->raw && convert_model_is(asked->input);
}

bool convert_scaled_suits(const convert_request *asked) {
  if (convert_scaled_is(asked->from)) {
    return true;
  }
  const bool is_of_model = reads_model(asked) || file_kind_has_suffix(asked->output, ".gguf");
  return convert_scaled_is(asked->to) && !(is_format_alone(asked->to) && is_of_model);
}

/* An option that is there, but only for sides with scales; NULL: there is none. */
static const char *option_of_scales(const convert_scaled_request *files) {
  return files->from_scales != NULL         ? "--from-scales"
         : files->from_zero_points != NULL  ? "--from-zero-points"
         : files->from_tensor_scale != NULL ? "--from-tensor-scale"
         : files->to_scales != NULL         ? "--to-scales"
         : files->to_zero_points != NULL    ? "--to-zero-points"
         : files->to_tensor_scale != NULL   ? "--to-tensor-scale"
         : files->rule_text != NULL         ? "--scale-rule"
                                            : NULL;
}

/* An option that is there, but not for sides with scales or blocks; NULL: there is none. */
static const char *option_without_scales(const convert_request *asked) {
  return asked->verify                ? "--verify"
         : asked->schedules.count > 0 ? "--schedule"
         : asked->specializes         ? "--specialize"
         : asked->wraps               ? "--wrap"
                                      : NULL;
}

static exit_code read_rule(convert_scaled_request *files) {
  static const char *const names[] = {[RELAYOUT_SCALES_GIVEN] = "given",
                                      [RELAYOUT_SCALES_AMAX] = "amax",
                                      [RELAYOUT_SCALES_AMAX_UP] = "amax-up",
                                      [RELAYOUT_SCALES_POWER2] = "power2",
                                      [RELAYOUT_SCALES_RANGE] = "range"};
  files->rule = RELAYOUT_SCALES_GIVEN;
  if (files->rule_text == NULL) {
    return EXIT_CODE_OK;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(files->rule_text, names[i]) == 0) {
      files->rule = (relayout_scale_rule)i;
      return EXIT_CODE_OK;
    }
  }
  return report(EXIT_CODE_USAGE,
                "--scale-rule takes given, amax, amax-up, power2 or range, not '%s'",
                files->rule_text);
}

exit_code convert_scaled_check(const convert_request *asked, convert_scaled_request *files,
                               bool is_sharded) {
  if (!convert_scaled_suits(asked)) {
    const char *const option = option_of_scales(files);
    return option == NULL ? EXIT_CODE_OK
                          : report(EXIT_CODE_USAGE,
                                   "%s needs a --from or --to with scales, as in "
                                   "'s8[2,64] * f32[2,2]'",
                                   option);
  }
  const char *const side = convert_scaled_is(asked->from) ? "--from" : "--to";
  if (is_sharded) {
    return report(EXIT_CODE_USAGE,
                  "%s has scales or blocks, and such a side cannot be dealt out to devices", side);
  }
  if (reads_model(asked) || convert_model_is(asked->output)) {
    return report(EXIT_CODE_USAGE,
                  "%s has scales or blocks, which needs an IN and an OUT that are raw or .npy "
                  "files, not %s and %s",
                  side, asked->input, asked->output);
  }
  const char *const other = option_without_scales(asked);
  return other == NULL
             ? read_rule(files)
             : report(EXIT_CODE_USAGE,
                      "%s cannot be had for a side with scales or blocks; leave it out", other);
}

/* ---- The sides ------------------------------------------------------------------------------ */

static exit_code make_plain(const relayout_shape *shape, relayout_byte_order order,
                            relayout_scaled_view *made) {
  relayout_error error;
  relayout_view view;
  relayout_status status = relayout_view_make(shape, &view, &error);
  view.byte_order = order;
  if (status == RELAYOUT_OK) {
    status = relayout_scaled_view_make(&view, made, &error);
  }
  return status == RELAYOUT_OK ? EXIT_CODE_OK : report_error(NULL, &error);
}

static exit_code check_dimensions(const job *work) {
  const relayout_shape *const from = &work->from.elements.shape;
  const relayout_shape *const to = &work->to.elements.shape;
  if (from->rank == to->rank && memcmp(from->dimensions, to->dimensions,
                                       (size_t)from->rank * sizeof *from->dimensions) == 0) {
    return EXIT_CODE_OK;
  }
  char text[SCALED_TEXT_SIZE];
  relayout_scaled_view_format(&work->from, text, sizeof text);
  return report(EXIT_CODE_BAD_INPUT, "--to '%s' has other dimensions than the source, %s",
                work->asked->to, text);
}

static bool finds_zero_points(const relayout_scaled_view *view) {
  return view->has_zero_points && view->rule == RELAYOUT_SCALES_RANGE;
}

/* A side that is plain has the type and the layout of the source's elements where its text says
 * neither. */
static exit_code read_to(job *work) {
  const convert_request *const asked = work->asked;
  relayout_shape shape;
  exit_code code;
  if (convert_scaled_is(asked->to)) {
    code = scaled_text_read("--to", asked->to, &work->from, &work->to);
  } else {
    code = arguments_read_shape("--to", asked->to, &work->from.elements.shape, &shape);
    if (code == EXIT_CODE_OK) {
      code = make_plain(&shape, RELAYOUT_BYTE_ORDER_NATIVE, &work->to);
    }
  }
  if (code == EXIT_CODE_OK) {
    code = check_dimensions(work);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (work->to.block_format == RELAYOUT_BLOCK_FORMAT_NONE) {
    work->to.elements.byte_order = work->like->to_order;
  } else if (work->like->to_order == RELAYOUT_BYTE_ORDER_BIG) {
    return report(EXIT_CODE_USAGE, "--byte-order is big, but records of %s are little-endian",
                  relayout_block_format_name(work->to.block_format));
  }
  work->to.rule = work->files->rule;
  if (work->to.has_scales && work->to.rule != RELAYOUT_SCALES_GIVEN) {
    work->to.scales.byte_order = work->like->to_order;
  }
  if (finds_zero_points(&work->to)) {
    work->to.zero_points.byte_order = work->like->to_order;
  }
  return EXIT_CODE_OK;
}

static exit_code read_sides(job *work) {
  const convert_request *const asked = work->asked;
  const exit_code code = convert_scaled_is(asked->from)
                             ? scaled_text_read("--from", asked->from, NULL, &work->from)
                             : make_plain(&work->like->from, work->like->from_order, &work->from);
  return code == EXIT_CODE_OK ? read_to(work) : code;
}

/* ---- The parts ------------------------------------------------------------------------------ */

static void set_part(job *work, part_name name, const char *option, const char *path, bool is_there,
                     relayout_view *view) {
  const bool is_written = name == TO_ELEMENTS ||
                          (name == TO_SCALES && work->to.rule != RELAYOUT_SCALES_GIVEN) ||
                          (name == TO_ZERO_POINTS && finds_zero_points(&work->to));
  const bool is_raw = path == NULL || (work->asked->raw && !is_written);
  work->parts[name] = (part){.option = option,
                             .path = path,
                             .view = is_there ? view : NULL,
                             .is_npy = !is_raw && file_kind_has_suffix(path, ".npy"),
                             .is_written = is_there && is_written};
}

static void set_parts(job *work, bool input_is_npy, bool output_is_npy) {
  const convert_scaled_request *const files = work->files;
  relayout_scaled_view *const from = &work->from;
  relayout_scaled_view *const to = &work->to;
  part *const parts = work->parts;
  set_part(work, FROM_ELEMENTS, NULL, work->asked->input, true, &from->elements);
  set_part(work, FROM_SCALES, "--from-scales", files->from_scales, from->has_scales, &from->scales);
  set_part(work, FROM_ZERO_POINTS, "--from-zero-points", files->from_zero_points,
           from->has_zero_points, &from->zero_points);
  set_part(work, FROM_TENSOR_SCALE, "--from-tensor-scale", files->from_tensor_scale,
           from->has_tensor_scale, &from->tensor_scale);
  set_part(work, TO_TENSOR_SCALE, "--to-tensor-scale", files->to_tensor_scale, to->has_tensor_scale,
           &to->tensor_scale);
  set_part(work, TO_ZERO_POINTS, "--to-zero-points", files->to_zero_points, to->has_zero_points,
           &to->zero_points);
  set_part(work, TO_SCALES, "--to-scales", files->to_scales, to->has_scales, &to->scales);
  set_part(work, TO_ELEMENTS, NULL, work->asked->output, true, &to->elements);
  parts[FROM_ELEMENTS].blocks = from->block_format;
  parts[FROM_ELEMENTS].is_npy = input_is_npy;
  parts[TO_ELEMENTS].blocks = to->block_format;
  parts[TO_ELEMENTS].is_npy = output_is_npy;
}

/* That each part has a file, and each file is that of a part. */
static exit_code check_part(const part *of, part_name name) {
  const char *const side = name < TO_TENSOR_SCALE ? "--from" : "--to";
  const bool is_one = name == FROM_TENSOR_SCALE || name == TO_TENSOR_SCALE;
  const char *const what = name == FROM_ZERO_POINTS || name == TO_ZERO_POINTS ? "zero points"
                           : is_one                                           ? "tensor scale"
                                                                              : "scales";
  if ((of->path != NULL) != (of->view != NULL)) {
    return of->path == NULL
               ? report(EXIT_CODE_USAGE, "%s is missing: %s has %s%s", of->option, side,
                        is_one ? "a " : "", what)
               : report(EXIT_CODE_USAGE, "%s is not needed: %s has no %s", of->option, side, what);
  }
  return of->is_npy && of->blocks != RELAYOUT_BLOCK_FORMAT_NONE
             ? report(EXIT_CODE_USAGE,
                      "%s is a .npy file, but records of %s are for raw files alone", of->path,
                      relayout_block_format_name(of->blocks))
             : EXIT_CODE_OK;
}

static exit_code check_parts(const job *work) {
  const part *const parts = work->parts;
  exit_code code = EXIT_CODE_OK;
  for (part_name name = 0; name < PART_COUNT && code == EXIT_CODE_OK; name++) {
    code = check_part(&parts[name], name);
  }
  if (code == EXIT_CODE_OK && work->files->rule_text != NULL && !work->to.has_scales) {
    code = report(EXIT_CODE_USAGE, "--scale-rule is not needed: --to has no scales");
  }
  for (part_name name = TO_ZERO_POINTS; name <= TO_SCALES && code == EXIT_CODE_OK; name++) {
    if (parts[name].is_written && strcmp(parts[name].path, parts[TO_ELEMENTS].path) == 0) {
      code =
          report(EXIT_CODE_USAGE, "%s is %s, and so is OUT", parts[name].option, parts[name].path);
    }
  }
  if (code == EXIT_CODE_OK && parts[TO_ZERO_POINTS].is_written &&
      strcmp(parts[TO_ZERO_POINTS].path, parts[TO_SCALES].path) == 0) {
    code = report(EXIT_CODE_USAGE, "--to-zero-points is %s, and so is --to-scales",
                  parts[TO_SCALES].path);
  }
  return code;
}

static exit_code describe(const part *of, const relayout_scaled_view *side,
                          char text[RELAYOUT_SHAPE_TEXT_SIZE], size_t *size) {
  relayout_error error;
  relayout_status status;
  if (of->blocks != RELAYOUT_BLOCK_FORMAT_NONE) {
    relayout_scaled_view_format(side, text, RELAYOUT_SHAPE_TEXT_SIZE);
    status = relayout_scaled_view_elements_size(side, size, &error);
  } else {
    relayout_shape_format(&of->view->shape, text, RELAYOUT_SHAPE_TEXT_SIZE);
    status = relayout_shape_byte_size(&of->view->shape, size, &error);
  }
  return status == RELAYOUT_OK ? EXIT_CODE_OK : report_error(NULL, &error);
}

/* ---- Input ---------------------------------------------------------------------------------- */

static exit_code read_header(const part *of, stream_input *input) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(&of->view->shape, text, sizeof text);
  return npy_source_read(text, input, &of->view->byte_order, &of->view->shape);
}

static exit_code read_bytes(part *of, const relayout_scaled_view *side, stream_input *input) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  const exit_code code = describe(of, side, text, &of->size);
  return code == EXIT_CODE_OK ? tensor_move_read(input, true, text, of->size, &of->bytes) : code;
}

static exit_code read_file(const job *work, part *of, const relayout_scaled_view *side) {
  stream_input input;
  exit_code code = stream_open(of->path, &input);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  code = stream_peek(&input);
  if (code == EXIT_CODE_OK && !work->asked->raw) {
    code = file_kind_check(&input, of->is_npy ? FILE_KIND_NPY : NULL);
  }
  if (code == EXIT_CODE_OK && of->is_npy) {
    code = read_header(of, &input);
  }
  if (code == EXIT_CODE_OK) {
    code = read_bytes(of, side, &input);
  }
  stream_close(&input);
  return code;
}

/* What lies beside elements; of these, which may be much, the header alone. */
static exit_code read_beside(job *work, stream_input *input) {
  part *const elements = &work->parts[FROM_ELEMENTS];
  exit_code code = EXIT_CODE_OK;
  if (elements->is_npy && convert_scaled_is(work->asked->from)) {
    code = read_header(elements, input);
  }
  for (part_name name = FROM_SCALES; name <= TO_SCALES && code == EXIT_CODE_OK; name++) {
    part *const of = &work->parts[name];
    if (of->view != NULL && !of->is_written) {
      code = read_file(work, of, name < TO_TENSOR_SCALE ? &work->from : &work->to);
    }
  }
  return code;
}

/* ---- Output --------------------------------------------------------------------------------- */

static exit_code make_room(const job *work, part *of) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  const exit_code code = describe(of, &work->to, text, &of->size);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  of->bytes = calloc(of->size > 0 ? of->size : 1, 1);
  return of->bytes != NULL
             ? EXIT_CODE_OK
             : report(EXIT_CODE_FAILURE, "no memory for %zu bytes of %s", of->size, of->path);
}

static exit_code execute(const job *work) {
  const part *const parts = work->parts;
  const relayout_source_memory from = {.elements = parts[FROM_ELEMENTS].bytes,
                                       .scales = parts[FROM_SCALES].bytes,
                                       .zero_points = parts[FROM_ZERO_POINTS].bytes,
                                       .tensor_scale = parts[FROM_TENSOR_SCALE].bytes};
  const relayout_destination_memory to = {.elements = parts[TO_ELEMENTS].bytes,
                                          .scales = parts[TO_SCALES].bytes,
                                          .zero_points = parts[TO_ZERO_POINTS].bytes,
                                          .tensor_scale = parts[TO_TENSOR_SCALE].bytes};
  relayout_error error;
  const double begun = progress_seconds();
  if (relayout_plan_execute_many(work->plan, &from, &to, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  if (work->like->says) {
    report_line("%zu bytes of elements read and %zu written in memory in %.6f s",
                parts[FROM_ELEMENTS].size, parts[TO_ELEMENTS].size, progress_seconds() - begun);
  }
  return EXIT_CODE_OK;
}

static exit_code write_part(const part *of, stream_output *output) {
  exit_code code = EXIT_CODE_OK;
  if (of->is_npy) {
    char bytes[NPY_MAX_WRITTEN_SIZE];
    npy_header header = npy_describe(&of->view->shape);
    header.byte_order = of->view->byte_order;
    code = stream_write(output, bytes, npy_write(&header, bytes));
  }
  return code == EXIT_CODE_OK ? stream_write(output, of->bytes, of->size) : code;
}

/* OUT gets its name last: one that is there has scales and zero points beside it. */
static exit_code write_files(job *work) {
  enum { MOST = 3 };
  part *written[MOST];
  stream_output outputs[MOST];
  size_t count = 0;
  size_t open = 0;
  exit_code code = EXIT_CODE_OK;
  for (part_name name = TO_ZERO_POINTS; name <= TO_ELEMENTS; name++) {
    if (work->parts[name].is_written) {
      written[count++] = &work->parts[name];
    }
  }
  for (size_t i = 0; i < count && code == EXIT_CODE_OK; i++) {
    code = make_room(work, written[i]);
    if (code == EXIT_CODE_OK) {
      code = stream_create(written[i]->path, &outputs[i]);
      open += code == EXIT_CODE_OK;
    }
  }
  if (code == EXIT_CODE_OK) {
    code = execute(work);
  }
  for (size_t i = 0; i < count && code == EXIT_CODE_OK; i++) {
    code = write_part(written[i], &outputs[i]);
  }
  for (size_t i = 0; i < open; i++) {
    if (code == EXIT_CODE_OK) {
      code = stream_commit(&outputs[i]);
    } else {
      stream_abandon(&outputs[i]);
    }
  }
  return code;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void say_plan(const job *work) {
  char from[SCALED_TEXT_SIZE];
  char to[SCALED_TEXT_SIZE];
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(work->like->device, &info, NULL);
  relayout_scaled_view_format(&work->from, from, sizeof from);
  relayout_scaled_view_format(&work->to, to, sizeof to);
  report_line("%s to %s on %s (%s)", from, to, info.name, info.description);
}

static exit_code make_plan(job *work) {
  relayout_error error;
  if (relayout_plan_create_many(work->like->device, &work->from, &work->to, 1, &work->like->options,
                                &work->plan, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  if (work->like->says) {
    say_plan(work);
  }
  return EXIT_CODE_OK;
}

exit_code convert_scaled(const convert_request *asked, const convert_scaled_request *files,
                         const tensor_move *like, stream_input *input, bool input_is_npy,
                         bool output_is_npy) {
  job work = {.asked = asked, .files = files, .like = like};
  exit_code code = read_sides(&work);
  if (code == EXIT_CODE_OK) {
    set_parts(&work, input_is_npy, output_is_npy);
    code = check_parts(&work);
  }
  if (code == EXIT_CODE_OK) {
    code = read_beside(&work, input);
  }
  if (code == EXIT_CODE_OK) {
    code = make_plan(&work);
  }
  if (code == EXIT_CODE_OK) {
    code = read_bytes(&work.parts[FROM_ELEMENTS], &work.from, input);
  }
  if (code == EXIT_CODE_OK) {
    code = write_files(&work);
  }
  for (part_name name = 0; name < PART_COUNT; name++) {
    free(work.parts[name].bytes);
  }
  relayout_plan_destroy(work.plan);
  return code;
}
