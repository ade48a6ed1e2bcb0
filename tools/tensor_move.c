/* tensor_move.c: by way of memory, or where that would be much, box by box. */
#include "tensor_move.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arguments.h"
#include "large_files.h"
#include "progress.h"
#include "six_bits.h"
#include "verify.h"

static relayout_status make_views(const tensor_move *move, relayout_view *from, relayout_view *to,
                                  relayout_error *error) {
  relayout_status status = relayout_view_make(&move->from, from, error);
  if (status == RELAYOUT_OK) {
    status = relayout_view_make(&move->to, to, error);
  }
  if (status == RELAYOUT_OK) {
    from->byte_order = move->from_order;
    to->byte_order = move->to_order;
  }
  return status;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

bool tensor_move_suits_blocks(const relayout_shape *shape) {
  return shape->rank > 1 && shape->dimensions[shape->rank - 1] % RELAYOUT_BLOCK_ELEMENTS == 0;
}

relayout_shape tensor_move_block_shape(int32_t rank, const int64_t *dimensions) {
  relayout_shape made = {.element_type = RELAYOUT_ELEMENT_TYPE_INVALID};
  relayout_shape_make(RELAYOUT_F32, rank, dimensions, &made, NULL);
  return made;
}

uint64_t tensor_move_block_bytes(relayout_block_format format, const relayout_shape *shape) {
  return (uint64_t)relayout_shape_element_count(shape) / RELAYOUT_BLOCK_ELEMENTS *
         relayout_block_format_record_bytes(format);
}

bool tensor_move_suits_rows(const relayout_shape *shape, const record_form *form) {
  return form->rows == 0 || shape->dimensions[shape->rank - 2] % form->rows == 0;
}

exit_code tensor_move_aim(tensor_move *move, const char *to, const record_form *blocks) {
  if (!record_form_is(blocks)) {
    return arguments_read_shape("--to", to, &move->from, &move->to);
  }
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(&move->from, text, sizeof text);
  if (!tensor_move_suits_blocks(&move->from)) {
    return report(EXIT_CODE_BAD_INPUT,
                  "--to: %s is for tensors of two or more dimensions, the last of which is a "
                  "multiple of %d, and this one is %s",
                  to, RELAYOUT_BLOCK_ELEMENTS, text);
  }
  if (!tensor_move_suits_rows(&move->from, blocks)) {
    return report(EXIT_CODE_BAD_INPUT,
                  "--to: %s is for tensors whose last dimension but one is a multiple of %d, and "
                  "this one is %s",
                  to, (int)blocks->rows, text);
  }
  move->to = tensor_move_block_shape(move->from.rank, move->from.dimensions);
  move->to_blocks = *blocks;
  return EXIT_CODE_OK;
}

static bool has_blocks(const tensor_move *move) {
  return record_form_is(&move->from_blocks) || record_form_is(&move->to_blocks);
}

/* The bytes of a side in memory. */
static size_t side_size(const record_form *blocks, const relayout_shape *shape) {
  size_t size = 0;
  if (record_form_is(blocks)) {
    return (size_t)tensor_move_block_bytes(blocks->format, shape);
  }
  relayout_shape_byte_size(shape, &size, NULL);
  return size;
}

static size_t source_size(const tensor_move *move) {
  return has_blocks(move) ? side_size(&move->from_blocks, &move->from)
                          : relayout_plan_source_size(move->plan);
}

static size_t destination_size(const tensor_move *move) {
  return has_blocks(move) ? side_size(&move->to_blocks, &move->to)
                          : relayout_plan_destination_size(move->plan);
}

/* Whether elements lie one behind the other, so that any part of them is a tensor. */
static bool is_dense(const relayout_shape *shape) {
  relayout_shape plain;
  return relayout_shape_make(shape->element_type, shape->rank, shape->dimensions, &plain, NULL) ==
             RELAYOUT_OK &&
         relayout_shape_equal(&plain, shape);
}

/* The least part of both sides: a block, or all blocks of rows that are interleaved. Dimensions
 * before the rows count as more rows, of which each has whole groups. */
static int64_t least_part(const tensor_move *move) {
  const int32_t from = move->from_blocks.rows;
  const int32_t to = move->to_blocks.rows;
  const int32_t rows = from > to ? from : to;
  return rows > 0 ? rows * move->from.dimensions[move->from.rank - 1] : RELAYOUT_BLOCK_ELEMENTS;
}

/* As many elements as fit into a box on both sides, in whole blocks; all of them where they do, or
 * where they do not lie in one order. */
static int64_t part_of(const tensor_move *move) {
  const int64_t count = relayout_shape_element_count(&move->from);
  const size_t from = side_size(&move->from_blocks, &move->from);
  const size_t to = side_size(&move->to_blocks, &move->to);
  const int64_t most = (int64_t)(from > to ? from : to);
  if (most <= LARGE_FILES_BOX_BYTES || move->packs_source || !is_dense(&move->from) ||
      !is_dense(&move->to)) {
    return count;
  }
  const int64_t least = least_part(move);
  const int64_t least_bytes = most / (count / least);
  const int64_t in_part = LARGE_FILES_BOX_BYTES / least_bytes;
  return (in_part > 0 ? in_part : 1) * least;
}

/* Makes a view of `count` elements of a side, in rows of `row` elements, or of all of it. Only a
 * part is cut into rows: a whole tensor may have no elements, and `row` is 0 then. */
static relayout_status make_scaled_view(const record_form *blocks, const relayout_shape *shape,
                                        relayout_byte_order order, int64_t count, int64_t row,
                                        relayout_scaled_view *made, relayout_error *error) {
  const bool is_whole = count == relayout_shape_element_count(shape);
  const int64_t part_of_it[] = {is_whole ? 0 : count / row, row};
  const int32_t rank = is_whole ? shape->rank : 2;
  const int64_t *const dimensions = is_whole ? shape->dimensions : part_of_it;
  if (record_form_is(blocks)) {
    return record_form_view(blocks, rank, dimensions, made, error);
  }
  relayout_shape part = *shape;
  relayout_view view;
  relayout_status status =
      is_whole ? RELAYOUT_OK
               : relayout_shape_make(shape->element_type, rank, dimensions, &part, error);
  if (status == RELAYOUT_OK) {
    status = relayout_view_make(&part, &view, error);
  }
  view.byte_order = order;
  return status == RELAYOUT_OK ? relayout_scaled_view_make(&view, made, error) : status;
}

/* The plan of so many elements. */
static relayout_status plan_part(const tensor_move *move, int64_t count, relayout_plan **plan,
                                 relayout_error *error) {
  relayout_scaled_view from;
  relayout_scaled_view to;
  const bool has_rows = move->from_blocks.rows > 0 || move->to_blocks.rows > 0;
  const int64_t row = has_rows ? move->from.dimensions[move->from.rank - 1] : count;
  relayout_status status =
      make_scaled_view(&move->from_blocks, &move->from, move->from_order, count, row, &from, error);
  if (status == RELAYOUT_OK) {
    status = make_scaled_view(&move->to_blocks, &move->to, move->to_order, count, row, &to, error);
  }
  return status == RELAYOUT_OK
             ? relayout_plan_create_many(move->device, &from, &to, 1, &move->options, plan, error)
             : status;
}

static exit_code plan_blocks(tensor_move *move) {
  const bool is_source = record_form_is(&move->from_blocks);
  const char *const misplaced = move->verifies                                     ? "--verify"
                                : move->options.schedule_count > 0                 ? "--schedule"
                                : move->options.overflow == RELAYOUT_OVERFLOW_WRAP ? "--wrap"
                                : move->options.scale != 0 && move->options.scale != 1 ? "--scale"
                                                                                       : NULL;
  if (misplaced != NULL) {
    char name[RECORD_FORM_NAME_SIZE];
    record_form_name(is_source ? &move->from_blocks : &move->to_blocks, name);
    return report(EXIT_CODE_USAGE, "%s cannot be had for tensors in blocks, as of %s; leave it out",
                  misplaced, name);
  }
  relayout_error error;
  move->part = part_of(move);
  if (plan_part(move, move->part, &move->plan, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  tensor_move_say(move);
  return EXIT_CODE_OK;
}

static relayout_status execute(const tensor_move *move, const relayout_plan *plan,
                               const uint8_t *source, uint8_t *destination, relayout_error *error) {
  const relayout_source_memory from = {.elements = source};
  const relayout_destination_memory to = {.elements = destination};
  return has_blocks(move) ? relayout_plan_execute_many(plan, &from, &to, error)
                          : relayout_plan_execute(plan, source, destination, error);
}

/* ---- What runs ------------------------------------------------------------------------------ */

exit_code tensor_move_plan(tensor_move *move) {
  if (has_blocks(move)) {
    return plan_blocks(move);
  }
  relayout_error error;
  relayout_view source;
  relayout_view destination;
  relayout_status status = make_views(move, &source, &destination, &error);
  if (status == RELAYOUT_OK) {
    status = relayout_plan_create_between(move->device, &source, &destination, &move->options,
                                          &move->plan, &error);
  }
  if (status != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  tensor_move_say(move);
  return EXIT_CODE_OK;
}

static void describe(const record_form *blocks, const relayout_shape *shape,
                     char text[RELAYOUT_SHAPE_TEXT_SIZE]) {
  relayout_scaled_view view;
  if (!record_form_is(blocks) ||
      record_form_view(blocks, shape->rank, shape->dimensions, &view, NULL) != RELAYOUT_OK) {
    relayout_shape_format(shape, text, RELAYOUT_SHAPE_TEXT_SIZE);
  } else {
    relayout_scaled_view_format(&view, text, RELAYOUT_SHAPE_TEXT_SIZE);
  }
}

void tensor_move_say(const tensor_move *move) {
  if (!move->says) {
    return;
  }
  char from[RELAYOUT_SHAPE_TEXT_SIZE];
  char to[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(move->device, &info, NULL);
  describe(&move->from_blocks, &move->from, from);
  describe(&move->to_blocks, &move->to, to);
  report_line("%s to %s by %s on %s (%s)", from, to, relayout_plan_get_method(move->plan),
              info.name, info.description);
}

/* What was moved, and how fast; `how` says what was timed. */
static void say_speed(const tensor_move *move, const char *how, double seconds) {
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  if (!move->says || relayout_plan_get_info(move->plan, &info, NULL) != RELAYOUT_OK) {
    return;
  }
  if (has_blocks(move)) { /* whose plan may be one of a part */
    info.bytes_read = source_size(move);
    info.bytes_written = destination_size(move);
  }
  const double bytes = (double)info.bytes_read + (double)info.bytes_written;
  report_line("%" PRIu64 " bytes read and %" PRIu64 " written %s in %.6f s: %.2f GB/s",
              info.bytes_read, info.bytes_written, how, seconds,
              seconds > 0 ? 1e-9 * bytes / seconds : 0.0);
}

/* ---- By way of memory ----------------------------------------------------------------------- */

static exit_code fail_size(const stream_input *input, const char *text, size_t size, int64_t held) {
  return report(EXIT_CODE_BAD_INPUT, "%s holds %" PRId64 " bytes of data, but %s takes %zu",
                input->name, held, text, size);
}

static exit_code check_end(stream_input *input, const char *text, size_t size) {
  uint8_t beyond;
  size_t got;
  const exit_code code = stream_read(input, &beyond, 1, &got);
  return code == EXIT_CODE_OK && got > 0
             ? report(EXIT_CODE_BAD_INPUT, "%s holds more bytes than the %zu that %s takes",
                      input->name, size, text)
             : code;
}

exit_code tensor_move_read(stream_input *input, bool ends_input, const char *text, size_t size,
                           uint8_t **bytes) {
  const int64_t remaining = stream_remaining(input);
  if (ends_input && remaining > 0 && remaining != (int64_t)size) {
    return fail_size(input, text, size, remaining);
  }
  size_t got;
  const exit_code code = stream_read_all(input, size, bytes, &got);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (got < size) {
    return fail_size(input, text, size, (int64_t)got);
  }
  return ends_input ? check_end(input, text, size) : EXIT_CODE_OK;
}

/* As much as any schedule asks of a destination: the largest line there is, and room to spare. */
enum { DESTINATION_ALIGNMENT = 4096 };

static exit_code verify_move(const tensor_move *move, const uint8_t *source, const uint8_t *result,
                             size_t size) {
  relayout_error error;
  relayout_view from;
  relayout_view to;
  return make_views(move, &from, &to, &error) == RELAYOUT_OK
             ? verify_views(&from, &to, &move->options, source, result, size)
             : report_error(NULL, &error);
}

/* What so many bytes take in a file. */
static size_t file_size(bool is_packed, size_t size) {
  return is_packed ? six_bits_size(size) : size;
}

/* Gives `*source` a byte for each of so many elements. */
static exit_code unpack(size_t count, uint8_t **source) {
  uint8_t *const elements = malloc(count > 0 ? count : 1);
  if (elements == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu elements", count);
  }
  six_bits_unpack(*source, elements, count);
  free(*source);
  *source = elements;
  return EXIT_CODE_OK;
}

static exit_code move_and_write(const tensor_move *move, const uint8_t *source, const void *header,
                                size_t header_size, stream_output *output) {
  const size_t size = destination_size(move);
  uint8_t *const memory = calloc(size + DESTINATION_ALIGNMENT, 1);
  if (memory == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a destination of %zu bytes", size);
  }
  uint8_t *const destination = memory + (-(uintptr_t)memory % DESTINATION_ALIGNMENT);
  exit_code code = EXIT_CODE_OK;
  relayout_error error;
  const double begun = progress_seconds();
  if (execute(move, move->plan, source, destination, &error) == RELAYOUT_OK) {
    say_speed(move, "in memory", progress_seconds() - begun);
  } else {
    code = report_error(NULL, &error);
  }
  if (code == EXIT_CODE_OK && move->verifies) {
    code = verify_move(move, source, destination, size);
  }
  if (code == EXIT_CODE_OK) {
    code = stream_write(output, header, header_size);
  }
  if (code == EXIT_CODE_OK) {
    if (move->packs_destination) {
      six_bits_pack(destination, destination, size);
    }
    code = stream_write(output, destination, file_size(move->packs_destination, size));
  }
  free(memory);
  return code;
}

static exit_code move_whole(const tensor_move *move, stream_input *input, bool ends_input,
                            const void *header, size_t size, stream_output *output) {
  uint8_t *source = NULL;
  const size_t in_memory = source_size(move);
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  describe(&move->from_blocks, &move->from, text);
  exit_code code =
      tensor_move_read(input, ends_input, text, file_size(move->packs_source, in_memory), &source);
  if (code == EXIT_CODE_OK && move->packs_source) {
    code = unpack(in_memory, &source);
  }
  if (code == EXIT_CODE_OK) {
    code = move_and_write(move, source, header, size, output);
  }
  free(source);
  return code;
}

/* ---- Blocks by parts ------------------------------------------------------------------------ */

/* What goes through memory, a part of it at a time. */
typedef struct parts {
  relayout_plan *rest; /* of the last part, where that is a smaller one */
  uint8_t *source;
  uint8_t *destination;
  size_t source_bytes; /* of a block */
  size_t destination_bytes;
} parts;

static exit_code begin_parts(const tensor_move *move, parts *of) {
  const int64_t count = relayout_shape_element_count(&move->from);
  const size_t blocks = (size_t)(count / RELAYOUT_BLOCK_ELEMENTS);
  const size_t in_part = (size_t)(move->part / RELAYOUT_BLOCK_ELEMENTS);
  relayout_error error;
  of->source_bytes = source_size(move) / blocks;
  of->destination_bytes = destination_size(move) / blocks;
  of->source = malloc(in_part * of->source_bytes);
  of->destination = malloc(in_part * of->destination_bytes);
  if (of->source == NULL || of->destination == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu blocks", in_part);
  }
  const int64_t rest = count % move->part;
  return rest == 0 || plan_part(move, rest, &of->rest, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(NULL, &error);
}

static exit_code move_part(const tensor_move *move, const parts *of, int64_t count,
                           stream_input *input, stream_output *output) {
  const size_t blocks = (size_t)(count / RELAYOUT_BLOCK_ELEMENTS);
  relayout_error error;
  size_t got = 0;
  exit_code code = stream_read(input, of->source, blocks * of->source_bytes, &got);
  if (code == EXIT_CODE_OK && got < blocks * of->source_bytes) {
    return report(EXIT_CODE_BAD_INPUT, "%s ends before the tensor does", input->name);
  }
  if (code == EXIT_CODE_OK && execute(move, count == move->part ? move->plan : of->rest, of->source,
                                      of->destination, &error) != RELAYOUT_OK) {
    code = report_error(NULL, &error);
  }
  return code == EXIT_CODE_OK
             ? stream_write(output, of->destination, blocks * of->destination_bytes)
             : code;
}

static exit_code move_parts(const tensor_move *move, const parts *of, stream_input *input,
                            stream_output *output) {
  const int64_t count = relayout_shape_element_count(&move->from);
  progress bar = progress_begin_bytes("moving", (uint64_t)count,
                                      source_size(move) + destination_size(move), 1);
  exit_code code = EXIT_CODE_OK;
  for (int64_t moved = 0; moved < count && code == EXIT_CODE_OK;) {
    const int64_t some = count - moved < move->part ? count - moved : move->part;
    code = move_part(move, of, some, input, output);
    moved += some;
    progress_update(&bar, (uint64_t)moved);
  }
  progress_end(&bar);
  return code;
}

static exit_code move_by_parts(const tensor_move *move, stream_input *input, bool ends_input,
                               const void *header, size_t size, stream_output *output) {
  parts of = {.rest = NULL};
  const size_t all = source_size(move);
  const int64_t remaining = stream_remaining(input);
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  describe(&move->from_blocks, &move->from, text);
  exit_code code = ends_input && remaining > 0 && remaining != (int64_t)all
                       ? fail_size(input, text, all, remaining)
                       : begin_parts(move, &of);
  const double begun = progress_seconds();
  if (code == EXIT_CODE_OK) {
    code = stream_write(output, header, size);
  }
  if (code == EXIT_CODE_OK) {
    code = move_parts(move, &of, input, output);
  }
  if (code == EXIT_CODE_OK && ends_input) {
    code = check_end(input, text, all);
  }
  if (code == EXIT_CODE_OK) {
    say_speed(move, "from file to file", progress_seconds() - begun);
  }
  relayout_plan_destroy(of.rest);
  free(of.source);
  free(of.destination);
  return code;
}

/* ---- From file to file ---------------------------------------------------------------------- */

/* Whether a large file is moved to another, from where both are; `*files` becomes how. */
static bool goes_by_boxes(const tensor_move *move, const stream_input *input, bool ends_input,
                          int64_t header_size, const stream_output *output,
                          large_files_job *files) {
  if (has_blocks(move)) {
    return false;
  }
  const int64_t all = (int64_t)relayout_plan_source_size(move->plan);
  const int64_t remaining = stream_remaining(input);
  *files = (large_files_job){.device = move->device,
                             .options = &move->options,
                             .box_bytes = LARGE_FILES_BOX_BYTES,
                             .source_size = (size_t)all,
                             .destination_size = relayout_plan_destination_size(move->plan),
                             .source_name = input->name,
                             .source_file = input->file,
                             .source_start = stream_position(input),
                             .destination_name = output->name,
                             .destination_file = output->file,
                             .destination_start = output->written + header_size};
  for (int32_t d = 0; d < move->from.rank; d++) {
    files->sizes[d] = move->from.dimensions[d];
  }
  return !move->packs_source && !move->packs_destination && !move->verifies &&
         move->options.schedule_count == 0 && output->is_whole && files->source_start >= 0 &&
         (ends_input ? remaining == all : remaining >= all) &&
         make_views(move, &files->from, &files->to, NULL) == RELAYOUT_OK && large_files_suit(files);
}

/* `*is_done` becomes false where nothing has happened yet. */
static exit_code move_by_boxes(large_files_job *files, const void *header, size_t size,
                               stream_output *output, bool *is_done) {
  const int64_t begin = output->written;
  relayout_error refusal;
  exit_code code = stream_write(output, header, size);
  if (code == EXIT_CODE_OK) {
    const int64_t count = relayout_shape_element_count(&files->from.shape);
    progress bar = progress_begin_bytes("moving", (uint64_t)count,
                                        files->source_size + files->destination_size, 1);
    large_files_memory memory[2] = {{.size = 0}, {.size = 0}};
    files->bar = &bar;
    files->memory = memory;
    code = large_files_move(files, is_done, &refusal);
    large_files_free(memory);
    progress_end(&bar);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  return *is_done ? stream_go_on(output, (int64_t)files->destination_size)
                  : stream_rewind(output, begin);
}

exit_code tensor_move_run(const tensor_move *move, stream_input *input, bool ends_input,
                          const void *header, size_t size, stream_output *output) {
  if (has_blocks(move) && move->part < relayout_shape_element_count(&move->from)) {
    return move_by_parts(move, input, ends_input, header, size, output);
  }
  large_files_job files;
  bool is_done = false;
  exit_code code = EXIT_CODE_OK;
  if (goes_by_boxes(move, input, ends_input, (int64_t)size, output, &files)) {
    const double begun = progress_seconds();
    code = move_by_boxes(&files, header, size, output, &is_done);
    if (code == EXIT_CODE_OK && is_done) {
      say_speed(move, "from file to file", progress_seconds() - begun);
    }
  }
  return code == EXIT_CODE_OK && !is_done
             ? move_whole(move, input, ends_input, header, size, output)
             : code;
}
