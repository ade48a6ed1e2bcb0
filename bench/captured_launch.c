/* captured_launch.c: writes and reads the folder of a launch. */
#include "captured_launch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json_reader.h"
#include "json_writer.h"

enum {
  DIMENSIONS = 3,
  PATH_SIZE = 4096,
  FILE_NAME_SIZE = 32,
  KEY_SIZE = 32,
  HEX_SIZE = 2 * CAPTURED_MOST_VALUE_BYTES + 1,
  LARGEST_EXACT_BITS = 53 /* of a number that a double holds */
};

static const char *const kind_names[] = {"buffer", "value", "local"};
enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

static void file_name(size_t argument, const char *when, char name[FILE_NAME_SIZE]) {
  snprintf(name, FILE_NAME_SIZE, "arg%zu.%s", argument, when);
}

static exit_code set_path(const char *folder, const char *name, char path[PATH_SIZE]) {
  const int length = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
  return length < PATH_SIZE ? EXIT_CODE_OK
                            : report(EXIT_CODE_BAD_INPUT, "the path is too long: %s", folder);
}

/* ---- Writing ---- */

static exit_code write_file(const char *folder, const char *name, const void *bytes, size_t size) {
  char path[PATH_SIZE];
  const exit_code code = set_path(folder, name, path);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  FILE *const file = fopen(path, "wb");
  const bool is_written = file != NULL && fwrite(bytes, 1, size, file) == size;
  if (file == NULL || fclose(file) != 0 || !is_written) {
    return report(EXIT_CODE_FAILURE, "cannot write %s: %s", path, strerror(errno));
  }
  return EXIT_CODE_OK;
}

static void put_sizes(json_writer *json, const char *key, const size_t sizes[DIMENSIONS]) {
  json_writer_open_array(json, key);
  for (int d = 0; d < DIMENSIONS; ++d) {
    json_writer_unsigned(json, NULL, sizes[d]);
  }
  json_writer_close_array(json);
}

static void put_argument(json_writer *json, const captured_argument *argument, size_t number) {
  char text[HEX_SIZE] = "";
  json_writer_open_object(json, NULL);
  json_writer_text(json, "kind", kind_names[argument->kind]);
  json_writer_unsigned(json, "bytes", argument->bytes);
  if (argument->kind == CAPTURED_VALUE) {
    for (size_t i = 0; i < argument->bytes; ++i) {
      snprintf(text + 2 * i, 3, "%02x", argument->value[i]);
    }
    json_writer_text(json, "hex", text);
  }
  if (argument->before != NULL) {
    file_name(number, "before", text);
    json_writer_text(json, "before", text);
  }
  if (argument->after != NULL) {
    file_name(number, "after", text);
    json_writer_text(json, "after", text);
  }
  json_writer_close_object(json);
}

static void put_launch(FILE *file, const captured_launch *launch) {
  json_writer json = json_writer_begin(file);
  json_writer_open_object(&json, NULL);
  json_writer_text(&json, "kernel", launch->kernel);
  json_writer_text(&json, "options", launch->options);
  put_sizes(&json, "global", launch->global);
  put_sizes(&json, "local", launch->local);
  json_writer_text(&json, "case", launch->name);
  json_writer_text(&json, "from", launch->from);
  json_writer_text(&json, "to", launch->to);
  json_writer_text(&json, "schedule", launch->schedule);
  json_writer_unsigned(&json, "group_size", launch->local[0] * launch->local[1] * launch->local[2]);
  json_writer_open_array(&json, "arguments");
  for (size_t i = 0; i < launch->argument_count; ++i) {
    put_argument(&json, &launch->arguments[i], i);
  }
  json_writer_close_array(&json);
  json_writer_close_object(&json);
  json_writer_end(&json);
}

static exit_code write_description(const char *folder, const captured_launch *launch) {
  char *text = NULL;
  size_t size = 0;
  FILE *const file = open_memstream(&text, &size);
  if (file != NULL) {
    put_launch(file, launch);
  }
  const exit_code code = file != NULL && fclose(file) == 0
                             ? write_file(folder, "launch.json", text, size)
                             : report(EXIT_CODE_FAILURE, "no memory for a launch's description");
  free(text);
  return code;
}

static exit_code write_contents(const char *folder, const char *when, size_t number,
                                const unsigned char *bytes, size_t size) {
  char name[FILE_NAME_SIZE];
  file_name(number, when, name);
  return bytes == NULL ? EXIT_CODE_OK : write_file(folder, name, bytes, size);
}

