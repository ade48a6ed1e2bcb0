/* convert_model.c: which tensors are relaid is decided first, and what all files begin with; then
 * each file is written in the order of its tensors, and at the end all files get their names. */
#include "convert_model.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gguf_header.h"
#include "json_text.h"
#include "model.h"
#include "npy.h"
#include "npy_source.h"
#include "safetensors.h"
#include "six_bits.h"

/* A file that is written. */
typedef struct made_file {
  safetensors header;
  size_t first; /* its tensor 0 has this number in the model */
  char *path;
  stream_output stream;
  bool is_begun;
} made_file;

/* How many tensors of each rank stay as they are because layouts do not fit them. */
typedef struct misfits {
  size_t of_rank[RELAYOUT_MAX_RANK + 1];
  size_t count;
} misfits;

typedef struct job {
  const convert_request *asked;
  const tensor_move *like;
  model from;
  bool *is_relaid; /* by the tensors' numbers in the model */
  size_t relaid_count;
  misfits misfits;
  size_t uneven_count; /* of those relaid whose rows cannot be interleaved as --to says */
  size_t file_count;   /* to be written */
  made_file *files;
  stream_output index;
} job;

/* Of the tensor of this number. */
static model_file *file_of(const job *work, size_t number) {
  model_file *file = work->from.files;
  while (number - file->first >= file->header.count) {
    file += 1;
  }
  return file;
}

static const safetensors_tensor *tensor_of(const job *work, size_t number) {
  const model_file *const file = file_of(work, number);
  return &file->header.tensors[number - file->first];
}

/* Whether its elements lie in blocks, as only .gguf files have them. */
static bool has_blocks(const job *work, size_t number) {
  return file_of(work, number)->is_gguf && gguf_header_has_blocks(tensor_of(work, number));
}

/* ---- Which tensors -------------------------------------------------------------------------- */

/* Says what there is where nothing of it was asked for. */
static exit_code fail_names(const job *work, const char *pattern) {
  const convert_request *const asked = work->asked;
  const size_t count = work->from.tensor_count;
  char names[256] = "";
  size_t length = 0;
  for (size_t i = 0; i < count && length < sizeof names; i++) {
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                               tensor_of(work, i)->name);
  }
  const char *const rest = length < sizeof names ? "" : " ...; 'relayout shape' lists all";
  if (count == 0) {
    return report(EXIT_CODE_BAD_INPUT, "%s has no tensors", asked->input);
  }
  if (pattern == NULL) {
    return report(EXIT_CODE_USAGE, "--tensor is missing: %s has %zu tensors: %s%s", asked->input,
                  count, names, rest);
  }
  return report(EXIT_CODE_BAD_INPUT, "--tensor '%s' matches none of the %zu tensors of %s: %s%s",
                pattern, count, asked->input, names, rest);
}

static bool matches_any(const job *work, const char *pattern) {
  for (size_t i = 0; i < work->from.tensor_count; i++) {
    if (tensor_choice_matches(pattern, tensor_of(work, i)->name)) {
      return true;
    }
  }
  return false;
}

static exit_code check_names(const job *work) {
  const tensor_choice *const choice = &work->asked->choice;
  if (!tensor_choice_is_made(choice)) {
    return fail_names(work, NULL);
  }
  for (size_t i = 0; i < choice->tensors.count; i++) {
    if (!matches_any(work, choice->tensors.of[i])) {
      return fail_names(work, choice->tensors.of[i]);
    }
  }
  for (size_t i = 0; i < choice->exceptions.count; i++) {
    const char *const pattern = choice->exceptions.of[i];
    if (strpbrk(pattern, "*?[") == NULL && !matches_any(work, pattern)) {
      return report(EXIT_CODE_BAD_INPUT, "--except '%s' names no tensor of %s", pattern,
                    work->asked->input);
    }
  }
  return EXIT_CODE_OK;
}

