/* captured_launch.c: writes and reads the folder of a launch. */
#include "captured_launch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json_output.h"
#include "json_text.h"

enum {
  DIMENSIONS = 3,
  PATH_SIZE = 4096,
  FILE_NAME_SIZE = 32,
  HEX_SIZE = 2 * CAPTURED_MOST_VALUE_BYTES + 1
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

static json_t *json_of_range(const size_t sizes[DIMENSIONS]) {
  json_t *range = json_of_no_elements();
  for (int d = 0; d < DIMENSIONS; ++d) {
    range = json_with_element(range, json_of_size(sizes[d]));
  }
  return range;
}

static json_t *json_of_argument(const captured_argument *argument, size_t number) {
  char text[HEX_SIZE] = "";
  json_t *object =
      json_of_members((json_member[]){{"kind", json_of_text(kind_names[argument->kind])},
                                      {"bytes", json_of_size(argument->bytes)},
                                      {NULL, NULL}});
  if (argument->kind == CAPTURED_VALUE) {
    for (size_t i = 0; i < argument->bytes; ++i) {
      snprintf(text + 2 * i, 3, "%02x", argument->value[i]);
    }
    object = json_with_member(object, "hex", json_of_text(text));
  }
  if (argument->before != NULL) {
    file_name(number, "before", text);
    object = json_with_member(object, "before", json_of_text(text));
  }
  if (argument->after != NULL) {
    file_name(number, "after", text);
    object = json_with_member(object, "after", json_of_text(text));
  }
  return object;
}

static json_t *json_of_launch(const captured_launch *launch) {
  const size_t group_size = launch->local[0] * launch->local[1] * launch->local[2];
  json_t *arguments = json_of_no_elements();
  for (size_t i = 0; i < launch->argument_count; ++i) {
    arguments = json_with_element(arguments, json_of_argument(&launch->arguments[i], i));
  }
  return json_of_members((json_member[]){{"kernel", json_of_text(launch->kernel)},
                                         {"options", json_of_text(launch->options)},
                                         {"global", json_of_range(launch->global)},
                                         {"local", json_of_range(launch->local)},
                                         {"case", json_of_text(launch->name)},
                                         {"from", json_of_text(launch->from)},
                                         {"to", json_of_text(launch->to)},
                                         {"schedule", json_of_text(launch->schedule)},
                                         {"group_size", json_of_size(group_size)},
                                         {"arguments", arguments},
                                         {NULL, NULL}});
}

static exit_code write_description(const char *folder, const captured_launch *launch) {
  char *text = NULL;
  size_t size = 0;
  FILE *const file = open_memstream(&text, &size);
  if (file == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a launch's description");
  }
  exit_code code = json_print_line(json_of_launch(launch), file);
  if (fclose(file) != 0 && code == EXIT_CODE_OK) {
    code = report(EXIT_CODE_FAILURE, "no memory for a launch's description");
  }
  if (code == EXIT_CODE_OK) {
    code = write_file(folder, "launch.json", text, size);
  }
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

static bool read_size(const json_t *value, size_t *size) {
  *size = (size_t)json_integer_value(value);
  return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* A text where there is one, "" where there is none; cut to fit. */
static bool read_text(const json_t *value, size_t capacity, char *text) {
  snprintf(text, capacity, "%s", value != NULL ? json_string_value(value) : "");
  return value == NULL || json_is_string(value);
}

static bool read_range(const json_t *value, size_t sizes[DIMENSIONS]) {
  bool is_read = json_array_size(value) == DIMENSIONS;
  for (size_t d = 0; d < DIMENSIONS && is_read; ++d) {
    is_read = read_size(json_array_get(value, d), &sizes[d]) && sizes[d] > 0;
  }
  return is_read;
}

static bool read_kind(const json_t *value, captured_kind *kind) {
  for (int i = 0; i < KINDS && json_is_string(value); ++i) {
    if (strcmp(json_string_value(value), kind_names[i]) == 0) {
      *kind = (captured_kind)i;
      return true;
    }
  }
  return false;
}

static bool read_hex(const json_t *value, size_t bytes, unsigned char *made) {
  const char *const text = json_is_string(value) ? json_string_value(value) : "";
  const size_t length = strlen(text);
  if (bytes > CAPTURED_MOST_VALUE_BYTES || length != 2 * bytes ||
      strspn(text, "0123456789abcdef") != length) {
    return false;
  }
  for (size_t i = 0; i < bytes; ++i) {
    const char digits[] = {text[2 * i], text[2 * i + 1], '\0'};
    made[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
  return true;
}

/* Which of a buffer's files there are; their contents are read later. */
typedef struct said_files {
  bool before;
  bool after;
} said_files;

static bool read_argument(const json_t *json, captured_argument *argument, said_files *files) {
  files->before = json_object_get(json, "before") != NULL;
  files->after = json_object_get(json, "after") != NULL;
  return read_kind(json_object_get(json, "kind"), &argument->kind) &&
         read_size(json_object_get(json, "bytes"), &argument->bytes) &&
         (argument->kind != CAPTURED_VALUE ||
          read_hex(json_object_get(json, "hex"), argument->bytes, argument->value)) &&
         (argument->kind == CAPTURED_BUFFER || !files->before) && (files->before || !files->after);
}

static bool read_launch(const json_t *json, captured_launch *launch, said_files *files) {
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
  const json_t *const arguments = json_object_get(json, "arguments");
  const size_t count = json_array_size(arguments);
  bool is_read = count <= CAPTURED_MOST_ARGUMENTS &&
                 read_range(json_object_get(json, "global"), launch->global) &&
                 read_range(json_object_get(json, "local"), launch->local);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0] && is_read; ++i) {
    is_read = read_text(json_object_get(json, texts[i].key), texts[i].capacity, texts[i].text);
  }
  for (size_t i = 0; i < count && is_read; ++i) {
    is_read = read_argument(json_array_get(arguments, i), &launch->arguments[i], &files[i]);
    launch->argument_count = i + 1;
  }
  return is_read;
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
  json_t *json;
  relayout_error error;
  const relayout_status status = json_text_read(text, strlen(text), &json, &error);
  free(text);
  if (status != RELAYOUT_OK) {
    return report(EXIT_CODE_BAD_INPUT, "%s/launch.json: %s", folder, error.message);
  }
  const bool is_read = read_launch(json, launch, files) && is_whole(launch);
  json_decref(json);
  return is_read ? EXIT_CODE_OK
                 : report(EXIT_CODE_BAD_INPUT, "%s/launch.json describes no launch", folder);
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
