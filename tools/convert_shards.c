/* convert_shards.c: what each tensor is on either side is decided first, and what all files begin
 * with. Then tensors move one after the other, each shard of the destination from the shards that
 * have its parts; and at the end all files get their names. */
#include "convert_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "large_files.h"
#include "sharded_model.h"
#include "sharding_rules.h"
#include "size_text.h"

/* A quarter of it may be one side of a box, whose runs would be short with less. */
#define LEAST_MEMORY   (UINT64_C(64) << 20)
#define MOST_MEMORY    (UINT64_C(1) << 50)
#define DEFAULT_MEMORY (4 * (uint64_t)LARGE_FILES_BOX_BYTES)

/* A tensor on both sides. */
typedef struct moved_tensor {
  const sharded_tensor *source;
  relayout_shape from;
  relayout_shape to;
  const relayout_sharding *from_sharding;
  const relayout_sharding *to_sharding;
  bool is_chosen; /* by a rule, or --tensor and the like; else it is replicated */
} moved_tensor;

/* A file that is written. */
typedef struct made_file {
  char *path;
  safetensors header;
  size_t *numbers; /* of its tensors among all, in the order in which they were added */
  const safetensors_tensor **tensors; /* by their numbers among all; NULL: not in this file */
  int64_t data;                       /* where its tensors begin */
  stream_output stream;
  bool is_begun;
} made_file;

typedef struct job {
  const convert_request *asked;
  const convert_shards_request *shards;
  const tensor_move *like;
  sharding_rules rules;
  relayout_sharding given_from, given_to, replicated;
  int64_t from_devices, to_devices;
  uint64_t memory;
  sharded_model from;
  moved_tensor *tensors; /* as many as `from` has */
  made_file *files;      /* one for each device */
  int64_t file_count;
  uint64_t elements; /* of all files that are written */
  uint64_t moved;    /* of these, so far */
  progress bar;
  large_files_memory room[2];
} job;

/* ---- What is asked for ---------------------------------------------------------------------- */

/* Options that have no meaning here. */
static const char *misplaced_option(const convert_request *asked) {
  return asked->from != NULL          ? "--from"
         : asked->raw                 ? "--raw"
         : asked->byte_order != NULL  ? "--byte-order"
         : asked->verify              ? "--verify"
         : asked->schedules.count > 0 ? "--schedule"
                                      : NULL;
}

static exit_code check_rules(const convert_request *asked, const convert_shards_request *shards) {
  if (shards->rules == NULL) {
    return tensor_choice_is_made(&asked->choice)
               ? EXIT_CODE_OK
               : report(EXIT_CODE_USAGE, "--tensor is missing, and so is --rules: one of them says "
                                         "which tensors have shardings; --tensor '*' is for all");
  }
  const bool has_sharding = shards->from_sharding != NULL || shards->to_sharding != NULL;
  return has_sharding || tensor_choice_is_made(&asked->choice)
             ? report(EXIT_CODE_USAGE,
                      "--rules says which tensors have which shardings; %s cannot stand beside it",
                      has_sharding ? "--from-sharding and --to-sharding"
                                   : "--tensor, --except and --rank")
             : EXIT_CODE_OK;
}

/* A side's sharding is asked for where, and only where, it has a file for each device. */
static exit_code check_side(const char *option, const char *sharding, const char *operand,
                            const char *path, const char *rules) {
  if (sharded_model_is(path) && sharding == NULL && rules == NULL) {
    return report(EXIT_CODE_USAGE, "%s is missing: %s %s is a file of each device", option, operand,
                  path);
  }
  return !sharded_model_is(path) && sharding != NULL
             ? report(EXIT_CODE_USAGE,
                      "%s needs an %s with {device} in its name, for a file of each device, not %s",
                      option, operand, path)
             : EXIT_CODE_OK;
}