/* What is in the file: in blocks, of which only the values have a shape, or not. */
static relayout_status stored_shape(const job *work, size_t number, relayout_shape *shape,
                                    record_form *blocks, relayout_error *error) {
  const safetensors_tensor *const tensor = tensor_of(work, number);
  *blocks = (record_form){.format = RELAYOUT_BLOCK_FORMAT_NONE};
  if (has_blocks(work, number) && record_form_parse(tensor->dtype, strlen(tensor->dtype), blocks)) {
    *shape = tensor_move_block_shape(tensor->rank, tensor->dimensions);
    return relayout_shape_validate(shape, error);
  }
  return safetensors_shape(&file_of(work, number)->header, tensor, shape, error);
}

/* Whether --to interleaves more rows than this tensor has, or another number. */
static bool is_uneven(const job *work, const relayout_shape *shape) {
  const record_form *const blocks = &work->asked->blocks;
  return record_form_is(blocks) && tensor_move_suits_blocks(shape) &&
         !tensor_move_suits_rows(shape, blocks);
}

/* The records that a tensor of this shape gets: those of --to; under a pattern, one after the other
 * where they cannot be interleaved. */
static record_form blocks_for(const job *work, const char *name, const relayout_shape *shape) {
  record_form blocks = work->asked->blocks;
  if (is_uneven(work, shape) && !tensor_choice_names(&work->asked->choice, name)) {
    blocks.rows = 0;
    blocks.bytes = 0;
  }
  return blocks;
}

/* Whether the tensor changes: one that has the blocks of --to already is copied. */
static bool is_moved(const job *work, size_t number) {
  const safetensors_tensor *const tensor = tensor_of(work, number);
  relayout_shape shape;
  record_form blocks;
  if (!work->is_relaid[number] || !record_form_is(&work->asked->blocks) ||
      stored_shape(work, number, &shape, &blocks, NULL) != RELAYOUT_OK) {
    return work->is_relaid[number];
  }
  const record_form wanted = blocks_for(work, tensor->name, &shape);
  return blocks.format != wanted.format || blocks.rows != wanted.rows ||
         blocks.bytes != wanted.bytes;
}

/* Its rank, and whether that is the one of the layouts in --from and --to, or blocks suit it, and
 * whether its rows are uneven for them. What else is wrong with a shape is said later. */
static int32_t rank_of(const job *work, size_t number, bool *fits, bool *uneven) {
  const convert_request *const asked = work->asked;
  const safetensors_tensor *const tensor = tensor_of(work, number);
  relayout_shape shape;
  record_form blocks;
  *fits = true;
  *uneven = false;
  if (stored_shape(work, number, &shape, &blocks, NULL) != RELAYOUT_OK) {
    return tensor->rank;
  }
  if (asked->from != NULL) { /* which takes the dimensions as they are stored */
    shape = (relayout_shape){.element_type = shape.element_type, .rank = tensor->rank};
    relayout_layout_make_descending(shape.rank, &shape.layout, NULL);
    *fits = relayout_shape_parse_with_defaults(asked->from, &shape, &shape, NULL) !=
            RELAYOUT_SHAPE_MISMATCH;
  }
  const int32_t rank = shape.rank;
  if (record_form_is(&asked->blocks)) {
    *fits = *fits && tensor_move_suits_blocks(&shape);
    *uneven = is_uneven(work, &shape);
    return rank;
  }
  *fits = *fits && relayout_shape_parse_with_defaults(asked->to, &shape, &shape, NULL) !=
                       RELAYOUT_SHAPE_MISMATCH;
  return rank;
}

/* "2 tensors of rank 1, 1 of rank 4" */
static void describe_misfits(const misfits *found, size_t capacity, char *text) {
  size_t length = 0;
  text[0] = '\0';
  for (int32_t rank = 0; rank <= RELAYOUT_MAX_RANK && length < capacity; rank++) {
    const size_t count = found->of_rank[rank];
    if (count > 0) {
      const char *const noun = length > 0 ? "" : count == 1 ? " tensor" : " tensors";
      length += (size_t)snprintf(text + length, capacity - length, "%s%zu%s of rank %d",
                                 length > 0 ? ", " : "", count, noun, rank);
    }
  }
}

