/* npz.c: which member of an archive is meant, and its bytes as a stream. */
#include "npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "file_kind.h"
#include "npy.h"
#include "npy_source.h"

static const char suffix[] = ".npy";

bool npz_is(const char *path) {
  return file_kind_has_suffix(path, ".npz");
}

/* Of a member, whose name an array's ends with; 0 for what is no array. */
static size_t name_length(const zip_member *member) {
  const size_t length = strlen(member->name);
  const size_t rest = sizeof suffix - 1;
  return length > rest && strcmp(member->name + length - rest, suffix) == 0 ? length - rest : 0;
}

/* The array's name; NULL for what is none, and without memory. The caller frees it. */
static char *name_of(const zip_member *member) {
  const size_t length = name_length(member);
  return length > 0 ? strndup(member->name, length) : NULL;
}

static exit_code fail_memory(const char *path) {
  return report(EXIT_CODE_FAILURE, "no memory for the names of %s", path);
}

/* ---- One array as an input ------------------------------------------------------------------ */

static exit_code read_member(void *context, void *bytes, size_t size, size_t *got) {
  npz_array *const of = context;
  relayout_error error;
  return zip_reader_read(of->reader, bytes, size, got, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(of->path, &error);
}

static exit_code open_member(npz_array *of, const zip_member *member) {
  relayout_error error;
  zip_reader_close(of->reader);
  free(of->name);
  free(of->title);
  of->name = name_of(member);
  const size_t size = strlen(of->path) + strlen(member->name) + sizeof ": ";
  of->title = malloc(size);
  if (of->name == NULL || of->title == NULL) {
    of->reader = NULL;
    return fail_memory(of->path);
  }
  snprintf(of->title, size, "%s: %s", of->path, of->name);
  of->input =
      (stream_input){.name = of->title, .file = -1, .source = {.read = read_member, .context = of}};
  return zip_reader_open(&of->directory, member, &of->reader, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(of->path, &error);
}

static exit_code open_archive(const char *path, npz_array *made) {
  relayout_error error;
  *made = (npz_array){.path = path, .directory = {.file = -1}};
  exit_code code = stream_open(path, &made->archive);
  if (code != EXIT_CODE_OK) {
    made->archive.file = -1;
    return code;
  }
  const int64_t size = stream_remaining(&made->archive);
  if (size < 0) {
    return report(EXIT_CODE_FAILURE, "%s is not a regular file, which a .npz file must be", path);
  }
  code = stream_peek(&made->archive);
  if (code == EXIT_CODE_OK) {
    code = file_kind_check(&made->archive, FILE_KIND_ZIP);
  }
  if (code == EXIT_CODE_OK &&
      zip_open(made->archive.file, (uint64_t)size, &made->directory, &error) != RELAYOUT_OK) {
    code = report_error(path, &error);
  }
  return code;
}

void npz_close(npz_array *of) {
  zip_reader_close(of->reader);
  zip_free(&of->directory);
  if (of->archive.file >= 0) {
    stream_close(&of->archive);
  }
  free(of->name);
  free(of->title);
}

/* ---- Which one ------------------------------------------------------------------------------ */

/* The arrays' names, as far as a message has room for them. */
static void list_names(const zip_directory *of, char *text, size_t capacity) {
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < of->count && length < capacity; i++) {
    const size_t name = name_length(&of->members[i]);
    if (name > 0) {
      length += (size_t)snprintf(text + length, capacity - length, "%s%.*s",
                                 length > 0 ? ", " : ": ", (int)name, of->members[i].name);
    }
  }
}

static exit_code fail_choice(const npz_array *of, const tensor_choice *choice, size_t count,
                             size_t chosen) {
  char names[256];
  list_names(&of->directory, names, sizeof names);
  if (count == 0) {
    return report(EXIT_CODE_BAD_INPUT, "%s holds no arrays", of->path);
  }
  if (!tensor_choice_is_made(choice)) {
    return report(EXIT_CODE_USAGE, "--tensor is missing: %s holds %zu arrays%s", of->path, count,
                  names);
  }
  return chosen == 0 ? report(EXIT_CODE_BAD_INPUT,
                              "--tensor and --except choose none of the %zu arrays of %s%s", count,
                              of->path, names)
                     : report(EXIT_CODE_USAGE,
                              "%zu of the %zu arrays of %s are chosen, but OUT holds one%s", chosen,
                              count, of->path, names);
}

/* The last member that is meant. */
static exit_code choose(const npz_array *of, const tensor_choice *choice,
                        const zip_member **found) {
  size_t count = 0;
  size_t chosen = 0;
  for (size_t i = 0; i < of->directory.count; i++) {
    const zip_member *const member = &of->directory.members[i];
    if (name_length(member) == 0) {
      continue;
    }
    char *const name = name_of(member);
    if (name == NULL) {
      return fail_memory(of->path);
    }
    count += 1;
    if (!tensor_choice_is_made(choice) || tensor_choice_has(choice, name, 0)) {
      chosen += 1;
      *found = member;
    }
    free(name);
  }
  return chosen == 1 ? EXIT_CODE_OK : fail_choice(of, choice, count, chosen);
}

exit_code npz_open(const char *path, const tensor_choice *choice, npz_array *made) {
  const zip_member *member = NULL;
  exit_code code = open_archive(path, made);
  if (code == EXIT_CODE_OK) {
    code = choose(made, choice, &member);
  }
  return code == EXIT_CODE_OK ? open_member(made, member) : code;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* Of an array with a type that has a shape; else `own_text` says what it is in NumPy's words. */
static exit_code add_array(const npz_array *of, const npy_header *header, uint64_t bytes,
                           tensor_list *made) {
  relayout_error error;
  relayout_element_type type;
  relayout_shape shape;
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  if (npy_element_type(header, RELAYOUT_ELEMENT_TYPE_INVALID, &type, &error) == RELAYOUT_OK &&
      npy_shape(header, type, &shape, &error) == RELAYOUT_OK) {
    relayout_shape_format(&shape, text, sizeof text);
    return tensor_list_add(made, of->name, text, NULL, bytes);
  }
  return tensor_list_add(made, of->name, NULL, error.message, bytes);
}

static exit_code list_member(npz_array *of, const zip_member *member, tensor_list *made) {
  relayout_error error;
  npy_header header;
  exit_code code = open_member(of, member);
  relayout_status status = RELAYOUT_OK;
  size_t size = 0;
  if (code == EXIT_CODE_OK) {
    code = stream_peek(&of->input);
  }
  if (code == EXIT_CODE_OK) {
    code = npy_source_header(&of->input, &header, &size, &status, &error);
  }
  if (code == EXIT_CODE_OK && status == RELAYOUT_OK) {
    return add_array(of, &header, member->size - size, made);
  }
  return code == EXIT_CODE_OK ? tensor_list_add(made, of->name, NULL, error.message, member->size)
                              : code;
}

exit_code npz_list(const char *path, tensor_list *made) {
  npz_array of;
  exit_code code = open_archive(path, &of);
  for (size_t i = 0; i < of.directory.count && code == EXIT_CODE_OK; i++) {
    if (name_length(&of.directory.members[i]) > 0) {
      code = list_member(&of, &of.directory.members[i], made);
    }
  }
  npz_close(&of);
  return code;
}