exit_code convert_shards_check(const convert_request *asked, const convert_shards_request *shards) {
  const char *const misplaced = misplaced_option(asked);
  if (!convert_model_is(asked->input) || gguf_is(asked->input) || !model_is_file(asked->output)) {
    return report(EXIT_CODE_USAGE,
                  "shardings need .safetensors files: an IN that is one for each device or a whole "
                  "model, and such an OUT, not %s and %s",
                  asked->input, asked->output);
  }
  if (misplaced != NULL) {
    return report(EXIT_CODE_USAGE, "%s has no meaning where tensors are sharded", misplaced);
  }
  exit_code code =
      check_side("--from-sharding", shards->from_sharding, "IN", asked->input, shards->rules);
  if (code == EXIT_CODE_OK) {
    code = check_side("--to-sharding", shards->to_sharding, "OUT", asked->output, shards->rules);
  }
  return code == EXIT_CODE_OK ? check_rules(asked, shards) : code;
}

/* ---- Devices -------------------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* How many files a side has: as many as its shardings name devices; 1 where it is one file. */
static exit_code count_devices(const job *work, bool is_from, uint64_t asked, int64_t *count) {
  const char *const path = is_from ? work->asked->input : work->asked->output;
  *count = arguments_named_devices(is_from ? &work->given_from : &work->given_to);
  for (size_t i = 0; i < work->rules.count; i++) {
    const sharding_rule *const rule = &work->rules.of[i];
    *count = larger(*count, arguments_named_devices(is_from ? &rule->from : &rule->to));
  }
  if (!sharded_model_is(path)) {
    if (*count > 1) {
      return report(EXIT_CODE_BAD_INPUT,
                    "%s is one file, but the rules' shardings name %" PRId64
                    " devices on that side; put {device} in its name",
                    path, *count);
    }
    *count = 1;
    return EXIT_CODE_OK;
  }
  *count = larger(*count, (int64_t)asked);
  if (*count == 0) {
    return report(EXIT_CODE_USAGE,
                  "--devices is missing: no sharding says how many files %s stands for", path);
  }
  return *count <= SHARDED_MODEL_MOST_DEVICES
             ? EXIT_CODE_OK
             : report(EXIT_CODE_BAD_INPUT, "%s stands for %" PRId64 " files; at most %d are moved",
                      path, *count, SHARDED_MODEL_MOST_DEVICES);
}

/* A file of one device more is a mistake, unless --devices says so. */
static exit_code check_next(const job *work) {
  char *const next = sharded_model_path(work->asked->input, work->from_devices);
  exit_code code = EXIT_CODE_OK;
  if (next != NULL && access(next, F_OK) == 0) {
    code = report(EXIT_CODE_BAD_INPUT,
                  "%s is there, but the shardings name %" PRId64
                  " devices for IN; --devices says how many there are",
                  next, work->from_devices);
  }
  free(next);
  return code;
}

static exit_code read_shardings(job *work) {
  const convert_shards_request *const shards = work->shards;
  exit_code code = EXIT_CODE_OK;
  if (shards->from_sharding != NULL) {
    code =
        arguments_read_sharding("--from-sharding", shards->from_sharding, NULL, &work->given_from);
  }
  if (code == EXIT_CODE_OK && shards->to_sharding != NULL) {
    code = arguments_read_sharding("--to-sharding", shards->to_sharding, NULL, &work->given_to);
  }
  if (code == EXIT_CODE_OK && shards->rules != NULL) {
    code = sharding_rules_read(shards->rules, &work->rules);
  }
  return code;
}

static exit_code read_request(job *work) {
  uint64_t devices = 0;
  exit_code code = read_shardings(work);
  work->memory = DEFAULT_MEMORY;
  if (code == EXIT_CODE_OK && work->shards->devices != NULL) {
    code = arguments_read_count("--devices", work->shards->devices, 1, SHARDED_MODEL_MOST_DEVICES,
                                &devices);
  }
  if (code == EXIT_CODE_OK && work->shards->memory != NULL) {
    code = arguments_read_size("--memory", work->shards->memory, LEAST_MEMORY, MOST_MEMORY,
                               &work->memory);
  }
  if (code == EXIT_CODE_OK) {
    code = count_devices(work, true, devices, &work->from_devices);
  }
  if (code == EXIT_CODE_OK && devices == 0 && sharded_model_is(work->asked->input)) {
    code = check_next(work);
  }
  return code == EXIT_CODE_OK ? count_devices(work, false, devices, &work->to_devices) : code;
}