static const char *layouts_of(const convert_request *asked) {
  return asked->from != NULL ? "the layout of --from or --to" : "the layout of --to";
}

/* No tensor is chosen, though each pattern of --tensor has some. */
static exit_code fail_none_left(const convert_request *asked) {
  const tensor_choice *const choice = &asked->choice;
  const char *const those = choice->tensors.count > 0 ? " that --tensor chooses" : "";
  if (choice->rank_text == NULL) {
    return report(EXIT_CODE_BAD_INPUT, "--except excludes every tensor of %s%s", asked->input,
                  those);
  }
  return report(EXIT_CODE_BAD_INPUT, "--rank is %s, which no tensor of %s%s has%s",
                choice->rank_text, asked->input, those,
                choice->exceptions.count > 0 ? " but those of --except" : "");
}

static const char blocks_need[] =
    "blocks are for tensors of two or more dimensions, the last a multiple of 32";

/* Says under which patterns tensors stay as they are, once nothing is wrong. */
static void say_misfits(const job *work) {
  char text[512];
  const bool is_one = work->misfits.count == 1;
  describe_misfits(&work->misfits, sizeof text, text);
  if (work->misfits.count > 0 && record_form_is(&work->asked->blocks)) {
    report_line("%s %s copied as %s: %s", text, is_one ? "is" : "are",
                is_one ? "it is" : "they are", blocks_need);
  } else if (work->misfits.count > 0) {
    report_line("%s %s copied as %s: %s '%s' is of another rank", text, is_one ? "is" : "are",
                is_one ? "it is" : "they are", layouts_of(work->asked), work->asked->to);
  }
  if (work->uneven_count > 0) {
    const record_form *const blocks = &work->asked->blocks;
    report_line("%zu tensor%s %s, not %s: the last dimension but one is no multiple of %d",
                work->uneven_count, work->uneven_count == 1 ? " becomes" : "s become",
                relayout_block_format_name(blocks->format), work->asked->to, (int)blocks->rows);
  }
}

static exit_code check_chosen(const job *work) {
  const convert_request *const asked = work->asked;
  char text[512];
  describe_misfits(&work->misfits, sizeof text, text);
  if (work->relaid_count == 0 && work->misfits.count == 0) {
    return fail_none_left(asked);
  }
  if (work->relaid_count == 0 && record_form_is(&asked->blocks)) {
    return report(EXIT_CODE_BAD_INPUT, "--to %s fits none of the tensors that are chosen: %s; %s",
                  asked->to, text, blocks_need);
  }
  if (work->relaid_count == 0) {
    return report(EXIT_CODE_BAD_INPUT, "%s '%s' fits none of the tensors that are chosen: %s",
                  layouts_of(asked), asked->to, text);
  }
  if (!convert_model_is(asked->output)) {
    return work->relaid_count == 1
               ? EXIT_CODE_OK
               : report(EXIT_CODE_USAGE,
                        "%zu tensors of %s are chosen, but %s holds one; only a .safetensors or "
                        ".gguf OUT holds several",
                        work->relaid_count, asked->input, asked->output);
  }
  return EXIT_CODE_OK;
}

