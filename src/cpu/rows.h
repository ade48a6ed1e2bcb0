/* rows.h: rows of elements that are unpacked, converted and packed at once.
 *
 * Elements that tiles move are words of whole bytes, of the source's type. A codec changes packed
 * elements to words, and words to elements of the destination.
 *
 * Depends on problem/, instruction_sets.h, kernels.h and row_passes.h.
 */
#ifndef RLT_CPU_ROWS_H
#define RLT_CPU_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/float_control.h"
#include "cpu/instruction_sets.h"
#include "cpu/kernels.h"
#include "cpu/row_passes.h"
#include "problem/problem.h"
#include "relayout/status.h"

typedef struct rlt_cpu_codec rlt_cpu_codec;

/* For a problem's packed sides, what it reverses and its conversion, which has been checked. It may
 * be used from many threads at once. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_cpu_codec_create(const rlt_cpu_instruction_set *set, const rlt_problem *problem,
                                     rlt_cpu_codec **codec, relayout_error *error);
void rlt_cpu_codec_destroy(rlt_cpu_codec *codec);

/* The memory that it takes; 0 for NULL. */
size_t rlt_cpu_codec_bytes(const rlt_cpu_codec *codec);

/* Floating point becomes as the codec's passes want it, and as it was again. NULL: nothing does.
 * Processors wait for all arithmetic there, so that many rows do this once. */
rlt_float_control rlt_cpu_codec_enter(const rlt_cpu_codec *codec);
void rlt_cpu_codec_leave(const rlt_cpu_codec *codec, rlt_float_control was);

/* Elements first .. first+count-1 of the packed `source`, to bytes at `words`. Fewer than 8 bytes
 * before `words` and 64 behind the last one may be written; only bytes that hold those elements are
 * read. For codecs of a packed source. */
void rlt_cpu_codec_decode(const rlt_cpu_codec *codec, const uint8_t *source, int64_t first,
                          uint8_t *words, int64_t count);

/* Words to elements of the destination, from the start of a byte on where they are packed; spare
 * bits of the last byte are 0. Nothing else is read or written. */
void rlt_cpu_codec_encode(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *destination,
                          int64_t word_count);

/* The same past the cache, line by line; the kernels' `finish` makes it visible
 * to other threads. */
void rlt_cpu_codec_stream(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *destination,
                          int64_t word_count);

/* The same between rlt_cpu_codec_enter and rlt_cpu_codec_leave, or with floating point as programs
 * start with it, where all up to `end` may be read behind the words, whatever is there: fewer words
 * than a group need not be brought elsewhere. */
void rlt_cpu_codec_encode_within(const rlt_cpu_codec *codec, const uint8_t *words,
                                 const uint8_t *end, uint8_t *destination, int64_t word_count);
void rlt_cpu_codec_stream_within(const rlt_cpu_codec *codec, const uint8_t *words,
                                 const uint8_t *end, uint8_t *destination, int64_t word_count);

/* The same as rlt_cpu_codec_encode_within. It also fetches lines that are read later: `ahead->pace`
 * lines after each RLT_CPU_FETCHING_PIECE words. A processor can wait for few lines at a time: if
 * many were fetched at once, it would stop and convert nothing. */
enum { RLT_CPU_FETCHING_PIECE = RLT_CPU_ROW_GROUP };
void rlt_cpu_codec_encode_fetching(const rlt_cpu_codec *codec, const uint8_t *words,
                                   const uint8_t *end, uint8_t *destination, int64_t word_count,
                                   rlt_cpu_prefetching *ahead, int32_t level);

/* Lines that have been encoded, past the cache, to where a line begins. */
void rlt_cpu_codec_stream_lines(const rlt_cpu_codec *codec, const uint8_t *from,
                                uint8_t *destination, int64_t lines);

#endif