/* ---- Tensors -------------------------------------------------------------------------------- */

/* The first place of a tensor says what rank it has. */
static int32_t rank_of(const job *work, const sharded_tensor *tensor) {
  int64_t device = 0;
  while (device < work->from.device_count - 1 && tensor->places[device].tensor == NULL) {
    device += 1;
  }
  return tensor->places[device].tensor->rank;
}

/* Which shardings it has, and what its shape is to become, NULL for the same. */
static const char *choose(const job *work, moved_tensor *made) {
  const char *const name = made->source->name;
  const sharding_rule *const rule = sharding_rules_find(&work->rules, name);
  made->from_sharding = made->to_sharding = &work->replicated;
  if (rule != NULL) {
    made->is_chosen = true;
    made->from_sharding = &rule->from;
    made->to_sharding = &rule->to;
    return rule->shape != NULL ? rule->shape : work->asked->to;
  }
  if (work->shards->rules == NULL &&
      tensor_choice_has(&work->asked->choice, name, rank_of(work, made->source))) {
    made->is_chosen = true;
    made->from_sharding = &work->given_from;
    made->to_sharding = &work->given_to;
    return work->asked->to;
  }
  return NULL;
}

static exit_code set_tensor(const job *work, moved_tensor *made) {
  relayout_error error;
  const char *const shape = choose(work, made);
  exit_code code = sharded_model_shape(&work->from, made->source, made->from_sharding, &made->from);
  made->to = made->from;
  if (code == EXIT_CODE_OK && shape != NULL) {
    code = arguments_read_shape("--to", shape, &made->from, &made->to);
  }
  if (code == EXIT_CODE_OK && relayout_sharding_validate(made->to_sharding, &made->to,
                                                         work->to_devices, &error) != RELAYOUT_OK) {
    code = report_error("on the side of OUT", &error);
  }
  if (code == EXIT_CODE_OK && safetensors_packs_shape(&made->to)) {
    code = report(EXIT_CODE_BAD_INPUT, "its elements of 6 bits would be packed in OUT, which no "
                                       "shards can have");
  }
  return code;
}

/* A pattern that matches nothing is a mistake where it is on the command line. A file of rules may
 * be for models of several kinds. */
static exit_code check_patterns(const job *work) {
  const tensor_choice *const choice = &work->asked->choice;
  size_t chosen = 0;
  for (size_t i = 0; i < work->from.tensor_count; i++) {
    chosen += work->tensors[i].is_chosen;
  }
  for (size_t i = 0; i < choice->tensors.count; i++) {
    size_t t = 0;
    while (t < work->from.tensor_count &&
           !tensor_choice_matches(choice->tensors.of[i], work->from.tensors[t].name)) {
      t += 1;
    }
    if (t == work->from.tensor_count) {
      return report(EXIT_CODE_BAD_INPUT, "--tensor '%s' matches none of the %zu tensors of %s",
                    choice->tensors.of[i], work->from.tensor_count, work->asked->input);
    }
  }
  return chosen > 0 ? EXIT_CODE_OK
                    : report(EXIT_CODE_BAD_INPUT, "%s chooses none of the %zu tensors of %s",
                             work->shards->rules != NULL ? work->shards->rules
                                                         : "what --except and --rank leave",
                             work->from.tensor_count, work->asked->input);
}

static exit_code set_tensors(job *work) {
  exit_code code = EXIT_CODE_OK;
  work->tensors = calloc(work->from.tensor_count + 1, sizeof *work->tensors);
  if (work->tensors == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a list of tensors");
  }
  for (size_t i = 0; i < work->from.tensor_count && code == EXIT_CODE_OK; i++) {
    moved_tensor *const made = &work->tensors[i];
    made->source = &work->from.tensors[i];
    report_set_tensor(made->source->name);
    code = set_tensor(work, made);
    if (code != EXIT_CODE_OK && !made->is_chosen) {
      report_line("no rule and no --tensor gives it a sharding, so it counts as {replicated}");
    }
    report_set_tensor(NULL);
  }
  return code == EXIT_CODE_OK ? check_patterns(work) : code;
}