/* Under a pattern, tensors of other ranks than the layouts stay as they are. */
static exit_code choose(job *work) {
  const tensor_choice *const choice = &work->asked->choice;
  const exit_code code = check_names(work);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  work->is_relaid = calloc(work->from.tensor_count + 1, sizeof *work->is_relaid);
  if (work->is_relaid == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a list of tensors");
  }
  for (size_t i = 0; i < work->from.tensor_count; i++) {
    const char *const name = tensor_of(work, i)->name;
    bool fits;
    bool uneven;
    const int32_t rank = rank_of(work, i, &fits, &uneven);
    const bool is_meant = tensor_choice_has(choice, name, rank);
    work->is_relaid[i] = is_meant && (fits || tensor_choice_names(choice, name));
    work->relaid_count += work->is_relaid[i];
    work->uneven_count += work->is_relaid[i] && uneven;
    work->misfits.count += is_meant && !work->is_relaid[i];
    work->misfits.of_rank[rank] += is_meant && !work->is_relaid[i];
  }
  return check_chosen(work);
}

/* ---- Shapes --------------------------------------------------------------------------------- */

/* What a tensor is, and what it shall be. Messages are about it already. */
static exit_code read_shapes(const job *work, size_t number, tensor_move *move) {
  const convert_request *const asked = work->asked;
  const model_file *const file = file_of(work, number);
  const safetensors_tensor *const tensor = tensor_of(work, number);
  relayout_error error;
  relayout_shape stored;
  const relayout_status status = stored_shape(work, number, &stored, &move->from_blocks, &error);
  const bool has_known_blocks = record_form_is(&move->from_blocks);
  if (has_blocks(work, number) && !has_known_blocks) {
    return report(EXIT_CODE_BAD_INPUT,
                  "it is of type %s, which can only be copied from one .gguf file to another; "
                  "leave it out with --except",
                  tensor->dtype);
  }
  if (status != RELAYOUT_OK) {
    return report_error(file->path, &error);
  }
  if (has_known_blocks && asked->from != NULL) {
    return report(EXIT_CODE_USAGE, "--from has no meaning for a tensor in blocks, of type %s",
                  tensor->dtype);
  }
  move->from = stored;
  exit_code code = EXIT_CODE_OK;
  if (asked->from != NULL) {
    npy_header array = {.rank = tensor->rank};
    for (int32_t i = 0; i < tensor->rank; i++) {
      array.dimensions[i] = tensor->dimensions[i];
    }
    code = npy_source_stated(asked->from, &array, stored.element_type, &move->from);
  }
  if (code == EXIT_CODE_OK) {
    const record_form blocks = blocks_for(work, tensor->name, &move->from);
    code = tensor_move_aim(move, asked->to, &blocks);
  }
  size_t size = 0;
  relayout_shape_byte_size(&move->from, &size, NULL);
  move->packs_source =
      safetensors_packs(tensor) && relayout_element_type_bits(move->from.element_type) == 6;
  size = move->packs_source ? six_bits_size(size) : size;
  if (code == EXIT_CODE_OK && !has_known_blocks && size != tensor->end - tensor->begin) {
    code = report(EXIT_CODE_BAD_INPUT, "--from %s takes %zu bytes, but the tensor has %zu in %s",
                  asked->from, size, (size_t)(tensor->end - tensor->begin), file->path);
  }
  return code;
}

/* With a plan, which the caller destroys, also on failure. */
static exit_code begin_move(const job *work, size_t number, tensor_move *move) {
  *move = *work->like;
  const exit_code code = read_shapes(work, number, move);
  return code == EXIT_CODE_OK ? tensor_move_plan(move) : code;
}

/* ---- One tensor as a file ------------------------------------------------------------------- */

static exit_code extract_to(const job *work, size_t number, const tensor_move *move,
                            stream_output *output) {
  model_file *const file = file_of(work, number);
  char bytes[NPY_MAX_WRITTEN_SIZE];
  const char *const suffix = strrchr(work->asked->output, '.');
  npy_header header = npy_describe(&move->to);
  header.byte_order = move->to_order;
  const size_t size = suffix != NULL && strcmp(suffix, ".npy") == 0 ? npy_write(&header, bytes) : 0;
  const exit_code code =
      stream_seek(&file->input, file->data + (int64_t)tensor_of(work, number)->begin);
  return code == EXIT_CODE_OK ? tensor_move_run(move, &file->input, false, bytes, size, output)
                              : code;
}