exit_code captured_launch_write(const captured_launch *launch, const char *folder) {
  if (mkdir(folder, 0777) != 0) {
    return report(EXIT_CODE_FAILURE, "cannot make the folder %s: %s", folder, strerror(errno));
  }
  exit_code code = write_description(folder, launch);
  if (code == EXIT_CODE_OK) {
    code = write_file(folder, "source.cl", launch->source, strlen(launch->source));
  }
  if (code == EXIT_CODE_OK && launch->explained != NULL) {
    code = write_file(folder, "explained.json", launch->explained, strlen(launch->explained));
  }
  for (size_t i = 0; i < launch->argument_count && code == EXIT_CODE_OK; ++i) {
    const captured_argument *const argument = &launch->arguments[i];
    code = write_contents(folder, "before", i, argument->before, argument->bytes);
    if (code == EXIT_CODE_OK) {
      code = write_contents(folder, "after", i, argument->after, argument->bytes);
    }
  }
  return code;
}

/* ---- Reading ---- */

/* A file of so many bytes, or of any number of them where `size` is SIZE_MAX; a NUL follows. NULL
 * where it cannot be read, which has been reported. */
static char *read_file(const char *folder, const char *name, size_t size) {
  char path[PATH_SIZE];
  struct stat facts;
  if (set_path(folder, name, path) != EXIT_CODE_OK) {
    return NULL;
  }
  FILE *const file = fopen(path, "rb");
  if (file == NULL || fstat(fileno(file), &facts) != 0) {
    report_line("cannot read %s: %s", path, strerror(errno));
    if (file != NULL) {
      fclose(file);
    }
    return NULL;
  }
  const size_t there = (size_t)facts.st_size;
  char *made = NULL;
  if (size != SIZE_MAX && size != there) {
    report_line("%s has %zu bytes, not %zu", path, there, size);
  } else if ((made = malloc(there + 1)) == NULL || fread(made, 1, there, file) != there) {
    report_line("cannot read %zu bytes of %s", there, path);
    free(made);
    made = NULL;
  } else {
    made[there] = '\0';
  }
  fclose(file);
  return made;
}

static bool take_size(json_reader *json, size_t *size) {
  double number = 0;
  if (!json_reader_number(json, &number) || !(number >= 0) ||
      number > (double)(UINT64_C(1) << LARGEST_EXACT_BITS) || number != (double)(size_t)number) {
    json->failed = true;
    return false;
  }
  *size = (size_t)number;
  return true;
}

static void take_range(json_reader *json, size_t sizes[DIMENSIONS]) {
  bool is_first = true;
  int count = 0;
  json_reader_open(json, '[');
  while (json_reader_next(json, '[', &is_first)) {
    size_t size;
    if (count == DIMENSIONS || !take_size(json, &size) || size == 0) {
      json->failed = true;
      return;
    }
    sizes[count++] = size;
  }
  json->failed = json->failed || count != DIMENSIONS;
}

static void take_kind(json_reader *json, captured_kind *kind) {
  char text[KEY_SIZE];
  int found = KINDS;
  if (json_reader_text(json, sizeof text, text)) {
    for (found = 0; found < KINDS && strcmp(text, kind_names[found]) != 0; ++found) {
    }
  }
  json->failed = json->failed || found == KINDS;
  *kind = found < KINDS ? (captured_kind)found : CAPTURED_BUFFER;
}

static void take_hex(json_reader *json, unsigned char *value, size_t *count) {
  char text[HEX_SIZE + 1]; /* room for one digit too many */
  *count = 0;
  if (!json_reader_text(json, sizeof text, text)) {
    return;
  }
  const size_t length = strlen(text);
  if (length >= HEX_SIZE || length % 2 != 0 || strspn(text, "0123456789abcdef") != length) {
    json->failed = true;
    return;
  }
  for (; *count < length / 2; ++*count) {
    const char digits[] = {text[2 * *count], text[2 * *count + 1], '\0'};
    value[*count] = (unsigned char)strtoul(digits, NULL, 16);
  }
}

/* Which of a buffer's files there are; their contents are read later. */
typedef struct said_files {
  bool before;
  bool after;
} said_files;

static void take_argument(json_reader *json, captured_argument *argument, said_files *files) {
  bool is_first = true;
  size_t value_bytes = 0;
  json_reader_open(json, '{');
  while (json_reader_next(json, '{', &is_first)) {
    char key[KEY_SIZE];
    if (!json_reader_key(json, sizeof key, key)) {
      return;
    }
    if (strcmp(key, "kind") == 0) {
      take_kind(json, &argument->kind);
    } else if (strcmp(key, "bytes") == 0) {
      take_size(json, &argument->bytes);
    } else if (strcmp(key, "hex") == 0) {
      take_hex(json, argument->value, &value_bytes);
    } else {
      files->before = files->before || strcmp(key, "before") == 0;
      files->after = files->after || strcmp(key, "after") == 0;
      json_reader_skip(json);
    }
  }
  json->failed =
      json->failed || (argument->kind == CAPTURED_VALUE && value_bytes != argument->bytes) ||
      (argument->kind != CAPTURED_BUFFER && files->before) || (files->after && !files->before);
}