/* ---- What files begin with ------------------------------------------------------------------ */

static exit_code begin_header(const job *work, int64_t device, made_file *made) {
  const model *const first = &work->from.models[0];
  relayout_error error;
  made->path = sharded_model_path(work->asked->output, device);
  made->numbers = calloc(work->from.tensor_count + 1, sizeof *made->numbers);
  made->tensors = calloc(work->from.tensor_count + 1, sizeof(safetensors_tensor *));
  if (made->path == NULL || made->numbers == NULL || made->tensors == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for the tensors of %zu files",
                  (size_t)work->file_count);
  }
  return first->file_count == 0 || safetensors_append_metadata(&first->files[0].header,
                                                               &made->header, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(made->path, &error);
}

/* A device's shard of a tensor, an empty one too. */
static exit_code add_shard(job *work, size_t number, int64_t device) {
  const moved_tensor *const tensor = &work->tensors[number];
  made_file *const made = &work->files[device];
  relayout_error error;
  relayout_shape shard;
  made->numbers[made->header.count] = number;
  if (relayout_sharding_local_shape(tensor->to_sharding, &tensor->to, device, &shard, &error) !=
          RELAYOUT_OK ||
      safetensors_add(&made->header, tensor->source->name, &shard, &error) != RELAYOUT_OK) {
    return report_error(made->path, &error);
  }
  work->elements += (uint64_t)relayout_shape_element_count(&shard);
  return EXIT_CODE_OK;
}

static exit_code add_tensor(job *work, size_t number) {
  const relayout_sharding *const sharding = work->tensors[number].to_sharding;
  const int64_t named = relayout_sharding_device_count(sharding);
  const int64_t count = named > 0 ? named : work->file_count;
  exit_code code = EXIT_CODE_OK;
  report_set_tensor(work->tensors[number].source->name);
  for (int64_t i = 0; i < count && code == EXIT_CODE_OK; i++) {
    int64_t device = i;
    if (named > 0) {
      relayout_sharding_device(sharding, i, &device, NULL);
    }
    code = add_shard(work, number, device);
  }
  report_set_tensor(NULL);
  return code;
}

static exit_code plan_files(job *work) {
  exit_code code = EXIT_CODE_OK;
  work->files = calloc((size_t)work->to_devices, sizeof *work->files);
  if (work->files == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %" PRId64 " files", work->to_devices);
  }
  work->file_count = work->to_devices;
  for (int64_t i = 0; i < work->file_count && code == EXIT_CODE_OK; i++) {
    code = begin_header(work, i, &work->files[i]);
  }
  for (size_t i = 0; i < work->from.tensor_count && code == EXIT_CODE_OK; i++) {
    code = add_tensor(work, i);
  }
  for (int64_t i = 0; i < work->file_count && code == EXIT_CODE_OK; i++) {
    made_file *const made = &work->files[i];
    safetensors_place(&made->header, work->asked->alignment); /* in another order, perhaps */
    for (size_t t = 0; t < made->header.count; t++) {
      const safetensors_tensor *const tensor = &made->header.tensors[t];
      made->tensors[made->numbers[tensor->number]] = tensor;
    }
  }
  return code;
}

/* ---- What would move ------------------------------------------------------------------------ */

static void say_side(const relayout_shape *shape, const relayout_sharding *sharding,
                     const char *end) {
  char shape_text[RELAYOUT_SHAPE_TEXT_SIZE];
  char sharding_text[RELAYOUT_SHARDING_TEXT_SIZE];
  relayout_shape_format(shape, shape_text, sizeof shape_text);
  relayout_sharding_format(sharding, sharding_text, sizeof sharding_text);
  printf("%s %s%s", shape_text, sharding_text, end);
}