static exit_code extract(job *work) {
  size_t number = 0;
  while (!work->is_relaid[number]) {
    number += 1;
  }
  tensor_move move;
  report_set_tensor(tensor_of(work, number)->name);
  exit_code code = begin_move(work, number, &move);
  stream_output output;
  if (code == EXIT_CODE_OK) {
    code = stream_create(work->asked->output, &output);
    if (code == EXIT_CODE_OK) {
      code = extract_to(work, number, &move, &output);
      if (code == EXIT_CODE_OK) {
        code = stream_commit(&output);
      } else {
        stream_abandon(&output);
      }
    }
  }
  relayout_plan_destroy(move.plan);
  report_set_tensor(NULL);
  return code;
}

/* ---- What files begin with ------------------------------------------------------------------ */

/* Room for one file, or as many as the input has. */
static exit_code plan_files(job *work) {
  const bool is_sharded = model_is_index(work->asked->output);
  const size_t count = is_sharded ? work->from.file_count : 1;
  work->files = calloc(count + 1, sizeof *work->files);
  bool is_done = work->files != NULL;
  work->file_count = is_done ? count : 0;
  for (size_t i = 0; i < work->from.file_count && is_done; i++) {
    const model_file *const file = &work->from.files[i];
    made_file *const made = &work->files[is_sharded ? i : 0];
    if (made->path == NULL) {
      made->first = file->first;
      made->path = is_sharded ? model_path_beside(work->asked->output, file->name)
                              : strdup(work->asked->output);
    }
    relayout_error error;
    if (safetensors_append(&file->header, &made->header, &error) != RELAYOUT_OK) {
      return report_error(made->path, &error);
    }
    is_done = made->path != NULL;
  }
  return is_done ? EXIT_CODE_OK : report(EXIT_CODE_FAILURE, "no memory for the names of files");
}

/* As what the file lists the tensor that the move makes. */
static relayout_status describe(safetensors *header, safetensors_tensor *tensor,
                                const tensor_move *move, relayout_error *error) {
  if (!record_form_is(&move->to_blocks)) {
    return safetensors_set_shape(header, tensor, &move->to, error);
  }
  char name[RECORD_FORM_NAME_SIZE];
  record_form_name(&move->to_blocks, name);
  return safetensors_set_stored(header, tensor, gguf_type_named(name)->name, &move->to,
                                tensor_move_block_bytes(move->to_blocks.format, &move->to), error);
}

/* All that can be wrong with a shape is so before anything is written. */
static exit_code set_shape(const job *work, size_t number, made_file *made,
                           safetensors_tensor *tensor) {
  relayout_error error;
  tensor_move move;
  report_set_tensor(tensor->name);
  exit_code code = begin_move(work, number, &move);
  relayout_plan_destroy(move.plan);
  if (code == EXIT_CODE_OK && describe(&made->header, tensor, &move, &error) != RELAYOUT_OK) {
    code = report_error(NULL, &error);
  }
  report_set_tensor(NULL);
  return code;
}

/* What is copied to a file of another kind has to have a type there. */
static exit_code check_copied(const job *work, size_t number, const made_file *made) {
  const safetensors_tensor *const tensor = tensor_of(work, number);
  return gguf_is(made->path) || !has_blocks(work, number)
             ? EXIT_CODE_OK
             : report(EXIT_CODE_BAD_INPUT,
                      "%s: tensor '%s' is of type %s, which only .gguf files have, not %s",
                      file_of(work, number)->path, tensor->name, tensor->dtype, made->path);
}

