/* no_json.c: what a command without jansson says where it would need it. */
#include <string.h>

#include "bench/comparison.h"
#include "bench/results_file.h"
#include "bench/results_json.h"
#include "convert_shards.h"
#include "fail.h"
#include "json_output.h"
#include "model.h"

static const char reason[] = "this command was built without jansson (RELAYOUT_JSON=OFF)";

json_t *json_of_text(const char *text) {
  (void)text;
  return NULL;
}

json_t *json_of_integer(int64_t number) {
  (void)number;
  return NULL;
}

json_t *json_of_size(uint64_t number) {
  (void)number;
  return NULL;
}

json_t *json_of_number(double number) {
  (void)number;
  return NULL;
}

json_t *json_of_boolean(bool value) {
  (void)value;
  return NULL;
}

json_t *json_of_nothing(void) {
  return NULL;
}

json_t *json_of_integers(size_t count, const int64_t *numbers) {
  (void)count;
  (void)numbers;
  return NULL;
}

json_t *json_of_members(const json_member *members) {
  (void)members;
  return NULL;
}

json_t *json_of_no_elements(void) {
  return NULL;
}

json_t *json_with_element(json_t *array, json_t *element) {
  (void)array;
  (void)element;
  return NULL;
}

exit_code json_print_line(json_t *value, FILE *file) {
  (void)value;
  (void)file;
  return report(EXIT_CODE_FAILURE, "%s, so it prints no JSON", reason);
}

exit_code results_json_write(const bench_results *results, const bench_summary *summary,
                             FILE *file) {
  (void)results;
  (void)summary;
  return json_print_line(NULL, file);
}

relayout_status comparison_parse(const char *text, comparison *old, relayout_error *error) {
  (void)text;
  (void)old;
  return fail_with(error, RELAYOUT_UNSUPPORTED, "%s, so it reads no JSON", reason);
}

void comparison_free(comparison *old) {
  (void)old;
}

bool comparison_print(const comparison *old, const bench_results *results, FILE *file) {
  (void)old;
  (void)results;
  (void)file;
  return true;
}

relayout_status results_file_parse(const char *text, results_file *file, relayout_error *error) {
  (void)text;
  (void)file;
  return fail_with(error, RELAYOUT_UNSUPPORTED, "%s, so it reads no JSON", reason);
}

void results_file_free(results_file *file) {
  (void)file;
}

exit_code model_list(const char *path, tensor_list *made) {
  (void)made;
  return report(EXIT_CODE_FAILURE, "%s: %s", path, reason);
}

exit_code convert_shards_check(const convert_request *asked, const convert_shards_request *shards) {
  (void)asked;
  (void)shards;
  return report(EXIT_CODE_FAILURE, "%s", reason);
}

exit_code convert_shards(const convert_request *asked, const convert_shards_request *shards,
                         const tensor_move *like) {
  (void)like;
  return convert_shards_check(asked, shards);
}

exit_code convert_model(const convert_request *asked, const tensor_move *like) {
  (void)like;
  return report(EXIT_CODE_FAILURE, "%s: %s", asked->input, reason);
}

exit_code convert_model_header(const convert_request *asked, const char *name, tensor_move *move,
                               char **bytes, size_t *size) {
  (void)name;
  (void)move;
  (void)bytes;
  (void)size;
  return report(EXIT_CODE_FAILURE, "%s: %s", asked->output, reason);
}