static void say_plan(const job *work) {
  uint64_t written = 0;
  for (size_t i = 0; i < work->from.tensor_count; i++) {
    const moved_tensor *const tensor = &work->tensors[i];
    printf("%s\n  from ", tensor->source->name);
    say_side(&tensor->from, tensor->from_sharding, "\n  to   ");
    say_side(&tensor->to, tensor->to_sharding, "\n");
  }
  printf("\n");
  for (int64_t i = 0; i < work->file_count; i++) {
    const made_file *const file = &work->files[i];
    char size[SIZE_TEXT_CAPACITY];
    size_text(safetensors_data_size(&file->header), size);
    printf("%s: %zu tensors, %s\n", file->path, file->header.count, size);
    written += safetensors_data_size(&file->header);
  }
  char all[SIZE_TEXT_CAPACITY];
  size_text(written, all);
  printf("files read: %" PRId64 ", written: %" PRId64 ", of %s\n", work->from_devices,
         work->to_devices, all);
}

/* ---- Moving --------------------------------------------------------------------------------- */

/* From one file to another. */
static exit_code move_box(job *work, const moved_tensor *tensor, size_t number,
                          const relayout_exchange_message *message, int64_t box, int64_t device) {
  const sharded_place *const place = &tensor->source->places[message->peer];
  made_file *const made = &work->files[device];
  relayout_error error;
  relayout_shape shards[2];
  bool is_done = false;
  large_files_job files = {.device = work->like->device,
                           .options = &work->like->options,
                           .box_bytes = (int64_t)(work->memory / 4),
                           .source_name = place->file->path,
                           .source_file = place->file->input.file,
                           .source_start = place->file->data + (int64_t)place->tensor->begin,
                           .destination_name = made->path,
                           .destination_file = made->stream.file,
                           .destination_start = made->data + (int64_t)made->tensors[number]->begin,
                           .memory = work->room,
                           .bar = &work->bar,
                           .moved_before = work->moved};
  if (relayout_sharding_local_shape(tensor->from_sharding, &tensor->from, message->peer, &shards[0],
                                    &error) != RELAYOUT_OK ||
      relayout_sharding_local_shape(tensor->to_sharding, &tensor->to, device, &shards[1], &error) !=
          RELAYOUT_OK ||
      relayout_view_make(&shards[0], &files.from, &error) != RELAYOUT_OK ||
      relayout_view_make(&shards[1], &files.to, &error) != RELAYOUT_OK ||
      relayout_shape_byte_size(&shards[0], &files.source_size, &error) != RELAYOUT_OK ||
      relayout_shape_byte_size(&shards[1], &files.destination_size, &error) != RELAYOUT_OK) {
    return report_error(made->path, &error);
  }
  uint64_t elements = 1;
  for (int32_t d = 0; d < tensor->from.rank; d++) {
    const int64_t at = box * tensor->from.rank + d;
    files.from_start[d] = message->from_start[at];
    files.to_start[d] = message->to_start[at];
    files.sizes[d] = message->sizes[at];
    elements *= (uint64_t)message->sizes[at];
  }
  const exit_code code = large_files_move(&files, &is_done, &error);
  work->moved += elements;
  return code == EXIT_CODE_OK && !is_done ? report_error(made->path, &error) : code;
}

/* All that a device of the other side gets of a tensor. Where all devices have it, the first one's
 * file is read, so that others have it at hand. */
