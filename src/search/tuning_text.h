/* tuning_text.h: a row of the tuning table as text, to be kept in a file or sent to others.
 *
 *     relayout tuning 1
 *     device: AMD EPYC 7763 64-Core Processor, avx2
 *     driver:
 *     facts: line=64 l1=32768:8:2 ...
 *     kind: AMD EPYC 7763 64-Core Processor, avx2
 *     date: 2026-11
 *     suites: tune
 *     straight_columns_bytes=262144
 *     ...
 *     word 1 cached runs=64:256 blocks=4096:4096 prefetch=1:2 stores=0
 *     ...
 *     word 1 rates line_again=0.05 line_in_parts=1 ...
 *
 * The first four lines say which device it is of, and the others have the fields of rlt_tuning, all
 * of them and in its order. Sides of an rlt_reach stand between colons, as all numbers of a field.
 *
 * Depends on facts_text.h, tuning.h, metadata/ and base/.
 */
#ifndef RLT_SEARCH_TUNING_TEXT_H
#define RLT_SEARCH_TUNING_TEXT_H

#include "base/text.h"
#include "relayout/device.h"
#include "relayout/status.h"
#include "search/tuning.h"

/* Longer texts are no row's. */
enum { RLT_MOST_TUNING_TEXT = 64 << 10 };

/* The lines that say which device it is. */
void rlt_tuning_add_head(const relayout_device_info *info, const rlt_machine *machine,
                         rlt_text *text);

/* All others. */
void rlt_tuning_add_text(const rlt_tuning *row, rlt_text *text);

/* Reads a whole text. RELAYOUT_INVALID_TEXT names the line, for one that is damaged or cut, and for
 * numbers that schedules cannot be made of; RELAYOUT_UNSUPPORTED where it is not of the device with
 * this head, unless that is NULL. The row is untouched then. */
relayout_status rlt_tuning_read_text(const char *text, size_t size, const char *head,
                                     rlt_tuning *row, relayout_error *error);

#endif
