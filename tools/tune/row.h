/* row.h: a row of tuning as its text, and changing what stands in it. Depends on the public tuning.
 *
 * Fields stand behind what their line begins with: "runs" behind "word 4 far ", "thread_bytes"
 * behind nothing. What is no field of the row is left alone. */
#ifndef TOOLS_TUNE_ROW_H
#define TOOLS_TUNE_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/relayout.h"

enum { TUNE_ROW_SIZE = 32 << 10, TUNE_VALUE_SIZE = 64 };

typedef struct tune_row {
  char text[TUNE_ROW_SIZE];
} tune_row;

/* The row that a device has. False where it is longer than any row. */
bool tune_row_read(const relayout_device *device, tune_row *made);

/* The value of a field, cut to fit; "" where there is none. */
void tune_row_get(const tune_row *row, const char *line, const char *field,
                  char value[TUNE_VALUE_SIZE]);
double tune_row_get_number(const tune_row *row, const char *line, const char *field);

/* False where there is no such field, or no room for the value. */
bool tune_row_set(tune_row *row, const char *line, const char *field, const char *value);

/* A line of words: what stands behind "kind: ". */
bool tune_row_set_words(tune_row *row, const char *line, const char *words);

#endif