static void take_arguments(json_reader *json, captured_launch *launch, said_files *files) {
  bool is_first = true;
  json_reader_open(json, '[');
  while (json_reader_next(json, '[', &is_first)) {
    if (launch->argument_count == CAPTURED_MOST_ARGUMENTS) {
      json->failed = true;
      return;
    }
    const size_t number = launch->argument_count++;
    take_argument(json, &launch->arguments[number], &files[number]);
  }
}

static void take_launch(json_reader *json, captured_launch *launch, said_files *files) {
  const struct {
    const char *key;
    size_t capacity;
    char *text;
  } texts[] = {{"kernel", sizeof launch->kernel, launch->kernel},
               {"options", sizeof launch->options, launch->options},
               {"case", sizeof launch->name, launch->name},
               {"from", sizeof launch->from, launch->from},
               {"to", sizeof launch->to, launch->to},
               {"schedule", sizeof launch->schedule, launch->schedule}};
  enum { TEXTS = sizeof texts / sizeof texts[0] };
  bool is_first = true;
  json_reader_open(json, '{');
  while (json_reader_next(json, '{', &is_first)) {
    char key[KEY_SIZE];
    int text = 0;
    if (!json_reader_key(json, sizeof key, key)) {
      return;
    }
    for (; text < TEXTS && strcmp(key, texts[text].key) != 0; ++text) {
    }
    if (text < TEXTS) {
      json_reader_text(json, texts[text].capacity, texts[text].text);
    } else if (strcmp(key, "global") == 0) {
      take_range(json, launch->global);
    } else if (strcmp(key, "local") == 0) {
      take_range(json, launch->local);
    } else if (strcmp(key, "arguments") == 0) {
      take_arguments(json, launch, files);
    } else {
      json_reader_skip(json);
    }
  }
}

/* Whether all that a launch cannot do without has been there. */
static bool is_whole(const captured_launch *launch) {
  bool is = launch->kernel[0] != '\0' && launch->argument_count > 0;
  for (int d = 0; d < DIMENSIONS; ++d) {
    is = is && launch->local[d] > 0 && launch->global[d] % launch->local[d] == 0;
  }
  return is;
}

static exit_code read_description(const char *folder, captured_launch *launch, said_files *files) {
  char *const text = read_file(folder, "launch.json", SIZE_MAX);
  if (text == NULL) {
    return EXIT_CODE_BAD_INPUT;
  }
  json_reader json = json_reader_begin(text);
  take_launch(&json, launch, files);
  const bool is_read = json_reader_end(&json) && is_whole(launch);
  free(text);
  return is_read ? EXIT_CODE_OK
                 : report(EXIT_CODE_BAD_INPUT, "%s/launch.json describes no launch (byte %zu)",
                          folder, json.at);
}

static bool read_contents(const char *folder, const char *when, size_t number, size_t size,
                          unsigned char **contents) {
  char name[FILE_NAME_SIZE];
  file_name(number, when, name);
  *contents = (unsigned char *)read_file(folder, name, size);
  return *contents != NULL;
}

exit_code captured_launch_read(const char *folder, captured_launch *launch) {
  said_files files[CAPTURED_MOST_ARGUMENTS] = {{false, false}};
  *launch = (captured_launch){.argument_count = 0};
  const exit_code code = read_description(folder, launch, files);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  launch->source = read_file(folder, "source.cl", SIZE_MAX);
  bool is_read = launch->source != NULL;
  for (size_t i = 0; i < launch->argument_count && is_read; ++i) {
    captured_argument *const argument = &launch->arguments[i];
    is_read =
        (!files[i].before ||
         read_contents(folder, "before", i, argument->bytes, &argument->before)) &&
        (!files[i].after || read_contents(folder, "after", i, argument->bytes, &argument->after));
  }
  return is_read ? EXIT_CODE_OK : EXIT_CODE_BAD_INPUT;
}

void captured_launch_free(captured_launch *launch) {
  free(launch->explained);
  free(launch->source);
  for (size_t i = 0; i < launch->argument_count; ++i) {
    free(launch->arguments[i].before);
    free(launch->arguments[i].after);
  }
  *launch = (captured_launch){.argument_count = 0};
}
