/* tensor_move.c: by way of memory, or where that would be much, box by box. */
#include "tensor_move.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

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

exit_code tensor_move_plan(tensor_move *move) {
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

void tensor_move_say(const tensor_move *move) {
  if (!move->says) {
    return;
  }
  char from[RELAYOUT_SHAPE_TEXT_SIZE];
  char to[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(move->device, &info, NULL);
  relayout_shape_format(&move->from, from, sizeof from);
  relayout_shape_format(&move->to, to, sizeof to);
  report_line("%s to %s by %s on %s (%s)", from, to, relayout_plan_get_method(move->plan),
              info.name, info.description);
}

/* What was moved, and how fast; `how` says what was timed. */
static void say_speed(const tensor_move *move, const char *how, double seconds) {
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  if (!move->says || relayout_plan_get_info(move->plan, &info, NULL) != RELAYOUT_OK) {
    return;
  }
  const double bytes = (double)info.bytes_read + (double)info.bytes_written;
  report_line("%" PRIu64 " bytes read and %" PRIu64 " written %s in %.6f s: %.2f GB/s",
              info.bytes_read, info.bytes_written, how, seconds,
              seconds > 0 ? 1e-9 * bytes / seconds : 0.0);
}

/* ---- By way of memory ----------------------------------------------------------------------- */

static exit_code fail_size(const stream_input *input, const relayout_shape *shape, size_t size,
                           int64_t held) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, text, sizeof text);
  return report(EXIT_CODE_BAD_INPUT, "%s holds %" PRId64 " bytes of data, but %s takes %zu",
                input->name, held, text, size);
}

static exit_code check_end(stream_input *input, const relayout_shape *shape, size_t size) {
  uint8_t beyond;
  size_t got;
  const exit_code code = stream_read(input, &beyond, 1, &got);
  if (code == EXIT_CODE_OK && got > 0) {
    char text[RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape_format(shape, text, sizeof text);
    return report(EXIT_CODE_BAD_INPUT, "%s holds more bytes than the %zu that %s takes",
                  input->name, size, text);
  }
  return code;
}

static exit_code read_source(stream_input *input, bool ends_input, const relayout_shape *shape,
                             size_t size, uint8_t **source) {
  const int64_t remaining = stream_remaining(input);
  if (ends_input && remaining > 0 && remaining != (int64_t)size) {
    return fail_size(input, shape, size, remaining);
  }
  size_t got;
  const exit_code code = stream_read_all(input, size, source, &got);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (got < size) {
    return fail_size(input, shape, size, (int64_t)got);
  }
  return ends_input ? check_end(input, shape, size) : EXIT_CODE_OK;
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
  const size_t size = relayout_plan_destination_size(move->plan);
  uint8_t *const memory = calloc(size + DESTINATION_ALIGNMENT, 1);
  if (memory == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a destination of %zu bytes", size);
  }
  uint8_t *const destination = memory + (-(uintptr_t)memory % DESTINATION_ALIGNMENT);
  exit_code code = EXIT_CODE_OK;
  relayout_error error;
  const double begun = progress_seconds();
  if (relayout_plan_execute(move->plan, source, destination, &error) == RELAYOUT_OK) {
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
  const size_t source_size = relayout_plan_source_size(move->plan);
  exit_code code = read_source(input, ends_input, &move->from,
                               file_size(move->packs_source, source_size), &source);
  if (code == EXIT_CODE_OK && move->packs_source) {
    code = unpack(source_size, &source);
  }
  if (code == EXIT_CODE_OK) {
    code = move_and_write(move, source, header, size, output);
  }
  free(source);
  return code;
}

/* ---- From file to file ---------------------------------------------------------------------- */

/* Whether a large file is moved to another, from where both are; `*files` becomes how. */
static bool goes_by_boxes(const tensor_move *move, const stream_input *input, bool ends_input,
                          int64_t header_size, const stream_output *output,
                          large_files_job *files) {
  const int64_t source_size = (int64_t)relayout_plan_source_size(move->plan);
  const int64_t remaining = stream_remaining(input);
  *files = (large_files_job){.device = move->device,
                             .options = &move->options,
                             .box_bytes = LARGE_FILES_BOX_BYTES,
                             .source_size = (size_t)source_size,
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
         (ends_input ? remaining == source_size : remaining >= source_size) &&
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
