/* cases.h: the relayouts that stand for all others of a kind while a machine is tuned. Depends on
 * the public shapes. */
#ifndef TOOLS_TUNE_CASES_H
#define TOOLS_TUNE_CASES_H

#include <stdint.h>

#include "relayout/relayout.h"

/* Kinds of tiles, as a row of tuning names them. */
enum { TUNE_CHANNELS, TUNE_CACHED, TUNE_APART, TUNE_CROWDED, TUNE_FAR, TUNE_ANY, TUNE_KINDS };
extern const char *const tune_kinds[TUNE_KINDS];

enum { TUNE_CASES = 3, TUNE_SAMPLES = 8, TUNE_WORDS = 5 };

typedef struct tune_case {
  relayout_shape from;
  relayout_shape to;
} tune_case;

/* Case number `i` of a kind, of words of 1, 2, 4, 8 or 16 bytes, with about `bytes` on either side,
 * which are a mebibyte at least; of cached tiles 128 KiB. */
void tune_case_make(int kind, int32_t i, int64_t word, int64_t bytes, tune_case *made);

/* Relayouts by other methods, which only the rates are found by: short runs, channels, and runs to
 * copy straight. */
void tune_sample_make(int32_t i, int64_t word, int64_t bytes, tune_case *made);

/* As many bytes, which move as they lie. */
void tune_copy_make(int64_t bytes, tune_case *made);

/* What either side takes. */
int64_t tune_case_bytes(const tune_case *of);

#endif