static exit_code move_shard(job *work, size_t number, int64_t device) {
  static const relayout_sharding first = {.kind = RELAYOUT_SHARDING_MAXIMAL};
  const moved_tensor *const tensor = &work->tensors[number];
  const relayout_sharding *const from =
      tensor->from_sharding->kind == RELAYOUT_SHARDING_REPLICATED ? &first : tensor->from_sharding;
  relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  relayout_exchange *exchange = NULL;
  relayout_error error;
  options.from_devices = work->from_devices;
  options.to_devices = work->to_devices;
  options.to_first_peer = work->from_devices;
  options.message_bytes = SIZE_MAX;
  if (relayout_exchange_create(NULL, &tensor->from, from, &tensor->to, tensor->to_sharding,
                               work->from_devices + device, &options, &exchange,
                               &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  exit_code code = EXIT_CODE_OK;
  const int64_t count = relayout_exchange_message_count(exchange);
  for (int64_t i = 0; i < count && code == EXIT_CODE_OK; i++) {
    relayout_exchange_message message;
    relayout_exchange_get_message(exchange, i, &message, NULL);
    for (int64_t box = 0; box < message.box_count && code == EXIT_CODE_OK; box++) {
      code = move_box(work, tensor, number, &message, box, device);
    }
  }
  relayout_exchange_destroy(exchange);
  return code;
}

static exit_code move_tensors(job *work) {
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < work->from.tensor_count && code == EXIT_CODE_OK; i++) {
    report_set_tensor(work->tensors[i].source->name);
    for (int64_t device = 0; device < work->file_count && code == EXIT_CODE_OK; device++) {
      if (work->files[device].tensors[i] != NULL) {
        code = move_shard(work, i, device);
      }
    }
    report_set_tensor(NULL);
  }
  return code;
}

/* With its header, and zeros in the place of tensors. */
static exit_code begin_file(const job *work, made_file *made) {
  size_t size = 0;
  exit_code code = stream_create(made->path, &made->stream);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  made->is_begun = true;
  if (!made->stream.is_whole) {
    return report(EXIT_CODE_USAGE, "%s is no regular file, which OUT must be", made->path);
  }
  code = model_write_header(made->path, &made->header, work->asked->alignment, NULL, &made->stream,
                            &size);
  made->data = (int64_t)size;
  return code == EXIT_CODE_OK
             ? stream_extend(&made->stream, (int64_t)safetensors_data_size(&made->header))
             : code;
}

/* All files get their names; or none, where one could not be written. */
static exit_code finish(job *work, exit_code code) {
  for (int64_t i = 0; i < work->file_count; i++) {
    made_file *const made = &work->files[i];
    if (made->is_begun && code == EXIT_CODE_OK) {
      code = stream_commit(&made->stream);
    } else if (made->is_begun) {
      stream_abandon(&made->stream);
    }
  }
  return code;
}

static void say_speed(const job *work, uint64_t bytes, double seconds) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(work->like->device, &info, NULL);
  report_line("%zu tensors from %" PRId64 " files to %" PRId64 " on %s (%s)",
              work->from.tensor_count, work->from_devices, work->to_devices, info.name,
              info.description);
  report_line("%" PRIu64 " bytes written from file to file in %.6f s: %.2f GB/s", bytes, seconds,
              seconds > 0 ? 1e-9 * (double)bytes / seconds : 0.0);
}

static exit_code write_files(job *work) {
  uint64_t bytes = 0;
  exit_code code = EXIT_CODE_OK;
  for (int64_t i = 0; i < work->file_count && code == EXIT_CODE_OK; i++) {
    code = begin_file(work, &work->files[i]);
    bytes += safetensors_data_size(&work->files[i].header);
  }
  if (code == EXIT_CODE_OK) {
    const double begun = progress_seconds();
    work->bar = progress_begin_bytes("moving", work->elements, bytes, 1);
    code = move_tensors(work);
    progress_end(&work->bar);
    if (code == EXIT_CODE_OK && work->asked->verbose) {
      say_speed(work, bytes, progress_seconds() - begun);
    }
  }
  return finish(work, code);
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void free_job(job *work) {
  for (int64_t i = 0; i < work->file_count; i++) {
    safetensors_free(&work->files[i].header);
    free(work->files[i].numbers);
    free(work->files[i].tensors);
    free(work->files[i].path);
  }
  free(work->files);
  free(work->tensors);
  large_files_free(work->room);
  sharded_model_close(&work->from);
  sharding_rules_free(&work->rules);
}

exit_code convert_shards(const convert_request *asked, const convert_shards_request *shards,
                         const tensor_move *like) {
  job *const work = calloc(1, sizeof *work);
  if (work == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for what is asked for");
  }
  work->asked = asked;
  work->shards = shards;
  work->like = like;
  exit_code code = read_request(work);
  if (code == EXIT_CODE_OK) {
    code = sharded_model_open(asked->input, work->from_devices, &work->from);
  }
  if (code == EXIT_CODE_OK) {
    code = set_tensors(work);
  }
  if (code == EXIT_CODE_OK) {
    code = plan_files(work);
  }
  if (code == EXIT_CODE_OK && shards->is_dry) {
    say_plan(work);
  } else if (code == EXIT_CODE_OK) {
    code = write_files(work);
  }
  free_job(work);
  free(work);
  return code;
}