static exit_code set_shapes(const job *work, made_file *made) {
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < made->header.count && code == EXIT_CODE_OK; i++) {
    safetensors_tensor *const tensor = &made->header.tensors[i];
    const size_t number = made->first + tensor->number;
    code = is_moved(work, number) ? set_shape(work, number, made, tensor)
                                  : check_copied(work, number, made);
  }
  return code == EXIT_CODE_OK ? model_place(made->path, &made->header, work->asked->alignment)
                              : code;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static exit_code write_tensor(const job *work, size_t number, stream_output *output) {
  model_file *const file = file_of(work, number);
  const safetensors_tensor *const tensor = tensor_of(work, number);
  tensor_move move;
  exit_code code = stream_seek(&file->input, file->data + (int64_t)tensor->begin);
  if (code != EXIT_CODE_OK || !is_moved(work, number)) {
    return code == EXIT_CODE_OK
               ? stream_copy(&file->input, (int64_t)(tensor->end - tensor->begin), output)
               : code;
  }
  code = begin_move(work, number, &move);
  if (code == EXIT_CODE_OK) {
    move.says = work->asked->verbose;
    move.packs_destination = safetensors_packs_shape(&move.to);
    tensor_move_say(&move);
    code = tensor_move_run(&move, &file->input, false, NULL, 0, output);
  }
  relayout_plan_destroy(move.plan);
  return code;
}

static exit_code write_file(const job *work, made_file *made) {
  size_t size = 0;
  model_file *const kept = work->from.file_count == 1 ? &work->from.files[0] : NULL;
  exit_code code = stream_create(made->path, &made->stream);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  made->is_begun = true;
  code = model_write_header(made->path, &made->header, work->asked->alignment, kept, &made->stream,
                            &size);
  for (size_t i = 0; i < made->header.count && code == EXIT_CODE_OK; i++) {
    const safetensors_tensor *const tensor = &made->header.tensors[i];
    report_set_tensor(tensor->name);
    code = write_tensor(work, made->first + tensor->number, &made->stream);
    if (code == EXIT_CODE_OK && gguf_is(made->path)) {
      code = gguf_pad(&made->stream, work->asked->alignment);
    }
    report_set_tensor(NULL);
  }
  return code;
}

/* The index' text: as it was, but for how many bytes all tensors have. */
static char *index_text(const job *work) {
  uint64_t total = 0;
  for (size_t i = 0; i < work->file_count; i++) {
    total += safetensors_data_size(&work->files[i].header);
  }
  json_t *metadata = json_object_get(work->from.index, "metadata");
  if (metadata == NULL) {
    metadata = json_object();
    if (json_object_set_new(work->from.index, "metadata", metadata) != 0) {
      return NULL;
    }
  }
  return json_object_set_new(metadata, "total_size", json_integer((json_int_t)total)) == 0
             ? json_text_write_lines(work->from.index)
             : NULL;
}

static exit_code write_index(job *work, bool *is_begun) {
  char *const text = index_text(work);
  if (text == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for the text of %s", work->asked->output);
  }
  exit_code code = stream_create(work->asked->output, &work->index);
  *is_begun = code == EXIT_CODE_OK;
  if (code == EXIT_CODE_OK) {
    code = stream_write(&work->index, text, strlen(text));
  }
  if (code == EXIT_CODE_OK) {
    code = stream_write(&work->index, "\n", 1);
  }
  free(text);
  return code;
}

/* All files get their names, the index last; or none, where one could not be written. */
static exit_code finish(job *work, exit_code code, bool has_index) {
  for (size_t i = 0; i < work->file_count; i++) {
    made_file *const made = &work->files[i];
    if (made->is_begun && code == EXIT_CODE_OK) {
      code = stream_commit(&made->stream);
    } else if (made->is_begun) {
      stream_abandon(&made->stream);
    }
  }
  if (has_index && code == EXIT_CODE_OK) {
    return stream_commit(&work->index);
  }
  if (has_index) {
    stream_abandon(&work->index);
  }
  return code;
}

