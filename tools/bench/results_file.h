/* results_file.h: a benchmark's results read back from the JSON that it wrote, so that they can be
 * printed and drawn again. Depends on results.h; jansson.h is for those who read JSON. */
#ifndef TOOLS_BENCH_RESULTS_FILE_H
#define TOOLS_BENCH_RESULTS_FILE_H

#include "results.h"

typedef struct results_file {
  bench_results results;
  struct json_t *json; /* jansson's: it holds the texts that `results` points at */
} results_file;

/* Reads what results_json_write wrote. Cases that were skipped come after those that were measured.
 * RELAYOUT_INVALID_TEXT, naming the member that is missing or wrong; RELAYOUT_OUT_OF_MEMORY. */
relayout_status results_file_parse(const char *text, results_file *file, relayout_error *error);

/* Frees them; a file of zeros has nothing to free. */
void results_file_free(results_file *file);

#endif
