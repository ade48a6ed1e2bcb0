/* tensor_choice.c: patterns of names as shells have them. */
#include "tensor_choice.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

exit_code tensor_choice_read(tensor_choice *made) {
  if (made->rank_text == NULL) {
    return EXIT_CODE_OK;
  }
  uint64_t rank = 0;
  const exit_code code =
      arguments_read_count("--rank", made->rank_text, 0, RELAYOUT_MAX_RANK, &rank);
  made->rank = (int32_t)rank;
  return code;
}

bool tensor_choice_is_made(const tensor_choice *choice) {
  return choice->tensors.count > 0 || choice->exceptions.count > 0 || choice->rank_text != NULL;
}

bool tensor_choice_matches(const char *pattern, const char *name) {
  return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

static bool is_among(const arguments_list *patterns, const char *name) {
  for (size_t i = 0; i < patterns->count; i++) {
    if (tensor_choice_matches(patterns->of[i], name)) {
      return true;
    }
  }
  return false;
}

bool tensor_choice_has(const tensor_choice *choice, const char *name, int32_t rank) {
  return tensor_choice_is_made(choice) &&
         (choice->tensors.count == 0 || is_among(&choice->tensors, name)) &&
         !is_among(&choice->exceptions, name) &&
         (choice->rank_text == NULL || choice->rank == rank);
}

bool tensor_choice_names(const tensor_choice *choice, const char *name) {
  for (size_t i = 0; i < choice->tensors.count; i++) {
    if (strcmp(choice->tensors.of[i], name) == 0) {
      return true;
    }
  }
  return false;
}