static exit_code write_model(job *work) {
  bool has_index = false;
  exit_code code = plan_files(work);
  for (size_t i = 0; i < work->file_count && code == EXIT_CODE_OK; i++) {
    code = set_shapes(work, &work->files[i]);
  }
  if (code == EXIT_CODE_OK) {
    say_misfits(work);
  }
  for (size_t i = 0; i < work->file_count && code == EXIT_CODE_OK; i++) {
    code = write_file(work, &work->files[i]);
  }
  if (code == EXIT_CODE_OK && model_is_index(work->asked->output)) {
    code = write_index(work, &has_index);
  }
  return finish(work, code, has_index);
}

/* ---- Which of both -------------------------------------------------------------------------- */

static bool is_same_file(const char *path, const struct stat *other) {
  struct stat found;
  return stat(path, &found) == 0 && found.st_dev == other->st_dev && found.st_ino == other->st_ino;
}

/* An index beside the old one would have its files take the place of the old one's. */
static exit_code check_place(const job *work) {
  struct stat index;
  struct stat file;
  if (stat(work->asked->input, &index) == 0 && is_same_file(work->asked->output, &index)) {
    return EXIT_CODE_OK;
  }
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < work->from.file_count && code == EXIT_CODE_OK; i++) {
    const model_file *const old = &work->from.files[i];
    char *const path = model_path_beside(work->asked->output, old->name);
    if (path == NULL) {
      code = report(EXIT_CODE_FAILURE, "no memory for the names of files");
    } else if (fstat(old->input.file, &file) == 0 && is_same_file(path, &file)) {
      code = report(EXIT_CODE_USAGE,
                    "the files of OUT %s would replace those of IN %s: put it into another folder",
                    work->asked->output, work->asked->input);
    }
    free(path);
  }
  return code;
}

static exit_code check_output(const job *work) {
  const char *const path = work->asked->output;
  if (!model_is_index(path)) {
    return EXIT_CODE_OK;
  }
  if (work->from.index == NULL) {
    return report(EXIT_CODE_USAGE, "OUT %s is an index, so IN must be one too, not %s", path,
                  work->asked->input);
  }
  const char *const slash = strrchr(path, '/');
  const char *const name = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < work->from.file_count; i++) {
    if (strcmp(work->from.files[i].name, name) == 0) {
      return report(EXIT_CODE_USAGE,
                    "OUT %s is also the name of a file with tensors that the index lists", path);
    }
  }
  return check_place(work);
}

static void free_job(job *work) {
  for (size_t i = 0; i < work->file_count; i++) {
    safetensors_free(&work->files[i].header);
    free(work->files[i].path);
  }
  free(work->files);
  free(work->is_relaid);
  model_close(&work->from);
}

exit_code convert_model(const convert_request *asked, const tensor_move *like) {
  tensor_move silent = *like;
  silent.says = false; /* until tensors are written */
  job work = {.asked = asked, .like = &silent};
  exit_code code = model_open(asked->input, &work.from);
  if (code == EXIT_CODE_OK) {
    code = check_output(&work);
  }
  if (code == EXIT_CODE_OK) {
    code = choose(&work);
  }
  if (code == EXIT_CODE_OK) {
    code = convert_model_is(asked->output) ? write_model(&work) : extract(&work);
  }
  free_job(&work);
  return code;
}

exit_code convert_model_header(const convert_request *asked, const char *name, tensor_move *move,
                               char **bytes, size_t *size) {
  safetensors made = {.count = 0};
  relayout_error error;
  move->packs_destination = safetensors_packs_shape(&move->to);
  relayout_status status = safetensors_add(&made, name, &move->to, &error);
  if (status == RELAYOUT_OK) {
    status = describe(&made, &made.tensors[0], move, &error);
  }
  exit_code code = status == RELAYOUT_OK ? model_place(asked->output, &made, asked->alignment)
                                         : report_error("--tensor", &error);
  if (code == EXIT_CODE_OK) {
    code = model_header_bytes(asked->output, &made, asked->alignment, bytes, size);
  }
  safetensors_free(&made);
  return code;
}
